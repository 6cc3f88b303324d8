"""The library without await, over the far end of a MemoryPipe that answers by itself."""

import asyncio
import gc
import inspect
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent import futures
from contextlib import AbstractAsyncContextManager
from typing import Any

import pytest

from bascule import blocking
from bascule.commands import AllowOnce, SetModel, Taken
from bascule.errors import (
    LocalProtocolError,
    OptionError,
    ProcessLost,
    PromptDropped,
    RequestFailed,
    SessionClosed,
    StartFailed,
)
from bascule.events import AnyEvent, Complete, MessageChunk, ModeChanged, PermissionRequest, SessionEnded
from bascule.ids import CommandId
from bascule.session import session as live_session
from bascule.session.options import Options
from bascule.session.prompts import PromptHandle
from bascule.session.query import Query
from tests.session.far_end import FarEnd
from tests.session.live import live


class Prompted(FarEnd):
    """A CLI that answers prompts: `ask` asks first, `wait` never ends, `later` waits its turn, `die` is its death."""

    def _answer(self, line: str) -> Iterator[str]:
        yield from super()._answer(line)
        message = self.heard[-1]
        if message["type"] == "user":
            self.prompted(message["uuid"], message["message"]["content"])
        elif message["type"] == "control_response":
            self.result(*self.open)

    open: tuple[str, ...] = ()

    def prompted(self, uuid: str, text: str) -> None:
        if text == "later":
            return
        self.open = (uuid,)
        self.begins(uuid)
        match text:
            case "ask":
                self.asks("r1", "Bash", command="make")
            case "wait":
                self.on_interrupt = lambda: self.result(subtype="error_during_execution", is_error=True)
            case "die":
                self.pipe.exits(None, signal="SIGKILL")
            case _:
                self.text("Hello.")
                self.result(uuid)


def opened(far: FarEnd, **options: Any) -> blocking.Session:
    return blocking.Session(live(far, **options))


def texts(events: Iterator[AnyEvent] | blocking.Turn | blocking.Query) -> list[str]:
    return [event.text for event in events if isinstance(event, MessageChunk)]


@pytest.fixture(autouse=True)
def no_thread_is_left() -> Iterator[None]:
    before = set(threading.enumerate())
    yield
    assert set(threading.enumerate()) <= before


def test_a_prompt_is_iterated_over_until_its_turn_is_over() -> None:
    with opened(Prompted()) as session:
        assert texts(session.prompt("Hi")) == ["Hello."]
        turn = session.prompt("Hi again")
        assert turn.result().text == "done"
        assert turn.done
        assert texts(turn) == texts(turn) == ["Hello."]
        session.idle()


def test_an_ask_is_decided_where_the_events_are_read() -> None:
    with opened(Prompted()) as session:
        turn = session.prompt("ask")
        for event in turn:
            if isinstance(event, PermissionRequest):
                assert session.decide(event.pending_id, AllowOnce(), input_hash=event.input_hash) == Taken()
        assert turn.result().outcome == "success"


def test_the_events_of_a_session_end_with_it() -> None:
    with opened(Prompted()) as session:
        session.prompt("Hi").result()
        events = session.events()
        assert isinstance(next(events), AnyEvent)
        session.call(lambda live: live.end())
        assert isinstance(list(events)[-1], SessionEnded)
        assert session.ended
    assert str(session.cli_session_id) == "11111111-1111-4111-8111-111111111111"


def test_each_verb_waits_for_its_answer() -> None:
    far = Prompted()
    with opened(far) as session:
        session.set_mode("plan")
        session.set_model("opus")
        assert session.send(SetModel(command_id=CommandId("c"), model="sonnet")) == Taken()
        assert [request["model"] for request in far.requests("set_model")] == ["opus", "sonnet"]
        assert next(event for event in session.events() if isinstance(event, ModeChanged)).mode == "plan"
        grant = session.allow("Bash(make *)")
        assert [held.id for held in session.grants] == [grant]
        assert session.revoke(grant)
        with pytest.raises(OptionError, match="plans"):
            session.trust(minutes=1)
        turn = session.prompt("wait")
        assert session.interrupt() == Taken()
        assert turn.result().outcome == "interrupted"
        with pytest.raises(RequestFailed, match="rewind_files"):
            far.refuses["rewind_files"] = "no"
            session.rewind(turn.prompt_id)
        with pytest.raises(OptionError):
            session.set_mode("dreaming")


