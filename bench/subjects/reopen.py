"""``reopen``: sessions that are long, and how long it takes until something of them is seen."""

from __future__ import annotations

import time
from typing import Any, Final

from bascule.events import AnyEvent
from bascule.ids import SessionId
from bascule.recording import Entry
from bascule.store.rows import SessionRow
from bascule.store.sqlite import open_store
from bascule.store.store import Store
from bascule.transcript.fold import Fold
from bascule.view.fold import fold_all
from bascule.view.model import View
from bench import lines
from bench.subjects.house import House, Hub
from bench.subjects.reading import asked
from bench.subjects.run import Stopwatch, main

PAGE: Final = 500
"""Events that are stored at a time."""


async def reopen(*, folder: str, cli: str, events: int, times: int) -> dict[str, Any]:
    """A long session, and one of a tenth of its length."""
    house = House(folder=folder, cli=cli)
    lengths = {"long": events, "tenth": events // 10}
    async with house.kept():
        folds = await _stored(house, lengths)
        async with house.hub({}) as hub:
            views = {name: [await _seen_s(hub, name) for _ in range(times)] for name in lengths}
    return {**folds, "views_s": views}


async def _stored(house: House, lengths: dict[str, int]) -> dict[str, dict[str, float]]:
    """Sessions in the store that have so many events. What each event cost: made of its line, and in the whole view."""
    store = await open_store(house.state / "hub.db")
    made_us, viewed_us = {}, {}
    for number, (name, length) in enumerate(lengths.items()):
        session = SessionId(name)
        await store.put_session(_row(session, house))
        watch = Stopwatch()
        told = _events(session, length, number)
        made_us[name] = watch.read()["cpu_s"] / length * 1e6
        await _append(store, session, told)
        watch = Stopwatch()
        view = fold_all(View(), told)
        viewed_us[name] = watch.read()["cpu_s"] / length * 1e6
        if view.seq != length:
            raise RuntimeError(f"the view of {length} events is at {view.seq}")
    await store.close()
    return {"made_us": made_us, "viewed_us": viewed_us}


def _row(session: SessionId, house: House) -> SessionRow:
    cwd = str(house.workspace)
    return SessionRow(id=session, cwd=cwd, policy="supervised", status="asleep", created_at=1, updated_at=1)


async def _append(store: Store, session: SessionId, told: list[AnyEvent]) -> None:
    for at in range(0, len(told), PAGE):
        await store.append(session, at + PAGE, told[at : at + PAGE])


def _events(session: SessionId, length: int, number: int) -> list[AnyEvent]:
    fold = Fold(session)
    told: list[AnyEvent] = []
    for line in lines.stamped(length, pieces=0, number=number):
        told += [event for event in fold.feed(Entry(0.0, "out", line)) if event.seq is not None]
        if len(told) >= length:
            break
    return told[:length]


async def _seen_s(hub: Hub, name: str) -> float:
    began = time.perf_counter()
    view = await asked(hub.address, "GET", f"/api/sessions/{name}/view")
    if not view["events"]:
        raise RuntimeError(f"nothing is seen of {name}")
    return time.perf_counter() - began


if __name__ == "__main__":
    main({"reopen": reopen})
