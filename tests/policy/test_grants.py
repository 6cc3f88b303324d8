"""What a person allowed for longer: for a command to the letter in one folder, for a pattern wherever it holds."""

import pytest

from bascule.policy.call import Call
from bascule.policy.chain import judge
from bascule.policy.grants import Grant, folder_of, granted
from bascule.policy.policies import named
from bascule.policy.verdict import Allow
from tests.policy.calls import WORKSPACE, bash, call

WEB = f"{WORKSPACE}/web"


def allows(grant: Grant, made: Call) -> bool:
    said = judge(named("rules"), made, mode="default", attended=True, grants=(grant,), now=0)
    return isinstance(said, Allow)


@pytest.mark.parametrize("command", ["make", "make -j4", "cat 'a b'", "echo $(date)", "for x in a; do echo $x; done"])
def test_a_command_to_the_letter_is_granted_in_its_folder(command: str) -> None:
    here, below = granted(f"Bash({command})"), granted(f"Bash({command})", folder="web")
    assert [allows(here, bash(command, cwd)) for cwd in (WORKSPACE, WEB, f"{WEB}/web", "/srv")] == [1, 0, 0, 0]
    assert [allows(below, bash(command, cwd)) for cwd in (WORKSPACE, WEB, f"{WEB}/web", "/srv")] == [0, 1, 0, 0]
    assert str(below.rule) == f"Bash({command}) in web"


def test_a_folder_outside_of_the_workspace_is_named_whole_and_still_needs_a_rule_for_there() -> None:
    away = bash("make", "/srv/web")
    assert folder_of(away) == "/srv/web"
    assert not allows(granted("Bash(make)", folder="/srv/web"), away)


@pytest.mark.parametrize("rule", ["Bash(make *)", "Bash(make:*)", "Bash", "Bash(*)"])
def test_a_pattern_is_granted_in_the_whole_workspace(rule: str) -> None:
    grant = granted(rule, folder="web")
    assert grant.rule.stands is None
    assert allows(grant, bash("make x")) and allows(grant, bash("make x", WEB))


def test_other_tools_stand_nowhere() -> None:
    edit = call("Edit", WEB, file_path="a.py", old_string="a", new_string="b")
    assert folder_of(edit) == "."
    assert allows(granted("Edit(web/a.py)", folder=folder_of(edit)), edit)


def test_the_folder_that_a_person_wrote_counts() -> None:
    grant = granted("Bash(make) in web", folder=".")
    assert allows(grant, bash("make", WEB)) and not allows(grant, bash("make"))


def test_the_folder_is_told_from_the_workspace() -> None:
    assert [folder_of(bash("make", cwd)) for cwd in (WORKSPACE, WEB, f"{WEB}/a b")] == [".", "web", "web/a b"]


def test_a_folder_is_said_of_commands_alone() -> None:
    """An edit stands nowhere: the text would show less than the grant gave."""
    edit = call("Edit", file_path=f"{WORKSPACE}/web/a.py", old_string="a", new_string="b")
    assert allows(granted("Edit(*.py)"), edit) and not allows(granted("Edit(*.py) in web"), edit)
