"""What a person says, in a real browser: the queue, the menus, what goes with a prompt."""

import asyncio
import struct
from typing import Any

import pytest

from bascule.commands import (
    DropQueued,
    EditQueued,
    HoldQueue,
    Interrupt,
    MoveQueued,
    Prompt,
    Receipt,
    SendQueued,
    SetMode,
    SetModel,
    Taken,
)
from bascule.events import Complete
from bascule.ids import CommandId, SessionId
from tests.e2e.conftest import Seen
from tests.e2e.test_page import until_sent

pytestmark = pytest.mark.timeout(60)

FLAKY = SessionId("flaky")
FIELD = "document.querySelector('.bs-composer textarea')"
CHIPS = "[...document.querySelectorAll('.bs-queued .bs-cutoff')].map((it) => it.textContent)"


async def queued(seen: Seen, *texts: str) -> None:
    """Prompts wait in the session that works, and its page shows them."""
    for number, text in enumerate(texts):
        waits = Prompt(command_id=CommandId(f"q{number}"), session=FLAKY, text=text, when="queue")
        await seen.stage.hub.send(waits)
    await seen.at("s/flaky", texts[-1])


async def write(seen: Seen, text: str) -> None:
    await seen.tab.js(f"{FIELD}.focus()")
    await seen.tab.write(text)


async def choose(seen: Seen, button: str, choice: str) -> None:
    """Open a menu by what its button is called, and choose."""
    await seen.tab.click(button)
    found = f"[...document.querySelectorAll('[role^=menuitem]')].find((it) => it.innerText.startsWith({choice!r}))"
    await seen.tab.until(found)
    await seen.tab.js(f"{found}.click()")


async def test_the_queue_is_edited_ordered_and_emptied(seen: Seen) -> None:
    await queued(seen, "Update the changelog", "Open a pull request", "Tell Anna")
    await choose(seen, "[aria-label^='3:']", "Earlier")
    move = await until_sent(seen, MoveQueued)
    assert (move.queued, move.before) == (3, 2)
    await seen.tab.until(f"{CHIPS}[1] === 'Tell Anna'")
    await choose(seen, "[aria-label^='1:']", "Edit")
    await seen.tab.until("document.activeElement.matches('.bs-requeue textarea')")
    await seen.tab.js("document.activeElement.select()")
    await seen.tab.write("Update the notes")
    await seen.picture("queue-edit-light")
    await seen.tab.press("Enter")
    assert (await until_sent(seen, EditQueued)).text == "Update the notes"
    await seen.tab.until(f"{CHIPS}[0] === 'Update the notes'")
    await seen.tab.click('[aria-label="Drop 2"]')
    assert (await until_sent(seen, DropQueued)).queued == 3
    await choose(seen, "[aria-label^='1:']", "Send now")
    await until_sent(seen, SendQueued)
    await seen.tab.shows("You said: Update the notes")
    await seen.tab.until(f"{CHIPS}.join() === 'Open a pull request'")


async def test_a_queue_is_held_and_let_go(seen: Seen) -> None:
    await queued(seen, "Update the changelog")
    await seen.tab.click("[role=switch]")
    assert (await until_sent(seen, HoldQueue)).hold is True
    await seen.tab.until("document.querySelector('[role=switch]').ariaChecked === 'false'")
    await seen.tab.shows("Held")


async def test_what_was_said_while_it_is_edited_becomes_a_new_prompt(seen: Seen) -> None:
    await queued(seen, "Update the changelog")
    await choose(seen, "[aria-label^='1:']", "Edit")
    await seen.tab.until("document.activeElement.matches('.bs-requeue textarea')")
    await seen.stage.hub.send(DropQueued(command_id=CommandId("d"), session=FLAKY, queued=1))
    await seen.tab.shows("It waits no more")
    await seen.tab.press("Enter")
    await seen.tab.until(f"{CHIPS}.join() === 'Update the changelog'")
    assert not [command for command in seen.stage.hub.sent if isinstance(command, EditQueued)]


