"""What can be asked over HTTP, and what wrong requests are answered with."""

import json
from pathlib import Path
from typing import Any

import pytest

from bascule.conversation import Health, PastConversation
from bascule.errors import ProcessError, RecordingGone, SessionInUse, StoreError
from bascule.events import (
    AnyEvent,
    Complete,
    MessageChunk,
    ModelUsage,
    Notice,
    PromptAccepted,
    ToolCall,
    ToolUpdate,
    from_json,
)
from bascule.ids import CliSessionId, PromptId, SessionId
from bascule.payload import ShellExec, ShellOutput
from bascule.web.page import Page
from tests.web.conftest import Make, Server
from tests.web.double import Session, ask

HOUR_MS = 3_600_000


def call(name: str, at: int, took: int, status: Any = "complete") -> tuple[AnyEvent, AnyEvent]:
    shell = ShellExec(command="make")
    done = ShellExec(command="make", output=ShellOutput(stdout="ok\n"))
    return (
        ToolCall(tool_call_id=f"{name}{at}", tool_name=name, tool_title=f"{name} it", normalized=shell, at=at),
        ToolUpdate(tool_call_id=f"{name}{at}", tool_status=status, normalized=done, at=at + took),
    )


async def get(server: Server, path: str, **params: Any) -> Any:
    async with server.client(await server.token()) as client:
        answer = await client.get(path, params=params)
    assert answer.status_code == 200, answer.text
    return answer.json()


async def post(server: Server, path: str, sent: Any) -> tuple[int, Any]:
    async with server.client(await server.token()) as client:
        answer = await client.post(path, json=sent)
    return answer.status_code, answer.json()


async def notices(server: Server, count: int) -> Session:
    session = server.hub.add()
    await session.tell(*(Notice(level="info", text=str(n + 1)) for n in range(count)))
    return session


async def test_a_hub_that_cannot_work_is_not_healthy(server: Server) -> None:
    server.hub.found = Health(failing=("store", "disk"))
    async with server.client() as client:
        answer = await client.get("/api/health")
    assert (answer.status_code, answer.json()) == (503, {"status": "failing", "failing": ["store", "disk"]})


async def test_health_needs_nothing(server: Server) -> None:
    async with server.client() as client:
        assert (await client.get("/api/health")).json() == {"status": "ok", "failing": []}


async def test_sessions_are_listed_with_what_they_do(server: Server) -> None:
    server.hub.add("old")
    server.hub.add("new")
    server.hub.add("gone", archived=True)
    assert {one["id"] for one in await get(server, "/api/sessions")} == {"old", "new"}
    assert {one["id"] for one in await get(server, "/api/sessions", archived=True)} == {"old", "new", "gone"}
    assert (await get(server, "/api/sessions/old"))["status"] == "idle"


async def test_a_view_is_the_end_of_a_session_with_what_is_open(server: Server) -> None:
    session = await notices(server, 10)
    await session.tell(ask("p1"))
    await post(
        server,
        "/api/commands",
        {"type": "prompt", "command_id": "q", "session": "s1", "text": "later", "when": "queue"},
    )
    view = await get(server, "/api/sessions/s1/view", limit=3)
    assert [event["seq"] for event in view["events"]] == [9, 10, 11]
    assert (view["after"], view["epoch"], view["facts"]["id"]) == (11, "epoch-1", "s1")
    assert [each["request"]["pending_id"] for each in view["asks"]] == ["p1"]
    assert [each["prompt"]["text"] for each in view["queue"]] == ["later"]
    earlier = await get(server, "/api/sessions/s1/view", limit=3, before=9)
    assert ([event["seq"] for event in earlier["events"]], earlier["after"]) == ([6, 7, 8], 11)
    assert [each["id"] for each in await get(server, "/api/sessions/s1/queue")] == [1]


