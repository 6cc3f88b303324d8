"""What a live test of a session needs: a real CLI, a workspace for it, a model that plays a script."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar

from bascule.demo.model import ScriptedModel
from bascule.demo.script import Script, call
from bascule.events import AnyEvent, Complete
from bascule.session.opening import open_session
from bascule.session.options import Options
from bascule.session.session import Session

E = TypeVar("E", bound=AnyEvent)


class Stage:
    """A CLI, a workspace for it, and what the model will say."""

    def __init__(self, cli: Path, env: dict[str, str], workspace: Path, *, newer: bool) -> None:
        self.cli = cli
        self.env = env
        self.workspace = workspace
        self.newer = newer
        """The newest of the tested versions."""
        self.config = Path(env["CLAUDE_CONFIG_DIR"])
        """Where the CLI keeps what it knows."""

    @asynccontextmanager
    async def session(self, model: ScriptedModel, /, **options: Any) -> AsyncIterator[Session]:
        """A session of this model's; nobody is asked unless the test says otherwise."""
        given = {
            "cwd": self.workspace,
            "cli": self.cli,
            "policy": "autonomous",
            "trust": "all",  # what a test puts into its workspace is meant
            "rule_files": (),
            **options,
            "env": {**self.env, "ANTHROPIC_BASE_URL": model.url, **options.get("env", {})},
        }
        async with open_session(Options(**given)) as session:
            yield session

    @asynccontextmanager
    async def play(self, *turns: Any, **options: Any) -> AsyncIterator[tuple[Session, ScriptedModel]]:
        """A session whose model says `turns`."""
        async with ScriptedModel(Script(*turns)) as model, self.session(model, **options) as session:
            yield session, model

    def path(self, name: str) -> Path:
        """In the workspace."""
        return self.workspace / name


async def seen(session: Session, kind: type[E], where: Callable[[E], bool] = lambda event: True) -> E:
    """The first event of this kind, past or to come; fails when the session ends without one."""
    async for event in session.events():
        if isinstance(event, kind) and where(event):
            return event
    raise AssertionError(f"the session ended and there was no {kind.__name__}")


async def so_far(session: Session) -> list[AnyEvent]:
    """All events of a session that has ended."""
    return [event async for event in session.events()]


async def said(session: Session, text: str) -> Complete:
    """The end of a prompt's turn."""
    return await (await session.prompt(text))


def bash(command: str, **more: Any) -> Any:
    """A call of a shell command."""
    return call("Bash", command=command, description="a test", **more)
