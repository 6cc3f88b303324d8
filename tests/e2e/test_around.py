"""The ways around the page, in a real browser: find or do, keys, and what is done to a session."""

import json

import pytest

from bascule import events as told
from bascule.commands import Archive, End, Fork, Rename, Retry, SetMode, Taken, Trust
from bascule.ids import SessionId
from tests.e2e.conftest import Seen
from tests.e2e.test_composer import choose, queued, write
from tests.e2e.test_page import AXE, TOO_WIDE, VIOLATIONS, decisions, until_sent

pytestmark = pytest.mark.timeout(60)

DEEDS = "[aria-label='What can be done to this session']"
CONTROL, ALT = 2, 1


async def chord(seen: Seen, key: str, code: str, held: int) -> None:
    """A key with Control or Alt."""
    common = {"key": key, "code": code, "modifiers": held}
    await seen.tab.ask("Input.dispatchKeyEvent", type="rawKeyDown", **common)
    await seen.tab.ask("Input.dispatchKeyEvent", type="keyUp", **common)


async def find(seen: Seen, words: str) -> None:
    await chord(seen, "k", "KeyK", CONTROL)
    await seen.tab.until("document.activeElement.matches('dialog[open] [role=combobox]')")
    await seen.tab.write(words)


async def test_a_session_is_found_by_a_few_letters(seen: Seen) -> None:
    await find(seen, "flak")
    await seen.tab.until("document.querySelector('[role=option][aria-selected=true]')?.innerText.includes('flaky')")
    await seen.picture("palette-light")
    await seen.tab.press("Enter")
    await seen.tab.until("location.pathname === '/s/flaky' && !document.querySelector('dialog[open]')")
    assert await seen.tab.gives("document.querySelector('h1').innerText", "Find the flaky e2e test")


async def test_words_of_a_transcript_are_found_where_they_stand(seen: Seen) -> None:
    many = [told.Notice(level="info", text=f"Notice {number}") for number in range(1500)]
    audit = seen.stage.hub.all[SessionId("audit")]
    await audit.tell(told.MessageChunk(item="m1", text="The lighthouse keeper signed it."), *many)
    await find(seen, "lighthouse")
    await seen.tab.shows("In transcripts")
    await seen.picture("palette-search-light")
    await seen.tab.press("Enter")
    await seen.tab.shows("The lighthouse keeper signed it.")
    assert await seen.tab.gives("document.querySelector('.is-goal').innerText.includes('lighthouse')")


