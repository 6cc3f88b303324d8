"""A hub in memory with sessions of every kind, served for a browser: for the tests of the page, and to look at it.

``python -m tests.e2e.stage`` serves it and prints where; no CLI, no account.
"""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple

from msgspec.structs import replace

from bascule import events as told
from bascule.conversation import GitState
from bascule.events import AnyEvent
from bascule.ids import CliSessionId, PendingId, PromptId
from bascule.payload import (
    AskUser,
    CodeSearch,
    Generic,
    HttpRequest,
    Hunk,
    Mark,
    McpCall,
    ModifyFile,
    Mutation,
    Part,
    Payload,
    Question,
    QuestionOption,
    ReadFile,
    ReadOutput,
    SearchOutput,
    ShellExec,
    ShellOutput,
    ShowPlan,
    SubagentOutput,
    SubagentTask,
    TodoItem,
)
from bascule.web.app import app
from bascule.web.auth import Door
from bascule.web.serving import listen, serving
from bascule.web.settings import Settings
from tests.web.double import Hub, MemoryKeys, Session

COMMAND = "git fetch origin && rm -rf dist .cache && npm ci && git push --force-with-lease origin feat/outbox"
HUNK = Hunk(
    old_start=44,
    old_lines=5,
    new_start=44,
    new_lines=6,
    lines=(
        " class Outbox:",
        '     """Messages on their way."""',
        "-    async def push(self, message: dict) -> None:",
        "+    async def push(self, message: Message) -> int:",
        "         async with self._lock:",
        "-            self._path.write_text(json.dumps(self._items))",
        "+            row = self._db.execute(INSERT, message.row())  # one write, one fsync",
        "+            return row.lastrowid",
    ),
)
PATCH = Mutation(type="patch", hunks=(HUNK,))
FOUND = SearchOutput(matches=("src/outbox.py:52: self._path.write_text(json.dumps(x))",))
COMMANDS = (
    told.AvailableCommand(name="compact", description="Summarise the conversation so far", argument_hint="[what for]"),
    told.AvailableCommand(name="review", description="Review a pull request", argument_hint="[number]"),
    told.AvailableCommand(name="pr-comments", description="Fetch what was said of a pull request"),
)
ISSUE = {"project": "HARBOR", "labels": ["cleanup"]}
PLAN = """# Keyboard and screen reader

1. Label every field of the form
2. Move the error summary into a **live region**
3. Trap focus in the address dialog only
4. Add `axe` to the e2e run

| file | lines |
|---|---|
| `checkout.tsx` | 48 |
"""
ANSWER = """The second explorer has it. `priceCache` lives at module level; whichever worker starts first fills it:

- `src/cart/prices.ts:18` creates it once per process
- `e2e/fixtures.ts:44` resets the database but not the cache

```ts
const key = `${workerIndex}:${sku}`;
```
"""


class Stage(NamedTuple):
    """What is served."""

    hub: Hub
    url: str


def call(name: str, payload: Payload, *, parent: str | None = None) -> told.ToolCall:
    """A call begins; its name is its id."""
    return told.ToolCall(
        tool_call_id=name, parent_tool_call_id=parent, tool_name=name, tool_title=name, normalized=payload, turn=1
    )


def done(name: str, payload: Payload, status: Any = "complete", *, parent: str | None = None) -> told.ToolUpdate:
    """It ended."""
    return told.ToolUpdate(
        tool_call_id=name, parent_tool_call_id=parent, tool_status=status, normalized=payload, turn=1
    )


def ran(name: str, payload: Payload, status: Any = "complete", **more: Any) -> tuple[AnyEvent, ...]:
    """It began and ended."""
    return call(name, payload, **more), done(name, payload, status, **more)


def begun(text: str, by: str = "Anna") -> tuple[AnyEvent, ...]:
    """A turn by a prompt."""
    prompt = PromptId(f"p {text}")
    return (
        told.PromptAccepted(prompt_id=prompt, text=text, by=by, surface="desk"),
        told.TurnStarted(cause="prompt", prompt_ids=(prompt,), turn=1),
    )


def over(**more: Any) -> told.Complete:
    """The turn ends."""
    figures = {"cost_usd": 0.61, "duration_ms": 372_000, "input_tokens": 88_000, "output_tokens": 9_400}
    return told.Complete(outcome="success", turn=1, cache_read_tokens=71_000, **{**figures, **more})


def status(cwd: str, mode: str = "default") -> tuple[AnyEvent, ...]:
    """Where a session is."""
    return (
        told.SessionStatus(
            cli_session_id=CliSessionId("c"), session_status="new", model="opus", cwd=cwd, permission_mode=mode
        ),
        told.ContextWindow(context_window_used=122_000, context_window_size=200_000),
        told.AvailableCommands(available_commands=COMMANDS),
    )


