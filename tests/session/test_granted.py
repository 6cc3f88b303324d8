"""What is allowed beyond one call ends by itself, and what it covered is on the record."""

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from bascule.commands import (
    AllowAlways,
    AllowOnce,
    ApprovePlan,
    GiveGrant,
    Refused,
    RevokeGrant,
    Taken,
    TooLate,
    Trust,
)
from bascule.errors import OptionError
from bascule.events import GrantEnded, GrantGiven, ModeChanged, PermissionRequest, PolicyDecided, ToolUpdate
from bascule.ids import CommandId, GrantId, PendingId
from bascule.policy.grants import Grant
from bascule.session.judging import TRUST_OVER, TRUSTED
from bascule.session.session import Session
from tests.session.far_end import SESSION, FarEnd
from tests.session.live import back, hosted, live, seen

R1 = PendingId("r1")
G1, G2 = GrantId("g1"), GrantId("g2")
FLASH = 0.2 / 60
"""Minutes that pass within a test."""


@asynccontextmanager
async def working(far: FarEnd, **options: Any) -> AsyncIterator[Session]:
    """A session in a turn."""
    async with live(far, **options) as session:
        handle = await session.prompt("Go")
        far.begins(handle.prompt_id)
        far.on_interrupt = lambda: far.aborts(handle.prompt_id)
        yield session


async def verdict_on(far: FarEnd, call: str, tool: str, **tool_input: Any) -> str:
    """What our hook answers about a call."""
    far.calls_hook(f"h{call}", "bascule:policy", "PreToolUse", tool_name=tool, tool_input=tool_input, tool_use_id=call)
    answer = await far.answered(f"h{call}")
    return str(answer["response"]["hookSpecificOutput"]["permissionDecision"])


async def left(far: FarEnd, call: str, tool: str, **tool_input: Any) -> None:
    """The model makes a call in the mode that accepts edits, and our hook leaves it to the CLI."""
    block = {"type": "tool_use", "id": call, "name": tool, "input": tool_input}
    message = {"id": f"m{call}", "role": "assistant", "content": [block]}
    far.says({"type": "assistant", "uuid": f"a{call}", "session_id": SESSION, "message": message})
    told = {"tool_name": tool, "tool_input": tool_input, "tool_use_id": call, "permission_mode": "acceptEdits"}
    far.calls_hook(f"h{call}", "bascule:policy", "PreToolUse", **told)
    assert (await far.answered(f"h{call}"))["response"] == {}


def returns(far: FarEnd, call: str) -> None:
    """It has run."""
    block = {"type": "tool_result", "tool_use_id": call, "content": "done"}
    far.says({"type": "user", "session_id": SESSION, "message": {"role": "user", "content": [block]}})


async def ended(session: Session, grant_id: GrantId) -> GrantEnded:
    return await seen(session, GrantEnded, lambda event: event.grant_id == grant_id)


async def test_trust_in_edits_ends_by_itself_and_tells_what_it_covered(tmp_path: Path) -> None:
    far = FarEnd()
    inside = str(tmp_path / "a")
    async with working(far, cwd=tmp_path) as session:
        assert await verdict_on(far, "t1", "Write", file_path=inside, content="") == "ask"
        before = time.time() * 1000
        assert await session.trust(minutes=FLASH, by="Anna", surface="web") == G1
        given = await seen(session, GrantGiven)
        assert (given.cause, given.by, given.surface, given.scope) == ("trust", "Anna", "web", "session")
        assert given.until is not None
        assert 0 < given.until - before < 60_000
        assert far.requests("set_permission_mode")[0]["mode"] == "acceptEdits"
        assert await verdict_on(far, "t2", "Write", file_path=inside, content="") == "allow"
        assert await verdict_on(far, "t3", "Bash", command="make") == "ask"
        over = await ended(session, G1)
        assert (over.cause, over.covered) == ("expired", 1)
        assert await verdict_on(far, "t4", "Write", file_path=inside, content="") == "ask"
        await far.asked("set_permission_mode", times=2)
        assert far.requests("set_permission_mode")[1]["mode"] == "default"
        covered = await seen(session, PolicyDecided, lambda event: event.verdict == "allow")
        assert (covered.tool_call_id, "accept edits" in covered.rule) == ("t2", True)
        assert session.grants == ()


