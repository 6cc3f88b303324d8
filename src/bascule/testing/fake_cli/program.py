"""The process: its lines in and out, its turns one after the other, its signals and its end.

A line is obeyed when it is read, whatever runs; prompts wait for their turn. Writing never waits for the reader, as the
CLI's does not: a thread writes what is queued.
"""

from __future__ import annotations

import asyncio
import os
import queue
import signal
import sys
import threading
from collections.abc import Mapping
from itertools import takewhile
from typing import Any, Final

from bascule.testing.fake_cli import heard, requests
from bascule.testing.fake_cli.heard import Answer, Fatal, Ignored, Prompt, Request
from bascule.testing.fake_cli.said import encoded
from bascule.testing.fake_cli.talk import Talk
from bascule.testing.fake_cli.turn import Turn

_PIECE: Final = 65_536
_ORDER: Final = {"now": 0, "next": 1, "later": 2}
FLUSH_S: Final = 5.0
"""How long the end of the process waits for a reader who does not read."""


class Out:
    """Stdout and stderr, each line whole and in order."""

    def __init__(self) -> None:
        self._lines: queue.SimpleQueue[tuple[int, bytes] | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._write, name="stdout", daemon=True)
        self._thread.start()

    def say(self, line: Mapping[str, Any]) -> None:
        """A line on stdout."""
        self._lines.put((1, encoded(line)))

    def complain(self, words: str) -> None:
        """Words on stderr."""
        self._lines.put((2, f"{words}\n".encode("utf-8", "replace")))

    def flush(self) -> None:
        """Nothing comes after this."""
        self._lines.put(None)
        self._thread.join(FLUSH_S)

    def _write(self) -> None:
        while (item := self._lines.get()) is not None:
            target, data = item
            while data:
                try:
                    data = data[os.write(target, data) :]
                except OSError:
                    break  # The reader is gone; the CLI goes on all the same (25_stdout_closed).


class In:
    """Stdin, piece by piece. A thread of its own reads, which no end of the process has to wait for."""

    def __init__(self) -> None:
        self._pieces: asyncio.Queue[bytes] = asyncio.Queue()
        self._loop = asyncio.get_running_loop()
        threading.Thread(target=self._pump, name="stdin", daemon=True).start()

    async def piece(self) -> bytes:
        """The next bytes; none: stdin is closed."""
        return await self._pieces.get()

    def _pump(self) -> None:
        piece = b"-"
        while piece:
            piece = os.read(0, _PIECE)
            try:
                self._loop.call_soon_threadsafe(self._pieces.put_nowait, piece)
            except RuntimeError:
                return  # The loop is closed: nobody listens any more.