async def test_from_the_palette_another_dialog_opens(seen: Seen) -> None:
    await seen.at("s/docs", "Nothing has been said yet")
    await find(seen, "rename")
    await seen.tab.until("document.querySelector('[role=option][aria-selected=true]')?.innerText === 'Rename…'")
    await seen.tab.press("Enter")
    await seen.tab.until("document.activeElement.matches('[aria-label=Title]')")
    await seen.tab.js("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    assert await seen.tab.gives("document.querySelector('dialog[open] h2').innerText", "Rename")


async def test_keys_do_not_leak_out_of_a_dialog(seen: Seen) -> None:
    await seen.at("s/outbox", "Run a command")
    await seen.armed()
    await seen.tab.press("?")
    await seen.tab.until("document.querySelector('dialog[open]')")
    await seen.tab.press("a")
    await seen.tab.press("j")
    await seen.tab.press("?")
    await seen.tab.until("!document.querySelector('dialog[open]')")
    assert decisions(seen) == []


async def test_keys_go_through_the_transcript(seen: Seen) -> None:
    await seen.at("s/flaky", "Explore")
    row = "document.activeElement.closest('.bs-cell')?.innerText ?? ''"
    await seen.tab.press("k")
    assert "module-level caches" in await seen.tab.js(row)
    await seen.tab.press("o")
    await seen.tab.until("document.activeElement.ariaExpanded === 'true'")
    await seen.tab.press("k")
    assert "seedCart(" in await seen.tab.js(row)


async def test_alt_goes_to_sessions_trusts_and_plans(seen: Seen) -> None:
    await seen.tab.until("document.querySelector('.bs-session')")
    await chord(seen, "1", "Digit1", ALT)
    await seen.tab.until("location.pathname === '/s/retry'")
    await chord(seen, "å", "KeyA", ALT)
    assert (await until_sent(seen, Trust)).minutes == 15
    await chord(seen, "π", "KeyP", ALT)
    assert (await until_sent(seen, SetMode)).mode == "plan"


async def test_letters_can_be_switched_off(seen: Seen) -> None:
    await seen.at("s/outbox", "Run a command")
    await seen.armed()
    await seen.tab.press("?")
    await seen.tab.click("dialog[open] [role=switch]")
    await seen.tab.press("Escape")
    await seen.tab.until("!document.querySelector('dialog[open]')")
    await seen.tab.press("a")
    await seen.at("s/outbox", "Run a command")
    await seen.armed()
    await seen.tab.press("a")
    assert decisions(seen) == []


async def test_a_session_is_renamed(seen: Seen) -> None:
    await seen.at("s/docs", "Nothing has been said yet")
    await choose(seen, DEEDS, "Rename")
    await seen.tab.until("document.activeElement.matches('dialog[open] input')")
    await seen.tab.write("Policy guide, third draft")
    await seen.picture("rename-light")
    await seen.tab.press("Enter")
    assert (await until_sent(seen, Rename)).title == "Policy guide, third draft"
    await seen.tab.until("!document.querySelector('dialog[open]')")


async def test_a_session_ends_on_the_second_press(seen: Seen) -> None:
    await seen.at("s/docs", "Nothing has been said yet")
    await choose(seen, DEEDS, "End the session")
    await seen.tab.shows("Yes, end it")
    await seen.picture("session-menu-light")
    assert not [command for command in seen.stage.hub.sent if isinstance(command, End | Archive)]
    await seen.tab.js("window.since = performance.now()")
    await seen.tab.until("performance.now() - window.since > 500")
    await seen.tab.click(".is-sure")
    assert (await until_sent(seen, End)).session == "docs"


async def test_from_a_turn_one_forks_or_tries_again(seen: Seen) -> None:
    seen.stage.hub.answers[Fork] = Taken(session=SessionId("docs"))
    await seen.at("s/outbox", "Run a command")
    await choose(seen, "[aria-label='Go on from turn 1']", "Try again")
    assert not [command for command in seen.stage.hub.sent if isinstance(command, Retry)]
    await seen.tab.press("Escape")
    await choose(seen, "[aria-label='Go on from turn 1']", "Fork from here")
    assert (await until_sent(seen, Fork)).at == 1
    await seen.tab.until("location.pathname === '/s/docs'")


async def violations(seen: Seen, state: str) -> object:
    """What axe finds in what the page shows now, which is kept as a picture."""
    await seen.tab.js(AXE.read_text() + ";0")
    await seen.picture(f"open-{state}")
    return json.loads(await seen.tab.js(VIOLATIONS))


@pytest.mark.parametrize("theme", ["light", "dark"])
async def test_axe_finds_nothing_in_what_opens(seen: Seen, theme: str) -> None:
    await seen.tab.theme(theme)
    await seen.at("s/outbox", "Run a command")
    await find(seen, "")
    await seen.tab.shows("This session")
    assert await violations(seen, f"palette-{theme}") == []
    await seen.tab.press("Escape")
    await seen.tab.until("!document.querySelector('dialog[open]')")
    await seen.tab.press("?")
    await seen.tab.until("document.querySelector('dialog[open]')")
    assert await violations(seen, f"keys-{theme}") == []
    for path, button in {"flaky": "[aria-label^='Mode:']", "docs": DEEDS}.items():
        await seen.at(f"s/{path}", "Sessions")
        await seen.tab.click(button)
        await seen.tab.until("document.querySelector('[role=menu]')")
        assert await violations(seen, f"menu-{path}-{theme}") == []
    await seen.at("s/flaky", "Explore")
    await queued(seen, "Update the changelog", "Tell Anna")
    await write(seen, "/")
    await seen.tab.until("document.querySelector('[role=option]')")
    assert await violations(seen, f"offers-{theme}") == []


async def test_on_a_phone_nothing_that_opens_is_wider_than_the_screen(seen: Seen) -> None:
    await seen.tab.size(360, 740, touch=True)
    await seen.at("", "Find the flaky")
    await seen.tab.click('.bs-bar [aria-label="Find or do"]')
    await seen.tab.until("document.querySelector('dialog[open] [role=option]')")
    heights = "[...document.querySelectorAll('[role=option]')].map((it) => it.getBoundingClientRect().height)"
    assert min(await seen.tab.js(heights)) >= 44
    assert await seen.tab.js(TOO_WIDE) == []
    await seen.picture("phone-palette")
    await seen.at("s/flaky", "Explore")
    await queued(seen, "Update the changelog")
    await write(seen, "/")
    await seen.tab.until("document.querySelector('[role=option]')")
    assert await seen.tab.js(TOO_WIDE) == []
    sides = "[...document.querySelectorAll('.bs-tools button')].map((it) => it.getBoundingClientRect())"
    assert await seen.tab.gives(f"{sides}.every(({{height, right}}) => height >= 44 && right <= 360)")
    await seen.picture("phone-offers")
