"""A card shows exactly what will run, whole, and tells the model's words from ours."""

import msgspec
import pytest

from bascule.events import PermissionRequest
from bascule.ids import PendingId
from bascule.payload import (
    CodeSearch,
    Cut,
    Generic,
    HttpRequest,
    Mark,
    McpCall,
    ModifyFile,
    Mutation,
    Payload,
    ReadFile,
    ShellExec,
    ShowPlan,
    SubagentTask,
)
from bascule.terminal.asks import card, subject
from bascule.terminal.figures import clock
from bascule.terminal.lines import BAD, CHIP, GRAVE, QUIET, STRONG, Line, Piece, Prose, Span
from tests.terminal.examples import EDIT, form_ask, marked_ask, plan_ask, question_ask, told, tool_ask


def rows(ask: PermissionRequest) -> list[str]:
    return [row.removeprefix("┃").strip() for row in told(card(ask))]


def spans(pieces: list[Piece]) -> list[Span]:
    return [span for piece in pieces if isinstance(piece, Line) for span in piece.spans]


def test_the_card_of_a_command() -> None:
    assert told(card(marked_ask())) == [
        "┃ Run a command",
        "┃",
        "┃   git fetch && git push --force",
        "┃",
        "┃   1 git fetch  allowed by git fetch* (rules.toml:3)  network",
        "┃   2 git push --force  git push/force",
        "┃   folder  /w",
        "┃",
        "┃ Marks: network, git push/force",
        "┃ Claude says: Publish the branch",
        "┃ Asks because: no rule covers it",
    ]


def test_a_grave_span_is_underlined_and_its_mark_red() -> None:
    found = spans(card(marked_ask()))
    assert Span("git push --force", GRAVE) in found
    assert Span("git fetch && ", STRONG) in found
    assert Span("git push/force", BAD) in found


def test_a_mark_may_span_lines() -> None:
    ask = tool_ask(ShellExec(command="a\nrm b\nrm c"), marks=(Mark(mark="delete", grave=True, start=2, end=11),))
    assert [span for span in spans(card(ask)) if span.style == GRAVE] == [Span("rm b", GRAVE), Span("rm c", GRAVE)]


def test_every_line_of_a_long_command_is_shown() -> None:
    command = "\n".join(f"echo {number}" for number in range(500))
    assert rows(tool_ask(ShellExec(command=command)))[2:502] == command.split("\n")


def test_a_hidden_character_is_a_chip() -> None:
    found = spans(card(tool_ask(ShellExec(command="echo \u202ehsab | x\x1b[2K"))))
    assert Span("U+202E", CHIP) in found
    assert Span("U+001B", CHIP) in found


def test_nothing_of_a_card_is_clipped() -> None:
    lines = [piece for piece in card(marked_ask()) if isinstance(piece, Line)]
    assert all(line.fit == "wrap" for line in lines)


def test_how_many_wait_and_who_asks_is_told() -> None:
    asked = tool_ask(agent_id="agent-1")
    assert told(card(asked, waiting=3))[0] == "┃ Run a command · for the subagent · 1 of 3"
    assert told(card(asked, agent="look around"))[0] == "┃ Run a command · for the subagent look around"


def test_the_models_description_is_left_out_when_it_is_the_command_itself() -> None:
    assert not any("Claude says" in row for row in rows(tool_ask(ShellExec(command="make"), says="make")))


def test_a_deadline_is_told() -> None:
    at = 1_700_000_000_000
    assert f"Denies itself at {clock(at)}" in rows(tool_ask(expires_at=at))


def test_what_is_shown_in_part_says_so() -> None:
    payload = ModifyFile(
        file_path="/a", mutations=(Mutation(type="create", content="x"),), cuts=(Cut("content", 90_000, 4_000),)
    )
    assert "Shown in part: content has 90,000 characters in 4,000 lines. v shows all of it." in rows(tool_ask(payload))


@pytest.mark.parametrize(
    ("payload", "expected"),
    [
        (EDIT, ["Change a file", "/w/app.py  +1 -1", "7   a = 0", "8 - x = 1", "8 + x = 2", "9   b = 0"]),
        (ModifyFile(file_path="/n", mutations=(Mutation(type="create", content="hi"),), added=1, removed=0),
         ["Create a file", "/n  +1 -0", "1 + hi"]),
        (ModifyFile(file_path="/n", mutations=(Mutation(type="replace", diff="-a\n+b"),)),
         ["Write a file anew", "/n", "1 - a", "1 + b"]),
        (ModifyFile(file_path="/n", mutations=(Mutation(type="patch", diff="-a\n+b", everywhere=True),)),
         ["Change a file", "/n", "each place where it stands:", "- a", "+ b"]),
        (ModifyFile(file_path="/n", mutations=(Mutation(type="delete", old_content="a"),)),
         ["Delete a file", "/n", "1 - a"]),
        (ReadFile(file_path="/etc/shadow"), ["Read a file", "/etc/shadow"]),
        (HttpRequest(url="http://10.0.0.1/x"), ["Fetch from the web", "http://10.0.0.1/x"]),
        (HttpRequest(query="weather"), ["Search the web", "weather"]),
        (SubagentTask(description="d", prompt="Do\nit", subagent_type="explore"),
         ["Start a subagent", "type  explore", "Do", "it"]),
        (McpCall(server="toy", tool="echo", input={"text": "a\nb", "n": 1}),
         ["Use echo of toy", "text  a", "b", "n     1"]),
        (ShellExec(command="sleep 9", background=True, timeout_ms=5),
         ["Run a command in the background", "sleep 9", "timeout  5 ms"]),
    ],
)  # fmt: skip
def test_the_thing_that_is_asked_for(payload: Payload, expected: list[str]) -> None:
    assert [row for row in rows(tool_ask(payload)) if row] == expected


