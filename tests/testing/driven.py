"""A CLI driven by its bare lines, fake or real: what is written, what comes back, how it ends."""

import json
import os
import queue
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Final

Line = dict[str, Any]

FLAGS: Final = (
    "-p",
    "--output-format=stream-json",
    "--input-format=stream-json",
    "--verbose",
    "--permission-prompt-tool=stdio",
)
PATIENCE_S: Final = 20.0
GRACE_S: Final = 1.0


def measured() -> dict[str, str]:
    """What a process of ours needs in its environment for its lines to be counted, where they are."""
    return {name: value for name, value in os.environ.items() if name.startswith("COVERAGE_")}


class Driven:
    """A process; use it in a `with` block, which leaves nothing behind."""

    def __init__(self, cli: Path, env: Mapping[str, str], cwd: Path, *flags: str, mode: str | None = "default") -> None:
        given = [*FLAGS, *([f"--permission-mode={mode}"] if mode else []), *flags]
        self.process = subprocess.Popen(
            [cli, *given], cwd=cwd, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        self.lines: list[Line] = []
        self.stderr = b""
        self._come: queue.SimpleQueue[Line | None] = queue.SimpleQueue()
        self._readers = [threading.Thread(target=self._read_out), threading.Thread(target=self._read_err)]
        for reader in self._readers:
            reader.start()

    def __enter__(self) -> "Driven":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if error is None:
            self._let_go()
        self.process.kill()
        self.process.wait()
        for reader in self._readers:
            reader.join()
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            if pipe is not None:
                try:
                    pipe.close()
                except BrokenPipeError:
                    continue

    def _let_go(self) -> None:
        """A process that has nothing more to do ends by itself, and its lines are counted."""
        assert self.process.stdin is not None
        try:
            self.process.stdin.close()
            self.process.wait(GRACE_S)
        except (BrokenPipeError, subprocess.TimeoutExpired):
            return

    def _read_out(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._come.put(json.loads(line))
        self._come.put(None)

    def _read_err(self) -> None:
        assert self.process.stderr is not None
        self.stderr = self.process.stderr.read()

    def raw(self, text: str) -> None:
        """Writes a line as it is."""
        assert self.process.stdin is not None
        self.process.stdin.write(text.encode() + b"\n")
        self.process.stdin.flush()

    def say(self, **line: Any) -> None:
        """Writes a line."""
        self.raw(json.dumps(line))

    def prompt(self, text: str, uuid: str | None = None, **fields: Any) -> None:
        named = {} if uuid is None else {"uuid": uuid}
        self.say(type="user", message={"role": "user", "content": [{"type": "text", "text": text}]}, **named, **fields)

    def request(self, subtype: str, request_id: str = "", **fields: Any) -> Line:
        """Sends a control request and gives the `response` of its answer."""
        request_id = request_id or f"r-{subtype}-{len(self.lines)}"
        self.send(subtype, request_id, **fields)
        return dict(self.next(lambda line: answers(line, request_id))["response"])

    def send(self, subtype: str, request_id: str, **fields: Any) -> None:
        self.say(type="control_request", request_id=request_id, request={"subtype": subtype, **fields})

    def initialize(self, **hooks: Any) -> Line:
        fields: dict[str, Any] = {"hooks": hooks} if hooks else {}
        return self.request("initialize", **fields)

    def answer(self, ask: Line, **response: Any) -> None:
        """Answers a request of the CLI with a success."""
        body = {"subtype": "success", "request_id": ask["request_id"], "response": response}
        self.say(type="control_response", response=body)

    def allow(self, ask: Line, **fields: Any) -> None:
        self.answer(ask, behavior="allow", updatedInput=ask["request"]["input"], **fields)

    def next(self, wanted: Callable[[Line], bool]) -> Line:
        """The next line that is wanted; those before it are in `lines`, with it."""
        while True:
            line = self._come.get(timeout=PATIENCE_S)
            if line is None:
                raise EOFError(f"stdout is closed; stderr: {self.stderr.decode()}; lines: {shapes(self.lines)}")
            self.lines.append(line)
            if wanted(line):
                return line

    def ask(self, subtype: str = "can_use_tool") -> Line:
        """The next request of the CLI."""
        return self.next(lambda line: line["type"] == "control_request" and line["request"]["subtype"] == subtype)

    def result(self) -> Line:
        return self.next(lambda line: line["type"] == "result")

    def tool_result(self) -> Line:
        return self.next(is_tool_result)

    def turn(self, text: str, uuid: str | None = None) -> Line:
        """The result of a prompt that asks nothing."""
        self.prompt(text, uuid)
        return self.result()

    def rest(self) -> Iterator[Line]:
        """All that comes until stdout is closed."""
        while (line := self._come.get(timeout=PATIENCE_S)) is not None:
            self.lines.append(line)
            yield line

    def end(self) -> int:
        """Closes stdin; the exit code, when the process is gone."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        return self.exit_code()

    def exit_code(self) -> int:
        for _ in self.rest():
            continue
        for reader in self._readers:
            reader.join(PATIENCE_S)
        return self.process.wait(PATIENCE_S)

    def kill(self, number: signal.Signals) -> int:
        self.process.send_signal(number)
        return self.exit_code()


def answers(line: Line, request_id: str) -> bool:
    return line["type"] == "control_response" and bool(line["response"].get("request_id") == request_id)


def is_tool_result(line: Line) -> bool:
    content = line["message"]["content"] if line["type"] == "user" else None
    return isinstance(content, list) and any(block.get("type") == "tool_result" for block in content)


def shape(line: Line) -> str:
    """A line in a word: its type, and what kind of it."""
    match line:
        case {"type": "system" | "result", "subtype": str(subtype)}:
            return f"{line['type']}/{subtype}"
        case {"type": "assistant", "message": {"content": [block, *_]}}:
            return f"assistant/{block['type']}"
        case {"type": "user", "isReplay": True}:
            return "user/replay"
        case {"type": "user"}:
            return "user/tool_result" if is_tool_result(line) else "user/text"
        case {"type": "stream_event", "event": event}:
            return f"stream/{event['type']}"
        case {"type": "control_request", "request": request}:
            return f"ask/{request['subtype']}"
        case {"type": "command_lifecycle", "state": state}:
            return f"prompt/{state}"
    return str(line["type"])


def shapes(lines: Sequence[Line], *, without: str = "") -> list[str]:
    """The lines in words, but for those whose word begins with one of `without`."""
    left_out = tuple(without.split())
    return [word for word in map(shape, lines) if not (left_out and word.startswith(left_out))]
