"""Ways around rules that people tried: none is allowed. `evasions/` holds a line each, for two rule files.

`narrow` allows a few harmless programs, as one would for looking around and testing; `wide` allows every command but a
few, which is the harder case: whatever is denied must be found wherever it hides.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import pytest

from bascule.policy.chain import judge
from bascule.policy.policies import Policy, named
from bascule.policy.rules import Rule, parse
from bascule.policy.verdict import Allow, Ask, Deny
from tests.policy.calls import bash

EVASIONS: Final = Path(__file__).parent / "evasions"
DENIED: Final = ("Bash(rm *)", "Bash(git push *)", "Bash(curl *)", "Edit(.github/**)")


def rules(*allowed: str) -> tuple[Rule, ...]:
    return (*(parse(text) for text in allowed), *(parse(text, "deny") for text in DENIED))


POLICIES: Final[Mapping[str, Policy]] = {
    "narrow": named(
        "rules",
        rules=rules(
            "Bash(git diff *)", "Bash(ls *)", "Bash(cat *)", "Bash(pytest *)", "Bash(npm test *)", "Edit(src/**)"
        ),
    ),
    "wide": named("rules", rules=rules("Bash")),
}


def tried(name: str) -> Sequence[str]:
    return (EVASIONS / f"{name}.txt").read_text("utf-8").split("\n")[:-1]


@pytest.mark.parametrize(("name", "line"), [(name, line) for name in POLICIES for line in tried(name)])
@pytest.mark.parametrize("attended", [True, False])
def test_no_way_around_the_rules_is_allowed(name: str, line: str, attended: bool) -> None:
    said = judge(POLICIES[name], bash(line), mode="default", attended=attended, now=0)
    assert isinstance(said, Ask | Deny if attended else Deny)


@pytest.mark.parametrize("name", POLICIES)
@pytest.mark.parametrize(
    "line", ["git diff", "ls src", "cat a.py | cat", "pytest -k rm", "npm test", "git diff > a.txt"]
)
def test_what_the_rules_are_for_is_allowed(name: str, line: str) -> None:
    """Or the table above would prove nothing."""
    assert isinstance(judge(POLICIES[name], bash(line), mode="default", attended=True, now=0), Allow)


def test_many_ways_were_tried() -> None:
    assert min(len(set(tried(name))) for name in POLICIES) > 190
