"""Grants that outlive a session: kept for a workspace or for the user, listed, used, taken back."""

from pathlib import Path

import pytest

from bascule.errors import OptionError
from bascule.policy.grants import Scope, granted
from bascule.store.grants import Grants, GrantsHere, Kept, holding

NOW = 1_800_000_000_000


def grants(folder: Path, now: int = NOW) -> Grants:
    return Grants(folder, now_ms=lambda: now)


def kept(
    folder: Path, rule: str, scope: Scope = "user", workspace: Path = Path("/w"), until: int | None = None
) -> Kept:
    return grants(folder).keep(granted(rule, scope=scope, by="Anna", until=until), workspace, surface="terminal")


def test_a_grant_is_kept_with_who_gave_it_and_comes_back_as_a_rule(tmp_path: Path) -> None:
    one = kept(tmp_path, "Bash(git status *)", until=NOW + 5)
    assert grants(tmp_path).all() == (one,)
    assert (one.by, one.surface, one.at, one.until, one.uses, one.used_at) == (
        "Anna",
        "terminal",
        NOW,
        NOW + 5,
        0,
        None,
    )
    grant = one.grant()
    assert (str(grant.rule), grant.rule.action, grant.rule.until) == ("Bash(git status *)", "allow", NOW + 5)
    assert (grant.by, grant.id) == ("Anna", one.id)
    assert (grant.scope, grant.rule.source) == ("user", f"granted by Anna (user, {one.id})")


def test_a_grant_for_a_project_holds_in_its_workspace_whatever_link_leads_there(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    (tmp_path / "link").symlink_to("work")
    one = kept(tmp_path, "Edit", "project", tmp_path / "link")
    user = kept(tmp_path, "Read")
    assert one.workspace == str((tmp_path / "work").resolve())
    assert holding(grants(tmp_path).all(), tmp_path / "work") == (one, user)
    assert holding(grants(tmp_path).all(), tmp_path) == (user,)
    assert holding(grants(tmp_path).all(), tmp_path / "work" / "inner") == (user,)


@pytest.mark.parametrize("scope", ["project", "user"])
def test_a_grant_for_a_command_keeps_its_folder(scope: Scope, tmp_path: Path) -> None:
    grants(tmp_path).keep(granted("Bash(make)", scope=scope, folder="web"), "/w")
    grants(tmp_path).keep(granted("Bash(make)", scope=scope), "/w")
    grants(tmp_path).keep(granted("Bash(make *)", scope=scope, folder="web"), "/w")
    found = [(one.rule, one.grant().rule.stands) for one in grants(tmp_path).all()]
    assert found == [("Bash(make) in web", "web"), ("Bash(make)", "."), ("Bash(make *)", None)]


@pytest.mark.parametrize("scope", ["session", "local"])
def test_a_scope_that_nothing_keeps_is_refused(scope: Scope, tmp_path: Path) -> None:
    with pytest.raises(OptionError, match=f"of the scope {scope}"):
        kept(tmp_path, "Read", scope)
    assert grants(tmp_path).all() == ()


def test_the_same_rule_given_again_takes_the_place_of_the_older(tmp_path: Path) -> None:
    kept(tmp_path, "Read", until=NOW)
    project = kept(tmp_path, "Read", "project", tmp_path)
    again = kept(tmp_path, "Read")
    assert grants(tmp_path).all() == (project, again)


def test_what_is_taken_back_is_gone_for_every_reader(tmp_path: Path) -> None:
    reader = grants(tmp_path)
    one, other = kept(tmp_path, "Read"), kept(tmp_path, "Edit")
    assert reader.all() == (one, other)
    assert grants(tmp_path).revoke(one.id) == one
    assert reader.all() == (other,)


def test_an_id_that_is_none_is_told_with_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="bascule policy grants lists them"):
        grants(tmp_path).revoke("x")
    one = kept(tmp_path, "Read")
    with pytest.raises(OptionError, match=f"did you mean {one.id}"):
        grants(tmp_path).revoke(one.id + "0")


def test_uses_are_counted_and_the_last_one_is_known(tmp_path: Path) -> None:
    one, other = kept(tmp_path, "Read"), kept(tmp_path, "Edit")
    grants(tmp_path, NOW + 1).used([one.id, "gone"])
    grants(tmp_path, NOW + 2).used([one.id])
    assert [(each.uses, each.used_at) for each in grants(tmp_path).all()] == [(2, NOW + 2), (0, None)]
    assert grants(tmp_path).all()[1] == other


def test_the_file_is_known(tmp_path: Path) -> None:
    assert grants(tmp_path).path == tmp_path / "grants.json"


async def test_a_session_keeps_uses_and_takes_back_what_holds_in_its_workspace(tmp_path: Path) -> None:
    store = grants(tmp_path / "state", NOW)
    here = GrantsHere(store, tmp_path, surface="terminal")
    elsewhere = kept(tmp_path / "state", "Read", "project", Path("/elsewhere"))
    assert here.holding() == ()
    await here.keep(granted("Edit", scope="project", by="Anna"))
    await here.keep(granted("Read", scope="user"))
    edit, read = here.holding()
    assert [(str(one.rule), one.scope, one.by) for one in (edit, read)] == [
        ("Edit", "project", "Anna"),
        ("Read", "user", None),
    ]
    assert here.holding() == (edit, read)
    await here.used([granted("Edit", scope="project"), granted("Read", scope="session")])
    assert [(one.rule, one.uses, one.surface) for one in store.all()] == [
        ("Read", 0, "terminal"),
        ("Edit", 1, "terminal"),
        ("Read", 0, "terminal"),
    ]
    await here.revoke(edit)
    await here.revoke(edit)
    assert [one.rule.source for one in here.holding()] == [read.rule.source]
    assert elsewhere in store.all()


async def test_what_others_take_back_is_gone_here(tmp_path: Path) -> None:
    here = GrantsHere(grants(tmp_path), tmp_path)
    one = kept(tmp_path, "Read")
    assert [grant.id for grant in here.holding()] == [one.id]
    grants(tmp_path).revoke(one.id)
    assert here.holding() == ()
