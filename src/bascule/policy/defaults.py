"""The safe list: the rule file that comes with the package, read once, as an import reads code."""

from __future__ import annotations

from importlib.resources import files
from typing import Final

from bascule.policy.config import rules_of
from bascule.policy.rules import Rule

SAFE: Final[tuple[Rule, ...]] = rules_of(
    files(__package__).joinpath("default_rules.toml").read_text("utf-8"), "the safe list"
)
"""What passes without a rule of the user's."""
