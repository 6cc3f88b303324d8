"""The examples of the page on command lines are judged as it says."""

import re
from typing import Final

import pytest

from bascule.policy.chain import judge
from bascule.policy.config import rules_of
from bascule.policy.policies import named
from bascule.policy.verdict import Pass
from tests.docs import pages
from tests.docs.pages import ROOT
from tests.policy.calls import bash

PAGE: Final = ROOT / "docs" / "explanation" / "shell-rules.md"
[(_, *EXAMPLES)] = pages.tables(PAGE)


def code(cell: str) -> str:
    return cell.removeprefix("`").removesuffix("`")


@pytest.mark.parametrize(("line", "verdict", "why"), [[*map(code, row)] for row in EXAMPLES])
def test_an_example_is_judged_as_the_page_says(line: str, verdict: str, why: str) -> None:
    [rules] = [shown.text for shown in pages.blocks("toml") if shown.page == pages.named(PAGE)]
    asked = bash(line)
    found = judge(named("rules", rules=rules_of(rules, "r")), asked, mode="default", attended=True, now=0)
    assert not isinstance(found, Pass)
    doubts = [doubt for command in asked.facts.commands for doubt in command.doubts]
    decided = re.sub(r" \(r:\d+\)", "", found.rule or "")
    before = [step.why for step in found.trail]
    assert (type(found).__name__.lower(), why in (decided, *doubts, *before)) == (verdict, True)


def test_the_page_has_examples_of_every_verdict() -> None:
    assert {verdict for _, verdict, _ in EXAMPLES} == {"allow", "ask", "deny"}
