"""*Always* in each of its scopes, and what else a decision can say, on the real CLI.

That a call asks no more is shown by the next same call, that it covers nothing else by a neighbouring one, and where it
is kept by the files.
"""

import json
from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

import pytest

from bascule.commands import AllowAlways, AllowOnce, Decision, Deny, DenyAndStop, Taken, TooLate
from bascule.demo.script import call, say, turn, when
from bascule.events import Complete, Notice, PermissionCancelled, PermissionRequest, PermissionResolved
from bascule.ids import PendingId
from bascule.policy.grants import Grant
from bascule.session.session import Session
from tests.live.stage import Stage, bash, said, seen, so_far

Scope: TypeAlias = Literal["session", "local", "user", "project"]

ONE = bash("touch one")
NEIGHBOURS = ["touch two", "touch one && touch two", "touch one $(touch two)", "touch one > ../two"]
FILES: dict[Scope, str | None] = {
    "local": ".claude/settings.local.json",
    "project": ".claude/settings.json",
    "user": None,
}
"""Where the CLI keeps a rule of this scope, in the workspace; None: in its own folder."""


async def asked(session: Session, *decisions: Decision) -> list[PermissionRequest]:
    """What a prompt asks, answered with the decisions in this order and then denied."""
    handle = await session.prompt("Do it")
    asks: list[PermissionRequest] = []
    left = list(decisions)
    async for event in handle.events():
        if isinstance(event, PermissionRequest):
            asks.append(event)
            decision = left.pop(0) if left else Deny(reason="not that one")
            assert await session.decide(event.pending_id, decision, input_hash=event.input_hash) == Taken()
    assert not left
    return asks


def kept(stage: Stage, scope: Scope) -> list[str]:
    """The allow rules in the CLI's file of this scope."""
    inside = FILES[scope]
    path = stage.config / "settings.json" if inside is None else stage.path(inside)
    rules = json.loads(path.read_text())["permissions"]["allow"] if path.exists() else []
    return [str(rule) for rule in rules]


def trust(stage: Stage) -> None:
    """What the CLI writes down when somebody says that the workspace may be trusted."""
    projects = {str(stage.workspace): {"hasTrustDialogAccepted": True}}
    stage.config.joinpath(".claude.json").write_text(json.dumps({"projects": projects}))


def twice(step: Any, *more: Any) -> Sequence[Any]:
    """A turn for each call."""
    return [turn(one, say("Well.")) for one in (step, step, *more)]


# Where the CLI governs.


@pytest.mark.parametrize("scope", ["session", "local", "user", "project"])
async def test_after_always_the_cli_asks_no_more_about_the_same_call(stage: Stage, scope: Scope) -> None:
    """Its own suggestion, kept where the person wants it."""
    trust(stage)
    async with stage.play(*twice(ONE), policy="manual") as (session, _):
        always = AllowAlways(rule="Bash(touch one *)", scope=scope)
        (first,) = await asked(session, always)
        assert always.rule in [one.rule for one in first.suggestions if one.source == "cli"]
        stage.path("one").unlink()
        assert not await asked(session)
    assert stage.path("one").exists()
    assert {other: kept(stage, other) for other in FILES if kept(stage, other)} == (
        {} if scope == "session" else {scope: ["Bash(touch one *)"]}
    )


@pytest.mark.parametrize("scope", ["session", "local", "user", "project"])
@pytest.mark.parametrize("rule", ["Bash(touch one *)", "Bash(touch one)"], ids=["its own rule", "our rule"])
async def test_after_always_the_cli_asks_about_neighbouring_calls(stage: Stage, scope: Scope, rule: str) -> None:
    trust(stage)
    neighbours = [turn(bash(command), say("Well.")) for command in NEIGHBOURS]
    async with stage.play(turn(ONE, say("Well.")), *neighbours, policy="manual") as (session, _):
        await asked(session, AllowAlways(rule=rule, scope=scope))
        assert [len(await asked(session)) for _ in neighbours] == [1] * len(neighbours)
    assert not stage.path("two").exists()
    assert not stage.path("../two").exists()


@pytest.mark.parametrize(("scope", "asks"), [("session", 1), ("local", 0), ("user", 0), ("project", 0)])
async def test_an_always_of_the_clis_lasts_as_long_as_its_file(stage: Stage, scope: Scope, asks: int) -> None:
    trust(stage)
    async with stage.play(turn(ONE, say("Well.")), policy="manual") as (session, _):
        await asked(session, AllowAlways(rule="Bash(touch one *)", scope=scope))
    async with stage.play(turn(ONE, say("Well.")), policy="manual") as (session, _):
        assert len(await asked(session)) == asks


async def test_a_rule_of_a_project_that_nobody_trusts_is_written_and_does_not_count(stage: Stage) -> None:
    async with stage.play(*twice(ONE), policy="manual") as (session, _):
        await asked(session, AllowAlways(rule="Bash(touch one *)", scope="project"))
        assert len(await asked(session)) == 1
    assert kept(stage, "project") == ["Bash(touch one *)"]


