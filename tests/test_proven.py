"""The public ways into a session go by a CLI that was shown to ask, and it is shown once."""

import asyncio
import shlex
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import bascule
from bascule import Options, blocking, open_session
from bascule.demo.model import ScriptedModel
from bascule.demo.script import Script, say
from bascule.demo.workspace import clean_environment
from bascule.errors import CliVersionRefused, OptionError
from bascule.testing.fake_cli import install
from tests.doctor.broken import asks_nobody
from tests.doctor.programs import program


class Place:
    """A user's machine: a state folder, a workspace, a model, a CLI whose starts are counted."""

    def __init__(self, root: Path, model: ScriptedModel) -> None:
        self.root = root
        self.workspace = root / "work"
        self.workspace.mkdir()
        (root / "home").mkdir()
        self._log = root / "starts"
        self._env = clean_environment(model.url, root / "home")

    def options(self, cli: Path, **more: Any) -> Options:
        """Of a session with this CLI."""
        counted = f'echo "$1" >> {shlex.quote(str(self._log))}; exec {shlex.quote(str(cli))} "$@"'
        (self.root / "counted").mkdir(exist_ok=True)
        starter = program(self.root / "counted", counted)
        return Options(cwd=self.workspace, cli=starter, env=self._env, stop_git_check=False, **more)

    def starts(self) -> dict[str, int]:
        """How often it was asked for its version, and how often it was started for a conversation; counted anew."""
        said = self._log.read_text().split() if self._log.exists() else []
        self._log.unlink(missing_ok=True)
        return {word: said.count(word) for word in ("--version", "-p")}


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Place]:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    with ScriptedModel(Script(say("Hello."), otherwise=[say("Hello again.")])) as model:
        yield Place(tmp_path, model)


def fake(place: Place) -> Path:
    (place.root / "fake").mkdir(exist_ok=True)
    return install(place.root / "fake")


async def opened(options: Options) -> None:
    async with open_session(options):
        pass


async def iterated(options: Options) -> None:
    async for _ in bascule.query("Hi", options):
        pass


async def blocked(options: Options) -> None:
    await asyncio.to_thread(lambda: blocking.open_session(options).close())


async def blocked_query(options: Options) -> None:
    await asyncio.to_thread(lambda: list(blocking.query("Hi", options)))


WAYS: dict[str, Callable[[Options], Any]] = {
    "open_session": opened,
    "run": lambda options: bascule.run("Hi", options),
    "query": iterated,
    "blocking.open_session": blocked,
    "blocking.run": lambda options: asyncio.to_thread(blocking.run, "Hi", options),
    "blocking.query": blocked_query,
}


@pytest.mark.parametrize("way", WAYS)
async def test_F12_no_way_leads_to_a_cli_that_asks_nobody(way: str, place: Place) -> None:
    options = place.options(asks_nobody(place.root))
    with pytest.raises(CliVersionRefused, match="wrote what nobody had allowed"):
        await WAYS[way](options)
    assert place.starts() == {"--version": 1, "-p": 1}, "the session itself was not started"


async def test_a_cli_is_proven_once(place: Place) -> None:
    options = place.options(fake(place))
    await opened(options)
    assert place.starts() == {"--version": 1, "-p": 2}
    await opened(options)
    assert place.starts() == {"--version": 1, "-p": 1}


async def test_sessions_that_start_at_once_make_one_proof(place: Place) -> None:
    options = place.options(fake(place))
    async with asyncio.TaskGroup() as tasks:
        for number in range(2):
            tasks.create_task(opened(options), name=f"session {number}")
    assert place.starts() == {"--version": 2, "-p": 3}


@pytest.mark.parametrize("more", [{"unproven": True}, {"policy": "acceptEdits"}])
async def test_nothing_is_proven_where_it_is_not_wanted_or_needed(more: dict[str, Any], place: Place) -> None:
    await opened(place.options(asks_nobody(place.root), **more))
    assert place.starts() == {"--version": 0, "-p": 1}


async def test_what_cannot_be_is_said_before_anything_is_proven(place: Place) -> None:
    options = place.options(fake(place), system_prompt_file="gone")
    with pytest.raises(OptionError, match="system_prompt_file"):
        await opened(options)
    assert place.starts() == {"--version": 0, "-p": 0}
