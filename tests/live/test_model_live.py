"""The scripted model against the real CLI: each thing a script can say arrives as the model's own would.

The CLI is driven by hand over stream-json, one line at a time, without anything of bascule's but the demo.
"""

import json
import subprocess
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

import pytest

from bascule.demo.model import ScriptedModel
from bascule.demo.script import (
    Script,
    call,
    case,
    choose,
    cut,
    drop,
    fail,
    headers,
    rate_limit,
    respond,
    say,
    stop,
    think,
    turn,
    usage,
    wait,
    when,
)
from bascule.demo.tour import PROMPTS, QUESTION, tour
from bascule.demo.workspace import Workspace, make_workspace

Line = dict[str, Any]
Decision = Callable[[Line], Line]

FLAGS = (
    "-p",
    "--output-format=stream-json",
    "--input-format=stream-json",
    "--verbose",
    "--permission-prompt-tool=stdio",
    "--permission-mode=default",
)


def allow(request: Line) -> Line:
    return {"behavior": "allow", "updatedInput": request["input"]}


def deny(request: Line) -> Line:
    return {"behavior": "deny", "message": "Rather not."}


def answer_first_option(request: Line) -> Line:
    """Allows, and answers a question with its first option."""
    if request["tool_name"] != "AskUserQuestion":
        return allow(request)
    label = request["input"]["questions"][0]["options"][0]["label"]
    return {"behavior": "allow", "updatedInput": {**request["input"], "answers": {QUESTION: label}}}


class Conversation:
    """A CLI process and the lines it has written so far in the turn."""

    def __init__(self, command: list[str], project: Path, environment: Mapping[str, str]) -> None:
        self.process = subprocess.Popen(
            command, cwd=project, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def __enter__(self) -> "Conversation":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if error is not None:
            self.process.kill()
        self.process.communicate()

    def sends(self, line: Line) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(line) + "\n")
        self.process.stdin.flush()

    def says(self, prompt: str) -> None:
        message = {"role": "user", "content": prompt}
        self.sends({"type": "user", "message": message, "uuid": str(uuid.uuid4())})

    def requests(self, subtype: str, **fields: Any) -> None:
        request = {"subtype": subtype, **fields}
        self.sends({"type": "control_request", "request_id": subtype, "request": request})

    def lines(self, decide: Decision) -> Iterator[Line]:
        """What the CLI writes; each ask in it is answered by `decide`."""
        assert self.process.stdout is not None
        for text in self.process.stdout:
            line: Line = json.loads(text)
            if line["type"] == "control_request":
                answer = {"subtype": "success", "request_id": line["request_id"], "response": decide(line["request"])}
                self.sends({"type": "control_response", "response": answer})
            yield line

    def until(self, kind: str, decide: Decision = allow) -> list[Line]:
        """The lines up to the first of this type, that one included."""
        seen = []
        for line in self.lines(decide):
            seen.append(line)
            if line["type"] == kind:
                return seen
        raise AssertionError(f"the CLI ended before a {kind} line; the last lines were {seen[-3:]}")

    def turn(self, prompt: str, decide: Decision = allow) -> list[Line]:
        """The lines of a turn, the last of which is its result."""
        self.says(prompt)
        return self.until("result", decide)


Start = Callable[..., Any]


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return make_workspace(tmp_path)


@pytest.fixture
def start(claude_cli: Path, workspace: Workspace) -> Start:
    """Starts the CLI on a model: `with start(model, *flags, NAME=value) as cli`."""

    def conversation(model: ScriptedModel, *flags: str, **environment: str) -> Conversation:
        whole = {**workspace.environment(model.url), **environment}
        return Conversation([str(claude_cli), *FLAGS, *flags], workspace.project, whole)

    return conversation


def blocks(lines: list[Line], kind: str) -> list[Line]:
    """The content blocks of one type in the assistant's lines."""
    contents = [line["message"]["content"] for line in lines if line["type"] == "assistant"]
    return [block for content in contents for block in content if block["type"] == kind]


def texts(lines: list[Line]) -> list[str]:
    return [str(block["text"]) for block in blocks(lines, "text")]


def retries(lines: list[Line]) -> list[int | None]:
    return [line["error_status"] for line in lines if line.get("subtype") == "api_retry"]


