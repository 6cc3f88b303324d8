"""What a hub does for each command, and what prevents it."""

import asyncio
import subprocess
from pathlib import Path
from typing import Any

import pytest

from bascule.commands import (
    AllowOnce,
    Archive,
    Compact,
    Decide,
    Deny,
    DropQueued,
    EditQueued,
    End,
    Fork,
    Fresh,
    GiveGrant,
    HoldQueue,
    Interrupt,
    MoveQueued,
    Prompt,
    PutBack,
    Refused,
    Rename,
    Retry,
    Rewind,
    SendQueued,
    SetMode,
    SetModel,
    SetPolicy,
    Sleep,
    Start,
    StopTask,
    Taken,
    TooLate,
    Undo,
)
from bascule.errors import HubFull, OptionError, ResumeFailed, StartFailed
from bascule.events import (
    Complete,
    Error,
    Notice,
    PermissionRequest,
    PermissionResolved,
    PromptAccepted,
    SessionAsleep,
    SessionEnded,
)
from bascule.ids import CommandId, PendingId, SessionId
from bascule.session.options import Options
from bascule.store.rows import ProjectRow
from tests.hub.client import Client, begun
from tests.hub.far import House, S, seen, until
from tests.transport.programs import steps

R1 = PendingId("r1")


async def test_F32_a_stop_holds_what_waits_until_a_person_lets_it_go_on() -> None:
    async with begun() as client:
        await client.runs()
        await client.send(Prompt, text="later", when="queue")
        assert isinstance(await client.send(Interrupt), Taken)
        await seen(client.hub, Complete)
        await steps(50)
        assert await client.waiting() == ["later"]
        assert client.hub.live(S).facts().holds_queue
        await client.send(HoldQueue, hold=False)
        assert (await seen(client.hub, PromptAccepted, lambda event: event.text == "later")).by is None


async def test_what_waits_is_edited_moved_dropped_and_said_now() -> None:
    async with begun() as client:
        await client.runs()
        for text in ("one", "two", "three"):
            await client.send(Prompt, text=text, when="queue")
        one, two, three = (row.id for row in await client.hub.queue(S))
        assert await client.send(EditQueued, queued=one, text="uno") == Taken(queued=one)
        assert await client.send(MoveQueued, queued=three, before=one) == Taken(queued=three)
        assert await client.waiting() == ["three", "uno", "two"]
        assert await client.send(DropQueued, queued=two) == Taken(queued=two)
        assert isinstance(await client.send(DropQueued, queued=two), TooLate)
        assert await client.send(SendQueued, queued=one) == Taken(queued=one)
        await seen(client.hub, PromptAccepted, lambda event: event.text == "uno")
        assert await client.waiting() == ["three"]


async def test_no_more_prompts_wait_than_may() -> None:
    async with begun(queue_limit=1) as client:
        await client.runs()
        assert isinstance(await client.send(Prompt, text="one", when="queue"), Taken)
        refused = await client.send(Prompt, text="two", when="queue")
        assert isinstance(refused, Refused)
        assert "queue_limit" in refused.reason


async def test_an_interrupt_can_drop_what_waits() -> None:
    async with begun() as client:
        assert await client.send(Interrupt) == Taken()
        await client.runs()
        await client.send(Prompt, text="later", when="queue")
        await client.send(Interrupt, drop_queued=True)
        assert await client.waiting() == []
        assert not client.hub.live(S).facts().holds_queue


async def test_L61_nothing_goes_on_by_itself_after_a_kill() -> None:
    async with begun() as client:
        await client.runs()
        await client.send(Prompt, text="later", when="queue")
        client.house.processes.of().pipe.exits(None, signal="SIGKILL")
        await until(client.hub, "lost")
        await steps(50)
        assert len(client.house.processes.all_of(S)) == 1
        assert await client.waiting() == ["later"]
        assert (await seen(client.hub, SessionEnded)).signal == "SIGKILL"
        await client.says("Go on")
        assert len(client.house.processes.all_of(S)) == 2
        assert await client.waiting() == ["later"]


