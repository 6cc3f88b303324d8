"""One turn: from the prompts that it answers to its result.

The model is asked, its calls are run, their results go back, until it has nothing more to call. Whatever cuts the turn
(an interrupt, a denial that stops, a prompt that will not wait) says ``abort``, and the turn ends itself.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from typing import Any, Final, Literal, TypeAlias

from bascule.testing.fake_cli import answers
from bascule.testing.fake_cli.asking import Asking
from bascule.testing.fake_cli.calls import Call, Ended, Line, rejected, result_block
from bascule.testing.fake_cli.failure import Failure
from bascule.testing.fake_cli.heard import Prompt
from bascule.testing.fake_cli.message import Message, synthetic
from bascule.testing.fake_cli.said import new_uuid, now
from bascule.testing.fake_cli.talk import Hook, Talk
from bascule.testing.fake_cli.usage import Count

Cut: TypeAlias = Literal["interrupt", "now"]
"""Why a turn ends early: somebody wants it to stop, or a prompt with priority ``now`` wants its place."""

FOLDED: Final = (
    "The user sent a new message while you were working:\n{text}\n\nIMPORTANT: After completing your current task, you"
    " MUST address the user's message above."
)
DIAGNOSTIC: Final = "[ede_diagnostic] result_type=user last_content_type=n/a"
RESUME: Final = (
    "Your response above was cut off mid-stream. Resume directly from where it stops — no apology, no recap. If none of"
    " it survived, answer the request from the start."
)
INTERRUPTED: Final = "[Request interrupted by user]"
INTERRUPTED_CALLS: Final = "[Request interrupted by user for tool use]"


class Turn:
    """A turn that runs."""

    def __init__(self, talk: Talk, prompts: Sequence[Prompt]) -> None:
        self._talk = talk
        self._prompts = list(prompts)
        self._folded: list[Prompt] = []
        self._prompt_id = prompts[-1].uuid or new_uuid()
        self._began = time.monotonic()
        self._asking: Asking | None = None
        self._calls: list[Call] = []
        self._line = Line()
        self._cut: Cut | None = None
        self._denials: list[dict[str, Any]] = []
        self._steps = 1
        self._asked = 0
        self._count = Count()

    def abort(self, why: Cut) -> None:
        """Cut the turn short; said twice it does nothing more. Calls that run are waited for by ``now`` alone."""
        if self._cut is not None:
            return
        self._cut = why
        if why == "interrupt":
            self._talk.host.withdraw_all()
            self._talk.shell.kill()
        if self._asking is not None:
            self._asking.abort()

    async def run(self) -> None:
        """The whole turn; at its end the result has been said."""
        self._open()
        refusal = await self._refused_by_hook()
        if refusal is not None or not self._prompts[-1].asks_model:
            self._say_result("success", num_turns=0, is_error=False, result=refusal or "", stop_reason=None)
            return
        marks = self._uuids(self._prompts)
        while await self._step(marks):
            marks = []

    async def _step(self, marks: Sequence[str]) -> bool:
        """One message and what it calls; whether the turn goes on."""
        if self._cut is None:
            why = await self._ask(marks)
            if why is not None:
                self._fail(why)
                return False
        message = self._asking.message if self._asking else Message(self._talk, (), self._begin)
        if self._cut is not None:
            self._end_cut(message)
        elif self._asking is not None and self._asking.cut_off:
            self._steps += 1
            self._talk.say(self._talk.lines.user([{"type": "text", "text": RESUME}], isSynthetic=True))
            reminder = f"<system-reminder>\n{RESUME}\n</system-reminder>"
            self._talk.keep(new_uuid(), "user", [{"type": "text", "text": reminder}])
            return True
        elif self._calls:
            return self._goes_on(message)
        else:
            return await self._goes_on_after_stop(message)
        return False

    async def _ask(self, marks: Sequence[str]) -> Failure | None:
        self._calls, self._line = [], Line()
        self._asked += 1
        async with asyncio.TaskGroup() as self._tasks:
            self._asking = Asking(self._talk, marks, self._begin)
            why = await self._asking.run()
        self._count += self._asking.message.count
        return why

    def _begin(self, block: dict[str, Any]) -> None:
        """The model calls a tool: it runs while the message still streams."""
        call = Call(self._talk, block, self._prompt_id, lambda: self.abort("interrupt"))
        self._calls.append(call)
        self._tasks.create_task(self._run_call(call), name=f"call of {call.tool}")

    async def _run_call(self, call: Call) -> None:
        before, done = self._line.join(only_looks=call.only_looks)
        for other in before:
            await other.wait()
        ended = rejected() if self._cut is not None else await call.run(aborted=lambda: self._cut is not None)
        if not call.deferred:
            self._tell_end(call, ended)
        done.set()

    def _tell_end(self, call: Call, ended: Ended) -> None:
        meta = [{"id": call.id, **ended.meta}] if ended.meta and self._talk.version.tells_prompts else []
        fields = {"tool_use_result": ended.outcome.result, **({"tool_result_meta": meta} if meta else {})}
        self._tell([result_block(call, ended.outcome)], **fields)
        if ended.denied:
            denial = {"tool_name": call.tool, "tool_use_id": call.id, "tool_input": call.input}
            self._denials.append(denial)

    def _tell(self, content: list[Any], **fields: Any) -> None:
        self._steps += 1
        self._talk.told(content, **fields)

    def _open(self) -> None:
        """Members of a merged turn are echoed before ``init``, the whole of it after (11_burst)."""
        talk, last = self._talk, self._prompts[-1]
        for prompt in self._prompts[:-1]:
            self._echo(prompt.content, prompt.uuid)
        self._lifecycle(self._prompts, "started")
        talk.init()
        merged = [block for prompt in self._prompts for block in prompt.blocks]
        self._echo(merged if len(self._prompts) > 1 else last.content, last.uuid)
        talk.keep(last.uuid or new_uuid(), "user", merged)

    def _echo(self, content: list[Any] | str, uuid: str | None) -> None:
        if self._talk.flags.replay_user_messages:
            self._talk.say(self._talk.lines.echo(content, uuid))

    def _lifecycle(self, prompts: Sequence[Prompt], state: str) -> None:
        for prompt in prompts:
            self._talk.tell(self._talk.lines.lifecycle(prompt.uuid, state))

    def _uuids(self, prompts: Sequence[Prompt]) -> list[str]:
        return [prompt.uuid for prompt in prompts if prompt.uuid is not None]

    async def _refused_by_hook(self) -> str | None:
        """UserPromptSubmit hooks: a reason, if one of them blocks."""
        text = "\n".join(str(block.get("text", "")) for prompt in self._prompts for block in prompt.blocks)
        for hook in self._talk.hooks_for("UserPromptSubmit"):
            told = self._talk.hook_input("UserPromptSubmit", self._prompt_id, prompt=text)
            said = await self._hook_says(hook, told)
            if said.decision == "block":
                line = {"content": said.reason, "level": "warning", "prevent_continuation": True}
                self._talk.say(self._talk.lines.system("informational", **line))
                return said.reason
        return None

    async def _hook_says(self, hook: Hook, told: dict[str, Any]) -> answers.Said:
        response = await self._talk.call_hook(hook, told, None)
        event = str(told["hook_event_name"])
        return answers.Said() if isinstance(response, str) else answers.hook(response, event, self._talk.version)

    def _goes_on(self, message: Message) -> bool:
        """After the calls of a message: whether the model is asked again."""
        limit = self._talk.flags.max_turns
        deferred = next((call for call in self._calls if call.deferred), None)
        if deferred is not None:
            use = {"id": deferred.id, "name": deferred.tool, "input": deferred.input}
            ends: dict[str, Any] = {"stop_reason": "tool_deferred", "terminal_reason": "tool_deferred"}
            self._say_result("success", is_error=False, result="", deferred_tool_use=use, **ends)
        elif any(call.stops_turn for call in self._calls):
            ends = {"stop_reason": message.stop_reason, "terminal_reason": "hook_stopped"}
            self._say_result("success", is_error=False, result="", **ends)
        elif limit is not None and self._asked >= limit:
            ends = {"stop_reason": message.stop_reason, "terminal_reason": "max_turns"}
            errors = [f"Reached maximum number of turns ({limit})"]
            self._say_result("error_max_turns", is_error=True, errors=errors, **ends)
        else:
            self._fold()
            return True
        return False

    def _fold(self) -> None:
        """Prompts that came meanwhile go into this turn, unless they said ``later`` (11_during_text, 11_prio_later)."""
        for prompt in [prompt for prompt in self._talk.waiting if prompt.priority != "later"]:
            self._talk.waiting.remove(prompt)
            self._folded.append(prompt)
            self._echo(prompt.content, prompt.uuid)
            self._lifecycle([prompt], "started")
            text = "\n".join(str(block.get("text", "")) for block in prompt.blocks)
            folded = {"type": "text", "text": FOLDED.format(text=text)}
            self._talk.keep(prompt.uuid or new_uuid(), "user", [folded])

    async def _goes_on_after_stop(self, message: Message) -> bool:
        """The model has nothing to call: Stop hooks may send it on (06_stop_block_once), else this is the end."""
        active = any(prompt is _BLOCKED for prompt in self._folded)
        for hook in self._talk.hooks_for("Stop"):
            told = self._talk.hook_input(
                "Stop", self._prompt_id, stop_hook_active=active, last_assistant_message=message.text
            )
            said = await self._hook_says(hook, told)
            if said.decision == "block":
                self._tell([{"type": "text", "text": f"Stop hook feedback:\n{said.reason}"}], isSynthetic=True)
                self._folded.append(_BLOCKED)
                return True
        ends = {"stop_reason": message.stop_reason, "terminal_reason": "completed"}
        self._say_result("success", is_error=False, result=message.text, api_error_status=None, **ends)
        return False

    def _end_cut(self, message: Message) -> None:
        """10_*: what was said of the message stays, the model learns that it was interrupted."""
        in_calls = bool(self._calls)
        if self._asking is not None and message.stop_reason is None:
            message.abort()
        reason = "aborted_tools" if in_calls else "aborted_streaming"
        ends = {"stop_reason": message.stop_reason, "terminal_reason": reason}
        if self._cut == "now":
            self._say_result("success", is_error=False, result="", **ends)
            return
        self._tell([{"type": "text", "text": INTERRUPTED_CALLS if in_calls else INTERRUPTED}])
        if message.stop_reason is None:
            message.close(aborted=True)
        diagnostic = f"{DIAGNOSTIC} stop_reason={message.stop_reason or 'null'}"
        self._say_result("error_during_execution", is_error=True, errors=[diagnostic], **ends)

    def _fail(self, why: Failure) -> None:
        """An API error: said in the model's place, and a result with ``subtype: success`` that is an error (18_*)."""
        newer = self._talk.version.tells_prompts
        line = self._talk.lines.assistant(synthetic(why.words), (), timestamp=now(), **why.fields(newer=newer))
        self._talk.say(line)
        ends = {"stop_reason": "stop_sequence", "terminal_reason": self._talk.version.errors_end_in}
        self._say_result("success", is_error=True, result=why.words, api_error_status=why.status, **ends)

    def _say_result(self, subtype: str, *, is_error: bool, **fields: Any) -> None:
        talk = self._talk
        answered = [*self._prompts, *(prompt for prompt in self._folded if prompt is not _BLOCKED)]
        opening, folded = self._prompts, answered[len(self._prompts) :]
        self._lifecycle(folded, "cancelled" if self._cut else "completed")
        spent_ms = round((time.monotonic() - self._began) * 1000)
        result = {
            "subtype": subtype,
            "is_error": is_error,
            "duration_ms": spent_ms,
            "duration_api_ms": spent_ms,
            "num_turns": self._steps,
            "total_cost_usd": talk.ledger.cost_usd,
            "usage": self._count.as_usage(),
            "modelUsage": talk.ledger.model_usage(),
            "permission_denials": self._denials,
            **fields,
        }
        talk.say(talk.lines.result(talk.results, result, self._uuids(answered)))
        talk.results += 1
        talk.history.add_used(talk.ledger.by_model)
        talk.ended_in_error = is_error
        self._lifecycle(opening, "cancelled" if self._cut else "completed")


_BLOCKED: Final = Prompt(content="")
"""Stands among the folded prompts for the feedback of a Stop hook."""
