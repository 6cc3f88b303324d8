"""The floor: an asyncio subprocess, ``read``, ``split``, ``json.loads``, and nothing else. It understands nothing."""

from __future__ import annotations

import asyncio
import json
import os
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from bench.subjects.run import END, Stopwatch, main

FLAGS = (
    "-p", "--output-format=stream-json", "--input-format=stream-json", "--verbose", "--permission-prompt-tool=stdio",
    "--permission-mode=default", "--include-partial-messages", "--replay-user-messages",
)  # fmt: skip
INITIALIZE = b'{"type":"control_request","request_id":"1","request":{"subtype":"initialize","hooks":{}}}\n'
PROMPT = b'{"type":"user","message":{"role":"user","content":"go"}}\n'
READ = 64 * 1024


class Cli:
    """The process, and its lines as JSON values."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self.stdin = process.stdin
        self._stdout = process.stdout

    async def messages(self) -> AsyncIterator[list[Any]]:
        """What came, a list for each read."""
        begun: list[bytes] = []
        while chunk := await self._stdout.read(READ):
            first, *lines = chunk.split(b"\n")
            begun.append(first)
            if lines:
                whole = [b"".join(begun), *lines[:-1]]
                begun = [lines[-1]]
                yield [json.loads(line) for line in whole]


@asynccontextmanager
async def started(cli: str, cwd: str, env: dict[str, str]) -> AsyncIterator[Cli]:
    """The CLI once it has answered ``initialize``."""
    process = await asyncio.create_subprocess_exec(
        cli, *FLAGS, stdin=-1, stdout=-1, stderr=-3, cwd=cwd, env={"PATH": os.defpath, **env}
    )
    client = Cli(process)
    client.stdin.write(INITIALIZE)
    async for messages in client.messages():
        if any(message["type"] == "control_response" for message in messages):
            break
    yield client
    client.stdin.close()
    await process.wait()


async def stream(*, cli: str, cwd: str, env: dict[str, str]) -> dict[str, Any]:
    """One prompt, and every message up to the last result."""
    async with started(cli, cwd, env) as client:
        client.stdin.write(PROMPT)
        watch = Stopwatch()
        seen = await _read_all(client)
        return {**watch.read(), "seen": seen}


async def _read_all(client: Cli) -> int:
    seen = 0
    async for messages in client.messages():
        for message in messages:
            seen += 1
            if message["type"] == "result" and message.get("result") == END:
                return seen
    return seen


async def many(*, cli: str, cwd: str, env: dict[str, str], sessions: int) -> dict[str, Any]:
    """So many sessions at once, from their start to their end."""
    connects: list[float] = []

    async def one() -> None:
        began = time.perf_counter()
        async with started(cli, cwd, env) as client:
            connects.append(time.perf_counter() - began)
            client.stdin.write(PROMPT)
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
        async with started(cli, cwd, env):
            starts.append(time.perf_counter() - began)
    return {"starts_s": starts}


if __name__ == "__main__":
    main({"stream": stream, "many": many, "start": start})
