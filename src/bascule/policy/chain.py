"""The order in which a call is judged."""

from __future__ import annotations

from bascule.policy.call import Call
from bascule.policy.grants import Grant
from bascule.policy.policies import Policy
from bascule.policy.verdict import Ask, Deny, Pass, Verdict


def judge(
    policy: Policy, call: Call, *, mode: str | None, attended: bool, grants: tuple[Grant, ...] = (), now: int
) -> Verdict:
    """What ``policy`` says about ``call`` when its PreToolUse hook asks.

    ``mode``: the hook input's permission mode, which is not always the policy's. ``attended``: somebody could answer.
    ``now``: UTC ms. Never raises; whatever is in doubt asks, or denies where nobody is there to be asked.
    """
    if not policy.governs:
        return Pass(reason="the CLI decides in this mode")
    return _person(attended=attended)


def judge_ask(policy: Policy, call: Call, *, attended: bool, grants: tuple[Grant, ...] = (), now: int) -> Verdict:
    """What ``policy`` says about a ``can_use_tool`` request; ``Ask`` puts it before a person. Never raises."""
    return _person(attended=attended)


def _person(*, attended: bool) -> Verdict:
    if attended:
        return Ask(reason="no rule covers it")
    return Deny(rule="nobody is watching", reason="nobody is watching")