async def test_an_answer_that_is_held_can_be_taken_back_and_the_ask_is_open_again() -> None:
    async with begun() as client:
        await client.runs()
        client.house.processes.of().asks("r1", command="make")
        await seen(client.hub, PermissionRequest)
        held = Decide(
            command_id=CommandId("held"), session=S, pending_id=R1, decision=AllowOnce(), by="Anna", hold_ms=30_000
        )
        async with asyncio.TaskGroup() as tasks:
            deciding = tasks.create_task(client.hub.send(held))
            while (ask := (await client.hub.asks())[0]).claimed_until is None:
                await steps(1)
            assert ask.claimed_by == "Anna"
            late = await client.send(Decide, pending_id=R1, decision=Deny(), by="Ben")
            assert late == TooLate(winner="Anna is answering it")
            assert await client.send(Undo, of=CommandId("held")) == Taken()
        assert deciding.result() == Refused(reason="it was taken back before it was written")
        assert isinstance(await client.send(Undo, of=CommandId("held")), TooLate)
        assert (await client.hub.asks())[0].claimed_by is None
        assert await client.send(Decide, pending_id=R1, decision=Deny(), by="Ben") == Taken()
        assert (await seen(client.hub, PermissionResolved)).by == "Ben"


async def test_a_decision_on_what_was_not_shown_or_is_not_there_is_refused() -> None:
    async with begun() as client:
        assert await client.send(Decide, pending_id=R1, decision=AllowOnce()) == Refused(reason="there is no ask r1")
        await client.runs()
        client.house.processes.of().asks("r1", command="make")
        await seen(client.hub, PermissionRequest)
        other = await client.send(Decide, pending_id=R1, decision=AllowOnce(), input_hash="another")
        assert other == Refused(reason="this is not the call that was shown: look at it again")


async def test_a_retry_says_the_last_prompt_again_from_before_it() -> None:
    async with begun() as client:
        first = await client.turn("One")
        await client.turn("Two")
        assert isinstance(await client.send(Retry), Taken)
        again = await seen(client.hub, PromptAccepted, lambda event: event.seq is not None and event.text == "Two")
        while len(client.house.processes.begun_with) < 2:
            await steps(1)
        options = client.house.processes.begun_with[1]
        assert options.resume == client.hub.live(S).row.cli_session_id
        assert options.resume_at == first.last_message_uuid
        while not client.house.processes.of().of("user"):
            await steps(1)
        assert client.house.processes.of().of("user")[0]["message"]["content"] == again.text


async def test_a_retry_of_the_first_prompt_begins_a_new_conversation() -> None:
    async with begun() as client:
        refused = await client.send(Retry)
        assert isinstance(refused, Refused)
        await client.turn("One")
        assert isinstance(await client.send(Retry), Taken)
        while len(client.house.processes.begun_with) < 2:
            await steps(1)
        assert client.house.processes.begun_with[1].resume is None


async def test_a_fork_is_a_session_of_its_own_from_where_the_other_was() -> None:
    async with begun() as client:
        assert isinstance(await client.send(Fork), Refused)
        first = await client.turn("One")
        await client.turn("Two")
        receipt = await client.send(Fork, at=1)
        assert isinstance(receipt, Taken)
        assert receipt.session is not None
        assert client.hub.live(receipt.session).facts().title == "One (fork)"
        assert isinstance(await client.send(Prompt, session=receipt.session, text="Else"), Taken)
        await seen(client.hub, PromptAccepted, of=receipt.session)
        options = client.house.processes.begun_with[1]
        assert (options.resume, options.fork) == (client.hub.live(S).row.cli_session_id, True)
        assert options.resume_at == first.last_message_uuid
        assert client.hub.live(S).has_process


async def test_another_policy_holds_from_the_next_process_on() -> None:
    async with begun() as client:
        await client.turn("One")
        assert isinstance(await client.send(SetPolicy, policy="none such"), Refused)
        assert await client.send(SetPolicy, policy="plan") == Taken()
        await seen(client.hub, SessionAsleep)
        await client.says("Two")
        assert [options.policy for options in client.house.processes.begun_with] == ["supervised", "plan"]


async def test_F40_F43_each_process_gets_the_same_workspace_and_all_options() -> None:
    house = House()
    servers = {"box": {"command": "box", "args": ["--all"]}}
    async with house.hub() as hub:
        client = Client(house, hub)
        await client.starts(options={"mcp_servers": servers, "max_turns": 7}, model="opus")
        await client.turn("One")
        assert await client.send(Sleep) == Taken()
        await client.says("Two")
        first, second = house.processes.begun_with
        assert (second.cwd, second.mcp_servers, second.max_turns, second.model) == ("/tmp", servers, 7, "opus")
        assert (first.cwd, first.mcp_servers, first.max_turns, first.model) == ("/tmp", servers, 7, "opus")


async def test_mode_and_model_hold_over_a_sleep() -> None:
    async with begun() as client:
        assert await client.send(SetModel, model="haiku") == Taken()
        await client.turn("One")
        assert await client.send(SetMode, mode="plan") == Taken()
        await client.send(Sleep)
        await client.says("Two")
        assert [(o.model, o.mode) for o in client.house.processes.begun_with] == [("haiku", None), ("haiku", "plan")]


