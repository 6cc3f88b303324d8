"""The page in a real browser, before the real server and a hub in memory."""

import asyncio
import json
from typing import Any

import pytest

from bascule import events as told
from bascule.commands import AllowAlways, AllowOnce, Answers, ApprovePlan, Decide, Deny, Interrupt, Prompt, Start, Undo
from bascule.ids import CommandId, PendingId, SessionId
from tests.e2e.conftest import ROOT, Seen
from tests.e2e.stage import COMMAND

pytestmark = pytest.mark.timeout(60)

VIOLATIONS = """axe.run(document, {resultTypes: ["violations"]}).then(({violations}) => JSON.stringify(
    violations.map(({id, nodes}) => [id, nodes.slice(0, 3).map((it) => it.html.slice(0, 160) + it.failureSummary)])
))"""
TOO_WIDE = """[...document.querySelectorAll(".bs-app *")]
    .filter((it) => it.getBoundingClientRect().right > innerWidth + 1 && !it.closest("pre, table"))
    .map((it) => it.className)"""
AXE = ROOT / "ui" / "node_modules" / "axe-core" / "axe.min.js"


def decisions(seen: Seen) -> list[Any]:
    return [command.decision for command in seen.stage.hub.sent if isinstance(command, Decide)]


async def until_sent(seen: Seen, kind: type) -> Any:
    """The first command of that kind."""
    while True:
        found = [command for command in seen.stage.hub.sent if isinstance(command, kind)]
        if found:
            return found[0]
        await seen.tab.js("new Promise((done) => setTimeout(done, 16))")


async def test_the_list_and_the_inbox_tell_who_waits(seen: Seen) -> None:
    assert await seen.tab.gives("document.title", "(3) bascule")
    for text in ("Waiting for you: approval", "Waiting for you: plan", "Waiting for you: question", COMMAND):
        await seen.tab.shows(text)
    assert "#" not in await seen.tab.js("location.href"), "the token stays in the address"
    await seen.picture("hub-light")


async def test_a_key_allows_once_what_was_on_screen(seen: Seen) -> None:
    await seen.at("s/outbox", "Run a command")
    await seen.armed()
    await seen.tab.press("a")
    await seen.tab.shows("Allowed once")
    assert decisions(seen) == [AllowOnce()]
    decide = await until_sent(seen, Decide)
    assert (decide.by, decide.surface, decide.input_hash) == ("Anna", "web", "h1")


async def test_a_key_that_comes_too_early_decides_nothing(seen: Seen) -> None:
    await seen.at("s/outbox", "Run a command")
    await seen.tab.click(".bs-allow, .is-allow")
    assert decisions(seen) == []


async def test_enter_decides_nothing_while_the_heading_has_the_focus(seen: Seen) -> None:
    await seen.at("s/outbox", "Run a command")
    await seen.armed()
    assert await seen.tab.gives("document.activeElement.textContent", "Run a command")
    await seen.tab.press("Enter")
    await seen.tab.js("new Promise((done) => setTimeout(done, 16))")
    assert decisions(seen) == []


async def test_a_denial_has_a_reason(seen: Seen) -> None:
    await seen.at("s/outbox", "Run a command")
    await seen.armed()
    await seen.tab.press("d")
    await seen.tab.until("document.activeElement.matches('.bs-panel input')")
    await seen.picture("ask-deny-light")
    await seen.tab.write("Not on a shared branch")
    await seen.tab.press("Enter")
    await seen.tab.shows("Denied")
    assert decisions(seen) == [Deny(reason="Not on a shared branch")]


async def test_always_shows_the_rule_and_what_it_covers(seen: Seen) -> None:
    await seen.at("s/outbox", "Run a command")
    await seen.armed()
    await seen.tab.press("A", shift=True)
    await seen.tab.shows("Also covers")
    await seen.tab.until("!document.querySelector('.bs-panel [type=submit]').disabled")
    await seen.picture("ask-always-light")
    await seen.tab.click(".bs-panel [type=submit]")
    await seen.tab.shows("Always allowed")
    assert decisions(seen) == [AllowAlways(rule="Bash(npm ci)", scope="session")]


