"""`bascule policy check`, `explain` and `replay`: what is printed, and what it ends with."""

import json
from pathlib import Path
from typing import Any

import pytest

from bascule.cli.main import main
from bascule.policy.config import rules_of
from tests.cli.command import bascule

RECORDINGS = Path(__file__).parents[1] / "recordings"
RULES = """
[[rule]]
action = "allow"
tool = "Bash"
match = "git diff *"

[[rule]]
action = "deny"
tool = "Bash"
match = "curl *"
reason = "no network"
"""
BROKEN = """
[[rule]]
action = "allow"
tool = "Bash"
mach = "x"

[[rule]]
action = "alow"
tool = "Bash"
"""


@pytest.fixture
def rules(tmp_path: Path) -> Path:
    path = tmp_path / "mine.toml"
    path.write_text(RULES)
    return path


def told(capsys: pytest.CaptureFixture[str], *args: str) -> Any:
    """What a command prints as JSON."""
    assert main([*args, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def explained(capsys: pytest.CaptureFixture[str], rules: Path, *args: str) -> Any:
    return told(capsys, "policy", "explain", "--rules", str(rules), "--cwd", str(rules.parent), *args)


def test_the_json_of_an_explanation_has_four_keys(rules: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = explained(capsys, rules, "git diff; rm -rf x")
    assert list(said) == ["verdict", "rule", "reason", "commands"]
    assert (said["verdict"], said["rule"], said["reason"]) == ("ask", None, "no rule allows rm -rf x")
    assert said["commands"] == [
        {
            "text": "git diff",
            "rule": f"Bash(git diff *) ({rules}:2)",
            "near": None,
            "why": "the rule Bash(git diff *) allows it",
            "would": [],
            "marks": [],
        },
        {
            "text": "rm -rf x",
            "rule": None,
            "near": f"Bash(git diff *) ({rules}:2)",
            "why": "it says `git` where the command says `rm`",
            "would": ["Bash(rm -rf x)"],
            "marks": ["delete"],
        },
    ]


@pytest.mark.parametrize(
    ("args", "verdict", "rule"),
    [
        (["git diff --stat"], "allow", "Bash(git diff *)"),
        (["curl x"], "deny", "Bash(curl *)"),
        (["ls"], "ask", None),
        (["--policy", "plan", "git diff > x"], "deny", "plan first"),
        (["--policy", "acceptEdits", "ls"], "pass", None),
        (["--tool", "Read", "--input", '{"file_path": "a"}'], "allow", "{Read,Glob,Grep}"),
        (["--tool", "Read", "--input", '{"file_path": "a"}', "--policy", "rules"], "ask", None),
        (["--tool", "AskUserQuestion"], "ask", None),
    ],
)
def test_a_call_is_judged_as_a_session_would(
    args: list[str], verdict: str, rule: str | None, rules: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = explained(capsys, rules, *args)
    assert said["verdict"] == verdict
    assert said["rule"] == rule if rule is None else said["rule"].startswith(rule)


def test_a_person_reads_which_rule_would_not_match_and_why() -> None:
    ran = bascule("policy", "explain", "git diff; rm -rf x")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.splitlines()[0] == "ask: no rule allows git diff"
    assert "Bash(git diff *) would not cover it: it says `git` where the command says `rm`" in ran.out


def test_what_a_command_hides_does_not_reach_the_terminal(rules: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["policy", "explain", "--rules", str(rules), "echo \x1b]0;x\x07"]) == 0
    assert "\x1b" not in capsys.readouterr().out


def test_a_session_rules_are_those_of_the_user_and_the_tightening_ones_of_the_workspace(tmp_path: Path) -> None:
    users = tmp_path / "home" / ".config" / "bascule"
    projects = tmp_path / "work" / ".bascule"
    for folder, text in ((users, RULES), (projects, RULES.replace("git diff", "git log").replace("curl", "wget"))):
        folder.mkdir(parents=True)
        (folder / "rules.toml").write_text(text)
    env = {"HOME": str(tmp_path / "home")}
    verdicts = {}
    for line in ("git diff", "git log", "curl x", "wget x"):
        ran = bascule("policy", "explain", "--json", line, env=env, cwd=tmp_path / "work")
        verdicts[line] = json.loads(ran.out)["verdict"]
    assert verdicts == {"git diff": "allow", "git log": "ask", "curl x": "deny", "wget x": "deny"}


@pytest.mark.parametrize(
    ("args", "complaint"),
    [
        ([], "takes a command line, or --tool NAME"),
        ([""], "takes a command line, or --tool NAME"),
        ([" \n"], "takes a command line, or --tool NAME"),
        (["ls", "--tool", "Read"], "takes a command line, or --tool NAME"),
        (["--tool", "Read", "--input", "{"], "--input is no JSON"),
        (["--tool", "Read", "--input", "[]"], "must be a JSON object"),
        (["ls", "--cwd", "/nonexistent"], "--cwd is /nonexistent, which is no folder"),
        (["ls", "--rules", "/nonexistent"], "--rules: /nonexistent is not there"),
        (["ls", "--policy", "supervise"], "did you mean 'supervised'?"),
        (
            ["git", "diff"],
            "'diff' stands alone: put what belongs together in quotes. See: bascule policy explain --help",
        ),
        (["ls", "--polic", "x"], "did you mean --policy?"),
    ],
)
def test_wrong_usage_is_told(args: list[str], complaint: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["policy", "explain", *args]) == 2
    assert complaint in capsys.readouterr().err


def test_files_that_can_be_read_are_counted(rules: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["policy", "check", str(rules)]) == 0
    assert capsys.readouterr().out == f"{rules}: 2 rules (1 allow, 1 deny)\n"


def test_every_mistake_of_every_file_is_told_with_its_place(
    rules: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    broken, missing = tmp_path / "broken.toml", tmp_path / "missing.toml"
    broken.write_text(BROKEN)
    assert main(["policy", "check", str(broken), str(missing), str(rules)]) == 2
    said = capsys.readouterr()
    assert said.err.splitlines() == [
        f"{broken}:5:1: there is no key 'mach'; the nearest one is 'match'",
        f"{broken}:8:1: action is 'alow'; it must be one of allow, ask, deny",
        f"{missing}: not there",
    ]
    assert said.out == f"{rules}: 2 rules (1 allow, 1 deny)\n"


def test_without_files_the_usual_ones_are_checked_whether_they_are_there_or_not(tmp_path: Path) -> None:
    ran = bascule("policy", "check", cwd=tmp_path)
    assert (ran.code, ran.out.splitlines()) == (
        0,
        [f"{tmp_path}/.config/bascule/rules.toml: not there", ".bascule/rules.toml: not there"],
    )


def test_a_replay_counts_verdicts_and_lists_what_would_change(rules: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """08_always_session: the same write twice, the first asked about, and then allowed for the session."""
    said = told(
        capsys, "policy", "replay", "--rules", str(rules), str(RECORDINGS / "2.1.332" / "08_always_session.jsonl")
    )
    assert (said["policy"], said["recordings"], said["left_out"]) == ("supervised", 1, [])
    assert sum(said["verdicts"].values()) == said["calls"] > 0
    assert set(said["verdicts"]) == {"allow", "ask", "deny"}
    assert all(change["was"] != change["verdict"] for change in said["changes"])


def test_a_replay_by_a_stricter_policy_names_the_calls_it_would_deny(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    deny = tmp_path / "deny.toml"
    deny.write_text('[[rule]]\naction = "deny"\ntool = "*"\n')
    said = told(
        capsys, "policy", "replay", "--rules", str(deny), str(RECORDINGS / "2.1.332" / "05_parallel_tools.jsonl")
    )
    assert said["verdicts"] == {"allow": 0, "ask": 0, "deny": said["calls"]}
    assert {(change["verdict"], change["rule"]) for change in said["changes"]} == {("deny", f"* ({deny}:1)")}


def test_a_replay_takes_folders_patterns_and_files_each_recording_once(capsys: pytest.CaptureFixture[str]) -> None:
    folder = RECORDINGS / "2.1.332"
    names = [str(folder), str(folder / "0*"), f"{RECORDINGS}/**/05_parallel_tools.jsonl", str(RECORDINGS / "README.md")]
    assert main(["policy", "replay", "--json", *names]) == 0
    said = json.loads(capsys.readouterr().out)
    others = len(list(RECORDINGS.rglob("05_parallel_tools.jsonl"))) - 1
    assert said["recordings"] == len(list(folder.glob("*.jsonl"))) + others
    assert said["left_out"] == [f"{RECORDINGS}/README.md is no recording"]


def test_a_replay_for_people_counts_and_groups(rules: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["policy", "replay", "--rules", str(rules), str(RECORDINGS)]) == 0
    out = capsys.readouterr().out.splitlines()
    assert out[0].endswith(" recordings, by the policy supervised")
    assert [line.split()[1] for line in out[1:4]] == ["allow", "ask", "deny"]


@pytest.mark.parametrize("name", ["/nonexistent", str(RECORDINGS / "README.md")])
def test_what_is_no_recording_is_an_error(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["policy", "replay", name]) == 2
    assert name in capsys.readouterr().err


def test_an_action_is_needed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["policy"]) == 2
    assert "bascule policy --help" in capsys.readouterr().err


def test_suggestions_are_a_file_of_rules_that_can_be_read(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["policy", "suggest", str(RECORDINGS)]) == 0
    text = capsys.readouterr().out
    rules = rules_of(text, "suggested")
    assert rules
    assert {rule.action for rule in rules} == {"allow"}
    assert "# would have spared " in text


def test_a_suggestion_says_what_it_would_have_covered(capsys: pytest.CaptureFixture[str]) -> None:
    said = told(capsys, "policy", "suggest", "--least", "3", str(RECORDINGS))["suggestions"]
    assert all(one["calls"] >= one["asks"] >= 3 for one in said)
    assert all(str(rules_of(one["toml"], "s")[0]) == one["rule"] for one in said)


def test_what_a_rule_allows_by_now_is_not_suggested(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    everything = tmp_path / "rules.toml"
    everything.write_text('[[rule]]\naction = "allow"\ntool = "*"\nwhere = "anywhere"\n')
    said = told(capsys, "policy", "suggest", "--rules", str(everything), str(RECORDINGS))["suggestions"]
    assert not [one for one in said if not one["rule"].startswith("Bash(")]


def test_without_a_repetition_there_is_nothing_to_suggest(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["policy", "suggest", str(RECORDINGS / "2.1.332" / "01_simple_text.jsonl")]) == 0
    assert capsys.readouterr().out.startswith("# nothing that people allowed more than once")


SESSION = [
    ("argv", '["claude"]'),
    ("note", '{"note":"began","session":"s","at":1,"cwd":"/w","policy":"supervised"}'),
    ("out", '{"type":"system","subtype":"init","session_id":"s","cwd":"/w","permissionMode":"default"}'),
]


def called(number: int, command: str) -> list[tuple[str, str]]:
    """What a recording holds of a call that was asked about, and allowed always."""
    use = {"type": "tool_use", "id": f"t{number}", "name": "Bash", "input": {"command": command}}
    asks = {"subtype": "can_use_tool", "tool_name": "Bash", "input": {"command": command}, "tool_use_id": f"t{number}"}
    decided = {"note": "decided", "pending_id": f"r{number}", "outcome": "allowed_always", "rule": "Bash(make *)"}
    answer = {"subtype": "success", "request_id": f"r{number}", "response": {"behavior": "allow", "updatedInput": {}}}
    message = {"id": f"m{number}", "role": "assistant", "content": [use]}
    return [
        ("out", json.dumps({"type": "assistant", "session_id": "s", "message": message})),
        ("out", json.dumps({"type": "control_request", "request_id": f"r{number}", "request": asks})),
        ("note", json.dumps({**decided, "scope": "session"})),
        ("in", json.dumps({"type": "control_response", "response": answer})),
    ]


def test_what_was_allowed_for_longer_counts_from_there_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "made.jsonl"
    entries = [*SESSION, *called(1, "make a"), *called(2, "make b")]
    path.write_text("".join(json.dumps({"t": 0.1, "dir": way, "line": line}) + "\n" for way, line in entries))
    (tmp_path / "none.toml").touch()
    said = told(capsys, "policy", "replay", "--rules", str(tmp_path / "none.toml"), str(path))
    assert said["verdicts"] == {"allow": 1, "ask": 1, "deny": 0}
    [change] = said["changes"]
    assert (change["tool_call_id"], change["was"], change["verdict"]) == ("t2", "ask", "allow")


def test_a_replay_that_changes_nothing_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "made.jsonl"
    entries = [*SESSION, *called(1, "make a")]
    path.write_text("".join(json.dumps({"t": 0.1, "dir": way, "line": line}) + "\n" for way, line in entries))
    (tmp_path / "none.toml").touch()
    assert main(["policy", "replay", "--rules", str(tmp_path / "none.toml"), str(path)]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "none would be decided otherwise than it was"
