"""Writes what the documentation takes from code: `python -m scripts.write_reference`; with `--check` it compares.

From docstrings: `docs/reference/events.md` (events, payloads, commands), `docs/reference/library.md` (every public
name) and `docs/reference/history.md` (session files). From the records' own headings: the index of `docs/decisions/`.
"""

import ast
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

import bascule
from bascule import blocking, commands, errors, events, history, ids, payload
from bascule.history import removal
from bascule.protocol import handshake
from bascule.wire import answers, hook_outputs, hooks
from scripts.docstrings import Field, Method, Page, Shape, read

ROOT: Final = Path(__file__).parents[1]
DOCS: Final = ROOT / "docs"

MADE: Final = "<!-- Made by `python -m scripts.write_reference` from {}: change it there. -->"
PASSING: Final = {
    "message_chunk": "passing while `partial`",
    "reasoning": "passing while `partial`",
    "tool_update": "passing while `running`",
    "retrying": "passing from the second attempt on",
    "task_progress": "passing",
}
"""When an event is neither numbered nor stored; the rest is lasting (`events.is_passing`)."""


def pages() -> dict[Path, str]:
    """Every page that is made, whole."""
    return {
        DOCS / "reference" / "events.md": events_page(),
        DOCS / "reference" / "library.md": library_page(),
        DOCS / "reference" / "history.md": history_page(),
        DOCS / "decisions" / "README.md": decisions_page(sorted((DOCS / "decisions").glob("2*.md"))),
    }


# Events, payloads, commands.


def events_page() -> str:
    """The vocabulary."""
    said, meant, wanted = read(events), read(payload), read(commands)
    happening = [shape for shape in said.shapes.values() if "Event" in shape.bases]
    parts = [shape for shape in said.shapes.values() if shape.name != "Event" and "Event" not in shape.bases]
    kinds = [shape for shape in meant.shapes.values() if shape.tag]
    pieces = [shape for shape in meant.shapes.values() if not shape.tag]
    return _text(
        MADE.format("the docstrings of events.py, payload.py and commands.py"),
        "# Events, payloads and commands",
        "What bascule says and what it takes, in Python (`bascule.events`, `bascule.payload`, `bascule.commands`) and"
        f" in JSON, one object a line. Schema version {events.SCHEMA_VERSION}."
        " How to use them: [a first session](../tutorial/first-session.md).",
        "## Events",
        _after_first_paragraph(said),
        _index(happening),
        "### In every event",
        _fields(said.shapes["Event"].fields),
        *entries(happening),
        "### Inside events",
        *entries(parts, level="####"),
        "## Payloads",
        _after_first_paragraph(meant),
        *entries(kinds),
        "### Inside payloads",
        *entries(pieces, level="####"),
        "## Commands",
        _after_first_paragraph(wanted),
        "### In every command",
        _fields(wanted.shapes["Command"].fields),
        *entries(shape for shape in wanted.shapes.values() if "Command" in shape.bases),
        "### Attached data",
        *entries([wanted.shapes["AttachmentData"]], level="####"),
        "### Decisions",
        "What `decide` carries; `verb` tells which. A decision that does not fit its ask is refused with what would.",
        *entries((s for s in wanted.shapes.values() if s.tag and _is(s, commands.Decision)), level="####"),
        "### Receipts",
        "What each command is answered with; `receipt` tells which.",
        *entries((s for s in wanted.shapes.values() if s.tag and _is(s, commands.Receipt)), level="####"),
    )


def _is(shape: Shape, union: object) -> bool:
    return shape.name in {kind.__name__ for kind in getattr(union, "__args__", ())}


def _after_first_paragraph(page: Page) -> str:
    return page.doc.partition("\n\n")[2]


def _index(shapes: Iterable[Shape]) -> str:
    rows = ((f"[`{s.tag}`](#{s.tag})", PASSING.get(s.tag, "lasting"), s.doc.partition("\n\n")[0]) for s in shapes)
    return _table(("event", "", "when"), rows)


