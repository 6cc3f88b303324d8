"""A hub in a process of its own, which is killed; and whoever was connected to it, and comes back."""

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

from bascule.events import AnyEvent, from_json
from bascule.hub.hub import Hub, open_hub
from bascule.hub.keepers import Keepers
from bascule.hub.settings import Settings
from bascule.ids import SessionId
from bascule.session.options import Options
from bascule.store.sqlite import open_store
from bascule.transport.keeper import find_keepers
from tests.transport.programs import program, running_with

HUB = """
    import asyncio, json, sys
    from pathlib import Path
    from bascule.commands import Prompt, Start
    from bascule.events import to_json
    from tests.hub.outlived import Home

    async def main():
        home, names, prompt = Home(Path(sys.argv[1])), sys.argv[2].split(","), sys.argv[3]
        async with home.hub() as hub, asyncio.TaskGroup() as tasks:
            for name in names:
                begin = Start(command_id=f"start {name}", session=name, cwd=str(home.workspace), prompt=prompt)
                print(await hub.send(begin), file=sys.stderr, flush=True)
                tasks.create_task(tell(hub, name), name=name)

    async def tell(hub, name):
        async for event in hub.conversation(name).events():
            if event.seq is not None:
                print(to_json(event).decode(), flush=True)

    asyncio.run(main())
"""


class Home:
    """The folder of a hub that is killed, with its settings in a file."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.state = folder / "state"
        self.workspace = folder / "workspace"
        self.workspace.mkdir(exist_ok=True)

    def settle(self, *, cli: Path, env: dict[str, str], **settings: Any) -> None:
        """What its sessions are opened with."""
        told = {"cli": str(cli), "env": env, "settings": settings}
        (self.folder / "told.json").write_text(json.dumps(told))

    @property
    def settings(self) -> Settings:
        """As told."""
        told = json.loads((self.folder / "told.json").read_text())
        options = Options(cli=told["cli"], env=told["env"], unproven=True, trust="all", stop_git_check=False)
        return Settings(options=options, **told["settings"])

    @asynccontextmanager
    async def hub(self) -> AsyncIterator[Hub]:
        """A hub in this process."""
        store = await open_store(self.state / "hub.db")
        try:
            settings = self.settings
            async with open_hub(store, Keepers(store, self.state, settings), settings) as hub:
                yield hub
        finally:
            await store.close()

    def clear(self) -> None:
        """End whatever is left."""
        found = find_keepers(self.state)
        for address in found.living:
            with suppress(ProcessLookupError):
                os.kill(address.pid, signal.SIGKILL)
        for address in (*found.living, *found.dead):
            for pid in running_with(f"BASCULE_PROCESS={address.mark}"):
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)


class Client:
    """Who was connected to the hub: what it has seen, by session."""

    def __init__(self, names: list[str]) -> None:
        self.seen: dict[str, list[AnyEvent]] = {name: [] for name in names}

    def take(self, event: AnyEvent) -> None:
        """An event came."""
        self.seen[event.session].append(event)

    async def follow(self, hub: Hub, name: str, kind: type[AnyEvent]) -> None:
        """Come back to a session, and read on up to an event of that kind."""
        last = self.seen[name][-1].seq or 0
        async for event in hub.conversation(SessionId(name)).events(after=last):
            if event.seq is not None:
                self.take(event)
            if isinstance(event, kind):
                return


@asynccontextmanager
async def killed(home: Home, client: Client, *, prompt: str, kind: type[AnyEvent]) -> AsyncIterator[None]:
    """A hub whose client has seen an event of that kind in each session, killed where the block ends."""
    names = list(client.seen)
    hub = program(home.folder, HUB, name="hub")
    process = await asyncio.create_subprocess_exec(
        *hub.argv,
        *(str(home.folder), ",".join(names), prompt),
        stdout=-1,
        limit=2**24,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(["src", ".", *sys.path])},
    )
    assert process.stdout is not None
    waiting = set(names)
    try:
        while waiting:
            line = await process.stdout.readuntil(b"\n")
            event = from_json(line)
            client.take(event)
            if isinstance(event, kind):
                waiting.discard(event.session)
        yield
    finally:
        process.kill()
        await process.wait()


def once_each(events: list[AnyEvent]) -> bool:
    """Whether they are numbered from 1 without gap or double."""
    return [event.seq for event in events] == list(range(1, len(events) + 1))