async def test_a_session_at_work_is_not_put_to_sleep() -> None:
    async with begun() as client:
        await client.runs()
        refused = await client.send(Sleep)
        assert isinstance(refused, Refused)
        assert "at work" in refused.reason


async def test_a_name_and_the_archive() -> None:
    house = House()
    async with house.hub() as hub:
        client = Client(house, hub)
        await client.starts()
        await client.turn("One")
        await client.send(Rename, title="Mine")
        assert [one.title for one in await hub.sessions()] == ["Mine"]
        assert await client.send(Archive) == Taken()
        assert await hub.sessions() == ()
        (kept,) = await hub.sessions(archived=True)
        assert (kept.archived, kept.status) == (True, "ended")
        await client.send(Archive, archived=False)
        assert len(await hub.sessions()) == 1
    async with house.hub() as hub:
        assert [one.title for one in await hub.sessions()] == ["Mine"]


async def test_an_ended_session_is_gone_on_with_by_a_prompt() -> None:
    async with begun() as client:
        await client.turn("One")
        assert await client.send(End) == Taken()
        assert client.hub.live(S).status == "ended"
        await client.turn("Two")
        assert len(client.house.processes.begun_with) == 2


async def test_L62_F38_a_conversation_that_is_not_there_is_quarantined_until_a_person_goes_on_fresh() -> None:
    house = House()
    async with house.hub() as hub:
        client = Client(house, hub)
        await client.starts(resume="11111111-1111-4111-8111-111111111111")
        house.processes.refuses = ResumeFailed("there is no such conversation")
        await client.send(Prompt, text="Hello")
        assert (await seen(hub, Error)).kind == "resume_failed"
        await until(hub, "quarantined")
        assert isinstance(await client.send(Prompt, text="Again"), Refused)
        assert await client.waiting() == ["Hello"]
    async with house.hub() as hub:
        client = Client(house, hub)
        assert hub.live(S).status == "quarantined"
        assert await client.send(Fresh) == Taken()
        await seen(hub, PromptAccepted, lambda event: event.text == "Hello")
        assert house.processes.begun_with[-1].resume is None
        assert isinstance(await client.send(Fresh), Refused)


async def test_L58_F35_a_resume_that_answers_with_nothing_is_quarantined() -> None:
    async with begun() as client:
        await client.turn("One")
        await client.send(Sleep)
        prompt_id = await client.says("Two")
        client.house.processes.of().begins(prompt_id)
        client.house.processes.of().result(prompt_id, num_turns=0, result="")
        assert (await seen(client.hub, Error)).kind == "resume_empty"
        await until(client.hub, "quarantined")
        assert client.hub.live(S).spec.holds_queue


async def test_a_start_that_fails_is_told_once_and_what_waits_is_kept() -> None:
    async with begun() as client:
        client.house.processes.refuses = StartFailed("the CLI ended before it was ready")
        await client.send(Prompt, text="Hello")
        error = await seen(client.hub, Error)
        assert (error.kind, error.message) == ("start_failed", "the CLI ended before it was ready")
        while client.hub.live(S).has_process:
            await steps(1)
        assert await client.waiting() == ["Hello"]
        await client.send(HoldQueue, hold=False)
        await seen(client.hub, PromptAccepted, lambda event: event.text == "Hello")


async def test_L69_no_more_sessions_live_than_may() -> None:
    async with begun(max_live=1) as client:
        await client.turn("One")
        other = SessionId("other")
        await client.send(Start, session=other, cwd="/tmp", prompt="Two")
        error = await seen(client.hub, Error, of=other)
        assert "max_live" in error.message
        assert isinstance(HubFull(error.message), HubFull)


async def test_F25_a_prompt_that_is_sent_twice_waits_once() -> None:
    async with begun() as client:
        await client.runs()
        twice = Prompt(command_id=CommandId("twice"), session=S, text="later", when="queue")
        first, second = await asyncio.gather(client.hub.send(twice), client.hub.send(twice))
        assert first == second
        assert await client.waiting() == ["later"]


async def test_a_grant_needs_a_process() -> None:
    async with begun() as client:
        assert isinstance(await client.send(GiveGrant, rule="Bash(ls)"), Refused)
        await client.turn("One")
        assert isinstance(await client.send(GiveGrant, rule="Bash(ls)"), Taken)


async def test_a_session_that_sleeps_is_woken_to_be_compacted() -> None:
    async with begun() as client:
        await client.turn("One")
        await client.send(Sleep)
        receipt = await client.send(Compact, instructions="Keep the plan")
        assert isinstance(receipt, Taken)
        said = await seen(client.hub, PromptAccepted, lambda event: event.prompt_id == receipt.prompt_id)
        assert said.text == "/compact Keep the plan"


