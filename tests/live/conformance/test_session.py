"""A session of bascule's over the fake and over the real CLI: the same events come of it."""

from pathlib import Path
from typing import Any

import pytest

from bascule.commands import AllowAlways, AllowOnce, Answers, Decision, Deny
from bascule.demo.script import call, fail, reply, say, turn, wait
from bascule.errors import ResumeFailed
from bascule.events import AnyEvent, Complete, PermissionRequest, PolicyDecided, SessionStatus, ToolUpdate
from bascule.session.session import Session
from bascule.testing.scripted import ScriptedCli
from tests.live.conformance.stage import ID, MAKE, QUESTION
from tests.testing.driven import measured


@pytest.fixture
def scripted(cli: Path, tmp_path: Path) -> ScriptedCli:
    folder = tmp_path / "scripted"
    folder.mkdir()
    return ScriptedCli(cli, folder)


def options(*decisions: Decision, **more: Any) -> dict[str, Any]:
    """Asks are answered by these decisions in their order."""
    left = iter(decisions)

    async def decide(ask: PermissionRequest) -> Decision:
        return next(left)

    return {"on_ask": decide if decisions else None, "env": measured(), "stop_git_check": False, **more}


async def done(session: Session, text: str) -> Complete:
    return await (await session.prompt(text))


async def all_of(session: Session) -> list[AnyEvent]:
    """Every lasting event of a session that is ended now."""
    await session.end()
    return [event async for event in session.events()]


def ends(events: list[AnyEvent]) -> list[str]:
    """How the calls ended."""
    return [event.tool_status for event in events if isinstance(event, ToolUpdate) and event.tool_status != "running"]


async def test_a_call_is_asked_for_allowed_and_run(scripted: ScriptedCli) -> None:
    async with scripted.session(turn(MAKE, say("Done.")), **options(AllowOnce())) as session:
        complete = await done(session, "make")
        events = await all_of(session)
    assert (complete.outcome, complete.text) == ("success", "Done.")
    assert ends(events) == ["complete"]
    assert [event.verdict for event in events if isinstance(event, PolicyDecided)] == []
    assert (scripted.workspace / "made.txt").exists()


async def test_a_denial_reaches_the_model_and_always_is_not_asked_again(scripted: ScriptedCli) -> None:
    script = turn(reply(MAKE), reply(MAKE), reply(MAKE), say("Done."))
    always = AllowAlways(rule="Bash(touch *)")
    async with scripted.session(script, **options(Deny(reason="not yet"), always)) as session:
        complete = await done(session, "make")
        events = await all_of(session)
    assert complete.outcome == "success"
    assert ends(events) == ["denied", "complete", "complete"]
    assert scripted.model.asked[1].results[0].text.endswith("not yet")


async def test_nobody_watching_denies_with_a_reason(scripted: ScriptedCli) -> None:
    async with scripted.session(turn(MAKE, say("I see.")), **options(attended=False)) as session:
        complete = await done(session, "make")
    assert (complete.text, len(complete.permission_denials)) == ("I see.", 1)
    assert "nobody is watching" in scripted.model.asked[-1].results[0].text


async def test_a_question_is_answered(scripted: ScriptedCli) -> None:
    script = turn(call("AskUserQuestion", questions=[QUESTION]), say("Thanks."))
    async with scripted.session(script, **options(Answers(answers={"Which one?": "B"}))) as session:
        assert (await done(session, "ask me")).text == "Thanks."
    assert '"Which one?"="B"' in scripted.model.asked[-1].results[0].text


async def test_a_turn_is_interrupted_and_the_session_goes_on(scripted: ScriptedCli) -> None:
    async with scripted.session(turn(wait("gate"), say("never said")), say("Still here."), **options()) as session:
        handle = await session.prompt("first")
        scripted.model.gate("gate").reached()
        await session.interrupt()
        assert (await handle).outcome == "interrupted"
        assert (await done(session, "second")).text == "Still here."


async def test_prompts_beside_each_other_are_settled_each(scripted: ScriptedCli) -> None:
    # the CLI merges what it has read by the time the gate opens: one turn, or one for each
    rest = [say("Two and three."), say("Two and three.")]
    async with scripted.session(turn(wait("gate"), say("One.")), *rest, **options()) as session:
        first = await session.prompt("first")
        scripted.model.gate("gate").reached()
        others = [await session.prompt(text) for text in ("second", "third")]
        scripted.model.gate("gate").open()
        assert (await first).text == "One."
        assert [(await handle).text for handle in others] == ["Two and three.", "Two and three."]


async def test_an_api_error_is_a_turn_that_failed(scripted: ScriptedCli) -> None:
    async with scripted.session(fail(400, message="wrong"), say("Fine."), **options()) as session:
        assert (await done(session, "first")).outcome == "error"
        assert (await done(session, "second")).outcome == "success"


async def test_a_session_is_resumed_or_the_failure_is_told(scripted: ScriptedCli) -> None:
    async with scripted.session(say("One."), **options()) as session:
        await done(session, "first")
        kept = session.cli_session_id
    async with scripted.session(say("Two."), **options(resume=kept)) as session:
        assert (await done(session, "second")).text == "Two."
        events = await all_of(session)
    assert next(event for event in events if isinstance(event, SessionStatus)).session_status == "resumed"
    with pytest.raises(ResumeFailed):
        async with scripted.session(say("never said"), **options(resume=ID.format(9))):
            pass
