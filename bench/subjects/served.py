"""A hub and its web server in a process of its own, as ``bascule serve`` has them; it may be killed.

It prints one line, a ``Ready``, once all its sessions can be spoken to, and ends at the end of its stdin.
"""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any, Final

from bascule.commands import Start, Taken
from bascule.hub.hub import Hub, open_hub
from bascule.hub.keepers import Keepers
from bascule.hub.settings import Settings
from bascule.ids import CommandId, SessionId
from bascule.session.options import Options
from bascule.store.sqlite import open_store
from bascule.web.app import app
from bascule.web.keys import Deed, Key
from bascule.web.serving import listen, run, serving
from bascule.web.settings import Settings as WebSettings

LOOK_S: Final = 0.005
SPOKEN_TO: Final = ("running", "waiting", "idle")


class NoKeys:
    """As ``web.keys.Keys``: there is no key but that of the process."""

    async def put(self, key: Key) -> None:
        """Nobody makes one."""

    async def find(self, hash: str) -> Key | None:
        """There is none."""
        return None

    async def list(self) -> tuple[Key, ...]:
        """There are none."""
        return ()

    async def revoke(self, key_id: str, at: int) -> bool:
        """There is none."""
        return False

    async def record(self, deed: Deed) -> None:
        """Nobody reads it."""


async def serve(*, state: str, cwd: str, cli: str, begin: dict[str, dict[str, str]], wait_for: list[str]) -> None:
    """``begin``: the sessions that are to be begun, each with the environment of its CLI. ``wait_for``: those that
    live already."""
    options = Options(cli=cli, cwd=cwd, unproven=True, trust="all", stop_git_check=False)
    settings = Settings(options=options, idle_sleep_s=None, memory_reserve_mb=1)
    store = await open_store(Path(state) / "hub.db")
    async with open_hub(store, Keepers(store, Path(state), settings), settings) as hub:
        listening, web = listen(WebSettings(port=0))
        application = app(hub, web, NoKeys())
        async with serving(application, web, listening):
            await _begin(hub, cwd, begin)
            await _all_live(hub, {*begin, *wait_for})
            ready = {"port": web.port, "token": application.state.door.own_key("bench")}
            print(json.dumps(ready), flush=True)
            await asyncio.to_thread(sys.stdin.read)
    await store.close()


async def _begin(hub: Hub, cwd: str, begin: dict[str, dict[str, str]]) -> None:
    for name, env in begin.items():
        start = Start(
            command_id=CommandId(f"start {name}"),
            session=SessionId(name),
            cwd=cwd,
            prompt="go",
            options={"env": env},
        )
        receipt = await hub.send(start)
        if not isinstance(receipt, Taken):
            raise RuntimeError(f"{name} could not be begun: {receipt}")


async def _all_live(hub: Hub, names: set[str]) -> None:
    while any(facts.status not in SPOKEN_TO for facts in await hub.sessions() if facts.id in names):  # noqa: ASYNC110
        await asyncio.sleep(LOOK_S)


def main() -> None:
    """Serve what the command line tells."""
    arguments: dict[str, Any] = json.loads(sys.argv[1])
    run(serve(**arguments))


if __name__ == "__main__":
    main()
