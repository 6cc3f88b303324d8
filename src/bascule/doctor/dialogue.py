"""The probe's side of one CLI process: raw enough to say what a session never would.

One reader and one writer, in step: a scene says something, and reads on until what it waits for has come. Hooks are
answered on the way, as the scene has said before. What a line means is not decided here.
"""

from __future__ import annotations

import uuid
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from typing import Final, NamedTuple, TypeAlias, TypeVar

from bascule.errors import ProcessLost
from bascule.recording import Entry, Exit, exit_of
from bascule.transport.pipe import Pipe
from bascule.wire.codec import decode, encode
from bascule.wire.control import (
    Answer,
    CanUseTool,
    ControlRequest,
    ControlResponse,
    Failed,
    HookCallback,
    Succeeded,
    failed,
    succeeded,
)
from bascule.wire.hook_outputs import HookOutput
from bascule.wire.initialize import Initialize
from bascule.wire.messages import user_prompt
from bascule.wire.permissions import Deny
from bascule.wire.requests import CliRequest
from bascule.wire.result import Result
from bascule.wire.shape import Message

M = TypeVar("M", bound=Message)

OnAsk: TypeAlias = Callable[[CanUseTool], Awaitable[Answer | str | None]]
"""What an ask is answered with: an answer, the JSON of one that we could not build, or None for no answer at all."""

HookAnswer: TypeAlias = HookOutput | str
"""A text is an error."""

REFUSAL: Final = "The probe did not expect this."


class Turn(NamedTuple):
    """What was said from a prompt to its result."""

    said: tuple[Message, ...]
    result: Result

    def all(self, kind: type[M]) -> tuple[M, ...]:
        """The messages of this kind."""
        return tuple(message for message in self.said if isinstance(message, kind))


async def refuse(ask: CanUseTool) -> Answer:
    """Deny whatever is asked."""
    return Deny(message=REFUSAL)


class Dialogue:
    """A conversation with one process. Not for two tasks at once."""

    def __init__(self, pipe: Pipe, keep: Callable[[Entry], None]) -> None:
        self.awaited = ""
        """What it waits for, for the report of a CLI that hangs."""
        self.log: list[Message] = []
        """Everything that the CLI said so far."""
        self.hooks: Mapping[str, HookAnswer] = {}
        """Answers to hooks by their event; others are answered without an opinion."""
        self.exit: Exit | None = None
        self._on_ask: OnAsk = refuse
        self._pipe = pipe
        self._keep = keep
        self._unread: deque[Message] = deque()
        self._asked = 0

    async def turn(self, text: str, *, on_ask: OnAsk = refuse, hooks: Mapping[str, HookAnswer] | None = None) -> Turn:
        """Say ``text`` and read to the next result. Raises ``ProcessLost`` when the CLI ends first."""
        self._on_ask, self.hooks = on_ask, hooks or {}
        begun = len(self.log)
        self.prompt(text)
        result = await self.until(Result)
        return Turn(tuple(self.log[begun:]), result)

    def prompt(self, text: str) -> str:
        """Say ``text``; its uuid."""
        prompt = user_prompt(text, uuid=str(uuid.uuid4()))
        self.write(prompt)
        return str(prompt.uuid)

    async def request(self, body: CliRequest | Initialize) -> Succeeded | Failed:
        """The CLI's answer to a request of ours."""
        self._asked += 1
        request_id = f"probe-{self._asked}"
        self.write(ControlRequest(request_id=request_id, request=body))
        what = f"the answer to {type(body).__struct_config__.tag}"
        said = await self.until(ControlResponse, lambda answer: answer.response.request_id == request_id, what)
        return said.response

    async def until(self, kind: type[M], where: Callable[[M], bool] = lambda message: True, what: str = "") -> M:
        """The next message of this kind; all before it are read too. Raises ``ProcessLost`` when none comes."""
        self.awaited = what or kind.__name__
        while True:
            while self._unread:
                message = self._unread.popleft()
                self.log.append(message)
                await self._serve(message)
                if isinstance(message, kind) and where(message):
                    return message
            if not await self._read():
                raise ProcessLost(f"the CLI ended while the probe waited for {self.awaited}")

    async def ended(self) -> Exit:
        """How the process ended, once it has."""
        self.awaited = "the end of the process"
        while await self._read():
            while self._unread:
                message = self._unread.popleft()
                self.log.append(message)
                await self._serve(message)
        return self.exit or Exit()

    def write(self, message: Message) -> None:
        """Say something that is well formed."""
        self.raw(encode(message).decode("ascii").removesuffix("\n"))

    def raw(self, line: str) -> None:
        """Say exactly this; what a dead process does not hear is nobody's loss."""
        self._pipe.write(("in", line))

    def hang_up(self) -> None:
        """Close the CLI's stdin."""
        self._pipe.end()

    def signal(self, number: int) -> None:
        """Send the CLI a signal."""
        self._pipe.signal(number)

    async def _read(self) -> bool:
        """Take what the pipe has next; False when the process has ended and everything was told."""
        entries = await self._pipe.read()
        for entry in entries:
            self._keep(entry)
            if entry.dir == "out":
                self._unread.append(decode(entry.line))
            elif entry.dir == "exit":
                self.exit = exit_of(entry.line)
        return bool(entries)

    async def _serve(self, message: Message) -> None:
        match message:
            case ControlRequest(request_id=request_id, request=HookCallback(callback_id=event)):
                self._answer_hook(request_id, self.hooks.get(event, HookOutput()))
            case ControlRequest(request_id=request_id, request=CanUseTool() as ask):
                self._answer(request_id, await self._on_ask(ask))
            case ControlRequest(request_id=request_id):
                self.write(failed(request_id, REFUSAL))

    def _answer_hook(self, request_id: str, answer: HookAnswer) -> None:
        self.write(failed(request_id, answer) if isinstance(answer, str) else succeeded(request_id, answer))

    def _answer(self, request_id: str, answer: Answer | str | None) -> None:
        match answer:
            case None:
                return
            case str():
                body = f'{{"subtype":"success","request_id":"{request_id}","response":{answer}}}'
                self.raw(f'{{"type":"control_response","response":{body}}}')
            case _:
                self.write(succeeded(request_id, answer))