def entries(shapes: Iterable[Shape], *, level: str = "###") -> Iterator[str]:
    for shape in shapes:
        yield f"{level} {shape.tag or shape.name}"
        yield f"`{shape.name}`. {shape.doc}" if shape.tag else shape.doc
        if shape.fields:
            yield _fields(shape.fields)


def _fields(fields: Iterable[Field]) -> str:
    rows = ((f"`{f.json}`{_python(f)}", _type(f.type), _default(f.default), f.doc) for f in fields)
    return _table(("field", "type", "default", ""), rows)


def _python(field: Field) -> str:
    return f" (in Python `{field.name}`)" if field.name != field.json else ""


def _attributes(fields: Iterable[Field]) -> str:
    """The same in Python's words."""
    return _fields(f._replace(json=f.name) for f in fields).replace("null |", "`None` |")


def _type(kind: ast.expr | None) -> str:
    """A type in words that a table can hold: `int` or null, list of `Mark`."""
    match kind:
        case ast.BinOp(left=left, right=right):
            return f"{_type(left)} or {_type(right)}"
        case ast.Constant(value=None):
            return "null"
        case ast.Subscript(value=ast.Name(id="Literal"), slice=ast.Tuple(elts=words)):
            return " · ".join(f"`{ast.literal_eval(word)}`" for word in words)
        case ast.Subscript(value=ast.Name(id="Literal"), slice=word):
            return f"`{ast.literal_eval(word)}`"
        case ast.Subscript(value=ast.Name(id="tuple"), slice=ast.Tuple(elts=[item, *_])):
            return f"list of {_type(item)}"
        case None:
            return ""
        case _:
            return f"`{ast.unparse(kind)}`"


def _default(value: ast.expr | None) -> str:
    match value:
        case None:
            return "must be given"
        case ast.Constant(value=None):
            return "null"
        case ast.Constant(value=bool(word)):
            return f"`{str(word).lower()}`"
        case ast.Tuple(elts=[]) | ast.Call(func=ast.Name(id="tuple")):
            return "empty"
        case ast.Dict(keys=[]) | ast.Call(func=ast.Name(id="dict")):
            return "empty"
        case ast.Constant(value=""):
            return "empty"
        case ast.Call(args=[inner]):
            return _default(inner)
        case _:
            return f"`{ast.unparse(value).strip(chr(39))}`"


# The library.

CHAPTERS: Final = {
    "Sessions": ("open_session", "Options", "Limits", "Session", "PromptHandle", "session_over", "Conversation"),
    "The CLI itself": ("Cli", "Welcome", "answers"),
    "One prompt, one run": ("run", "query", "Query", "schema_of"),
    "Without await": ("blocking",),
    "Asks and rules": ("OnAsk", "rules_of", "Rule", "Grant", "KeptGrants", "Grants", "GrantsHere"),
    "Hooks": ("UserHook", "hooks", "hook_outputs"),
    "Tools of your own": ("tool", "Tool", "ToolServer", "CallContext", "Image"),
    "Session files": ("history",),
    "Recordings": ("recording", "Fold", "Pipe", "ReplayPipe"),
    "Vocabularies": ("events", "payload", "commands", "Agent"),
    "Ids": ("SessionId", "CliSessionId", "PromptId", "PendingId", "CommandId"),
    "Errors": ("errors",),
}
"""Every public name once, in the order of the page."""

NOT_FOR_USERS: Final = {"Session": ("listener", "watch", "close"), "ToolServer": ("watch",)}
"""Methods that only the package's own rooms call."""


def library_page() -> str:
    """Every public name."""
    parts = [
        MADE.format("docstrings"),
        "# The library",
        "Everything that `from bascule import …` gives. What is not here may change without notice. Two packages are"
        " public beside it: `bascule.demo`, the [scripted model](script-language.md), and `bascule.testing`, the"
        " [doubles](testing.md).",
    ]
    for chapter, names in CHAPTERS.items():
        parts += [f"## {chapter}", *(text for name in names for text in (f"### {name}", *_documented(name)))]
    return _text(*parts)


