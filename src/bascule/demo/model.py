"""A Messages API on loopback that plays a script, so that the real CLI runs with no account and no network.

    with ScriptedModel(Script(say("Hello from nowhere."))) as model:
        subprocess.run([cli, "-p", "hi"], env=clean_environment(model.url, home))
        assert model.asked[0].prompt == "hi"

Here: what is answered to which path, the gates by which a test holds a reply, the record of what was asked. Which
message comes next is decided in `play`, how it looks in `stream`; sockets and threads are in `server`. Threads, not
asyncio: plain tests, async tests and the demo use it alike.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
import threading
from collections.abc import Mapping
from http import HTTPStatus
from types import TracebackType
from typing import Any, Final

import msgspec

from bascule.demo.asked import Asked, read_request
from bascule.demo.play import Play
from bascule.demo.script import Cut, Drop, Fail, Pause, Reply, Script, Wait
from bascule.demo.server import Exchange, Loopback
from bascule.demo.stream import Envelope, Sheet, counted, error_body, frames, sheet, tokens, whole
from bascule.errors import LocalProtocolError

log = logging.getLogger("bascule.demo")

PATIENCE_S: Final = 10.0
"""How long a test waits for the CLI by default: a start takes up to a second, on a busy machine a few."""

MESSAGES: Final = "/v1/messages"
COUNT_TOKENS: Final = "/v1/messages/count_tokens"


class Gate:
    """A place in the script, `wait(name)`, where replies stand still until it is opened; it stays open."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._reached = threading.Event()
        self._opened = threading.Event()

    def open(self) -> None:
        """Lets pass whoever stands here, and whoever comes."""
        self._opened.set()

    def reached(self, timeout_s: float = PATIENCE_S) -> None:
        """Returns when a reply has come to the gate; raises `TimeoutError` if none does in time."""
        if not self._reached.wait(timeout_s):
            raise TimeoutError(f"no reply came to the gate {self.name!r} in {timeout_s:g} s")

    def hold(self) -> None:
        """Returns when the gate is open."""
        self._reached.set()
        self._opened.wait()


