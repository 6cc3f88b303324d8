"""What every store promises, on a disk and in memory."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from bascule import events as ev
from bascule.commands import AllowOnce, Deny, Prompt, Taken, TooLate
from bascule.errors import StoreError
from bascule.ids import CommandId, GrantId, PendingId, PromptId, SessionId
from bascule.payload import ShellExec
from bascule.store.memory import MemoryStore
from bascule.store.rows import AuditRow, Checkpoint, ProjectRow, ScheduleRow, SessionRow, TokenRow
from bascule.store.sqlite import open_store
from bascule.store.store import Store

A, B = SessionId("a"), SessionId("b")
R1 = PendingId("r1")


@pytest.fixture(params=["memory", "sqlite"])
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Store]:
    made: Store = MemoryStore() if request.param == "memory" else await open_store(tmp_path / "bascule.db")
    for at, session in enumerate((A, B)):
        await made.put_session(row(session, updated_at=at))
    yield made
    await made.close()


def row(session: SessionId, **more: object) -> SessionRow:
    facts = {"cwd": "/w", "policy": "supervised", "status": "idle", "created_at": 0, "updated_at": 0, **more}
    return SessionRow(id=session, **facts)  # type: ignore[arg-type]


def told(event: ev.AnyEvent, seq: int | None, *, session: SessionId = A, at: int = 0, turn: int = 0) -> ev.AnyEvent:
    return replace(event, session=session, seq=seq, at=at or (seq or 0), turn=turn, line=seq or 0)


def said(text: str, seq: int, *, session: SessionId = A) -> ev.AnyEvent:
    return told(ev.MessageChunk(item=f"m:{seq}", text=text), seq, session=session)


def asked(seq: int, pending_id: PendingId = R1) -> ev.AnyEvent:
    event = ev.PermissionRequest(
        pending_id=pending_id,
        ask="tool",
        tool_name="Bash",
        title="make",
        normalized=ShellExec(command="make"),
        input={"command": "make"},
        input_hash="h",
    )
    return told(event, seq)


async def test_a_session_is_kept_as_it_was_put_last(store: Store) -> None:
    changed = row(A, title="T", spec={"model": "opus", "rules": ["Bash(ls)"]}, keeper={"pid": 1}, updated_at=5)
    await store.put_session(changed)
    assert await store.session(A) == changed
    assert await store.session(SessionId("none")) is None
    assert [one.id for one in await store.sessions()] == [A, B]
    await store.put_session(row(B, archived_at=3))
    assert [one.id for one in await store.sessions()] == [A]
    assert [one.id for one in await store.sessions(archived=True)] == [A, B]


async def test_events_come_back_as_they_were_kept(store: Store) -> None:
    events = [said("One", 1), told(ev.Notice(level="info", text="ü🙂"), 2), said("Three", 3)]
    await store.append(A, 7, events[:2])
    await store.append(A, 9, events[2:])
    assert await store.events(A) == tuple(events)
    assert await store.events(A, after=1, limit=1) == (events[1],)
    assert await store.events(A, after=3) == ()
    assert (await store.last_seq(A), await store.last_line(A)) == (3, 9)
    assert (await store.last_seq(B), await store.last_line(B)) == (0, 0)


async def test_a_line_that_comes_again_changes_nothing(store: Store) -> None:
    await store.append(A, 1, [asked(1), said("One", 2)])
    before = await store.position()
    assert await store.append(A, 1, [asked(1), said("One", 2)]) == before
    assert len(await store.events(A)) == 2
    assert len(await store.ask_steps(A, R1)) == 1
    assert len(await store.search("one")) == 1
    await store.append(A, 0, [])
    assert await store.last_line(A) == 1


async def test_passing_events_are_not_kept(store: Store) -> None:
    passing = told(ev.MessageChunk(item="m", text="O", partial=True), None)
    await store.append(A, 1, [passing])
    assert await store.events(A) == ()
    assert await store.last_line(A) == 1


async def test_positions_go_over_all_sessions(store: Store) -> None:
    await store.append(A, 1, [said("One", 1)])
    between = await store.append(B, 1, [said("Two", 1, session=B)])
    await store.append(A, 2, [said("Three", 2)])
    placed = await store.events_of_all()
    assert [(one.event.session, one.event.seq) for one in placed] == [(A, 1), (B, 1), (A, 2)]
    positions = [one.position for one in placed if one.position is not None]
    assert len(positions) == len(placed)
    assert positions == sorted(set(positions))
    assert [one.event.seq for one in await store.events_of_all(after=between)] == [2]
    assert [one.position for one in await store.events_of_all(limit=1)] == positions[:1]
    assert await store.position() == positions[-1]


async def test_an_event_of_no_session_is_refused_and_leaves_nothing(store: Store) -> None:
    with pytest.raises(StoreError):
        await store.append(SessionId("none"), 1, [said("One", 1)])
    assert await store.position() == 0


async def test_an_ask_goes_from_open_to_settled_and_every_step_is_kept(store: Store) -> None:
    await store.append(A, 1, [asked(1)])
    (waiting,) = await store.asks()
    assert (waiting.state, waiting.request) == ("open", asked(1))
    claimed = await store.claim(A, R1, CommandId("c1"), AllowOnce(), by="Anna", surface="web", at=5)
    assert claimed is not None
    assert (claimed.state, claimed.command_id, claimed.decision, claimed.by) == ("claimed", "c1", AllowOnce(), "Anna")
    assert [one.state for one in await store.asks(A)] == ["claimed"]
    resolved = ev.PermissionResolved(pending_id=R1, outcome="allowed", by="Anna", surface="web", waited_ms=3)
    await store.append(A, 2, [told(resolved, 2)])
    assert await store.asks() == ()
    (settled,) = await store.asks(waiting=False)
    assert (settled.state, settled.outcome, settled.by, settled.settled_at) == ("settled", "allowed", "Anna", 2)
    steps = await store.ask_steps(A, R1)
    assert [(step.step, step.by) for step in steps] == [("opened", None), ("claimed", "Anna"), ("resolved", "Anna")]


async def test_of_many_who_claim_one_gets_it_and_the_others_learn_who(store: Store) -> None:
    await store.append(A, 1, [asked(1)])
    claims = [store.claim(A, R1, CommandId(f"c{n}"), Deny(), by=f"p{n}", surface=None, at=n) for n in range(8)]
    rows = await asyncio.gather(*claims)
    assert len({one.command_id for one in rows if one is not None}) == 1
    assert None not in rows
    assert await store.claim(A, PendingId("r9"), CommandId("c"), Deny(), by=None, surface=None, at=1) is None


async def test_a_claim_is_undone_by_who_made_it_and_nobody_else(store: Store) -> None:
    await store.append(A, 1, [asked(1)])
    await store.claim(A, R1, CommandId("c1"), Deny(), by=None, surface=None, at=1)
    assert not await store.undo_claim(A, R1, CommandId("c2"), at=2)
    assert await store.undo_claim(A, R1, CommandId("c1"), at=2)
    assert not await store.undo_claim(A, R1, CommandId("c1"), at=3)
    row = await store.ask(A, R1)
    assert row is not None
    assert (row.state, row.decision) == ("open", None)
    assert [step.step for step in await store.ask_steps(A, R1)] == ["opened", "claimed", "undone"]


async def test_an_ask_that_is_gone_is_settled(store: Store) -> None:
    await store.append(A, 1, [asked(1), told(ev.PermissionCancelled(pending_id=R1, cause="lost"), 2)])
    (row,) = await store.asks(waiting=False)
    assert (row.state, row.outcome) == ("settled", "lost")
    late = await store.claim(A, R1, CommandId("c1"), Deny(), by=None, surface=None, at=9)
    assert late == row


async def test_a_turn_knows_who_began_it_and_what_it_cost(store: Store) -> None:
    said_by = ev.PromptAccepted(prompt_id=PromptId("p"), text="Go", by="Anna", surface="web")
    done = ev.Complete(outcome="success", cost_usd=0.5, last_message_uuid="u1")
    await store.append(
        A,
        3,
        [
            told(said_by, 1),
            told(ev.TurnStarted(cause="prompt", prompt_ids=(PromptId("p"),)), 2, at=100, turn=1),
            told(done, 3, at=200, turn=1),
            told(ev.TurnStarted(cause="task"), 4, at=300, turn=2),
        ],
    )
    first, second = await store.turns(A)
    assert (first.by, first.surface, first.started_at, first.ended_at) == ("Anna", "web", 100, 200)
    assert (first.outcome, first.cost_usd, first.complete) == ("success", 0.5, told(done, 3, at=200, turn=1))
    assert (second.cause, second.by, second.ended_at) == ("task", None, None)
    assert [one.turn for one in await store.turns(since=200)] == [2]
    assert [one.turn for one in await store.turns(until=200)] == [1]
    session = await store.session(A)
    assert session is not None
    assert session.last_uuid == "u1"


async def test_grants_hold_until_they_end(store: Store) -> None:
    given = ev.GrantGiven(grant_id=GrantId("g1"), rules=("Edit", "Write"), scope="session", cause="trust", until=9)
    await store.append(A, 1, [told(given, 1)])
    (held,) = await store.grants(A)
    assert (held.rules, held.until, held.covered) == (("Edit", "Write"), 9, 0)
    await store.append(A, 2, [told(ev.GrantEnded(grant_id=GrantId("g1"), cause="expired", covered=2), 2)])
    assert await store.grants(A) == ()
    (ended,) = await store.grants(A, ended=True)
    assert (ended.end, ended.covered, ended.ended_at) == ("expired", 2, 2)


@pytest.mark.parametrize("words", ["basket", "BASKET round", "round: the 'basket'", '"round" AND basket*'])
async def test_a_search_finds_all_its_words_whatever_else_is_typed(store: Store, words: str) -> None:
    await store.append(A, 1, [told(ev.PromptAccepted(prompt_id=PromptId("p"), text="round the Basket and"), 1)])
    await store.append(B, 1, [said("something else", 1, session=B)])
    (found,) = await store.search(words)
    assert (found.session, found.seq, found.kind) == (A, 1, "prompt")
    assert "Basket" in found.snippet
    assert await store.search(words, session=B) == ()


@pytest.mark.parametrize("words", ["", " ", "'\"*", "(", "nowhere"])
async def test_a_search_for_no_words_finds_nothing(store: Store, words: str) -> None:
    await store.append(A, 1, [said("One", 1)])
    assert await store.search(words) == ()


def prompt(name: str, text: str = "Go", session: SessionId = A) -> Prompt:
    return Prompt(command_id=CommandId(name), session=session, text=text)


async def waiting(store: Store) -> list[str]:
    return [one.client_id for one in await store.queue(A)]


async def test_the_queue_is_first_in_first_out_and_can_be_put_in_order(store: Store) -> None:
    rows = {name: await store.enqueue(prompt(name), at=1) for name in ("one", "two", "three")}
    await store.enqueue(prompt("other", session=B), at=1)
    await store.enqueue(prompt("zero"), at=2, before=rows["one"].id)
    assert await waiting(store) == ["zero", "one", "two", "three"]
    assert await store.move_queued(rows["three"].id, before=rows["one"].id)
    assert await waiting(store) == ["zero", "three", "one", "two"]
    assert await store.move_queued(rows["three"].id, before=None)
    assert await store.move_queued(rows["one"].id, before=rows["one"].id)
    assert await waiting(store) == ["zero", "one", "two", "three"]
    assert await store.take_queued(rows["one"].id)
    assert not await store.take_queued(rows["one"].id)
    assert not await store.move_queued(rows["one"].id, before=None)
    assert await waiting(store) == ["zero", "two", "three"]


async def test_very_many_find_room_between_two(store: Store) -> None:
    first = await store.enqueue(prompt("first"), at=1)
    last = await store.enqueue(prompt("last"), at=1)
    for number in range(80):
        await store.enqueue(prompt(f"n{number}"), at=1, before=last.id)
    assert await waiting(store) == ["first", *(f"n{number}" for number in range(80)), "last"]
    assert (await store.queue(A))[0].id == first.id


async def test_a_prompt_that_waits_is_put_once_and_can_be_edited(store: Store) -> None:
    first = await store.enqueue(prompt("one"), at=1)
    assert await store.enqueue(prompt("one", "again"), at=2) == first
    assert await store.edit_queued(first.id, prompt("one", "better"))
    assert not await store.edit_queued(99, prompt("one"))
    (row,) = await store.queue(A)
    assert (row.prompt.text, row.created_at) == ("better", 1)


async def test_the_first_receipt_of_a_command_stays(store: Store) -> None:
    assert await store.receipt(CommandId("c")) is None
    await store.put_receipt(CommandId("c"), TooLate(winner="Anna"), at=1)
    await store.put_receipt(CommandId("c"), Taken(), at=2)
    assert await store.receipt(CommandId("c")) == TooLate(winner="Anna")


async def test_the_newest_checkpoint_is_kept(store: Store) -> None:
    assert await store.checkpoint(A) is None
    for line in (1, 2):
        await store.put_checkpoint(A, Checkpoint(line, "v1", b"\0\xff"))
    assert await store.checkpoint(A) == Checkpoint(2, "v1", b"\0\xff")


async def test_tokens_are_found_by_their_hash(store: Store) -> None:
    token = TokenRow(id="t1", hash="h1", role="owner", label="phone", created_at=1)
    await store.put_token(token)
    assert await store.token_of("h1") == token
    assert await store.token_of("h2") is None
    revoked = TokenRow(id="t1", hash="h1", role="owner", label="phone", created_at=1, revoked_at=2)
    await store.put_token(revoked)
    assert await store.tokens() == (revoked,)


async def test_projects_and_schedules_are_kept_until_they_are_forgotten(store: Store) -> None:
    project = ProjectRow(name="p", path="/w", body={"base": "main"}, created_at=1)
    schedule = ScheduleRow(id="s", body={"cron": "* * * * *"}, next_at=5, paused=True, created_at=1)
    await store.put_project(project)
    await store.put_schedule(schedule)
    assert await store.projects() == (project,)
    assert await store.schedules() == (schedule,)
    assert await store.forget_project("p")
    assert await store.forget_schedule("s")
    assert not await store.forget_project("p")
    assert not await store.forget_schedule("s")


async def test_touching_it_changes_nothing(store: Store) -> None:
    await store.append(A, 1, [said("One", 1)])
    epoch = store.epoch
    await store.touch()
    assert (await store.last_seq(A), store.epoch) == (1, epoch)
    assert await store.check() == ()


async def test_the_record_is_read_newest_first(store: Store) -> None:
    rows = [AuditRow(at=at, what="decide", who="Anna", session=A, detail=str(at)) for at in (1, 2, 3)]
    for one in rows:
        await store.record(one)
    assert await store.audit(since=2) == (rows[2], rows[1])
    assert await store.audit(limit=1) == (rows[2],)


async def test_what_is_forgotten_is_gone_with_all_that_belongs_to_it(store: Store) -> None:
    await store.append(A, 1, [asked(1), said("One", 2)])
    await store.enqueue(prompt("one"), at=1)
    await store.put_checkpoint(A, Checkpoint(1, "v", b""))
    await store.forget_session(A)
    assert await store.session(A) is None
    assert (await store.events(A), await store.asks(), await store.queue(A)) == ((), (), ())
    assert (await store.search("one"), await store.checkpoint(A), await store.events_of_all()) == ((), None, ())
    assert await store.check() == ()
