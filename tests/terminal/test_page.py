"""A conversation as it is read: each thing once, in its place, however it streamed in."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bascule import events as ev
from bascule.events import AnyEvent
from bascule.ids import CliSessionId, PendingId, PromptId
from bascule.payload import CreateTask, Generic, ManageTodos, ShellExec, ShellOutput, SubagentTask, TodoItem
from bascule.terminal.lines import Prose, line
from bascule.terminal.page import Page
from tests.terminal.examples import START, call, question, question_ask, told, tool_ask, update

LS = ShellExec(command="ls", output=ShellOutput(stdout="a"))
AGENT = SubagentTask(description="look", prompt="look")
PROMPT = ev.PromptAccepted(prompt_id=PromptId("p"), text="hi")


def page_of(*events: AnyEvent) -> tuple[Page, list[str]]:
    page = Page()
    return page, [row for event in events for row in told(page.feed(event))]


def shown(*events: AnyEvent) -> list[str]:
    return page_of(*events)[1]


def delta(text: str, item: str = "1", parent: str | None = None) -> ev.MessageChunk:
    return ev.MessageChunk(item=item, text=text, partial=True, parent_tool_call_id=parent)


def whole(text: str, item: str = "1", parent: str | None = None) -> ev.MessageChunk:
    return ev.MessageChunk(item=item, text=text, parent_tool_call_id=parent)


def status(**more: Any) -> ev.SessionStatus:
    facts = {"session_status": "new", "cli_session_id": CliSessionId("c"), "cli_version": "2.1", "model": "m", **more}
    return ev.SessionStatus(**facts)


def resolved(pending_id: str = "ask-1") -> ev.PermissionResolved:
    return ev.PermissionResolved(pending_id=PendingId(pending_id), outcome="allowed", waited_ms=0)


def test_a_turn_as_it_is_read() -> None:
    rows = shown(
        PROMPT,
        status(),
        whole("Let me look."),
        call(LS),
        update(LS),
        whole("Done.", "2"),
        ev.Complete(outcome="success", duration_ms=400),
    )
    assert rows == [
        "» hi", "", "Claude Code 2.1 · m", "", "Let me look.", "", "✓ $ ls", "  │ a", "", "Done.", "", "✓ 0.4 s",
    ]  # fmt: skip


def test_text_is_said_block_by_block_and_once() -> None:
    page, rows = page_of(delta("one\n\nt"), delta("wo"))
    assert rows == ["one"]
    assert told(page.moving(0)) == ["", "two"]
    assert told(page.feed(whole("one\n\ntwo three"))) == ["", "two three"]
    assert page.moving(0) == []


@given(st.text(st.sampled_from("ab \n`"), max_size=60), st.lists(st.integers(1, 7), max_size=60))
def test_how_a_text_was_cut_does_not_matter(text: str, cuts: list[int]) -> None:
    page = Page()
    said: list[str] = []
    at = 0
    for size in [*cuts, len(text)]:
        said += [piece.text for piece in page.feed(delta(text[at : at + size])) if isinstance(piece, Prose)]
        at += size
    said += [piece.text for piece in page.feed(whole(text)) if isinstance(piece, Prose)]
    assert "".join("".join(said).split()) == "".join(text.split())


def test_a_text_whose_deltas_were_lost_is_said_whole() -> None:
    page, rows = page_of(delta("one\n\n"), delta("three"))
    assert rows == ["one"]
    assert told(page.feed(whole("one\n\ntwo\n\nthree"))) == ["", "two\n\nthree"]
    page, _ = page_of(delta("on\n\nx"))
    assert told(page.feed(whole("one\n\nx")))[-1] == "one\n\nx"


def test_a_text_that_never_came_whole_is_said_when_the_turn_ends() -> None:
    assert shown(delta("half"), ev.Complete(outcome="lost")) == ["half", "", "↯ lost"]


def test_text_cannot_steer_the_terminal() -> None:
    page, rows = page_of(delta("a\x1b[2Jb\n\n\x1b]0;t\x07c"))
    assert (rows, told(page.moving(0))) == (["ab"], ["", "c"])


def test_thoughts_are_quiet_and_short() -> None:
    thought = ev.Reasoning(item="1", reasoning_text="\n".join("abcdefghi"), partial=True)
    page, rows = page_of(thought)
    assert rows == []
    assert told(page.moving(0)) == list("defghi")
    done = ev.Reasoning(item="1", reasoning_text="\n".join("abcdefghi"))
    assert told(page.feed(done)) == [*"abcdef", "… 3 more lines"]
    assert page.moving(0) == []


def test_an_empty_thought_is_no_line() -> None:
    assert shown(ev.Reasoning(item="1", reasoning_text=" \n")) == []
    assert shown(ev.Reasoning(item="1", reasoning_text="a", partial=True), ev.Complete(outcome="success")) == ["✓"]


def test_a_call_moves_until_it_ends() -> None:
    page, rows = page_of(call(LS), update(LS, "running"))
    assert rows == []
    assert told(page.moving(START + 5_000)) == ["◌ $ ls · 5.0 s"]
    assert told(page.feed(update(LS, "error", at=START + 5_000))) == ["✗ $ ls · failed · 5.0 s", "  │ a"]
    assert page.moving(START) == []


def test_what_moves_is_spaced_as_it_will_stand() -> None:
    page, _ = page_of(PROMPT, delta("x"), call(LS), ev.Retrying(attempt=2, max_retries=2, delay_ms=0, error="e"))
    assert told(page.moving(START)) == ["", "x", "", "◌ $ ls", "↻ Retrying: e · again in 0.0 s, 2 of 2"]
    assert (page.blank, Page().blank) == (False, True)


def test_an_update_of_an_unknown_call_says_nothing() -> None:
    assert shown(update(LS)) == []


def test_parallel_calls_stand_without_gaps() -> None:
    rows = shown(
        call(Generic(name="A"), title="A"), call(LS, call_id="2"), update(Generic(name="A")), update(LS, call_id="2")
    )
    assert rows == ["✓ A", "✓ $ ls", "  │ a"]


def test_a_subagent_stands_behind_a_rail_under_its_name() -> None:
    rows = shown(
        whole("I ask one."),
        call(AGENT, title="Explore: look", call_id="agent"),
        whole("I look.", "s", "agent"),
        call(LS, call_id="inner", parent="agent"),
        update(LS, call_id="inner"),
        whole("Meanwhile.", "m"),
        whole("Found.", "s2", "agent"),
        update(AGENT, call_id="agent"),
    )
    assert rows == [
        "I ask one.", "", "│ Explore: look:", "│ I look.", "│", "│ ✓ $ ls", "│   │ a", "", "Meanwhile.", "",
        "│ Explore: look:", "│ Found.", "", "✓ Explore: look",
    ]  # fmt: skip


def test_a_subagent_of_a_subagent_stands_one_deeper() -> None:
    page, rows = page_of(
        call(AGENT, title="one", call_id="1"),
        call(AGENT, title="two", call_id="2", parent="1"),
        whole("deep", "t", "2"),
    )
    assert rows == ["", "│ │ two:", "│ │ deep"]
    assert told(page.moving(START)) == ["", "◌ one", "│ ◌ two"]


def test_a_subagent_whose_call_is_unknown_has_a_name_too() -> None:
    assert shown(whole("x", "t", "gone")) == ["", "│ a subagent:", "│ x"]


def test_a_circle_of_subagents_does_not_hang() -> None:
    page, _ = page_of(call(AGENT, call_id="1", parent="2"), call(AGENT, call_id="2", parent="1"))
    assert told(page.feed(whole("x", "t", "1")))[-1] == "│ │ x"


def test_an_ask_and_how_it_ended() -> None:
    rows = shown(tool_ask(), resolved())
    assert rows[0] == "┃ Run a command"
    assert rows[-1] == "✓ Allowed once"


def test_the_subagent_that_asks_is_named() -> None:
    started = ev.TaskStarted(task_id="a1", kind="local_agent", title="look around", background=False)
    assert shown(started, tool_ask(agent_id="a1"))[0] == "┃ Run a command · for the subagent look around"


def test_the_time_of_a_call_is_its_own_without_the_persons() -> None:
    answer = ev.PermissionResolved(
        pending_id=PendingId("ask-1"), outcome="allowed", waited_ms=60_000, at=START + 60_000
    )
    assert shown(call(LS), tool_ask(), answer, update(LS, at=START + 63_000))[-2:] == ["✓ $ ls · 3.0 s", "  │ a"]


def test_an_ask_is_named_when_its_card_is_not_the_last() -> None:
    rows = shown(tool_ask(title="one"), tool_ask(title="two", pending_id="ask-2"), resolved("ask-2"), resolved("ask-1"))
    assert rows[-2:] == ["✓ Allowed once", "✓ Allowed once · one"]


def test_the_end_of_an_ask_that_was_never_shown_is_not_told() -> None:
    assert shown(resolved(), ev.PermissionCancelled(pending_id=PendingId("x"), cause="lost")) == []


def test_questions_stand_below_each_other() -> None:
    rows = shown(question_ask(question("One?"), question("Two?")))
    assert [rows.index("┃ One?"), rows.index("┃ Two?")] == [2, 9]


def test_the_surface_may_say_something_itself() -> None:
    page, _ = page_of(PROMPT)
    assert told(page.said([line("too late")])) == ["", "too late"]
    assert page.said([]) == []


@pytest.mark.parametrize(
    ("event", "rows"),
    [
        (status(), ["Claude Code 2.1 · m"]),
        (status(session_status="resumed", cwd="/w", permission_mode="plan"),
         ["Claude Code 2.1 · resumed · m · mode plan · /w"]),
        (status(requested_mode="plan", permission_mode="default"),
         ["Claude Code 2.1 · m · mode default", "! Asked for mode plan, got default"]),
        (status(cli_version=None, mcp_servers=(ev.McpServer("toy", "failed"), ev.McpServer("ok", "connected"))),
         ["Claude Code · m", "! MCP server toy did not start"]),
    ],
)  # fmt: skip
def test_a_session_introduces_itself(event: ev.SessionStatus, rows: list[str]) -> None:
    assert shown(event) == rows


def test_a_change_that_nobody_sees_is_not_told() -> None:
    page, _ = page_of(status(tools=("a",)))
    assert page.feed(status(session_status="changed", tools=("a", "b"))) == []
    assert told(page.feed(status(session_status="changed", cwd="/x")))[-1] == "Claude Code 2.1 · changed · m · /x"
    assert page.status is not None
    assert page.status.cwd == "/x"


def todos(*items: tuple[str, Any]) -> ev.Todos:
    return ev.Todos(
        items=tuple(
            TodoItem(id=text, description=text, status=state, active_form=f"{text}ing") for text, state in items
        )
    )


def test_of_the_todo_list_the_changes_are_told() -> None:
    rows = shown(
        todos(("plan", "in_progress"), ("test", "pending")),
        todos(("plan", "completed"), ("test", "pending"), ("ship", "cancelled")),
    )
    assert rows == ["◐ planing", "☐ test", "☑ plan", "☒ ship"]


def test_a_call_for_the_todo_list_has_no_line_of_its_own() -> None:
    write, create = ManageTodos(operation="write"), CreateTask(title="t")
    assert shown(call(write), update(write), call(create, call_id="2"), update(create, call_id="2")) == []


def test_background_tasks_are_counted_and_told_when_they_end() -> None:
    started = ev.TaskStarted(task_id="t", kind="local_bash", title="serve", background=True)
    page, rows = page_of(started, ev.TaskStarted(task_id="f", kind="local_agent", title="front", background=False))
    assert (page.background, rows) == (1, [])
    ended = ev.TaskEnded(task_id="t", kind="local_bash", title="serve", outcome="completed")
    assert told(page.feed(ended)) == ["✓ In the background: serve · completed"]
    assert page.feed(ev.TaskEnded(task_id="f", kind="local_agent", title="front")) == []
    assert page.background == 0


def test_a_wait_moves_until_it_is_over() -> None:
    retry = ev.Retrying(attempt=2, max_retries=9, delay_ms=1_000, error="overloaded")
    page, rows = page_of(retry)
    assert (rows, told(page.moving(0))) == ([], ["↻ Retrying: overloaded · again in 1.0 s, 2 of 9"])
    page.feed(delta("x"))
    assert told(page.moving(0)) == ["x"]
    page, _ = page_of(ev.Compaction(phase="started"))
    assert told(page.moving(0)) == ["↻ Compacting the conversation …"]
    page.feed(ev.Compaction(phase="finished"))
    assert page.moving(0) == []


def test_a_failure_is_told_once_in_a_turn() -> None:
    failure = ev.Error(kind="api", message="boom")
    end = ev.SessionEnded(cause="crashed", exit_code=1, stderr_tail="boom\nmore")
    assert shown(failure, failure, end) == [
        "✗ boom", "✗ Claude Code ended in the middle of its work · exit 1", "  │ more",
    ]  # fmt: skip
    assert shown(failure, PROMPT, failure)[-1] == "✗ boom"


@pytest.mark.parametrize("end", [ev.Complete(outcome="success"), ev.SessionEnded(cause="ended")])
def test_when_a_turn_runs_is_known(end: AnyEvent) -> None:
    running, _ = page_of(ev.TurnStarted(cause="prompt", at=7))
    over, _ = page_of(ev.TurnStarted(cause="prompt", at=7), end)
    assert (running.turn_since, over.turn_since) == (7, None)


def test_how_full_the_context_is_stands_in_the_line_of_the_turn() -> None:
    context = ev.ContextWindow(context_window_used=1, context_window_size=2, context_efficiency=50)
    assert shown(context, ev.Complete(outcome="success")) == ["✓ 50 % of context"]