async def test_what_trust_in_edits_let_the_cli_run_is_on_the_record(tmp_path: Path) -> None:
    """Where the CLI governs it decides by its mode: about edits as we would, and about commands as it likes."""
    far = FarEnd()
    async with working(far, policy="manual", cwd=tmp_path) as session:
        await left(far, "t0", "Write", file_path=str(tmp_path / "a"), content="")
        await session.trust(minutes=15)
        await left(far, "t1", "Write", file_path=str(tmp_path / "a"), content="")
        await left(far, "t2", "Write", file_path="/etc/passwd", content="")
        await left(far, "t3", "Bash", command="ls")
        await left(far, "t4", "Bash", command="rm a")
        await left(far, "t5", "Bash", command="rm b")
        far.asks("r5", command="rm b", call="t5")
        await seen(session, PermissionRequest)
        assert await session.decide(PendingId("r5"), AllowOnce()) == Taken()
        far.asks("r1", "Write", call="t1", file_path=str(tmp_path / "a"), content="")
        assert (await far.answered("r1"))["response"]["behavior"] == "allow"
        for call in ("t0", "t1", "t2", "t3", "t4", "t5"):
            returns(far, call)
        await seen(session, ToolUpdate, lambda event: event.tool_call_id == "t5")
        assert await session.revoke(G1)
        assert (await ended(session, G1)).covered == 2
    decided = [event async for event in session.events() if isinstance(event, PolicyDecided)]
    assert [(event.tool_call_id, event.verdict) for event in decided] == [
        ("t1", "allow"),
        ("t1", "allow"),
        ("t4", "allow"),
    ]
    assert all("accept edits" in event.rule for event in decided)
    assert [event.reason for event in decided][::2] == [TRUSTED, TRUSTED]


@pytest.mark.parametrize(("attended", "said"), [(True, "ask"), (False, "deny")])
async def test_when_trust_is_over_nothing_is_written_unasked_though_the_cli_stays_in_its_mode(
    tmp_path: Path, attended: bool, said: str
) -> None:
    far = FarEnd()
    async with working(far, policy="manual", cwd=tmp_path, attended=attended) as session:
        await session.trust(minutes=15)
        far.refuses["set_permission_mode"] = "broken"
        assert await session.revoke(G1)
        told = {
            "permission_mode": "acceptEdits",
            "tool_name": "Write",
            "tool_input": {"file_path": str(tmp_path / "a")},
        }
        far.calls_hook("h1", "bascule:policy", "PreToolUse", tool_use_id="t1", **told)
        output = (await far.answered("h1"))["response"]["hookSpecificOutput"]
        assert (output["permissionDecision"], output["permissionDecisionReason"]) == (said, TRUST_OVER)
        await left(far, "t2", "Bash", command="ls")
        if attended:
            far.asks("r1", "Write", call="t1", file_path=str(tmp_path / "a"))
            await seen(session, PermissionRequest)
            await session.decide(R1, AllowOnce())
        del far.refuses["set_permission_mode"]
        await session.set_mode("acceptEdits")
        await left(far, "t3", "Write", file_path=str(tmp_path / "a"))


async def test_edits_are_trusted_again_after_a_mode_that_was_not_left(tmp_path: Path) -> None:
    far = FarEnd()
    async with working(far, policy="manual", cwd=tmp_path) as session:
        await session.trust(minutes=15)
        await session.trust(minutes=FLASH)
        far.refuses["set_permission_mode"] = "broken"
        await session.revoke(G1)
        await left(far, "t1", "Write", file_path=str(tmp_path / "a"))
        await ended(session, G2)
        far.calls_hook("h2", "bascule:policy", "PreToolUse", tool_name="Write", tool_input={"file_path": "a"})
        assert (await far.answered("h2"))["response"]["hookSpecificOutput"]["permissionDecision"] == "ask"
        far.says({"type": "system", "subtype": "status", "status": None, "permissionMode": "default"})
        await seen(session, ModeChanged, lambda event: event.mode == "default")
        await left(far, "t3", "Write", file_path=str(tmp_path / "a"))


async def test_edits_are_not_trusted_where_the_mode_is_another_one_by_then() -> None:
    far = FarEnd()
    async with working(far) as session:
        far.answers["set_permission_mode"] = {"mode": "plan"}
        with pytest.raises(OptionError, match="changed to plan meanwhile"):
            await session.trust(minutes=15)
        assert session.grants == ()


