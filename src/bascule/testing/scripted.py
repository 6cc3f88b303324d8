"""A CLI with a scripted model and a place of its own: what a test drives a session with, in one object."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from bascule import recording
from bascule.demo.model import ScriptedModel
from bascule.demo.script import Script, Step, Turn
from bascule.demo.workspace import clean_environment
from bascule.errors import LocalProtocolError, RecordingError
from bascule.recording import Entry
from bascule.session.opening import open_session, session_over
from bascule.session.options import Options
from bascule.session.session import Session
from bascule.transport.replay import ReplayPipe


class ScriptedCli:
    """The CLI at ``path``, real or fake, in an empty workspace and an environment that inherits nothing."""

    def __init__(self, path: Path, folder: Path) -> None:
        """``folder`` is for the home and the workspace; it exists, and whoever made it removes it."""
        self.path = path
        self.home = folder / "home"
        self.workspace = folder / "workspace"
        for one in (self.home, self.workspace):
            one.mkdir()
        self._model: ScriptedModel | None = None

    @property
    def model(self) -> ScriptedModel:
        """The model of the session that runs, or ran last: what it was asked, its gates."""
        if self._model is None:
            raise LocalProtocolError("no session was opened yet: there is no model to look at")
        return self._model

    @asynccontextmanager
    async def session(self, *turns: Turn | Step, **options: Any) -> AsyncIterator[Session]:
        """A session whose model plays ``turns`` (see ``bascule.demo``); ``options`` are those of ``Options``.

        ``env`` adds to the environment. Sessions of one object share the workspace and the home, so that one can
        resume another.
        """
        added: Mapping[str, str] = options.pop("env", {})
        async with ScriptedModel(Script(*turns)) as self._model:
            env = {**clean_environment(self._model.url, self.home), **added}
            given = {"cwd": self.workspace, "cli": self.path, "env": env, **options}
            async with open_session(Options(**given)) as session:
                yield session


@asynccontextmanager
async def replayed(path: str | Path, **options: Any) -> AsyncIterator[Session]:
    """A session whose CLI says what it said in the recording at ``path``.

    What our side writes is compared with what was written then, but for ids of ours: a line that differs raises
    ``LocalProtocolError`` with both, and so does one that is missing when the block is left without an error. Raises
    ``RecordingError`` for a file that is no recording.
    """
    pipe = ReplayPipe(_entries(Path(path)), strict=True)
    async with session_over(pipe, Options(**options), began_at=0.0) as session:
        yield session
    if pipe.unwritten:
        raise LocalProtocolError(f"{len(pipe.unwritten)} recorded lines were not written, first: {pipe.unwritten[0]}")


def _entries(path: Path) -> list[Entry]:
    try:
        with path.open("rb") as file:
            items = list(recording.read(file))
    except OSError as exc:
        raise RecordingError(f"{path} cannot be read ({exc.strerror}): name a recording", str(path)) from exc
    damaged = next((item for item in items if not isinstance(item, Entry)), None)
    if damaged is not None or not items:
        why = "it is empty" if damaged is None else f"line {damaged.number}: {damaged.problem}"
        raise RecordingError(f"{path} is no recording: {why}", str(path))
    return [item for item in items if isinstance(item, Entry)]
