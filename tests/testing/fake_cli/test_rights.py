"""What may run without asking, and what *always* adds."""

import json
from pathlib import Path
from typing import Any

import pytest

from bascule.testing.fake_cli.rights import Rights, reads_only


@pytest.fixture
def rights(tmp_path: Path) -> Rights:
    (tmp_path / "work").mkdir()
    return Rights(cwd=tmp_path / "work", config=tmp_path / "config", mode="default", may_ask=True)


def added(destination: str, content: str | None = "make") -> dict[str, Any]:
    rule = {"toolName": "Bash", **({} if content is None else {"ruleContent": content})}
    return {"type": "addRules", "behavior": "allow", "rules": [rule], "destination": destination}


@pytest.mark.parametrize("command", ["ls", "echo a | head -1", "cat a && wc b; pwd", "sleep 1"])
def test_commands_that_only_look(command: str) -> None:
    assert reads_only(command)


@pytest.mark.parametrize(
    "command", ["", "make", "ls; make", "echo a > b", "echo `make`", "cat $(ls)", "ls\nmake", "ls &&"]
)
def test_commands_that_may_do_more(command: str) -> None:
    assert not reads_only(command)


@pytest.mark.parametrize(
    ("held", "runs"), [("make", True), ("make:*", True), ("ma*", False), ("make *", True), (None, True)]
)
def test_a_rule_covers_a_command_or_its_beginning(rights: Rights, held: str | None, runs: bool) -> None:
    rights.apply(added("session", held))
    assert (rights.verdict("Bash", {"command": "make"}) == "run") is runs
    assert rights.verdict("Write", {"file_path": "a"}) == "ask"


@pytest.mark.parametrize(
    ("destination", "file", "runs"),
    [
        ("session", None, True),
        ("cliArg", None, True),
        ("localSettings", "work/.claude/settings.local.json", True),
        ("userSettings", "config/settings.json", True),
        ("projectSettings", "work/.claude/settings.json", False),
        ("elsewhere", None, False),
    ],
)
def test_a_destination_says_where_a_rule_is_kept(
    rights: Rights, tmp_path: Path, destination: str, file: str | None, runs: bool
) -> None:
    rights.apply(added(destination))
    assert (rights.verdict("Bash", {"command": "make"}) == "run") is runs
    written = [str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*.json")]
    assert written == ([] if file is None else [file])
    if file is not None:
        assert json.loads((tmp_path / file).read_text())["permissions"]["allow"] == ["Bash(make)"]


def test_rules_of_files_and_of_the_command_line_hold_from_the_start(rights: Rights, tmp_path: Path) -> None:
    rights.apply(added("localSettings"))
    again = Rights(cwd=rights.cwd, config=rights.config, mode="default", may_ask=True)
    again.load(["Write"])
    assert again.verdict("Bash", {"command": "make"}) == "run"
    assert again.verdict("Write", {"file_path": "/anywhere"}) == "run"


def test_a_file_that_is_no_settings_file_is_passed_over(rights: Rights) -> None:
    (rights.config).mkdir()
    for text in ("no json", "[]", '{"permissions": {"allow": "x"}}', '{"permissions": {"allow": [5]}}'):
        (rights.config / "settings.json").write_text(text)
        rights.load([])
    assert {tool for tool, _ in rights.rules} <= {"x"}


def test_an_update_that_sets_a_mode_names_it(rights: Rights) -> None:
    assert rights.apply({"type": "setMode", "mode": "acceptEdits", "destination": "session"}) == "acceptEdits"
    assert rights.apply({"type": "addDirectories", "directories": ["/"]}) is None


@pytest.mark.parametrize(
    ("mode", "tool", "tool_input", "verdict"),
    [
        ("default", "Read", {"file_path": "a"}, "run"),
        ("default", "Read", {"file_path": "../a"}, "ask"),
        ("default", "Edit", {"file_path": "a"}, "ask"),
        ("acceptEdits", "Edit", {"file_path": "a"}, "run"),
        ("acceptEdits", "Edit", {"file_path": "/a"}, "ask"),
        ("acceptEdits", "Bash", {"command": "touch a"}, "run"),
        ("acceptEdits", "Bash", {"command": "make"}, "ask"),
        ("plan", "Write", {"file_path": "../config/plans/a.md"}, "ask"),
        ("dontAsk", "Bash", {"command": "make"}, "deny"),
        ("dontAsk", "Bash", {"command": "ls"}, "run"),
        ("auto", "Bash", {"command": "make"}, "run"),
        ("bypassPermissions", "AskUserQuestion", {}, "ask"),
        ("default", "EnterPlanMode", {}, "run"),
    ],
)
def test_modes(rights: Rights, mode: str, tool: str, tool_input: dict[str, Any], verdict: str) -> None:
    rights.mode = mode
    assert rights.verdict(tool, tool_input) == verdict


def test_the_plan_is_written_in_plan_mode(rights: Rights) -> None:
    rights.mode = "plan"
    assert rights.verdict("Write", {"file_path": str(rights.plans / "a.md")}) == "run"


def test_with_nobody_to_ask_the_answer_is_no(rights: Rights) -> None:
    rights.may_ask = False
    assert rights.verdict("AskUserQuestion", {}) == "deny"
    assert rights.verdict("Bash", {"command": "make"}) == "deny"


def test_what_is_offered_for_always(rights: Rights) -> None:
    [bash] = rights.suggestions("Bash", {"command": "make"})
    assert bash["rules"] == [{"toolName": "Bash", "ruleContent": "make"}]
    [write] = rights.suggestions("Write", {"file_path": "a"})
    assert write["mode"] == "acceptEdits"
    [read] = rights.suggestions("Read", {"file_path": "/etc/hosts"})
    assert (read["rules"][0]["ruleContent"], read["destination"]) == ("//etc/**", "session")
