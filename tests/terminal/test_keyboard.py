"""The keys of a real pseudo-terminal, and a terminal that is left as it was."""

import asyncio
import os
import termios
from collections.abc import Iterator

import pytest

from bascule.terminal.keyboard import END, Keyboard
from bascule.terminal.keys import Key

PATIENCE_S = 10.0


class Pressed:
    def __init__(self) -> None:
        self.leader, self.follower = os.openpty()
        self.keys: asyncio.Queue[Key] = asyncio.Queue()
        self.keyboard = Keyboard(self.follower, self.keys.put_nowait)

    async def next(self, count: int) -> list[Key]:
        async with asyncio.timeout(PATIENCE_S):
            return [await self.keys.get() for _ in range(count)]

    def mode(self) -> int:
        """The local flags of the terminal."""
        return int(termios.tcgetattr(self.follower)[3])


@pytest.fixture
def pressed() -> Iterator[Pressed]:
    at = Pressed()
    yield at
    os.close(at.follower)


async def test_keys_come_as_they_are_pressed(pressed: Pressed) -> None:
    pressed.keyboard.open()
    os.write(pressed.leader, b"y\r\n\x1b[A")
    assert await pressed.next(4) == [Key("char", "y"), Key("enter"), Key("newline"), Key("up")]
    pressed.keyboard.close()
    os.close(pressed.leader)


async def test_a_lone_escape_is_a_key_after_a_moment(pressed: Pressed) -> None:
    pressed.keyboard.open()
    os.write(pressed.leader, b"\x1b")
    assert await pressed.next(1) == [Key("escape")]
    pressed.keyboard.close()
    os.close(pressed.leader)


async def test_what_was_typed_before_is_forgotten(pressed: Pressed) -> None:
    os.write(pressed.leader, b"yyy\n")
    pressed.keyboard.open()
    os.write(pressed.leader, b"d")
    assert await pressed.next(1) == [Key("char", "d")]
    pressed.keyboard.close()
    os.close(pressed.leader)


async def test_the_terminal_is_left_as_it_was(pressed: Pressed) -> None:
    before = pressed.mode()
    pressed.keyboard.open()
    assert not pressed.mode() & termios.ECHO
    assert pressed.mode() & termios.ISIG
    pressed.keyboard.close()
    pressed.keyboard.close()
    assert pressed.mode() == before
    os.close(pressed.leader)


async def test_a_terminal_that_hangs_up_is_the_end(pressed: Pressed) -> None:
    pressed.keyboard.open()
    os.close(pressed.leader)
    assert await pressed.next(1) == [END]
    pressed.keyboard.close()
