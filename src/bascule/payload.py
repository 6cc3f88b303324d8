"""What a tool call means, as data: the ``normalized`` union of ``tool_call`` and ``tool_update``.

A payload is exactly one of the kinds below, told apart by ``kind``. Fields of the input are there from the call on;
``output`` comes with the result, from the CLI's structured ``tool_use_result`` first, else from the text the model got.
Nothing is invented: what is not known is null, the exit code too. Which tool gives which kind is decided in ``tools/``.

Every text is bounded: of a text over ``TEXT_LIMIT`` characters the head and the tail are kept, and the field is listed
in ``cuts`` with its full size. The whole is always in the recording.
"""

from __future__ import annotations

from typing import Any, Final, Literal, TypeAlias

import msgspec

TEXT_LIMIT: Final = 50_000
"""Characters that a text field of a payload keeps, head and tail together."""


class Cut(msgspec.Struct, frozen=True):
    """One text, or list, that was longer than the limit."""

    field: str
    """Its name, dotted from the payload: ``output.stdout``, ``mutations.0.content``."""
    chars: int
    """Characters of the whole text; of a list, of all its texts."""
    lines: int
    """Lines of the whole text; of a list, its items."""


class Hunk(msgspec.Struct, frozen=True):
    """One hunk of a unified diff. Line numbers count from 1."""

    old_start: int
    old_lines: int
    new_start: int
    new_lines: int
    lines: tuple[str, ...]
    """Each with its first character: blank for context, ``-`` for gone, ``+`` for new."""


class Mutation(msgspec.Struct, frozen=True, kw_only=True):
    """One change to one file."""

    type: Literal["create", "patch", "replace", "delete", "rename"]
    """``patch`` swaps a passage, ``replace`` writes the whole file anew."""
    content: str | None = None
    """The new text: of the file (create, replace) or of the passage (patch)."""
    old_content: str | None = None
    """The passage that goes (patch), or the file before, when the CLI told it."""
    diff: str = ""
    """A unified diff without file headers; from the passages alone until the CLI sends its own patch."""
    hunks: tuple[Hunk, ...] | None = None
    """The CLI's structured patch; null until the result, and when it sent none."""
    start_line: int | None = None
    """First line that changes, from 1; null when the place in the file is not known."""
    everywhere: bool = False
    """A patch of each place where the passage stands (``replace_all``)."""


class ReadOutput(msgspec.Struct, frozen=True, kw_only=True):
    """What a file holds, as far as it was read."""

    content: str = ""
    """Text without line numbers; empty for media."""
    line_count: int = 0
    """Lines in ``content`` before any cut."""
    total_lines: int | None = None
    """Lines of the file; null when not told."""
    truncated: bool = False
    language: str | None = None
    """Name for a highlighter, from the file's ending; null when unknown."""
    media: str | None = None
    """Media type of an image, PDF or notebook; null for text."""
    error: str | None = None
    """Why it failed, as the model was told."""


class ReadFile(msgspec.Struct, frozen=True, kw_only=True, tag="read_file", tag_field="kind"):
    """A file is read."""

    file_path: str
    offset: int | None = None
    """First line asked for, from 1."""
    limit: int | None = None
    """Lines asked for."""
    output: ReadOutput | None = None
    cuts: tuple[Cut, ...] = ()
    renderer: Literal["tool_read"] = "tool_read"


class ModifyFile(msgspec.Struct, frozen=True, kw_only=True, tag="modify_file", tag_field="kind"):
    """A file is created, changed or deleted."""

    file_path: str
    mutations: tuple[Mutation, ...] = ()
    added: int | None = None
    """Lines added; null when the diff is not known."""
    removed: int | None = None
    """Lines removed; null when the diff is not known."""
    error: str | None = None
    """Why it failed, as the model was told."""
    cuts: tuple[Cut, ...] = ()
    renderer: Literal["tool_edit"] = "tool_edit"


