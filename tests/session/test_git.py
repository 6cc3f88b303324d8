"""Uncommitted work is held up to the agent once, and git never holds anybody up."""

import asyncio
import os
import subprocess
from pathlib import Path

import pytest

from bascule.session.git import GitCheck, uncommitted
from bascule.wire.hook_outputs import HookOutput
from bascule.wire.hooks import Stop, SubagentStop
from tests.session.far_end import FarEnd
from tests.session.live import live
from tests.transport.programs import steps

ENV = {"PATH": os.environ["PATH"], "HOME": "/nowhere", "GIT_CONFIG_NOSYSTEM": "1"}


def git(repository: Path, *arguments: str) -> None:
    subprocess.run(["git", "-C", repository, *arguments], check=True, env=ENV)


def fake_git(folder: Path, script: str) -> None:
    """A `git` in that folder that does this."""
    path = folder / "git"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    git(tmp_path, "init", "-q")
    (tmp_path / "kept.py").write_text("1\n")
    git(tmp_path, "add", ".")
    git(tmp_path, "-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-qm", "x")
    return tmp_path


async def test_changed_new_and_renamed_files_are_told(repository: Path) -> None:
    assert (await uncommitted(str(repository), ENV)).files == ()
    git(repository, "mv", "kept.py", "moved.py")
    (repository / "a b.py").write_text("")
    (repository / "d").mkdir()
    (repository / "d" / "ü.py").write_text("")
    found = await uncommitted(str(repository), ENV)
    assert found == (("moved.py", "a b.py", "d/ü.py"), None)


async def test_what_an_always_of_the_cli_wrote_is_not_the_agents_work(repository: Path) -> None:
    (repository / ".claude").mkdir()
    (repository / ".claude" / "settings.local.json").write_text("{}")
    assert (await uncommitted(str(repository), ENV)).files == ()


async def test_no_repository_and_no_git_are_told_as_problems(
    repository: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    nowhere = str(tmp_path_factory.mktemp("nowhere"))
    assert await uncommitted(nowhere, ENV) == ((), "not a git repository")
    without_git = await uncommitted(str(repository), {**ENV, "PATH": nowhere})
    assert without_git.files == ()
    assert without_git.problem


async def test_git_is_not_started_where_there_is_no_repository(tmp_path: Path) -> None:
    fake_git(tmp_path, "touch ran")
    assert (await uncommitted(str(tmp_path), {**ENV, "PATH": f"{tmp_path}:/bin"})).files == ()
    assert not (tmp_path / "ran").exists()


async def test_a_repository_is_found_above_the_workspace_and_beside_a_link_to_it(
    repository: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    below = repository / "a" / "b"
    below.mkdir(parents=True)
    (below / "new.py").write_text("")
    link = tmp_path_factory.mktemp("elsewhere") / "link"
    link.symlink_to(below)
    assert (await uncommitted(str(below), ENV)).files == ("a/b/new.py",)
    assert (await uncommitted(str(link), ENV)).files == ("a/b/new.py",)


async def test_a_repository_that_the_environment_or_a_bare_one_names_is_asked(
    repository: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    tree = tmp_path_factory.mktemp("tree")
    (tree / "new.py").write_text("")
    named = {**ENV, "GIT_DIR": str(repository / ".git"), "GIT_WORK_TREE": str(tree)}
    assert (await uncommitted(str(tree), named)).files == ("kept.py", "new.py")
    bare = tmp_path_factory.mktemp("bare")
    git(bare, "init", "-q", "--bare")
    git(bare, "config", "core.bare", "false")
    git(bare, "config", "core.worktree", str(tree))
    assert (await uncommitted(str(bare), ENV)).files == ("new.py",)


async def test_a_slow_git_holds_nobody_up(tmp_path: Path) -> None:
    fake_git(tmp_path, "exec /bin/sleep 60")
    (tmp_path / ".git").mkdir()
    found = await uncommitted(str(tmp_path), {**ENV, "PATH": f"{tmp_path}:/bin"}, within_s=0.2)
    assert found == ((), "git took longer than 0.2 s")


async def test_a_git_that_fails_says_why(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    env = {**ENV, "PATH": f"{tmp_path}:/bin"}
    fake_git(tmp_path, "echo broken >&2; exit 128")
    assert await uncommitted(str(tmp_path), env) == ((), "broken")
    fake_git(tmp_path, "exit 3")
    assert await uncommitted(str(tmp_path), env) == ((), "git ended with 3")


async def test_the_workspace_cannot_make_git_run_a_program(repository: Path) -> None:
    hook = repository / "hook"
    hook.write_text("#!/bin/sh\ntouch ran\n")
    hook.chmod(0o755)
    git(repository, "config", "core.fsmonitor", str(hook))
    assert (await uncommitted(str(repository), ENV)).files == ("hook",)
    assert not (repository / "ran").exists()


async def test_the_agent_is_held_up_once_and_only_for_its_own_work(repository: Path) -> None:
    (repository / "before.py").write_text("")
    check = GitCheck(str(repository), ENV)
    await check.begin()
    assert await check(Stop()) == HookOutput()
    for number in range(12):
        (repository / f"new{number:02}.py").write_text("")
    held = await check(Stop())
    assert held.decision == "block"
    assert held.reason is not None
    assert "before.py" not in held.reason
    assert held.reason.count("- new") == 10
    assert "and 2 more" in held.reason
    assert await check(Stop(stop_hook_active=True)) == HookOutput()
    assert await check(Stop()) == HookOutput()


async def test_an_agent_that_was_held_up_may_stop_with_newer_work_too(repository: Path) -> None:
    check = GitCheck(str(repository), ENV)
    await check.begin()
    (repository / "new.py").write_text("")
    assert await check(Stop(stop_hook_active=True)) == HookOutput()
    assert await check(SubagentStop()) == HookOutput()


async def test_a_turn_that_ends_before_git_has_looked_is_not_held_up_for_what_lay_there(repository: Path) -> None:
    (repository / "before.py").write_text("")
    check = GitCheck(str(repository), ENV)
    async with asyncio.TaskGroup() as group:
        stops = group.create_task(check(Stop()), name="stop")
        await steps(3)
        assert not stops.done()
        await check.begin()
    assert stops.result() == HookOutput()


async def test_where_git_could_not_tell_what_lay_there_nobody_is_held_up_for_it(repository: Path) -> None:
    (repository / "before.py").write_text("")
    env = {**ENV, "PATH": "/nowhere"}
    check = GitCheck(str(repository), env)
    await check.begin()
    env["PATH"] = ENV["PATH"]
    assert await check(Stop()) == HookOutput()
    (repository / "new.py").write_text("")
    held = await check(Stop())
    assert held.reason is not None
    assert ("before.py" in held.reason, "new.py" in held.reason) == (False, True)


@pytest.mark.parametrize(
    ("options", "checks"),
    [
        ({"stop_git_check": None}, True),
        ({"stop_git_check": None, "policy": "acceptEdits"}, False),
        ({"stop_git_check": False}, False),
        ({"stop_git_check": True, "policy": "acceptEdits"}, True),
    ],
)
async def test_the_policy_says_whether_git_is_asked(options: dict[str, object], checks: bool, tmp_path: Path) -> None:
    far = FarEnd()
    async with live(far, cwd=tmp_path, **options):
        pass
    assert ("Stop" in far.heard[0]["request"].get("hooks", {})) is checks
