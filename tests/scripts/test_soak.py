"""A short soak finds nothing wrong, and it would find it."""

from collections import Counter
from pathlib import Path

import pytest

from bascule.events import PermissionCancelled, PermissionRequest, PermissionResolved, PolicyDecided
from bascule.ids import CommandId, PendingId
from bascule.payload import Misc
from scripts.soak import WRONG, Soak, soak


@pytest.mark.timeout(120)
async def test_hubs_keepers_and_clis_are_killed_and_nothing_is_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    counts, soaking = await soak(3, 5.0, 11)
    assert {name: counts.get(name, 0) for name in WRONG} == dict.fromkeys(WRONG, 0)
    assert counts["hubs killed"] >= 1
    assert counts["turns"] >= 3
    assert counts["asks"] >= 3
    assert len(soaking.positions) == counts["events"]


def asked(pending_id: str) -> PermissionRequest:
    return PermissionRequest(
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


def test_what_is_wrong_with_asks_is_counted(tmp_path: Path) -> None:
    soaking = Soak(tmp_path, 1, 0)
    soaking.receipts[CommandId("Anna r1")] = '{"receipt":"taken"}'
    soaking._compare_asks(
        [
            *map(asked, ("r1", "r2", "r3", "r4")),
            resolved("r1", "Anna"),
            PermissionCancelled(pending_id=PendingId("r1"), cause="lost"),
            resolved("r2", "Anna"),
            resolved("r3", "Ben"),
            PolicyDecided(tool_call_id="t", verdict="allow", rule="x", reason="y"),
        ]
    )
    assert soaking.counts == Counter({"asks lost": 1, "asks ended twice": 1, "allowed without cause": 3})


async def test_an_event_that_did_not_come_or_came_twice_is_counted(tmp_path: Path) -> None:
    soaking = Soak(tmp_path, 1, 0)
    events = [PolicyDecided(seq=n, tool_call_id="t", verdict="deny", rule="x", reason="y") for n in (1, 2, 3)]
    soaking.seen["s0"] = [events[0], events[0], events[2]]
    await soaking._compare("s0", list(events))
    assert (soaking.counts["events lost"], soaking.counts["events doubled"]) == (1, 1)