async def test_who_comes_back_counts_on_what_the_cli_was_let_run(tmp_path: Path) -> None:
    far = FarEnd()
    options = {"policy": "manual", "cwd": tmp_path}
    async with hosted(far, **options) as session:
        handle = await session.prompt("Go")
        far.begins(handle.prompt_id)
        await session.trust(minutes=15)
        await session.trust(minutes=20)
        await left(far, "t1", "Write", file_path=str(tmp_path / "a"), content="")
    async with back(far, **options) as session:
        await left(far, "t2", "Write", file_path=str(tmp_path / "b"), content="")
        for grant_id in (G1, G2):
            await session.revoke(grant_id)
            assert (await ended(session, grant_id)).covered == 2
        far.result(handle.prompt_id)


@pytest.mark.parametrize("told", ["default", "plan"])
async def test_a_call_in_another_mode_is_not_covered_by_trust_in_edits(tmp_path: Path, told: str) -> None:
    """A subagent may have a mode of its own."""
    far = FarEnd()
    async with working(far, policy="manual", cwd=tmp_path) as session:
        await session.trust(minutes=15)
        call = {"tool_name": "Write", "tool_input": {"file_path": str(tmp_path / "a")}, "tool_use_id": "t1"}
        far.calls_hook("h1", "bascule:policy", "PreToolUse", permission_mode=told, **call)
        await far.answered("h1")
        await session.revoke(G1)
        assert (await ended(session, G1)).covered == 0


async def test_trust_in_a_rule_covers_what_it_says() -> None:
    far = FarEnd()
    async with working(far) as session:
        await session.trust("Bash(make *)", minutes=FLASH)
        assert not far.requests("set_permission_mode")
        assert await verdict_on(far, "t1", "Bash", command="make all") == "allow"
        assert await verdict_on(far, "t2", "Bash", command="make all; rm x") == "ask"
        assert (await ended(session, G1)).covered == 1
        assert await verdict_on(far, "t3", "Bash", command="make all") == "ask"


async def test_a_grant_can_be_taken_back() -> None:
    far = FarEnd()
    async with working(far) as session:
        assert await session.allow("Bash(make *)") == G1
        assert [held.id for held in session.grants] == [G1]
        assert await verdict_on(far, "t1", "Bash", command="make all") == "allow"
        assert await session.revoke(G1, by="Anna")
        over = await ended(session, G1)
        assert (over.cause, over.by, over.covered) == ("revoked", "Anna", 1)
        assert await verdict_on(far, "t2", "Bash", command="make all") == "ask"
        assert not await session.revoke(G1)


@pytest.mark.parametrize("scope", ["session", "user"])
async def test_a_grant_that_is_given_again_takes_the_place_of_the_older(scope: Any) -> None:
    """Else the end that it has now would end nothing."""
    far = FarEnd()

    async def keep(grant: Grant) -> None:
        """Somebody keeps it."""

    async with working(far, keep_grant=keep) as session:
        await session.allow("Bash(make *)", scope=scope)
        await session.allow("Bash(make *)", scope="project")
        await session.allow("Bash(make all)", scope=scope)
        until = round(time.time() * 1000 + FLASH * 60_000)
        assert await session.allow("Bash(make *)", scope=scope, until=until, by="Anna") == GrantId("g4")
        over = await ended(session, G1)
        assert (over.cause, over.by) == ("revoked", "Anna")
        assert [held.id for held in session.grants] == ["g2", "g3", "g4"]
        await session.revoke(G2)
        assert await verdict_on(far, "t1", "Bash", command="make it") == "allow"
        assert (await ended(session, GrantId("g4"))).cause == "expired"
        assert await verdict_on(far, "t2", "Bash", command="make it") == "ask"
        assert await verdict_on(far, "t3", "Bash", command="make all") == "allow"


async def test_trust_in_edits_that_is_taken_back_leaves_the_mode() -> None:
    far = FarEnd()
    async with working(far) as session:
        await session.trust(minutes=15)
        await session.trust(minutes=20)
        await session.revoke(G1)
        assert len(far.requests("set_permission_mode")) == 2
        await session.revoke(G2)
        assert [request["mode"] for request in far.requests("set_permission_mode")][2:] == ["default"]


async def test_edits_are_accepted_no_more_when_the_mode_is_left() -> None:
    far = FarEnd()
    async with working(far) as session:
        await session.trust(minutes=15)
        await session.set_mode("default", by="Bob")
        over = await ended(session, G1)
        assert (over.cause, over.by) == ("mode", "Bob")
        assert await verdict_on(far, "t1", "Write", file_path="/w/a", content="") == "ask"


