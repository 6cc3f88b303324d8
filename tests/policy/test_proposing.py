"""Rules from what people allowed: the narrowest that would have answered, and none over a risk."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bascule.policy.call import Call
from bascule.policy.config import rules_of
from bascule.policy.proposing import Answered, covers, propose
from bascule.tools.risks import marks
from tests.policy.calls import WORKSPACE, bash, call


def proposed(*calls: Call, refused: tuple[Call, ...] = (), least: int = 2) -> dict[str, int]:
    """The rules and the asks of each, of calls that were allowed in a session each."""
    said = [Answered(one, True, str(number)) for number, one in enumerate(calls)]
    return {
        str(proposal.rule): proposal.asks
        for proposal in propose([*said, *(Answered(one, False, "r") for one in refused)], least=least)
    }


def test_what_was_allowed_once_is_no_rule() -> None:
    assert proposed(bash("pytest")) == {}


def test_a_command_that_came_again_is_a_rule_to_the_letter() -> None:
    assert proposed(bash("pytest -q"), bash("ls"), bash("pytest -q")) == {"Bash(pytest -q)": 2}


def test_commands_with_different_words_are_a_rule_with_what_they_share() -> None:
    again = (bash("git log -3"), bash("git log -3"), bash("git log --oneline"))
    assert proposed(*again) == {"Bash(git log *)": 3}


def test_how_often_is_to_be_said() -> None:
    calls = [bash("pytest -q")] * 3 + [bash("ls")] * 2
    assert proposed(*calls, least=3) == {"Bash(pytest -q)": 3}


def test_the_most_useful_comes_first_with_its_sessions() -> None:
    said = [Answered(bash(line), True, session) for line, session in (("ls", "a"), ("ls", "a"), *[("pwd", "b")] * 3)]
    assert [(str(one.rule), one.asks, one.sessions) for one in propose(said, least=2)] == [
        ("Bash(pwd)", 3, 1),
        ("Bash(ls)", 2, 1),
    ]


@pytest.mark.parametrize(
    "command",
    [
        "rm x",
        "sudo ls",
        "git push",
        "curl https://x.org",
        "cat .env",
        "cat /etc/hosts",
        "pip install x",
        "psql",
        "eval x",
    ],
)
def test_nothing_is_proposed_over_a_risk(command: str) -> None:
    facts = bash(command).facts
    assert marks(facts, WORKSPACE) or not facts.allowable
    assert proposed(bash(command), bash(command)) == {}


@pytest.mark.parametrize("command", ["git pull", "tar xf a.tar"])
def test_nothing_is_proposed_over_files_that_are_written_unnamed(command: str) -> None:
    assert proposed(bash(command), bash(command)) == {}


def test_nothing_is_proposed_that_would_have_allowed_what_was_refused() -> None:
    again = (bash("git log -3"), bash("git log --all"))
    assert proposed(*again, refused=(bash("git log -p"),)) == {}
    assert proposed(*again, bash("git log -3"), refused=(bash("git log -p"),)) == {"Bash(git log -3)": 2}


def test_files_are_named_as_the_workspace_has_them_and_never_the_whole_of_it() -> None:
    src = [call("Edit", file_path=f"src/{name}") for name in ("a.py", "b.py", "a.py")]
    assert proposed(*src) == {"Edit(./src/**)": 3}
    assert proposed(*(call("Edit", file_path=name) for name in ("a.py", "b.py"))) == {}


def test_a_tool_that_nothing_narrows_is_a_rule_and_its_server_is_not() -> None:
    assert proposed(call("mcp__git__log", max=1), call("mcp__git__log", max=2)) == {"mcp__git__log": 2}
    assert proposed(call("mcp__git__log"), call("mcp__git__status")) == {}


def test_a_call_that_no_rule_can_allow_is_none() -> None:
    unsandboxed = call("Bash", command="ls", dangerouslyDisableSandbox=True)
    assert proposed(unsandboxed, unsandboxed) == {}


def test_a_tool_whose_name_no_rule_can_say_has_none() -> None:
    assert proposed(call("odd name"), call("odd name")) == {}


def test_the_end_of_a_rule_is_left_aside_when_the_past_is_looked_at() -> None:
    [rule] = rules_of('rule = [{action = "allow", tool = "Bash", match = "ls", until = 2020-01-01}]', "r")
    assert covers(rule, bash("ls"))


LINES = st.lists(
    st.sampled_from(("git log -3", "git log", "git diff a", "git diff b", "ls; pwd", "rm x", "echo $(x)", "make a")),
    max_size=8,
)


@given(LINES, LINES)
def test_every_rule_covers_what_it_says_and_nothing_that_was_refused(allowed: list[str], refused: list[str]) -> None:
    said = [
        *(Answered(bash(line), True, "a") for line in allowed),
        *(Answered(bash(line), False, "r") for line in refused),
    ]
    for proposal in propose(said, least=2):
        assert sum(covers(proposal.rule, one.call) for one in said if one.allowed) >= proposal.asks >= 2
        assert not any(covers(proposal.rule, one.call) for one in said if not one.allowed)
