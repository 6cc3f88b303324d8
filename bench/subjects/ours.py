"""bascule: ``open_session`` and its events."""

from __future__ import annotations

import asyncio
import io
import time
from functools import partial
from pathlib import Path
from typing import Any, Final

from bascule.events import Complete
from bascule.ids import SessionId
from bascule.protocol.framing import Framing
from bascule.recording import Entry
from bascule.session.opening import open_session
from bascule.session.options import Options
from bascule.session.session import Session
from bascule.transcript.fold import Fold
from bascule.wire.codec import decode
from bench.subjects.run import END, Bell, Stopwatch, main

CHUNK: Final = 64 * 1024


async def stream(*, cli: str, cwd: str, env: dict[str, str]) -> dict[str, Any]:
    """One prompt, and every event up to the last result."""
    async with open_session(Options(cli=cli, cwd=cwd, env=env)) as session:
        await session.prompt("go")
        watch = Stopwatch()
        seen = await _read_all(session)
        return {**watch.read(), "seen": seen}


async def _read_all(session: Session) -> int:
    seen = 0
    async for event in session.events():
        seen += 1
        if type(event) is Complete and event.text == END:
            break
    return seen


async def interrupt(
    *, cli: str, cwd: str, env: dict[str, str], bell: str, printed_within_s: float, give_up_s: float
) -> dict[str, Any]:
    """The time until an interrupt is acknowledged, with nobody who reads."""
    rings = Bell(bell)
    async with open_session(Options(cli=cli, cwd=cwd, env=env)) as session:
        await session.prompt("go")
        all_printed = await rings.rung(within_s=printed_within_s)
        watch = Stopwatch()
        try:
            async with asyncio.timeout(give_up_s):
                await session.interrupt()
        except TimeoutError:
            return {"acknowledged_s": None, "all_printed": all_printed}
        return {"acknowledged_s": watch.read()["wall_s"], "all_printed": all_printed}


async def many(*, cli: str, cwd: str, env: dict[str, str], sessions: int) -> dict[str, Any]:
    """So many sessions at once, from their start to their end."""
    connects: list[float] = []

    async def one() -> None:
        began = time.perf_counter()
        async with open_session(Options(cli=cli, cwd=cwd, env=env)) as session:
            connects.append(time.perf_counter() - began)
            await session.prompt("go")
            await _read_all(session)

    watch = Stopwatch()
    async with asyncio.TaskGroup() as tasks:
        for number in range(sessions):
            tasks.create_task(one(), name=f"session {number}")
    return {**watch.read(), "connects_s": connects}


async def start(*, cli: str, cwd: str, env: dict[str, str], times: int) -> dict[str, Any]:
    """How long each start takes until a prompt could be sent."""
    starts = []
    for _ in range(times):
        began = time.perf_counter()
        async with open_session(Options(cli=cli, cwd=cwd, env=env)):
            starts.append(time.perf_counter() - began)
    return {"starts_s": starts}


async def stages(*, cli: str, cwd: str, env: dict[str, str]) -> dict[str, Any]:
    """CPU seconds of the pure stages alone, each over all lines that the CLI would print."""
    return _stages(io.BytesIO(Path(env["BENCH_LINES"]).read_bytes()))  # noqa: ASYNC240 - nothing else runs


def _stages(printed: io.BytesIO) -> dict[str, Any]:
    framing, fold = Framing(), Fold(SessionId("bench"))
    chunks = list(iter(partial(printed.read, CHUNK), b""))
    watch = Stopwatch()
    lines = [line for chunk in chunks for line in framing.feed(chunk)]
    framed = watch.read()["cpu_s"]
    messages = [decode(line) for line in lines]
    decoded = watch.read()["cpu_s"]
    entries = [Entry(0.0, "out", line) for line in lines]
    watch = Stopwatch()
    for entry, message in zip(entries, messages, strict=True):
        fold.feed(entry, message)
    return {"framing_s": framed, "decode_s": decoded - framed, "fold_s": watch.read()["cpu_s"]}


if __name__ == "__main__":
    main({"stream": stream, "interrupt": interrupt, "many": many, "start": start, "stages": stages})
