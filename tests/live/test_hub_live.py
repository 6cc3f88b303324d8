"""Three sessions of the real CLI in a hub that is killed in mid-turn, with an ask open in each.

The issue's own words for *done*: started again, the asks are there, they are answered, the turns end, and a client that
was connected before has every event exactly once.
"""

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pytest

from bascule.commands import AllowOnce, Compact, Decide, Deny, Prompt, PutBack, Rewind, Start, Taken, TooLate
from bascule.conversation import OpenAsk
from bascule.demo.model import ScriptedModel
from bascule.demo.script import Script, call, say, turn
from bascule.events import AnyEvent, Compaction, Complete, PermissionRequest, SessionAsleep
from bascule.hub.hub import Hub
from bascule.ids import CommandId, SessionId
from bascule.transport.keeper import find_keepers
from tests.hub.outlived import Client, Home, killed, once_each

E = TypeVar("E", bound=AnyEvent)
TURN = turn(call("Bash", command="touch made"), say("Made."))


def decide(ask: OpenAsk, name: str, **more: object) -> Decide:
    return Decide(
        command_id=CommandId(f"{name} {ask.session}"),
        session=ask.session,
        pending_id=ask.request.pending_id,
        **{"decision": AllowOnce(), "by": name, **more},  # type: ignore[arg-type]
    )


async def ends_well(hub: Hub, client: Client, ask: OpenAsk) -> None:
    """An ask is answered once, and its turn ends; the client has missed nothing and seen nothing twice."""
    assert await hub.send(decide(ask, "Anna")) == Taken()
    late = await hub.send(decide(ask, "Ben", decision=Deny()))
    assert isinstance(late, TooLate)
    assert "Anna" in late.winner
    await client.follow(hub, ask.session, Complete)
    events = client.seen[ask.session]
    assert once_each(events)
    assert tuple(events) == await hub.store.events(ask.session)
    assert isinstance(events[-1], Complete)
    assert (events[-1].outcome, events[-1].text) == ("success", "Made.")


@pytest.mark.smoke
async def test_a_hub_is_killed_in_mid_turn_and_nothing_is_lost(
    home: Home, claude_cli: Path, clean_env: dict[str, str]
) -> None:
    client = Client(["a", "b", "c"])
    with ScriptedModel(Script(TURN, TURN, TURN)) as model:
        home.settle(cli=claude_cli, env={**clean_env, "ANTHROPIC_BASE_URL": model.url})
        async with killed(home, client, prompt="go", kind=PermissionRequest):
            keepers = find_keepers(home.state).living
        assert find_keepers(home.state).living == keepers
        async with home.hub() as hub:
            asks = await hub.asks()
            assert sorted(ask.session for ask in asks) == ["a", "b", "c"]
            for ask in asks:
                await ends_well(hub, client, ask)
            assert await hub.asks() == ()
    assert (home.workspace / "made").exists()


async def test_a_session_sleeps_and_wakes_with_all_that_was_said(
    home: Home, claude_cli: Path, clean_env: dict[str, str]
) -> None:
    client = Client(["a"])
    with ScriptedModel(Script(turn(say("One.")), turn(say("Two.")))) as model:
        home.settle(
            cli=claude_cli, env={**clean_env, "ANTHROPIC_BASE_URL": model.url}, idle_sleep_s=0.0, look_every_s=0.05
        )
        async with killed(home, client, prompt="Say one", kind=SessionAsleep):
            pass
        async with home.hub() as hub:
            again = Prompt(command_id=CommandId("again"), session=SessionId("a"), text="Say two")
            assert isinstance(await hub.send(again), Taken)
            await client.follow(hub, "a", SessionAsleep)
            assert once_each(client.seen["a"])
            ends = [event for event in client.seen["a"] if isinstance(event, Complete)]
            assert [end.text for end in ends] == ["One.", "Two."]
            await hub.live(SessionId("a")).put_down()
        asked = [str(request) for request in model.requests]
        assert any("Say one" in request and "Say two" in request for request in asked)
    assert find_keepers(home.state).living == ()


async def first(hub: Hub, session: SessionId, kind: type[E], where: Callable[[E], bool] = lambda event: True) -> E:
    """The first event of this kind, past or to come."""
    async for event in hub.conversation(session).events():
        if isinstance(event, kind) and where(event):
            return event
    raise AssertionError(f"the session ended and there was no {kind.__name__}")


async def test_files_are_put_back_after_a_trial_and_the_conversation_is_compacted(
    home: Home, claude_cli: Path, clean_env: dict[str, str]
) -> None:
    made, a = home.workspace / "made.txt", SessionId("a")
    script = Script(
        turn(call("Write", file_path=str(made), content="x\n"), say("Made.")), otherwise=(say("In few words."),)
    )
    with ScriptedModel(script) as model:
        home.settle(cli=claude_cli, env={**clean_env, "ANTHROPIC_BASE_URL": model.url})
        async with home.hub() as hub:
            await hub.send(Start(command_id=CommandId("1"), session=a, cwd=str(home.workspace), prompt="Make it"))
            await first(hub, a, PermissionRequest)
            (ask,) = await hub.asks()
            await hub.send(decide(ask, "Anna"))
            (at,) = (await first(hub, a, Complete)).prompt_ids
            session = hub.live(a).session
            assert session is not None
            await session.idle()
            assert made.exists()
            tried = await hub.send(Rewind(command_id=CommandId("2"), session=a, at=at, dry_run=True))
            assert tried == Taken(put_back=PutBack(files=(str(made),), insertions=0, deletions=1))
            assert made.exists()
            assert await hub.send(Rewind(command_id=CommandId("3"), session=a, at=at)) == tried
            assert not made.exists()
            await hub.send(Compact(command_id=CommandId("4"), session=a, instructions="Keep the plan"))
            await first(hub, a, Compaction, lambda event: event.phase == "finished")
        assert any("Keep the plan" in str(request) for request in model.requests)
