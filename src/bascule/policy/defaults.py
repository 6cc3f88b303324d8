"""The rule files that come with the package, read once, as an import reads code."""

from __future__ import annotations

from pkgutil import get_data
from typing import Final

import msgspec

from bascule.policy.config import rules_of
from bascule.policy.rules import Rule
from bascule.tools import startup


def _rules(name: str, source: str) -> tuple[Rule, ...]:
    text = get_data(__name__, name)  # by the loader of this module; importlib.resources takes 5 ms to import
    assert text is not None, "every loader that Python brings can read what lies beside a module"
    return rules_of(text.decode(), source)


SAFE: Final[tuple[Rule, ...]] = _rules("default_rules.toml", "the safe list")
"""What passes without a rule of the user's."""

BARRED: Final[tuple[Rule, ...]] = _rules("barred_rules.toml", "bascule")
"""What is denied wherever bascule governs, whatever the user's rules say."""

ACCEPTED_EDITS: Final[tuple[Rule, ...]] = tuple(
    msgspec.structs.replace(rule, unless=startup.PATTERNS) for rule in _rules("accepted_edits.toml", "accept edits")
)
"""What a person allows by approving a plan with *accept edits*, for the rest of the session."""