async def test_edits_accepted_with_a_plan_have_an_end() -> None:
    far = FarEnd()
    async with working(far) as session:
        far.asks("r1", "ExitPlanMode", plan="1.")
        await seen(session, PermissionRequest)
        await session.decide(R1, ApprovePlan(then="accept_edits"))
        given = await seen(session, GrantGiven)
        assert given.cause == "plan"
        assert given.until is not None
        assert 3_500_000 < given.until - time.time() * 1000 <= 3_600_000


async def test_an_always_is_a_grant_and_may_have_an_end() -> None:
    far = FarEnd()
    async with working(far) as session:
        far.asks("r1", "Bash", command="make all")
        await seen(session, PermissionRequest)
        until = round(time.time() * 1000) + 60_000
        assert await session.decide(R1, AllowAlways(rule="Bash(make *)", until=until)) == Taken()
        given = await seen(session, GrantGiven)
        assert (given.rules, given.cause, given.until) == (("Bash(make *)",), "always", until)


async def test_a_rule_of_the_cli_has_no_end() -> None:
    far = FarEnd()
    async with working(far, policy="acceptEdits") as session:
        far.asks("r1", "Bash", command="make all")
        await seen(session, PermissionRequest)
        refused = await session.decide(R1, AllowAlways(rule="Bash(make *)", until=1))
        assert isinstance(refused, Refused)
        assert "no end" in refused.reason


@pytest.mark.parametrize(("mode", "said"), [("plan", "approve its plan"), ("dontAsk", "asks about no edit")])
async def test_edits_are_not_trusted_where_that_means_nothing(mode: str, said: str) -> None:
    async with working(FarEnd()) as session:
        await session.set_mode(mode)
        with pytest.raises(OptionError, match=said):
            await session.trust()
        assert session.grants == ()


@pytest.mark.parametrize("minutes", [0, -1, float("nan"), 24 * 60 + 1])
async def test_a_time_that_is_none_is_refused(minutes: float) -> None:
    async with working(FarEnd()) as session:
        with pytest.raises(OptionError, match="minutes is"):
            await session.trust(minutes=minutes)


async def test_a_mode_that_cannot_be_left_is_told() -> None:
    far = FarEnd()
    async with working(far) as session:
        await session.trust(minutes=15)
        far.refuses["set_permission_mode"] = "broken"
        assert await session.revoke(G1)
        assert await verdict_on(far, "t1", "Write", file_path="/w/a", content="") == "ask"


async def test_grants_are_given_and_taken_back_by_commands() -> None:
    kept: list[Grant] = []

    async def keep(grant: Grant) -> None:
        kept.append(grant)

    def named(number: int) -> CommandId:
        return CommandId(f"c{number}")

    async with working(FarEnd(), keep_grant=keep) as session:
        assert await session.send(Trust(command_id=named(1))) == Taken(grant_id=G1)
        assert await session.send(Trust(command_id=named(1))) == Taken(grant_id=G1)
        trusted = await session.send(Trust(command_id=named(2), what="rule", rule="Bash(make)", minutes=1))
        assert trusted == Taken(grant_id=G2)
        wrongs: tuple[dict[str, Any], ...] = ({"what": "rule"}, {"rule": "Bash"}, {"minutes": 0})
        for number, wrong in enumerate(wrongs, 10):
            assert isinstance(await session.send(Trust(command_id=named(number), **wrong)), Refused)
        assert isinstance(await session.send(GiveGrant(command_id=named(3), rule="(")), Refused)
        given = await session.send(GiveGrant(command_id=named(4), rule="Read", scope="user"))
        assert given == Taken(grant_id=GrantId("g3"))
        assert [str(grant.rule) for grant in kept] == ["Read"]
        assert await session.send(RevokeGrant(command_id=named(5), grant_id=G2)) == Taken()
        assert isinstance(await session.send(RevokeGrant(command_id=named(6), grant_id=G2)), TooLate)


async def test_edits_are_accepted_no_more_when_a_turn_begins_in_another_mode() -> None:
    far = FarEnd()
    async with working(far) as session:
        await session.trust(minutes=15)
        far.init()
        assert (await seen(session, ModeChanged)).mode == "acceptEdits"
        assert (await ended(session, G1)).cause == "mode"
        assert (await seen(session, ModeChanged, lambda event: event.mode == "default")).by is None
        assert await verdict_on(far, "t1", "Write", file_path="/w/a", content="") == "ask"
