"""Lines of the CLI and of the host, as short as a test can read them."""

from __future__ import annotations

import json
from typing import Any, TypeVar

from bascule import recording
from bascule.events import AnyEvent, Event
from bascule.ids import SessionId
from bascule.recording import Dir, Entry, Note
from bascule.transcript import Fold

E = TypeVar("E", bound=Event)

ARGV = json.dumps(["-p", "--replay-user-messages", "--permission-mode=default"])


class Told:
    """A fold, and what it told so far. Each line comes a tenth of a second after the one before."""

    def __init__(self, argv: str | None = ARGV) -> None:
        self.fold = Fold(SessionId("s"))
        self.events: list[AnyEvent] = []
        self._t = 0.0
        if argv is not None:
            self.line("argv", argv)

    def line(self, direction: Dir, line: str) -> list[AnyEvent]:
        """Any entry."""
        self._t += 0.1
        told = self.fold.feed(Entry(self._t, direction, line))
        self.events += told
        return told

    def out(self, type: str, **fields: Any) -> list[AnyEvent]:
        """A line of the CLI."""
        return self.line("out", json.dumps({"type": type, **fields}))

    def system(self, subtype: str, **fields: Any) -> list[AnyEvent]:
        """A system line of the CLI."""
        return self.out("system", subtype=subtype, **fields)

    def ours(self, type: str, **fields: Any) -> list[AnyEvent]:
        """A line to the CLI."""
        return self.line("in", json.dumps({"type": type, **fields}))

    def note(self, value: Note) -> list[AnyEvent]:
        """A note of ours."""
        return self.line("note", recording.note(value))

    def prompt(self, text: str = "hi", uuid: str | None = "p1", **fields: Any) -> list[AnyEvent]:
        """A prompt of ours."""
        named = {} if uuid is None else {"uuid": uuid}
        return self.ours("user", message={"role": "user", "content": text}, **named, **fields)

    def init(self, **fields: Any) -> list[AnyEvent]:
        """The start of a turn."""
        return self.system("init", **({"session_id": "c1", "model": "m", "permissionMode": "default"} | fields))

    def says(
        self, *blocks: dict[str, Any], id: str = "msg", parent: str | None = None, **fields: Any
    ) -> list[AnyEvent]:
        """The assistant speaks."""
        message = {"id": id, "model": "m", "content": list(blocks), "usage": {"input_tokens": 5, "output_tokens": 1}}
        return self.out("assistant", message=message, parent_tool_use_id=parent, **fields)

    def calls(
        self, call: str = "t1", name: str = "Bash", parent: str | None = None, **tool_input: Any
    ) -> list[AnyEvent]:
        """The assistant calls a tool."""
        block = {"type": "tool_use", "id": call, "name": name, "input": tool_input or {"command": "ls"}}
        return self.says(block, id=f"msg-{call}", parent=parent, uuid=f"uuid-{call}")

    def tool_result(self, call: str = "t1", content: Any = "ok", **fields: Any) -> list[AnyEvent]:
        """A tool gave its result."""
        block = {"type": "tool_result", "tool_use_id": call, "content": content}
        if fields.pop("is_error", False):
            block["is_error"] = True
        return self.out("user", message={"role": "user", "content": [block]}, **fields)

    def asks(self, request: str = "r1", call: str = "t1", name: str = "Bash", **fields: Any) -> list[AnyEvent]:
        """The CLI asks for permission."""
        asked = {"subtype": "can_use_tool", "tool_name": name, "input": {"command": "ls"}, "tool_use_id": call} | fields
        return self.out("control_request", request_id=request, request=asked)

    def answers(self, answer: Any, request: str = "r1") -> list[AnyEvent]:
        """We answer a request of the CLI's."""
        return self.ours("control_response", response={"subtype": "success", "request_id": request, "response": answer})

    def requests(self, subtype: str, request: str = "q1", **fields: Any) -> list[AnyEvent]:
        """We ask something of the CLI."""
        return self.ours("control_request", request_id=request, request={"subtype": subtype, **fields})

    def answered(self, answer: Any = None, request: str = "q1", **fields: Any) -> list[AnyEvent]:
        """The CLI answers a request of ours."""
        response = {"subtype": "success", "request_id": request, **fields}
        if answer is not None:
            response["response"] = answer
        return self.out("control_response", response=response)

    def result(self, **fields: Any) -> list[AnyEvent]:
        """The end of a turn."""
        return self.out("result", **({"subtype": "success", "is_error": False, "num_turns": 1} | fields))

    def all(self, kind: type[E]) -> list[E]:
        """All events of a kind."""
        return [event for event in self.events if isinstance(event, kind)]

    def one(self, kind: type[E]) -> E:
        """The only event of a kind."""
        (event,) = self.all(kind)
        return event
