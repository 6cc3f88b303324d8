"""Plans shown and plan mode entered."""

from bascule.payload import ShowPlan
from tests.tools.recorded import recorded


def test_an_edited_plan_is_the_one_that_counts() -> None:
    call = recorded("13_planfile_edited")[1]
    file_path = "/home/dev/.claude/plans/script-type-tool-use-name-write-functional-newt.md"
    assert call.described == ShowPlan(plan="# My plan\n1. touch made.txt\n", file_path=file_path)
    assert call.finished == ShowPlan(plan="# Edited plan\n2. other", file_path=file_path, edited=True)


def test_a_plan_that_the_result_does_not_repeat_stays() -> None:
    entered, left = recorded("13_enter_plan")
    assert entered.finished == entered.described == ShowPlan(entering=True)
    assert left.finished == ShowPlan(plan="p", file_path="/home/dev/.claude/plans/wobbly-doodling-moore.md")


def test_a_plan_that_was_denied_says_why() -> None:
    denied = recorded("13_plan_deny")[0].finished
    assert denied == ShowPlan(plan="# Plan\n1. do it", error="Not yet: outline first.")
