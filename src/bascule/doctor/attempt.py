"""A call that leaves a file where it ran: what is asked about it, what is answered, and what became of the file.

What the CLI says may be wrong; the file is not. So whatever a scene claims about a permission, it claims by a file.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from bascule.demo.script import Call, Turn, When, call, say, turn, when
from bascule.doctor import dialogue
from bascule.doctor.dialogue import Dialogue, HookAnswer, OnAsk, refuse
from bascule.doctor.stage import Stage
from bascule.protocol.handshake import Hook
from bascule.wire.control import Answer, CanUseTool
from bascule.wire.hook_outputs import HookOutput, PreToolUseOutput
from bascule.wire.hooks import CALLED_BETWEEN, EVENTS, NEVER_CALLED
from bascule.wire.permissions import Allow, Deny

ASKED: Final = "Which one?"
REASON: Final = "The probe says no."

ASK: Final = HookOutput(specific=PreToolUseOutput(permission_decision="ask", reason=REASON))
DENY: Final = HookOutput(specific=PreToolUseOutput(permission_decision="deny", reason=REASON))


class Attempt(NamedTuple):
    """What became of a call that would leave a file."""

    asks: tuple[CanUseTool, ...]
    too_soon: bool
    """The file was there before anybody had answered."""
    made: bool
    """The file is there at the end."""
    turn: dialogue.Turn


async def allow(ask: CanUseTool) -> Answer:
    """As it was asked."""
    return Allow(updated_input=ask.input)


async def deny(ask: CanUseTool) -> Answer:
    """With a reason."""
    return Deny(message=REASON)


async def attempt(
    stage: Stage,
    talk: Dialogue,
    prompt: str,
    *,
    on_ask: OnAsk = refuse,
    hook: HookAnswer | None = None,
) -> Attempt:
    """Have the model call what the script says for ``prompt``, which leaves a file of the name ``mark(prompt)``."""
    file = stage.project / mark(prompt)
    asks: list[CanUseTool] = []
    seen: list[bool] = []

    async def asked(ask: CanUseTool) -> Answer | str | None:
        asks.append(ask)
        seen.append(file.exists())
        return await on_ask(ask)

    turn = await talk.turn(prompt, on_ask=asked, hooks={} if hook is None else {"PreToolUse": hook})
    return Attempt(tuple(asks), any(seen), file.exists(), turn)


def mark(prompt: str) -> str:
    """The name of the file that the call of ``prompt`` leaves."""
    return prompt.removeprefix("probe: ").replace(" ", "-")


def touch(prompt: str) -> Call:
    """A call that leaves the file of ``prompt``."""
    return call("Bash", command=f"touch {mark(prompt)}", description="Leave a mark")


def scripted(prompt: str, *steps: Call) -> Turn:
    """A turn with these calls, as often as it is asked for."""
    return turn(*steps, say("Done."), when=said(prompt))


def said(prompt: str) -> When:
    """A condition that holds when ``prompt`` is what was said last, and no other that begins like it."""
    return when(pattern=rf"{re.escape(prompt)}\Z")


def question() -> Call:
    """A call that asks the person something."""
    options = [{"label": label, "description": label} for label in ("this", "that")]
    return call(
        "AskUserQuestion",
        questions=[{"question": ASKED, "header": "Probe", "multiSelect": False, "options": options}],
    )


def hooks(events: Iterable[str] = EVENTS) -> Iterator[Hook]:
    """A callback for each event, by the event's name."""
    unseen = (*NEVER_CALLED, *CALLED_BETWEEN)
    return (Hook(event=event, callback_id=event) for event in events if event not in unseen)
