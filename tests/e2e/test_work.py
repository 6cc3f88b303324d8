"""What is beside the conversation: links into it, trust and grants, changes, going back, files; in a real browser."""

import json
from urllib.parse import quote

import pytest

from bascule import events as told
from bascule.commands import AllowOnce, Decide, Deny, Interrupt, Prompt, RevokeGrant, Rewind, StopTask, Trust
from bascule.ids import SessionId
from tests.e2e.conftest import Seen
from tests.e2e.stage import begun, over
from tests.e2e.test_page import AXE, TOO_WIDE, VIOLATIONS, until_sent

pytestmark = pytest.mark.timeout(60)

SMALL = "document.querySelector('[aria-label=\"Make it small\"]')?.click()"


async def press(seen: Seen, text: str) -> None:
    """The first button, or choice of a menu, that reads so."""
    all_of_them = "[...document.querySelectorAll('button, summary')]"
    find = f"{all_of_them}.find((it) => it.innerText.trim().startsWith({json.dumps(text)}))"
    await seen.tab.until(find)
    await seen.tab.js(f"{find}.click()")


async def test_edits_are_trusted_for_a_while_and_that_is_ended(seen: Seen) -> None:
    await seen.at("s/docs", "Nothing has been said yet")
    await seen.stage.hub.all[SessionId("docs")].tell(*begun("Go"), over())
    await seen.tab.click('[aria-label="Trust for a while"]')
    await seen.tab.shows("commands still ask")
    await seen.picture("trust-menu-light")
    await press(seen, "Accept edits for 15 minutes")
    assert (await until_sent(seen, Trust)).minutes == 15
    await seen.tab.until("/^1[45]:\\d\\d$/.test(document.querySelector('.bs-trusted b')?.textContent)")
    await seen.at("s/docs", "Accept edits")
    await seen.tab.until("document.querySelector('.is-bypass .bs-trusted')")
    await seen.picture("trusted-light")
    await seen.tab.click(".bs-trusted button")
    await until_sent(seen, RevokeGrant)
    await seen.tab.until("!document.querySelector('.bs-trusted')")
    await seen.tab.click("[data-keys=c]")
    await press(seen, "Grants")
    await seen.tab.shows("taken back by Anna")


async def test_changes_are_read_and_remarked_on(seen: Seen) -> None:
    await seen.at("s/outbox", "Run a command")
    await seen.tab.js(SMALL)
    await seen.tab.click("[data-keys=c]")
    await seen.tab.shows("migrations/0007_outbox.sql")
    await seen.tab.until("document.querySelector('.bs-changed .is-key')")
    await seen.tab.click('[aria-label="Comment on line 49"]')
    await seen.tab.until("document.activeElement.matches('.bs-remark input')")
    await seen.tab.write("Say what comes back")
    await seen.tab.press("Enter")
    await seen.tab.shows("1 comment")
    await seen.picture("changes-light")
    await press(seen, "uv.lock")
    await seen.tab.shows("written by a program")
    await press(seen, "Send to Claude")
    assert (await until_sent(seen, Prompt)).text == "src/outbox.py:49\n> return row.lastrowid\nSay what comes back"


async def test_files_are_put_back_only_after_it_was_shown_what_would_change(seen: Seen) -> None:
    await seen.at("s/docs", "Nothing has been said yet")
    await seen.stage.hub.all[SessionId("docs")].tell(*begun("Write the guide"), over(prompt_ids=("p Write the guide",)))
    await seen.tab.click("[data-keys=c]")
    await press(seen, "Go back")
    await press(seen, "What would change?")
    await seen.tab.shows("Would put back 1 file, +2 \N{MINUS SIGN}3 lines")
    await seen.picture("rewind-light")
    assert [one.dry_run for one in seen.stage.hub.sent if isinstance(one, Rewind)] == [True]
    await press(seen, "Put back")
    await seen.tab.js("new Promise((done) => setTimeout(done, 450))")
    await press(seen, "Put them back?")
    await seen.tab.until("document.body.innerText.includes('Put back 1 file')")
    assert [one.dry_run for one in seen.stage.hub.sent if isinstance(one, Rewind)] == [True, False]


async def test_a_task_in_the_background_is_stopped(seen: Seen) -> None:
    await seen.at("s/flaky", "1 in background")
    await press(seen, "1 in background")
    await seen.tab.click(".is-tasks li button")
    await seen.picture("tasks-light")
    await seen.tab.js("new Promise((done) => setTimeout(done, 450))")
    await seen.tab.click(".is-tasks li button")
    assert (await until_sent(seen, StopTask)).task_id == "t1"


async def test_a_turn_that_says_nothing_is_told_of_and_can_be_ended(seen: Seen) -> None:
    await seen.tab.js("Date.now = ((now) => () => now() + 400_000)(Date.now)")
    await seen.tab.click('a[href="/s/flaky"]')
    await seen.tab.shows("Nothing was heard for")
    await seen.picture("silent-light")
    await press(seen, "Cancel turn")
    assert (await until_sent(seen, Interrupt)).session == "flaky"


