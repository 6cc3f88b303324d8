"""What is read off a request, in the shapes that CLI 2.1.332 and 2.1.197 send."""

from typing import Any

import pytest

from bascule.demo.asked import Aside, Asked, Result, read_request
from tests.demo.asking import asked, assistant, body, outcome, system, text, user

REMINDER = "<system-reminder>\nToday's date is 2026-11-30.\n</system-reminder>\n"
SCHEMA = {"format": {"type": "json_schema", "schema": {"type": "object"}}}


def test_prompt_is_what_the_person_wrote_last() -> None:
    one = asked(user(REMINDER, "first"), assistant("hello"), user("second"))
    assert (one.prompt, one.note, one.fresh) == ("second", "", True)


def test_reminders_are_notes_and_no_prompt() -> None:
    one = asked(user(REMINDER, "hello"))
    assert one.prompt == "hello"
    assert "2026-11-30" in one.note


def test_last_user_message_counts_and_not_a_system_message_behind_it() -> None:
    one = asked(user("hello"), system("# Environment"))
    assert one.prompt == "hello"
    assert one.note == "# Environment"


def test_string_content_is_read_like_a_text_block() -> None:
    assert asked({"role": "user", "content": "plain"}).prompt == "plain"


def test_results_are_read_in_order() -> None:
    one = asked(user("go"), assistant(), user(outcome("ok", id="a"), outcome("no", failed=True, id="b")))
    assert one.results == (Result("a", "ok"), Result("b", "no", failed=True))
    assert not one.fresh


def test_result_of_blocks_is_joined() -> None:
    blocks = {"type": "tool_result", "tool_use_id": "a", "content": [text("one"), {"type": "image"}, text("two")]}
    assert asked(user(blocks)).results == (Result("a", "one\n\ntwo"),)


@pytest.mark.parametrize(
    ("words", "refused"),
    [
        ("Use the Makefile instead.", True),
        ("PreToolUse:Bash hook error: policy says deny", True),
        ("The user doesn't want to proceed with this tool use.", True),
        ("Exit code 3\nout", False),
        ("<tool_use_error>String to replace not found in file.</tool_use_error>", False),
        ("File does not exist. Note: your current working directory is /x.", False),
    ],
)
def test_denial_is_told_from_a_failed_tool_by_its_words(words: str, refused: bool) -> None:
    assert Result("a", words, failed=True).refused is refused


def test_success_is_never_a_denial() -> None:
    assert not Result("a", "Use the Makefile instead.").refused


def test_prompt_after_an_interrupt_is_fresh_although_results_come_with_it() -> None:
    one = asked(
        user("go"),
        assistant(),
        user(outcome("rejected", failed=True), "[Request interrupted by user for tool use]\n", "something else"),
    )
    assert (one.prompt, one.fresh, one.interruptions) == ("something else", True, 1)


def test_prompt_before_an_interrupt_is_not_part_of_the_next_one() -> None:
    assert asked(user("go", "[Request interrupted by user]", "stay")).prompt == "stay"


def test_folded_prompt_of_new_clis_is_unwrapped_and_opens_no_turn() -> None:
    folded = "The user sent a new message while you were working:\none\n\ntwo\n\nThis is how Claude Code surfaces it."
    one = asked(user("go"), assistant(), user(outcome("ok"), folded))
    assert (one.prompt, one.fresh) == ("one\n\ntwo", False)


def test_folded_prompt_of_old_clis_comes_in_a_system_message() -> None:
    folded = "The user sent a new message while you were working:\none\n\nIMPORTANT: After completing your task …"
    one = asked(user("go"), assistant(), user(outcome("ok")), system(folded))
    assert (one.prompt, one.fresh) == ("one", False)


@pytest.mark.parametrize(
    "words",
    [
        "Stop hook feedback:\nPLEASE COMMIT",
        "Output token limit hit. Resume directly",
        "<system-reminder>\n[Your previous response had no visible output.]\n</system-reminder>",
        "[Your previous response had no visible output. Please continue.]",
        "<local-command-stdout>Compacted </local-command-stdout>\n",
    ],
)
def test_what_the_cli_says_by_itself_is_no_prompt(words: str) -> None:
    one = asked(user("go"), assistant("hi"), user(words))
    assert (one.prompt, one.note, one.fresh, one.woken) == ("", words, False, False)


@pytest.mark.parametrize(
    "words",
    ["<task-notification>\n<task-id>b1</task-id>", "<system-reminder>\n<task-notification>…</task-notification>"],
)
def test_notice_of_a_finished_task_wakes_the_model(words: str) -> None:
    assert asked(user("go"), assistant("hi"), user(words)).woken


@pytest.mark.parametrize(
    ("aside", "fields", "words"),
    [
        ("title", {"output_config": SCHEMA}, "<session>\nfix it\n</session>"),
        ("search", {"tools": [{"type": "web_search_20250305", "name": "web_search"}]}, "Perform a web search"),
        ("page", {}, "\nWeb page content:\n---\n<html>"),
        ("suggestion", {"tools": [{"name": "Bash"}]}, "[SUGGESTION MODE: Suggest what the user might type]"),
        ("summary", {"tools": [{"name": "Bash"}]}, "an <analysis> block followed by a <summary> block"),
        ("quota", {"max_tokens": 1}, "quota"),
        ("", {"tools": [{"name": "Bash"}]}, "fix it"),
        ("", {}, "fix it"),
        ("", {"tools": [{"name": "StructuredOutput"}], "output_config": SCHEMA}, "fix it"),
        ("", {"output_config": {"effort": "high"}}, "fix it"),
    ],
)
def test_what_the_cli_asks_aside_is_known_by_its_shape(aside: Aside, fields: dict[str, Any], words: str) -> None:
    assert asked(user(words), **fields).aside == aside


def test_counting_tokens_is_aside() -> None:
    assert read_request("POST", "/v1/messages/count_tokens?beta=true", {}, body(user("hi"))).aside == "count"


def test_request_tells_session_agent_model_and_tools() -> None:
    one = asked(user("hi"), session="s1", agent="a1", tools=[{"name": "Bash"}, {"name": "Read"}], stream=True)
    assert (one.session, one.agent, one.model, one.tools) == ("s1", "a1", "claude-test", ("Bash", "Read"))
    assert one.streaming
    assert one.path == "/v1/messages"


@pytest.mark.parametrize("messages", [None, "text", 3, [None, 3], [{"role": "user"}], [{"role": "user", "content": 3}]])
def test_odd_bodies_are_read_as_saying_nothing(messages: object) -> None:
    one = read_request("POST", "/v1/messages", {}, {"messages": messages, "tools": 3})
    assert (one.prompt, one.results, one.aside, one.tools) == ("", (), "", ())


def test_request_made_by_hand_needs_only_what_matters() -> None:
    assert Asked(prompt="fix it").fresh