@pytest.mark.parametrize(
    ("payload", "words"),
    [
        (ShellExec(command="", task_id="b1"), "Look after a background command"),
        (CodeSearch(query="q", pattern="q"), "Search files"),
        (ShowPlan(entering=True), "Enter plan mode"),
        (Generic(name="New"), "Use Tool"),
    ],
)
def test_what_has_no_picture_is_shown_as_json(payload: Payload, words: str) -> None:
    ask = tool_ask(payload, tool_input={"a": [1, "ü"]})
    assert subject(ask) == words
    assert [row for row in rows(ask) if row][1:] == ["{", '"a": [', "1,", '"ü"', "]", "}"]


@pytest.mark.parametrize(
    ("payload", "tool_input", "expected"),
    [
        (HttpRequest(url="https://a.org", query="any keys?"), {"url": "https://a.org", "prompt": "any keys?"},
         ["https://a.org", "prompt  any keys?"]),
        (HttpRequest(query="q"), {"query": "q", "allowed_domains": ["a.org"]},
         ["q", "allowed_domains  [", '"a.org"', "]"]),
        (ReadFile(file_path="/n", offset=9, limit=2), {"file_path": "/n", "offset": 9, "limit": 2},
         ["/n", "offset  9", "limit   2"]),
        (SubagentTask(description="d", prompt="p", model="m"),
         {"description": "d", "prompt": "p", "model": "m", "mode": "x", "isolation": "", "type": None},
         ["model        m", "description  d", "mode         x", 'isolation    ""', "type:        null", "p"]),
        (ShellExec(command="ls"), {"command": "ls", "dangerouslyDisableSandbox": True},
         ["ls", "dangerouslyDisableSandbox  true"]),
        (ModifyFile(file_path="/n", mutations=(Mutation(type="patch", content="b"),)),
         {"notebook_path": "/n", "new_source": "b", "cell_id": "c1"}, ["/n", "1 + b", "cell_id  c1"]),
    ],
)  # fmt: skip
def test_no_field_of_an_input_is_left_out(payload: Payload, tool_input: object, expected: list[str]) -> None:
    assert [row for row in rows(tool_ask(payload, tool_input=tool_input)) if row][1:] == expected


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("/w/src/app.py", "src/app.py"),
        ("/w/../etc/passwd", "/w/../etc/passwd"),
        ("/w//x", "/w//x"),
        ("/w", "/w"),
        ("/w/", "/w/"),
        ("/other/app.py", "/other/app.py"),
    ],
)
def test_a_file_of_the_workspace_is_named_from_there(path: str, shown: str) -> None:
    for payload in (ReadFile(file_path=path), ModifyFile(file_path=path)):
        mutated = msgspec.structs.replace(EDIT, file_path=path) if isinstance(payload, ModifyFile) else payload
        assert shown in told(card(tool_ask(mutated), cwd="/w"))[2].removeprefix("┃   ").split("  ")


def test_a_plan_is_markdown() -> None:
    assert [piece.text for piece in card(plan_ask()) if isinstance(piece, Prose)] == ["# Plan\n\n1. Do it"]
    assert subject(plan_ask()) == "Go on with this plan?"


def test_a_plan_in_a_file_names_it() -> None:
    assert "The plan stands in /p/plan.md" in rows(plan_ask(" "))


def test_an_empty_plan_says_so() -> None:
    ask = PermissionRequest(
        pending_id=PendingId("p"), ask="plan", tool_name="P", title="P", normalized=ShowPlan(), input={}, input_hash="h"
    )
    assert "The plan is empty." in rows(ask)


def test_who_asks_is_named() -> None:
    assert subject(question_ask()) == "Claude asks"
    assert subject(form_ask({})) == "toy asks"
    assert told(card(form_ask({}))) == ["┃ toy asks", "┃", "┃ Who are you?"]


def test_a_dialog_shows_what_it_holds() -> None:
    ask = PermissionRequest(
        pending_id=PendingId("d"), ask="dialog", tool_name="trust", title="trust folder",
        normalized=Generic(name="trust", input={"a": 1}), input={"a": 1}, input_hash="h",
    )  # fmt: skip
    assert [row for row in rows(ask) if row] == ["Claude Code shows a dialog: trust folder", "{", '"a": 1', "}"]


def test_a_card_has_an_amber_edge() -> None:
    assert all(piece.rail[0].text == "┃ " and piece.rail[0].style == "33" for piece in card(marked_ask()))
    assert Span("Claude says: ", QUIET) in spans(card(marked_ask()))
