"""Who comes back to a session finds it as if nobody had been away, whenever that was."""

import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from typing import Any, Literal, NamedTuple, TypeAlias

import pytest

from bascule.commands import AllowAlways, Deny, Taken
from bascule.events import AnyEvent, Complete, PermissionCancelled, PermissionRequest
from bascule.ids import PendingId, PromptId, SessionId
from bascule.mcp.server import ToolServer
from bascule.mcp.tool import tool
from bascule.recording import Entry
from bascule.session.hooks import UserHook
from bascule.session.journal import Journal
from bascule.session.keeping import restored
from bascule.session.opening import session_over
from bascule.session.options import Options
from bascule.session.rejoining import rejoin
from bascule.session.session import Session
from tests.session.far_end import FarEnd

P1 = PromptId("11111111-0000-4000-8000-000000000001")
P2 = PromptId("11111111-0000-4000-8000-000000000002")
R1, R2, R3 = PendingId("r1"), PendingId("r2"), PendingId("r3")
SESSION = "11111111-1111-4111-8111-111111111111"


@tool
def add(a: int, b: int) -> int:
    """Add."""
    return a + b


async def after(told: Any) -> None:
    """A hook that has nothing to say."""


class Shelf:
    """A journal that outlives its sessions: what is not stored is not told."""

    def __init__(self) -> None:
        self.stored: list[AnyEvent] = []
        self._told = Journal()

    async def store(self, events: Sequence[AnyEvent], *, line: int) -> None:
        await asyncio.to_thread(self._keep, events)

    def _keep(self, events: Sequence[AnyEvent]) -> None:
        self.stored += [event for event in events if event.seq is not None and event.seq > len(self.stored)]

    def publish(self, events: Sequence[AnyEvent], *, chars: int = 0) -> None:
        assert all(event in self.stored for event in events if event.seq is not None)
        self._told.publish(events, chars=chars)

    def read(self, after: int, *, until: asyncio.Future[Any] | None = None) -> AsyncIterator[AnyEvent]:
        return self._told.read(after, until=until)

    @property
    def last(self) -> int:
        return self._told.last

    def close(self) -> None:
        """The next session goes on with it."""


class Play:
    """A far end, and whoever is its host now."""

    def __init__(self, recorded: Sequence[Entry] = ()) -> None:
        self.far = FarEnd(recorded=recorded)
        self.shelf = Shelf()
        self.session: Session
        self.options = Options(
            id=SessionId("s"),
            stop_git_check=False,
            hooks=(UserHook(event="PostToolUse", function=after),),
            tool_servers=(ToolServer("calc", [add]),),
        )
        self._barriers = 0

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[None]:
        pipe = self.far.pipe.attach()
        opened = session_over(pipe, self.options, began_at=0.0, journal=self.shelf, leaves=True)
        async with opened as self.session:
            yield

    @asynccontextmanager
    async def rejoined(self, checkpoint: bytes | None) -> AsyncIterator[None]:
        kept = None if checkpoint is None else restored(checkpoint)
        pipe = self.far.pipe.attach(after=kept.line if kept else 0)
        async with rejoin(pipe, self.options, kept=kept, journal=self.shelf) as self.session:
            yield

    async def caught_up(self) -> None:
        """The session has read all that was said."""
        self._barriers += 1
        self.far.requests_of(f"barrier {self._barriers}", {"subtype": "nobody knows this"})
        await self.far.answered(f"barrier {self._barriers}")

    async def seen(self, kind: type[AnyEvent], where: Callable[[Any], bool] = lambda event: True) -> None:
        """Returns when there is such an event."""
        async for event in self.shelf.read(0):
            if isinstance(event, kind) and where(event):
                return

    def call(self, call_id: str, command: str) -> None:
        """The model calls a shell command."""
        block = {"type": "tool_use", "id": call_id, "name": "Bash", "input": {"command": command}}
        message = {"id": f"m{call_id}", "role": "assistant", "content": [block]}
        self.far.says({"type": "assistant", "uuid": f"a{call_id}", "session_id": SESSION, "message": message})

    def returns(self, call_id: str) -> None:
        """It has run."""
        block = {"type": "tool_result", "tool_use_id": call_id, "content": "made"}
        self.far.says({"type": "user", "session_id": SESSION, "message": {"role": "user", "content": [block]}})

    def hook(self, request_id: str, callback_id: str, event: str, call_id: str, command: str) -> None:
        """A hook fires for such a call."""
        told = {"tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": call_id}
        self.far.calls_hook(request_id, callback_id, event, **told)


