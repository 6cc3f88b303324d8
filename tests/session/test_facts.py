"""Paths as they really are, whatever way they were written."""

from pathlib import Path

import pytest

from bascule.session.facts import ground, resolved


def test_paths_are_absolute_and_free_of_links(tmp_path: Path) -> None:
    work, home = tmp_path / "work", tmp_path / "home"
    work.mkdir()
    home.mkdir()
    (work / "link").symlink_to(home)
    (work / "loop").symlink_to(work / "loop")

    def at(path: str) -> str:
        return resolved(path, cwd=str(work), home=str(home))

    assert at("a/b.py") == f"{work}/a/b.py"
    assert at("../b.py") == f"{tmp_path}/b.py"
    assert at("link/b.py") == f"{home}/b.py"
    assert at("link/../b.py") == f"{tmp_path}/b.py"
    assert at("~") == str(home)
    assert at("~/b.py") == f"{home}/b.py"
    assert at("/etc/passwd") == "/etc/passwd"
    assert at("loop/x").startswith(str(work))


@pytest.mark.parametrize("path", ["a\0b", "~nobody-of-this-name/x"])
def test_what_no_system_could_find_stays_as_written(path: str) -> None:
    assert resolved(path, cwd="/w", home="/h") == path


def test_a_call_is_seen_from_where_the_cli_stands(tmp_path: Path) -> None:
    below = tmp_path / "below"
    below.mkdir()
    here = ground(tmp_path, {"HOME": "/h", "CLAUDE_CONFIG_DIR": "/c"})
    assert (here.workspace, here.home, here.plans) == (str(tmp_path), "/h", "/c/plans")
    call = here.call("Read", {"file_path": "a.py"}, cwd=str(below))
    assert call.facts.reads == (f"{below}/a.py",)
    assert call.cwd == str(below)
    assert here.call("Read", {"file_path": "a.py"}, cwd=None).facts.reads == (f"{tmp_path}/a.py",)


def test_the_plans_lie_in_the_home_unless_told(tmp_path: Path) -> None:
    assert ground(tmp_path, {"HOME": "/h"}).plans == "/h/.claude/plans"
    assert ground(tmp_path, {}).home == str(Path.home().resolve())


def test_what_is_bascules_own_is_protected_and_attachments_are_not(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / ".config").symlink_to(tmp_path)
    here = ground(tmp_path, {"HOME": str(tmp_path / "home")})
    assert f"{tmp_path}/.bascule/rules.toml" in here.protected
    assert f"{tmp_path}/bascule" in here.protected
    assert not any(f"{tmp_path}/.bascule/attachments".startswith(path) for path in here.protected)


def test_a_search_that_prints_is_known_to_look_into_one_file(tmp_path: Path) -> None:
    (tmp_path / "a.py").touch()
    here = ground(tmp_path, {"HOME": "/h"})

    def files(**given: str) -> frozenset[str]:
        return here.call("Grep", {"pattern": "x", **given}, cwd=None).files

    assert files(path="a.py", output_mode="content") == {f"{tmp_path}/a.py"}
    assert files(path=".", output_mode="content") == frozenset()
    assert files(path="a\0b", output_mode="content") == frozenset()
    assert files(path="a.py") == frozenset()


@pytest.mark.parametrize(
    ("settings", "plans"),
    [
        ('{"plansDirectory": "./plans"}', "w/plans"),
        ('{"plansDirectory": "."}', "c/plans"),
        ('{"plansDirectory": ".."}', "c/plans"),
        ('{"plansDirectory": 1}', "c/plans"),
        ("[]", "c/plans"),
        ("{", "c/plans"),
    ],
)
def test_the_user_says_where_plans_lie_but_never_around_the_workspace(
    settings: str, plans: str, tmp_path: Path
) -> None:
    config, work = tmp_path / "c", tmp_path / "w"
    for folder in (config, work / ".claude"):
        folder.mkdir(parents=True)
    (config / "settings.json").write_text(settings)
    (work / ".claude" / "settings.json").write_text('{"plansDirectory": "src"}')
    assert ground(work, {"HOME": "/h", "CLAUDE_CONFIG_DIR": str(config)}).plans == str(tmp_path / plans)