async def test_a_stop_tells_how_far_it_has_come(seen: Seen) -> None:
    hub = seen.stage.hub
    stopping: Receipt = Taken(acknowledged=False)
    hub.answers[Interrupt] = stopping
    await seen.at("s/flaky", "Stop")
    await seen.tab.press("Escape")
    await seen.tab.shows("its process is being stopped by force")
    await seen.tab.shows("End the session")
    await seen.picture("stop-forced-light")
    await hub.all[FLAKY].tell(Complete(outcome="interrupted", turn=1))
    await seen.tab.until("!document.body.innerText.includes('by force')")
    assert await seen.tab.gives("!document.querySelector('.bs-tools').innerText.includes('Stop')")


async def test_keys_in_a_menu_stay_there(seen: Seen) -> None:
    await queued(seen, "Update the changelog", "Open a pull request")
    await seen.tab.click("[aria-label^='2:']")
    focused: Any = "document.activeElement.innerText"
    await seen.tab.until(f"{focused}.startsWith('Edit')")
    await seen.tab.press("d")
    assert await seen.tab.gives(focused, "Drop")
    await seen.tab.press("Escape")
    await seen.tab.until("!document.querySelector('[role=menu]')")
    assert await seen.tab.gives("document.activeElement.ariaLabel", "2: Open a pull request")
    assert not [command for command in seen.stage.hub.sent if isinstance(command, Interrupt)]


async def test_on_a_phone_a_menu_is_a_sheet_of_large_targets(seen: Seen) -> None:
    await seen.tab.size(360, 740, touch=True)
    await queued(seen, "Open a pull request", "Open a pull request")
    await seen.tab.shows("1 more")
    await seen.tab.click("[aria-label^='1:']")
    await seen.tab.until("document.querySelector('[role=menu]')")
    sheet = "document.querySelector('.bs-pop').getBoundingClientRect()"
    assert await seen.tab.gives(f"[{sheet}.left, {sheet}.right, {sheet}.bottom]", [0, 360, 740])
    heights = "[...document.querySelectorAll('[role=menuitem]')].map((it) => it.getBoundingClientRect().height)"
    assert min(await seen.tab.js(heights)) >= 44
    await seen.picture("phone-menu-light")


async def test_a_command_is_chosen_by_keys(seen: Seen) -> None:
    await seen.at("s/flaky", "Explore")
    await write(seen, "/re")
    await seen.tab.until("document.querySelector('[role=option]')?.innerText.includes('Review a pull request')")
    meant = "document.getElementById(document.activeElement.getAttribute('aria-activedescendant')).innerText"
    assert "/review" in await seen.tab.js(meant)
    await seen.picture("commands-light")
    await seen.tab.press("Enter")
    await seen.tab.until(f"{FIELD}.value === '/review '")
    await seen.tab.write("12")
    await seen.tab.press("Enter")
    assert (await until_sent(seen, Prompt)).text == "/review 12"


async def test_a_file_is_named_from_the_workspace(seen: Seen) -> None:
    (seen.stage.hub.workspace / "src").mkdir()
    for name in ("outbox.py", "audit.py"):
        (seen.stage.hub.workspace / "src" / name).touch()
    await seen.at("s/flaky", "Explore")
    await write(seen, "Look at @src/o")
    await seen.tab.until("document.querySelector('[role=option]')?.innerText === 'src/outbox.py'")
    await seen.tab.press("Tab")
    await seen.tab.until(f"{FIELD}.value === 'Look at @src/outbox.py '")
    assert await seen.tab.gives("document.querySelector('[role=listbox]') === null")


async def test_escape_closes_what_is_offered_and_stops_nothing(seen: Seen) -> None:
    await seen.at("s/flaky", "Explore")
    await write(seen, "/re")
    await seen.tab.until("document.querySelector('[role=option]')")
    await seen.tab.press("Escape")
    await seen.tab.until("!document.querySelector('[role=option]')")
    assert await seen.tab.gives(f"document.activeElement === {FIELD}")
    assert not [command for command in seen.stage.hub.sent if isinstance(command, Interrupt)]


async def test_a_mode_is_chosen_with_what_it_means(seen: Seen) -> None:
    await seen.at("s/flaky", "Explore")
    await seen.tab.click('[aria-label^="Mode:"]')
    await seen.tab.shows("Commands still ask.")
    await seen.tab.shows("it decides about every call, whatever the mode")
    await seen.picture("modes-light")
    await seen.tab.press("Escape")
    await choose(seen, "[aria-label^='Mode:']", "Plan")
    assert (await until_sent(seen, SetMode)).mode == "plan"