@pytest.mark.parametrize(
    ("after", "limit", "expected"), [(0, 3, [1, 2, 3]), (8, 5, [9, 10]), (10, 5, []), (99, 5, []), (4, 1, [5])]
)
async def test_events_after_a_number(server: Server, after: int, limit: int, expected: list[int]) -> None:
    await notices(server, 10)
    found = await get(server, "/api/sessions/s1/events", after=after, limit=limit)
    assert [event["seq"] for event in found["events"]] == expected
    assert found["last_seq"] == 10


async def test_a_session_is_begun_and_spoken_to(server: Server) -> None:
    status, receipt = await post(server, "/api/sessions", {"command_id": "c1", "cwd": "/work", "session": "mine"})
    assert (status, receipt["receipt"], receipt["session"]) == (200, "taken", "mine")
    said = {"type": "prompt", "command_id": "c2", "session": "mine", "text": "hello"}
    first, second = await post(server, "/api/commands", said), await post(server, "/api/commands", said)
    assert first == second
    assert len(server.hub.sent) == 2
    assert [found["snippet"] for found in await get(server, "/api/search", words="hello")] == ["You said: hello"]
    assert await get(server, "/api/search", words="hello", session="other") == []


def elsewhere(number: int, **known: Any) -> PastConversation:
    """A conversation of the CLI's."""
    return PastConversation(id=CliSessionId(f"c{number}"), title=f"About {number}", changed_at=2, bytes=5, **known)


async def test_conversations_of_before_are_paged_and_searched(server: Server) -> None:
    server.hub.elsewhere = [elsewhere(1, pid=7), elsewhere(2, session=SessionId("s1")), elsewhere(3)]
    first = await get(server, "/api/past", limit=2)
    assert [(one["id"], one["pid"], one["session"]) for one in first["conversations"]] == [
        ("c1", 7, None),
        ("c2", None, "s1"),
    ]
    rest = await get(server, "/api/past", limit=2, after=first["after"])
    assert ([one["id"] for one in rest["conversations"]], rest["after"]) == (["c3"], None)
    assert [one["id"] for one in (await get(server, "/api/past", words="3"))["conversations"]] == ["c3"]


async def test_a_conversation_is_taken_over_by_a_command_without_a_session(server: Server) -> None:
    wanted = {"type": "import", "command_id": "c0", "cli_session_id": "c1"}
    status, receipt = await post(server, "/api/commands", wanted)
    assert (status, receipt["receipt"], receipt["session"]) == (200, "taken", "s1")
    assert len(server.keys.told("import")) == 1


async def test_an_ask_is_listed_explained_and_answered_once(server: Server) -> None:
    await server.hub.add().tell(ask("p1"))
    assert [each["request"]["title"] for each in await get(server, "/api/asks")] == ["make"]
    assert (await get(server, "/api/sessions/s1/asks/p1/why"))["reason"] == "no rule covers it"
    assert (await get(server, "/api/sessions/s1/preview", rule="Bash(make *)", pending="p1"))["also"] == ["make test"]
    wrong = {"command_id": "c0", "decision": {"verb": "allow_once"}, "input_hash": "another"}
    assert (await post(server, "/api/sessions/s1/asks/p1", wrong))[1]["receipt"] == "refused"
    right = {"command_id": "c1", "decision": {"verb": "allow_once"}, "input_hash": "hash of make"}
    assert (await post(server, "/api/sessions/s1/asks/p1", right))[1]["receipt"] == "taken"
    late = {"command_id": "c2", "decision": {"verb": "deny"}}
    assert (await post(server, "/api/sessions/s1/asks/p1", late)) == (
        200,
        {"receipt": "too_late", "winner": "allowed by Anna (api)"},
    )
    assert await get(server, "/api/asks") == []


