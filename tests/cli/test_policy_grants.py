"""`bascule policy grants` and `revoke`."""

import json
from pathlib import Path

import pytest

from bascule.policy.grants import granted
from bascule.store.grants import Grants, Kept
from tests.cli.command import Ran, bascule

RECORDINGS = Path(__file__).parents[1] / "recordings"
NOW = 1_800_000_000_000


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "state"


def policy(state: Path, *args: str) -> Ran:
    return bascule("policy", *args, env={"XDG_STATE_HOME": str(state)})


def given(state: Path, rule: str, *, until: int | None = None, workspace: Path | None = None) -> Kept:
    grants = Grants(state / "bascule", now_ms=lambda: NOW)
    grant = granted(rule, scope="project" if workspace else "user", by="Anna", until=until)
    return grants.keep(grant, workspace or "/", surface="terminal")


def test_without_any_it_is_said_so(state: Path) -> None:
    assert policy(state, "grants").out == "nothing was allowed for longer than a session\n"


def test_grants_are_listed_with_who_and_until_when(state: Path, tmp_path: Path) -> None:
    one = given(state, "Bash(git status *)", until=NOW - 1)
    other = given(state, "Edit", workspace=tmp_path)
    Grants(state / "bascule", now_ms=lambda: NOW).used([other.id])
    assert policy(state, "grants").out.splitlines() == [
        f"{one.id}  Bash(git status *)  everywhere",
        "        given by Anna (terminal) 2027-01-15 08:00 UTC, ends 2027-01-15 07:59 UTC, never used",
        f"{other.id}  Edit  in {tmp_path}",
        "        given by Anna (terminal) 2027-01-15 08:00 UTC, used once, last 2027-01-15 08:00 UTC",
    ]


def test_a_program_reads_every_field(state: Path) -> None:
    one = given(state, "Read")
    [row] = json.loads(policy(state, "grants", "--json").out)["grants"]
    assert row == {
        "id": one.id, "rule": "Read", "scope": "user", "workspace": None, "by": "Anna", "surface": "terminal",
        "at": NOW, "until": None, "used_at": None, "uses": 0,
    }  # fmt: skip


def test_what_a_grant_would_have_covered_is_told_beside_recordings(state: Path) -> None:
    given(state, "Bash(no such thing)")
    given(state, "Bash(touch *)")
    none, touch = json.loads(policy(state, "grants", "--json", "--against", str(RECORDINGS)).out)["grants"]
    assert none["would_have_covered"] == {"whole": 0, "part": 0, "titles": []}
    assert touch["would_have_covered"]["whole"] > 0
    assert all("touch" in title for title in touch["would_have_covered"]["titles"])
    assert "would have covered 0 calls" in policy(state, "grants", "--against", str(RECORDINGS)).out


def test_an_explanation_knows_what_was_granted_unless_rules_are_named(state: Path, tmp_path: Path) -> None:
    one = given(state, "Bash(make)")
    said = json.loads(policy(state, "explain", "--json", "make").out)
    assert (said["verdict"], said["rule"]) == ("allow", f"Bash(make) (granted by Anna (user, {one.id}))")
    (tmp_path / "none.toml").touch()
    assert (
        json.loads(policy(state, "explain", "--json", "--rules", str(tmp_path / "none.toml"), "make").out)["verdict"]
        == "ask"
    )


def test_a_grant_that_is_taken_back_is_gone(state: Path) -> None:
    one, other = given(state, "Read"), given(state, "Edit")
    ran = policy(state, "revoke", one.id)
    assert (ran.code, ran.out) == (0, f"taken back: Read (user, {one.id})\n")
    assert Grants(state / "bascule").all() == (other,)
    ran = policy(state, "revoke", one.id)
    assert (ran.code, ran.err.startswith(f"bascule: there is no grant '{one.id}'")) == (2, True)
