"""The named policies: what each asks of the CLI at launch, and who has the last word under it.

Two ways of governing. Where bascule governs (``supervised``, ``plan``, ``rules``), a hook puts every call before the
chain. Where the CLI governs (``autonomous`` and every mode of its own), bascule adds its deny rules and nothing else.
"""

from __future__ import annotations

import difflib
from typing import Final

import msgspec

from bascule.errors import OptionError
from bascule.policy.defaults import SAFE
from bascule.policy.rules import Rule

OUTLINE_CHARS: Final = 200
"""Visible characters that make the outline of a plan; below it, there is nothing to decide about."""


class Policy(msgspec.Struct, frozen=True, kw_only=True):
    """A policy, whole: how the CLI is launched and what its calls are judged by."""

    name: str
    mode: str
    """What ``--permission-mode`` says; always named, since a CLI may start in a mode of its own choice."""
    skip_permissions: bool = False
    """Launch with ``--dangerously-skip-permissions``; the CLI refuses that as root outside of a sandbox."""
    governs: bool = False
    """bascule decides about every call; else the CLI does, and only the deny rules are ours."""
    approves_plans: bool = False
    """A plan is approved without a person."""
    rearms_plan: bool = False
    """After an approved plan's turn the mode is plan again."""
    outline_chars: int = OUTLINE_CHARS
    """How long a plan that a person wants written out must be before he is asked about it."""
    checks_git: bool = False
    """Before the agent stops, uncommitted work is held up to it."""
    rules: tuple[Rule, ...] = ()
    safe: tuple[Rule, ...] = ()
    """What passes under this policy without a rule of the user's."""


_POLICIES: Final = {
    policy.name: policy
    for policy in (
        Policy(name="autonomous", mode="bypassPermissions", skip_permissions=True),
        Policy(name="supervised", mode="default", governs=True, safe=SAFE, checks_git=True),
        Policy(name="plan", mode="plan", governs=True, safe=SAFE, checks_git=True, rearms_plan=True),
        Policy(
            name="plan-auto",
            mode="plan",
            governs=True,
            safe=SAFE,
            checks_git=True,
            rearms_plan=True,
            approves_plans=True,
        ),
        Policy(name="rules", mode="default", governs=True),
        Policy(name="acceptEdits", mode="acceptEdits"),
        Policy(name="auto", mode="auto"),
        Policy(name="dontAsk", mode="dontAsk"),
        Policy(name="manual", mode="default"),  # the newer word, which 2.1.197 does not know (26_mode_manual)
        Policy(name="bypassPermissions", mode="bypassPermissions"),
    )
}

DEFAULT: Final = "supervised"
SUGGESTED: Final = tuple(name for name in _POLICIES if name != "plan-auto")
"""The names an error may propose: approving plans unseen is nothing to stumble into."""


def named(name: str, *, rules: tuple[Rule, ...] = ()) -> Policy:
    """The policy of this name, with the user's ``rules``. Raises ``OptionError`` with the nearest name."""
    policy = _POLICIES.get(name)
    if policy is None:
        near = difflib.get_close_matches(name, SUGGESTED, 1)
        raise OptionError(f"there is no policy {name!r}; did you mean {near[0] if near else DEFAULT!r}?")
    return msgspec.structs.replace(policy, rules=rules)


def needs_hook(policy: Policy) -> bool:
    """Whether a PreToolUse callback for all tools must be registered."""
    return policy.governs or any(rule.action == "deny" for rule in policy.rules)
