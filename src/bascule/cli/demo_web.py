"""`bascule demo --web`: sessions of the real Claude Code on the scripted model, served to a browser.

One of them has looked around, one asks for an edit, one for a command, one a question, one about its plan. All of it is
gone when it ends: workspace, store, recordings, processes.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from pathlib import Path
from typing import Final

from bascule.cli.demo import alone
from bascule.cli.exits import SUCCESS
from bascule.cli.keyring import Keyring
from bascule.cli.printing import say
from bascule.cli.serve import until_told_to_end
from bascule.commands import End, Start
from bascule.demo.model import ScriptedModel
from bascule.demo.tour import PROMPTS, TIDY, tour
from bascule.demo.workspace import Workspace, temporary_workspace
from bascule.hub.hub import Hub, open_hub
from bascule.hub.keepers import Keepers
from bascule.hub.settings import Settings
from bascule.ids import CommandId
from bascule.proven import prove
from bascule.store.sqlite import open_store
from bascule.web import serving
from bascule.web.app import app
from bascule.web.settings import Settings as WebSettings

SESSIONS: Final = (
    ("Look around", PROMPTS[0]),
    ("Fix the discount", PROMPTS[1]),
    ("Tidy up", TIDY),
    ("Coupons: a question", PROMPTS[2]),
    ("Coupons: a plan", PROMPTS[3]),
)
"""What each is called, and what is said in it first."""

GREETING: Final = (
    "The real Claude Code, served by bascule, with a scripted model behind it: no account, no network. All of it is"
    " gone when you press Ctrl-C. Open this in a browser:"
)


def run(args: argparse.Namespace) -> int:
    """Serve until Ctrl-C or SIGTERM."""
    with temporary_workspace() as workspace, ScriptedModel(tour(workspace.project)) as model:
        serving.run(_serve(args, workspace, model.url))
    return SUCCESS


async def _serve(args: argparse.Namespace, workspace: Workspace, model_url: str) -> None:
    state = workspace.home / ".local" / "state" / "bascule"
    options = alone(args, workspace, model_url)
    settings = Settings(options=options, idle_sleep_s=None)
    listening, web = serving.listen(WebSettings(port=0))
    store = await open_store(state / "store.db")
    try:
        keepers = Keepers(store, state, settings, prove=None if options.unproven else prove)
        async with open_hub(store, keepers, settings) as hub:
            made = app(hub, web, Keyring(store))
            async with serving.serving(made, web, listening):
                await _begin(hub, workspace.project)
                say(GREETING)
                print(serving.url_of(web, made.state.door), flush=True)
                await until_told_to_end()
            await _end(hub)
    finally:
        await store.close()


async def _begin(hub: Hub, project: Path) -> None:
    for number, (title, prompt) in enumerate(SESSIONS):
        start = Start(command_id=CommandId(f"demo {number}"), cwd=str(project), title=title, prompt=prompt)
        await hub.send(start)


async def _end(hub: Hub) -> None:
    """Nobody comes back to these: their processes end with the hub."""
    async with asyncio.TaskGroup() as tasks:
        for facts in await hub.sessions(archived=True):
            end = End(command_id=CommandId(f"end {facts.id}"), session=facts.id)
            tasks.create_task(hub.send(end), name=f"bascule end of {facts.id}")
    print("All sessions have ended.", file=sys.stderr)
