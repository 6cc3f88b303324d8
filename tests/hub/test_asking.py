"""What can be asked of a hub beside its events: rules before they are made, the workspace, what was spent."""

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from bascule.commands import Start
from bascule.errors import OptionError
from bascule.events import Complete, PermissionRequest, PromptAccepted
from bascule.hub.hub import Hub
from bascule.hub.workspace import beginning_with, inside, state
from bascule.ids import PendingId
from bascule.session.options import Options
from tests.hub.far import House, S, seen

ENV = {"PATH": os.defpath, "HOME": "/"}
R1, R2 = PendingId("r1"), PendingId("r2")


def repository(path: Path) -> Path:
    """With a file that is kept, one that is changed, one that is new, and one that git ignores."""
    path.mkdir()
    git = ("git", "-c", "user.name=a", "-c", "user.email=a@example.org")
    (path / ".gitignore").write_text("ignored\n")
    (path / "kept.py").write_text("one\n")
    for words in (("init", "-q", "-b", "main"), ("add", "."), ("commit", "-q", "-m", "Begin")):
        subprocess.run([*git, *words], cwd=path, check=True)
    (path / "kept.py").write_text("two\n")
    (path / "src").mkdir()
    (path / "src" / "kernel.py").write_text("new\n")
    (path / "ignored").write_text("x")
    return path


async def asked(house: House, hub: Hub, cwd: Path, *commands: str) -> None:
    """A session whose turn asks about these commands."""
    begin: Any = Start(command_id=house.id(), session=S, cwd=str(cwd), prompt="Go")
    await hub.send(begin)
    prompt_id = (await seen(hub, PromptAccepted)).prompt_id
    far = house.processes.of()
    far.begins(prompt_id)
    for number, command in enumerate(commands, 1):
        far.asks(f"r{number}", command=command, call=f"t{number}")
        await seen(hub, PermissionRequest, lambda event, n=number: event.pending_id == f"r{n}")  # type: ignore[misc]


async def test_a_rule_is_shown_with_what_it_would_have_covered(tmp_path: Path) -> None:
    house = House(options=Options(stop_git_check=False, rule_files=()))
    async with house.hub() as hub:
        await asked(house, hub, tmp_path, "make test", "make lint && rm x")
        found = await hub.preview(S, R2, "Bash(make *)")
        assert (found.rule, found.also, found.asked) == ("Bash(make *)", ("make test",), 1)
        assert [what.partition(":")[0] for what in found.never] == ["rm x"]
        assert (await hub.preview(S, None, "Bash(make *)")).never == ()
        with pytest.raises(OptionError):
            await hub.preview(S, R2, "Bash(")


async def test_why_something_is_asked_is_explained_step_by_step(tmp_path: Path) -> None:
    house = House(options=Options(stop_git_check=False, rule_files=()))
    async with house.hub() as hub:
        await asked(house, hub, tmp_path, "make test")
        said = await hub.explain(S, R1)
        assert (said.verdict, said.rule) == ("ask", None)
        assert said.trail[-1]["stage"] == "person"
        with pytest.raises(OptionError, match="no ask"):
            await hub.explain(S, R2)


async def test_turns_are_told_with_what_they_cost_and_texts_are_found(tmp_path: Path) -> None:
    house = House()
    async with house.hub() as hub:
        begin: Any = Start(command_id=house.id(), session=S, cwd=str(tmp_path), prompt="Look for marmalade")
        await hub.send(begin)
        prompt_id = (await seen(hub, PromptAccepted)).prompt_id
        house.processes.of().turn(prompt_id)
        await seen(hub, Complete)
        (spent,) = await hub.spent()
        assert (spent.title, spent.turn) == ("Look for marmalade", 1)
        assert spent.complete is not None
        assert spent.complete.cost_usd == 0.1
        (found,) = await hub.search("marmalade")
        assert (found.session, found.kind, found.title) == (S, "prompt", "Look for marmalade")
        assert len(await hub.window(S, limit=2)) == 2
        assert [event.seq for event in await hub.window(S, before=3, limit=10)] == [1, 2]
        with pytest.raises(OptionError, match="nothing was recorded"):
            await hub.recording(S)


async def test_git_tells_branch_files_and_difference(tmp_path: Path) -> None:
    told = await state(str(repository(tmp_path / "w")), ENV)
    assert (told.branch, told.files, told.problem) == ("main", ("kept.py", "src/kernel.py"), None)
    assert "-one\n+two\n" in told.diff
    assert (await state(str(tmp_path), ENV)).problem == "not a git repository"


async def test_files_are_found_by_the_beginning_of_path_or_name_without_what_git_ignores(tmp_path: Path) -> None:
    workspace = str(repository(tmp_path / "w"))
    assert await beginning_with(workspace, ENV, "ke", limit=9) == ("kept.py", "src/kernel.py")
    assert await beginning_with(workspace, ENV, "./SRC/", limit=9) == ("src/kernel.py",)
    assert await beginning_with(workspace, ENV, "ig", limit=9) == ()
    assert await beginning_with(str(tmp_path), ENV, "ig", limit=9) == ("w/ignored",)


def test_only_files_inside_of_the_workspace_are_given_links_resolved(tmp_path: Path) -> None:
    workspace = tmp_path / "w"
    workspace.mkdir()
    (workspace / "a").write_text("a")
    (tmp_path / "secret").write_text("s")
    (workspace / "way-out").symlink_to(tmp_path / "secret")
    assert inside(str(workspace), "a") == str(workspace / "a")
    for path, why in (
        ("way-out", "outside"),
        ("../secret", "outside"),
        (str(tmp_path / "secret"), "outside"),
        ("none", "no file"),
        (".", "no file"),
        ("a\0b", "no path"),
    ):
        with pytest.raises(OptionError, match=why):
            inside(str(workspace), path)