def test_waiting_can_be_bounded() -> None:
    with opened(Prompted()) as session:
        turn = session.prompt("wait")
        with pytest.raises(TimeoutError):
            turn.result(timeout_s=0.01)
        with pytest.raises(TimeoutError):
            session.idle(timeout_s=0.01)
        assert not turn.done


def test_a_session_that_does_not_open_raises_and_leaves_no_thread() -> None:
    far = FarEnd()
    far.silent_about.add("initialize")
    far.pipe.exits(1)
    with pytest.raises(StartFailed):
        opened(far)


def test_a_process_that_is_lost_raises() -> None:
    with opened(Prompted()) as session:
        turn = session.prompt("die")
        assert isinstance(list(turn)[-1], SessionEnded)
        with pytest.raises(ProcessLost):
            turn.result()


def test_a_prompt_that_waits_is_taken_back() -> None:
    far = Prompted()
    with opened(far) as session:
        running = session.prompt("wait")
        waiting = session.prompt("later", when="queue", by="me", surface="script")
        assert waiting.cancel()
        with pytest.raises(PromptDropped):
            waiting.result()
        assert not running.done


def test_work_that_runs_may_come_to_its_end() -> None:
    with opened(Prompted()) as session:
        turn = session.prompt("Hi")
        assert session.quiet_s >= 0
        session.end()
        assert session.ended
        assert turn.result().outcome == "success"


FOR_WHO_HOLDS_MANY = {
    "listener", "watch", "stirs", "asks", "at_rest", "last_seq", "remark", "sleep", "detach", "checkpoint", "goes_on",
    "handle",
}  # fmt: skip
"""What a hub needs that goes to sleep, leaves and comes back; a script waits for its turns."""


def verbs(kind: type) -> dict[str, list[str]]:
    """The public methods with their parameters."""
    methods = inspect.getmembers(kind, lambda member: callable(member) or isinstance(member, property))
    return {
        name: list(inspect.signature(member).parameters) if callable(member) else []
        for name, member in methods
        if not name.startswith("_")
    }


def test_every_verb_of_a_session_is_there_without_await() -> None:
    with_await, without = verbs(live_session.Session), verbs(blocking.Session)
    bounded = {name: [each for each in parameters if each != "timeout_s"] for name, parameters in without.items()}
    assert with_await.keys() - bounded.keys() == FOR_WHO_HOLDS_MANY
    assert bounded.keys() - with_await.keys() == {"call"}
    assert {name: bounded[name] for name in with_await.keys() & bounded.keys()} == {
        name: with_await[name] for name in with_await.keys() & bounded.keys()
    }
    assert verbs(blocking.Turn).keys() == (verbs(PromptHandle).keys() - {"events"}) | {"result"}


def test_a_closed_session_takes_nothing_more() -> None:
    session = opened(Prompted())
    events = session.events()
    session.close()
    session.close()
    assert session.ended
    with pytest.raises(SessionClosed):
        session.prompt("Hi")
    with pytest.raises(SessionClosed):
        next(events)


def test_what_a_thread_waits_for_ends_with_the_session() -> None:
    session = opened(Prompted())
    with futures.ThreadPoolExecutor() as pool:
        waiting = pool.submit(session.call, forever)
        session.prompt("Hi").result()
        session.close()
        with pytest.raises(SessionClosed):
            waiting.result()


async def forever(session: live_session.Session) -> None:
    await asyncio.Event().wait()


def test_a_session_is_used_from_any_thread() -> None:
    with opened(Prompted()) as session, futures.ThreadPoolExecutor() as pool:
        assert pool.submit(lambda: texts(session.prompt("Hi"))).result() == ["Hello."]


async def test_a_session_is_used_where_a_loop_runs_already() -> None:
    with opened(Prompted()) as session:
        assert texts(session.prompt("Hi")) == ["Hello."]


def test_a_session_that_is_forgotten_is_closed_and_warned_of() -> None:
    session = opened(Prompted())
    (thread,) = (each for each in threading.enumerate() if each.name == "bascule blocking")
    with pytest.warns(ResourceWarning, match="was not closed"):
        del session
        gc.collect()
    thread.join(timeout=10)
    assert not thread.is_alive()


@pytest.mark.parametrize(
    "wait",
    [
        lambda session: session.quiet_s,
        blocking.Session.idle,
        blocking.Session.close,
        lambda session: next(session.events()),
    ],
)
def test_a_blocking_call_in_a_callback_raises_and_does_not_wait(wait: Callable[[blocking.Session], object]) -> None:
    async def callback(_: live_session.Session) -> None:
        with pytest.raises(LocalProtocolError, match="use the async session in callbacks"):
            wait(session)

    with opened(Prompted()) as session:
        session.call(callback, timeout_s=10)
        assert texts(session.prompt("Hi")) == ["Hello."]


