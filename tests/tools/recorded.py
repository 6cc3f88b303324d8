"""The tool calls of a recording: what the model asked for and what came back."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

from bascule.payload import Payload
from bascule.tools import describe, finish

RECORDINGS: Final = Path(__file__).parents[1] / "recordings"


class Recorded(NamedTuple):
    """One call with its result."""

    name: str
    input: Any
    content: Any
    result: Any
    is_error: bool

    @property
    def described(self) -> Payload:
        return describe(self.name, self.input)

    @property
    def finished(self) -> Payload:
        return finish(
            self.described, self.name, self.input, content=self.content, result=self.result, is_error=self.is_error
        )


def recorded(scenario: str, version: str = "2.1.332") -> list[Recorded]:
    """The calls of a scenario, in the order of their results."""
    return list(_calls(RECORDINGS / version / f"{scenario}.jsonl"))


def all_recorded() -> Iterator[Recorded]:
    """The calls of every recording."""
    for path in sorted(RECORDINGS.glob("*/*.jsonl")):
        yield from _calls(path)


def _calls(path: Path) -> Iterator[Recorded]:
    open_calls = {}
    for message in _messages(path):
        for block in message["message"]["content"]:
            match block:
                case {"type": "tool_use", "id": call_id, "name": name, "input": tool_input}:
                    open_calls[call_id] = (name, tool_input)
                case {"type": "tool_result", "tool_use_id": call_id} if call_id in open_calls:
                    is_error = block.get("is_error") is True
                    result = message.get("tool_use_result")
                    yield Recorded(*open_calls.pop(call_id), block.get("content"), result, is_error)


def _messages(path: Path) -> Iterator[dict[str, Any]]:
    for line in path.read_text().split("\n"):
        entry = json.loads(line) if line else {"dir": "none"}
        message: Any = json.loads(entry["line"]) if entry["dir"] == "out" else None
        match message:
            case {"type": "assistant" | "user", "message": {"content": list()}}:
                yield message
