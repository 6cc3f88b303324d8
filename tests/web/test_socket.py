"""The socket, over a real connection: nothing lost, nothing doubled, nobody held up."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed

from bascule.errors import StoreError
from bascule.events import AnyEvent, Complete, MessageChunk, Notice, PermissionResolved, SessionEnded
from bascule.web.keys import Role
from bascule.web.settings import Pace
from tests.web.conftest import Served, Wire, until
from tests.web.double import ask


def notice(text: object) -> Notice:
    return Notice(level="info", text=str(text))


async def closed(wire: Wire) -> tuple[int, str]:
    """With which code and reason the server closes."""
    with pytest.raises(ConnectionClosed) as caught:
        while True:
            await wire.connection.recv()
    assert caught.value.rcvd is not None
    return caught.value.rcvd.code, caught.value.rcvd.reason


async def test_F9_F24_a_hello_is_answered_with_the_open_asks_and_the_events_follow(served: Served) -> None:
    async with served() as server:
        session = server.hub.add()
        await session.tell(notice(1), ask("p1"))
        async with server.socket(await server.token()) as wire:
            welcome = await wire.hello()
            assert [each["request"]["pending_id"] for each in welcome["asks"]] == ["p1"]
            assert (welcome["epoch"], welcome["role"], welcome["facts"]["last_seq"]) == ("epoch-1", "owner", 2)
            assert [event["seq"] for event in await wire.events(2)] == [1, 2]
            await session.tell(notice(3))
            assert [event["seq"] for event in await wire.events(1)] == [3]


async def test_all_sessions_are_heard_with_positions(served: Served) -> None:
    async with served() as server:
        one, other = server.hub.add("one"), server.hub.add("other")
        await one.tell(notice(1), ask("p1"))
        async with server.socket(await server.token()) as wire:
            welcome = await wire.hello("all", after=1)
            assert (welcome["facts"], len(welcome["asks"])) == (None, 1)
            await other.tell(notice(1), MessageChunk(item="m", text="pass", partial=True))
            placed = await wire.events(3)
            assert [(each["position"], each["event"]["session"]) for each in placed] == [
                (2, "one"),
                (3, "other"),
                (None, "other"),
            ]


@pytest.mark.parametrize("cut", [0, 1, 7, 40])
async def test_F21_a_reader_that_comes_back_hears_each_event_once(served: Served, cut: int) -> None:
    async with served() as server:
        session = server.hub.add()
        token = await server.token()
        heard: list[int] = []

        async def listen(count: int) -> None:
            async with server.socket(token) as wire:
                await wire.hello(after=len(heard), epoch="epoch-1")
                while len(heard) < count:
                    heard.extend(event["seq"] for event in (await wire.hear("events"))["events"])

        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(listen(cut), name="first")
            await session.tell(*(notice(n) for n in range(50)))
        await listen(50)
        assert heard == list(range(1, 51))


@pytest.mark.parametrize(
    ("hello", "reason"), [({"epoch": "epoch-0", "after": 1}, "epoch"), ({"after": 2, "epoch": "epoch-1"}, "position")]
)
async def test_what_no_longer_fits_is_told_to_begin_anew(served: Served, hello: dict[str, Any], reason: str) -> None:
    async with served() as server:
        await server.hub.add().tell(notice(1))
        async with server.socket(await server.token()) as wire:
            await wire.say(type="hello", session="s1", **hello)
            assert await wire.hear("resync") == {"type": "resync", "reason": reason, "epoch": "epoch-1"}
            assert (await wire.hello(after=1, epoch="epoch-1"))["after"] == 1


async def test_a_session_that_is_not_there_is_a_problem_and_the_socket_goes_on(served: Served) -> None:
    async with served() as server:
        server.hub.add()
        async with server.socket(await server.token()) as wire:
            await wire.say(type="hello", session="s9")
            assert (await wire.hear("problem"))["problem"]["kind"] == "not_found"
            await wire.hello()


async def test_a_second_hello_takes_the_place_of_the_first(served: Served) -> None:
    async with served() as server:
        one, other = server.hub.add("one"), server.hub.add("other")
        async with server.socket(await server.token()) as wire:
            await wire.hello("one")
            await until(lambda: one.readers == 1)
            await wire.hello("other")
            await one.tell(notice("unheard"))
            await other.tell(notice("heard"))
            assert [event["text"] for event in await wire.events(1)] == ["heard"]
            assert one.readers == 0


async def test_deltas_of_an_item_are_joined_and_nothing_of_a_turn_follows_its_end(served: Served) -> None:
    async with served() as server:
        session = server.hub.add()
        async with server.socket(await server.token()) as wire:
            await wire.hello()
            await until(lambda: session.readers == 1)
            await session.tell(*(MessageChunk(item="m", text=f"{n} ", partial=True) for n in range(300)))
            await session.tell(Complete(outcome="interrupted"))
            events: list[Any] = []
            while not events or events[-1]["type"] != "complete":
                events += (await wire.hear("events"))["events"]
            assert "".join(event["text"] for event in events[:-1]) == "".join(f"{n} " for n in range(300))
            assert len(events) < 30


async def test_the_end_of_a_session_is_told_after_its_last_event(served: Served) -> None:
    async with served() as server:
        session = server.hub.add()
        await session.tell(*(notice(n) for n in range(1200)), SessionEnded(cause="ended"))
        async with server.socket(await server.token()) as wire:
            await wire.hello()
            assert [event["seq"] for event in await wire.events(1201)] == list(range(1, 1202))
            assert await wire.hear("ended") == {"type": "ended", "session": "s1"}


# Readers that are too slow.


@pytest.fixture
def large() -> list[Notice]:
    """More than the buffers of any connection hold."""
    return [notice("x" * 50_000) for _ in range(1_000)]


async def test_a_reader_that_takes_nothing_holds_nobody_up_and_is_let_go(served: Served, large: list[Notice]) -> None:
    async with served(pace=Pace(stuck_s=0.5)) as server:
        session = server.hub.add()
        token = await server.token()
        async with server.socket(token) as wire, server.socket(token, max_queue=1, close_timeout=0.1) as stalled:
            await wire.hello()
            await stalled.say(type="hello", session="s1")
            await until(lambda: session.readers == 2)
            await session.tell(*large)
            assert len(await wire.events(len(large))) == len(large)
            await until(lambda: session.readers == 1)
            await session.tell(notice("after"))
            assert [event["text"] for event in await wire.events(1)] == ["after"]


async def test_a_slow_reader_is_told_to_begin_anew(served: Served) -> None:
    async with served(pace=Pace(slow_s=-1)) as server:
        session = server.hub.add()
        await session.tell(notice(1))
        async with server.socket(await server.token()) as wire:
            await wire.hello()
            frame = await wire.hear("events", "resync")
            if frame["type"] == "events":
                frame = await wire.hear("resync")
            assert frame["reason"] == "slow"
            assert session.readers == 0


# Commands.


async def send(wire: Wire, **command: Any) -> Any:
    await wire.say(type="command", command=command)
    return await wire.hear("receipt", "problem")


async def test_F25_a_command_sent_twice_has_one_receipt_and_is_done_once(served: Served) -> None:
    async with served() as server:
        server.hub.add()
        async with server.socket(await server.token()) as wire:
            sent = {"type": "prompt", "command_id": "c1", "session": "s1", "text": "hi"}
            first, second = await send(wire, **sent), await send(wire, **sent)
            assert first == second
            assert (first["command_id"], first["receipt"]["receipt"]) == ("c1", "taken")
            assert len(server.hub.sent) == 1


async def test_F3_F4_two_clients_at_one_ask_and_the_loser_is_told_who_won(served: Served) -> None:
    async with served() as server:
        session = server.hub.add()
        await session.tell(ask("p1"))
        anna, ben = await server.token("owner", "Anna"), await server.token("approver", "Ben")
        async with server.socket(anna) as hers, server.socket(ben) as his:
            for wire in (hers, his):
                await wire.hello(after=1)
                await wire.say(type="beat")
            decision = {"type": "decide", "session": "s1", "pending_id": "p1"}
            assert (await send(hers, command_id="a", decision={"verb": "allow_once"}, **decision))["receipt"][
                "receipt"
            ] == "taken"
            assert (await his.events(1))[0]["type"] == "permission_resolved"
            late = await send(his, command_id="b", decision={"verb": "deny"}, **decision)
            assert late["receipt"] == {"receipt": "too_late", "winner": "allowed by Anna (api)"}
        resolved = session.kept[-1]
        assert isinstance(resolved, PermissionResolved)
        assert (resolved.by, resolved.surface) == ("Anna", "api")


@pytest.mark.parametrize(
    ("sent", "problem"),
    [
        ("{", {"kind": "malformed", "field": None}),
        ("[]", {"kind": "malformed", "field": None}),
        ('{"type": "dance"}', {"kind": "malformed", "field": "type"}),
        ('{"type": "hello"}', {"kind": "malformed", "field": "session"}),
        (
            '{"type": "command", "command": {"type": "dance", "command_id": "c"}}',
            {"kind": "malformed", "field": "command.type", "id": "c"},
        ),
        (
            '{"type": "command", "command": {"type": "prompt", "command_id": "c"}}',
            {"kind": "malformed", "field": "command.text", "id": "c"},
        ),
        (
            '{"type": "command", "command": {"type": "interrupt", "command_id": "c"}}',
            {"kind": "malformed", "field": "session", "id": "c"},
        ),
        (
            '{"type": "command", "command": {"type": "interrupt", "command_id": "c", "session": "s9"}}',
            {"kind": "not_found", "field": None, "id": "c"},
        ),
        (
            '{"type": "command", "command": {"type": "end", "command_id": "c", "session": "s1"}}',
            {"kind": "forbidden", "field": None, "id": "c"},
        ),
    ],
)
async def test_a_frame_that_is_refused_says_why_and_the_socket_goes_on(
    served: Served, sent: str, problem: dict[str, Any]
) -> None:
    async with served() as server:
        server.hub.add()
        async with server.socket(await server.token("approver")) as wire:
            await wire.connection.send(sent)
            frame = await wire.hear("problem")
            assert (frame["problem"]["kind"], frame["problem"].get("field")) == (problem["kind"], problem["field"])
            assert frame["command_id"] == problem.get("id")
            await wire.hello()


async def test_a_command_outlives_the_socket_it_came_by(served: Served) -> None:
    async with served() as server:
        server.hub.add()
        server.hub.held = asyncio.Event()
        async with server.socket(await server.token()) as wire:
            await wire.say(
                type="command", command={"type": "rename", "command_id": "c", "session": "s1", "title": "New"}
            )
            await wire.hello()
        server.hub.held.set()
        await until(lambda: len(server.hub.sent) == 1)
        assert server.hub.sent[0].command_id == "c"


async def test_a_bug_answers_its_one_command(served: Served, caplog: pytest.LogCaptureFixture) -> None:
    async with served() as server:
        server.hub.add()
        async with server.socket(await server.token()) as wire:
            server.hub.broken = ZeroDivisionError("secret")
            frame = await send(wire, type="rename", command_id="c", session="s1", title="New")
            assert frame["problem"] == {"kind": "bug", "status": 500, "detail": "a bug in bascule: its log tells more"}
            server.hub.broken = None
            assert "receipt" in await send(wire, type="rename", command_id="c", session="s1", title="New")
        assert "ZeroDivisionError" in caplog.text


async def test_an_answer_that_was_given_is_told_so_though_the_audit_is_full(
    served: Served, caplog: pytest.LogCaptureFixture
) -> None:
    async with served() as server:
        session = server.hub.add()
        await session.tell(ask("p1"))
        async with server.socket(await server.token()) as wire:
            server.keys.full = True
            allow = {"type": "decide", "command_id": "c", "session": "s1", "pending_id": "p1"}
            frame = await send(wire, decision={"verb": "allow_once"}, **allow)
            assert frame["receipt"]["receipt"] == "taken"
            assert not session.asks
        assert "decide c is missing in the audit: the disk is full" in caplog.text


async def test_a_store_that_fails_is_a_problem_and_not_an_end(served: Served) -> None:
    async with served() as server:
        session = server.hub.add()

        async def events(after: int = 0) -> AsyncIterator[AnyEvent]:
            yield notice("first")
            raise StoreError("the disk is full")

        session.__dict__["events"] = events
        async with server.socket(await server.token()) as wire:
            await wire.hello()
            frames = [await wire.hear("events", "problem"), await wire.hear("events", "problem")]
            problem = next(frame["problem"] for frame in frames if frame["type"] == "problem")
            assert (problem["kind"], problem["status"]) == ("unavailable", 503)


# Time, keys, ends.


async def test_F22_both_sides_say_that_they_live(served: Served) -> None:
    async with served(pace=Pace(beat_s=0.05, silent_s=0.3)) as server:
        server.hub.add()
        async with server.socket(await server.token()) as wire:
            await wire.hello()
            for _ in range(3):
                await wire.hear("beat")
                await wire.say(type="beat")
            assert await closed(wire) == (4000, "nothing was heard of you in time")


async def test_who_says_nothing_at_first_is_sent_away(served: Served) -> None:
    async with served(pace=Pace(hello_s=0.05)) as server, server.socket(await server.token()) as wire:
        assert (await closed(wire))[0] == 4002


@pytest.mark.parametrize("role", ["viewer", "owner"])
async def test_a_revoked_key_closes_its_sockets_at_once(served: Served, role: Role) -> None:
    async with served() as server:
        server.hub.add()
        token, other = await server.token(role), await server.token(role)
        async with server.socket(token) as wire, server.socket(other) as stays:
            await wire.hello()
            await stays.hello()
            async with asyncio.timeout(1):
                await server.door.revoke(next(iter(server.keys.kept)))
                assert (await closed(wire))[0] == 4001
            await stays.hello()


async def test_a_key_that_runs_out_closes_its_sockets(served: Served) -> None:
    async with served() as server:
        _, token = await server.door.make_key("viewer", "", expires_at=server.clock.now + 100)
        async with server.socket(token) as wire:
            assert (await closed(wire))[0] == 4001


async def test_a_message_that_is_too_large_closes_the_socket(served: Served) -> None:
    async with served(upload_bytes=1_000) as server, server.socket(await server.token()) as wire:
        await wire.connection.send("x" * 1_001)
        assert (await closed(wire))[0] == 1009


async def test_readers_are_told_when_the_server_ends(served: Served) -> None:
    async with AsyncExitStack() as stack:
        async with served() as server:
            token = await server.token()
            wires = [await stack.enter_async_context(server.socket(token)) for _ in range(3)]
        assert [await closed(wire) for wire in wires] == [(1012, "")] * 3
