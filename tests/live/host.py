"""A host in a process of its own, for a test to kill: opens a session over a keeper, prompts, and says how far it is.

Its order comes on stdin as JSON. What it says: ``prompted``, ``asking`` when an ask is open, ``called`` when the model
has called the tool `wait`, which never comes to its end here.
"""

import asyncio
import json
import sys
import time
from pathlib import Path
from typing import Any

from bascule.events import PermissionRequest
from bascule.ids import PromptId, SessionId
from bascule.mcp.server import ToolServer
from bascule.mcp.tool import Tool, tool
from bascule.session.opening import session_over
from bascule.session.options import Options, arguments, environment_of
from bascule.transport.argv import argv
from bascule.transport.keeper import attach, spawn_keeper
from bascule.transport.launch import Launch

SESSION = SessionId("s")
PROMPT = PromptId("11111111-0000-4000-8000-000000000001")


def options_of(order: dict[str, Any], wait: Tool) -> Options:
    """The same for who opens the session and for who comes back to it, but for what `wait` does."""
    return Options(
        id=SESSION,
        cwd=order["workspace"],
        env=order["env"],
        policy="supervised",
        allow=("mcp__here__wait", "Bash(echo made)"),
        rule_files=(),
        stop_git_check=False,
        tool_servers=(ToolServer("here", [wait]),),
    )


def say(word: str) -> None:
    sys.stdout.write(f"{word}\n")
    sys.stdout.flush()


@tool
async def wait() -> None:
    """Waits."""
    say("called")
    await asyncio.Event().wait()


async def main(order: dict[str, Any]) -> None:
    options, folder, began_at = options_of(order, wait), Path(order["folder"]), time.time()
    launch = Launch((order["cli"], *argv(arguments(options))), environment_of(options), order["workspace"])
    await spawn_keeper(launch, folder, session_id=SESSION, began_at=began_at)
    async with (
        attach(folder) as pipe,
        session_over(pipe, options, began_at=began_at, leaves=True) as session,
    ):
        await session.prompt("Go", prompt_id=PROMPT)
        say("prompted")
        async for event in session.events():
            if isinstance(event, PermissionRequest):
                say("asking")


if __name__ == "__main__":
    asyncio.run(main(json.load(sys.stdin)))