def _documented(name: str) -> Iterator[str]:
    """What stands below the heading of a public name."""
    match name:
        case "events" | "payload" | "commands":
            yield f"Module. {read(getattr(bascule, name)).doc.partition(chr(10))[0]} [All of it](events.md)"
        case "history":
            yield f"Package. {read(history).doc.partition(chr(10))[0]} [All of it](history.md)"
        case "errors":
            yield from _errors()
        case "hooks":
            yield from _hooks()
        case "answers":
            yield from _answers()
        case "hook_outputs":
            yield f"Module. {read(hook_outputs).doc}"
        case "recording":
            yield from _recording()
        case "blocking":
            yield from _blocking()
        case _:
            yield from _named(name)


def _named(name: str) -> Iterator[str]:
    yield from _told_in(read(sys.modules[_owner(name)]), name)


def _told_in(page: Page, name: str) -> Iterator[str]:
    if name in page.shapes:
        yield from _class(page.shapes[name])
    elif name in page.functions:
        yield from _function(page.functions[name])
    else:
        yield page.names[name]


def _owner(name: str) -> str:
    """The module that a name comes from."""
    if name in read(ids).names:
        return "bascule.ids"
    found: str = getattr(getattr(bascule, name), "__module__", "")
    return "bascule.session.hooks" if name == "OnAsk" else found


def _class(shape: Shape) -> Iterator[str]:
    yield shape.doc
    if shape.fields:
        yield _attributes(shape.fields)
    properties = [method for method in shape.methods if method.is_property]
    if properties:
        yield _table(("attribute", "", ""), ((f"`{m.name}`", f"`{_gives(m)}`", m.doc) for m in properties))
    for method in shape.methods:
        if not method.is_property and method.name not in NOT_FOR_USERS.get(shape.name, ()):
            yield f"#### {shape.name}.{method.name}"
            yield from _function(method)


def _gives(method: Method) -> str:
    return method.signature.partition(" -> ")[2]


def _function(method: Method) -> Iterator[str]:
    yield f"```text\n{_folded(method.signature)}\n```"
    yield method.doc


def _folded(signature: str) -> str:
    """One argument a line, where all of them are too much for one."""
    if len(signature) <= 100:
        return signature
    head, _, rest = signature.partition("(")
    arguments, _, tail = rest.rpartition(")")
    rows = "".join(f"    {each},\n" for each in _split(arguments))
    return f"{head}(\n{rows}){tail}"


def _split(arguments: str) -> list[str]:
    """At the commas that are not inside brackets."""
    rows, depth = [""], 0
    for char in arguments:
        depth += (char in "([{") - (char in ")]}")
        if char == "," and not depth:
            rows.append("")
        else:
            rows[-1] += char
    return [row.strip() for row in rows]


STORED: Final = {
    "Find": ("sessions", "find", "glance", "subagents", "search", "StoredSession", "StoredAgent", "Hit"),
    "Read": ("read", "Transcript", "Numbered", "Branch"),
    "What is read": ("Item", "Prompt", "Reply", "Thought", "Called", "Compacted", "Remark"),
    "Change": ("rename", "tag", "fork", "check", "repair", "Problem", "Repaired", "delete", "Own"),
}
"""Every public name of `bascule.history`, but for the union of items."""


def history_page() -> str:
    """Session files."""
    parts = [
        MADE.format("the docstrings of bascule.history"),
        "# Session files",
        "What `from bascule import history` gives. How to use it:"
        " [conversations on the disk](../how-to/sessions-on-disk.md).",
        next(part for part in read(history).doc.split("\n\n") if part.startswith("All functions")),
    ]
    for chapter, names in STORED.items():
        parts += [f"## {chapter}", *(text for name in names for text in (f"### {name}", *_stored(name)))]
    return _text(*parts)


def _stored(name: str) -> Iterator[str]:
    module = getattr(getattr(history, name), "__module__", "")
    yield from _told_in(read(sys.modules[module if module.startswith("bascule.") else removal.__name__]), name)