async def test_files_are_put_back_by_a_process_and_tasks_stopped_with_theirs() -> None:
    async with begun() as client:
        assert isinstance(await client.send(Rewind, at="p"), Refused)
        assert await client.send(StopTask, task_id="t") == Taken()
        await client.turn("One")
        far = client.house.processes.of()
        far.answers["rewind_files"] = {"canRewind": True, "filesChanged": ["/w/a"], "insertions": 1, "deletions": 0}
        tried = await client.send(Rewind, at="p", dry_run=True)
        assert tried == Taken(put_back=PutBack(files=("/w/a",), insertions=1, deletions=0))
        assert await client.send(StopTask, task_id="t") == Taken()
        assert client.house.processes.begun_with[-1].checkpoints
    assert [asked["task_id"] for asked in far.requests("stop_task")] == ["t"]


async def test_a_command_for_a_session_that_is_not_there_is_refused() -> None:
    house = House()
    async with house.hub() as hub:
        receipt = await Client(house, hub).send(Interrupt)
        assert receipt == Refused(reason="there is no session s")
        with pytest.raises(OptionError):
            hub.conversation(S)


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ({"cwd": "/no/such/folder"}, "which is no folder"),
        ({"cwd": "nameless"}, "no absolute path and no project"),
        ({"branch": "main"}, "a branch is of a project"),
        ({"policy": "none"}, "there is no policy 'none'"),
        ({"options": {"max_turns": "many"}}, "max_turns"),
        ({"options": {"color": 1}}, "there is no such option"),
        ({"options": {"on_ask": 1}}, "leave it out there"),
    ],
)
async def test_a_start_with_something_wrong_starts_nothing(more: dict[str, Any], reason: str) -> None:
    house = House()
    async with house.hub() as hub:
        receipt = await Client(house, hub).send(Start, **{"cwd": "/tmp", **more})
        assert isinstance(receipt, Refused)
        assert reason in receipt.reason
        assert await hub.sessions() == ()


async def test_a_session_of_that_name_is_not_begun_twice() -> None:
    async with begun() as client:
        assert await client.send(Start, cwd="/tmp") == Refused(reason="there is a session s")


@pytest.mark.parametrize("name", ["../out", "/etc", "a/b", "a b", "..", ".hidden", "a\x00", "a\n", "é", "x" * 65])
async def test_no_name_of_a_session_leads_out_of_the_folder_of_all_sessions(name: str) -> None:
    house = House()
    async with house.hub() as hub:
        receipt = await Client(house, hub).send(Start, session=SessionId(name), cwd="/tmp")
        assert isinstance(receipt, Refused)
        assert "make an id" in receipt.reason
        assert await hub.sessions() == ()


def repository(path: Path) -> Path:
    """With one commit."""
    path.mkdir()
    git = ("git", "-c", "user.name=a", "-c", "user.email=a@example.org")
    for words in (("init", "-q", "-b", "main"), ("commit", "-q", "--allow-empty", "-m", "Begin")):
        subprocess.run([*git, *words], cwd=path, check=True)
    return path


async def test_a_branch_of_a_project_has_a_worktree_of_its_own(tmp_path: Path) -> None:
    project = repository(tmp_path / "project")
    house = House()
    await house.store.put_project(ProjectRow(name="p", path=str(project), body={"policy": "plan"}, created_at=0))
    async with house.hub() as hub:
        client = Client(house, hub)
        receipts = [
            await client.send(Start, session=SessionId(name), cwd="p", branch="feature/one") for name in ("a", "b")
        ]
        assert all(isinstance(receipt, Taken) for receipt in receipts)
        facts = await hub.session(SessionId("a"))
        assert facts is not None
        assert (facts.cwd, facts.branch) == (f"{project}.worktrees/feature-one", "feature/one")
        assert (facts.project, facts.policy) == ("p", "plan")
        assert (await hub.git(SessionId("a"))).branch == "feature/one"
        bad = await client.send(Start, session=SessionId("c"), cwd="p", branch="../out")
        assert isinstance(bad, Refused)


async def test_L74_a_turn_that_says_nothing_without_a_reason_is_told_of_once_and_not_stopped() -> None:
    async with begun(silence_warn_s=0.0, look_every_s=0.01, options=Options(stop_git_check=False)) as client:
        await client.runs()
        notice = await seen(client.hub, Notice)
        assert (notice.level, "let it go on, or interrupt it" in notice.text) == ("warning", True)
        await until(client.hub, "running")
        assert client.house.processes.of().requests("interrupt") == []
