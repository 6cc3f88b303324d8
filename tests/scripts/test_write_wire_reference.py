"""The reference of the wire and what the doctor knows are made from the code and the recordings, and are current."""

import ast
import json
from functools import cache

import pytest

from bascule.doctor.catalogue import TESTED
from bascule.doctor.variants import VARIANTS
from bascule.recording import Entry
from bascule.wire import control, messages, permissions, result, system
from bascule.wire.answers import Interrupted
from bascule.wire.hook_outputs import HookOutput
from scripts import write_wire_reference
from scripts.recorded import Recording
from scripts.wire_evidence import Evidence

RUN = "run python -m scripts.write_wire_reference"


@cache
def page() -> str:
    return write_wire_reference.page()


def test_everything_that_is_made_is_current() -> None:
    assert [path.name for path in write_wire_reference.stale()] == [], RUN


def test_every_message_has_an_entry_and_none_is_told_twice() -> None:
    headings = [line for line in page().splitlines() if line.startswith("### ")]
    assert {"### Assistant", "### Result", "### Init", "### CanUseTool", "### PreToolUse", "### Usage"} <= set(headings)
    assert len(headings) > 250


def entry(name: str) -> list[str]:
    """The lines below a heading."""
    return page().partition(f"\n### {name}\n")[2].partition("\n#")[0].splitlines()


def row(name: str, field: str) -> list[str]:
    (found,) = [line for line in entry(name) if line.startswith(f"| `{field}` |")]
    return [cell.strip() for cell in found.split("|")[2:5]]


def test_a_field_stands_with_a_recording_of_each_version() -> None:
    assert row("Assistant", "aborted") == ["`true or false`", "`10_stream_text_partial`", "–"]
    assert row("Assistant", "message") == ["`ApiMessage`", "`01_simple_text`", "`02_multi_turn`"]
    assert row("PreToolUse", "tool_name")[0] == "`text`"
    assert row("AddRules", "behavior")[1] != "–"


def test_a_system_line_is_told_by_type_and_subtype() -> None:
    assert '`"type": "system"`, `"subtype": "init"`.' in entry("Init")[1]


def test_a_class_that_no_recording_shows_says_so() -> None:
    assert "In no recording." in entry("MirrorError")


@pytest.mark.parametrize("version", TESTED)
def test_every_key_that_the_doctor_knows_has_a_recording(version: str) -> None:
    known = json.loads((write_wire_reference.KNOWN / f"{version}.json").read_text())
    assert all(recording for keys in known["keys"].values() for recording in keys.values())
    assert known["keys"]["result"]["is_error"] == ("01_simple_text" if version == TESTED[0] else "02_multi_turn")


def evidence(*lines: tuple[str, object]) -> Evidence:
    """What one recording with these lines shows."""
    entries = tuple(Entry(0, "in" if way == ">" else "out", json.dumps(line)) for way, line in lines)
    return Evidence([Recording("1.0.0", "00_made", entries)])


def answer(request_id: str, body: object) -> object:
    """A successful answer."""
    return {
        "type": "control_response",
        "response": {"subtype": "success", "request_id": request_id, "response": body},
    }


def test_what_a_line_holds_is_shown_down_to_its_parts() -> None:
    shown = evidence(("<", {"type": "result", "num_turns": 1, "stop_reason": None, "origin": {"kind": "x"}}))
    assert shown.of(result.Result, "1.0.0", "num_turns") == "00_made"
    assert shown.of(messages.Origin, "1.0.0", "kind") == "00_made"
    assert shown.of(result.Result, "1.0.0", "stop_reason") is None
    assert shown.of(result.Result, "2.0.0") is None


def test_bodies_of_answers_are_read_as_what_was_asked() -> None:
    request = {"type": "control_request", "request_id": "a", "request": {"subtype": "interrupt"}}
    ask = {"subtype": "can_use_tool", "tool_name": "X", "input": {}}
    hook = {"subtype": "hook_callback", "callback_id": "c", "input": {"hook_event_name": "Stop"}}
    shown = evidence(
        (">", request),
        ("<", answer("a", {"still_queued": [], "mood": 1})),
        ("<", {"type": "control_request", "request_id": "b", "request": ask}),
        (">", answer("b", {"behavior": "allow", "updatedInput": {"x": 1}})),
        ("<", {"type": "control_request", "request_id": "c", "request": hook}),
        (">", answer("c", {"decision": "block"})),
        ("<", answer("unasked", {"mood": 1})),
        ("<", "no object"),
    )
    assert shown.of(Interrupted, "1.0.0", "still_queued") == "00_made"
    assert shown.of(permissions.Allow, "1.0.0", "updatedInput") == "00_made"
    assert shown.of(HookOutput, "1.0.0", "decision") == "00_made"
    assert shown.of(control.CanUseTool, "1.0.0") == "00_made"
    assert shown.unread == {("Interrupted", "mood"): {"1.0.0": "00_made"}}


def test_what_no_class_reads_is_listed_by_its_place() -> None:
    shown = evidence(("<", {"type": "system", "subtype": "status", "mood": 1}), (">", {"type": "user", "mood": 1}))
    assert shown.unread == {("Status", "mood"): {"1.0.0": "00_made"}}
    assert shown.of(system.Status, "1.0.0") == "00_made"


def test_everything_that_is_said_of_bascule_is_held_by_a_live_test() -> None:
    said = [trait.name for trait in VARIANTS if any(way.means for way in trait.ways)]
    assert sorted(write_wire_reference.claims()) == sorted(said)


@pytest.mark.parametrize("trait", write_wire_reference.claims())
def test_the_test_of_a_claim_is_there_and_runs_on_every_version(trait: str) -> None:
    claim = write_wire_reference.claims()[trait]
    tree = ast.parse((write_wire_reference.ROOT / claim.path).read_text(encoding="utf-8"))
    tests = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}
    given = {argument.arg for argument in tests[claim.test].args.args}
    assert given & {"stage", "start"}, "the fixtures that come with each tested version"
    assert f"[✓](../../{claim.path}#{claim.test})" in page()