async def test_an_edited_command_runs_as_edited(seen: Seen) -> None:
    await seen.at("s/outbox", "Run a command")
    await seen.armed()
    await seen.tab.press("e")
    await seen.tab.until("document.querySelector('.bs-panel textarea')")
    await seen.tab.js("const it = document.querySelector('.bs-panel textarea'); it.focus(); it.select()")
    await seen.tab.write("git fetch origin")
    await seen.tab.until("!document.querySelector('.bs-panel [type=submit]').disabled")
    await seen.tab.click(".bs-panel [type=submit]")
    await seen.tab.shows("Allowed once")
    (decision,) = decisions(seen)
    assert decision.input["command"] == "git fetch origin"


async def test_a_plan_is_approved_by_its_digit(seen: Seen) -> None:
    await seen.at("s/plan", "Keyboard and screen reader")
    await seen.armed()
    await seen.picture("plan-light")
    await seen.tab.press("2")
    await until_sent(seen, Decide)
    assert decisions(seen) == [ApprovePlan(then="accept_edits")]


async def test_questions_are_answered_step_by_step(seen: Seen) -> None:
    await seen.at("s/retry", "1 of 2")
    await seen.armed()
    await seen.picture("question-light")
    await seen.tab.press("1")
    await seen.tab.until("!document.querySelector('.is-allow').disabled")
    await seen.tab.click(".is-allow")
    await seen.tab.shows("2 of 2")
    await seen.tab.press("1")
    await seen.tab.press("2")
    await seen.tab.shows("Send 2 answers")
    await seen.tab.click(".is-allow")
    await until_sent(seen, Decide)
    both = ["Exponential with jitter", "Fixed, every 5 s"]
    answers = {"How should the worker wait between attempts?": both[0], "Which errors?": both}
    assert decisions(seen) == [Answers(answers=answers)]


async def test_an_ask_that_another_device_answered_is_told_with_its_name(seen: Seen) -> None:
    await seen.at("s/outbox", "Run a command")
    other = Decide(
        command_id=CommandId("x"), session=SessionId("outbox"), pending_id=PendingId("a1"), decision=AllowOnce(),
        by="Jonas", surface="phone",
    )  # fmt: skip
    await seen.stage.hub.send(other)
    await seen.tab.shows("Jonas, phone")
    assert await seen.tab.gives("document.querySelector('[data-ask]') === null")


async def test_a_prompt_is_sent_and_answered(seen: Seen) -> None:
    await seen.at("s/docs", "Nothing has been said yet")
    await seen.tab.js("document.querySelector('.bs-composer textarea').focus()")
    await seen.tab.write("Write the guide")
    await seen.tab.press("Enter")
    await seen.tab.shows("You said: Write the guide")
    prompt = await until_sent(seen, Prompt)
    assert (prompt.text, prompt.when) == ("Write the guide", "steer")
    assert await seen.tab.gives("document.querySelector('.bs-composer textarea').value", "")


async def test_what_is_sent_while_a_turn_runs_is_queued_and_escape_stops(seen: Seen) -> None:
    await seen.at("s/flaky", "Explore")
    await seen.tab.js("document.querySelector('.bs-composer textarea').focus()")
    await seen.tab.write("Then open a pull request")
    await seen.tab.press("Enter")
    assert (await until_sent(seen, Prompt)).when == "queue"
    await seen.tab.js("document.activeElement.blur()")
    await seen.tab.press("Escape")
    assert (await until_sent(seen, Interrupt)).session == "flaky"
    await seen.tab.shows("no turn runs: there is nothing to stop")


