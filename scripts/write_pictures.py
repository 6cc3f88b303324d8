"""Writes `docs/images/web-*.png`: the page at a desk and on a phone, before the real Claude Code on a scripted model.

Needs Chromium and the built page (`make ui`). What is on the screen is compressed by Chromium itself; ages differ from
one run to the next, so that nothing checks these pictures but an eye.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple

from tests.e2e.chromium import Tab, chromium, new_tab

FOLDER: Final = Path(__file__).parents[1] / "docs" / "images"
MOST_BYTES: Final = 150 * 1024
ASKING: Final = 4
"""Of the demo's sessions, so many ask for something."""


class Picture(NamedTuple):
    """One of the page."""

    name: str
    session: str
    """Its title."""
    text: str
    """What is waited for."""
    width: int
    height: int
    theme: str


PICTURES: Final = (
    Picture("web-desk", "Fix the discount", "Change a file", 1280, 800, "light"),
    Picture("web-phone", "Tidy up", "Run a command", 390, 780, "dark"),
)


@contextmanager
def demo() -> Iterator[str]:
    """`bascule demo --web`; where it is."""
    argv = [sys.executable, "-m", "bascule.cli.main", "demo", "--web"]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.terminate()


async def take(tab: Tab, address: str, picture: Picture) -> None:
    """Go to its session, wait for its ask, and keep what is on the screen."""
    await tab.size(picture.width, picture.height, touch=picture.width < 720)
    await tab.theme(picture.theme)
    find = f"[...document.querySelectorAll('.bs-session')].find((it) => it.innerText.includes({picture.session!r}))"
    await tab.until(find)
    path = await tab.js(f"{find}.getAttribute('href')")
    await tab.open(address.partition("/#")[0] + path)
    await tab.shows(picture.text)
    await tab.until(f"document.title.startsWith('({ASKING})')")
    await tab.js("document.fonts.ready.then(() => new Promise((done) => setTimeout(done, 1500)))")
    target = FOLDER / f"{picture.name}.png"
    await tab.picture(target)
    size = (await asyncio.to_thread(target.stat)).st_size
    assert size <= MOST_BYTES, f"{target.name} has {size} bytes; {MOST_BYTES} are allowed"
    print(f"wrote docs/images/{target.name}")


async def main() -> None:
    """Both, one after the other."""
    with demo() as address, tempfile.TemporaryDirectory() as home, chromium(Path(home)) as browser:
        for picture in PICTURES:
            async with new_tab(browser) as tab:
                await tab.open(address)
                await take(tab, address, picture)


if __name__ == "__main__":
    asyncio.run(main())