def command_ask(pending: str = "a1") -> told.PermissionRequest:
    """A compound command with everything grave."""
    words = (
        ("git fetch origin", ("network",), "Bash(git fetch *)"),
        ("rm -rf dist .cache", ("delete",), None),
        ("npm ci", ("network", "install"), None),
        ("git push --force-with-lease origin feat/outbox", ("git push/force",), None),
    )
    parts = []
    for text, marks, rule in words:
        start = COMMAND.index(text)
        end = start + len(text)
        named = tuple(Mark(mark=mark, grave=mark != "network", start=start, end=end) for mark in marks)
        parts.append(Part(text=text, start=start, end=end, marks=named, rule=rule))
    return told.PermissionRequest(
        pending_id=PendingId(pending),
        ask="tool",
        tool_call_id="push",
        tool_name="Shell",
        title=COMMAND,
        normalized=ShellExec(command=COMMAND),
        input={"command": COMMAND, "description": "Rebuild from clean and update the branch"},
        input_hash="h1",
        parts=tuple(parts),
        says="Rebuild from clean and update the branch",
        reason_type="subcommandResults",
        suggestions=(told.Suggestion(rule="Bash(npm ci)"), told.Suggestion(rule="Bash(npm *)", scope="project")),
        turn=1,
    )


KINDS: Sequence[AnyEvent] = (
    *begun("Add the migration and prove that nothing is sent twice."),
    told.Reasoning(item="r1", reasoning_text="The outbox writes twice when the lock is lost.", turn=1),
    *ran(
        "read1", ReadFile(file_path="src/outbox.py", output=ReadOutput(content="class Outbox:\n    ...", line_count=2))
    ),
    *ran("read2", ReadFile(file_path="src/audit.py", output=ReadOutput(content="x = 1", line_count=1))),
    *ran(
        "test",
        ShellExec(
            command="pytest -q tests/test_outbox.py",
            output=ShellOutput(
                exit_code=1,
                stdout="\n".join(f"tests/test_{n}.py ." for n in range(20))
                + "\n\x1b[31mE   assert 3 == 2\x1b[0m\n\x1b[31m1 failed\x1b[0m, \x1b[32m213 passed\x1b[0m in 18.21s",
                stderr="warning: unclosed database",
            ),
        ),
        "error",
    ),
    *ran(
        "wrote",
        ModifyFile(file_path="src/outbox.py", mutations=(Mutation(type="patch", hunks=(HUNK,)),), added=3, removed=2),
    ),
    *ran(
        "searched",
        CodeSearch(
            query="json.dumps(",
            pattern="json.dumps(",
            path="src",
            mode="content",
            output=SearchOutput(matches=("src/outbox.py:52: self._path.write_text(json.dumps(x))",)),
        ),
        "error",
    ),
    *ran("fetched", HttpRequest(url="https://sqlite.org/wal.html", status=200, response="Write-ahead logging")),
    *ran(
        "mcp",
        McpCall(
            server="tracker",
            tool="create_issue",
            input={"project": "HARBOR", "labels": ["cleanup"]},
            output="HARBOR-412 created",
        ),
    ),
    *ran("odd", Generic(name="SomeNewTool", input={"depth": 2, "target": "src"}, output="ok")),
    told.Retrying(attempt=1, max_retries=10, delay_ms=6000, error="overloaded", error_status=529, turn=1),
    told.MessageChunk(item="m1", text=ANSWER, turn=1),
    told.Compaction(phase="finished", trigger="auto", pre_tokens=168_000, post_tokens=31_000, turn=1),
    told.PolicyDecided(tool_call_id=None, verdict="deny", rule="deny rule 3", reason="Read ~/.ssh/config"),
    over(permission_denials=(told.Denial(tool_name="Read", tool_call_id="x"),)),
)


TODOS = (
    TodoItem(id="1", description="Create the table", status="completed"),
    TodoItem(id="2", description="Write the test", status="in_progress", active_form="Writing the test"),
    TodoItem(id="3", description="Push", status="pending"),
)
CHOICES = (
    QuestionOption(
        label="Exponential with jitter",
        description="0.5 s to 30 s; spreads the load",
        preview="0.5 s, 1 s, 2 s, 4 s, …\neach 20 % more or less",
    ),
    QuestionOption(label="Fixed, every 5 s", description="Simple; hammers the server"),
)
QUESTIONS = (
    Question(question="How should the worker wait between attempts?", header="Backoff", options=CHOICES),
    Question(question="Which errors?", header="Errors", options=CHOICES, multi_select=True),
)
REPORT = SubagentOutput(status="completed", tokens=44_000, tool_uses=14, duration_ms=63_000, text="Two caches.")
LIVE: Sequence[AnyEvent] = (
    *begun("Find out why the e2e run is flaky and fix the cause, not the test.", "Jonas"),
    told.MessageChunk(item="m1", text="Three places could leak between workers. An explorer goes to each.", turn=1),
    call("explore", SubagentTask(description="sleeps and fixed waits", prompt="Look", subagent_type="Explore")),
    *ran(
        "caches", SubagentTask(description="module-level caches", prompt="Look", subagent_type="Explore", output=REPORT)
    ),
    call(
        "trace", SubagentTask(description="who calls seedCart()", prompt="?", subagent_type="Trace"), parent="explore"
    ),
    call("seed", CodeSearch(query="seedCart(", pattern="seedCart(", path="e2e/"), parent="trace"),
    told.TaskStarted(task_id="t1", kind="local_bash", title="npm run dev", background=True),
)