async def test_text_streams_and_becomes_a_document(seen: Seen) -> None:
    await seen.at("s/flaky", "Explore")
    chunk = told.MessageChunk(item="m9", text="Key the cache:\n\n- by worker\n\nand **res", partial=True, turn=1)
    await seen.stage.hub.all[SessionId("flaky")].tell(chunk)
    await seen.tab.until("document.querySelector('.bs-say li')?.textContent === 'by worker'")
    assert await seen.tab.gives("document.querySelector('.bs-tail').textContent.trim()", "and **res")
    await seen.picture("live-light")
    whole = told.MessageChunk(item="m9", text="Key the cache:\n\n- by worker\n\nand **reset** it", turn=1)
    await seen.stage.hub.all[SessionId("flaky")].tell(whole)
    await seen.tab.until("document.querySelector('.bs-say strong')?.textContent === 'reset'")


async def test_html_of_the_model_is_no_html_of_the_page(seen: Seen) -> None:
    text = 'Look: <img src=x onerror="window.bad = 1"><script>window.bad = 1</script><b style="color:red">bold</b>'
    await seen.stage.hub.all[SessionId("docs")].tell(told.MessageChunk(item="m1", text=text))
    await seen.at("s/docs", "Look:")
    assert await seen.tab.gives(
        "window.bad ?? document.querySelectorAll('.bs-say :is(img, script, [style])').length", 0
    )


async def test_of_thousands_of_items_a_window_is_drawn(seen: Seen) -> None:
    many = [told.Notice(level="info", text=f"Notice {number}") for number in range(2500)]
    await seen.stage.hub.all[SessionId("audit")].tell(*many)
    await seen.at("s/audit", "Notice 2499")
    assert await seen.tab.js("document.querySelectorAll('.bs-cell').length") < 150
    up = "document.querySelector('.bs-scroll').scrollTop = 0"
    await seen.tab.until(f"({up}, document.body.innerText.includes('Notice 0\\n'))")


async def test_the_reader_who_left_the_end_stays_where_he_is(seen: Seen) -> None:
    many = [told.Notice(level="info", text=f"Notice {number}") for number in range(200)]
    session = seen.stage.hub.all[SessionId("audit")]
    await session.tell(*many)
    await seen.at("s/audit", "Notice 199")
    await seen.tab.js("document.querySelector('.bs-scroll').scrollTop = 900")
    await seen.tab.shows("New below")
    top = await seen.tab.js("document.querySelector('.bs-scroll').scrollTop")
    await session.tell(told.Notice(level="info", text="Notice 200"))
    await seen.tab.js("new Promise((done) => setTimeout(done, 200))")
    assert abs(await seen.tab.js("document.querySelector('.bs-scroll').scrollTop") - top) <= 2
    await seen.tab.click(".bs-pill")
    await seen.tab.shows("Notice 200")


async def test_on_a_phone_nothing_is_wider_than_the_screen(seen: Seen) -> None:
    await seen.tab.size(360, 740, touch=True)
    places = {"": "Move the outbox", "inbox": "Oldest first", "s/outbox": "Run a command", "s/flaky": "Explore"}
    for path, text in places.items():
        await seen.at(path, text)
        assert await seen.tab.js(TOO_WIDE) == [], path
        await seen.picture(f"phone-{path.replace('/', '-') or 'list'}")


async def test_on_a_phone_the_main_verbs_are_large_and_a_decision_can_be_taken_back(seen: Seen) -> None:
    await seen.tab.size(360, 740, touch=True)
    await seen.at("s/outbox", "Run a command")
    await seen.armed()
    heights = "[...document.querySelectorAll('.bs-verbs button')].map((it) => it.getBoundingClientRect().height)"
    assert min(await seen.tab.js(heights)) >= 44
    await seen.tab.click(".is-allow")
    await seen.tab.shows("Take back")
    await seen.picture("phone-undo")
    await seen.tab.click(".bs-undo button")
    await seen.tab.shows("Allow once")
    assert decisions(seen) == []
    assert not [command for command in seen.stage.hub.sent if isinstance(command, Undo)]