async def test_a_local_rule_counts_in_the_older_version_only_where_somebody_trusts_the_workspace(stage: Stage) -> None:
    asks = 0 if stage.newer else 1
    async with stage.play(*twice(ONE), policy="manual") as (session, _):
        await asked(session, AllowAlways(rule="Bash(touch one *)", scope="local"))
        assert len(await asked(session)) == asks
    async with stage.play(turn(ONE, say("Well.")), policy="manual") as (session, _):
        assert len(await asked(session)) == asks


async def test_an_always_of_the_clis_is_no_setting_that_the_next_session_must_be_asked_about(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else the workspace would be left out for what the person allowed in it."""
    monkeypatch.setenv("XDG_STATE_HOME", str(stage.workspace.parent / "state"))
    trust(stage)
    options = {"policy": "manual", "trust": "known"}
    async with stage.play(turn(ONE, say("Well.")), **options) as (session, _):
        await asked(session, AllowAlways(rule="Bash(touch one *)", scope="local"))
    async with stage.play(turn(ONE, say("Well.")), **options) as (session, _):
        assert not await asked(session)
    assert not [event for event in await so_far(session) if isinstance(event, Notice)]


# Where bascule governs.


@pytest.mark.parametrize("scope", ["session", "local", "user", "project"])
async def test_after_always_bascule_asks_no_more_about_the_same_call(stage: Stage, scope: Scope) -> None:
    """The CLI keeps nothing of it; who keeps what outlives the session is told before the call runs."""
    keeper: list[Grant] = []

    async def keep(grant: Grant) -> None:
        assert not stage.path("one").exists()
        keeper.append(grant)

    async with stage.play(*twice(ONE), policy="supervised", keep_grant=keep) as (session, _):
        await asked(session, AllowAlways(rule="Bash(touch one)", scope=scope))
        stage.path("one").unlink()
        assert not await asked(session)
    assert stage.path("one").exists()
    assert not any(kept(stage, other) for other in FILES)
    assert [(str(grant.rule), grant.scope) for grant in keeper] == (
        [] if scope == "session" else [("Bash(touch one)", scope)]
    )


async def test_what_a_keeper_kept_holds_in_the_next_session(stage: Stage) -> None:
    keeper: list[Grant] = []

    async def keep(grant: Grant) -> None:
        keeper.append(grant)

    async with stage.play(turn(ONE, say("Well.")), policy="supervised", keep_grant=keep) as (session, _):
        await asked(session, AllowAlways(rule="Bash(touch one)", scope="user"))
    rules = tuple(grant.rule for grant in keeper)
    async with stage.play(turn(ONE, bash("touch two"), say("Well.")), policy="supervised", rules=rules) as (session, _):
        assert [ask.input["command"] for ask in await asked(session)] == ["touch two"]


@pytest.mark.parametrize("scope", ["session", "user"])
async def test_after_always_bascule_asks_about_neighbouring_calls(stage: Stage, scope: Scope) -> None:
    async def keep(grant: Grant) -> None:
        pass

    neighbours = [turn(bash(command), say("Well.")) for command in NEIGHBOURS]
    options = {"policy": "supervised", "keep_grant": keep}
    async with stage.play(turn(ONE, say("Well.")), *neighbours, **options) as (session, _):
        await asked(session, AllowAlways(rule="Bash(touch one)", scope=scope))
        assert [len(await asked(session)) for _ in neighbours] == [1] * len(neighbours)
    assert not stage.path("two").exists()
    assert not stage.path("../two").exists()


# Whatever is offered.


def offers(stage: Stage, tool: str) -> Any:
    """A call of the tool that asks under every policy here."""
    outside = stage.workspace.parent / "outside"
    outside.mkdir(exist_ok=True)
    outside.joinpath("notes").write_text("milk")
    for made in (outside / "made", stage.path("made")):
        made.unlink(missing_ok=True)  # 2.1.197 changes no file that was not read before
    match tool:
        case "Bash":
            return bash("touch a && mkdir -p b")
        case "Read":
            return call(tool, file_path=str(outside / "notes"))
        case "Write":
            return call(tool, file_path=str(stage.path("made")), content="x")
        case "Write outside":
            return call("Write", file_path=str(outside / "made"), content="x")
    return call(tool, url="http://127.0.0.1:9/a", prompt="What is it?")


@pytest.mark.parametrize("tool", ["Bash", "Read", "Write", "Write outside", "WebFetch"])
@pytest.mark.parametrize("policy", ["manual", "supervised"])
async def test_every_always_that_is_offered_holds(stage: Stage, tool: str, policy: str) -> None:
    async with stage.play(turn(offers(stage, tool), say("Well.")), policy=policy) as (session, _):
        (ask,) = await asked(session)
    assert ask.suggestions
    for offered in ask.suggestions:
        async with stage.play(*twice(offers(stage, tool)), policy=policy) as (session, _):
            assert await asked(session, AllowAlways(rule=offered.rule))
            assert not await asked(session), offered.rule


async def test_a_whole_tool_is_not_offered_for_a_call_that_such_a_rule_would_not_cover(stage: Stage) -> None:
    async with stage.play(turn(offers(stage, "Read"), say("Well.")), policy="supervised") as (session, _):
        (ask,) = await asked(session)
    assert "Read" not in [offered.rule for offered in ask.suggestions]


# An edited input, and what a denial says.


async def test_a_file_is_written_as_it_was_edited(stage: Stage) -> None:
    made = str(stage.path("made"))
    write = call("Write", file_path=made, content="password = 'hunter2'\n")
    async with stage.play(turn(write, say("Done.")), policy="supervised") as (session, model):
        edited = AllowOnce(input={"file_path": made, "content": "password = ask()\n"})
        await asked(session, edited)
        assert (await seen(session, PermissionResolved)).edited
        assert not model.asked[-1].results[0].failed
    assert stage.path("made").read_text() == "password = ask()\n"


async def test_an_always_with_an_edit_runs_the_edit_and_covers_what_it_says(stage: Stage) -> None:
    async with stage.play(turn(bash("touch asked"), bash("touch edited"), say("Done.")), policy="supervised") as (
        session,
        _,
    ):
        always = AllowAlways(rule="Bash(touch edited)", input={"command": "touch edited"})
        assert [ask.input["command"] for ask in await asked(session, always)] == ["touch asked"]
    assert sorted(path.name for path in stage.workspace.iterdir()) == ["edited"]


async def test_one_parallel_call_denied_leaves_the_others(stage: Stage) -> None:
    reads = [call("Read", file_path=str(stage.workspace.parent / name)) for name in ("one", "two")]
    for read in reads:
        stage.workspace.parent.joinpath(read.input["file_path"]).write_text("milk")
    async with stage.play(turn(*reads, say("Read.")), policy="supervised") as (session, model):
        asks = await asked(session, Deny(reason="that is my diary"), AllowOnce())
        denied = asks[0].input["file_path"]
        texts = {call.input["file_path"]: result for call, result in zip(reads, model.asked[-1].results, strict=True)}
        assert "that is my diary" in texts.pop(denied).text
        assert all("milk" in result.text for result in texts.values())


@pytest.mark.smoke
async def test_deny_and_stop_withdraws_the_other_asks_and_its_reason_goes_with_the_next_prompt(stage: Stage) -> None:
    reads = [call("Read", file_path=str(stage.workspace.parent / name)) for name in ("one", "two")]
    for read in reads:
        stage.workspace.parent.joinpath(read.input["file_path"]).write_text("milk")
    turns = (turn(*reads, say("never said")), say("I see."), say("Yes?"))
    async with stage.play(*turns, policy="supervised") as (session, model):
        handle = await session.prompt("Look")
        both = await two_asks(session)
        await session.decide(both[0], DenyAndStop(reason="not while the auditor is here"))
        assert (await handle).outcome == "interrupted"
        assert (await seen(session, PermissionCancelled)).pending_id == both[1]
        assert isinstance(await session.decide(both[1], AllowOnce()), TooLate)
        assert "auditor" not in str(model.asked[-1].body)
        complete = await (await session.prompt("Read the other ones", with_reason=True))
        assert complete.text == "I see."
        assert "not while the auditor is here" in model.asked[-1].prompt
        await said(session, "And now?")
        assert "auditor" not in model.asked[-1].prompt
    assert "milk" not in str([asked.body for asked in model.asked])
    ends = [event.outcome for event in await so_far(session) if isinstance(event, Complete)]
    assert ends == ["interrupted", "success", "success"]


async def two_asks(session: Session) -> list[PendingId]:
    """Both, open at once."""
    found: list[PendingId] = []
    async for event in session.events():
        if isinstance(event, PermissionRequest):
            found.append(event.pending_id)
            if len(found) == 2:
                break
    return found


async def test_deny_and_stop_of_an_agents_call_ends_the_turn_too(stage: Stage) -> None:
    """Left to the CLI the main thread would go on, as if its agent had been refused a thing."""
    agent = call(
        "Agent", description="work", prompt="Touch it.", subagent_type="general-purpose", run_in_background=False
    )
    turns = (turn(agent, say("never said")), turn(ONE, say("never said"), when=when(agent=True)), say("Yes?"))
    async with stage.play(*turns, policy="supervised", allow=("Agent",)) as (session, _):
        handle = await session.prompt("Look")
        ask = await seen(session, PermissionRequest)
        assert ask.agent_id is not None
        await session.decide(ask.pending_id, DenyAndStop())
        assert (await handle).outcome == "interrupted"
        assert (await said(session, "And now?")).text == "Yes?"
    assert not stage.path("one").exists()
