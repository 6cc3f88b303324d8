"""The named policies."""

import pytest

from bascule.errors import OptionError
from bascule.policy.defaults import SAFE
from bascule.policy.policies import DEFAULT, SUGGESTED, named, needs_hook
from bascule.policy.rules import parse

LAUNCHES = [
    ("autonomous", "bypassPermissions", True, False),
    ("supervised", "default", False, True),
    ("plan", "plan", False, True),
    ("plan-auto", "plan", False, True),
    ("rules", "default", False, True),
    ("acceptEdits", "acceptEdits", False, False),
    ("auto", "auto", False, False),
    ("dontAsk", "dontAsk", False, False),
    ("manual", "default", False, False),
    ("bypassPermissions", "bypassPermissions", False, False),
]


@pytest.mark.parametrize(("name", "mode", "skip_permissions", "governs"), LAUNCHES)
def test_a_policy_says_how_the_cli_is_launched(name: str, mode: str, skip_permissions: bool, governs: bool) -> None:
    policy = named(name)
    assert (policy.name, policy.mode, policy.skip_permissions, policy.governs) == (
        name,
        mode,
        skip_permissions,
        governs,
    )


def test_L41_a_mode_of_the_cli_goes_to_the_cli_verbatim() -> None:
    modes = ("acceptEdits", "auto", "dontAsk", "bypassPermissions", "plan")
    assert [named(mode).mode for mode in modes] == list(modes)


def test_the_safe_list_passes_where_looking_around_is_free() -> None:
    assert [name for name, *_ in LAUNCHES if named(name).safe == SAFE] == ["supervised", "plan", "plan-auto"]
    assert [name for name, *_ in LAUNCHES if named(name).safe not in ((), SAFE)] == []


def test_only_plan_auto_approves_plans() -> None:
    assert [name for name, *_ in LAUNCHES if named(name).approves_plans] == ["plan-auto"]


def test_rules_of_the_user_go_with_the_policy() -> None:
    rules = (parse("Bash(git *)"),)
    assert named("supervised", rules=rules).rules == rules
    assert named("supervised").rules == ()


@pytest.mark.parametrize(
    ("name", "proposed"),
    [
        ("default", "supervised"),
        ("superwised", "supervised"),
        ("Plan", "plan"),
        ("plan-auto ", "supervised"),
        ("planauto", "plan"),
        ("acceptedits", "acceptEdits"),
        ("yolo", "supervised"),
        ("", "supervised"),
    ],
)
def test_an_unknown_name_is_refused_with_the_nearest(name: str, proposed: str) -> None:
    with pytest.raises(OptionError, match=rf"no policy {name!r}; did you mean {proposed!r}\?"):
        named(name)


def test_approving_plans_unseen_is_never_proposed() -> None:
    assert "plan-auto" not in SUGGESTED
    assert DEFAULT == "supervised"


@pytest.mark.parametrize(
    ("name", "rule", "needed"),
    [
        ("supervised", None, True),
        ("autonomous", None, False),
        ("autonomous", "deny", True),
        ("acceptEdits", "allow", False),
        ("acceptEdits", "ask", False),
        ("acceptEdits", "deny", True),
    ],
)
def test_the_hook_is_there_for_all_calls_or_for_deny_rules(name: str, rule: str | None, needed: bool) -> None:
    rules = () if rule is None else (parse("Bash(rm *)", rule),)  # type: ignore[arg-type]
    assert needs_hook(named(name, rules=rules)) is needed
