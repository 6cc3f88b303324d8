"""Why a call is covered or not: the part, the rule that comes nearest, and the one thing that it lacks."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bascule.policy import matching
from bascule.policy.call import Call
from bascule.policy.config import rules_of
from bascule.policy.defaults import SAFE
from bascule.policy.explaining import Part, explain
from bascule.policy.grants import granted
from bascule.policy.rules import Rule, parse
from tests.policy.calls import WORKSPACE, bash, call

NOW = 1_800_000_000_000

RULES = rules_of(
    """
    rule = [
        {action = "allow", tool = "Bash", match = "git diff *"},
        {action = "allow", tool = "Bash", match = "git status", reason = "reading only"},
        {action = "allow", tool = "Bash", match = "ls *", until = 2020-01-01},
        {action = "allow", tool = "Bash", match = "cat tests/*", unless = ["*.key"]},
        {action = "allow", tool = "Bash", match = "make * all"},
        {action = "allow", tool = "Edit", where = "workspace"},
        {action = "allow", tool = "WebFetch", match = "domain:docs.python.org"},
        {action = "allow", tool = "mcp__git__*", match = "*status*"},
    ]
    """,
    "r",
)


def told(asked: Call, rules: tuple[Rule, ...] = RULES) -> list[tuple[str, str | None, str]]:
    """Of each part its text, the rule that covers it or comes near (with a question mark), and why."""
    return [(part.text, _rule(part), part.why) for part in explain(rules, asked, NOW)]


def _rule(part: Part) -> str | None:
    return str(part.rule) if part.rule else f"{part.near}?" if part.near else None


def test_a_chain_names_the_rule_that_covers_its_first_command_only() -> None:
    assert told(bash("git diff; rm -rf x")) == [
        ("git diff", "Bash(git diff *)", "the rule Bash(git diff *) allows it"),
        ("rm -rf x", "Bash(git diff *)?", "it says `git` where the command says `rm`"),
    ]


@pytest.mark.parametrize(
    ("command", "near", "why"),
    [
        ("git status -s", "git status", "it ends where the command goes on with `-s`"),
        ("git push", "git diff *", "it says `diff` where the command says `push`"),
        ("git", "git diff *", "it wants `diff` where the command ends"),
        ("make x", "make * all", "what it wants behind its star is not there"),
        ("cat tests/../x", "cat tests/*", "its star does not climb out of a folder with `..`"),
        ("ls -l", "ls *", "it ended on 2020-01-02 00:00 UTC"),
        (
            "cat tests/a.key",
            "cat tests/*",
            "it does not hold for *.key, and the call reaches /home/ann/app/tests/a.key",
        ),
        ("git diff /etc", "git diff *", "it holds in the workspace, and the call reaches /etc"),
        (
            "git diff > .bascule/x",
            "git diff *",
            "/home/ann/app/.bascule/x is or holds what is bascule's own, which no rule opens",
        ),
        (
            "git diff $(rm x)",
            "git diff *",
            "no pattern vouches for it (command substitution); only a rule with the whole line does",
        ),
        ("echo 'a", "git diff *", "no pattern vouches for it (not parsed); only a rule with the whole line does"),
    ],
)
def test_the_nearest_rule_is_named_with_what_it_lacks(command: str, near: str, why: str) -> None:
    assert told(bash(command))[0] == (command, f"Bash({near})?", why)


def test_a_redirection_stays_in_the_workspace_whatever_a_rule_says() -> None:
    anywhere = rules_of('rule = [{action = "allow", tool = "Bash", match = "git *", where = "anywhere"}]', "r")
    [(_, _, why)] = told(bash("git diff > /tmp/x"), anywhere)
    assert why == "a redirection writes /tmp/x, which is outside of the workspace"


@pytest.mark.parametrize(
    ("command", "why"),
    [
        (
            "pytest --junitxml=.git/hooks/x",
            "it does not name /home/ann/app/.git/hooks/x, which changes what runs later or holds secrets",
        ),
        ("cd sub; git status", "its `where` does not name /home/ann/app/sub, whose own settings could name programs"),
        ("git pull", "it does not say `pull`, by which files are written that no word names"),
        ("unzip a.zip", "it does not say `unzip`, by which files are written that no word names"),
    ],
)
def test_what_a_rule_for_every_command_must_name_is_told(command: str, why: str) -> None:
    assert told(bash(command), (parse("Bash(*)", source="r"),))[-1][2] == why


def test_an_exception_leaves_no_room_for_files_that_nobody_knows() -> None:
    [(_, _, why)] = told(
        bash("git pull"),
        rules_of('rule = [{action = "allow", tool = "Bash", match = "git pull", unless = [".env"]}]', "r"),
    )
    assert why == "it does not hold for .env, and which files the call writes is not known"


def test_a_grant_of_another_folder_is_said_so() -> None:
    [(_, _, why)] = told(bash("make", f"{WORKSPACE}/web"), (granted("Bash(make)").rule,))
    assert why == f"it was given in another folder, and the command stands in {WORKSPACE}/web"


def test_a_place_is_judged_for_the_whole_line() -> None:
    assert told(bash("git diff; cat /etc/hosts"))[0][2] == "it holds in the workspace, and the call reaches /etc/hosts"


def test_outside_of_the_sandbox_no_rule_allows() -> None:
    [(_, _, why)] = told(call("Bash", command="git status", dangerouslyDisableSandbox=True))
    assert why == "it asks to run outside of the sandbox, which no rule allows"


@pytest.mark.parametrize(
    ("asked", "near", "why"),
    [
        (call("Write", file_path="/etc/x"), "Edit", "it holds in the workspace, and the call reaches /etc/x"),
        (
            call("Edit", file_path=".env"),
            "Edit",
            "it does not name /home/ann/app/.env, which changes what runs later or holds secrets",
        ),
        (
            call("WebFetch", url="https://x.org/a"),
            "WebFetch(domain:docs.python.org)",
            "its pattern does not fit https://x.org/a",
        ),
        (call("mcp__git__log", max=1), "mcp__git__*(*status*)", "its pattern does not fit the input as JSON"),
        (call("Read", file_path="x"), None, "no rule is about Read"),
    ],
)
def test_other_tools_are_one_part(asked: Call, near: str | None, why: str) -> None:
    assert told(asked) == [(asked.facts.tool, near and f"{near}?", why)]


def test_a_path_that_a_pattern_does_not_mean_is_named() -> None:
    [(_, _, why)] = told(call("Edit", file_path="docs/a"), (parse("Edit(src/**)", source="r"),))
    assert why == "its pattern does not fit /home/ann/app/docs/a"


def test_what_nobody_knows_beforehand_is_said_so() -> None:
    [(_, _, why)] = told(call("Grep", pattern="x", output_mode="content"), SAFE)
    assert why == "which files the call reaches is not known beforehand"


def test_a_rule_with_the_whole_line_covers_it_as_one_part() -> None:
    line = "git diff $(rm x)"
    assert told(bash(line), (parse(f"Bash({line})", source="r"),)) == [
        (line, f"Bash({line})", f"the rule Bash({line}) allows it")
    ]


def test_without_any_rule_it_is_said_what_one_for_the_first_command_would_not_cover() -> None:
    first, second = explain((), bash("git diff; rm -rf x"), NOW)
    assert (first.near, first.why, first.would) == (
        None,
        "no rule is about Bash",
        ("Bash(git diff)", "Bash(git diff *)"),
    )
    assert (second.near, second.would) == (None, ("Bash(rm -rf x)",))
    assert second.why == (
        "no rule is about Bash, and Bash(git diff *) would not cover it: it says `git` where the command says `rm`"
    )


def test_a_rule_is_proposed_only_if_it_would_cover() -> None:
    [part] = explain((), bash("git diff > ~/.bashrc"), NOW)
    assert part.would == ()


COMMANDS = st.sampled_from(
    ("git diff", "git status", "rm -rf x", "ls /etc", "cat $(x)", "echo a > b", "echo a > /b", "x=1 y", "sudo ls", "'")
)


@given(st.lists(COMMANDS, min_size=1, max_size=4).map("; ".join))
def test_parts_are_covered_exactly_as_the_rules_cover_them(line: str) -> None:
    asked = bash(line)
    covers = matching.coverage(RULES, asked, NOW)
    parts = explain(RULES, asked, NOW)
    assert all(part.why for part in parts)
    if len(covers) == len(parts):
        assert [part.rule for part in parts] == [cover.rule for cover in covers]
    else:
        assert not any(part.rule for part in parts)


@given(st.lists(COMMANDS, min_size=1, max_size=3).map("; ".join))
def test_what_is_said_would_cover_does_so_alone(line: str) -> None:
    asked = bash(line)
    for part in explain((), asked, NOW):
        for text in part.would:
            alone = bash(part.text if asked.facts.allowable else line)
            assert all(cover.rule for cover in matching.coverage([parse(text)], alone, NOW))
