"""Limits that the CLI keeps itself, on the real CLI: rounds, money, the shape of the answer."""

import pytest

from bascule.demo.script import call, respond, say, turn
from bascule.errors import StructuredOutputMissing
from tests.live.stage import Stage, bash, said

SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}


async def test_a_prompt_has_as_many_rounds_as_it_may_and_the_next_has_them_anew(stage: Stage) -> None:
    busy = turn(bash("true"), respond(lambda asked: bash("true")), say("never said"))
    async with stage.play(busy, say("Hello."), max_turns=2) as (session, _):
        first = await said(session, "Work")
        assert (first.outcome, first.num_turns) == ("max_turns", 3)
        assert (await said(session, "Hi")).outcome == "success"


async def test_money_that_is_spent_is_spent_for_every_prompt_to_come(stage: Stage) -> None:
    busy = turn(bash("true"), say("Done."))
    async with stage.play(busy, say("Hello."), max_budget_usd=0.000001) as (session, _):
        assert (await said(session, "Work")).outcome == "budget"
        assert (await said(session, "Hi")).outcome == "budget"
        await session.idle()


async def test_an_answer_that_does_not_fit_is_asked_for_again(stage: Stage) -> None:
    wrong = call("StructuredOutput", n="three")
    right = respond(lambda asked: call("StructuredOutput", n=3))
    async with stage.play(turn(wrong, right), json_schema=SCHEMA) as (session, model):
        assert (await said(session, "Count")).structured == {"n": 3}
        assert "must be integer" in str(model.asked[1].body)


async def test_a_shape_that_is_none_is_no_success(stage: Stage) -> None:
    """The CLI says nothing of it when it comes with the handshake, and offers no tool to fill it in."""
    async with stage.play(say("Three."), say("As I said."), json_schema={"type": "nonsense"}) as (session, _):
        with pytest.raises(StructuredOutputMissing):
            await said(session, "Count")
