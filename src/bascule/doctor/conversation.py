"""The long scene of the probe: one process, every hook registered, a turn for each thing that a session depends on."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from bascule.demo.script import Script, call, fail, say, think, turn
from bascule.doctor.attempt import (
    ASK,
    ASKED,
    DENY,
    REASON,
    Attempt,
    allow,
    attempt,
    deny,
    hooks,
    mark,
    question,
    said,
    scripted,
    touch,
)
from bascule.doctor.dialogue import Dialogue
from bascule.doctor.requests import harmless
from bascule.doctor.stage import Scene, Stage
from bascule.protocol.handshake import hello
from bascule.wire.answers import Initialized, Interrupted, ModelSet, read
from bascule.wire.control import Answer, CanUseTool, Failed, Succeeded
from bascule.wire.messages import Assistant, ConversationReset
from bascule.wire.permissions import Allow, Deny, SetMode
from bascule.wire.requests import Interrupt, SetModel, SetPermissionMode
from bascule.wire.result import Result
from bascule.wire.stream import BlockDelta, MessageStop, StreamEvent, TextDelta
from bascule.wire.system import ApiRetry, HookStarted, Init

PLAIN: Final = "probe: text"
WRITE: Final = "probe: write"
EDIT: Final = "probe: edit"
HOOK_ASKS: Final = "probe: hook asks"
HOOK_DENIES: Final = "probe: hook denies"
BARE: Final = "probe: allow without input"
QUESTION: Final = "probe: question"
IN_PLAN: Final = "probe: plan mode"
PLAN: Final = "probe: plan"
MODEL: Final = "probe: other model"
CUT: Final = "probe: interrupt"
FAILURE: Final = "probe: API errors"
UNKNOWN_COMMAND: Final = "/bascule-probe-no-such-command"
CLEAR: Final = "/clear"
ANEW: Final = "probe: after clear"

NO_MODE: Final = "bascule-probe-no-such-mode"


def _script(project: Path) -> Script:
    edit = call("Write", file_path=str(project / mark(EDIT)), content="made by a probe\n")
    return Script(
        turn(think("Let me see."), say("A text."), when=said(PLAIN)),
        *(scripted(prompt, touch(prompt)) for prompt in (WRITE, HOOK_ASKS, HOOK_DENIES, BARE, IN_PLAN, MODEL)),
        scripted(EDIT, edit),
        scripted(QUESTION, question()),
        scripted(PLAN, call("ExitPlanMode", plan="1. Nothing.")),
        turn(say("word " * 400, chunk=5, delay_s=0.05), when=said(CUT)),
        turn(say("Anew."), when=said(ANEW)),
        turn(fail(500), fail(400), when=said(FAILURE)),
    )


async def _play(stage: Stage) -> None:
    command = {"type": "command", "command": "true"}
    stage.settings(hooks={"SessionStart": [{"hooks": [command]}]})
    async with stage.talk() as talk:
        for step in (_hello, _text, _writes, _hooks_decide, _bare_allow, _asks_a_person, _plans, _models, _modes):
            await step(stage, talk)
        for step in (_commands, _requests, _interrupts, _fails, _clears):
            await step(stage, talk)
        talk.hang_up()
        exit = await talk.ended()
        stage.saw("end.of_input", "ends well" if exit.code == 0 else f"ends with {exit.signal or exit.code}")


async def _hello(stage: Stage, talk: Dialogue) -> None:
    answer = await talk.request(hello(hooks()))
    if isinstance(answer, Failed):
        stage.saw("start.handshake", f"refuses: {answer.error}")
        return
    stage.saw("start.handshake", "takes it")
    before = any(isinstance(message, HookStarted) for message in talk.log)
    stage.saw("start.session_hooks", "before" if before else "after")
    told = read(answer.response, Initialized)
    stage.saw("hook.on_failure_told", "told" if told.hook_on_failure_supported else "silent")


async def _text(stage: Stage, talk: Dialogue) -> None:
    said = await talk.turn(PLAIN)
    stage.saw("turn.init", "each turn" if said.all(Init) else "none")
    stage.saw("turn.text", "told" if said.result.result == "A text." else f"told as {said.result.result!r}")


async def _writes(stage: Stage, talk: Dialogue) -> None:
    for trait, prompt in (("ask.command", WRITE), ("ask.file", EDIT)):
        tried = await attempt(stage, talk, prompt, on_ask=allow)
        stage.saw(trait, _asked(tried))


def _asked(tried: Attempt) -> str:
    """How a call fared that was allowed when it was asked about."""
    if tried.made and (tried.too_soon or not tried.asks):
        return "runs unasked"
    if not tried.asks:
        return "never asks"
    return "asks" if tried.made else "asks and does not run"


async def _hooks_decide(stage: Stage, talk: Dialogue) -> None:
    tried = await attempt(stage, talk, HOOK_ASKS, on_ask=deny, hook=ASK)
    stage.saw("hook.ask", "asks" if tried.asks and not tried.made else "runs unasked" if tried.made else "never asks")
    stage.saw("ask.deny", "holds" if tried.asks and not tried.made else "runs all the same")
    tried = await attempt(stage, talk, HOOK_DENIES, on_ask=allow, hook=DENY)
    stage.saw("hook.deny", "runs all the same" if tried.made else "holds")
    told = "\n".join(result.text for asked in stage.model.asked for result in asked.results if REASON in result.text)
    stage.saw("hook.deny_text", "named" if "PreToolUse:" in told else "bare")


async def _bare_allow(stage: Stage, talk: Dialogue) -> None:
    async def bare(ask: CanUseTool) -> str:
        return '{"behavior":"allow"}'

    tried = await attempt(stage, talk, BARE, on_ask=bare)
    stage.saw("ask.bare_allow", "runs" if tried.made else "fails")


async def _asks_a_person(stage: Stage, talk: Dialogue) -> None:
    async def answer(ask: CanUseTool) -> Answer:
        return Allow(updated_input={**ask.input, "answers": {ASKED: "that"}})

    tried = await attempt(stage, talk, QUESTION, on_ask=answer)
    told = [result.text for asked in stage.model.asked for result in asked.results if ASKED in result.text]
    stage.saw("ask.question", "answers" if tried.asks and told and "that" in told[-1] else "unanswered")


async def _plans(stage: Stage, talk: Dialogue) -> None:
    """The mode is the CLI's own plan mode; the approval leaves it."""
    await talk.request(SetPermissionMode(mode="plan"))
    tried = await attempt(stage, talk, IN_PLAN, on_ask=deny)
    stage.saw("plan.command", "runs" if tried.made else "asks" if tried.asks else "refused")
    approved = SetMode(mode="default", destination="session")

    async def approve(ask: CanUseTool) -> Answer:
        return Allow(updated_input=ask.input, updated_permissions=(approved,))

    tried = await attempt(stage, talk, PLAN, on_ask=approve)
    stage.saw("ask.plan", "asks" if tried.asks else "never asks")
    if tried.asks:
        stage.saw("plan.inline", "passed on" if "plan" in tried.asks[0].input else "left out")


