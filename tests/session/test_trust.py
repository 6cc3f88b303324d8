"""What was accepted of a workspace, and what is left out."""

from pathlib import Path

import pytest

from bascule.errors import OptionError
from bascule.session.brought import Brought, digest_of
from bascule.session.trust import Acceptances, counted, left_out, narrowed, reads_workspace

HOOK = Brought(kind="hook", path="/w/.claude/settings.json", what="Stop: x", digest="1")
SERVER = Brought(kind="server", path="/w/.mcp.json", what="evil: x", digest="2")
RULES = Brought(kind="rules", path="/w/.bascule/rules.toml", what="rules", digest="3")


def test_nothing_is_accepted_at_first_and_then_exactly_what_was_shown(tmp_path: Path) -> None:
    accepted = Acceptances(tmp_path / "state")
    assert accepted.unknown("/w", (HOOK, SERVER)) == (HOOK, SERVER)
    accepted.accept("/w", (HOOK,))
    assert Acceptances(tmp_path / "state").unknown("/w", (HOOK, SERVER)) == (SERVER,)
    assert accepted.unknown("/other", (HOOK,)) == (HOOK,)


def test_what_was_accepted_and_is_gone_is_asked_about_again(tmp_path: Path) -> None:
    accepted = Acceptances(tmp_path)
    accepted.accept("/w", (HOOK, SERVER))
    accepted.accept("/w", (SERVER,))
    assert accepted.unknown("/w", (HOOK, SERVER)) == (HOOK,)


def test_what_is_accepted_besides_leaves_the_rest_accepted(tmp_path: Path) -> None:
    accepted = Acceptances(tmp_path)
    accepted.add("/w", (HOOK,))
    accepted.add("/w", (SERVER, HOOK))
    assert accepted.unknown("/w", (HOOK, SERVER, RULES)) == (RULES,)


def test_a_link_to_a_workspace_is_the_workspace(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    (tmp_path / "link").symlink_to("work")
    accepted = Acceptances(tmp_path / "state")
    accepted.accept(tmp_path / "link", (HOOK,))
    assert accepted.unknown(tmp_path / "work", (HOOK,)) == ()


def test_what_is_taken_back_is_unknown_again(tmp_path: Path) -> None:
    accepted = Acceptances(tmp_path)
    accepted.accept("/w", (HOOK,))
    accepted.accept("/other", (HOOK,))
    assert (accepted.revoke("/w"), accepted.revoke("/w")) == (True, False)
    assert accepted.unknown("/w", (HOOK,)) == (HOOK,)
    assert accepted.unknown("/other", (HOOK,)) == ()


def test_rules_may_allow_when_their_content_was_accepted_there(tmp_path: Path) -> None:
    accepted = Acceptances(tmp_path)
    may_allow = accepted.rules_may_allow("/w")
    shown = Brought(kind="rules", path="x", what="x", digest=digest_of("rules", "/w/.bascule/rules.toml", b"new"))
    assert not may_allow(b"new")
    accepted.accept("/w", (shown,))
    assert may_allow(b"new")
    assert not may_allow(b"newer")
    assert not accepted.rules_may_allow("/other")(b"new")


def test_what_cannot_be_known_is_not_accepted(tmp_path: Path) -> None:
    accepted = Acceptances(tmp_path)
    (tmp_path / "trust.json").write_text("{")
    assert not accepted.rules_may_allow("/w")(b"")
    with pytest.raises(OptionError, match="is damaged"):
        accepted.unknown("/w", (HOOK,))


def test_a_configuration_may_widen_when_its_content_was_accepted_there(tmp_path: Path) -> None:
    accepted = Acceptances(tmp_path)
    digest = digest_of("config", "/w/.bascule/config.toml", b"new")
    accepted.accept("/w", (Brought(kind="config", path="x", what="x", digest=digest),))
    may_widen = accepted.config_may_widen("/w")
    assert (may_widen(b"new"), may_widen(b"newer")) == (True, False)
    assert not accepted.config_may_widen("/other")(b"new")
    assert not accepted.rules_may_allow("/w")(b"new")


@pytest.mark.parametrize(
    ("sources", "left", "reads"),
    [
        (None, ("user",), True),
        ((), (), False),
        (("user",), ("user",), False),
        (("project", "user", "local"), ("user",), True),
        (("local",), (), True),
    ],
)
def test_the_workspaces_sources_are_left_out(
    sources: tuple[str, ...] | None, left: tuple[str, ...], reads: bool
) -> None:
    assert (narrowed(sources), reads_workspace(sources)) == (left, reads)


def test_what_is_left_out_is_said_in_one_line() -> None:
    assert counted((HOOK, HOOK, SERVER, RULES)) == "2 command hooks, 1 MCP server, 1 rule file"
    assert left_out((HOOK, RULES), "/w") == (
        "left out of /w, since nobody has accepted it: 1 command hook (and so its CLAUDE.md and all its settings); the"
        " rules that allow in its rule file. To see and accept it: bascule trust"
    )
    config = Brought(kind="config", path="/w/.bascule/config.toml", what="x", digest="5")
    assert "nobody has accepted it: what does not tighten in its configuration. To" in left_out((config,), "/w")
    timers = Brought(kind="timers", path="/w/x", what="x", digest="4")
    assert left_out((RULES, timers), "/w").startswith(
        "left out of /w, since nobody has accepted it: timers, which begin work by themselves; the rules that allow"
    )
