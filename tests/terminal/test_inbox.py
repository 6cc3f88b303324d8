"""What happens comes in one line, and what ends the run is never dropped from it."""

import pytest

from bascule.terminal.inbox import INBOX, Inbox, Sign
from bascule.terminal.keys import Key
from tests.terminal.rehearsal import Rehearsal


async def test_keys_are_dropped_when_the_line_is_full() -> None:
    inbox = Inbox(Rehearsal())
    for _ in range(INBOX + 1):
        inbox.offer(Key("char", "x"))
    assert len(await inbox.next()) == INBOX


@pytest.mark.parametrize("sign", ["terminate", "deadline"])
async def test_what_ends_the_run_comes_in_though_the_line_is_full(sign: Sign) -> None:
    inbox = Inbox(Rehearsal())
    for _ in range(INBOX):
        inbox.offer("beat")
    assert not inbox.ending.is_set()
    inbox.offer(sign)
    assert inbox.ending.is_set()
    assert (await inbox.next())[-1] == sign


async def test_what_ends_the_run_wakes_whoever_waits() -> None:
    inbox = Inbox(Rehearsal())
    inbox.offer("terminate")
    assert await inbox.next() == ["beat", "terminate"]