async def test_spending_is_added_up_by_what_one_asks_for(server: Server) -> None:
    one, other = server.hub.add("one"), server.hub.add("other")
    models = {"big": ModelUsage(input_tokens=5, cost_usd=0.5), "small": ModelUsage(output_tokens=7, cost_usd=0.25)}
    await one.tell(Complete(outcome="success", at=HOUR_MS, turn=1, cost_usd=0.75, duration_ms=100, models=models))
    await one.tell(Complete(outcome="lost", at=25 * HOUR_MS, turn=2))
    await other.tell(Complete(outcome="success", at=26 * HOUR_MS, turn=1, cost_usd=1.0, input_tokens=3))

    async def sums(**params: Any) -> dict[str, Any]:
        rows = await get(server, "/api/usage", **params)
        return {row["key"]: (row["turns"], row["cost_usd"], row["unknown_costs"]) for row in rows}

    assert await sums(by="session") == {"one": (2, 0.75, 1), "other": (1, 1.0, 0)}
    assert await sums(by="turn") == {"one/1": (1, 0.75, 0), "one/2": (1, 0.0, 1), "other/1": (1, 1.0, 0)}
    assert await sums(by="day") == {"1970-01-01": (1, 0.75, 0), "1970-01-02": (2, 1.0, 1)}
    assert await sums(by="model") == {"big": (1, 0.5, 0), "small": (1, 0.25, 0)}
    assert await sums(session="other") == {"other": (1, 1.0, 0)}
    assert await sums(since=HOUR_MS + 1, until=26 * HOUR_MS) == {"one": (1, 0.0, 1)}
    tokens = {row["key"]: (row["input_tokens"], row["output_tokens"]) for row in await get(server, "/api/usage")}
    assert tokens == {"one": (5, 7), "other": (3, 0)}


async def test_tools_are_counted_and_timed(server: Server) -> None:
    session = server.hub.add()
    calls = (call("Shell", 0, 100), call("Shell", 500, 50, "error"), call("Fetch", 0, 10, "denied"))
    await session.tell(*(event for pair in calls for event in pair), call("Shell", 900, 0)[0])
    assert await get(server, "/api/sessions/s1/tools") == [
        {"tool_name": "Shell", "calls": 3, "total_ms": 150, "longest_ms": 100, "errors": 1, "denied": 0},
        {"tool_name": "Fetch", "calls": 1, "total_ms": 10, "longest_ms": 10, "errors": 0, "denied": 1},
    ]


async def test_a_session_is_saved_as_json_whole_and_without_secrets(server: Server) -> None:
    session = server.hub.add()
    await session.tell(*(MessageChunk(item=str(n), text=f"key sk-ant-abcdefgh{n:04}") for n in range(1_100)))
    async with server.client(await server.token("viewer")) as client:
        answer = await client.get("/api/sessions/s1/export", params={"form": "json"})
    assert answer.headers["content-disposition"] == 'attachment; filename="s1.json"'
    whole = json.loads(answer.text)
    assert [from_json(json.dumps(event)).seq for event in whole["events"]] == list(range(1, 1_101))
    assert "sk-ant" not in answer.text


async def test_a_session_is_saved_as_markdown(server: Server) -> None:
    session = server.hub.add()
    await session.tell(PromptAccepted(prompt_id=PromptId("p"), text="Make it", by="Anna"), *call("Shell", 0, 5))
    async with server.client(await server.token("viewer")) as client:
        answer = await client.get("/api/sessions/s1/export")
    assert answer.headers["content-type"] == "text/markdown; charset=utf-8"
    assert "# About s1" in answer.text
    assert "## Anna\n\nMake it\n" in answer.text
    assert "### Shell it\n\n```sh\nmake\n```\n\n```\nok\n```\n" in answer.text


LINES = '{"t":0.0,"dir":"note","line":"{}"}\n{"t":0.1,"dir":"out","line":"token sk-ant-abcdefgh1234"}\nhalf a li'


