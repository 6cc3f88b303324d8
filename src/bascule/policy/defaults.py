"""The rule files that come with the package, read once, as an import reads code."""

from __future__ import annotations

from importlib.resources import files
from typing import Final

from bascule.policy.config import rules_of
from bascule.policy.rules import Rule


def _rules(name: str, source: str) -> tuple[Rule, ...]:
    return rules_of(files(__package__).joinpath(name).read_text("utf-8"), source)


SAFE: Final[tuple[Rule, ...]] = _rules("default_rules.toml", "the safe list")
"""What passes without a rule of the user's."""

ACCEPTED_EDITS: Final[tuple[Rule, ...]] = _rules("accepted_edits.toml", "accept edits")
"""What a person allows by approving a plan with *accept edits*, for the rest of the session."""

PROTECTED: Final[tuple[str, ...]] = tuple(pattern for rule in ACCEPTED_EDITS for pattern in rule.unless)
"""What no rule opens for writing that does not name it: it changes what runs later, or holds secrets."""
