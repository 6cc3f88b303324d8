"""A conversation that was begun with the plain CLI is taken over by a hub, and goes on with all that was said."""

import subprocess
from asyncio import create_subprocess_exec
from asyncio.subprocess import Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from bascule.commands import Import, Prompt, Refused, Taken
from bascule.conversation import PastConversation
from bascule.demo.model import ScriptedModel
from bascule.demo.script import Script, call, say, turn
from bascule.events import Complete, MessageChunk, PromptAccepted, SessionAsleep, ToolCall, ToolUpdate
from bascule.hub.hub import Hub
from bascule.ids import CommandId, SessionId
from tests.hub.outlived import Client, Home, once_each
from tests.transport.programs import steps

SAID = PromptAccepted | ToolCall | ToolUpdate | MessageChunk


def say_plainly(cli: Path, prompt: str, workspace: Path, env: dict[str, str]) -> None:
    """One turn of the CLI as anybody runs it."""
    command = [str(cli), "-p", prompt, "--permission-mode", "bypassPermissions"]
    subprocess.run(
        command, cwd=workspace, env=env, stdin=subprocess.DEVNULL, capture_output=True, timeout=50, check=True
    )


@asynccontextmanager
async def left_open(cli: Path, workspace: Path, env: dict[str, str]) -> AsyncIterator[Process]:
    """A CLI that has answered its first prompt, and waits for another."""
    words = ("-p", "--input-format=stream-json", "--output-format=stream-json", "--verbose")
    process = await create_subprocess_exec(
        cli, *words, cwd=workspace, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, limit=2**24
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(b'{"type":"user","message":{"role":"user","content":"Say one"}}\n')
    try:
        while b'"type":"result"' not in await process.stdout.readuntil():
            pass
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


async def the_only_one(hub: Hub) -> PastConversation:
    """It comes to the disk a moment after its result (2.1.197)."""
    while not (found := (await hub.past()).conversations):
        await steps(1)
    (one,) = found
    return one


async def taken_over(hub: Hub) -> SessionId:
    """The only conversation there is."""
    one = await the_only_one(hub)
    assert (one.first_prompt, one.pid, one.session, one.damaged) == ("Say one", None, None, False)
    receipt = await hub.send(Import(command_id=CommandId("import"), cli_session_id=one.id))
    assert isinstance(receipt, Taken)
    assert receipt.session is not None
    return receipt.session


async def test_a_conversation_of_the_plain_cli_goes_on_in_a_hub(
    home: Home, claude_cli: Path, clean_env: dict[str, str]
) -> None:
    script = Script(turn(call("Bash", command="echo hello"), say("One.")), turn(say("Two.")))
    with ScriptedModel(script) as model:
        env = {**clean_env, "ANTHROPIC_BASE_URL": model.url}
        say_plainly(claude_cli, "Say one", home.workspace, env)
        home.settle(cli=claude_cli, env=env, idle_sleep_s=0.0, look_every_s=0.05)
        async with home.hub() as hub:
            session = await taken_over(hub)
            client = Client([session])
            client.seen[session] = list(await hub.window(session))
            kinds = [type(event) for event in client.seen[session] if isinstance(event, SAID)]
            assert kinds == [PromptAccepted, ToolCall, ToolUpdate, MessageChunk]
            before = hub.live(session).facts()
            again = Prompt(command_id=CommandId("again"), session=session, text="Say two")
            assert isinstance(await hub.send(again), Taken)
            await client.follow(hub, session, SessionAsleep)
            after = hub.live(session).facts()
            assert (before.status, before.turns, after.turns) == ("asleep", 1, 2)
            assert after.cli_session_id == before.cli_session_id
            assert once_each(client.seen[session])
            ends = [event for event in client.seen[session] if isinstance(event, Complete)]
            assert [(end.turn, end.outcome, end.text) for end in ends] == [
                (1, "success", "One."),
                (2, "success", "Two."),
            ]
            (one,) = (await hub.past()).conversations
            assert (one.session, one.id) == (session, before.cli_session_id)
        asked = str(model.requests[-1])
        assert "Say one" in asked
        assert "Say two" in asked
        assert "One." in asked


async def test_L57_a_conversation_that_the_cli_has_open_is_not_taken_over(
    home: Home, claude_cli: Path, clean_env: dict[str, str]
) -> None:
    with ScriptedModel(Script(turn(say("One.")))) as model:
        env = {**clean_env, "ANTHROPIC_BASE_URL": model.url}
        home.settle(cli=claude_cli, env=env)
        async with left_open(claude_cli, home.workspace, env) as process, home.hub() as hub:
            one = await the_only_one(hub)
            assert one.pid == process.pid
            receipt = await hub.send(Import(command_id=CommandId("c1"), cli_session_id=one.id))
            assert isinstance(receipt, Refused)
            assert f"process {process.pid}" in receipt.reason
            assert process.stdin is not None
            process.stdin.close()
            await process.wait()
            receipt = await hub.send(Import(command_id=CommandId("c2"), cli_session_id=one.id))
            assert isinstance(receipt, Taken)