class Step(NamedTuple):
    """What the far end does, and then the host: at the end of it all is as it stays until the next one."""

    far: Callable[[Play], None]
    host: Callable[[Play], Awaitable[object]]


def nothing(play: Play) -> None:
    """The host begins."""


async def prompts(play: Play, prompt_id: PromptId) -> None:
    await play.session.prompt("Do it", prompt_id=prompt_id)
    await play.caught_up()


async def decides(play: Play, ask: PendingId, decision: Any) -> None:
    assert await play.session.decide(ask, decision, by="Anna") == Taken()
    await play.caught_up()


async def chooses_mode(play: Play) -> None:
    await play.session.set_mode("acceptEdits", by="Anna")
    await play.caught_up()


POLICY = "bascule:policy"
STEPS = (
    Step(nothing, lambda play: prompts(play, P1)),
    Step(lambda play: play.far.begins(P1), lambda play: play.caught_up()),
    Step(lambda play: play.call("t1", "make it"), lambda play: play.caught_up()),
    Step(lambda play: play.hook("h1", POLICY, "PreToolUse", "t1", "make it"), lambda play: play.far.answered("h1")),
    Step(lambda play: play.far.asks("r1", command="make it"), lambda play: play.seen(PermissionRequest)),
    Step(nothing, lambda play: decides(play, R1, AllowAlways(rule="Bash(make it)"))),
    Step(lambda play: play.returns("t1"), lambda play: play.caught_up()),
    Step(
        lambda play: play.hook("h2", "bascule:0", "PostToolUse", "t1", "make it"), lambda play: play.far.answered("h2")
    ),
    Step(lambda play: play.call("t2", "make it"), lambda play: play.caught_up()),
    Step(lambda play: play.hook("h3", POLICY, "PreToolUse", "t2", "make it"), lambda play: play.far.answered("h3")),
    Step(lambda play: play.returns("t2"), lambda play: play.caught_up()),
    Step(
        lambda play: play.far.says_to("calc", "m1", "tools/call", name="add", arguments={"a": 1, "b": 2}),
        lambda play: play.far.answered("m1"),
    ),
    Step(
        lambda play: play.far.asks("r2", call="t3", command="rm x"),
        lambda play: play.seen(PermissionRequest, lambda event: event.pending_id == R2),
    ),
    Step(lambda play: play.far.withdraws("r2"), lambda play: play.seen(PermissionCancelled)),
    Step(nothing, lambda play: prompts(play, P2)),
    Step(
        lambda play: play.far.asks("r3", call="t4", command="ls /etc"),
        lambda play: play.seen(PermissionRequest, lambda event: event.pending_id == R3),
    ),
    Step(nothing, lambda play: decides(play, R3, Deny(reason="no"))),
    Step(nothing, chooses_mode),
    Step(lambda play: play.far.result(P1), lambda play: play.seen(Complete)),
    Step(lambda play: play.far.turn(P2), lambda play: play.seen(Complete, lambda event: event.turn == 2)),
)

Away: TypeAlias = Literal["between steps", "while the far end speaks"]


