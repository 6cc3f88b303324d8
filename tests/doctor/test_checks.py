"""Checks of the machine: each failure says what to do."""

import os
import stat
from pathlib import Path

import pytest

from bascule.doctor.catalogue import recorded
from bascule.doctor.checks import (
    Check,
    answers_check,
    extra_checks,
    folder_check,
    git_check,
    hooks_check,
    machine_checks,
    probe_check,
    proof_check,
    root_check,
    version_check,
)
from bascule.doctor.findings import Findings
from bascule.doctor.proof import Proof
from bascule.doctor.traits import NEWEST
from bascule.transport.version import Version


def is_amiss(check: Check, verdict: str, *words: str) -> bool:
    """Whether it says what is amiss, and what to do."""
    return check.verdict == verdict and bool(check.advice) and all(word in check.says for word in words)


def is_good(check: Check) -> bool:
    return check.verdict == "good" and bool(check.says) and not check.advice


def test_a_tested_version_is_good_and_any_other_doubtful() -> None:
    assert is_good(version_check(Version(2, 1, 300)))
    assert is_amiss(version_check(Version(2, 2, 0)), "doubtful", "2.2.0", "newer")
    assert is_amiss(version_check(Version(1, 0, 0)), "doubtful", "1.0.0", "older")


def test_a_proof_is_good_and_anything_else_bad() -> None:
    assert is_good(proof_check(Proof("holds", "asked")))
    assert is_amiss(proof_check(Proof("fails", "asked nobody")), "bad", "it asked nobody")
    assert is_amiss(proof_check(Proof("unknown", "hung")), "bad", "it hung")


def test_hooks_that_do_not_hold_are_bad() -> None:
    known = recorded(NEWEST).findings()
    assert is_good(hooks_check(known))
    broken = Findings(ways={**known.ways, "bypass.hook_deny": "runs all the same"})
    assert is_amiss(hooks_check(broken), "bad", "Where all is allowed, a call whose hook says deny")
    assert is_amiss(hooks_check(Findings()), "bad", "a call whose hook says ask")


def test_a_scene_that_broke_off_is_bad() -> None:
    assert is_good(probe_check(recorded(NEWEST).findings()))
    assert is_amiss(probe_check(Findings(trouble=("scene x: the CLI ended",))), "bad", "scene x: the CLI ended")


def test_an_extra_that_is_missing_is_doubtful_and_says_what_is_so_without() -> None:
    term, shell, images = extra_checks(lambda module: None if module == "tree_sitter_bash" else module)
    assert is_good(term)
    assert is_good(images)
    assert is_amiss(shell, "doubtful", "only by a rule that repeats it exactly")
    assert shell.advice == "pip install 'bascule[shell]'"


def test_a_folder_that_cannot_be_written_to_is_doubtful(tmp_path: Path) -> None:
    assert is_good(folder_check("config", tmp_path, "nothing is kept"))
    assert is_good(folder_check("config", tmp_path / "not" / "yet", "nothing is kept"))
    in_the_way = tmp_path / "file"
    in_the_way.write_text("")
    assert is_amiss(folder_check("config", in_the_way / "x", "nothing is kept"), "doubtful", "nothing is kept")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_of_somebody_else_is_doubtful(tmp_path: Path) -> None:
    tmp_path.chmod(stat.S_IRUSR | stat.S_IXUSR)
    assert is_amiss(folder_check("config", tmp_path / "x", "nothing is kept"), "doubtful", str(tmp_path))


def test_git_and_the_user_are_looked_at() -> None:
    assert is_good(git_check("/usr/bin/git"))
    assert is_amiss(git_check(None), "doubtful", "not found")
    assert is_good(root_check(1000))
    assert is_amiss(root_check(0), "doubtful", "autonomous")


HOOK = '"hooks": {"PermissionRequest": [{"hooks": []}]}'


@pytest.mark.parametrize("text", [None, "", "{}", '{"hooks": {"Stop": []}}', f'{{{HOOK}, "disableAllHooks": true}}'])
def test_settings_without_a_hook_that_answers_asks_are_good(tmp_path: Path, text: str | None) -> None:
    settings = tmp_path / "settings.json"
    if text is not None:
        settings.write_text(text)
    assert is_good(answers_check(settings))


@pytest.mark.parametrize(("text", "says"), [(f"{{{HOOK}}}", "may answer before you do"), ("{", "cannot be read")])
def test_S19_a_hook_that_answers_in_the_persons_place_is_doubtful(tmp_path: Path, text: str, says: str) -> None:
    settings = tmp_path / "settings.json"
    settings.write_text(text)
    assert is_amiss(answers_check(settings), "doubtful", says, str(settings))


def test_every_check_of_the_machine_is_made(tmp_path: Path) -> None:
    checks = list(machine_checks({"HOME": str(tmp_path), "PATH": os.defpath}, euid=1000))
    assert [check.name for check in checks] == ["term", "shell", "images", "config", "answers", "state", "git", "user"]
    (config,) = [check for check in checks if check.name == "config"]
    assert config.says == f"{tmp_path}/.claude can be written to"