async def test_a_link_leads_to_an_item_of_long_ago(seen: Seen) -> None:
    many = [told.Notice(level="info", text=f"Notice {number}") for number in range(2500)]
    await seen.stage.hub.all[SessionId("audit")].tell(*many)
    await seen.at(f"s/audit#item={quote('notice:301', safe='')}", "Notice 300")
    await seen.tab.until("document.querySelector('.is-goal')?.innerText.includes('Notice 300')")
    place = "document.querySelector('.is-goal').getBoundingClientRect().top"
    assert 0 < await seen.tab.js(place) < 400


TABS = {"Grants": "allowed for longer", "Files": "Recording", "Go back": "put back", "Changes": "uv.lock"}


@pytest.mark.parametrize("theme", ["light", "dark"])
async def test_axe_finds_nothing_and_a_phone_shows_all(seen: Seen, theme: str) -> None:
    await seen.tab.theme(theme)
    await seen.at("s/outbox", "Run a command")
    await seen.tab.js(SMALL)
    await seen.tab.click("[data-keys=c]")
    await seen.tab.js(AXE.read_text() + ";0")
    for width in (1280, 360):
        await seen.tab.size(width, 800)
        for tab, text in TABS.items():
            await press(seen, tab)
            await seen.tab.shows(text)
            assert json.loads(await seen.tab.js(VIOLATIONS)) == [], tab
            assert await seen.tab.js(TOO_WIDE) == [], tab
            await seen.picture(f"work-{tab.lower().replace(' ', '-')}-{width}-{theme}")


async def test_remarks_on_lines_of_a_plan_are_what_is_to_be_changed(seen: Seen) -> None:
    await seen.at("s/plan", "Keyboard and screen reader")
    await seen.armed()
    await seen.tab.click('[aria-label="Comment on line 4"]')
    await seen.tab.until("document.activeElement.matches('.bs-remark input')")
    await seen.tab.write("Say which region")
    await seen.tab.press("Enter")
    await seen.tab.shows("with 1 comment")
    await seen.at("s/plan", "with 1 comment")
    await seen.armed()
    assert await seen.tab.gives("document.querySelector('.bs-plan ol[start=\"2\"]') !== null"), "each keeps its number"
    await seen.picture("plan-comments-light")
    await seen.tab.press("4")
    await seen.tab.until("document.activeElement.matches('.bs-panel input')")
    await seen.tab.write("And begin with the form.")
    await seen.tab.press("Enter")
    said = "line 4\n> 2. Move the error summary into a **live region**\nSay which region\n\nAnd begin with the form."
    assert (await until_sent(seen, Decide)).decision == Deny(reason=said)


async def test_a_rule_is_trusted_for_a_while_from_an_ask(seen: Seen) -> None:
    await seen.at("s/outbox", "Run a command")
    await seen.armed()
    await seen.tab.press("A", shift=True)
    await seen.tab.until("document.querySelector('.bs-panel select')")
    choose = "it.value = 'trust'; it.dispatchEvent(new Event('change', {bubbles: true}))"
    await seen.tab.js(f"const it = document.querySelector('.bs-panel select'); {choose}")
    await seen.tab.shows("Allow, and trust for a while")
    await seen.tab.until("!document.querySelector('.bs-panel [type=submit]').disabled")
    await seen.tab.click(".bs-panel [type=submit]")
    trust = await until_sent(seen, Trust)
    assert (trust.what, trust.rule, trust.minutes) == ("rule", "Bash(npm ci)", 15)
    assert (await until_sent(seen, Decide)).decision == AllowOnce()
    await seen.tab.until("document.querySelector('.bs-trusted')?.innerText.includes('Bash(npm ci)')")


async def test_answers_that_were_begun_outlive_a_reload(seen: Seen) -> None:
    await seen.at("s/retry", "1 of 2")
    await seen.armed()
    await seen.tab.press("1")
    await seen.tab.shows("each 20 % more or less")
    await seen.picture("question-preview-light")
    await seen.tab.click(".is-allow")
    await seen.tab.shows("2 of 2")
    await seen.at("s/retry", "2 of 2")
    await press(seen, "Back")
    await seen.tab.shows("1 of 2")
    chosen = "[...document.querySelectorAll('[role=radio][aria-checked=true] b')].map((it) => it.textContent)"
    assert await seen.tab.gives(chosen, ["Exponential with jitter"])


async def test_a_hit_of_a_search_leads_to_its_file(seen: Seen) -> None:
    source = seen.stage.hub.workspace / "src" / "outbox.py"
    source.parent.mkdir()
    source.write_text("import json\n\nSENT = 1\n")
    await seen.at("s/outbox", "Run a command")
    await seen.tab.js(SMALL)
    await seen.tab.js("document.querySelector('.bs-scroll').scrollTop = 0")
    await press(seen, "src/outbox.py:52")
    await seen.tab.shows("SENT = 1")
    await seen.tab.until("document.querySelector('.bs-take .is-key')")
    assert await seen.tab.gives(
        "document.querySelector('.bs-take .bs-path').innerText.split('\\n')[0]", "src/outbox.py"
    )
    await seen.picture("files-light")