class ScriptedModel:
    """The server. It runs between `start` and `stop`, which `with` and `async with` call.

    Every method may be called from any thread. A function of the script (`respond`) that raises fails its request
    with an error that the CLI does not retry, and `with` raises the same exception at its end.
    """

    def __init__(self, script: Script, *, port: int = 0) -> None:
        self._script = script
        self._port = port
        self._play = Play(script)
        self._changed = threading.Condition()  # over the play, the record, the gates and the failure
        self._requests: list[Asked] = []
        self._gates: dict[str, Gate] = {}
        self._failure: Exception | None = None
        self._stopping = threading.Event()
        self._server: Loopback | None = None

    def start(self) -> None:
        """Begins to listen. A model runs once."""
        if self._server is not None or self._stopping.is_set():
            raise LocalProtocolError("a scripted model runs once: make another one for another run")
        self._server = Loopback(self._serve, self._port)
        log.info("the scripted model listens at %s", self._server.url)

    def stop(self) -> None:
        """Ends every reply that is under way and frees the port; safe to call twice."""
        self._stopping.set()
        with self._changed:
            gates, server, self._server = tuple(self._gates.values()), self._server, None
        for gate in gates:
            gate.open()
        if server is not None:
            server.close()
            log.info("the scripted model at %s has stopped", server.url)

    def __enter__(self) -> ScriptedModel:
        self.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.stop()
        if error is None and self._failure is not None:
            raise self._failure

    async def __aenter__(self) -> ScriptedModel:
        return self.__enter__()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        await asyncio.to_thread(self.__exit__, kind, error, at)

    @property
    def url(self) -> str:
        """What `ANTHROPIC_BASE_URL` is set to."""
        if self._server is None:
            raise LocalProtocolError("the scripted model is not running: use it in a with block")
        return self._server.url

    @property
    def requests(self) -> tuple[Asked, ...]:
        """Every request so far, in the order of arrival, with probes and what was asked aside."""
        with self._changed:
            return tuple(self._requests)

    @property
    def asked(self) -> tuple[Asked, ...]:
        """The requests for a message of the conversation or of a subagent: those that move the script."""
        return tuple(request for request in self.requests if _converses(request))

    @property
    def left(self) -> int:
        """How many turns without a condition have not been taken; 0 when the script has been played."""
        with self._changed:
            return self._play.left

    def gate(self, name: str) -> Gate:
        """The gate of that name, the same one at each call."""
        with self._changed:
            gate = self._gates.setdefault(name, Gate(name))
        if self._stopping.is_set():
            gate.open()
        return gate

    def reached(self, count: int = 1, timeout_s: float = PATIENCE_S) -> tuple[Asked, ...]:
        """Waits until that many messages have been asked for and returns `asked`; else raises `TimeoutError`."""
        with self._changed:
            if self._changed.wait_for(lambda: sum(map(_converses, self._requests)) >= count, timeout_s):
                return self.asked
        prompts = [request.prompt or "(no prompt)" for request in self.asked]
        raise TimeoutError(f"{count} requests were awaited for {timeout_s:g} s, {len(prompts)} came: {prompts}")

    def _serve(self, exchange: Exchange) -> None:
        body = _json_object(exchange.body)
        asked = read_request(exchange.command, exchange.path, dict(exchange.headers.items()), body)
        with self._changed:
            self._requests.append(asked)
            self._changed.notify_all()
        if asked.method == "HEAD":
            exchange.answer(HTTPStatus.OK, None, {})
        elif asked.method != "POST" or asked.path not in (MESSAGES, COUNT_TOKENS):
            _refuse(exchange, Fail(404, f"the scripted model has no {asked.method} {asked.path}"))
        elif not asked.messages:
            _refuse(exchange, Fail(400, "the body must be a JSON object with messages"))
        elif asked.path == COUNT_TOKENS:
            exchange.answer(HTTPStatus.OK, {"input_tokens": tokens(asked.body)}, {})
        else:
            self._answer(exchange, asked)

    def _answer(self, exchange: Exchange, asked: Asked) -> None:
        message, envelope = self._next(asked)
        for step in message.opening:
            self._hold(step)
        match message.failure:
            case Fail() as failure:
                _refuse(exchange, failure)
            case Drop():
                exchange.abort()
            case None if asked.streaming:
                self._stream(exchange, message, envelope)
            case None:
                self._send_whole(exchange, message, envelope)

    def _next(self, asked: Asked) -> tuple[Sheet, Envelope]:
        """The next message; where the script makes none, an error that the CLI does not retry."""
        with self._changed:
            try:
                return self._enveloped(sheet(self._play.answer(asked)), asked)
            except Exception as exc:
                log.exception("a function of the script raised, or what it says is no JSON")
                self._failure = self._failure or exc
                return self._enveloped(sheet(Reply((Fail(400, f"the script failed: {exc!r}"),))), asked)

    def _enveloped(self, message: Sheet, asked: Asked) -> tuple[Sheet, Envelope]:
        return message, Envelope(
            message_id=f"msg_{secrets.token_hex(12)}",
            model=asked.model,
            usage=counted(message, asked),
            chunk=self._script.chunk,
            delay_s=self._script.delay_s,
        )

    def _stream(self, exchange: Exchange, message: Sheet, envelope: Envelope) -> None:
        exchange.begin({"content-type": "text/event-stream; charset=utf-8", **_identified(message.headers)})
        for frame in frames(message, envelope):
            match frame:
                case bytes():
                    exchange.send(frame)
                case Wait() | Pause():
                    self._hold(frame)
                case Cut():
                    exchange.abort()
                    return
        exchange.finish_chunks()

    def _send_whole(self, exchange: Exchange, message: Sheet, envelope: Envelope) -> None:
        """The same message in one body: all its waits come first, and what breaks a stream breaks the answer."""
        for act in message.acts:
            match act:
                case Wait() | Pause():
                    self._hold(act)
                case Fail():
                    return _refuse(exchange, act)
                case Cut() | Drop():
                    return exchange.abort()
        exchange.answer(HTTPStatus.OK, whole(message, envelope), _identified(message.headers))

    def _hold(self, step: Wait | Pause) -> None:
        """Returns when the reply may go on. Ended by `stop` it must not: the client sees a broken answer."""
        match step:
            case Wait(gate=name):
                self.gate(name).hold()
            case Pause(seconds=seconds):
                self._stopping.wait(seconds)
        if self._stopping.is_set():
            raise ConnectionAbortedError("the scripted model stops")


def _converses(asked: Asked) -> bool:
    return asked.method == "POST" and asked.path == MESSAGES and bool(asked.messages) and not asked.aside


def _json_object(data: bytes) -> dict[str, Any]:
    """The body, or an empty object where it is none."""
    try:
        body = msgspec.json.decode(data or b"{}")
    except msgspec.DecodeError:
        return {}
    return body if isinstance(body, dict) else {}


def _refuse(exchange: Exchange, failure: Fail) -> None:
    headers = _identified(failure.headers)
    exchange.answer(failure.status, error_body(failure.kind, failure.message, headers["request-id"]), headers)


def _identified(headers: Mapping[str, str]) -> dict[str, str]:
    return {"request-id": f"req_{secrets.token_hex(12)}", **headers}
