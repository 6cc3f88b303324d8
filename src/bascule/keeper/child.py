"""The CLI process: how it is started, its three pipes, how it ended. What a line means is nobody's business here."""

from __future__ import annotations

import errno
import json
import os
import signal
import sys
from collections import deque
from collections.abc import Mapping, Sequence

AT_ONCE = 64 * 1024
PIPE_BYTES = 1024 * 1024
"""What a pipe may be made to hold."""
BOM = b"\xef\xbb\xbf"
LINE_BYTES = 64 * 1024
"""What is kept of a line on stderr: a program that writes no newline there must not fill our memory."""
CUT = " … (cut)"
TAIL_LINES = 40
TAIL_CHARACTERS = 4096
NAMED = (1, 2, 6, 9, 11, 13, 15)
"""Signals that a recording names; a rarer one is told by its number."""
DEAF = (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT)
"""Signals of a terminal, which do not concern a keeper."""
HEEDED = (signal.SIGCHLD, signal.SIGTERM)
OURS = (*DEAF, *HEEDED, signal.SIGPIPE, signal.SIGXFSZ)
"""Signals that the keeper, or Python, treats in another way than a program does that was just started."""


class Lines:
    """Cuts a stream into lines, however it was cut into chunks. Above ``limit`` bytes a line loses its rest.

    A line comes without its newline; a byte order mark is dropped where the stream begins. Bytes that are no UTF-8
    become lone surrogates.
    """

    def __init__(self, limit: int = sys.maxsize) -> None:
        self._limit = limit
        self._pieces: list[bytes] = []
        self._size = 0
        self._cut = False
        self._begun = False

    def feed(self, chunk: bytes) -> list[str]:
        """The lines that ``chunk`` ends."""
        first, *later = chunk.split(b"\n")
        self._add(first)
        lines = []
        for piece in later:
            lines.append(self._end())
            self._add(piece)
        return lines

    def finish(self) -> list[str]:
        """The last line, where it had no newline."""
        return [self._end()] if self._size else []

    def _add(self, piece: bytes) -> None:
        room = self._limit - self._size
        self._cut = self._cut or len(piece) > room
        self._pieces.append(piece[:room])
        self._size += len(self._pieces[-1])

    def _end(self) -> str:
        line, cut = b"".join(self._pieces), self._cut
        if not self._begun:
            line = line.removeprefix(BOM)
        self._pieces, self._size, self._cut, self._begun = [], 0, False, True
        return line.removesuffix(b"\r").decode("utf-8", "surrogateescape") + CUT * cut


class Child:
    """One process in a session of its own. Raises ``OSError`` or ``ValueError`` for what cannot be started."""

    def __init__(self, argv: Sequence[str], env: Mapping[str, str], cwd: str, umask: int) -> None:
        self.pid, self.stdin, self.stdout, self.stderr = _start(argv, env, cwd, umask)
        self.how: dict[str, object] | None = None
        """How it ended; None while it runs."""
        self.streams = {self.stdout: ("out", Lines()), self.stderr: ("err", Lines(LINE_BYTES))}
        """What may still be read."""
        self.takes_lines = True
        """Its stdin is open, and nobody wanted it closed."""
        self.waiting = 0
        """Bytes that its stdin has no room for."""
        self._waiting: deque[memoryview] = deque()
        self._complaints: deque[str] = deque(maxlen=TAIL_LINES)

    def hear(self, file: int) -> tuple[list[tuple[str, str]], bool]:
        """The entries that ``file`` has for us now, and whether more may come."""
        try:
            chunk = os.read(file, AT_ONCE)
        except BlockingIOError:
            return [], True
        return self._entries(file, chunk), bool(chunk)

    def leave(self, file: int) -> list[tuple[str, str]]:
        """Read no more of it than a pipe holds, which a dead process may have left there; those entries."""
        found, more = [], True
        for _ in range(PIPE_BYTES // AT_ONCE):
            heard, more = self.hear(file) if more else ([], False)
            found += heard
        if more:
            found += self._entries(file, b"")
        del self.streams[file]
        os.close(file)
        return found

    def _entries(self, file: int, chunk: bytes) -> list[tuple[str, str]]:
        direction, lines = self.streams[file]
        found = lines.feed(chunk) if chunk else lines.finish()
        if direction == "err":
            self._complaints.extend(found)
        return [(direction, line) for line in found]

    def send(self, data: bytes) -> None:
        """Give ``data`` to its stdin, now or when there is room."""
        if data:
            self._waiting.append(memoryview(data))
            self.waiting += len(data)
            self.flush()

    def flush(self) -> None:
        """Write what has room. What nobody will read is thrown away, and then no more is taken."""
        try:
            while self._waiting:
                sent = os.write(self.stdin, self._waiting[0])
                self.waiting -= sent
                self._waiting[0] = self._waiting[0][sent:]
                if not self._waiting[0]:
                    self._waiting.popleft()
        except BlockingIOError:
            return
        except OSError:
            self.takes_lines = False
            self._waiting.clear()
            self.waiting = 0

    def end(self) -> None:
        """Take no more lines."""
        self.takes_lines = False

    def close_stdin(self) -> None:
        """Close it, as nothing more will come. Twice is once."""
        if self.stdin >= 0:
            os.close(self.stdin)
            self.stdin = -1

    def signal(self, number: int) -> None:
        """Send a signal to the process alone; nothing once it was waited for, or when there is no such signal."""
        if self.how is None:
            try:
                os.kill(self.pid, number)
            except (OSError, OverflowError):
                return

    def died(self, status: int) -> None:
        """The system told how it ended."""
        code = os.waitstatus_to_exitcode(status)
        name = None
        if code < 0:
            name = signal.Signals(-code).name if -code in NAMED else f"SIG{-code}"
        self.how = {"code": code if code >= 0 else None, "signal": name}

    @property
    def last_words(self) -> str:
        """The end of what it wrote to stderr."""
        return "\n".join(self._complaints)[-TAIL_CHARACTERS:]


def _start(argv: Sequence[str], env: Mapping[str, str], cwd: str, umask: int) -> tuple[int, int, int, int]:
    """Its number, and our ends of its pipes. All of these are closed in whatever is executed, but for its own three."""
    (its_in, our_in), (our_out, its_out), (our_err, its_err), (report, problem) = (os.pipe() for _ in range(4))
    pid = os.fork()
    if pid == 0:
        _become(argv, env, cwd, umask, (its_in, its_out, its_err), problem)
    for file in (its_in, its_out, its_err, problem):
        os.close(file)
    for file in (our_in, our_out, our_err):
        os.set_blocking(file, False)
    with os.fdopen(report, "rb") as told:
        why = told.read()
    if why:
        os.waitpid(pid, 0)
        number, text, filename = json.loads(why)
        raise OSError(number, text, filename) if number else ValueError(text)
    return pid, our_in, our_out, our_err


def _become(
    argv: Sequence[str], env: Mapping[str, str], cwd: str, umask: int, pipes: Sequence[int], problem: int
) -> None:
    """Turn this copy of the keeper into the CLI, or tell why not; never returns."""
    try:
        os.setsid()
        os.umask(umask)
        for number in OURS:
            signal.signal(number, signal.SIG_DFL)
        for target, pipe in enumerate(pipes):
            os.dup2(pipe, target)
        os.chdir(cwd)
        os.execve(argv[0], list(argv), env)
    except OSError as exc:
        os.write(problem, json.dumps([exc.errno or errno.EIO, exc.strerror, exc.filename]).encode())
    except ValueError as exc:
        os.write(problem, json.dumps([0, str(exc), None]).encode())
    finally:
        os._exit(127)