class Program:
    """One process of the fake."""

    def __init__(self, talk: Talk, out: Out) -> None:
        self._talk = talk
        self._out = out
        self._turn: Turn | None = None
        self._news = asyncio.Event()
        self._closed = False
        self._leaving = False
        self._cut_next = False

    async def run(self) -> int:
        """The exit code, when stdin is closed and all is done."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            loop.add_signal_handler(number, self._signalled, number)
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._read(), name="stdin")
            tasks.create_task(self._take_turns(), name="turns")
        return int(self._talk.ended_in_error)

    async def _read(self) -> None:
        rest, stdin = b"", In()
        while piece := await stdin.piece():
            *lines, rest = (rest + piece).split(b"\n")
            for line in lines:
                self._obey(line)
        if rest:
            self._obey(rest)  # 24_no_newline_eof
        self._closed = True
        self._talk.host.close()
        self._news.set()

    def _obey(self, line: bytes) -> None:
        text = line.removesuffix(b"\r").decode("utf-8", "replace")
        match heard.read(text, self._talk.version):
            case Prompt() as prompt:
                self._prompted(prompt)
            case Request(body={"subtype": "end_session"}) as request:
                self._talk.say(
                    {"type": "control_response", "response": {"subtype": "success", "request_id": request.id}}
                )
                self._leave()
            case Request() as request:
                requests.obey(request, self._talk, self._interrupt)
            case Answer(line=whole, response=response):
                if self._talk.host.answered(response) and self._talk.flags.replay_user_messages:
                    self._talk.say(whole)
            case Fatal(words=words, error=error):
                self._die(words, error)
            case Ignored():
                return

    def _prompted(self, prompt: Prompt) -> None:
        talk = self._talk
        talk.prompted = True
        if prompt.uuid is not None and prompt.uuid in talk.seen:
            if talk.flags.replay_user_messages:
                talk.say(talk.lines.echo(prompt.content, prompt.uuid))  # 11_dup_uuid
            return
        talk.seen |= {prompt.uuid} if prompt.uuid is not None else set()
        talk.tell(talk.lines.lifecycle(prompt.uuid, "queued"))
        talk.waiting.append(prompt)
        if prompt.priority == "now" and self._turn is not None:
            self._turn.abort("now")
        self._news.set()

    def _interrupt(self, *, cancel_queued: bool = False) -> requests.Reply:
        """Cuts the turn that runs. A prompt that waits is not in it, and starts behind it (10_interrupt_race_warm)."""
        talk = self._talk
        cancelled = []
        if cancel_queued and talk.version.names_queued:
            cancelled = [prompt.uuid for prompt in talk.waiting if prompt.uuid is not None]
            for uuid in cancelled:
                talk.tell(talk.lines.lifecycle(uuid, "cancelled"))
            talk.waiting.clear()
        if self._turn is not None:
            self._turn.abort("interrupt")
        elif talk.waiting and (not talk.version.names_queued or not talk.results):
            self._cut_next = True  # 10_interrupt_race_cold, and the older version always
        if not talk.version.names_queued:
            return None
        queued = [prompt.uuid for prompt in talk.waiting if prompt.uuid is not None]
        return {"still_queued": queued, **({"cancelled": cancelled} if cancel_queued else {})}

    async def _take_turns(self) -> None:
        talk = self._talk
        fresh = True
        while True:
            if talk.waiting:
                talk.change_state("running")
                await self._take_turn(self._next(fresh=fresh))
                fresh = False
                continue
            if talk.state:
                talk.change_state("idle")
            if self._leaving:
                self._exit(0)
            if self._closed:
                return
            fresh = True
            self._news.clear()
            await self._news.wait()

    def _next(self, *, fresh: bool) -> list[Prompt]:
        """What the next turn answers: the one prompt that woke us, or behind a turn all of one kind (11_burst).

        The most urgent goes first, with those behind it that are as urgent. One with priority ``now`` goes alone, and
        so does one that asks the model nothing.
        """
        waiting = sorted(self._talk.waiting, key=lambda prompt: _ORDER[prompt.priority])
        first = waiting[0]
        alone = fresh or first.priority == "now" or not first.asks_model
        alike = takewhile(lambda prompt: prompt.priority == first.priority and prompt.asks_model, waiting)
        taken = [first] if alone else list(alike)
        self._talk.waiting = [prompt for prompt in self._talk.waiting if all(prompt is not other for other in taken)]
        return taken

    async def _take_turn(self, prompts: list[Prompt]) -> None:
        self._turn = Turn(self._talk, prompts)
        if self._cut_next:
            self._cut_next = False
            self._turn.abort("interrupt")
        await self._turn.run()
        self._turn = None

    def _signalled(self, number: int) -> None:
        """SIGINT cuts the turn, and the process ends well; the others end it at once (25_sig*)."""
        if number == signal.SIGINT:
            self._interrupt()
            self._leave()
            return
        if self._talk.version.term_kills_tools:
            self._talk.shell.kill()
        self._exit(128 + number)

    def _leave(self) -> None:
        if self._turn is None:
            self._exit(0)
        self._leaving = True
        self._talk.waiting.clear()

    def _die(self, words: str, error: str | None) -> None:
        """A line that kills: at once, with whatever runs left to itself (24_invalid_midturn)."""
        if error is not None:
            self._talk.say(failed_start(self._talk, error))
        self._talk.complain(words)
        self._exit(1)

    def _exit(self, code: int) -> None:
        self._out.flush()
        os._exit(code)


def failed_start(talk: Talk, words: str) -> dict[str, Any]:
    """The lone result of a session that never began (12_resume_stale)."""
    fields = {
        "subtype": "error_during_execution",
        "duration_ms": 0,
        "duration_api_ms": 0,
        "is_error": True,
        "num_turns": 0,
        "stop_reason": None,
        "total_cost_usd": 0,
        "usage": {},
        "modelUsage": {},
        "permission_denials": [],
        "errors": [words],
    }
    return talk.lines.result(0, fields, ())


def refuse(words: str) -> int:
    """The exit code of a program whose command line was wrong."""
    sys.stderr.write(f"{words}\n")
    return 1
