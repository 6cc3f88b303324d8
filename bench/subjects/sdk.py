"""The official Python SDK: ``ClaudeSDKClient`` and its messages."""

from __future__ import annotations

import asyncio
import time
from typing import Any

from claude_agent_sdk import ClaudeAgentOptions, ClaudeSDKClient, ResultMessage  # type: ignore[import-not-found]

from bench.subjects.run import END, Bell, Stopwatch, main

ANY_LINE = 1 << 30
"""Its limit of one line; by default a line over 1 MiB ends the session."""


def _client(cli: str, cwd: str, env: dict[str, str], limit: int | None = None) -> ClaudeSDKClient:
    return ClaudeSDKClient(
        ClaudeAgentOptions(cli_path=cli, cwd=cwd, env=env, include_partial_messages=True, max_buffer_size=limit)
    )


async def stream(*, cli: str, cwd: str, env: dict[str, str], any_line: bool = False) -> dict[str, Any]:
    """One prompt, and every message up to the last result."""
    async with _client(cli, cwd, env, ANY_LINE if any_line else None) as client:
        await client.query("go")
        watch = Stopwatch()
        try:
            seen = await _read_all(client)
        except Exception as exc:  # noqa: BLE001 - whatever ends the session is the finding
            return {**watch.read(), "seen": None, "died": type(exc).__name__}
        return {**watch.read(), "seen": seen}


async def _read_all(client: ClaudeSDKClient) -> int:
    seen = 0
    async for message in client.receive_messages():
        seen += 1
        if type(message) is ResultMessage and message.result == END:
            break
    return seen


async def interrupt(
    *, cli: str, cwd: str, env: dict[str, str], bell: str, printed_within_s: float, give_up_s: float
) -> dict[str, Any]:
    """The time until an interrupt is acknowledged, with nobody who reads."""
    rings = Bell(bell)
    async with _client(cli, cwd, env) as client:
        await client.query("go")
        all_printed = await rings.rung(within_s=printed_within_s)
        watch = Stopwatch()
        try:
            async with asyncio.timeout(give_up_s):
                await client.interrupt()
        except TimeoutError:
            return {"acknowledged_s": None, "all_printed": all_printed}
        return {"acknowledged_s": watch.read()["wall_s"], "all_printed": all_printed}


async def many(*, cli: str, cwd: str, env: dict[str, str], sessions: int) -> dict[str, Any]:
    """So many sessions at once, from their start to their end."""
    connects: list[float] = []

    async def one() -> None:
        began = time.perf_counter()
        async with _client(cli, cwd, env) as client:
            connects.append(time.perf_counter() - began)
            await client.query("go")
            await _read_all(client)

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
        async with _client(cli, cwd, env):
            starts.append(time.perf_counter() - began)
    return {"starts_s": starts}


if __name__ == "__main__":
    main({"stream": stream, "interrupt": interrupt, "many": many, "start": start})
