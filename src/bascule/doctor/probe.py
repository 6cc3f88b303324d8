"""Talks to a CLI until it is known what it says and does: every scene, a few at a time, and its help."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from bascule.demo.workspace import clean_environment
from bascule.doctor.conversation import CONVERSATION
from bascule.doctor.findings import Findings, findings
from bascule.doctor.lives import LIVES
from bascule.doctor.stage import Scene, Stage, set_up, temporary_home
from bascule.errors import BasculeError
from bascule.recording import Entry
from bascule.transport.launch import Launch
from bascule.transport.process import open_process

log = logging.getLogger("bascule.doctor")

SCENES: Final = (LIVES[0], CONVERSATION, *LIVES[1:])
"""Those that take longest first."""

SCENE_S: Final = 45.0
"""The longest takes 10 s by itself; a busy machine takes several times that."""
HELP_S: Final = 20.0
NOBODY_LISTENS: Final = "http://127.0.0.1:9"
LONG: Final = 1_000_000
"""Characters of a line that is not looked at: a prompt of many megabytes comes back as its echo."""


class Played:
    """A scene, while it plays and afterwards."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.entries: list[Entry] = []
        self.ways: dict[str, str] = {}
        self.trouble: str | None = None

    def keep(self, entry: Entry) -> None:
        """An entry of the conversation."""
        if len(entry.line) < LONG:
            self.entries.append(entry)

    async def play(self, cli: Path, within_s: float) -> None:
        """Play the scene; what goes wrong is noted and does not raise."""
        try:
            with set_up(cli, self.scene, self.keep) as stage:
                self.ways = stage.ways
                await self._play(stage, within_s)
        except BasculeError as exc:
            self.trouble = f"scene {self.scene.name}: {exc}"
        except Exception as exc:
            log.exception("scene %s broke off", self.scene.name)
            self.trouble = f"scene {self.scene.name} broke off: {exc!r}"

    async def _play(self, stage: Stage, within_s: float) -> None:
        try:
            async with asyncio.timeout(within_s):
                await self.scene.play(stage)
        except TimeoutError:
            self.trouble = f"scene {self.scene.name}: waited {within_s:g} s in vain for {stage.awaited()}"


async def probe(
    cli: Path,
    *,
    scenes: Sequence[Scene] = SCENES,
    scene_s: float = SCENE_S,
    seen: Callable[[Played], None] = lambda played: None,
) -> Findings:
    """What ``cli`` says and does. Starts it some twenty times, as many at once as there are cores; takes 15 s on two.

    ``seen`` is told of each scene when it has been played. A CLI that does not behave is a finding, and raises nothing;
    ``Findings.trouble`` says what could not be found out within ``scene_s`` a scene.
    """
    places = asyncio.Semaphore(os.cpu_count() or 1)
    played = [Played(scene) for scene in scenes]

    async def play(one: Played) -> None:
        async with places:
            await one.play(cli, scene_s)
        seen(one)

    async with asyncio.TaskGroup() as tasks:
        for one in played:
            tasks.create_task(play(one), name=f"bascule probe {one.scene.name}")
        usage = tasks.create_task(help_of(cli), name="bascule probe help")
    return findings(
        (entry for one in played for entry in one.entries),
        usage=usage.result(),
        ways={trait: way for one in played for trait, way in one.ways.items()},
        trouble=[one.trouble for one in played if one.trouble is not None],
    )


async def help_of(cli: Path) -> str:
    """What ``cli --help`` prints; empty when it does not."""
    said: list[str] = []
    try:
        with temporary_home() as (home, project):
            launch = Launch((str(cli), "--help"), clean_environment(NOBODY_LISTENS, home), str(project))
            async with asyncio.timeout(HELP_S), open_process(launch) as pipe:
                pipe.end()
                while entries := await pipe.read():
                    said += [entry.line for entry in entries if entry.dir == "out"]
    except (BasculeError, OSError):
        return ""
    return "\n".join(said)
