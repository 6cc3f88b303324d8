"""The page before a real hub, with the real CLI on a scripted model: that what is pressed is what happens."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bascule.commands import Start, Taken
from bascule.demo.model import ScriptedModel
from bascule.demo.script import Script, call, say, turn, when
from bascule.hub.hub import Hub
from bascule.ids import CommandId
from bascule.web.app import app
from bascule.web.serving import listen, serving
from bascule.web.settings import Settings
from tests.e2e.chromium import Tab, new_tab
from tests.e2e.test_composer import CHIPS, FIELD, LARGE
from tests.hub.outlived import Home
from tests.web.double import MemoryKeys

pytestmark = pytest.mark.timeout(180)

SCRIPT = Script(
    turn(call("Bash", command="touch made"), say("Made."), when=when(prompt="make it")),
    turn(say("The lighthouse is lit."), when=when(prompt="third")),
    turn(say("A green field."), when=when(prompt="picture")),
    turn(say("Very well."), when=when(prompt="second")),
)


@pytest.fixture
async def hub(
    tmp_path: Path, claude_cli: Path, clean_env: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Hub]:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "own"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    (tmp_path / "hub").mkdir()
    home = Home(tmp_path / "hub")
    with ScriptedModel(SCRIPT) as model:
        home.settle(cli=claude_cli, env={**clean_env, "ANTHROPIC_BASE_URL": model.url})
        async with home.hub() as hub:
            begin = Start(command_id=CommandId("b"), cwd=str(home.workspace), title="The lamp", prompt="make it")
            assert isinstance(await hub.send(begin), Taken)
            yield hub
    home.clear()


@pytest.fixture
async def tab(hub: Hub, browser: str) -> AsyncIterator[Tab]:
    """The session's page."""
    listening, settings = listen(Settings(port=0))
    application = app(hub, settings, MemoryKeys())
    async with serving(application, settings, listening), new_tab(browser) as tab:
        tab.patience_s = 40  # a CLI starts, and starts again after a stop
        await tab.size(1280, 800)
        (facts,) = await hub.sessions()
        await tab.open(f"{settings.url}/#token={application.state.door.own_key('Anna')}")
        await tab.shows("The lamp")
        await tab.open(f"{settings.url}/s/{facts.id}")
        await tab.shows("Run a command")
        yield tab
        assert tab.complaints == []


async def say_it(tab: Tab, text: str) -> None:
    await tab.js(f"{FIELD}.focus()")
    await tab.write(text)
    await tab.press("Enter")


async def choose(tab: Tab, button: str, choice: str) -> None:
    await tab.click(button)
    found = f"[...document.querySelectorAll('[role^=menuitem]')].find((it) => it.innerText.startsWith({choice!r}))"
    await tab.until(found)
    await tab.js(f"{found}.click()")


async def test_a_queue_is_ordered_held_by_a_stop_and_let_go(tab: Tab) -> None:
    await say_it(tab, "the second")
    await tab.until(f"{CHIPS}.join() === 'the second'")
    await say_it(tab, "the third")
    await tab.until(f"{CHIPS}.length === 2")
    await choose(tab, "[aria-label^='2:']", "Earlier")
    await tab.until(f"{CHIPS}.join() === 'the third,the second'")
    await tab.press("Escape")
    await tab.press("Escape")
    await tab.until("document.querySelector('[role=switch]')?.ariaChecked === 'false'")
    await tab.until("!document.querySelector('.bs-tools').innerText.includes('Stop')")
    await choose(tab, "[aria-label^='Mode:']", "Plan")
    await tab.until("document.querySelector('[aria-label=\"Mode: Plan\"]')")
    await tab.click("[role=switch]")
    await tab.shows("The lighthouse is lit.")
    await tab.shows("Very well.")
    assert await tab.gives("document.querySelector('.is-queue') === null")


async def test_a_picture_goes_with_a_prompt_and_words_are_found_again(tab: Tab, hub: Hub) -> None:
    drop = 'new DragEvent("drop", {dataTransfer: data, bubbles: true, cancelable: true})'
    await tab.js(f"{LARGE}.then((data) => {{ document.querySelector('.bs-composer').dispatchEvent({drop}) }})")
    await tab.shows("as a file")
    await tab.shows("scaled")
    await tab.press("Escape")
    await tab.until("!document.querySelector('.bs-tools').innerText.includes('Stop')")
    await say_it(tab, "the picture")
    await tab.shows("A green field.")
    assert await tab.gives("[...document.querySelectorAll('.bs-prompt')].at(-1).innerText.includes('trace.png')")
    await choose(tab, "[aria-label='What can be done to this session']", "Rename")
    await tab.until("document.activeElement.matches('dialog[open] input')")
    await tab.write("The lens")
    await tab.press("Enter")
    await tab.until("document.querySelector('h1').innerText === 'The lens'")
    while not await hub.search("green field"):
        await tab.js("new Promise((done) => setTimeout(done, 16))")
    await tab.click(".bs-finder")
    await tab.until("document.activeElement.matches('[role=combobox]')")
    await tab.write("green field")
    await tab.shows("In transcripts")
    await tab.press("Enter")
    await tab.until("document.querySelector('.is-goal')?.innerText.includes('A green field.')")
    assert (await hub.sessions())[0].title == "The lens"
