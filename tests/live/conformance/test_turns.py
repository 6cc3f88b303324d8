"""Turns: what a prompt gives, in which order, and what the lines carry."""

from bascule.demo.script import call, say, think, turn
from tests.live.conformance.stage import ID, MAKE, NOISE, Stage, inits
from tests.testing.driven import shapes


def test_a_turn_is_init_message_result(stage: Stage, cli_version: str) -> None:
    stage.play(say("Hello."))
    with stage.start() as cli:
        result = cli.turn("hi")
        assert shapes(cli.lines, without=NOISE) == ["system/init", "assistant/text", "result/success"]
        assert (result["result"], result["is_error"], result["num_turns"]) == ("Hello.", False, 1)
        assert result["terminal_reason"] == "completed"
        assert inits(cli.lines)[0]["claude_code_version"] == cli_version
        assert cli.end() == 0


def test_initialize_is_answered_first_and_init_comes_with_every_turn(stage: Stage, newer: bool) -> None:
    stage.play(say("one"), say("two"))
    with stage.start() as cli:
        answer = cli.initialize()
        assert answer["subtype"] == "success"
        assert inits(cli.lines) == []
        assert ("claude_code_version" in answer["response"]) is newer
        cli.turn("first")
        cli.turn("second")
        first, second = inits(cli.lines)
        assert first["session_id"] == second["session_id"]
        assert ("capabilities" in first) is newer


def test_blocks_are_lines_with_the_usage_of_the_start(stage: Stage) -> None:
    stage.play(turn(think("Hm."), say("Look."), call("Read", file_path="a.txt"), say("Seen.")))
    (stage.workspace / "a.txt").write_text("a\n")
    with stage.start() as cli:
        cli.turn("look")
        lines = [line for line in cli.lines if line["type"] == "assistant"]
        assert shapes(lines) == ["assistant/thinking", "assistant/text", "assistant/tool_use", "assistant/text"]
        first, second, third, last = (line["message"] for line in lines)
        assert first["id"] == second["id"] == third["id"] != last["id"]
        assert first["usage"] == second["usage"] == third["usage"]
        assert {message["usage"]["output_tokens"] for message in (first, second, third)} == {1}
        assert {message["stop_reason"] for message in (first, last)} == {None}
        assert len({line["uuid"] for line in lines}) == 4


def test_with_partial_messages_a_block_is_whole_before_its_stop(stage: Stage) -> None:
    stage.play(turn(say("Hello there."), MAKE, say("Done.")))
    with stage.start("--include-partial-messages", mode="bypassPermissions") as cli:
        cli.turn("hi")
        words = [
            word for word in shapes(cli.lines, without="prompt/ stream/content_block_delta") if word != "stream/ping"
        ]
        assert words[:8] == [
            "system/init",
            "system/status",
            "stream/message_start",
            "stream/content_block_start",
            "assistant/text",
            "stream/content_block_stop",
            "stream/content_block_start",
            "assistant/tool_use",
        ]
        assert words[-7:] == [
            "stream/message_start",
            "stream/content_block_start",
            "assistant/text",
            "stream/content_block_stop",
            "stream/message_delta",
            "stream/message_stop",
            "result/success",
        ]
        deltas = [
            line["event"]["delta"] for line in cli.lines if line.get("event", {}).get("type") == "content_block_delta"
        ]
        assert "".join(delta.get("text", "") for delta in deltas) == "Hello there.Done."


def test_a_prompt_with_a_uuid_is_told_of_by_the_newer_version_only(stage: Stage, newer: bool) -> None:
    stage.play(say("one"), say("two"))
    with stage.start() as cli:
        cli.turn("first", ID.format(1))
        cli.turn("second")
        told = [line["state"] for line in cli.lines if line["type"] == "command_lifecycle"]
        assert told == (["queued", "started", "completed"] if newer else [])
        first, second = [line for line in cli.lines if line["type"] == "result"]
        assert first.get("user_message_uuids") == ([ID.format(1)] if newer else None)
        assert second.get("user_message_uuids") is None
        assert [first.get("result_index"), second.get("result_index")] == ([0, 1] if newer else [None, None])


def test_the_cost_is_cumulative_and_the_usage_of_a_turn_is_not(stage: Stage) -> None:
    stage.play(say("one"), say("two"))
    with stage.start() as cli:
        first, second = cli.turn("first"), cli.turn("second")
        assert second["total_cost_usd"] > first["total_cost_usd"] > 0
        [before], [after] = first["modelUsage"].values(), second["modelUsage"].values()
        assert after["outputTokens"] == before["outputTokens"] + second["usage"]["output_tokens"]


def test_session_states_are_told_when_asked_for(stage: Stage) -> None:
    stage.play(turn(MAKE, say("Done.")))
    with stage.start(CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS="1") as cli:
        cli.prompt("make")
        cli.allow(cli.ask())
        cli.next(lambda line: line.get("state") == "idle")
        told = [line["state"] for line in cli.lines if line.get("subtype") == "session_state_changed"]
        assert told == ["running", "requires_action", "running", "idle"]
        assert shapes(cli.lines)[-1] == "system/session_state_changed"