@pytest.mark.smoke
def test_text_streams_with_its_thinking_and_its_counts(start: Start) -> None:
    script = Script(
        turn(think("Let me see."), say("Hello from **nowhere**."), usage(input=1000, output=77, cache_read=5)), chunk=5
    )
    with ScriptedModel(script) as model, start(model, "--include-partial-messages") as cli:
        lines = cli.turn("hi")
    deltas = [line["event"]["delta"] for line in lines if line["type"] == "stream_event" and "delta" in line["event"]]
    assert "".join(delta.get("text", "") for delta in deltas) == "Hello from **nowhere**."
    assert "".join(delta.get("thinking", "") for delta in deltas) == "Let me see."
    assert [block["thinking"] for block in blocks(lines, "thinking")] == ["Let me see."]
    assert lines[-1]["result"] == "Hello from **nowhere**."
    counts = lines[-1]["usage"]
    assert (counts["input_tokens"], counts["output_tokens"], counts["cache_read_input_tokens"]) == (1000, 77, 5)


def test_slow_text_takes_its_time(start: Start) -> None:
    with ScriptedModel(Script(say("0123456789", chunk=1, delay_s=0.05))) as model, start(model) as cli:
        result = cli.turn("hi")[-1]
    assert result["result"] == "0123456789"
    assert result["duration_api_ms"] >= 500


def test_parallel_calls_come_back_in_one_request(start: Start, workspace: Workspace) -> None:
    reads = [call("Read", file_path=str(workspace.project / name)) for name in ("README.md", "basket.py")]
    with ScriptedModel(Script(turn(*reads, say("Both read.")))) as model, start(model) as cli:
        assert cli.turn("look")[-1]["result"] == "Both read."
        first, second = model.asked
    assert first.prompt == "look"
    assert second.prompt == ""
    assert [result.failed for result in second.results] == [False, False]
    assert "discounted" in "".join(result.text for result in second.results)


@pytest.mark.parametrize(("decide", "said"), [(allow, "It ran."), (deny, "You said: Rather not.")])
def test_script_sees_whether_a_call_was_denied(start: Start, decide: Decision, said: str) -> None:
    reaction = choose(
        case(respond(lambda asked: say(f"You said: {asked.results[0].text}")), when=when(refused=True)),
        case(say("It ran.")),
    )
    with ScriptedModel(Script(turn(call("Bash", command="touch made"), reaction))) as model, start(model) as cli:
        assert cli.turn("go", decide)[-1]["result"] == said


def test_errors_that_pass_are_retried(start: Start) -> None:
    script = Script(turn(fail(429, headers={"retry-after": "1"}), fail(529), drop(), say("Sorry for the wait.")))
    with ScriptedModel(script) as model, start(model) as cli:
        lines = cli.turn("hi")
        assert len(model.asked) == 4
    assert retries(lines) == [429, 529, None]
    assert lines[-1]["result"] == "Sorry for the wait."


def test_error_that_stays_ends_the_turn(start: Start) -> None:
    with ScriptedModel(Script(fail(400, message="no such thing"), say("next"))) as model, start(model) as cli:
        result = cli.turn("hi")[-1]
        assert (result["is_error"], result["api_error_status"]) == (True, 400)
        assert "no such thing" in result["result"]
        assert cli.turn("again")[-1]["result"] == "next"


def test_cut_stream_is_asked_for_again(start: Start) -> None:
    with ScriptedModel(Script(turn(say("one tw"), cut("inside"), say("One two three.")))) as model, start(model) as cli:
        lines = cli.turn("count")
    assert texts(lines) == ["One two three."]
    assert lines[-1]["result"] == "One two three."


def test_text_at_its_limit_goes_on_in_the_turn(start: Start) -> None:
    with ScriptedModel(Script(turn(say("One tw"), stop("max_tokens"), say("o three.")))) as model, start(model) as cli:
        assert texts(cli.turn("count")) == ["One tw", "o three."]
        assert model.left == 0


def test_interrupted_reply_leaves_its_turn(start: Start) -> None:
    with ScriptedModel(Script(turn(wait("never"), say("unheard")), say("second"))) as model, start(model) as cli:
        cli.says("first")
        model.gate("never").reached()
        cli.requests("interrupt")
        assert cli.until("result")[-1]["is_error"]
        assert cli.turn("go on")[-1]["result"] == "second"
        assert [asked.prompt for asked in model.asked] == ["first", "go on"]


def test_feedback_of_a_stop_hook_meets_its_condition(start: Start) -> None:
    def object_once(request: Line) -> Line:
        return {} if request["input"]["stop_hook_active"] else {"decision": "block", "reason": "uncommitted: basket.py"}

    script = Script(say("Done."), turn(say("Left for you to see."), when=when(note="Stop hook")))
    with ScriptedModel(script) as model, start(model) as cli:
        cli.requests("initialize", hooks={"Stop": [{"hookCallbackIds": ["stop"]}]})
        assert texts(cli.turn("hi", object_once)) == ["Done.", "Left for you to see."]
        assert "uncommitted: basket.py" in model.asked[-1].note


