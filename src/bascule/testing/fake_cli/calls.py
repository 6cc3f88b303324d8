"""One tool call, from the model's block to its result: hooks, rights, the question to the host, the tool itself.

Calls that only look run beside each other; one that may change something waits for those before it, and those after it
wait for it (05_parallel_tools).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from bascule.testing.fake_cli import answers, people
from bascule.testing.fake_cli.answers import Allowed, Broken, Denied, Said
from bascule.testing.fake_cli.history import as_json
from bascule.testing.fake_cli.inputs import FIELDS, UNPARSED, fault
from bascule.testing.fake_cli.rights import reads_only
from bascule.testing.fake_cli.talk import Hook, Talk
from bascule.testing.fake_cli.tools import Outcome, failed, misused

REJECTED: Final = (
    "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the"
    " new_string was NOT written to the file). STOP what you are doing and wait for the user to tell you how to"
    " proceed."
)
STOPPED: Final = (
    f"{REJECTED} Correction to the text above: this call was stopped while running, not refused before it ran."
)
NOBODY: Final = (
    "Permission for this tool use was denied. It requires approval, and this session has no approval surface, so it was"
    " denied automatically."
)
LATE: Final = "PreToolUse hook did not respond before its timeout. The tool call was not executed."
MISDIRECTED: Final = (
    "PreToolUse hook failed with an unexpected error. The tool call was not executed; other configured hooks may not"
    " have completed."
)
_FAILURE: Final = "Hook callback {id} failed: the SDK host replied with an error or an invalid answer."


class Ended(NamedTuple):
    """How a call ended, and who saw to it."""

    outcome: Outcome
    meta: Mapping[str, Any] = {}
    """``tool_result_meta`` without the id."""
    denied: bool = False
    """It is listed in ``permission_denials``."""


class Line:
    """The calls of one message, in their order."""

    def __init__(self) -> None:
        self._before: list[tuple[bool, asyncio.Event]] = []

    def join(self, *, only_looks: bool) -> tuple[list[asyncio.Event], asyncio.Event]:
        """What a call has to wait for, and what it sets at its end."""
        done = asyncio.Event()
        wait_for = [event for looks, event in self._before if not (looks and only_looks)]
        self._before.append((only_looks, done))
        return wait_for, done


class Call:
    """A call that is under way."""

    def __init__(self, talk: Talk, block: Mapping[str, Any], prompt_id: str, stop: Callable[[], None]) -> None:
        self._talk = talk
        self._prompt_id = prompt_id
        self._stop = stop
        self.id = str(block["id"])
        self.tool = str(block["name"])
        self.input: dict[str, Any] = block["input"]
        self.stops_turn = False
        self.deferred = False

    @property
    def only_looks(self) -> bool:
        """It may run beside others."""
        return self.tool == "Read" or (self.tool == "Bash" and reads_only(str(self.input.get("command", ""))))

    async def run(self, *, aborted: Callable[[], bool]) -> Ended:
        """Everything up to the result; ``aborted``: the turn was cut, so that no tool is to start."""
        wrong = self._unusable()
        if wrong is not None:
            return Ended(wrong)
        said = await self._hooked()
        if isinstance(said, Ended):
            return said
        edited = said.input if said.input is not None else self.input
        ended = await self._permitted(said, edited)
        if isinstance(ended, Ended):
            return ended
        if aborted():
            return rejected()
        return await self._perform(*ended)

    def _unusable(self) -> Outcome | None:
        """A call of a tool that there is not, or with an input that does not fit (17_bad_tool)."""
        if UNPARSED in self.input:
            return misused(f"InputValidationError: {self.tool} was called with input that could not be parsed as JSON.")
        if self.tool not in self._talk.tools or self.tool not in FIELDS:
            return misused(f"Error: No such tool available: {self.tool}", result=_no_tool(self.tool))
        wrong = fault(self.tool, self.input)
        if wrong is not None:
            return misused(f"InputValidationError: {wrong}", result=f"InputValidationError: {wrong}")
        return people.out_of_place(self.tool, self._talk.rights.mode)

    async def _hooked(self) -> Said | Ended:
        """What the PreToolUse hooks say: the first denial counts, else the last opinion."""
        opinion = Said()
        for hook in self._talk.hooks_for("PreToolUse", self.tool):
            said = await self._one_hook(hook)
            if isinstance(said, Ended):
                return said
            self.stops_turn |= said.stops
            if said.decision is not None or said.input is not None:
                opinion = said
        return opinion

    async def _one_hook(self, hook: Hook) -> Said | Ended:
        told = self._talk.hook_input(
            "PreToolUse", self._prompt_id, tool_name=self.tool, tool_input=self.input, tool_use_id=self.id
        )
        response = await self._talk.call_hook(hook, told, self.id)
        if response == "withdrawn":
            return rejected()
        newer = self._talk.version.names_hook
        if isinstance(response, str):
            return Ended(failed(LATE) if newer else failed(answers.NO_REASON, result="Error: undefined"))
        said = answers.hook(response, "PreToolUse", self._talk.version)
        if said.misdirected:
            return Ended(failed(MISDIRECTED) if newer else failed(answers.NO_REASON, result="Error: undefined"))
        if said.failed:
            return self._hook_failed(hook)
        if said.system_message is not None and newer:
            words = f"PreToolUse:{self.tool} says: {said.system_message}"
            self._talk.say(self._talk.lines.system("informational", content=words, level="notice"))
        return self._hook_denied(said.reason) if said.decision == "deny" else said

    def _hook_failed(self, hook: Hook) -> Said | Ended:
        """Fail open: the answer counts as none. Only ``onFailure: block`` makes it a denial (07_hook_err_block)."""
        failure = _FAILURE.format(id=hook.callback_id)
        blocks = hook.blocks_on_failure and self._talk.version.blocks_on_failure
        self._talk.complain(f"Error in hook callback {hook.callback_id}: invalid answer")
        if self._talk.version.blocks_on_failure:
            counted = (
                'onFailure is "block", so this failure counts as a block.'
                if blocks
                else "Its answer was treated as empty."
            )
            line = {"content": f"PreToolUse: {failure} {counted}", "level": "warning", "tag": "hook_callback_failed"}
            self._talk.say(self._talk.lines.system("informational", **line))
        if not blocks:
            return Said()
        return self._hook_denied(f'[callback]: failed; blocking because onFailure is "block"\n{failure}')

    def _hook_denied(self, reason: str) -> Ended:
        prefix = f"PreToolUse:{self.tool} hook error: " if self._talk.version.names_hook else ""
        meta = _meta("reject", "hook", "hook")
        return Ended(failed(f"{prefix}{reason}"), {"non_execution_kind": "permission-rule", **meta}, denied=True)

    async def _permitted(
        self, said: Said, tool_input: dict[str, Any]
    ) -> tuple[dict[str, Any], Mapping[str, Any]] | Ended:
        """The input to run with, and who allowed it; or the end of the call."""
        if said.decision == "defer":
            self.deferred = True
            return Ended(Outcome(content="", result=None))
        verdict = self._talk.rights.verdict(self.tool, tool_input)
        if said.decision == "ask" or (people.needs(self.tool) and verdict != "deny"):
            verdict = "ask" if self._talk.rights.may_ask else "deny"
        elif said.decision == "allow":
            return tool_input, _meta("accept", "hook", "hook")
        if verdict == "run":
            return tool_input, _meta("accept", "config", "mode")
        return self._nobody() if verdict == "deny" else await self._ask(said, tool_input)

    def _nobody(self) -> Ended:
        if self._talk.version.tells_prompts:
            line = {"tool_name": self.tool, "tool_use_id": self.id, "message": NOBODY}
            self._talk.say(self._talk.lines.system("permission_denied", **line))
        return Ended(failed(NOBODY), {"non_execution_kind": "permission-rule"}, denied=True)

    async def _ask(self, said: Said, tool_input: dict[str, Any]) -> tuple[dict[str, Any], Mapping[str, Any]] | Ended:
        self._talk.asking += 1
        self._talk.change_state("requires_action")
        shown = people.plan_input(self.tool, tool_input, self._talk)
        response = await self._talk.host.ask(self._question(said, shown))
        self._talk.asking -= 1
        if not self._talk.asking:
            self._talk.change_state("running")
        if response == "withdrawn":
            return rejected(denied=True)
        if isinstance(response, str):
            return self._refused(answers.CLOSED)
        return self._answered(answers.permission(response, self._talk.version), tool_input)

    def _question(self, said: Said, tool_input: dict[str, Any]) -> dict[str, Any]:
        question: dict[str, Any] = {
            "subtype": "can_use_tool",
            "tool_name": self.tool,
            "display_name": self.tool,
            "input": tool_input,
        }
        if description := tool_input.get("description", tool_input.get("file_path")):
            question["description"] = description
        if said.decision == "ask":
            question |= {"decision_reason": said.reason, "decision_reason_type": "hook"}
        elif people.needs(self.tool):
            question |= {"requires_user_interaction": True} if self._talk.version.tells_prompts else {}
        else:
            question["permission_suggestions"] = self._talk.rights.suggestions(self.tool, tool_input)
        return {**question, "tool_use_id": self.id}

    def _answered(
        self, answer: answers.Permission, tool_input: dict[str, Any]
    ) -> tuple[dict[str, Any], Mapping[str, Any]] | Ended:
        match answer:
            case Broken(words=words):
                return self._refused(words)
            case Denied(interrupt=True):
                self._stop()
                return rejected(denied=True)
            case Denied(message=message):
                meta = {"non_execution_kind": "permission-rule", **_meta("reject", "user_reject")}
                return Ended(failed(message), meta, denied=True)
            case Allowed(input=edited, updates=updates):
                for mode in filter(None, map(self._talk.rights.apply, updates)):
                    self._talk.change_mode(mode)
                return tool_input if edited is None else edited, _meta("accept", "user_temporary")

    def _refused(self, words: str) -> Ended:
        meta = {"non_execution_kind": "permission-rule", **_meta("reject", "config", "other")}
        return Ended(failed(words), meta, denied=True)

    async def _perform(self, tool_input: dict[str, Any], meta: Mapping[str, Any]) -> Ended:
        wrong = fault(self.tool, tool_input)
        if wrong is not None:
            words = (
                f"The permission handler returned updatedInput for {self.tool} that failed schema validation: {wrong}"
            )
            result = f"InputValidationError: permission handler updatedInput failed schema for {self.tool}"
            return Ended(misused(words, result=result), _meta("reject", "permission_updated_input_invalid"))
        outcome = await self._tool(tool_input)
        if outcome is None:
            return Ended(failed(STOPPED, result="User rejected tool use"), {"non_execution_kind": "user-rejected"})
        await self._report(tool_input, outcome)
        return Ended(outcome, meta)

    async def _tool(self, tool_input: dict[str, Any]) -> Outcome | None:
        match self.tool:
            case "Bash" if tool_input.get("run_in_background"):
                return failed("fake claude: background commands are not played; use the real CLI for them")
            case "Bash":
                timeout_ms = tool_input.get("timeout")
                return await self._talk.shell.run(tool_input["command"], timeout_ms and timeout_ms / 1000)
            case "Read":
                return self._talk.files.read(tool_input)
            case "Write":
                return self._talk.files.write(tool_input)
            case "Edit":
                return self._talk.files.edit(tool_input)
            case _:
                return people.answer(self.tool, tool_input, self.input, self._talk)

    async def _report(self, tool_input: dict[str, Any], outcome: Outcome) -> None:
        """PostToolUse hooks are told; what they answer changes nothing here."""
        for hook in self._talk.hooks_for("PostToolUse", self.tool):
            told = self._talk.hook_input(
                "PostToolUse",
                self._prompt_id,
                tool_name=self.tool,
                tool_input=tool_input,
                tool_response=outcome.result,
                tool_use_id=self.id,
            )
            await self._talk.call_hook(hook, told, self.id)


def rejected(*, denied: bool = False) -> Ended:
    """The turn was cut before the call ran."""
    meta = {"non_execution_kind": "user-rejected"}
    return Ended(failed(REJECTED, result="User rejected tool use"), meta, denied=denied)


def result_block(call: Call, outcome: Outcome) -> dict[str, Any]:
    """What the model reads of a call's end."""
    block: dict[str, Any] = {"tool_use_id": call.id, "type": "tool_result", "content": as_json(outcome.content)}
    return block if outcome.is_error is None else {**block, "is_error": outcome.is_error}


def _meta(decision: str, source: str, reason_type: str | None = None) -> dict[str, Any]:
    permission = {"decision": decision, "source": source, **({"reason_type": reason_type} if reason_type else {})}
    return {"permission_decision": permission}


def _no_tool(tool: str) -> str:
    return f"Error: No such tool available: {tool}"
