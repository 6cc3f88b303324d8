"""A browser before a stage. Without a browser, or without a built page, these tests are skipped and say why."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from bascule.web.page import STATIC
from tests.e2e.chromium import FOUND, Tab, chromium, new_tab
from tests.e2e.stage import Stage, stage

ROOT = Path(__file__).parents[2]
PICTURES = ROOT / "build" / "pictures"


class Seen(NamedTuple):
    """A page that is open on a stage."""

    tab: Tab
    stage: Stage

    async def at(self, path: str, text: str) -> None:
        """Go to a place, and wait until it says ``text``."""
        await self.tab.open(self.stage.url.split("#", maxsplit=1)[0] + path)
        await self.tab.shows(text)

    async def armed(self) -> None:
        """Wait until an ask that is there listens: 600 ms after it appeared."""
        await self.tab.until("document.querySelector('[data-ask]')")
        await self.tab.js("window.since = performance.now()")
        await self.tab.until("performance.now() - window.since > 700")

    async def picture(self, name: str) -> None:
        """Keep what is on the screen, for a person to look at."""
        await self.tab.picture(PICTURES / f"{name}.png")


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    if FOUND is None:
        pytest.skip("no Chromium here (Debian: apt-get install chromium)")
    if not (STATIC / "index.html").exists():
        pytest.skip("the page is not built: make ui")
    with chromium(tmp_path_factory.mktemp("browser")) as address:
        yield address


@pytest.fixture
async def seen(browser: str, tmp_path: Path) -> AsyncIterator[Seen]:
    workspace = tmp_path / "work"
    workspace.mkdir()
    async with stage(workspace) as served, new_tab(browser) as tab:
        await tab.size(1440, 900)
        await tab.theme("light")
        await tab.open(served.url)
        await tab.shows("Move the outbox")
        yield Seen(tab, served)
        assert tab.complaints == [], "the page complained in its console"
