"""What is read off a recording for who comes back, and that it is the same from a checkpoint."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from bascule import recording
from bascule.events import GrantGiven
from bascule.ids import GrantId, PendingId, SessionId
from bascule.recording import Entry
from bascule.session.keeping import FORMAT, Kept, keep, restored
from bascule.session.past import Past
from bascule.transcript.fold import Fold
from bascule.wire.codec import decode

RECORDINGS = sorted((Path(__file__).parents[1] / "recordings").glob("2.*/*.jsonl"))
R1 = PendingId("r1")


def entries_of(path: Path) -> list[Entry]:
    return [entry for entry in recording.read(path.read_bytes().splitlines()) if isinstance(entry, Entry)]


def read(entries: list[Entry], fold: Fold, past: Past) -> None:
    for entry in entries:
        message = decode(entry.line) if entry.dir in ("in", "out") else None
        past.took(entry, message, fold.feed(entry, message))


def told(past: Past) -> dict[str, Any]:
    """All that it knows, in a form that can be compared."""
    plain = dict(vars(past))
    for name in ("connection", "approved", "outline", "watch"):
        plain[name] = vars(plain[name])
    return plain


@pytest.mark.parametrize("path", RECORDINGS, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_the_rest_is_the_same_from_a_checkpoint(path: Path) -> None:
    entries = entries_of(path)
    fold, past = Fold(SessionId("s")), Past()
    middle = len(entries) // 2
    read(entries[:middle], fold, past)
    kept = restored(keep(middle, fold, past))
    assert kept.line == middle
    read(entries[middle:], fold, past)
    read(entries[middle:], kept.fold, kept.past)
    assert told(kept.past) == told(past)


@pytest.mark.parametrize("data", [b"", b"x", FORMAT, FORMAT + b"x", keep(0, Fold(SessionId("s")), Past())[:-9]])
def test_what_is_no_checkpoint_is_told(data: bytes) -> None:
    with pytest.raises(ValueError, match="checkpoint"):
        restored(data)


def test_a_checkpoint_of_something_else_is_told() -> None:
    with pytest.raises(ValueError, match="holds no session"):
        restored(keep("1", Fold(SessionId("s")), Past()))  # type: ignore[arg-type]
    assert isinstance(restored(keep(1, Fold(SessionId("s")), Past())), Kept)


class Tale:
    """A recording that is written as it is read."""

    def __init__(self) -> None:
        self.past = Past()
        self._fold = Fold(SessionId("s"))
        self._t = 0.0
        self._tell("argv", '["claude"]')

    def _tell(self, direction: recording.Dir, line: str) -> None:
        self._t += 1
        read([Entry(self._t, direction, line)], self._fold, self.past)

    def knows(self, what: str) -> Any:
        """A fact of the past, as it is now."""
        return getattr(self.past, what)

    def dies(self, code: int) -> None:
        self._tell("exit", f'{{"code":{code}}}')

    def notes(self, note: recording.Note) -> None:
        self._tell("note", recording.note(note))

    def says(self, **message: Any) -> None:
        self._tell("out", msgspec.json.encode(message).decode())

    def writes(self, **message: Any) -> None:
        self._tell("in", msgspec.json.encode(message).decode())

    def begins_anew(self) -> None:
        self.dies(0)
        self._tell("argv", '["claude","--resume=x"]')

    def requests(self, request_id: str, **body: Any) -> None:
        self.says(type="control_request", request_id=request_id, request=body)

    def answers(self, request_id: str, **body: Any) -> None:
        answer = {"subtype": "success", "request_id": request_id, "response": body}
        self.writes(type="control_response", response=answer)

    def asks(self, request_id: str, call_id: str = "t1", tool: str = "Bash") -> None:
        body = {"subtype": "can_use_tool", "tool_name": tool, "input": {"command": "make it"}, "tool_use_id": call_id}
        self.requests(request_id, **body)

    def hook(self, request_id: str, call_id: str, **told: Any) -> None:
        given = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {}, **told}
        self.requests(
            request_id, subtype="hook_callback", callback_id="bascule:policy", input=given, tool_use_id=call_id
        )

    def is_in_mode(self, mode: str) -> None:
        self.says(type="system", subtype="status", permissionMode=mode, session_id="x")

    def grants(self, number: int, *rules: str, edits: bool = False) -> None:
        grant_id = GrantId(f"g{number}")
        self.notes(
            recording.Granted(grant_id=grant_id, rules=rules, scope="session", cause="grant", edits=edits, by="Anna")
        )


def test_what_was_registered_and_what_the_cli_said_to_it_is_known() -> None:
    tale = Tale()
    hooks = {"Stop": [{"hookCallbackIds": ["bascule:0"]}], "PreToolUse": [{"hookCallbackIds": ["a", "b"]}]}
    tale.writes(type="control_request", request_id="one-1", request={"subtype": "initialize", "hooks": hooks})
    assert tale.knows("hello").hooks == {"bascule:0": "Stop", "a": "PreToolUse", "b": "PreToolUse"}
    tale.says(type="control_response", response={"subtype": "success", "request_id": "other", "response": {}})
    assert tale.knows("welcome") is None
    tale.says(type="control_response", response={"subtype": "success", "request_id": "one-1", "response": {}})
    assert tale.knows("welcome").version is None
    tale.says(
        type="system", subtype="init", session_id="x", cwd="/w", model="m", claude_code_version="2.1.197", tools=[]
    )
    assert tale.knows("welcome").version == "2.1.197"


def test_of_an_earlier_process_nothing_is_open() -> None:
    tale = Tale()
    tale.notes(recording.Began(session=SessionId("s"), at=5, cwd="/w", policy="rules", mode="default"))
    tale.writes(type="control_request", request_id="one-1", request={"subtype": "initialize"})
    tale.hook("h1", "t1", cwd="/elsewhere")
    assert tale.past.named
    assert tale.past.connection.left_open != ()
    tale.begins_anew()
    assert tale.past.connection.left_open == ()
    assert (tale.past.hello, tale.past.named, tale.past.farewell) == (None, False, None)
    assert tale.past.argv == ("claude", "--resume=x")


def test_a_call_that_is_to_be_asked_about_is_known_until_it_was() -> None:
    tale = Tale()
    tale.grants(1, "Bash(ls)")
    tale.hook("h0", "t0", cwd="/w")
    tale.hook("h1", "t1", cwd="/elsewhere")
    tale.notes(recording.Judged(tool_call_id="t1", verdict="ask", rule=""))
    tale.answers("h1")
    tale.notes(recording.Judged(tool_call_id="t2", verdict="ask", rule="Bash(make)"))
    assert tale.past.doubts == {"t1": ("/elsewhere", (GrantId("g1"),), False), "t2": ("", (GrantId("g1"),), True)}
    tale.asks("r1")
    assert "t1" in tale.past.doubts
    tale.answers("r1", behavior="allow", updatedInput={})
    assert list(tale.past.doubts) == ["t2"]


def test_where_the_cli_stood_is_known_of_every_call_until_it_is_over() -> None:
    tale = Tale()
    call = {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "ls"}}
    tale.says(type="assistant", message={"id": "m", "role": "assistant", "content": [call]}, session_id="x")
    tale.hook("h0", "t0", cwd="/w")
    tale.hook("h1", "t1", cwd="/elsewhere")
    tale.answers("h1")
    assert tale.past.stood == {"t0": "/w", "t1": "/elsewhere"}
    result = {"type": "tool_result", "tool_use_id": "t1", "content": "x"}
    tale.says(type="user", message={"role": "user", "content": [result]}, session_id="x")
    assert tale.past.stood == {"t0": "/w"}


def test_a_call_whose_ask_was_withdrawn_is_doubted_on() -> None:
    """The CLI may ask again."""
    tale = Tale()
    tale.hook("h1", "t1", cwd="/w")
    tale.notes(recording.Judged(tool_call_id="t1", verdict="ask", rule="Bash(make)"))
    tale.asks("r1")
    tale.says(type="control_cancel_request", request_id="r1")
    assert tale.past.doubts == {"t1": ("/w", (), True)}


@pytest.mark.parametrize("told", [{}, {"hook_event_name": "Stop"}])
def test_where_the_cli_stood_may_be_unknown(told: dict[str, Any]) -> None:
    tale = Tale()
    tale.hook("h1", "t1", **told)
    for call_id in ("t1", "t2"):
        tale.notes(recording.Judged(tool_call_id=call_id, verdict="ask", rule=""))
        assert tale.past.doubts[call_id] == ("", (), False)


def test_a_call_that_ended_is_not_doubted_any_more() -> None:
    tale = Tale()
    call = {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "ls"}}
    tale.says(type="assistant", message={"id": "m", "role": "assistant", "content": [call]}, session_id="x")
    tale.notes(recording.Judged(tool_call_id="t1", verdict="ask", rule=""))
    result = {"type": "tool_result", "tool_use_id": "t1", "content": "x"}
    tale.says(type="user", message={"role": "user", "content": [result]}, session_id="x")
    assert tale.past.doubts == {}


def test_what_was_granted_holds_with_what_it_covered_until_it_ends() -> None:
    tale = Tale()
    tale.grants(1, "Bash(make it)")
    tale.grants(2, "Bash(ls)")
    named = tale.past.grants[GrantId("g1")].grants[0].rule.named
    tale.notes(recording.Judged(tool_call_id="t1", verdict="allow", rule=f"something else; {named}"))
    assert tale.past.covered == {"g1": 1, "g2": 0}
    tale.notes(recording.GrantOver(grant_id=GrantId("g1"), cause="revoked"))
    assert list(tale.past.grants) == ["g2"]
    assert tale.past.granted == 2


def test_a_rule_of_another_version_allows_nothing() -> None:
    past = Past()
    past.happened([GrantGiven(grant_id=GrantId("g1"), rules=("((",), scope="session", cause="grant", seq=1)])
    assert (past.grants, past.granted) == ({}, 1)


def test_a_mode_that_was_left_ends_what_accepted_edits() -> None:
    tale = Tale()
    tale.is_in_mode("acceptEdits")
    tale.grants(1, edits=True)
    tale.grants(2, "Bash(ls)")
    tale.is_in_mode("default")
    assert list(tale.past.left) == ["g1"]
    tale.is_in_mode("acceptEdits")
    assert list(tale.past.left) == ["g1"]
    tale.notes(recording.GrantOver(grant_id=GrantId("g1"), cause="mode"))
    assert tale.past.left == {}


def test_what_was_denied_with_the_turn_is_known_until_the_next_prompt() -> None:
    tale = Tale()
    tale.asks("r1")
    tale.notes(recording.Decided(pending_id=R1, outcome="denied_stop", by="Anna", reason="not here"))
    tale.answers("r1", behavior="deny", message="not here", interrupt=True)
    assert tale.knows("stopped")[1] == "not here"
    assert tale.knows("settled")[R1].by == "Anna"
    tale.writes(type="user", uuid="u1", message={"role": "user", "content": "Go on"})
    assert tale.knows("stopped") is None
    assert [request.request_id for request in tale.past.connection.left_open] == []


def test_a_plan_that_was_asked_for_too_early_still_waits_for_a_choice() -> None:
    tale = Tale()
    tale.asks("r1", tool="ExitPlanMode")
    tale.notes(recording.Judged(tool_call_id="t1", pending_id=R1, verdict="deny", rule="outline first", choosable=True))
    tale.answers("r1", behavior="deny", message="write it")
    assert vars(tale.past.outline)["_early"] == {R1}
    assert vars(tale.past.outline)["_turns_left"] == 2


def test_a_withdrawn_ask_is_settled() -> None:
    tale = Tale()
    tale.asks("r1")
    tale.says(type="control_cancel_request", request_id="r1")
    assert tale.knows("settled")[R1].cause == "withdrawn"


def test_how_the_process_ended_is_known() -> None:
    tale = Tale()
    tale.says(type="keep_alive")
    tale.begins_anew()
    assert tale.knows("farewell") is None
    tale.dies(3)
    assert tale.knows("farewell").exit_code == 3
