"""The pytest plugin: a CLI for tests, fake or real, and recordings that are played.

    async def test_nothing_is_pushed(fake_cli):
        async with fake_cli.session(turn(call("Bash", command="git push"), say("Well.")), attended=False) as session:
            complete = await (await session.prompt("Publish it"))
        assert complete.permission_denials

It is there when bascule is installed, and loads nothing of it before a test asks for a fixture.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

if TYPE_CHECKING:
    from bascule.session.session import Session
    from bascule.testing.scripted import ScriptedCli
    from bascule.transport.locate import Surroundings

OPTION: Final = "--claude"
_NOBODY: Final = "no Claude Code here: install it, or name it with --claude"


def pytest_addoption(parser: pytest.Parser) -> None:
    """``--claude PATH``: the CLI for ``scripted_cli``; without it, the one that bascule finds."""
    group = parser.getgroup("bascule")
    group.addoption(OPTION, metavar="PATH", help="the Claude Code CLI for tests that ask for scripted_cli")


def _loaded(module: str) -> Any:
    """A module of bascule's, now that it is needed: a plugin that loaded it would cost every run of pytest."""
    return import_module(f"bascule.{module}")


@pytest.fixture
def fake_cli(tmp_path_factory: pytest.TempPathFactory) -> ScriptedCli:
    """The fake CLI of the newest version, with a workspace and a model of its own. Needs no Claude Code."""
    folder = tmp_path_factory.mktemp("fake_cli")
    made: ScriptedCli = _loaded("testing.scripted").ScriptedCli(_loaded("testing.fake_cli").install(folder), folder)
    return made


@pytest.fixture
def scripted_cli(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> ScriptedCli:
    """The real CLI, with a scripted model in place of its own: no account, no network.

    The test is skipped where there is none; where ``--claude`` names one that is not there, it fails.
    """
    path = real_cli(request.config.getoption(OPTION), _loaded("transport.locate").here())
    made: ScriptedCli = _loaded("testing.scripted").ScriptedCli(path, tmp_path_factory.mktemp("scripted_cli"))
    return made


def real_cli(named: str | None, surroundings: Surroundings) -> Path:
    """The CLI's path; skips the test that asks where there is none, and fails it where a named one is not there."""
    try:
        found: Path = _loaded("transport.locate").find_cli(surroundings, explicit=named)
    except _loaded("errors").CliNotFound as exc:
        if named is not None:
            pytest.fail(str(exc))
        pytest.skip(_NOBODY)
    return found


@pytest.fixture
def replayed() -> Callable[..., AbstractAsyncContextManager[Session]]:
    """``async with replayed(PATH, **options) as session``: see ``bascule.testing.scripted.replayed``."""
    played: Callable[..., AbstractAsyncContextManager[Session]] = _loaded("testing.scripted").replayed
    return played