@pytest.mark.parametrize(("raw", "secret", "damaged"), [(False, False, False), (True, True, True)])
async def test_a_recording_is_given_without_secrets_unless_its_owner_wants_it_raw(
    server: Server, workspace: Path, raw: bool, secret: bool, damaged: bool
) -> None:
    server.hub.add()
    (workspace.parent / "s1.jsonl").write_text(LINES)
    async with server.client(await server.token()) as client:
        answer = await client.get("/api/sessions/s1/recording", params={"raw": raw})
    assert ("sk-ant" in answer.text, "half a li" in answer.text) == (secret, damaged)
    assert answer.text.count('"dir"') == 2


async def test_files_and_git_of_the_workspace(server: Server) -> None:
    server.hub.add()
    assert await get(server, "/api/sessions/s1/files", beginning="s") == ["src", "src/b.py"]
    assert (await get(server, "/api/sessions/s1/git"))["branch"] == "main"


async def test_keys_are_made_used_and_listed(server: Server) -> None:
    status, made = await post(server, "/api/tokens", {"role": "viewer", "label": "wall"})
    assert status == 201
    async with server.client(made["token"]) as wall:
        me = (await wall.get("/api/me")).json()
    assert (me["role"], me["label"], me["csrf"]) == ("viewer", "wall", None)
    listed = {key["id"]: key for key in await get(server, "/api/tokens")}
    assert listed[made["key"]["id"]]["used_at"] == server.clock.now
    over = {"role": "viewer", "expires_at": server.clock.now}
    assert (await post(server, "/api/tokens", over))[1]["field"] == "expires_at"


async def test_the_key_of_a_program_does_not_log_out(server: Server) -> None:
    assert (await post(server, "/api/logout", {}))[1]["kind"] == "conflict"


# Bad input.

DECIDE = {"type": "decide", "command_id": "c", "session": "s1", "pending_id": "p1"}


@pytest.mark.parametrize(
    ("path", "sent", "status", "field"),
    [
        ("/api/commands", {"type": "dance", "command_id": "c"}, 400, "type"),
        ("/api/commands", {"command_id": "c"}, 400, "type"),
        ("/api/commands", {"type": "prompt", "command_id": "c", "session": "s1"}, 400, "text"),
        ("/api/commands", {"type": "prompt", "command_id": 7, "session": "s1", "text": "x"}, 400, "command_id"),
        ("/api/commands", {**DECIDE, "decision": {"verb": "maybe"}}, 400, "decision.verb"),
        ("/api/commands", {**DECIDE, "decision": {"verb": "allow_always"}}, 400, "decision.rule"),
        ("/api/commands", {"type": "interrupt", "command_id": "c"}, 400, "session"),
        ("/api/commands", {"type": "interrupt", "command_id": "c", "session": "s9"}, 404, None),
        ("/api/commands", {"type": "undo", "command_id": "c", "of": "d"}, 400, "session"),
        ("/api/sessions", {"command_id": "c"}, 400, "cwd"),
        ("/api/sessions/s9/asks/p1", {"command_id": "c", "decision": {"verb": "deny"}}, 404, None),
        ("/api/tokens", {"role": "king"}, 400, "role"),
        ("/login", {}, 400, "token"),
        ("/login", {"token": "a", "code": "b"}, 400, "token"),
        ("/api/nothing", {}, 404, None),
        ("/api/asks", {}, 405, None),
    ],
)
async def test_a_wrong_request_is_told_what_is_wrong(
    server: Server, path: str, sent: Any, status: int, field: str | None
) -> None:
    server.hub.add()
    found, problem = await post(server, path, sent)
    assert (found, problem["status"], problem.get("field")) == (status, status, field), problem
    assert problem["detail"]


