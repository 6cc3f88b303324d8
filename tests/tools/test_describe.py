"""Every tool and every result, known or not, gives a payload; nothing raises and all of it is bounded JSON."""

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bascule import tools
from bascule.payload import TEXT_LIMIT, Cut, Generic, Misc, ModifyFile, Payload, ReadFile, ShellExec
from bascule.tools import describe, finish
from bascule.tools.describe import _CALLS
from tests.tools.recorded import Recorded, all_recorded, recorded

NAMES = [*_CALLS, "TaskStop", "mcp__git__log", "Unknown", ""]


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("ExitPlanMode", "plan"),
        ("AskUserQuestion", "question"),
        ("EnterPlanMode", "tool"),
        ("Bash", "tool"),
        ("X", "tool"),
    ],
)
def test_a_plan_and_a_question_are_asked_as_what_they_are(name: str, kind: str) -> None:
    assert tools.ask_kind(name) == kind


def test_an_unknown_tool_is_shown_with_its_name_and_input() -> None:
    call = recorded("17_bad_tool")[0]
    assert call.described == Generic(name="NoSuchTool", input={"a": 1})
    assert call.finished == Generic(
        name="NoSuchTool", input={"a": 1}, output="Error: No such tool available: NoSuchTool", is_error=True
    )


def test_a_search_for_tools_is_chatter() -> None:
    assert describe("ToolSearch", {"query": "pdf"}) == Misc(label="ToolSearch", details="pdf")
    assert Recorded("ToolSearch", {"query": "pdf"}, "found", None, False).finished == Misc(
        label="ToolSearch", details="pdf"
    )


def test_every_recorded_call_gives_json_that_reads_back() -> None:
    decoder = msgspec.json.Decoder(Payload)
    kinds = set()
    for call in all_recorded():
        for payload in (call.described, call.finished):
            assert decoder.decode(msgspec.json.encode(payload)) == payload
            assert payload.cuts == ()
        kinds.add(type(call.finished))
    assert len(kinds) == 12


def test_cuts_of_the_call_are_told_after_the_result_too() -> None:
    long = "x" * (TEXT_LIMIT + 1)
    done = Recorded("Bash", {"command": long, "description": long}, long, None, False).finished
    assert [cut.field for cut in done.cuts] == ["command", "description", "output.stdout"]


def test_what_the_result_brings_anew_is_cut_anew() -> None:
    call = Recorded(
        "Edit",
        {"file_path": "a", "old_string": "x" * 60_000, "new_string": "y"},
        "done",
        {"oldString": "x" * 70_000, "newString": "y", "structuredPatch": []},
        False,
    )
    assert [cut.field for cut in call.described.cuts] == ["mutations.0.old_content", "mutations.0.diff"]
    assert call.finished.cuts == (Cut("mutations.0.old_content", 70_000, 1),)


def test_the_payload_of_the_call_is_what_the_result_completes() -> None:
    seen = ShellExec(command="as edited", description="as seen")
    done = finish(seen, "Bash", {"command": "as asked"}, content="out", result=None, is_error=False)
    assert isinstance(done, ShellExec)
    assert (done.command, done.description) == ("as edited", "as seen")


KEYS = st.sampled_from(
    "file_path content old_string new_string edits command todos questions options label url query task id status type"
    " file structuredPatch lines oldStart numLines totalLines filenames stdout results answers tasks plan newTodos"
    " originalFile harnessNoteCount isImage ws shell_id task_type notebook_path new_source edit_mode pattern".split()
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.sampled_from(["text", "create"]),
    lambda children: st.lists(children, max_size=3) | st.dictionaries(KEYS | st.text(max_size=4), children, max_size=5),
    max_leaves=15,
)


@given(st.sampled_from(NAMES) | st.text(max_size=10), JSON, JSON, JSON, st.booleans())
def test_whatever_the_model_wrote_nothing_raises(
    name: str, tool_input: Any, content: Any, result: Any, is_error: bool
) -> None:
    payload = describe(name, tool_input)
    done = finish(payload, name, tool_input, content=content, result=result, is_error=is_error)
    msgspec.json.encode([payload, done])
    assert len(tools.title(name, tool_input, "/w").encode()) < 400
    facts = tools.facts(name, tool_input)
    msgspec.json.encode([tools.marks(facts, "/w"), tools.parts(facts, None), tools.suggestions(facts)])
    msgspec.json.encode(tools.todos_after((), name, tool_input, result))


@given(st.sampled_from(NAMES), st.text(max_size=8), st.integers(min_value=1, max_value=4))
def test_any_long_text_is_bounded(name: str, seed: str, repeat: int) -> None:
    long = (seed or "x") * (repeat * 9_000)
    keys = [
        "file_path",
        "content",
        "old_string",
        "new_string",
        "command",
        "description",
        "prompt",
        "plan",
        "url",
        "pattern",
    ]
    tool_input = dict.fromkeys([*keys, "query", "subject", "new_source"], long)
    payload = describe(name, tool_input)
    done = finish(payload, name, tool_input, content=long, result={"stdout": long}, is_error=False)
    assert len(msgspec.json.encode(done)) < 20 * 6 * TEXT_LIMIT


def test_a_payload_changed_by_nobody_keeps_its_kind() -> None:
    assert isinstance(Recorded("Read", {}, "", None, False).finished, ReadFile)
    assert isinstance(Recorded("Write", {}, "", None, False).finished, ModifyFile)
