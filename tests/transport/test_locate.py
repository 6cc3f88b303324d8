"""Where the CLI is found, and what is said when it is nowhere."""

from pathlib import Path

import msgspec
import pytest

from bascule.errors import CliNotFound
from bascule.transport.locate import Surroundings, find_cli, here


@pytest.fixture
def nowhere(tmp_path: Path) -> Surroundings:
    """A machine without any CLI."""
    workspace = tmp_path / "home" / "work" / "project"
    workspace.mkdir(parents=True)
    return Surroundings(
        path=f"{tmp_path / 'bin'}::{tmp_path / 'sbin'}",
        home=tmp_path / "home",
        cwd=workspace,
        wheel=tmp_path / "site-packages" / "claude_agent_sdk",
        usual=("~/.local/bin/claude", str(tmp_path / "opt" / "claude")),
    )


def install(path: Path, *, mode: int = 0o755) -> Path:
    """A program at that path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n")
    path.chmod(mode)
    return path


def places(nowhere: Surroundings, tmp_path: Path) -> list[Path]:
    """Every kind of place, the first to be looked at first."""
    return [
        tmp_path / "bin" / "claude",
        tmp_path / "sbin" / "claude",
        nowhere.home / ".local" / "bin" / "claude",
        tmp_path / "opt" / "claude",
        tmp_path / "site-packages" / "claude_agent_sdk" / "_bundled" / "claude",
        nowhere.cwd / "node_modules" / ".bin" / "claude",
        nowhere.cwd / "node_modules" / "@anthropic-ai" / "claude-code-linux-x64" / "claude",
        nowhere.cwd.parent / "node_modules" / ".bin" / "claude",
    ]


def test_a_repository_comes_last_and_the_nearest_folder_first(nowhere: Surroundings, tmp_path: Path) -> None:
    for place in reversed(places(nowhere, tmp_path)):
        install(place)
        assert find_cli(nowhere) == place


def test_what_cannot_be_run_is_passed_over(nowhere: Surroundings, tmp_path: Path) -> None:
    install(tmp_path / "bin" / "claude", mode=0o644)
    (tmp_path / "sbin" / "claude").mkdir(parents=True)
    found = install(nowhere.home / ".local" / "bin" / "claude")
    assert find_cli(nowhere) == found


def test_a_link_stays_a_link_so_that_an_update_is_followed(nowhere: Surroundings, tmp_path: Path) -> None:
    real = install(tmp_path / "versions" / "2.1.332")
    link = nowhere.home / ".local" / "bin" / "claude"
    link.parent.mkdir(parents=True)
    link.symlink_to(real)
    assert find_cli(nowhere) == link


def test_nowhere_lists_the_places_and_says_what_to_do(nowhere: Surroundings, tmp_path: Path) -> None:
    with pytest.raises(CliNotFound, match="install Claude Code") as caught:
        find_cli(nowhere)
    expected = [str(place) for place in places(nowhere, tmp_path) if "claude-code-" not in str(place)]
    assert [place for place in caught.value.searched if place in expected] == expected
    assert caught.value.searched[0] == str(tmp_path / "bin" / "claude")


def test_without_the_wheel_it_is_not_looked_for(nowhere: Surroundings) -> None:
    with pytest.raises(CliNotFound) as caught:
        find_cli(msgspec.structs.replace(nowhere, wheel=None))
    assert not any("_bundled" in place for place in caught.value.searched)


def test_a_named_path_is_taken(nowhere: Surroundings, tmp_path: Path) -> None:
    install(tmp_path / "bin" / "claude")
    mine = install(nowhere.cwd / "tools" / "claude")
    assert find_cli(nowhere, explicit=str(mine)) == mine
    assert find_cli(nowhere, explicit="tools/claude") == mine
    home = install(nowhere.home / "c")
    assert find_cli(nowhere, explicit="~/c") == home


def test_a_named_program_is_looked_for_on_the_path(nowhere: Surroundings, tmp_path: Path) -> None:
    found = install(tmp_path / "sbin" / "claude-beta")
    assert find_cli(nowhere, explicit="claude-beta") == found


@pytest.mark.parametrize(("mode", "why"), [(None, "does not exist"), (0o644, "no program that may be run")])
def test_a_named_path_that_is_wrong_is_never_replaced(
    nowhere: Surroundings, tmp_path: Path, mode: int | None, why: str
) -> None:
    install(tmp_path / "bin" / "claude")
    mine = tmp_path / "mine"
    if mode is not None:
        install(mine, mode=mode)
    with pytest.raises(CliNotFound, match=why) as caught:
        find_cli(nowhere, explicit=str(mine))
    assert caught.value.searched == (str(mine),)


def test_here_is_this_process() -> None:
    surroundings = here()
    assert surroundings.cwd == Path.cwd()
    assert surroundings.home == Path.home()
    assert surroundings.path
