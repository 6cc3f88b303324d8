"""The hub, in a process of its own: ``python -m scripts.soak.served FOLDER``.

It takes commands on stdin, tells events of all sessions and receipts on stdout, and serves the same to sockets. What
goes wrong in it stands in ``hub.log``.
"""

from __future__ import annotations

import asyncio
import json
import logging
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Final

import msgspec

from bascule.commands import hub_command
from bascule.conversation import Placed
from bascule.errors import BasculeError, StoreError
from bascule.events import to_json
from bascule.hub.hub import Hub, open_hub
from bascule.hub.keepers import Keepers
from bascule.hub.settings import Settings
from bascule.session.options import Options
from bascule.store.sqlite import open_store
from bascule.web.app import app
from bascule.web.serving import listen, run, serving
from bascule.web.settings import Settings as WebSettings
from bench.subjects.served import NoKeys

LIMIT: Final = 2**26
SECOND: Final = 9
"""The exit code of a hub that found another one on its store."""


async def serve(folder: Path) -> None:
    """The first line of stdin is the position from which on events are told, the first of stdout the address."""
    told = json.loads((folder / "told.json").read_text())
    options = Options(cli=told["cli"], env=told["env"], unproven=True, trust="all", stop_git_check=False)
    settings = Settings(options=options, look_every_s=0.5, **told["settings"])
    store = await open_store(folder / "state" / "hub.db")
    lines = asyncio.StreamReader(limit=LIMIT)
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
    after = int(await lines.readuntil(b"\n"))
    try:
        async with open_hub(store, Keepers(store, folder / "state", settings), settings) as hub:
            listening, web = listen(WebSettings(port=0))
            application = app(hub, web, NoKeys())
            async with serving(application, web, listening), asyncio.TaskGroup() as tasks:
                print(f"address\t{web.port}\t{application.state.door.own_key('soak')}", flush=True)
                tasks.create_task(_tell(hub.all_events(after)), name="tell")
                while True:
                    tasks.create_task(_carry_out(hub, await lines.readuntil(b"\n")), name="command")
    finally:
        await store.close()


async def _tell(events: AsyncIterator[Placed]) -> None:
    async for placed in events:
        if placed.position is not None:
            print(f"{placed.position}\t{to_json(placed.event).decode()}", flush=True)


async def _carry_out(hub: Hub, line: bytes) -> None:
    command = hub_command(line)
    try:
        receipt = await hub.send(command)
    except BasculeError as exc:
        print(f"failed\t{command.command_id}\t{exc}", flush=True)
    else:
        print(f"receipt\t{command.command_id}\t{msgspec.json.encode(receipt).decode()}", flush=True)


def main() -> int:
    """Serve until killed; ``SECOND`` where another hub does."""
    folder = Path(sys.argv[1])
    logging.basicConfig(filename=folder / "hub.log", level=logging.WARNING)
    try:
        run(serve(folder))
    except StoreError as exc:
        print(exc, file=sys.stderr)
        return SECOND
    return 0


if __name__ == "__main__":
    sys.exit(main())