class ShellOutput(msgspec.Struct, frozen=True, kw_only=True):
    """What a command printed."""

    exit_code: int | None = None
    """Null when not told: the CLI tells it only for failures, in its text (17_edit_write, 08_deny_msg)."""
    stdout: str = ""
    """Standard output and standard error in the order in which they were written, as the CLI merges them."""
    stderr: str = ""
    """Notes of the CLI's own, such as a reset working directory."""
    interrupted: bool = False
    truncated: bool = False
    background_id: str | None = None
    """Task id of a command that went on in the background."""


class ShellExec(msgspec.Struct, frozen=True, kw_only=True, tag="shell_exec", tag_field="kind"):
    """A shell command is run, watched or stopped."""

    command: str
    """Empty when a background command is addressed by ``task_id`` alone."""
    work_dir: str | None = None
    description: str | None = None
    """The model's own words."""
    timeout_ms: int | None = None
    background: bool = False
    task_id: str | None = None
    """The background command that is read or stopped."""
    output: ShellOutput | None = None
    cuts: tuple[Cut, ...] = ()
    renderer: Literal["tool_execute"] = "tool_execute"


class SearchOutput(msgspec.Struct, frozen=True, kw_only=True):
    """What a search found."""

    files: tuple[str, ...] = ()
    matches: tuple[str, ...] | None = None
    """Matching lines as printed; null when only file names were asked for."""
    file_count: int | None = None
    truncated: bool = False
    error: str | None = None


class CodeSearch(msgspec.Struct, frozen=True, kw_only=True, tag="code_search", tag_field="kind"):
    """Files are searched by name or by content."""

    query: str
    """What a reader would call the search: the pattern."""
    pattern: str
    path: str | None = None
    glob: str | None = None
    mode: Literal["files", "content", "count"] = "files"
    output: SearchOutput | None = None
    cuts: tuple[Cut, ...] = ()
    renderer: Literal["tool_search"] = "tool_search"


class HttpRequest(msgspec.Struct, frozen=True, kw_only=True, tag="http_request", tag_field="kind"):
    """Something is fetched from the web, or searched there."""

    url: str = ""
    """Empty for a search."""
    query: str | None = None
    method: str = "GET"
    response: str | None = None
    """Text that the model got; null until the result."""
    status: int | None = None
    """HTTP status; null when not told."""
    is_error: bool = False
    cuts: tuple[Cut, ...] = ()
    renderer: Literal["tool_call"] = "tool_call"


class SubagentOutput(msgspec.Struct, frozen=True, kw_only=True):
    """What a subagent reported."""

    status: str = ""
    """``completed``, ``async_launched`` or what else the CLI says."""
    agent_id: str | None = None
    duration_ms: int | None = None
    tokens: int | None = None
    tool_uses: int | None = None
    text: str = ""


class SubagentTask(msgspec.Struct, frozen=True, kw_only=True, tag="subagent_task", tag_field="kind"):
    """Work is handed to a subagent."""

    description: str
    prompt: str
    subagent_type: str | None = None
    model: str | None = None
    background: bool | None = None
    """Null until known: without the flag CLI 2.1.332 runs it in the background, 2.1.197 in the foreground."""
    output: SubagentOutput | None = None
    cuts: tuple[Cut, ...] = ()
    renderer: Literal["tool_call"] = "tool_call"


class CreateTask(msgspec.Struct, frozen=True, kw_only=True, tag="create_task", tag_field="kind"):
    """An entry is added to the task list."""

    title: str
    description: str = ""
    task_id: str | None = None
    """Null until the result."""
    error: str | None = None
    cuts: tuple[Cut, ...] = ()
    renderer: Literal["tool_call"] = "tool_call"


class TodoItem(msgspec.Struct, frozen=True, kw_only=True):
    """One entry of a to-do or task list."""

    id: str
    description: str
    status: Literal["pending", "in_progress", "completed", "cancelled"]
    active_form: str | None = None
    """How it reads while in progress."""


