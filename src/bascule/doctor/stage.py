"""Where a scene of the probe is played: a CLI, a home and a workspace of its own, a scripted model, and the notebook.

A scene is a script for the model and a function that talks to the CLI. What it saw, it notes as traits; what was said
is kept for ``findings``. A scene that breaks off keeps what it saw until then.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import msgspec

from bascule.demo.model import ScriptedModel
from bascule.demo.script import Script
from bascule.demo.workspace import clean_environment
from bascule.doctor.dialogue import Dialogue
from bascule.recording import Entry
from bascule.transport.argv import Arguments, argv
from bascule.transport.environment import environment
from bascule.transport.launch import Launch
from bascule.transport.pipe import Pipe
from bascule.transport.process import open_process

GRACE_S: Final = 2.0
"""How long a CLI of a scene may take to end by itself."""


class Stage:
    """One scene's place and notebook."""

    def __init__(
        self, cli: Path, home: Path, project: Path, model: ScriptedModel, keep: Callable[[Entry], None]
    ) -> None:
        self.home = home
        self.project = project
        self.model = model
        self.ways: dict[str, str] = {}
        """What the CLI was seen to do: the way of each trait."""
        self.awaited: Callable[[], str] = str
        """What the scene waits for."""
        self._cli = cli
        self._keep = keep

    def saw(self, trait: str, way: str) -> None:
        """Note which way the CLI goes in a trait; the first time counts."""
        self.ways.setdefault(trait, way)

    def settings(self, **values: Any) -> None:
        """The user's settings of this home."""
        (self.home / ".claude" / "settings.json").write_text(json.dumps(values), encoding="utf-8")

    @asynccontextmanager
    async def talk(
        self, arguments: Arguments | None = None, *, cwd: Path | None = None, env: Mapping[str, str] | None = None
    ) -> AsyncIterator[Dialogue]:
        """A conversation with a process of its own. Nothing of our environment but PATH is in the CLI's."""
        given = {**clean_environment(self.model.url, self.home), **(env or {})}
        launch = Launch(
            (str(self._cli), *argv(arguments or Arguments())), environment({}, given=given), str(cwd or self.project)
        )
        async with open_process(launch) as pipe:
            yield self._dialogue(pipe)
            pipe.end()
            await pipe.close(grace_s=GRACE_S)

    def _dialogue(self, pipe: Pipe) -> Dialogue:
        dialogue = Dialogue(pipe, self._keep)
        self.awaited = lambda: dialogue.awaited
        return dialogue


class Scene(msgspec.Struct, frozen=True):
    """A part of the probe."""

    name: str
    script: Callable[[Path], Script]
    """What the model will say, in a workspace."""
    play: Callable[[Stage], Awaitable[None]]


@contextmanager
def temporary_home() -> Iterator[tuple[Path, Path]]:
    """A home and a workspace for a CLI; they are gone afterwards, with whatever it left in them."""
    with TemporaryDirectory(prefix="bascule-doctor-", ignore_cleanup_errors=True) as name:
        home, project = Path(name).resolve() / "home", Path(name).resolve() / "project"
        (home / ".claude").mkdir(parents=True)
        project.mkdir()
        yield home, project


@contextmanager
def set_up(cli: Path, scene: Scene, keep: Callable[[Entry], None]) -> Iterator[Stage]:
    """The stage of a scene; its folder is gone afterwards."""
    with temporary_home() as (home, project), ScriptedModel(scene.script(project)) as model:
        yield Stage(cli, home, project, model, keep)