async def played(cut: int | None, away: Away = "between steps", *, checkpoint_at: int | None = None) -> Play:
    """The whole of it. ``cut``: the step before which the host leaves, and comes back, with a checkpoint or without."""
    play, kept = Play(), None
    async with play.opened():
        for number, step in enumerate(STEPS[:cut]):
            if number == checkpoint_at:
                kept = await play.session.checkpoint()
            step.far(play)
            await step.host(play)
        if cut is None:
            await play.session.end()
    if cut is not None:
        step = STEPS[cut]
        if away == "while the far end speaks":
            step.far(play)
        async with play.rejoined(kept):
            if away == "between steps":
                step.far(play)
            await step.host(play)
            for step in STEPS[cut + 1 :]:
                step.far(play)
                await step.host(play)
            await play.session.end()
    return play


def answers(entries: Iterable[Entry]) -> Counter[str]:
    """How often each request of the CLI's was answered."""
    messages = [json.loads(entry.line) for entry in entries if entry.dir == "in"]
    return Counter(each["response"]["request_id"] for each in messages if each["type"] == "control_response")


def waiting(entries: Sequence[Entry]) -> list[str]:
    """Requests of the CLI's that were neither answered nor withdrawn."""
    messages = [json.loads(entry.line) for entry in entries if entry.dir == "out"]
    ended = {each["request_id"] for each in messages if each["type"] == "control_cancel_request"}
    asked = [each["request_id"] for each in messages if each["type"] == "control_request"]
    return [request_id for request_id in asked if request_id not in ended and request_id not in answers(entries)]


@pytest.fixture(scope="module")
def whole() -> Play:
    """Of a host that was never away."""
    return asyncio.run(played(None))


def test_the_conversation_has_what_can_be_lost(whole: Play) -> None:
    kinds = {type(event).__name__ for event in whole.shelf.stored}
    assert {"GrantGiven", "PolicyDecided", "PermissionCancelled", "ModeChanged", "SessionEnded"} <= kinds
    answered = answers(whole.far.pipe.recorded)
    assert set(answered.values()) == {1}
    assert {"h1", "h2", "h3", "m1", "r1", "r3"} <= answered.keys()


@pytest.mark.parametrize("checkpoint", [False, True], ids=["from the first line", "from a checkpoint"])
@pytest.mark.parametrize("away", Away.__args__)  # type: ignore[attr-defined]
@pytest.mark.parametrize("cut", range(1, len(STEPS)))
async def test_whoever_comes_back_goes_on_as_if_nobody_had_been_away(
    whole: Play, cut: int, away: Away, *, checkpoint: bool
) -> None:
    play = await played(cut, away, checkpoint_at=cut // 2 if checkpoint else None)
    assert play.shelf.stored == whole.shelf.stored
    assert answers(play.far.pipe.recorded) == answers(whole.far.pipe.recorded)


async def test_a_host_may_leave_at_every_step(whole: Play) -> None:
    play = Play()
    async with play.opened():
        pass
    for step in STEPS:
        step.far(play)
        async with play.rejoined(None):
            await step.host(play)
    async with play.rejoined(None):
        await play.session.end()
    assert play.shelf.stored == whole.shelf.stored
    assert answers(play.far.pipe.recorded) == answers(whole.far.pipe.recorded)


async def test_a_host_may_die_after_any_line(whole: Play) -> None:
    """Whatever the CLI waits for then is answered by the next one, once; what a person is to answer is open."""
    recorded = whole.far.pipe.recorded
    ready = next(number for number, entry in enumerate(recorded, 1) if "claude_code_version" in entry.line)
    for died in range(ready, len(recorded)):
        play = Play(recorded=recorded[:died])
        left = waiting(recorded[:died])
        async with play.rejoined(None):
            told = [event for event in whole.shelf.stored if event.line <= died]
            assert play.shelf.stored[: len(told)] == told
            asked = {ask.pending_id for ask in play.session.asks}
            for request_id in left:
                assert (request_id in asked) == request_id.startswith("r")
                if request_id in asked:
                    assert await play.session.decide(PendingId(request_id), Deny()) == Taken()
                await play.far.answered(request_id)
        assert waiting(play.far.pipe.recorded) == []
        assert set(answers(play.far.pipe.recorded).values()) <= {1}
