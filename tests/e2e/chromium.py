"""A headless Chromium, driven over its own protocol: as much of it as the tests of the page need."""

from __future__ import annotations

import asyncio
import base64
import itertools
import json
import shutil
import subprocess
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

from websockets.asyncio.client import ClientConnection, connect

FOUND = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
FLAGS = (
    "--headless=new --no-sandbox --disable-gpu --hide-scrollbars --no-first-run --disable-dev-shm-usage"
    " --disable-background-networking --disable-component-update --disable-sync --remote-debugging-port=0"
    " --force-color-profile=srgb"
).split()
FRAME_LIMIT = 64 * 1024 * 1024


class Tab:
    """One page."""

    def __init__(self, connection: ClientConnection) -> None:
        self._connection = connection
        self._ids = itertools.count(1)
        self.patience_s = 10.0
        self.complaints: list[str] = []
        """What the page wrote to its console as an error, and exceptions that nobody caught."""

    async def ask(self, method: str, **params: Any) -> Any:
        """One call of the protocol."""
        number = next(self._ids)
        await self._connection.send(json.dumps({"id": number, "method": method, "params": params}))
        while True:
            told = json.loads(await self._connection.recv())
            if told.get("id") == number:
                assert "error" not in told, told
                return told["result"]
            self._note(told)

    def _note(self, told: Any) -> None:
        match told.get("method"):
            case "Runtime.exceptionThrown":
                self.complaints.append(str(told["params"]["exceptionDetails"]))
            case "Log.entryAdded" if told["params"]["entry"]["level"] == "error":
                self.complaints.append(told["params"]["entry"]["text"])

    async def begin(self) -> None:
        """Listen to what goes wrong."""
        for domain in ("Page", "Runtime", "Log"):
            await self.ask(f"{domain}.enable")

    async def size(self, width: int, height: int, *, touch: bool = False) -> None:
        """As a screen of that size."""
        await self.ask(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=touch
        )
        await self.ask("Emulation.setTouchEmulationEnabled", enabled=touch)

    async def theme(self, name: str) -> None:
        """As a system that is dark, or light."""
        await self.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": name}])

    async def open(self, url: str) -> None:
        """Go there."""
        await self.ask("Page.navigate", url=url)

    async def js(self, expression: str) -> Any:
        """The value of an expression in the page; a promise is awaited."""
        told = await self.ask("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in told, told
        return told["result"].get("value")

    async def until(self, expression: str) -> None:
        """Wait until it is true, as JavaScript has it."""
        async with asyncio.timeout(self.patience_s):
            while await self._value(f"Boolean({expression})") is not True:
                await self.js("new Promise((done) => setTimeout(done, 16))")

    async def gives(self, expression: str, value: Any = True) -> bool:
        """Whether an expression comes to that value: a page is drawn anew some time after what changed it."""
        try:
            await self.until(f"JSON.stringify({expression}) === JSON.stringify({json.dumps(value)})")
        except TimeoutError:
            return False
        return True

    async def _value(self, expression: str) -> Any:
        """Of an expression that may fail as long as something is not there."""
        told = await self.ask("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        return None if "exceptionDetails" in told else told["result"].get("value")

    async def shows(self, text: str) -> None:
        """Wait until the page says so."""
        try:
            await self.until(f"document.body?.innerText.includes({json.dumps(text)})")
        except TimeoutError:
            raise AssertionError(f"{text!r} is not in:\n{await self.js('document.body.innerText')}") from None

    async def click(self, selector: str) -> None:
        """The first element of that kind, once it is there."""
        it = f"document.querySelector({json.dumps(selector)})"
        await self.until(it)
        await self.js(f"{it}.click()")

    async def press(self, key: str, *, shift: bool = False) -> None:
        """A key, as a person presses it."""
        text = "\r" if key == "Enter" else key if len(key) == 1 else ""
        code = {"Enter": 13, "Escape": 27}.get(key, 0)
        common = {"key": key, "modifiers": 8 if shift else 0, "windowsVirtualKeyCode": code}
        await self.ask("Input.dispatchKeyEvent", type="keyDown", text=text, **common)
        await self.ask("Input.dispatchKeyEvent", type="keyUp", **common)

    async def write(self, text: str) -> None:
        """Text, into what has the focus."""
        await self.ask("Input.insertText", text=text)

    async def picture(self, path: Path) -> None:
        """What is on the screen, as PNG."""
        told = await self.ask("Page.captureScreenshot", format="png")
        await asyncio.to_thread(_kept, path, base64.b64decode(told["data"]))


def _kept(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


@contextmanager
def chromium(home: Path) -> Iterator[str]:
    """A browser with a home of its own; where it listens."""
    assert FOUND is not None
    command = [FOUND, *FLAGS, f"--user-data-dir={home}", "about:blank"]
    env = {"HOME": str(home), "PATH": "/usr/bin:/bin"}
    with subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stderr is not None
            found = (line.partition("DevTools listening on ") for line in process.stderr)
            yield next(address.strip() for _, marker, address in found if marker)
        finally:
            process.kill()


@asynccontextmanager
async def new_tab(browser: str) -> AsyncIterator[Tab]:
    """A page that shares no cookie and no storage with another."""
    async with connect(browser, proxy=None) as connection:
        whole = Tab(connection)
        context = (await whole.ask("Target.createBrowserContext"))["browserContextId"]
        page = (await whole.ask("Target.createTarget", url="about:blank", browserContextId=context))["targetId"]
        address = f"{browser.partition('/devtools/')[0]}/devtools/page/{page}"
        async with connect(address, proxy=None, max_size=FRAME_LIMIT) as of_page:
            tab = Tab(of_page)
            await tab.begin()
            yield tab
        await whole.ask("Target.disposeBrowserContext", browserContextId=context)
