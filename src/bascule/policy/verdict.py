"""What a policy says about a call, with the way it came there.

Four answers: allow, deny, ask a person, or pass, which leaves the call to the CLI's own permission mode. Every verdict
carries its trail, one step for each stage of the chain that was looked at; the last step is the one that decided.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

Stage: TypeAlias = Literal["deny rules", "plan", "ask rules", "grants and allow rules", "policy", "person"]
"""Where in the chain; ``policy`` is what the policy says by itself, ``person`` the end, somebody watching or not."""


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """One stage that was looked at."""

    stage: Stage
    decided: bool = False
    """It is the last step: the stage settled the call."""
    rule: str | None = None
    """What decided, with the place it stands in; null where no rule did."""
    why: str


class Allow(msgspec.Struct, frozen=True, kw_only=True, tag="allow", tag_field="verdict"):
    """The call runs and nobody is asked."""

    rule: str
    """Never empty: what allowed it."""
    reason: str
    trail: tuple[Step, ...] = ()


class Deny(msgspec.Struct, frozen=True, kw_only=True, tag="deny", tag_field="verdict"):
    """The call does not run."""

    rule: str
    reason: str
    """What the model reads; never empty."""
    trail: tuple[Step, ...] = ()


class Ask(msgspec.Struct, frozen=True, kw_only=True, tag="ask", tag_field="verdict"):
    """A person decides."""

    reason: str
    """Why it asks; a surface shows it."""
    rule: str | None = None
    trail: tuple[Step, ...] = ()


class Pass(msgspec.Struct, frozen=True, kw_only=True, tag="pass", tag_field="verdict"):
    """bascule has no say: the CLI goes on as if no hook were there.

    Said only under policies that leave the decision to the CLI.
    """

    reason: str
    trail: tuple[Step, ...] = ()


Verdict: TypeAlias = Allow | Deny | Ask | Pass