def _errors() -> Iterator[str]:
    page = read(errors)
    yield f"Module. {page.doc}"
    rows = (
        (f"`{s.name}`", f"`{s.bases[0]}`", f"{getattr(errors, s.name).exit_code}", s.doc) for s in page.shapes.values()
    )
    yield _table(("error", "is a", "exit code", "when"), rows)


def _hooks() -> Iterator[str]:
    yield f"Module. {read(hooks).doc}"
    shapes = {shape.tag: shape for shape in read(hooks).shapes.values() if shape.tag}
    outputs = {shape.tag: shape.name for shape in read(hook_outputs).shapes.values() if shape.tag}
    yield _table(
        ("event", "is told", "may answer with", ""),
        ((f"`{event}`", f"`{shapes[event].name}`", _answer(outputs, event), _remark(event)) for event in hooks.EVENTS),
    )


def _answer(outputs: dict[str, str], event: str) -> str:
    return f"`{outputs[event]}`" if event in outputs else "`HookOutput` alone"


def _remark(event: str) -> str:
    if event in hooks.NEVER_CALLED:
        return "called by bascule, since the CLI does not"
    if event in hooks.CALLED_BETWEEN:
        return "called by bascule when the process starts and ends, by the CLI in between"
    return "a gate: what fails denies" if event in handshake.GATES else ""


def _answers() -> Iterator[str]:
    page = read(answers)
    yield f"Module. {page.doc}"
    for shape in page.shapes.values():
        yield f"#### answers.{shape.name}"
        yield from _class(shape)


def _recording() -> Iterator[str]:
    page = read(sys.modules["bascule.recording"])
    yield f"Module. {page.doc}"
    yield "[The format](recording.md)"
    for name in ("Entry", "Damage", "Exit"):
        yield f"#### recording.{name}"
        yield from _class(page.shapes[name])
    for method in page.functions.values():
        yield f"#### recording.{method.name}"
        yield from _function(method)


def _blocking() -> Iterator[str]:
    page = read(blocking)
    yield f"Module. {page.doc}"
    for method in page.functions.values():
        yield f"#### blocking.{method.name}"
        yield from _function(method)
    for shape in page.shapes.values():
        yield f"#### blocking.{shape.name}"
        yield from _class(shape)


# Decisions.


def decisions_page(records: Iterable[Path]) -> str:
    """The index: date and title of each record."""
    rows = (
        (path.name[:10], f"[{path.read_text(encoding='utf-8').partition(chr(10))[0].removeprefix('# ')}]({path.name})")
        for path in records
    )
    return _text(
        MADE.format("the records' headings"),
        "# Decisions",
        "Choices that had a serious alternative: context, decision, consequences, one page each. A decision that no"
        " longer holds stays here and says what took its place.",
        _table(("date", "decision"), rows),
    )


# Markdown.


def _text(*parts: str) -> str:
    return "\n\n".join(part for part in parts if part) + "\n"


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    """A table; columns that hold nothing in any row are left out."""
    body = [tuple(_cell(cell) for cell in row) for row in rows]
    kept = [index for index in range(len(head)) if any(row[index] for row in body)]
    lines: list[tuple[str, ...]] = [head, tuple("---" for _ in head), *body]
    return "\n".join("| " + " | ".join(line[index] for index in kept) + " |" for line in lines)


def _cell(text: str) -> str:
    return text.replace("\n\n", " ").replace("\n", " ").replace("|", "\\|").strip()


def stale() -> list[Path]:
    """The pages that are not what the code says."""
    return [path for path, text in pages().items() if not path.exists() or path.read_text(encoding="utf-8") != text]


def told(old: Iterable[Path]) -> int:
    """Says which pages are stale; the exit code."""
    code = 0
    for path in old:
        print(f"{path.relative_to(ROOT)} is stale: run python -m scripts.write_reference")
        code = 1
    return code


def main() -> int:
    """Write, or with `--check` say what is stale."""
    old = stale()
    if "--check" in sys.argv[1:]:
        return told(old)
    for path in old:
        path.write_text(pages()[path], encoding="utf-8")
        print(f"wrote {path.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