def test_finished_task_wakes_a_turn_of_its_own(start: Start) -> None:
    task = call("Bash", command="true", run_in_background=True)
    script = Script(turn(task, say("Started.")), turn(say("It has ended."), when=when(note="<task-notification>")))
    with ScriptedModel(script) as model, start(model) as cli:
        seen = texts(cli.turn("go"))
        while seen[-1] != "It has ended.":
            seen += texts(cli.until("result"))
        assert model.asked[-1].woken


def test_prompt_sent_during_a_turn_is_seen_with_the_results(start: Start) -> None:
    script = Script(turn(call("Bash", command="touch made"), respond(lambda asked: say(f"Also: {asked.prompt}"))))
    with ScriptedModel(script) as model, start(model) as cli:

        def mention(request: Line) -> Line:
            cli.says("mind the gap")
            return allow(request)

        assert cli.turn("go", mention)[-1]["result"] == "Also: mind the gap"
        assert not model.asked[-1].fresh


def test_subagent_has_a_turn_of_its_own(start: Start) -> None:
    task = call("Agent", description="Look", prompt="COUNT the files", subagent_type="general-purpose")
    script = Script(turn(task, say("It counted.")), turn(say("Four files."), when=when(prompt="count", agent=True)))
    with ScriptedModel(script) as model, start(model, CLAUDE_CODE_DISABLE_BACKGROUND_TASKS="1") as cli:
        assert cli.turn("hi")[-1]["result"] == "It counted."
        main, child, back = model.asked
    assert (main.agent, child.agent != "", back.agent) == ("", True, "")
    assert "Four files." in back.results[0].text


def test_title_and_compaction_are_answered_aside(start: Start) -> None:
    with ScriptedModel(Script(say("one"), say("two"), say("three"))) as model, start(model) as cli:
        cli.turn("first")
        cli.turn("second")  # 2.1.197 compacts no shorter conversation.
        cli.requests("generate_session_title", description="fix the parser", persist=False)
        answer = cli.until("control_response")[-1]["response"]["response"]
        assert answer["title"] == "fix the parser"
        compacted = cli.turn("/compact")
        assert any(line.get("compact_result") == "success" for line in compacted)
        assert cli.turn("third")[-1]["result"] == "three"
        assert {request.aside for request in model.requests} >= {"title", "summary"}


def test_search_of_the_web_is_answered_aside(start: Start) -> None:
    with (
        ScriptedModel(Script(turn(call("WebSearch", query="draw bridges"), say("Found.")))) as model,
        start(model) as cli,
    ):
        assert cli.turn("search")[-1]["result"] == "Found."
        assert "About draw bridges" in model.asked[-1].results[0].text


def test_rate_limits_become_events(start: Start) -> None:
    limits = headers(rate_limit("allowed_warning", used=0.91, resets_at=int(time.time()) + 3600))
    token = {"CLAUDE_CODE_OAUTH_TOKEN": "sk-ant-oat01-scripted", "ANTHROPIC_API_KEY": ""}
    with ScriptedModel(Script(turn(limits, say("hi")))) as model, start(model, **token) as cli:
        (event,) = [line for line in cli.turn("hi") if line["type"] == "rate_limit_event"]
    assert event["rate_limit_info"]["status"] == "allowed_warning"
    assert event["rate_limit_info"]["utilization"] == 0.91


@pytest.mark.smoke
def test_tour_mends_the_project_when_everything_is_approved(start: Start, workspace: Workspace) -> None:
    with ScriptedModel(tour(workspace.project)) as model, start(model) as cli:
        results = [cli.turn(prompt, answer_first_option)[-1]["result"] for prompt in PROMPTS]
    assert results[0].startswith("## basket")
    assert results[1] == "**All tests pass.**"
    assert results[2].startswith("*The better one* it is.")
    assert results[3] == "**All tests pass.**"
    assert "def with_coupon" in (workspace.project / "basket.py").read_text()


def test_tour_changes_nothing_when_everything_is_denied(start: Start, workspace: Workspace) -> None:
    before = (workspace.project / "basket.py").read_text()
    with ScriptedModel(tour(workspace.project)) as model, start(model) as cli:
        results = [cli.turn(prompt, deny)[-1]["result"] for prompt in PROMPTS]
    assert results[1] == "I leave `basket.py` as it is. You said: “Rather not”."
    assert results[3] == "Not like this. You said: “Rather not”. I stop."
    assert (workspace.project / "basket.py").read_text() == before