@pytest.mark.parametrize("body", [b"", b"{", b"[1]", b'"x"', b"\xff", b"null", b'{"type":"prompt"' + b" " * 99])
async def test_no_json_is_a_bad_request(server: Server, body: bytes) -> None:
    async with server.client(await server.token()) as client:
        answer = await client.post("/api/commands", content=body)
    assert (answer.status_code, answer.json()["kind"]) == (400, "malformed")
    assert answer.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/api/sessions/s9", 404),
        ("/api/sessions/s9/view", 404),
        ("/api/sessions/s9/export", 404),
        ("/api/sessions/s9/recording", 404),
        ("/api/sessions/s1/recording", 422),
        ("/api/sessions/s1/asks/p9/why", 422),
        ("/api/sessions/s1/preview?rule=%20", 422),
        ("/api/sessions/s1/preview", 400),
        ("/api/sessions/s1/view?limit=0", 400),
        ("/api/sessions/s1/view?limit=1001", 400),
        ("/api/sessions/s1/view?before=-1", 400),
        ("/api/sessions/s1/events?after=x", 400),
        ("/api/sessions/s1/events?after=99999999999999999999", 400),
        ("/api/sessions/s1/export?form=pdf", 400),
        ("/api/usage?by=mood", 400),
        ("/api/nothing", 404),
        ("/api/sessions/s1/nothing", 404),
    ],
)
async def test_what_is_not_there_is_said(server: Server, path: str, status: int) -> None:
    server.hub.add()
    async with server.client(await server.token()) as client:
        answer = await client.get(path)
    assert answer.status_code == status, answer.text
    assert answer.json()["status"] == status


@pytest.mark.parametrize(
    ("error", "status", "kind"),
    [
        (StoreError("the disk is full"), 503, "unavailable"),
        (RecordingGone("it was removed", "x.jsonl"), 410, "gone"),
        (SessionInUse("it is open elsewhere", session="x"), 409, "conflict"),
        (ProcessError("it ended"), 409, "conflict"),
        (ZeroDivisionError("secret"), 500, "bug"),
    ],
)
async def test_what_the_hub_raises_is_a_problem(server: Server, error: Exception, status: int, kind: str) -> None:
    server.hub.add()
    server.hub.broken = error
    found, problem = await post(server, "/api/commands", {"type": "interrupt", "command_id": "c", "session": "s1"})
    assert (found, problem["kind"]) == (status, kind)
    assert "secret" not in problem["detail"]


async def test_a_session_that_has_ended_takes_no_command(server: Server) -> None:
    server.hub.add()
    await post(server, "/api/commands", {"type": "end", "command_id": "c1", "session": "s1"})
    found, problem = await post(
        server, "/api/commands", {"type": "prompt", "command_id": "c2", "session": "s1", "text": "x"}
    )
    assert (found, problem["kind"]) == (409, "gone")


# The page.


async def test_without_a_built_page_one_is_told_so(server: Server) -> None:
    async with server.client() as client:
        answer = await client.get("/")
    assert answer.status_code == 200
    assert "not built" in answer.text


async def test_the_built_page_is_served_and_what_is_hashed_stays(make: Make, tmp_path: Path) -> None:
    static = tmp_path / "static"
    (static / "assets").mkdir(parents=True)
    (static / "index.html").write_text("<title>page</title>")
    (static / "assets" / "main-Bx3kd81f.js").write_text("1")
    (static / "robots.txt").write_text("x")
    (static / "passwd").symlink_to("/etc/passwd")
    async with make(page=Page(static)).client() as client:
        found = {}
        for path in ("/", "/s/abc", "/assets/main-Bx3kd81f.js", "/robots.txt"):
            answer = await client.get(path)
            found[path] = (answer.text[:7], answer.headers["content-type"], answer.headers["cache-control"])
        page = ("<title>", "text/html; charset=utf-8", "no-cache")
        assert found == {
            "/": page,
            "/s/abc": page,
            "/assets/main-Bx3kd81f.js": ("1", "text/javascript; charset=utf-8", "public, max-age=31536000, immutable"),
            "/robots.txt": ("x", "text/plain; charset=utf-8", "no-cache"),
        }
        for path in ("/none.js", "/assets/../../secret.txt", "/..%2f..%2fsecret.txt", "/%2e%2e/secret.txt"):
            assert (await client.get(path)).status_code == 404
        assert "root:" not in (await client.get("/passwd")).text