class ManageTodos(msgspec.Struct, frozen=True, kw_only=True, tag="manage_todos", tag_field="kind"):
    """The to-do list is written, changed or read."""

    operation: Literal["write", "update", "list", "get"]
    items: tuple[TodoItem, ...] = ()
    """Of a write the new list, of an update the changed entry."""
    error: str | None = None
    cuts: tuple[Cut, ...] = ()
    renderer: Literal["todo"] = "todo"


class ShowPlan(msgspec.Struct, frozen=True, kw_only=True, tag="show_plan", tag_field="kind"):
    """A plan is put before the person, or plan mode is entered."""

    plan: str = ""
    """Markdown; empty when the CLI keeps it in ``file_path`` only (13_planfile_edited)."""
    file_path: str | None = None
    entering: bool = False
    """Plan mode is entered; there is no plan yet."""
    edited: bool = False
    """A person changed the plan before approving it."""
    error: str | None = None
    cuts: tuple[Cut, ...] = ()
    renderer: Literal["tool_call"] = "tool_call"


class QuestionOption(msgspec.Struct, frozen=True, kw_only=True):
    """One answer that a question offers."""

    label: str
    description: str = ""
    preview: str | None = None


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """One question to the person. Free text is always a valid answer."""

    question: str
    header: str = ""
    options: tuple[QuestionOption, ...] = ()
    multi_select: bool = False


class AskUser(msgspec.Struct, frozen=True, kw_only=True, tag="ask_user", tag_field="kind"):
    """The model asks the person."""

    questions: tuple[Question, ...] = ()
    answers: dict[str, str] | None = None
    """By question text; null until answered."""
    error: str | None = None
    cuts: tuple[Cut, ...] = ()
    renderer: Literal["tool_call"] = "tool_call"


class McpCall(msgspec.Struct, frozen=True, kw_only=True, tag="mcp_call", tag_field="kind"):
    """A tool of an MCP server is called."""

    server: str
    tool: str
    input: Any = None
    """The arguments, bounded text by text."""
    output: str | None = None
    """Text content of the result; null until then."""
    is_error: bool = False
    cuts: tuple[Cut, ...] = ()
    renderer: Literal["tool_call"] = "tool_call"


class Generic(msgspec.Struct, frozen=True, kw_only=True, tag="generic", tag_field="kind"):
    """A tool that bascule does not know."""

    name: str
    input: Any = None
    output: str | None = None
    is_error: bool = False
    cuts: tuple[Cut, ...] = ()
    renderer: Literal["tool_call"] = "tool_call"


class Misc(msgspec.Struct, frozen=True, kw_only=True, tag="misc", tag_field="kind"):
    """Chatter of the CLI that looks like a tool call."""

    label: str
    details: str = ""
    cuts: tuple[Cut, ...] = ()
    renderer: Literal["tool_call"] = "tool_call"


class Mark(msgspec.Struct, frozen=True, kw_only=True):
    """A risk, and where it stands in the thing shown."""

    mark: str
    """``network``, ``delete``, ``sudo``, ``outside workspace``, ``secrets path``, ``install``, ``git push/force``,
    ``database``, ``runs later``, ``unparsed``, ``outside sandbox``."""
    grave: bool = False
    start: int | None = None
    """First character, from 0, and the one after the last; null when the mark is of the whole."""
    end: int | None = None


class Part(msgspec.Struct, frozen=True, kw_only=True):
    """One simple command of a command line."""

    text: str
    start: int
    end: int
    marks: tuple[Mark, ...] = ()
    rule: str | None = None
    """The rule that covers it; null when none does."""
    where: str | None = None
    """The file and line, or the grant, that the rule stands in."""


Payload: TypeAlias = (
    ReadFile
    | ModifyFile
    | ShellExec
    | CodeSearch
    | HttpRequest
    | SubagentTask
    | CreateTask
    | ManageTodos
    | ShowPlan
    | AskUser
    | McpCall
    | Generic
    | Misc
)
"""Exactly one kind."""
