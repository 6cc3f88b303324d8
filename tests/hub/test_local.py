"""A workspace has a say in its own sessions: when one begins, and anew for each of its processes."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from bascule.commands import AllowOnce, Decide, Prompt, Refused, SetPolicy, Start, Taken
from bascule.demo.model import ScriptedModel
from bascule.demo.script import Script, call, say, turn
from bascule.demo.workspace import clean_environment
from bascule.errors import OptionError
from bascule.events import Complete, Notice, PermissionRequest, PromptAccepted, SessionAsleep
from bascule.hub.hub import Hub
from bascule.hub.projects import Place
from bascule.hub.settings import Local, Settings
from bascule.ids import CommandId, SessionId
from bascule.session.options import Options
from bascule.store.rows import ProjectRow
from bascule.testing.fake_cli import install
from tests.hub.far import CALM, House, S, seen
from tests.hub.outlived import Client, Home, killed

A = SessionId("a")


class Workspaces:
    """What holds in them, as a test has it."""

    def __init__(self, **said: object) -> None:
        self.said = said
        self.broken = False
        self.asked: list[tuple[Place, str | None]] = []

    def __call__(self, place: Place, policy: str | None) -> Local:
        self.asked.append((place, policy))
        if self.broken:
            raise OptionError("config.toml:1:1: there is no section 'claud'")
        return Local(replace(CALM.options, **self.said), "claude.model is left out")


async def begun(hub: Hub, house: House, policy: str | None = None, model: str | None = None) -> Options:
    """What the first process of a session is begun with."""
    receipt = await hub.send(
        Start(command_id=house.id(), session=S, cwd="/tmp", prompt="Go", policy=policy, model=model)
    )
    assert isinstance(receipt, Taken), receipt
    await seen(hub, PromptAccepted)
    return house.processes.begun_with[-1]


async def test_a_session_is_opened_with_what_holds_in_its_workspace() -> None:
    there = Workspaces(policy="plan", disallowed_tools=("WebFetch",), model="haiku")
    house = House(local=there)
    async with house.hub() as hub:
        options = await begun(hub, house)
        assert (options.policy, options.disallowed_tools, options.model) == ("plan", ("WebFetch",), "haiku")
        assert there.asked[0] == (Place("/tmp"), None)
        assert there.asked[-1] == (Place("/tmp"), "plan")
        assert hub.live(S).row.policy == "plan"


async def test_who_begins_it_has_the_last_word() -> None:
    there = Workspaces(policy="plan", model="haiku")
    house = House(local=there)
    async with house.hub() as hub:
        options = await begun(hub, house, policy="rules", model="opus")
        assert (options.policy, options.model) == ("rules", "opus")
        assert [policy for _, policy in there.asked] == ["rules", "rules"]


async def test_it_is_looked_at_anew_for_each_process() -> None:
    there = Workspaces(model="haiku")
    house = House(local=there, idle_sleep_s=0.0)
    async with house.hub() as hub:
        await begun(hub, house)
        there.said = {"model": "opus"}
        accepted = await seen(hub, PromptAccepted)
        house.processes.of().turn(accepted.prompt_id)
        await seen(hub, SessionAsleep)
        await hub.send(Prompt(command_id=house.id(), session=S, text="Again"))
        await seen(hub, PromptAccepted, lambda event: event.text == "Again")
        assert [options.model for options in house.processes.begun_with] == ["haiku", "opus"]
        await hub.send(SetPolicy(command_id=house.id(), session=S, policy="plan"))
        assert (await hub.session(S) or pytest.fail()).policy == "plan"


async def test_nothing_begins_where_the_configuration_has_a_mistake() -> None:
    there = Workspaces()
    there.broken = True
    house = House(local=there)
    async with house.hub() as hub:
        receipt = await hub.send(Start(command_id=house.id(), session=S, cwd="/tmp", prompt="Go"))
        assert receipt == Refused(reason="config.toml:1:1: there is no section 'claud'")
        assert await hub.sessions() == ()


async def test_what_its_project_says_is_told_with_the_workspace(tmp_path: Path) -> None:
    there = Workspaces()
    house = House(local=there)
    row = ProjectRow(name="p", path=str(tmp_path), body={"policy": "plan", "model": "haiku"}, created_at=0)
    await house.store.put_project(row)
    async with house.hub() as hub:
        await hub.send(Start(command_id=house.id(), session=S, cwd="p"))
        assert there.asked == [(Place(str(tmp_path), "p", None, "plan", "haiku"), None)]


class Broken(Home):
    """A home whose workspace's configuration is broken once its hub has died."""

    @property
    def settings(self) -> Settings:
        there = Workspaces()
        there.broken = True
        return replace(super().settings, local=there)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Home]:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "own"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    home = Home(tmp_path)
    yield home
    home.clear()


async def test_a_process_that_runs_is_joined_though_the_configuration_is_broken_by_then(home: Home) -> None:
    client = Client(["a"])
    with ScriptedModel(Script(turn(call("Bash", command="touch made"), say("Made.")))) as model:
        (home.folder / "home").mkdir()
        home.settle(cli=install(home.folder), env=clean_environment(model.url, home.folder / "home"))
        async with killed(home, client, prompt="go", kind=PermissionRequest):
            pass
        async with Broken(home.folder).hub() as hub:
            (ask,) = await hub.asks()
            decide = Decide(
                command_id=CommandId("c"), session=A, pending_id=ask.request.pending_id, decision=AllowOnce()
            )
            assert await hub.send(decide) == Taken()
            assert (await seen(hub, Complete, of=A)).outcome == "success"


class Quiet(Home):
    """A home whose workspace says something that does not count."""

    @property
    def settings(self) -> Settings:
        own = super().settings
        return replace(own, local=lambda _place, _policy: Local(own.options, "claude.model is left out"))


async def test_what_of_a_workspace_does_not_count_is_said_in_the_session(home: Home) -> None:
    quiet = Quiet(home.folder)
    with ScriptedModel(Script(turn(say("One.")))) as model:
        (home.folder / "home").mkdir()
        quiet.settle(cli=install(home.folder), env=clean_environment(model.url, home.folder / "home"))
        async with quiet.hub() as hub:
            await hub.send(Start(command_id=CommandId("s"), session=A, cwd=str(quiet.workspace), prompt="go"))
            assert (await seen(hub, Notice, of=A)).text == "claude.model is left out"
            await seen(hub, Complete, of=A)
