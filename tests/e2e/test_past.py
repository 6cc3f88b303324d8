"""Past conversations in a real browser: found, looked through, gone on with."""

import time
from typing import Any

import pytest

from bascule.commands import Import
from bascule.conversation import PastConversation
from bascule.ids import CliSessionId, SessionId
from tests.e2e.conftest import Seen
from tests.e2e.test_page import AXE, TOO_WIDE, VIOLATIONS, until_sent

pytestmark = pytest.mark.timeout(60)

HOUR_MS = 3_600_000


def conversation(number: int, title: str, **more: Any) -> PastConversation:
    at = time.time_ns() // 1_000_000 - number * HOUR_MS
    known: dict[str, Any] = {"cwd": "/home/anna/shop", "branch": "main", "messages": 4 * number, **more}
    return PastConversation(id=CliSessionId(f"c{number}"), title=title, changed_at=at, bytes=9, **known)


async def opened(seen: Seen) -> None:
    """The dialog, with three conversations and those that come after."""
    seen.stage.hub.elsewhere = [
        conversation(1, "Mend the fence of the garden behind the house, and paint it before the rain comes"),
        conversation(2, "Move the outbox", session=SessionId("outbox")),
        conversation(3, "Find the leak", pid=4711, damaged=True),
        *(conversation(number, f"Day {number}") for number in range(4, 30)),
    ]
    await seen.tab.until("document.querySelector('.bs-session')")
    await seen.tab.press("n")
    await seen.tab.shows("Find the leak")


async def rows(seen: Seen) -> int:
    count: int = await seen.tab.js("document.querySelectorAll('.bs-past li').length")
    return count


async def test_a_conversation_of_before_is_gone_on_with(seen: Seen) -> None:
    await opened(seen)
    await seen.picture("past-light")
    await seen.tab.click('[aria-label^="Continue Mend"]')
    command = await until_sent(seen, Import)
    assert (command.cli_session_id, command.by) == ("c1", "Anna")
    await seen.tab.until("location.pathname.startsWith('/s/') && !document.querySelector('dialog[open]')")


async def test_they_are_searched_and_paged(seen: Seen) -> None:
    await opened(seen)
    assert await rows(seen) == 20
    await seen.tab.js("[...document.querySelectorAll('.bs-past > button')].at(-1).click()")
    await seen.tab.until("document.querySelectorAll('.bs-past li').length === 29")
    await seen.tab.js("document.querySelector('.bs-past input').focus()")
    await seen.tab.write("leak")
    await seen.tab.until("document.querySelectorAll('.bs-past li').length === 1")
    await seen.tab.shows("open in process 4711")


async def test_one_that_a_session_has_is_opened_there(seen: Seen) -> None:
    await opened(seen)
    await seen.tab.click('[aria-label="Open Move the outbox"]')
    await seen.tab.until("location.pathname === '/s/outbox'")
    assert seen.stage.hub.sent == []


@pytest.mark.parametrize("theme", ["light", "dark"])
async def test_axe_finds_nothing_in_them_and_a_phone_shows_them_whole(seen: Seen, theme: str) -> None:
    await seen.tab.theme(theme)
    await opened(seen)
    await seen.tab.js(AXE.read_text())
    assert await seen.tab.js(VIOLATIONS) == "[]"
    await seen.tab.size(360, 740, touch=True)
    assert await seen.tab.js(TOO_WIDE) == []
    await seen.picture(f"past-phone-{theme}")
