"""The keys of a terminal, as they are pressed, while the event loop goes on.

The terminal is put into a mode without echo and without lines; signals stay: Ctrl-C and Ctrl-Z are the system's. What
was set before is set again on the way out, and in between for a program that needs the terminal for itself.
"""

from __future__ import annotations

import asyncio
import os
import termios
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

from bascule.terminal.keys import ESCAPE_WAIT_S, Decoder, Key

CHUNK: Final = 4096
END: Final = Key("eof")
"""The terminal is gone."""

_INPUT, _LOCAL, _CHARACTERS = 0, 3, 6


class Keyboard:
    """Reads keys from the terminal `fd` and gives each to `take`."""

    def __init__(self, fd: int, take: Callable[[Key], None]) -> None:
        self._fd = fd
        self._take = take
        self._decoder = Decoder()
        self._before: list[Any] | None = None
        self._flushing: asyncio.TimerHandle | None = None

    def open(self) -> None:
        """Take the terminal. Keys typed before are forgotten: they were meant for something else."""
        try:
            self._before = termios.tcgetattr(self._fd)
            self._set()
            termios.tcflush(self._fd, termios.TCIFLUSH)
        except termios.error:  # the terminal hung up while another program had it
            self._take(END)
        else:
            asyncio.get_running_loop().add_reader(self._fd, self._read)

    def close(self) -> None:
        """Give the terminal back as it was. Twice is once."""
        if self._before is None:
            return
        loop = asyncio.get_running_loop()
        loop.remove_reader(self._fd)
        if self._flushing is not None:
            self._flushing.cancel()
        self._decoder = Decoder()
        with suppress(termios.error):  # the terminal hung up
            termios.tcsetattr(self._fd, termios.TCSADRAIN, self._before)
        self._before = None

    def _set(self) -> None:
        """The mode for single keys."""
        mode = termios.tcgetattr(self._fd)
        mode[_INPUT] &= ~(termios.ICRNL | termios.IXON)  # Enter and Ctrl-J stay two keys; Ctrl-S does not freeze
        mode[_LOCAL] &= ~(termios.ICANON | termios.ECHO | termios.IEXTEN)
        mode[_LOCAL] |= termios.ISIG
        mode[_CHARACTERS][termios.VMIN], mode[_CHARACTERS][termios.VTIME] = 1, 0
        termios.tcsetattr(self._fd, termios.TCSANOW, mode)

    def _read(self) -> None:
        try:
            data = os.read(self._fd, CHUNK)
        except OSError:  # EIO: the terminal hung up
            data = b""
        if not data:
            asyncio.get_running_loop().remove_reader(self._fd)
            self._take(END)
            return
        self._give(self._decoder.feed(data))
        if self._flushing is not None:
            self._flushing.cancel()
        if self._decoder.waits:
            self._flushing = asyncio.get_running_loop().call_later(ESCAPE_WAIT_S, self._flush)

    def _flush(self) -> None:
        self._give(self._decoder.flush())

    def _give(self, keys: list[Key]) -> None:
        for key in keys:
            self._take(key)