LEFT_OPEN = """
import asyncio
from contextlib import asynccontextmanager
from bascule import blocking
from bascule.session.query import Query
from tests.session.live import live
from tests.test_blocking import Prompted

@asynccontextmanager
async def told():
    try:
        async with live(Prompted()) as session:
            yield session
    finally:
        print(await asyncio.to_thread(str, "left"))

{left}
print("end of script")
"""


@pytest.mark.parametrize(
    "left",
    [
        "query = blocking.Query(Query(told(), 'wait'))\nnext(iter(query))",
        "events = iter(blocking.Query(Query(told(), 'wait')))\nnext(events)",
        "session = blocking.Session(told())",
    ],
)
def test_what_is_open_when_the_program_ends_is_closed(left: str) -> None:
    done = run_script(LEFT_OPEN.format(left=left))
    assert (done.stdout.split("\n"), done.stderr) == (["end of script", "left", ""], "")


IN_A_THREAD = """
import threading
from tests.test_blocking import Prompted, opened, texts

def work():
    with opened(Prompted()) as session:
        ready.set()
        threading.main_thread().join()
        print(texts(session.prompt("Hi")))

ready = threading.Event()
threading.Thread(target=work).start()
ready.wait()
"""


def test_a_thread_that_works_on_keeps_its_session_when_the_script_is_over() -> None:
    done = run_script(IN_A_THREAD)
    assert (done.stdout, done.stderr) == ("['Hello.']\n", "")


def run_script(program: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True, timeout=20)


def press_ctrl_c() -> None:
    """In a moment, when the main thread waits."""
    threading.Timer(0.01, os.kill, (os.getpid(), signal.SIGINT)).start()


def test_ctrl_c_stops_the_wait_and_the_session_is_closed() -> None:
    far = Prompted()
    with pytest.raises(KeyboardInterrupt), opened(far) as session:
        turn = session.prompt("wait")
        press_ctrl_c()
        texts(turn)
    assert len(far.requests("interrupt")) == 1
    assert session.ended


def test_ctrl_c_while_it_opens_leaves_nothing() -> None:
    far = FarEnd()
    far.silent_about.add("initialize")
    with pytest.raises(KeyboardInterrupt):
        blocking.Session(Pressed(live(far), at_start=True))
    assert not far.pipe.write(("in", "{}"))


class Pressed(AbstractAsyncContextManager[live_session.Session]):
    """A session while which is opened, or closed, somebody presses Ctrl-C."""

    def __init__(self, session: AbstractAsyncContextManager[live_session.Session], *, at_start: bool) -> None:
        self.session = session
        self.at_start = at_start
        self.left = False

    async def __aenter__(self) -> live_session.Session:
        if self.at_start:
            press_ctrl_c()
        return await self.session.__aenter__()

    async def __aexit__(self, *how: Any) -> None:
        press_ctrl_c()
        await asyncio.to_thread(threading.Event().wait, 0.1)
        await self.session.__aexit__(*how)
        self.left = True


def test_ctrl_c_while_it_is_closed_lets_it_be_closed() -> None:
    far = Prompted()
    pressed = Pressed(live(far), at_start=False)
    with pytest.raises(KeyboardInterrupt), blocking.Session(pressed) as session:
        session.prompt("Hi").result()
    assert pressed.left
    assert session.ended


def test_a_query_tells_its_events_and_its_end() -> None:
    query = blocking.Query(Query(live(Prompted()), "Hi"))
    assert texts(query) == ["Hello."]
    assert (query.complete.text, query.complete.outcome) == ("done", "success")
    assert list(query) == []


def test_a_query_that_is_left_half_way_ends_its_process() -> None:
    far = Prompted()
    query = blocking.Query(Query(live(far), "wait"))
    for event in query:
        assert not isinstance(event, Complete)
        break
    query.close()
    query.close()
    assert not far.pipe.write(("in", "{}"))


def test_a_run_with_options_that_cannot_be_raises() -> None:
    with pytest.raises(OptionError):
        blocking.run("Hi", Options(cwd="/nowhere"))
    with pytest.raises(OptionError):
        list(blocking.query("Hi", Options(cwd="/nowhere")))
    with pytest.raises(OptionError):
        blocking.open_session(Options(cwd="/nowhere"))
