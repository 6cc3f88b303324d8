"""What the parts of the options may be: each that cannot be raises ``OptionError``, and says what to do.

What the CLI would refuse in words is left to it; here is what it would drop without a word, or only after minutes.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from bascule.errors import OptionError
from bascule.ids import PromptId
from bascule.protocol.handshake import BLOCKABLE
from bascule.session.emulated import EMULATED
from bascule.session.hooks import UserHook
from bascule.transport.projects import is_id
from bascule.wire.hooks import EVENTS
from bascule.wire.initialize import Agent
from bascule.wire.permissions import MODES

LEAST_THINKING: Final = 1024
"""Tokens: the API takes no smaller bound."""
DISPLAYS: Final = ("summarized", "omitted", "highlights")
EFFORTS: Final = ("low", "medium", "high", "xhigh", "max")
MEMORIES: Final = ("user", "project", "local")
LEAST_WINDOW: Final = 100_000
"""Tokens: 2.1.332 drops all agents when one says less."""


def check_times(seconds: Mapping[str, float | None]) -> None:
    """Each is above 0, or None."""
    for name, value in seconds.items():
        if value is not None and not value > 0:
            raise OptionError(f"{name} is {value}: it must be a number of seconds above 0")


def check_thinking(thinking: str | int | None, display: str | None) -> None:
    """``thinking`` and ``thinking_display`` of the options."""
    if isinstance(thinking, int):
        if thinking < LEAST_THINKING:
            raise OptionError(f"thinking is {thinking}: give {LEAST_THINKING} tokens or more, or say 'disabled'")
    elif thinking not in (None, "adaptive", "disabled"):
        raise OptionError(f"thinking is {thinking!r}: say 'adaptive', 'disabled', or a number of tokens")
    if display not in (None, *DISPLAYS):
        raise OptionError(f"thinking_display is {display!r}: there are {', '.join(DISPLAYS)}")


def check_servers(names: Sequence[str]) -> None:
    """MCP servers, of all kinds."""
    for name in names:
        if not name.strip():
            raise OptionError("mcp_servers: a server needs a name")
        if names.count(name) > 1:
            raise OptionError(f"two MCP servers are called {name}: rename one of them")


def check_agents(agents: Mapping[str, Agent]) -> None:
    """Subagents. The CLI drops all of them, without a word, when it finds fault with one."""
    for name, agent in agents.items():
        for what, wrong in _faults(agent).items():
            if wrong:
                raise OptionError(f"agents: {name} needs {what}")


def _faults(agent: Agent) -> dict[str, bool]:
    effort, window = agent.effort, agent.auto_compact_window
    return {
        "a description": not agent.description.strip(),
        "a prompt": not agent.prompt.strip(),
        "a max_turns of 1 or more": agent.max_turns is not None and agent.max_turns < 1,
        f"a memory out of {', '.join(MEMORIES)}": agent.memory not in (None, *MEMORIES),
        f"a permission_mode out of {', '.join(MODES)}": agent.permission_mode not in (None, *MODES),
        f"an effort out of {', '.join(EFFORTS)}": isinstance(effort, str) and effort not in EFFORTS,
        f"an auto_compact_window of {LEAST_WINDOW} or more": window is not None and window < LEAST_WINDOW,
    }


def prompt_id_of(given: str | None) -> PromptId:
    """``given``, or a new one. A UUID, as the CLI documents it; it would take any text."""
    if given is not None and not is_id(given):
        raise OptionError(f"prompt_id is {given!r}: give a new UUID, or leave it out")
    return PromptId(given or str(uuid.uuid4()))


def check_hooks(hooks: Iterable[UserHook]) -> None:
    """Functions for hook events."""
    for hook in hooks:
        _check_hook(hook)


def _check_hook(hook: UserHook) -> None:
    if hook.event not in EVENTS:
        raise OptionError(f"hooks: there is no event {hook.event!r}; there are {', '.join(EVENTS)}")
    if not hook.timeout_s > 0:
        raise OptionError(f"hooks: timeout_s of {hook.event} is {hook.timeout_s}: it must be above 0")
    if hook.on_failure == "block" and hook.event not in BLOCKABLE:
        raise OptionError(
            f"hooks: a {hook.event} hook can stop nothing; those that can: {', '.join(sorted(BLOCKABLE))}"
        )
    if hook.event in EMULATED and hook.matcher is not None:
        _check_pattern(hook.event, hook.matcher)


def _check_pattern(event: str, pattern: str) -> None:
    try:
        re.compile("" if pattern == "*" else pattern)
    except re.error as exc:
        raise OptionError(f"hooks: matcher of {event} is {pattern!r}, which is no regular expression: {exc}") from exc
