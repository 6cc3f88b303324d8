"""Slash commands, on the real CLI: answered by the CLI itself or by the model, or refused; and what is none."""

import pytest

from bascule.demo.script import say
from bascule.events import Compaction, Complete, SessionStatus
from tests.live.stage import Stage, said, so_far


async def test_a_command_of_the_clis_own_is_answered_without_the_model(stage: Stage) -> None:
    async with stage.play(say("Never asked.")) as (session, model):
        complete = await said(session, "/cost")
        assert (complete.outcome, complete.num_turns) == ("success", 0)
        assert " cost: " in str(complete.text)
        assert model.asked == ()


async def test_a_command_of_the_project_is_a_turn_with_its_text(stage: Stage) -> None:
    commands = stage.path(".claude/commands")
    commands.mkdir(parents=True)
    commands.joinpath("greet.md").write_text("Say hello to $ARGUMENTS")
    async with stage.play(say("Hello, Anna.")) as (session, model):
        assert "greet" in {command.name for command in session.welcome.commands}
        complete = await said(session, "/greet Anna")
        assert (complete.outcome, complete.text) == ("success", "Hello, Anna.")
        assert "Say hello to Anna" in str(model.asked[-1].body)


async def test_a_command_that_nobody_knows_never_hangs(stage: Stage) -> None:
    """2.1.332 gives it to the model as text, 2.1.197 says that it does not know it."""
    async with stage.play(say("What is that?"), say("Back.")) as (session, model):
        complete = await said(session, "/frobnicate the thing")
        assert complete.outcome == "success"
        assert len(model.asked) == (1 if stage.newer else 0)
        if not stage.newer:
            assert "Unknown command" in str(complete.text)
        assert (await said(session, "Still there?")).outcome == "success"


@pytest.mark.parametrize("text", ["/etc/hosts is a file", "!ls", "see /cost"])
async def test_what_only_looks_like_a_command_goes_to_the_model(stage: Stage, text: str) -> None:
    async with stage.play(say("I see.")) as (session, model):
        assert (await said(session, text)).text == "I see."
        assert text in str(model.asked[-1].body)


async def test_a_compaction_is_told_phase_by_phase_and_ends_its_prompt(stage: Stage) -> None:
    async with stage.play(say("One."), say("Two."), say("Three.")) as (session, _):
        await said(session, "first")
        await said(session, "second")  # 2.1.197 compacts no shorter conversation
        assert (await said(session, "/compact")).outcome == "success"
        assert (await said(session, "third")).text == "Three."
        await session.idle()
    events = await so_far(session)
    phases = [event for event in events if isinstance(event, Compaction)]
    assert [event.phase for event in phases] == ["started", "finished"]
    assert phases[-1].trigger == "manual"
    assert sum(isinstance(event, Complete) for event in events) == 4


async def test_a_cleared_conversation_has_another_id_and_costs_nothing_yet(stage: Stage) -> None:
    async with stage.play(say("One."), say("Two.")) as (session, model):
        await said(session, "The word is swordfish")
        before = session.cli_session_id
        await said(session, "/clear")
        complete = await said(session, "second")
        assert session.cli_session_id != before
        assert complete.cost_usd is not None
        assert complete.cost_usd > 0
        assert "swordfish" not in str(model.asked[-1].messages)
    told = [event.cli_session_id for event in await so_far(session) if isinstance(event, SessionStatus)]
    assert told == [before, session.cli_session_id]
