"""The CLI at the far end of a MemoryPipe: it says what CLI 2.1.332 says, when the test tells it to.

What it does by itself is what the CLI always does at once: it answers requests of ours. Turns are the test's.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from bascule.recording import Entry
from bascule.testing.memory import MemoryPipe

SESSION = "11111111-1111-4111-8111-111111111111"


class FarEnd:
    """`pipe` is for the session; everything else is for the test."""

    def __init__(
        self,
        *argv: str,
        speaks_197: bool = False,
        ends_at_eof: bool = True,
        ignores: Iterable[int] = (),
        recorded: Sequence[Entry] = (),
    ) -> None:
        self.pipe = MemoryPipe(
            answer=self._answer,
            at_eof=lambda: map(json.dumps, self.last_words),
            argv=() if recorded else ("claude", "--replay-user-messages", *argv),
            ends_at_eof=ends_at_eof,
            ignores=ignores,
            recorded=recorded,
        )
        self.last_words: list[dict[str, Any]] = []
        """What it says when its stdin was closed."""
        self.speaks_197 = speaks_197
        self.still_queued: list[str] = []
        """What the receipt of an interrupt says."""
        self.silent_about: set[str] = set()
        """Requests of ours that it does not answer."""
        self.refuses: dict[str, str] = {}
        self.answers: dict[str, dict[str, Any] | None] = {}
        """By subtype, what it answers in place of what it would."""
        self.heard: list[dict[str, Any]] = []
        """What the session wrote, decoded."""
        self.on_interrupt: Callable[[], None] = self._abort
        """What happens just after an interrupt was acknowledged: the running turn ends."""
        self._running = False
        self._answered: set[str] = set()
        self._ids = iter(range(1, 1000))

    def of(self, type_: str) -> list[dict[str, Any]]:
        """The lines of this type that the session wrote."""
        return [line for line in self.heard if line["type"] == type_]

    def requests(self, subtype: str) -> list[dict[str, Any]]:
        """The requests of this subtype that the session wrote."""
        return [line["request"] for line in self.of("control_request") if line["request"]["subtype"] == subtype]

    def answer(self, request_id: str) -> dict[str, Any] | None:
        """What the session answered to a request; None while it has not."""
        found = [line["response"] for line in self.of("control_response")]
        return next((answer for answer in found if answer["request_id"] == request_id), None)

    async def answered(self, request_id: str) -> dict[str, Any]:
        """What the session answered to a request, as soon as it has."""
        while (answer := self.answer(request_id)) is None:
            await self.pipe.hear()
        return answer

    async def asked(self, subtype: str, *, times: int = 1) -> None:
        """Returns when the session has made so many requests of this subtype."""
        while len(self.requests(subtype)) < times:
            await self.pipe.hear()

    def says(self, *messages: dict[str, Any]) -> None:
        """Write lines."""
        self.pipe.says(*(json.dumps(message) for message in messages))

    def init(self, **more: Any) -> None:
        """The start of a turn."""
        self._running = True
        self.says(
            {
                "type": "system",
                "subtype": "init",
                "session_id": SESSION,
                "cwd": "/w",
                "model": "opus",
                "permissionMode": "default",
                "claude_code_version": "2.1.197" if self.speaks_197 else "2.1.332",
                "tools": [],
                **more,
            }
        )

    def begins(self, *uuids: str) -> None:
        """A turn takes these prompts; all but the last are echoed before its start (11_burst)."""
        self.echoes(*uuids[:-1])
        if not self.speaks_197:
            self.says(*({"type": "command_lifecycle", "command_uuid": uuid, "state": "started"} for uuid in uuids))
        self.init()
        self.echoes(*uuids[-1:])

    def echoes(self, *uuids: str) -> None:
        """Prompts come back."""
        for uuid in uuids:
            content = next((line["message"]["content"] for line in self.of("user") if line["uuid"] == uuid), "")
            self.says({"type": "user", "uuid": uuid, "isReplay": True, "message": {"role": "user", "content": content}})

    def text(self, text: str) -> None:
        """A message of the model."""
        message = {"id": f"msg_{next(self._ids)}", "role": "assistant", "content": [{"type": "text", "text": text}]}
        self.says({"type": "assistant", "uuid": f"a{next(self._ids)}", "session_id": SESSION, "message": message})

    def result(self, *uuids: str, **more: Any) -> None:
        """The end of a turn that these prompts are answered by."""
        self._running = False
        self._answered.update(uuids or (line["uuid"] for line in self.of("user")))
        result = {"type": "result", "subtype": "success", "is_error": False, "session_id": SESSION, "num_turns": 1}
        named = {} if self.speaks_197 else {"user_message_uuids": list(uuids)}
        self.says({**result, "result": "done", "total_cost_usd": 0.1, **named, **more})

    def aborts(self, *uuids: str) -> None:
        """The end of a turn that was interrupted."""
        aborted = {"subtype": "error_during_execution", "is_error": True, "terminal_reason": "aborted_streaming"}
        self.result(*uuids, **aborted, result=None)

    def turn(self, *uuids: str, text: str = "Hello.") -> None:
        """A whole turn."""
        self.begins(*uuids)
        self.text(text)
        self.result(*uuids)

    def lifecycle(self, uuid: str, state: str) -> None:
        """Where a prompt stands."""
        self.says({"type": "command_lifecycle", "command_uuid": uuid, "state": state})

    def starts(self, task_id: str, kind: str) -> None:
        """Something runs beside the turns."""
        self.says({"type": "system", "subtype": "task_started", "task_id": task_id, "task_type": kind})

    def ends(self, task_id: str) -> None:
        """It does not any more."""
        self.says({"type": "system", "subtype": "task_notification", "task_id": task_id, "status": "completed"})

    def asks(self, request_id: str, tool: str = "Bash", *, call: str = "t1", **tool_input: Any) -> None:
        """May this run?"""
        body = {"subtype": "can_use_tool", "tool_name": tool, "input": tool_input, "tool_use_id": call}
        self.requests_of(request_id, body)

    def calls_hook(self, request_id: str, callback_id: str, event: str, **told: Any) -> None:
        """A hook fires."""
        body = {"hook_event_name": event, "session_id": SESSION, "permission_mode": "default", **told}
        self.requests_of(
            request_id,
            {
                "subtype": "hook_callback",
                "callback_id": callback_id,
                "input": body,
                "tool_use_id": told.get("tool_use_id"),
            },
        )

    def requests_of(self, request_id: str, body: dict[str, Any]) -> None:
        """Any request."""
        self.says({"type": "control_request", "request_id": request_id, "request": body})

    def says_to(self, server: str, request_id: str, method: str, *, id: int | None = 1, **params: Any) -> None:
        """A JSON-RPC message for a server that lives with the host; a notification without `id`."""
        message = {"jsonrpc": "2.0", "method": method, "params": params, **({} if id is None else {"id": id})}
        self.requests_of(request_id, {"subtype": "mcp_message", "server_name": server, "message": message})

    def withdraws(self, request_id: str) -> None:
        """It needs no answer any more."""
        self.says({"type": "control_cancel_request", "request_id": request_id})

    def _abort(self) -> None:
        open_prompts = [line["uuid"] for line in self.of("user") if line["uuid"] not in self._answered]
        if self._running or open_prompts:
            self.aborts(*open_prompts)

    def _answer(self, line: str) -> Iterator[str]:
        message = json.loads(line)
        self.heard.append(message)
        if message["type"] == "control_request" and message["request"]["subtype"] not in self.silent_about:
            yield json.dumps({"type": "control_response", "response": self._response(message)})
            if message["request"]["subtype"] == "interrupt":
                self.on_interrupt()

    def _response(self, message: dict[str, Any]) -> dict[str, Any]:
        request_id, subtype = message["request_id"], message["request"]["subtype"]
        if code := self.refuses.get(subtype):
            return {"subtype": "error", "request_id": request_id, **self._refusal(subtype, code)}
        body = self.answers[subtype] if subtype in self.answers else self._body(subtype, message["request"])
        return {"subtype": "success", "request_id": request_id, **({} if body is None else {"response": body})}

    def _refusal(self, subtype: str, code: str) -> dict[str, Any]:
        if code == "unsupported_request" and self.speaks_197:
            return {"error": f"Unsupported control request subtype: {subtype}"}
        return {"error": f"no: {code}", "error_code": code}

    def _body(self, subtype: str, request: dict[str, Any]) -> dict[str, Any] | None:
        match subtype:
            case "initialize" if self.speaks_197:
                return {"commands": [], "models": []}
            case "initialize":
                told = {"claude_code_version": "2.1.332", "hook_on_failure_supported": True, "capabilities": ["x"]}
                parked = dict.fromkeys(request.get("sdkMcpServerManifests", {}), "parked")
                return {"commands": [], "models": [], **told, "sdk_mcp_manifests_parked": parked}
            case "interrupt":
                return None if self.speaks_197 else {"still_queued": self.still_queued}
            case "set_permission_mode":
                return {"mode": request["mode"]}
            case "cancel_async_message":
                return {"cancelled": True}
        return None