async def test_nothing_is_bypassed_by_one_press(seen: Seen) -> None:
    await seen.at("s/flaky", "Explore")
    await choose(seen, "[aria-label^='Mode:']", "Bypass")
    await seen.tab.shows("Yes, let everything run")
    assert not [command for command in seen.stage.hub.sent if isinstance(command, SetMode)]
    await seen.tab.click(".is-sure")
    assert not [command for command in seen.stage.hub.sent if isinstance(command, SetMode)], "a bounce is no answer"
    await seen.tab.js("window.since = performance.now()")
    await seen.tab.until("performance.now() - window.since > 500")
    await seen.tab.click(".is-sure")
    assert (await until_sent(seen, SetMode)).mode == "bypassPermissions"


async def test_a_model_is_chosen_or_written(seen: Seen) -> None:
    await seen.at("s/flaky", "Explore")
    await choose(seen, "[aria-label^='Model:']", "haiku")
    assert (await until_sent(seen, SetModel)).model == "haiku"
    await seen.tab.click('[aria-label^="Model:"]')
    await seen.tab.until("document.querySelector('.bs-another input')")
    await seen.tab.js("document.querySelector('.bs-another input').focus()")
    await seen.tab.write("claude-next")
    seen.stage.hub.held = asyncio.Event()
    await seen.tab.press("Enter")
    await seen.tab.shows("claude-next …")
    seen.stage.hub.held.set()
    await seen.tab.until("!document.querySelector('.bs-tools').innerText.includes('…')")
    sent = [command.model for command in seen.stage.hub.sent if isinstance(command, SetModel)]
    assert sent == ["haiku", "claude-next"]


async def test_the_list_of_things_to_do_opens(seen: Seen) -> None:
    await seen.at("s/outbox", "1/3")
    await seen.tab.click(".bs-todo-line")
    await seen.tab.shows("Create the table")
    assert await seen.tab.gives("document.querySelector('.bs-todo-line').ariaExpanded", "true")


LARGE = """(async () => {
    const canvas = new OffscreenCanvas(3136, 1000)
    const brush = canvas.getContext("2d")
    brush.fillStyle = "#3a7"
    brush.fillRect(200, 200, 2000, 500)
    const picture = new File([await canvas.convertToBlob()], "trace.png", {type: "image/png"})
    const data = new DataTransfer()
    for (const file of [picture, new File(["a,b"], "table.csv", {type: "text/csv"})]) data.items.add(file)
    return data
})()"""


async def test_a_large_picture_is_made_small_and_goes_with_the_prompt(seen: Seen) -> None:
    await seen.at("s/docs", "Nothing has been said yet")
    drop = 'new DragEvent("drop", {dataTransfer: data, bubbles: true, cancelable: true})'
    await seen.tab.js(f"{LARGE}.then((data) => {{ document.querySelector('.bs-composer').dispatchEvent({drop}) }})")
    await seen.tab.shows("scaled")
    await seen.tab.shows("as a file")
    await write(seen, "What is this?")
    await seen.picture("attached-light")
    await seen.tab.press("Enter")
    picture, table = (await until_sent(seen, Prompt)).attachments
    assert (picture.name, picture.sent_as, picture.data[:4]) == ("trace.png", "block", b"\x89PNG")
    assert struct.unpack(">II", picture.data[16:24]) == (1568, 500)
    assert (table.name, table.sent_as, table.data) == ("table.csv", "file", b"a,b")
    await seen.tab.until("!document.querySelector('.bs-attached')")


async def test_what_is_pasted_can_be_taken_away(seen: Seen) -> None:
    await seen.at("s/docs", "Nothing has been said yet")
    paste = 'new ClipboardEvent("paste", {clipboardData: data, bubbles: true, cancelable: true})'
    await seen.tab.js(f"{LARGE}.then((data) => {{ {FIELD}.dispatchEvent({paste}) }})")
    await seen.tab.shows("scaled")
    await seen.tab.shows("as a file")
    await seen.tab.click('[aria-label="Take trace.png away"]')
    await seen.tab.until("document.querySelectorAll('.bs-attached li').length === 1")
    await write(seen, "And this?")
    await seen.tab.press("Enter")
    (table,) = (await until_sent(seen, Prompt)).attachments
    assert table.name == "table.csv"
