"""A session as a document: for whatever happened, and nothing in it ends what it stands in."""

import json
from pathlib import Path

import pytest

from bascule import recording
from bascule.conversation import SessionFacts
from bascule.events import (
    AnyEvent,
    Complete,
    Error,
    MessageChunk,
    PermissionCancelled,
    PermissionResolved,
    PolicyDecided,
    PromptAccepted,
    ToolCall,
    ToolUpdate,
    from_json,
)
from bascule.ids import PendingId, PromptId, SessionId
from bascule.payload import (
    AskUser,
    CodeSearch,
    Generic,
    HttpRequest,
    ModifyFile,
    Mutation,
    Payload,
    Question,
    ReadFile,
    ReadOutput,
    SearchOutput,
    ShellExec,
    ShellOutput,
    ShowPlan,
    SubagentOutput,
    SubagentTask,
)
from bascule.transcript.fold import Fold
from bascule.web.export import json_event, markdown_event, markdown_head

RECORDINGS = sorted((Path(__file__).parents[1] / "recordings" / "2.1.332").glob("*.jsonl"))


def happened(path: Path) -> list[AnyEvent]:
    fold = Fold(SessionId("s1"))
    with path.open("rb") as lines:
        entries = [entry for entry in recording.read(lines) if isinstance(entry, recording.Entry)]
    return [*(event for entry in entries for event in fold.feed(entry)), *fold.end()]


@pytest.mark.parametrize("path", RECORDINGS, ids=lambda path: path.stem)
def test_every_recorded_conversation_can_be_saved(path: Path) -> None:
    events = happened(path)
    text = "".join(map(markdown_event, events))
    assert text.count("\n*success ·") == sum(isinstance(e, Complete) and e.outcome == "success" for e in events)
    assert [from_json(json_event(event)).seq for event in events] == [event.seq for event in events]


def call(payload: Payload) -> ToolCall:
    return ToolCall(tool_call_id="c", tool_name="Shell", tool_title="It\n# is", normalized=payload)


def done(payload: Payload, status: str = "complete") -> ToolUpdate:
    return ToolUpdate(tool_call_id="c", tool_status=status, normalized=payload)  # type: ignore[arg-type]


PENDING = PendingId("p")
TOLD: list[tuple[AnyEvent, str]] = [
    (PromptAccepted(prompt_id=PromptId("p"), text="Do it"), "\n## You\n\nDo it\n"),
    (MessageChunk(item="m", text="part", partial=True), ""),
    (MessageChunk(item="m", text="a\n\nb", parent_tool_call_id="c"), "\n> a\n>\n> b\n"),
    (call(ShellExec(command="ls")), "\n### It # is\n\n```sh\nls\n```\n"),
    (call(Generic(name="X", input={"a": 1})), '\n### It # is\n\n```json\n{\n  "a": 1\n}\n```\n'),
    (
        call(ModifyFile(file_path="f", mutations=(Mutation(type="patch", diff="-a\n+b\n"),))),
        "\n### It # is\n\n```diff\n-a\n+b\n```\n",
    ),
    (call(ShowPlan(plan="# Plan")), "\n### It # is\n\n> # Plan\n"),
    (call(SubagentTask(description="d", prompt="look")), "\n### It # is\n\n> look\n"),
    (call(AskUser(questions=(Question(question="Which?"),))), "\n### It # is\n\n- Which?\n"),
    (done(ShellExec(command="ls", output=ShellOutput(stdout="a", stderr="b"))), "\n```\na\n```\n\n```\nb\n```\n"),
    (done(ShellExec(command="ls"), "denied"), "\n*denied*\n"),
    (done(ReadFile(file_path="f", output=ReadOutput(content="x"))), ""),
    (done(ReadFile(file_path="f", output=ReadOutput(error="no")), "error"), "\n```\nno\n```\n\n*error*\n"),
    (done(ModifyFile(file_path="f", error="no")), "\n```\nno\n```\n"),
    (done(CodeSearch(query="q", pattern="q", output=SearchOutput(files=("a", "b")))), "\n```\na\nb\n```\n"),
    (done(HttpRequest(response="page")), "\n```\npage\n```\n"),
    (done(SubagentTask(description="d", prompt="p", output=SubagentOutput(text="found"))), "\n> found\n"),
    (done(AskUser(answers={"Which?": "this"})), "\n- Which?: this\n"),
    (done(ShellExec(command="ls"), "running"), ""),
    (
        PermissionResolved(pending_id=PENDING, outcome="allowed", by="Anna", surface="web", waited_ms=3_200),
        "\n> allowed by Anna (web), after 3 s\n",
    ),
    (
        PermissionResolved(
            pending_id=PENDING, outcome="allowed_always", rule="Shell(ls)", reason="fine\nso", waited_ms=0, edited=True
        ),
        "\n> allowed always, after 0 s; rule Shell(ls); fine so; edited\n",
    ),
    (PermissionCancelled(pending_id=PENDING, cause="lost"), "\n> not answered: lost\n"),
    (PolicyDecided(tool_call_id=None, verdict="deny", rule="no", reason="why"), "\n> deny by rule no; why\n"),
    (
        Complete(outcome="success", cost_usd=0.25, duration_ms=4_000, at=0),
        "\n*success · $0.2500 · 4 s · 1970-01-01 00:00:00 UTC*\n\n---\n",
    ),
    (Error(kind="api", message="it broke", hint="wait"), "\n**Error:** it broke\n\nwait\n"),
]


@pytest.mark.parametrize(("event", "text"), TOLD, ids=[f"{n} {type(row[0]).__name__}" for n, row in enumerate(TOLD)])
def test_an_event_is_told(event: AnyEvent, text: str) -> None:
    assert markdown_event(event) == text


def test_what_was_printed_does_not_end_its_block() -> None:
    text = markdown_event(done(ShellExec(command="x", output=ShellOutput(stdout="```\n# no heading\n````"))))
    assert text == "\n`````\n```\n# no heading\n````\n`````\n"


def test_secrets_are_left_out() -> None:
    text = "sk-ant-abcdefgh1234 and Bearer abcdefgh12345678"
    event = MessageChunk(item="m", text=text)
    for shown in (markdown_event(event), json_event(event)):
        assert "abcdefgh" not in shown
    assert json.loads(json_event(event))["text"] == "[redacted] and Bearer [redacted]"


def test_the_head_tells_what_is_known() -> None:
    facts = SessionFacts(
        id=SessionId("s1"), title="", cwd="/w", status="idle", since=0, policy="p", created_at=0, updated_at=0
    )
    assert markdown_head(facts) == "# s1\n\n- workspace: /w\n- policy: p\n- began: 1970-01-01 00:00:00 UTC\n"
