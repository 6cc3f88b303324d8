"""What the CLI does not take is told; what nobody would notice otherwise stops the start."""

from typing import Any

import pytest

from bascule.errors import StartFailed
from bascule.events import AnyEvent, Notice
from bascule.wire.initialize import Agent
from tests.session.far_end import FarEnd
from tests.session.live import live

AGENTS = {"reader": Agent(description="Reads.", prompt="Read.", omit_claude_md=True, observer="writer")}
NEW_THINGS = {"verbatim_prompts": True, "interrupt_spares_agents": True, "system_prompt_snapshot": True}


def told(*agents: str) -> dict[str, Any]:
    """An answer to ``initialize`` that names these agents."""
    return {"initialize": {"claude_code_version": "2.1.332", "agents": [{"name": name} for name in agents]}}


async def notices(far: FarEnd, **options: Any) -> list[str]:
    """What is noted of a session that did nothing."""
    async with live(far, **options) as session:
        pass
    events: list[AnyEvent] = [event async for event in session.events()]
    return [event.text for event in events if isinstance(event, Notice)]


async def test_agents_that_the_cli_dropped_stop_the_start() -> None:
    far = FarEnd()
    far.answers = told("Explore")
    with pytest.raises(StartFailed, match="did not take the agents reader"):
        async with live(far, agents=AGENTS):
            pytest.fail("the session must not open")


async def test_agents_that_the_cli_took_or_tells_nothing_of_are_there() -> None:
    for answers in (told("Explore", "reader"), told()):
        far = FarEnd()
        far.answers = answers
        async with live(far, agents=AGENTS) as session:
            assert not session.ended


async def test_an_older_cli_is_said_to_leave_aside_what_it_does_not_know() -> None:
    far = FarEnd(speaks_197=True)
    far.answers = {"initialize": {"agents": [{"name": "reader"}]}}
    assert await notices(far, agents=AGENTS, **NEW_THINGS) == [
        "this CLI is too old to heed verbatim_prompts, interrupt_spares_agents, system_prompt_snapshot,"
        " omit_claude_md of an agent, observer of an agent"
    ]


async def test_nothing_is_said_where_nothing_is_left_aside() -> None:
    assert await notices(FarEnd(speaks_197=True), system_prompt_snapshot=False, forward_subagent_text=True) == []
    assert await notices(FarEnd(), **NEW_THINGS) == []


@pytest.mark.parametrize(("verbatim", "sent"), [(True, True), (False, None)])
async def test_prompts_are_sent_word_for_word_when_asked_to(verbatim: bool, sent: bool | None) -> None:
    far = FarEnd()
    async with live(far, verbatim_prompts=verbatim) as session:
        handle = await session.prompt("/cost")
        (prompt,) = far.of("user")
        assert prompt.get("client_composed") is sent
        far.turn(prompt["uuid"])
        await handle