async def test_the_page_asks_nobody_else(seen: Seen) -> None:
    await seen.at("s/outbox", "Run a command")
    entries = "performance.getEntriesByType('resource').map((it) => new URL(it.name).origin)"
    origins = await seen.tab.js(f"[...new Set({entries})]")
    assert origins == [await seen.tab.js("location.origin")]


@pytest.mark.parametrize("theme", ["light", "dark"])
async def test_axe_finds_nothing(seen: Seen, theme: str) -> None:
    await seen.tab.theme(theme)
    for path in ("", "inbox", "s/outbox", "s/plan", "s/retry", "s/flaky"):
        await seen.at(path, "Sessions")
        await seen.tab.until("document.querySelector('.bs-session, .bs-ask, .bs-row')")
        await seen.tab.js(AXE.read_text() + ";0")
        found = json.loads(await seen.tab.js(VIOLATIONS))
        assert found == [], f"{path}: {json.dumps(found, indent=1)}"
        await seen.picture(f"{path.replace('/', '-') or 'hub'}-{theme}")


async def test_the_key_sheet_opens_and_closes(seen: Seen) -> None:
    await seen.tab.press("?")
    await seen.tab.until("document.querySelector('dialog[open]')")
    await seen.picture("keys-light")
    await seen.tab.press("Escape")
    await seen.tab.until("!document.querySelector('dialog[open]')")
    assert await seen.tab.gives("document.title", "(3) bascule"), "the page behind it went on"


async def test_what_was_made_small_is_first_opened_and_then_allowed(seen: Seen) -> None:
    await seen.at("s/outbox", "Run a command")
    await seen.tab.click('[aria-label="Make it small"]')
    await seen.tab.shows("Read it")
    await seen.tab.press("a")
    await seen.armed()
    await seen.tab.shows("Approve?")
    assert decisions(seen) == []
    await seen.tab.press("a")
    await until_sent(seen, Decide)
    assert decisions(seen) == [AllowOnce()]


async def test_of_several_asks_a_key_first_goes_to_one(seen: Seen) -> None:
    await seen.at("inbox", "Oldest first")
    await seen.armed()
    await seen.tab.press("a")
    await seen.tab.until("document.activeElement.closest('[data-ask]')")
    assert decisions(seen) == []
    await seen.tab.press("a")
    await until_sent(seen, Decide)
    assert decisions(seen) == [AllowOnce()]


async def test_an_answer_that_comes_too_late_is_told_without_blame(seen: Seen) -> None:
    await seen.at("s/outbox", "Run a command")
    await seen.armed()
    hub = seen.stage.hub
    session = hub.all[SessionId("outbox")]
    hub.held = asyncio.Event()
    await seen.tab.press("a")
    await seen.tab.shows("Sending")
    session.winners[PendingId("a1")] = "denied by Jonas (phone)"
    gone = told.PermissionResolved(
        pending_id=PendingId("a1"), outcome="denied", by="Jonas", surface="phone", waited_ms=9000
    )
    await session.tell(gone)
    hub.held.set()
    await seen.tab.shows("Too late: denied by Jonas (phone). Your Allow was not sent.")
    await seen.picture("too-late-light")
    assert await seen.tab.gives("document.querySelector('[data-ask]') === null")


async def test_a_session_is_begun_on_the_page(seen: Seen) -> None:
    await seen.tab.until("document.querySelector('.bs-session')")
    await seen.tab.press("n")
    await seen.tab.until("document.querySelector('dialog[open] textarea')")
    await seen.tab.js("document.querySelector('dialog textarea').focus()")
    await seen.tab.write("Look around")
    await seen.picture("start-light")
    await seen.tab.click("dialog [type=submit]")
    start = await until_sent(seen, Start)
    assert (start.cwd, start.prompt) == (str(seen.stage.hub.workspace), "Look around")
    await seen.tab.until("location.pathname.startsWith('/s/') && !document.querySelector('dialog[open]')")
