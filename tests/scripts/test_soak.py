"""A short soak finds nothing wrong, and it would find it."""

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from bascule.events import (
    AnyEvent,
    PermissionCancelled,
    PermissionRequest,
    PermissionResolved,
    PolicyDecided,
)
from bascule.ids import CommandId, PendingId, SessionId
from bascule.payload import Misc
from bascule.recording import Entry, encode
from bascule.store.rows import SessionRow
from scripts.soak import meddler
from scripts.soak.__main__ import HUB, soak, table
from scripts.soak.client import Client
from scripts.soak.house import House, house
from scripts.soak.judging import WRONG, Recording, compare, refold


@pytest.mark.timeout(180)
async def test_hubs_keepers_and_clis_are_killed_and_nothing_is_lost() -> None:
    with house(3, share=0.0, max_live=3, **HUB) as here:
        client = Client(here, seed=11, at_work=3)
        counts, _ = await soak(client, 5.0)
    wrong = {name: counts[name] for name in WRONG if name != "memory kept"}  # Of a growth five seconds tell nothing.
    assert wrong == dict.fromkeys(wrong, 0)
    assert counts["done: hub killed"] >= 1
    assert counts["turns"] >= 3
    assert counts["asks"] >= 3
    assert len(client.positions) == counts["events"]
    assert "must be 0" in table(counts)


@pytest.fixture
def client(tmp_path: Path) -> Client:
    return Client(House(tmp_path, 1, None, 0), seed=0, at_work=1)


def asked(pending_id: str, *, seq: int | None = None) -> PermissionRequest:
    return PermissionRequest(
        seq=seq,
        pending_id=PendingId(pending_id),
        ask="tool",
        tool_name="Bash",
        title="x",
        normalized=Misc(label="x", details=""),
        input={},
        input_hash="",
    )


def resolved(pending_id: str, by: str) -> PermissionResolved:
    return PermissionResolved(pending_id=PendingId(pending_id), outcome="allowed", by=by, waited_ms=1)


def test_what_is_wrong_with_asks_is_counted(client: Client) -> None:
    client.receipts[CommandId("Anna s0 r1")] = '{"receipt":"taken"}'
    stored: list[AnyEvent] = [
        *map(asked, ("r1", "r2", "r3", "r4")),
        resolved("r1", "Anna"),
        PermissionCancelled(pending_id=PendingId("r1"), cause="lost"),
        resolved("r2", "Anna"),
        resolved("r3", "Ben"),
        PolicyDecided(tool_call_id="t", verdict="allow", rule="x", reason="y"),
    ]
    compare(client, "s0", stored)
    counted = {name: client.counts[name] for name in ("asks lost", "asks ended twice", "allowed without cause")}
    assert counted == {"asks lost": 1, "asks ended twice": 1, "allowed without cause": 3}


def test_an_answer_that_had_to_be_repeated_is_no_wrong_one(client: Client) -> None:
    client.receipts[CommandId("Anna s0 r1")] = '{"receipt":"refused"}'
    client.receipts[CommandId("Anna s0 r1 17")] = '{"receipt":"taken"}'
    client.receipts[CommandId("Anna s0 r12")] = '{"receipt":"taken"}'
    compare(client, "s0", [asked("r1"), resolved("r1", "Anna")])
    assert client.counts["allowed without cause"] == 0


def test_an_event_that_did_not_come_or_came_twice_is_counted(client: Client) -> None:
    events = [PolicyDecided(seq=n, tool_call_id="t", verdict="deny", rule="x", reason="y") for n in (1, 2, 3)]
    client.seen["s0"] = [events[0], events[0], events[2]]
    compare(client, "s0", list(events))
    assert (client.counts["events lost"], client.counts["events doubled"]) == (1, 1)


def recorded(tmp_path: Path, *entries: Entry) -> Recording:
    path = tmp_path / "recording.jsonl"
    path.write_bytes(b"".join(map(encode, entries)))
    return Recording(path)


def said(**message: object) -> Entry:
    return Entry(0.0, "in", json.dumps(message))


def test_a_prompt_or_an_answer_that_was_written_twice_is_counted(tmp_path: Path) -> None:
    answer = said(type="control_response", response={"request_id": "r1"})
    prompt = said(type="user", uuid="u1")
    again = Entry(0.0, "argv", "[]")
    recording = recorded(tmp_path, again, prompt, answer, answer, again, prompt, answer)
    assert recording.prompts == Counter(u1=2)
    assert recording.answered_twice == 1
    assert not recording.tells_loss


def test_an_event_that_is_in_the_recording_alone_is_counted(client: Client, tmp_path: Path) -> None:
    row = SessionRow(id=SessionId("s0"), cwd="/", policy="supervised", status="idle", created_at=1, updated_at=1)
    recording = recorded(tmp_path, Entry(0.0, "argv", "[]"), Entry(1.0, "exit", '{"code":3,"signal":null}'))
    refold(client, row, recording, [])
    assert client.counts["events not as recorded"] > 0


ECHO = """
import sys
for line in sys.stdin:
    print(line, end="", flush=True)
"""


def meddled(tmp_path: Path, share: float, lines: bytes) -> tuple[subprocess.CompletedProcess[bytes], list[str]]:
    told = tmp_path / "meddler.json"
    told.write_text(json.dumps({"log": str(tmp_path / "faults.log"), "share": share}))
    cli = tmp_path / "cli.py"
    cli.write_text(ECHO)
    command = [sys.executable, "-I", "-S", meddler.__file__, str(told), sys.executable, str(cli)]
    done = subprocess.run(command, input=lines, capture_output=True, check=False, env={"PATH": os.defpath}, timeout=60)
    log = tmp_path / "faults.log"
    return done, log.read_text().splitlines() if log.exists() else []


def test_what_meddles_with_a_cli_passes_on_every_line_when_it_has_drawn_no_fault(tmp_path: Path) -> None:
    lines = b"".join(b"line %d\n" % number for number in range(5_000))
    done, faults = meddled(tmp_path, 0.0, lines)
    assert (done.stdout, done.returncode, faults) == (lines, 0, [])


def test_each_fault_of_a_cli_is_told_of_by_name() -> None:
    assert set(meddler.OF_ASKS) < set(meddler.FAULTS)
    assert len(meddler.FAULTS) == 18