async def play(session: Session, events: Sequence[AnyEvent], *, began: int) -> None:
    """Have it happen, one thing each two seconds."""
    for place, event in enumerate(events):
        await session.tell(replace(event, at=began + place * 2000))


def add(
    hub: Hub, name: str, title: str, where: str, status: Any, *waits: str, cost: float, mode: str = "default"
) -> Session:
    """A session of a project and branch, ``quayside-web/main``."""
    project, _, branch = where.partition("/")
    facts = {"project": project, "branch": branch, "status": status, "waits_for": waits, "cost_usd": cost, "mode": mode}
    return hub.add(name, title=title, model="opus", **facts)


def asking(pending: str, kind: Any, payload: Payload, **more: Any) -> told.PermissionRequest:
    """An ask that only a person can answer."""
    return told.PermissionRequest(
        pending_id=PendingId(pending),
        ask=kind,
        tool_name=kind,
        title=kind,
        normalized=payload,
        input={},
        input_hash=f"hash of {pending}",
        needs_person=True,
        turn=1,
        **more,
    )


IN_GIT = (
    """diff --git a/src/outbox.py b/src/outbox.py
--- a/src/outbox.py
+++ b/src/outbox.py
@@ -44,5 +44,6 @@
"""
    + "\n".join(HUNK.lines)
    + """
diff --git a/migrations/0007_outbox.sql b/migrations/0007_outbox.sql
new file mode 100644
--- /dev/null
+++ b/migrations/0007_outbox.sql
@@ -0,0 +1,4 @@
+CREATE TABLE outbox (
+  id INTEGER PRIMARY KEY,
+  message TEXT NOT NULL  -- as JSON
+);
diff --git a/uv.lock b/uv.lock
--- a/uv.lock
+++ b/uv.lock
@@ -10,1 +10,1 @@
-version = "1.0"
+version = "1.1"
"""
)


async def fill(hub: Hub, now: int) -> None:
    """Sessions as a person has them on a good day."""
    changed = ("src/outbox.py", "migrations/0007_outbox.sql", "uv.lock", "notes.md")
    hub.workspace_in_git = GitState(branch="feat/outbox", files=changed, diff=IN_GIT)
    where = str(hub.workspace / "harbor-api")
    outbox = add(hub, "outbox", "Move the outbox to SQLite", "harbor-api/feat/outbox", "waiting", "tool", cost=1.84)
    await play(outbox, (*status(where), *KINDS), began=now - 1_500_000)
    asked = call("push", ShellExec(command=COMMAND))
    tail = (*begun("Clean, rebuild and push the branch."), told.Todos(items=TODOS), asked, command_ask())
    await play(outbox, tail, began=now - 134_000)

    form = "Checkout form: keyboard and screen reader"
    plan = add(hub, "plan", form, "quayside-web/a11y/checkout", "waiting", "plan", cost=0.42, mode="plan")
    options = tuple(told.AskOption(f"approve_{way}", way, "plan") for way in ("ask", "accept_edits"))
    ask = asking("a2", "plan", ShowPlan(plan=PLAN), options=options)
    await play(plan, (*status(where, "plan"), *begun("Make it usable by keyboard."), ask), began=now - 660_000)

    retry = add(hub, "retry", "Pick a retry strategy", "ferry/main", "waiting", "question", cost=0.17)
    ask = asking("a3", "question", AskUser(questions=QUESTIONS))
    await play(retry, (*status(where), *begun("Choose how we retry."), ask), began=now - 54_000)

    flaky = add(hub, "flaky", "Find the flaky e2e test", "quayside-web/main", "running", cost=0.96)
    await play(flaky, (*status(where), *LIVE), began=now - 40_000)
    add(hub, "bundler", "Upgrade the bundler", "quayside-web/main", "retrying", cost=0.71)
    add(hub, "docs", "Policy guide, second draft", "handbook/main", "idle", cost=2.25)
    add(hub, "deps", "Bump dependencies", "ferry/main", "lost", cost=0.54)
    add(hub, "audit", "Nightly audit", "harbor-api/main", "ended", cost=0.12)
    for number, session in enumerate(hub.all.values()):
        session.facts = replace(session.facts, since=now - 45_000 * (number + 1), updated_at=now - number)


@asynccontextmanager
async def stage(workspace: Path) -> AsyncIterator[Stage]:
    """Serve it while the block runs."""
    hub = Hub(workspace)
    await fill(hub, time.time_ns() // 1_000_000)
    listening, settings = listen(Settings(port=0))
    application = app(hub, settings, MemoryKeys())
    door: Door = application.state.door
    async with serving(application, settings, listening):
        yield Stage(hub, f"{settings.url}/#token={door.own_key('Anna')}")


async def main() -> None:
    """Until it is interrupted."""
    with tempfile.TemporaryDirectory() as folder:
        async with stage(Path(folder)) as served:
            print(served.url, flush=True)  # noqa: T201
            await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main())
