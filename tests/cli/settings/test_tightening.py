"""What the file of a workspace may say before anybody accepted it: nothing that lets more happen."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bascule.cli.settings.said import Said, laid_over
from bascule.cli.settings.sections import Key
from bascule.cli.settings.tightening import NEVER, OF_A_WORKSPACE, admitted
from bascule.cli.settings.values import known
from bascule.policy.policies import SUGGESTED, named

VALUES: dict[Key, st.SearchStrategy[Any]] = {
    ("policy", "default"): st.sampled_from((*SUGGESTED, "plan-auto")),
    ("policy", "auto_approve_plan"): st.booleans(),
    ("policy", "rearm_plan"): st.booleans(),
    ("policy", "ask_timeout_s"): st.floats(1, 100),
    ("policy", "outline_min_chars"): st.integers(0, 500),
    ("policy", "stop_git_check"): st.sampled_from((True, False, "pushed")),
    ("claude", "use_api_billing"): st.booleans(),
    ("claude", "dangerously_skip_permissions"): st.booleans(),
    ("claude", "include_hook_events"): st.booleans(),
    ("claude", "disallowed_tools"): st.lists(st.sampled_from("abc"), unique=True).map(tuple),
}
OTHERS = [key for key in known() if key not in VALUES]


def said_by(origin: Any) -> st.SearchStrategy[list[Said]]:
    """Anything, by one origin."""
    given = {
        key: st.builds(Said, st.just(key), values, st.just(origin), st.just(""), st.just(False))
        for key, values in VALUES.items()
    }
    other = {key: st.just(Said(key, ("theirs",), origin, "")) for key in OTHERS}
    return st.fixed_dictionaries({}, optional={**given, **other}).map(lambda found: list(found.values()))


DEFAULTS = [Said(key, setting.default, "default", "") for key, setting in known().items()]


@given(said_by("user"), said_by("project"))
def test_whatever_a_workspace_says_less_may_happen_and_never_more(users: list[Said], theirs: list[Said]) -> None:
    below = laid_over((*DEFAULTS, *users))
    counts = admitted(theirs, below, accepted=False)
    holds = laid_over((*below.values(), *counts.said))
    changed = {key: (below[key].value, holds[key].value) for key in holds if holds[key].value != below[key].value}
    for key, (before, after) in changed.items():
        assert is_tighter(key, before, after), key
    assert len(counts.said) + len(counts.left_out) == len(theirs)


def is_tighter(key: Key, before: Any, after: Any) -> bool:
    """Said again in other words than the code's."""
    match key:
        case ("policy", "default"):
            new, old = named(after), named(before)
            asks_more = not old.governs or old.approves_plans or new.name == "plan" or not new.safe
            return new.governs and not new.approves_plans and asks_more
        case ("policy", "auto_approve_plan") | ("claude", "use_api_billing" | "dangerously_skip_permissions"):
            return after is False
        case ("policy", "rearm_plan"):
            return after is True
        case ("policy", "ask_timeout_s"):
            return bool(before is None or after < before)
        case ("policy", "outline_min_chars"):
            return bool(after > before)
        case ("claude", "disallowed_tools"):
            return set(before) < set(after)
    return False


@given(said_by("project"))
def test_once_accepted_all_counts_but_what_is_its_users_alone(theirs: list[Said]) -> None:
    counts = admitted(theirs, laid_over(DEFAULTS), accepted=True)
    assert {one.said.key for one in counts.left_out} == {
        one.key for one in theirs if one.key in NEVER or one.key[0] not in OF_A_WORKSPACE
    }
    assert {one.why for one in counts.left_out} <= {"yours alone"}


@pytest.mark.parametrize("accepted", [True, False])
def test_what_starts_is_never_a_workspaces_to_say(accepted: bool) -> None:
    evil = Said(("claude", "cli"), "/tmp/evil", "project", "f:1:1")
    counts = admitted([evil], laid_over(DEFAULTS), accepted=accepted)
    assert (counts.said, [(one.said, one.why) for one in counts.left_out]) == ((), [(evil, "yours alone")])


@pytest.mark.parametrize(
    "key",
    [
        ("claude", "env"),
        ("claude", "extra_args"),
        ("claude", "model"),
        ("claude", "preamble"),
        ("claude", "allowed_tools"),
        ("claude", "setting_sources"),
        ("claude", "permission_mode"),
        ("policy", "stop_git_check"),
    ],
)
def test_what_neither_widens_nor_tightens_for_certain_waits(key: Key) -> None:
    counts = admitted([Said(key, "x", "project", "")], laid_over(DEFAULTS), accepted=False)
    assert [one.why for one in counts.left_out] == ["not accepted"]
