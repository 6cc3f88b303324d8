"""Uncommitted work is held up to the agent once, and git never holds anybody up."""

import asyncio
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from bascule.session.git import GitCheck, Unfinished, unfinished
from bascule.wire.hook_outputs import HookOutput
from bascule.wire.hooks import Stop, SubagentStop
from tests.session.far_end import FarEnd
from tests.session.live import live
from tests.transport.programs import steps

ENV = {"PATH": os.environ["PATH"], "HOME": "/nowhere", "GIT_CONFIG_NOSYSTEM": "1"}


NAMED = ("-c", "user.name=a", "-c", "user.email=a@example.org")


def git(repository: Path, *arguments: str, check: bool = True) -> None:
    subprocess.run(["git", "-C", repository, *NAMED, *arguments], check=check, env=ENV)


def commit(repository: Path, *arguments: str) -> None:
    git(repository, "commit", "-q", *arguments)


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
    commit(tmp_path, "-m", "x")
    return tmp_path


async def test_changed_new_and_renamed_files_are_told(repository: Path) -> None:
    assert (await unfinished(str(repository), ENV)).files == ()
    git(repository, "mv", "kept.py", "moved.py")
    (repository / "a b.py").write_text("")
    (repository / "d").mkdir()
    (repository / "d" / "ü.py").write_text("")
    found = await unfinished(str(repository), ENV)
    assert found == Unfinished(root=repository, files=("moved.py", "a b.py", "d/ü.py"))


async def test_what_an_always_of_the_cli_wrote_is_not_the_agents_work(repository: Path) -> None:
    (repository / ".claude").mkdir()
    (repository / ".claude" / "settings.local.json").write_text("{}")
    assert (await unfinished(str(repository), ENV)).files == ()


