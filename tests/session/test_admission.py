"""What of a workspace's own a session takes: what was accepted, all, or nothing."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from bascule.errors import OptionError
from bascule.session.admission import accept_always, acceptances, admitted, own_places, rule_files, unaccepted
from bascule.session.options import Options
from bascule.session.rulebook import Rulebook
from bascule.wire.permissions import AddRules, Rule, SetMode

RULES = '[[rule]]\naction = "allow"\ntool = "*"\n\n[[rule]]\naction = "deny"\ntool = "WebFetch"\n'


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A workspace with a server and rules of its own; the user has nothing."""
    for name in ("HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, str(tmp_path / "home"))
    monkeypatch.delenv("BASCULE_CONFIG", raising=False)
    folder = tmp_path / "work"
    (folder / ".bascule").mkdir(parents=True)
    (folder / ".bascule" / "rules.toml").write_text(RULES)
    (folder / ".mcp.json").write_text(json.dumps({"mcpServers": {"evil": {"command": "x"}}}))
    return folder


def env(work: Path) -> dict[str, str]:
    return {"HOME": str(work.parent / "home")}


def taken(work: Path, **options: Any) -> tuple[tuple[str, ...] | None, list[str], list[str]]:
    """The setting sources, the kinds that are left out, and the rules that count."""
    given = Options(cwd=work, **options)
    admission = admitted(given, env(work))
    rules = Rulebook(rule_files(given)).rules
    return (
        admission.options.setting_sources,
        [one.kind for one in admission.left_out],
        [f"{rule.action} {rule.tool}" for rule in rules],
    )


def test_what_nobody_accepted_is_left_out_and_the_rules_tighten(work: Path) -> None:
    assert taken(work) == (("user",), ["server", "rules"], ["deny WebFetch"])
    notice = admitted(Options(cwd=work), env(work)).notice
    assert notice is not None
    assert notice.startswith(f"left out of {work}, since nobody has accepted it: 1 MCP server")


def test_a_configuration_is_asked_about_by_who_reads_it(work: Path) -> None:
    (work / ".bascule" / "config.toml").write_text('[claude]\nmodel = "opus"\n')
    kinds = [one.kind for one in unaccepted(Options(cwd=work), env(work), config_counts=True)]
    assert kinds == ["server", "rules", "config"]
    assert taken(work)[1] == ["server", "rules"]


def test_what_was_accepted_counts_until_it_changes(work: Path) -> None:
    acceptances().accept(work, unaccepted(Options(cwd=work), env(work)))
    assert taken(work) == (None, [], ["allow *", "deny WebFetch"])
    assert admitted(Options(cwd=work), env(work)).notice is None
    (work / ".mcp.json").write_text(json.dumps({"mcpServers": {"evil": {"command": "y"}}}))
    assert taken(work) == (("user",), ["server"], ["allow *", "deny WebFetch"])
    (work / ".bascule" / "rules.toml").write_text(RULES + RULES)
    assert taken(work)[2] == ["deny WebFetch", "deny WebFetch"]


def test_rules_that_were_accepted_allow_until_that_is_taken_back_also_in_a_running_session(work: Path) -> None:
    os.utime(work / ".bascule" / "rules.toml", (1, 1))
    given = Options(cwd=work)
    book = Rulebook(rule_files(given))
    for change, allowed in (
        (lambda: acceptances().accept(work, unaccepted(given, env(work))), True),
        (lambda: acceptances().revoke(work), False),
    ):
        change()
        [said] = book.look()
        assert ("1 allow" in said.text, [rule.action for rule in book.rules]) == (
            allowed,
            ["allow", "deny"] if allowed else ["deny"],
        )


def test_all_is_taken_where_everything_is_trusted(work: Path) -> None:
    assert taken(work, trust="all") == (None, [], ["allow *", "deny WebFetch"])


def test_nothing_is_taken_where_nothing_is_trusted(work: Path) -> None:
    acceptances().accept(work, unaccepted(Options(cwd=work), env(work)))
    assert taken(work, trust="none") == (("user",), ["server", "rules"], ["deny WebFetch"])


def test_nothing_is_taken_later_either_where_nothing_is_trusted(work: Path) -> None:
    (work / ".mcp.json").unlink()
    admission = admitted(Options(cwd=work, trust="none", rule_files=()), env(work))
    assert (admission.options.setting_sources, admission.left_out, admission.notice) == (("user",), (), None)
    assert admission.options.env == {"CLAUDE_CODE_DISABLE_CRON": "1"}
    named = Options(cwd=work, trust="none", rule_files=(), setting_sources=())
    assert admitted(named, env(work)).options.setting_sources == ()


def test_rules_that_are_not_accepted_cost_no_settings(work: Path) -> None:
    (work / ".mcp.json").unlink()
    assert taken(work) == (None, ["rules"], ["deny WebFetch"])


def test_a_session_that_reads_no_settings_of_the_workspace_leaves_none_out(work: Path) -> None:
    assert taken(work, setting_sources=("user",), rule_files=()) == (("user",), [], [])


def test_what_the_settings_deny_stays_denied_when_they_are_left_out(work: Path) -> None:
    (work / ".claude").mkdir()
    (work / ".claude" / "settings.json").write_text(json.dumps({"permissions": {"deny": ["WebFetch", "Read(./x)"]}}))
    given = Options(cwd=work, disallowed_tools=("WebFetch",))
    assert admitted(given, env(work)).options.disallowed_tools == ("WebFetch", "Read(./x)")
    assert admitted(Options(cwd=work, trust="all"), env(work)).options.disallowed_tools == ()


def test_timers_cost_no_settings_and_are_switched_off(work: Path) -> None:
    (work / ".mcp.json").unlink()
    (work / ".claude").mkdir()
    (work / ".claude" / "scheduled_tasks.json").write_text(json.dumps({"tasks": [{"prompt": "tick"}]}))
    assert taken(work, policy="manual", rule_files=()) == (None, ["timers"], [])
    given = Options(cwd=work, policy="manual", rule_files=(), env={"A": "b"})
    assert admitted(given, env(work)).options.env == {"A": "b", "CLAUDE_CODE_DISABLE_CRON": "1"}
    assert admitted(given, {**env(work), "CLAUDE_CODE_DISABLE_CRON": "1"}).left_out == ()


def test_sources_that_were_named_are_narrowed(work: Path) -> None:
    assert taken(work, setting_sources=("project", "local"))[0] == ()


def test_files_that_were_named_are_trusted(work: Path, tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(RULES)
    assert taken(work, rule_files=(tmp_path / "mine.toml",))[2] == ["allow *", "deny WebFetch"]


def test_a_word_that_is_none_is_refused() -> None:
    with pytest.raises(OptionError, match="trust is 'some': it must be 'known' or 'all' or 'none'"):
        Options(trust="some")  # type: ignore[arg-type]


def test_bascules_own_places_are_known(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = work.parent / "home"
    assert own_places(Options(rule_files=("/r.toml",))) == (
        home / "bascule" / "rules.toml",
        home / "bascule",
        Path("/r.toml"),
    )
    assert own_places(Options(closed=("/srv/bascule.db",)))[2] == Path("/srv/bascule.db")
    monkeypatch.setenv("BASCULE_CONFIG", "/c/mine.toml")
    assert own_places(Options())[0] == Path("/c/rules.toml")
    assert own_places(Options())[2] == Path("/c/mine.toml")


def always(destination: str) -> AddRules:
    return AddRules(rules=(Rule("Bash", "make *"), Rule("Read")), behavior="allow", destination=destination)


def allows(work: Path, name: str, *rules: str) -> None:
    """What the CLI writes when a person allowed it for good."""
    (work / ".claude").mkdir(exist_ok=True)
    (work / ".claude" / name).write_text(json.dumps({"permissions": {"allow": list(rules)}}))


@pytest.mark.parametrize(
    ("destination", "name"), [("localSettings", "settings.local.json"), ("projectSettings", "settings.json")]
)
def test_what_a_person_allows_for_good_is_taken_by_the_next_session(work: Path, destination: str, name: str) -> None:
    given = Options(cwd=work)
    acceptances().accept(work, unaccepted(given, env(work)))
    accept_always(given, [always(destination), SetMode(mode="acceptEdits", destination="session")])
    allows(work, name, "Bash(make *)", "Read")
    assert taken(work)[:2] == (None, [])


def test_what_stands_beside_it_was_allowed_by_nobody(work: Path) -> None:
    given = Options(cwd=work)
    acceptances().accept(work, unaccepted(given, env(work)))
    accept_always(given, [always("localSettings")])
    allows(work, "settings.local.json", "Bash(make *)", "Bash(rm *)")
    assert [one.what for one in unaccepted(given, env(work))] == ["permissions.allow: Bash(rm *)"]
    allows(work, "settings.json", "Read")
    assert "permissions.allow: Read" in [one.what for one in unaccepted(given, env(work))]


@pytest.mark.parametrize(
    ("trust", "destination"), [("none", "localSettings"), ("all", "localSettings"), ("known", "userSettings")]
)
def test_nothing_is_accepted_where_the_workspace_is_not_asked_about(work: Path, trust: Any, destination: str) -> None:
    accept_always(Options(cwd=work, trust=trust), [always(destination)])
    allows(work, "settings.local.json", "Bash(make *)", "Read")
    assert "setting" in [one.kind for one in unaccepted(Options(cwd=work), env(work))]