async def _models(stage: Stage, talk: Dialogue) -> None:
    """While a call waits for its permission, the model is changed: from which request to the API on?"""
    acks: list[Succeeded | Failed] = []

    async def change(ask: CanUseTool) -> Answer:
        acks.append(await talk.request(SetModel(model="haiku")))
        return Deny(message=REASON)

    before = len(stage.model.asked)
    await attempt(stage, talk, MODEL, on_ask=change)
    models = [asked.model for asked in stage.model.asked[before:]]
    if acks:
        ack = acks[0]
        told = isinstance(ack, Succeeded) and read(ack.response, ModelSet).model is not None
        stage.saw("model.ack", "told" if told else "silent")
    stage.saw("model.effect", "next call" if len(set(models)) > 1 else "next turn")


async def _modes(stage: Stage, talk: Dialogue) -> None:
    answer = await talk.request(SetPermissionMode(mode=NO_MODE))
    stage.saw("mode.unknown", "refused" if isinstance(answer, Failed) else "acknowledged")
    await talk.request(SetPermissionMode(mode="default"))


async def _commands(stage: Stage, talk: Dialogue) -> None:
    before = len(stage.model.asked)
    await talk.turn(UNKNOWN_COMMAND)
    stage.saw("command.unknown", "to the model" if len(stage.model.asked) > before else "answered by itself")


async def _requests(stage: Stage, talk: Dialogue) -> None:
    """Each request that changes nothing outside of this scene; which are known is read from the answers."""
    for body in harmless(stage.project):
        await talk.request(body)


async def _interrupts(stage: Stage, talk: Dialogue) -> None:
    begun = len(talk.log)
    talk.prompt(CUT)
    await talk.until(StreamEvent, _is_text, "the first piece of a text")
    receipt = await talk.request(Interrupt())
    told = isinstance(receipt, Succeeded) and read(receipt.response, Interrupted).still_queued is not None
    stage.saw("interrupt.receipt", "told" if told else "silent")
    result = await talk.until(Result)
    stage.saw("interrupt.stops", "stops" if result.terminal_reason == "aborted_streaming" else "goes on")
    since = talk.log[begun:]
    marked = any(isinstance(message, Assistant) and message.aborted for message in since)
    stage.saw("interrupt.partial", "marked" if marked else "unmarked")
    closed = any(isinstance(message, StreamEvent) and isinstance(message.event, MessageStop) for message in since)
    stage.saw("interrupt.stream", "closed" if closed else "dangling")


def _is_text(message: StreamEvent) -> bool:
    return isinstance(message.event, BlockDelta) and isinstance(message.event.delta, TextDelta)


async def _fails(stage: Stage, talk: Dialogue) -> None:
    said = await talk.turn(FAILURE)
    delays = [retry.retry_delay_ms for retry in said.all(ApiRetry)]
    if delays:
        stage.saw("retry.delay", "fractions" if any(isinstance(delay, float) for delay in delays) else "whole")
    stage.saw("error.is_error", "told" if said.result.is_error else "hidden")
    stage.saw("error.reason", str(said.result.terminal_reason))


async def _clears(stage: Stage, talk: Dialogue) -> None:
    cleared = await talk.turn(CLEAR)
    stage.saw("clear.line", "reset" if cleared.all(ConversationReset) else "empty text")
    anew = await talk.turn(ANEW)
    before, after = cleared.result.total_cost_usd or 0, anew.result.total_cost_usd or 0
    stage.saw("clear.cost", "from zero" if after < before or before == 0 else "goes on")


CONVERSATION: Final = Scene("conversation", _script, _play)