async def test_no_repository_and_no_git_are_told_as_problems(
    repository: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    nowhere = str(tmp_path_factory.mktemp("nowhere"))
    assert await unfinished(nowhere, ENV) == Unfinished(problem="not a git repository")
    without_git = await unfinished(str(repository), {**ENV, "PATH": nowhere})
    assert without_git.files == ()
    assert without_git.problem


async def test_git_is_not_started_where_there_is_no_repository(tmp_path: Path) -> None:
    fake_git(tmp_path, "touch ran")
    assert (await unfinished(str(tmp_path), {**ENV, "PATH": f"{tmp_path}:/bin"})).files == ()
    assert not (tmp_path / "ran").exists()


async def test_a_repository_is_found_above_the_workspace_and_beside_a_link_to_it(
    repository: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    below = repository / "a" / "b"
    below.mkdir(parents=True)
    (below / "new.py").write_text("")
    link = tmp_path_factory.mktemp("elsewhere") / "link"
    link.symlink_to(below)
    assert (await unfinished(str(below), ENV)).files == ("a/b/new.py",)
    assert (await unfinished(str(link), ENV)).files == ("a/b/new.py",)


async def test_a_repository_that_the_environment_names_is_asked(
    repository: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    tree = tmp_path_factory.mktemp("tree")
    (tree / "new.py").write_text("")
    named = {**ENV, "GIT_DIR": str(repository / ".git"), "GIT_WORK_TREE": str(tree)}
    assert (await unfinished(str(tree), named)).files == ("kept.py", "new.py")


async def test_a_folder_that_looks_like_a_bare_repository_is_none(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "--bare")
    git(tmp_path, "config", "core.bare", "false")
    git(tmp_path, "config", "core.worktree", str(tmp_path))
    assert await unfinished(str(tmp_path), ENV) == Unfinished(problem="not a git repository")


def worktree(repository: Path, folder: Path) -> Path:
    git(repository, "worktree", "add", "-q", str(folder))
    return folder


async def test_a_worktree_is_a_repository(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    tree = worktree(repository, tmp_path_factory.mktemp("trees") / "tree")
    (tree / "new.py").write_text("")
    assert (await unfinished(str(tree), ENV)).files == ("new.py",)


def clean_by(at: Path, program: str) -> None:
    """Git runs that to compare files; and there is a file to be compared."""
    (at / ".gitattributes").write_text("* filter=x\n")
    git(at, "config", "filter.x.clean", program)
    (at / "kept.py").write_text("2\n")


async def test_the_workspace_cannot_make_git_run_a_filter(
    repository: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    ran = tmp_path_factory.mktemp("ran") / "it"
    add_submodule(repository)
    tree = worktree(repository, tmp_path_factory.mktemp("trees") / "tree")
    clean_by(repository / "inner", f"touch {ran}; cat")
    assert (await unfinished(str(repository), ENV)).files == ()
    found = await unfinished(str(repository / "inner"), ENV)
    assert (found.files, "would run programs" in (found.problem or "")) == ((), True)
    clean_by(repository, f"touch {ran}; cat")
    found = await unfinished(str(tree), ENV)
    assert (found.files, "would run programs" in (found.problem or "")) == ((), True)
    assert not ran.exists()


async def test_an_included_configuration_may_name_a_filter(repository: Path) -> None:
    git(repository, "config", "include.path", "../evil")
    assert "would run programs" in ((await unfinished(str(repository), ENV)).problem or "")


async def test_a_slow_git_holds_nobody_up(tmp_path: Path) -> None:
    fake_git(tmp_path, "exec /bin/sleep 60")
    (tmp_path / ".git").mkdir()
    found = await unfinished(str(tmp_path), {**ENV, "PATH": f"{tmp_path}:/bin"}, within_s=0.2)
    assert found == Unfinished(problem="git took longer than 0.2 s")


async def test_a_git_that_fails_says_why(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    env = {**ENV, "PATH": f"{tmp_path}:/bin"}
    fake_git(tmp_path, "echo broken >&2; exit 128")
    assert await unfinished(str(tmp_path), env) == Unfinished(problem="broken")
    fake_git(tmp_path, "exit 3")
    assert await unfinished(str(tmp_path), env) == Unfinished(problem="git ended with 3")


async def test_the_workspace_cannot_make_git_run_a_program(repository: Path) -> None:
    hook = repository / "hook"
    hook.write_text("#!/bin/sh\ntouch ran\n")
    hook.chmod(0o755)
    git(repository, "config", "core.fsmonitor", str(hook))
    assert (await unfinished(str(repository), ENV)).files == ("hook",)
    assert not (repository / "ran").exists()


def cloned(repository: Path, folder: Path) -> Path:
    """A clone, whose branch has an upstream."""
    subprocess.run(["git", "clone", "-q", repository, folder], check=True, env=ENV)
    return folder


def modify(repository: Path) -> None:
    (repository / "kept.py").write_text("2\n")


def stage(repository: Path) -> None:
    modify(repository)
    git(repository, "add", ".")


def modify_detached(repository: Path) -> None:
    git(repository, "checkout", "-q", "--detach")
    modify(repository)


def add_submodule(repository: Path) -> None:
    inner = repository / "inner"
    cloned(repository, inner)
    git(repository, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", "./inner", "inner")
    commit(repository, "-m", "inner")
    modify(inner)


def conflict(repository: Path) -> None:
    git(repository, "checkout", "-q", "-b", "other")
    modify(repository)
    commit(repository, "-am", "2")
    git(repository, "checkout", "-q", "-")
    (repository / "kept.py").write_text("3\n")
    commit(repository, "-am", "3")
    git(repository, "merge", "-q", "other", check=False)


STATES: dict[str, tuple[Callable[[Path], None], tuple[str, ...]]] = {
    "clean": (lambda _: None, ()),
    "modified": (modify, ("kept.py",)),
    "untracked": (lambda at: (at / "new.py").touch(), ("new.py",)),
    "staged": (stage, ("kept.py",)),
    "deleted": (lambda at: (at / "kept.py").unlink(), ("kept.py",)),
    "conflict": (conflict, ("kept.py",)),
    "submodule": (add_submodule, ("inner/kept.py",)),
    "detached, clean": (lambda at: git(at, "checkout", "-q", "--detach"), ()),
    "detached": (modify_detached, ("kept.py",)),
}


@pytest.mark.parametrize("state", STATES)
async def test_the_agent_is_held_up_in_every_state_but_a_clean_one(repository: Path, state: str) -> None:
    check = GitCheck(str(repository), ENV)
    await check.begin()
    dirty, files = STATES[state]
    dirty(repository)
    held = await check(Stop())
    if files:
        assert held.decision == "block"
        assert held.reason is not None
        assert [row[2:] for row in held.reason.split("\n") if row.startswith("- ")] == list(files)
    else:
        assert held == HookOutput()


async def test_a_repository_without_a_commit_has_files_too(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    (tmp_path / "new.py").touch()
    assert await unfinished(str(tmp_path), ENV) == Unfinished(root=tmp_path, files=("new.py",))


async def test_the_agent_is_held_up_once_for_each_file(repository: Path) -> None:
    (repository / "before.py").write_text("")
    check = GitCheck(str(repository), ENV)
    await check.begin()
    for number in range(12):
        (repository / f"new{number:02}.py").write_text("")
    held = await check(Stop())
    assert held.decision == "block"
    assert held.reason is not None
    assert held.reason.count("- new") == 10
    assert "And 2 more." in held.reason
    assert await check(Stop(stop_hook_active=True)) == HookOutput()
    assert await check(Stop()) == HookOutput()


async def test_what_lay_there_before_is_not_held_up_and_is_named_apart(repository: Path) -> None:
    (repository / "before.py").write_text("")
    check = GitCheck(str(repository), ENV)
    await check.begin()
    assert await check(Stop()) == HookOutput()
    (repository / "new.py").write_text("")
    reason = (await check(Stop())).reason or ""
    assert "workspace:\n- new.py\nThese were uncommitted before you began, and are not yours:\n- before.py\n" in reason


@pytest.mark.parametrize("below", [".", "d"])
async def test_what_lay_there_before_and_was_written_since_is_work(repository: Path, below: str) -> None:
    (repository / "d").mkdir()
    (repository / "before.py").write_text("")
    (repository / "gone.py").write_text("")
    check = GitCheck(str(repository / below), ENV)
    await check.begin()
    (repository / "before.py").write_text("1")
    (repository / "gone.py").unlink()
    (repository / "kept.py").unlink()
    reason = (await check(Stop())).reason or ""
    assert "workspace:\n- kept.py\n- before.py\nCommit" in reason


async def test_unpushed_commits_are_held_up_where_that_is_wanted(
    repository: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    clone = cloned(repository, tmp_path_factory.mktemp("clones") / "clone")
    git(repository, "checkout", "-q", "--detach")  # or it would take no push
    check = GitCheck(str(clone), ENV, pushed=True)
    careless = GitCheck(str(clone), ENV)
    await check.begin()
    await careless.begin()
    assert await check(Stop()) == HookOutput()
    modify(clone)
    commit(clone, "-am", "2")
    assert await careless(Stop()) == HookOutput()
    held = await check(Stop())
    assert (held.decision, held.reason) == ("block", "1 commit is not pushed: push, or say in a sentence why not.")
    assert await check(Stop()) == HookOutput()
    commit(clone, "--allow-empty", "-m", "3")
    assert "2 commits are not pushed" in ((await check(Stop())).reason or "")
    git(clone, "push", "-q")
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
    assert "workspace:\n- new.py\n" in ((await check(Stop())).reason or "")


@pytest.mark.parametrize(
    ("options", "checks"),
    [
        ({"stop_git_check": None}, True),
        ({"stop_git_check": None, "policy": "acceptEdits"}, False),
        ({"stop_git_check": False}, False),
        ({"stop_git_check": True, "policy": "acceptEdits"}, True),
        ({"stop_git_check": "pushed", "policy": "acceptEdits"}, True),
    ],
)
async def test_the_policy_says_whether_git_is_asked(options: dict[str, object], checks: bool, tmp_path: Path) -> None:
    far = FarEnd()
    async with live(far, cwd=tmp_path, **options):
        pass
    assert ("Stop" in far.heard[0]["request"].get("hooks", {})) is checks
