"""What each option does to the real CLI: seen in what the model is asked, or in what the CLI says or leaves behind."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from bascule.commands import AllowOnce
from bascule.demo.asked import Asked
from bascule.demo.script import call, say, turn, wait, when
from bascule.errors import StartFailed
from bascule.events import MessageChunk, Notice, PermissionRequest, TaskEnded, TaskStarted, ToolUpdate
from bascule.wire.initialize import Agent
from tests.live.stage import Stage, said, seen, so_far

OLD_MODEL = "claude-haiku-4-5"
"""One that takes a number of tokens to think with, and none."""
BETA = "context-1m-2025-08-07"
MEMORY = "persistent file-based memory"
"""In the part of the system prompt that tells where notes are kept, which differs by machine."""
HELPER = Agent(description="Helps.", prompt="HELPER-WORDS")
SUBAGENT = (
    turn(call("Agent", subagent_type="helper", description="d", prompt="Sub"), say("Main."), when=when(prompt="Main")),
    turn(say("SUB-WORDS"), when=when(prompt="Sub")),
    say("More."),
    say("Even more."),
)
SERVER = """
import json, sys
TOOL = {"name": "run", "description": "Runs", "inputSchema": {"type": "object"}}
for line in sys.stdin:
    message = json.loads(line)
    answer = {"content": [{"type": "text", "text": "IN-THE-BOX"}]}
    if message.get("method") == "initialize":
        version = message["params"]["protocolVersion"]
        info = {"name": "box", "version": "1"}
        answer = {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": info}
    elif message.get("method") == "tools/list":
        answer = {"tools": [TOOL]}
    if "id" in message:
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": answer}), flush=True)
"""


async def asked(stage: Stage, **options: Any) -> Asked:
    """What the model is asked in the first turn."""
    async with stage.play(say("Hello."), **options) as (session, model):
        await said(session, "Hi")
        return model.asked[0]


def system(request: Asked) -> str:
    return "\n".join(block["text"] for block in request.body["system"])


@pytest.fixture
def box(stage: Stage) -> dict[str, Any]:
    """An MCP server whose one tool says that it ran in a box."""
    stage.path("box.py").write_text(SERVER)
    return {"command": sys.executable, "args": [str(stage.path("box.py"))]}


@pytest.mark.parametrize(
    ("thinking", "sent"),
    [
        ("adaptive", {"type": "enabled", "budget_tokens": 31_999}),
        ("disabled", {"type": "disabled"}),
        (2048, {"type": "enabled", "budget_tokens": 2048}),
    ],
)
async def test_thinking_is_as_much_as_was_said(stage: Stage, thinking: Any, sent: dict[str, Any]) -> None:
    request = await asked(stage, model=OLD_MODEL, thinking=thinking)
    assert {key: request.body["thinking"][key] for key in sent} == sent


async def test_thoughts_are_told_as_was_said(stage: Stage) -> None:
    request = await asked(stage, thinking_display="summarized")
    assert request.body["thinking"]["display"] == "summarized"


async def test_highlights_of_thoughts_are_new(stage: Stage) -> None:
    if stage.newer:
        assert (await asked(stage, thinking_display="highlights")).body["thinking"]["display"] == "highlights"
        return
    with pytest.raises(StartFailed) as failed:
        await asked(stage, thinking_display="highlights")
    assert "--thinking-display" in failed.value.stderr_tail


async def test_the_beta_that_the_cli_knows_is_sent_and_another_is_not(stage: Stage) -> None:
    request = await asked(stage, model="claude-sonnet-4-5", betas=("another-2099-01-01", BETA))
    sent = request.headers["anthropic-beta"].split(",")
    assert BETA in sent
    assert "another-2099-01-01" not in sent
    assert BETA not in (await asked(stage, model="claude-sonnet-4-5")).headers["anthropic-beta"]


async def test_effort_and_a_budget_for_the_task_are_told_to_the_model(stage: Stage) -> None:
    request = await asked(stage, effort="low", task_budget=20_000)
    assert request.body["output_config"] == {"effort": "low", "task_budget": {"type": "tokens", "total": 20_000}}


async def test_the_system_prompt_is_that_of_the_file(stage: Stage) -> None:
    stage.path("prompt.md").write_text("WORDS-OF-THE-FILE")
    request = await asked(stage, system_prompt_file="prompt.md")
    assert request.body["system"][-1]["text"] == "WORDS-OF-THE-FILE"


async def test_what_differs_by_machine_can_go_into_the_first_prompt(stage: Stage) -> None:
    for moved in (False, True):
        request = await asked(stage, exclude_dynamic_sections=moved)
        assert (MEMORY in system(request)) is not moved
        assert (MEMORY in json.dumps(request.messages)) is moved


async def test_a_snapshot_of_the_system_prompt_outlasts_the_session(stage: Stage) -> None:
    """2.1.197 keeps none; 2.1.332 keeps one unless told not to."""
    for snapshot, kept in ((None, stage.newer), (False, False)):
        async with stage.play(say("One."), append_system_prompt="FIRST", system_prompt_snapshot=snapshot) as (first, _):
            await said(first, "Hi")
            conversation = first.cli_session_id
        request = await asked(
            stage, resume=conversation, append_system_prompt="SECOND", system_prompt_snapshot=snapshot
        )
        assert ("FIRST" in system(request)) is kept
        assert ("SECOND" in system(request)) is not kept


async def test_in_plan_mode_the_model_is_told_what_was_said(stage: Stage) -> None:
    request = await asked(stage, policy="plan", plan_mode_instructions="PLAN-AS-WE-DO")
    assert "PLAN-AS-WE-DO" in json.dumps(request.body)


async def test_a_session_has_its_title(stage: Stage) -> None:
    async with stage.play(say("Hello."), title="Of baskets") as (session, _):
        await said(session, "Hi")
    (transcript,) = stage.config.glob(f"projects/*/{session.cli_session_id}.jsonl")
    titles = [
        line["customTitle"]
        for text in transcript.read_text().splitlines()
        if "customTitle" in (line := json.loads(text))
    ]
    assert set(titles) == {"Of baskets"}


async def test_nothing_is_left_of_a_session_that_shall_not_persist(stage: Stage) -> None:
    await asked(stage, persist_session=False)
    assert list(stage.config.glob("projects/*/*.jsonl")) == []
    await asked(stage)
    assert len(list(stage.config.glob("projects/*/*.jsonl"))) == 1


async def test_a_prompt_can_be_text_and_nothing_else(stage: Stage) -> None:
    """2.1.197 reads it as ever, and a notice says so."""
    stage.path("notes.txt").write_text("WORDS-OF-THE-NOTES")
    async with stage.play(say("Hello."), verbatim_prompts=True) as (session, model):
        await said(session, "See @notes.txt")
        assert ("WORDS-OF-THE-NOTES" in json.dumps(model.asked[0].body)) is not stage.newer
    told = [event.text for event in await so_far(session) if isinstance(event, Notice) and "heed" in event.text]
    assert told == ([] if stage.newer else ["this CLI is too old to heed verbatim_prompts"])


async def test_the_model_is_told_of_the_skills_that_were_chosen(stage: Stage) -> None:
    for name in ("sew", "weave"):
        folder = stage.path(f".claude/skills/{name}")
        folder.mkdir(parents=True)
        folder.joinpath("SKILL.md").write_text(f"---\nname: {name}\ndescription: Can {name} things\n---\n{name}")
    for skills, there in ((None, ["sew", "weave"]), (("sew",), ["sew"]), ((), [])):
        body = json.dumps((await asked(stage, skills=skills)).body)
        assert [name for name in ("sew", "weave") if f"Can {name} things" in body] == there


async def test_L42_a_call_by_an_alias_is_judged_as_the_tool_that_runs(stage: Stage, box: dict[str, Any]) -> None:
    options = {"policy": "supervised", "mcp_servers": {"box": box}, "tool_aliases": {"Bash": "mcp__box__run"}}
    script = turn(call("Bash", command="touch made", description="d"), say("Done."))
    async with stage.play(say("Warm."), script, **options) as (session, _):
        await said(session, "Warm up")
        handle = await session.prompt("Go")
        ask = await seen(session, PermissionRequest)
        await session.decide(ask.pending_id, AllowOnce())
        await handle
    (done,) = [e for e in await so_far(session) if isinstance(e, ToolUpdate) and e.tool_status == "complete"]
    assert ask.tool_name == "mcp__box__run"
    assert "IN-THE-BOX" in str(done.normalized)
    assert not stage.path("made").exists()


async def test_a_server_that_always_loads_has_its_tools_before_the_model(stage: Stage, box: dict[str, Any]) -> None:
    """2.1.332 lets the model search for the others."""
    for always in (True, False):
        request = await asked(stage, mcp_servers={"box": {**box, "alwaysLoad": always}})
        assert ("mcp__box__run" in {tool["name"] for tool in request.body["tools"]}) is (always or not stage.newer)


async def test_a_sandbox_that_the_machine_lacks_stops_the_start(stage: Stage) -> None:
    """No `bwrap` in reach: the CLI's own default is to go on in the open."""
    stage.path("settings.json").write_text('{"env": {"OF_THE_SETTINGS": "1"}}')
    options = {"settings": "settings.json", "env": {"PATH": str(stage.path("no-programs"))}}
    with pytest.raises(StartFailed) as failed:
        await asked(stage, sandbox={"enabled": True}, **options)
    assert "sandbox required but unavailable" in failed.value.stderr_tail
    await asked(stage, sandbox={"enabled": True, "failIfUnavailable": False}, **options)


async def test_settings_are_laid_over_as_a_mapping_too(stage: Stage) -> None:
    async with stage.play(say("never said"), settings={"env": {"OF_THE_SETTINGS": "1"}}) as (session, _):
        assert (await session.cli.settings()).effective["env"] == {"OF_THE_SETTINGS": "1"}


async def test_subagents_are_heard_when_asked_for(stage: Stage) -> None:
    """2.1.332 runs this one beside the turn, and then tells of it in any case."""
    for forward in (False, True):
        async with stage.play(*SUBAGENT, agents={"helper": HELPER}, forward_subagent_text=forward) as (session, _):
            await said(session, "Main")
            await session.idle()
        texts = [e.text for e in await so_far(session) if isinstance(e, MessageChunk) and e.parent_tool_call_id]
        assert ("SUB-WORDS" in texts) is (forward or stage.newer)


async def test_an_agent_is_what_was_said_of_it(stage: Stage) -> None:
    """2.1.197 leaves aside what it does not know, and a notice says so where it matters."""
    stage.path("CLAUDE.md").write_text("MEMORY-OF-THE-PROJECT")
    agent = Agent(
        description="Helps.", prompt="HELPER-WORDS", omit_claude_md=True, effort="low", critical_system_reminder="x",
        max_turns=3, observer="other", observer_message="Look on.", auto_compact_window=100_000,
    )  # fmt: skip
    async with stage.play(*SUBAGENT, agents={"helper": agent, "other": HELPER}) as (session, model):
        await said(session, "Main")
        await session.idle()
        (request,) = [one for one in model.asked if "HELPER-WORDS" in system(one)]
    assert ("MEMORY-OF-THE-PROJECT" in json.dumps(request.body)) is not stage.newer
    assert request.body["output_config"]["effort"] == ("low" if stage.newer else "high")
    told = [event.text for event in await so_far(session) if isinstance(event, Notice) and "heed" in event.text]
    assert bool(told) is not stage.newer


async def test_one_bad_agent_makes_the_cli_drop_all_and_the_start_fail(stage: Stage) -> None:
    agents = {"helper": HELPER, "other": Agent(description="d", prompt="p", tools=("Read",), mcp_servers=(3,))}
    with pytest.raises(StartFailed, match="did not take the agents helper, other"):
        await asked(stage, agents=agents)


async def test_an_interrupt_can_spare_agents_in_the_background(stage: Stage) -> None:
    """2.1.197 stops them all the same."""
    main = turn(
        call("Agent", subagent_type="helper", description="d", prompt="Sub", run_in_background=True),
        wait("main"),
        when=when(prompt="Main"),
    )
    sub = turn(wait("sub"), say("SUB-WORDS"), when=when(prompt="Sub"))
    options = {"agents": {"helper": HELPER}, "interrupt_spares_agents": True}
    async with stage.play(main, sub, say("More."), say("Even more."), **options) as (session, model):
        await session.prompt("Main")
        await seen(session, TaskStarted)
        model.gate("sub").reached()
        model.gate("main").reached()
        await session.interrupt()
        model.gate("sub").open()
        ended = await seen(session, TaskEnded)
    assert ended.outcome == ("completed" if stage.newer else "stopped")


async def test_settings_of_the_project_can_be_those_of_another_folder(stage: Stage, tmp_path: Path) -> None:
    """2.1.197 does not start with it."""
    root = tmp_path / "root"
    folder = root / ".claude" / "skills" / "knit"
    folder.mkdir(parents=True)
    folder.joinpath("SKILL.md").write_text("---\nname: knit\ndescription: Can knit things\n---\nknit")
    if stage.newer:
        assert "Can knit things" in json.dumps((await asked(stage, project_config_root=root)).body)
        return
    with pytest.raises(StartFailed) as failed:
        await asked(stage, project_config_root=root)
    assert "unknown option" in failed.value.stderr_tail


async def test_the_cli_tells_of_its_doings_in_a_file(stage: Stage) -> None:
    await asked(stage, debug_file="debug.log")
    assert "[DEBUG]" in stage.path("debug.log").read_text()
