"""Stands in for the CLI and passes on what the real one says and hears, until the one fault that it has drawn is due.

Run as ``python -I -S meddler.py TOLD CLI ARGUMENTS``; the standard library only, since one is started for each process.
TOLD is a JSON file: ``log``, to which each fault that was done is added by name, and ``share``, the part of all
processes that have one.
"""

from __future__ import annotations

import json
import os
import random
import selectors
import signal
import subprocess
import sys
from collections.abc import Callable

FIRST, LAST = 6, 40
"""Between which of the CLI's lines a fault is due: in one of the first turns of a process."""
CHUNK = 65_536
ASKS = b'"subtype":"can_use_tool"'
UNKNOWN = b'{"type":"weather_report","sky":"blue"}\n{"type":"system","subtype":"never_heard_of","x":[1]}\n'
CHILD = "import os,signal;os.setsid();signal.pause()"


class Meddler:
    """One process of the CLI, and what is done to it."""

    def __init__(self, argv: list[str], log: str, fault: str | None) -> None:
        self.cli = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert self.cli.stdin is not None
        assert self.cli.stdout is not None
        self._its_in, self._its_out = self.cli.stdin.fileno(), self.cli.stdout.fileno()
        self.stays = False
        """It does not end with its stdin, nor by SIGTERM."""
        self.end = b"\n"
        self._log = log
        self._fault = fault
        self._due = random.randrange(FIRST, LAST)
        self._partial = b""
        self._selector = selectors.DefaultSelector()
        self._selector.register(0, selectors.EVENT_READ, self._hear)
        self._selector.register(self._its_out, selectors.EVENT_READ, self._read)
        signal.signal(signal.SIGTERM, lambda *_: None if self.stays else self.exit(143))

    def run(self) -> None:
        """Until the CLI ends."""
        while True:
            for key, _ in self._selector.select():
                key.data()

    def _hear(self) -> None:
        if data := os.read(0, CHUNK):
            _write(self._its_in, data)
            return
        self.deafen()
        if not self.stays:
            os.close(self._its_in)

    def _read(self) -> None:
        if not (data := os.read(self._its_out, CHUNK)):
            self.say(self._partial)
            os._exit(max(0, self.cli.wait()))
        *lines, self._partial = (self._partial + data).split(b"\n")
        for line in lines:
            self._line(line)

    def _line(self, line: bytes) -> None:
        self._due -= 1
        if self._fault is not None and self._due <= 0 and (ASKS in line or self._fault not in OF_ASKS):
            fault, self._fault = self._fault, None
            with open(self._log, "ab", buffering=0) as file:
                file.write(fault.encode() + b"\n")
            FAULTS[fault](self, line)
        self.say(line + self.end)

    def say(self, data: bytes) -> None:
        """Write to the host."""
        _write(1, data)

    def exit(self, code: int) -> None:
        """At once, the CLI too."""
        self.cli.kill()
        os._exit(code)

    def vanish(self) -> None:
        """As by a system that is out of memory."""
        self.cli.kill()
        os.kill(os.getpid(), signal.SIGKILL)

    def deafen(self) -> None:
        """Read no more. Twice is once."""
        if 0 in self._selector.get_map():
            self._selector.unregister(0)

    def shut_its_mouth(self) -> None:
        """What the CLI writes from now on is read by nobody."""
        self._selector.unregister(self._its_out)


def _write(file: int, data: bytes) -> None:
    """All of it; whoever is gone there is told of by an end of file."""
    try:
        while data:
            data = data[os.write(file, data) :]
    except OSError:
        return


def _half(meddler: Meddler, line: bytes) -> None:
    meddler.say(line[: len(line) // 2])
    meddler.vanish()


def _asked_and_gone(meddler: Meddler, line: bytes) -> None:
    meddler.say(line + b"\n")
    meddler.vanish()


def _crlf(meddler: Meddler, _: bytes) -> None:
    meddler.end = b"\r\n"


def _stay(meddler: Meddler, _: bytes) -> None:
    meddler.stays = True


def _child(meddler: Meddler, _: bytes) -> None:
    subprocess.Popen([sys.executable, "-I", "-S", "-c", CHILD])


FAULTS: dict[str, Callable[[Meddler, bytes], None]] = {
    "exits 0 without a result": lambda meddler, _: meddler.exit(0),
    "exits 1 without a result": lambda meddler, _: meddler.exit(1),
    "exits 3 without a result": lambda meddler, _: meddler.exit(3),
    "killed in mid-turn": lambda meddler, _: meddler.vanish(),
    "killed in mid-ask": _asked_and_gone,
    "killed in mid-line": _half,
    "garbage": lambda meddler, _: meddler.say(b"Segmentation fault (not really)\n[]\n7\nnull\n\n"),
    "half a line": lambda meddler, line: meddler.say(line[: len(line) // 2] + b"\n"),
    "NUL": lambda meddler, _: meddler.say(b"\0\0{}\0\n"),
    "invalid UTF-8": lambda meddler, _: meddler.say(b'{"type":"assistant\xff\xfe\n\xc3\n'),
    "BOM": lambda meddler, _: meddler.say(b"\xef\xbb\xbf"),
    "CRLF": _crlf,
    "unknown types": lambda meddler, _: meddler.say(UNKNOWN),
    "request id twice": lambda meddler, line: meddler.say(line + b"\n"),
    "never reads stdin": lambda meddler, _: meddler.deafen(),
    "falls silent": lambda meddler, _: meddler.shut_its_mouth(),
    "does not end": _stay,
    "child that holds stdout": _child,
}
OF_ASKS = ("killed in mid-ask", "request id twice")
"""They wait for a request for a permission."""


def main() -> None:
    """One process, with a fault or without."""
    _, told, *argv = sys.argv
    with open(told) as file:
        settings = json.load(file)
    fault = random.choice(list(FAULTS)) if random.random() < settings["share"] else None
    if set(argv) & {"-v", "--version"}:
        os.execv(argv[0], argv)
    Meddler(argv, settings["log"], fault).run()


if __name__ == "__main__":
    main()
