"""Three sessions of the real CLI in a hub that is killed in mid-turn, with an ask open in each.

The issue's own words for *done*: started again, the asks are there, they are answered, the turns end, and a client that
was connected before has every event exactly once.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from bascule.commands import AllowOnce, Decide, Deny, Prompt, Taken, TooLate
from bascule.conversation import OpenAsk
from bascule.demo.model import ScriptedModel
from bascule.demo.script import Script, call, say, turn
from bascule.events import Complete, PermissionRequest, SessionAsleep
from bascule.hub.hub import Hub
from bascule.ids import CommandId, SessionId
from bascule.transport.keeper import find_keepers
from tests.hub.outlived import Client, Home, killed, once_each

TURN = turn(call("Bash", command="touch made"), say("Made."))


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Home]:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "own"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    (tmp_path / "hub").mkdir()
    home = Home(tmp_path / "hub")
    yield home
    home.clear()


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
