"""The house rules that a machine can check, as functions from a module's source to what is wrong in it.

A rule that irritates is argued about here, not evaded. Style, types and complexity belong to ruff and mypy, the
order of the layers to import-linter; here is what none of them can say. `test_house.py` runs the rules over the
tree and proves with bad snippets that each of them can fail.
"""

import ast
import io
import re
import sys
import tokenize
from collections.abc import Callable, Iterable, Iterator
from pathlib import PurePosixPath
from typing import Final, NamedTuple, TypeAlias, TypeGuard

PURE: Final = frozenset(
    "ids errors payload events commands conversation recording wire protocol tools transcript view policy".split()
)
"""Rooms that compute and touch nothing: no I/O, no clock, no chance, no tasks."""

SURFACES: Final = frozenset(("web", "telegram", "terminal", "demo"))
BEHIND_THE_PORT: Final = frozenset(
    ("hub", "wire", "protocol", "transcript", "transport", "session", "store", "mcp", "history", "proven", "blocking")
)
ROOMS: Final = PURE | SURFACES | BEHIND_THE_PORT | {"aio", "keeper", "testing", "doctor", "cli"}
EXTRAS: Final = frozenset(("rich", "tree_sitter", "tree_sitter_bash", "PIL"))
BROAD_EXCEPT: Final = {
    "demo/model.py": "a function of a script may raise anything, and that fails its one request",
    "session/hooks.py": "a user's callback may raise anything, and that answers its one hook",
    "doctor/probe.py": "what a CLI says may break the scene that reads it, and that ends its one scene",
    "mcp/calls.py": "a user's tool may raise anything, and that answers its one call",
    "terminal/loop.py": "one event that cannot be shown does not end the surface",
    "hub/hub.py": "a bug in what one owner does ends its session's owner, and not all sessions",
    "store/writer.py": "the top of a thread: a job that fails answers who asked for it, and the thread goes on",
    "web/orders.py": "a command that fails answers its one sender, and the server goes on",
    "cli/main.py": "the top of the process",
}

PACKAGE_DATA: Final = {
    "policy/defaults.py": "the safe list is a file of the package, read once, as an import reads code",
}
"""Pure modules that may read what is installed with them."""

IMPURE: Final = frozenset(
    "asyncio concurrent glob http httpx importlib logging multiprocessing os pathlib random secrets select selectors"
    " shutil signal socket sqlite3 ssl starlette subprocess tempfile threading time urllib.request".split()
)
IMPURE_CALLS: Final = frozenset(("open", "input", "print", "__import__"))
CLOCK_AND_CHANCE: Final = frozenset(("now", "utcnow", "today", "uuid1", "uuid4"))
SOUP: Final = re.compile(r"(Manager|Handler|Helper|Service|Util|Utils|Processor|Wrapper|Base|Impl)$")
VAGUE: Final = frozenset("utils util types common misc helpers helper base manager service impl".split())
TOOL: Final = re.compile(
    r"(Bash|BashOutput|KillShell|Edit|MultiEdit|NotebookEdit|Write|Read|Glob|Grep|LS|Task|TodoWrite|WebFetch|WebSearch"
    r"|AskUserQuestion|ExitPlanMode|EnterPlanMode)"
)
WIRE_KEY: Final = re.compile(r"(permissionMode|hookSpecificOutput|updatedInput|updatedPermissions|tool_use_result)")
FLOATING: Final = frozenset(("create_task", "ensure_future", "gather", "wait_for"))
MUTABLE_CALLS: Final = frozenset(
    "dict list set bytearray defaultdict deque Counter OrderedDict WeakKeyDictionary WeakValueDictionary".split()
)
UNFINISHED: Final = re.compile(r"\b(TODO|FIXME|XXX|HACK)\b(?!.*#\d)")
BANNER: Final = re.compile(r"#\s*([-=*#~_])\1{3,}")
CITATION: Final = re.compile(r"(?<![\w.-])(?!00_)(\d\d_[a-zA-Z]\w+)(\*?)")
"""How a text names a recording: `11_burst`, or `12_resume_*` for each of that beginning; 00 is for made-up ones."""

MODULE_LINES: Final = 400
FUNCTION_LINES: Final = 50

Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef
Rule: TypeAlias = Callable[["Module"], Iterator[str]]


class Module(NamedTuple):
    """One source file; `path` is relative to `src/bascule` (or, for the rules on tests, to `tests`)."""

    path: PurePosixPath
    source: str
    tree: ast.Module

    @property
    def room(self) -> str:
        """The package below `bascule`, or the module that stands alone there."""
        return self.path.parts[0].removesuffix(".py")


def parsed(path: str, source: str) -> Module:
    """The module as the rules want it."""
    return Module(PurePosixPath(path), source, ast.parse(source))


def wrongs(module: Module, rules: tuple[Rule, ...]) -> list[str]:
    """What is wrong, one line each, in the order of the rules."""
    return [wrong for rule in rules for wrong in rule(module)]


def functions(tree: ast.AST) -> Iterator[Function]:
    """Every function and method, nested ones too."""
    return (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


def code_lines(function: Function) -> int:
    """The lines of the body without its docstring."""
    body = function.body[1:] if ast.get_docstring(function) is not None else function.body
    return (body[-1].end_lineno or 0) - body[0].lineno + 1 if body else 0


def imported(module: Module, tree: ast.AST | None = None) -> Iterator[tuple[int, str]]:
    """Line and full dotted name of each import, wherever it stands; `from a import b` is `a.b`."""
    for node in ast.walk(tree or module.tree):
        match node:
            case ast.Import(names=names):
                yield from ((node.lineno, name.name) for name in names)
            case ast.ImportFrom(names=names):
                yield from ((node.lineno, f"{_origin(module, node)}.{name.name}") for name in names)


def _origin(module: Module, node: ast.ImportFrom) -> str:
    if not node.level:
        return node.module or ""
    package = ("bascule", *module.path.parent.parts)
    return ".".join((*package[: len(package) - node.level + 1], *filter(None, (node.module,))))


def _within(name: str, packages: frozenset[str]) -> bool:
    parts = name.split(".")
    return any(".".join(parts[:n]) in packages for n in range(1, len(parts) + 1))


def _called(node: ast.Call) -> str:
    match node.func:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return ""


def _caught(handler: ast.ExceptHandler) -> set[str]:
    match handler.type:
        case None:
            return {"BaseException"}
        case ast.Tuple(elts=kinds):
            return {ast.unparse(kind).split(".")[-1] for kind in kinds}
        case kind:
            return {ast.unparse(kind).split(".")[-1]}


def _passes_on(handler: ast.ExceptHandler) -> bool:
    match handler.body[-1]:
        case ast.Raise():
            return True
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr="set_exception"), args=[ast.Name(id=given)])):
            return given == handler.name
        case _:
            return False


def not_recorded(text: str, recorded: frozenset[str]) -> Iterator[tuple[int, str]]:
    """Line and name of each recording that the text cites and that is not there."""
    for number, line in enumerate(text.splitlines(), start=1):
        for name, star in CITATION.findall(line):
            if not (any(each.startswith(name) for each in recorded) if star else name in recorded):
                yield number, name + star


# Size and names.


def size(module: Module) -> Iterator[str]:
    """A module is one thing, a function one screen."""
    if sum(bool(line.strip()) for line in module.source.splitlines()) > MODULE_LINES:
        yield f"more than {MODULE_LINES} lines: find the second thing it does"
    for function in functions(module.tree):
        if code_lines(function) > FUNCTION_LINES:
            yield f"{function.lineno}: {function.name}() is longer than a screen"


def names(module: Module) -> Iterator[str]:
    """A name says what a thing is, not what it is made of."""
    yield from (f"a module called {part} holds anything" for part in module.path.with_suffix("").parts if part in VAGUE)
    for node in ast.walk(module.tree):
        if isinstance(node, ast.ClassDef) and SOUP.search(node.name):
            yield f"{node.lineno}: {node.name} says what it is made of, not what it is"


def words(module: Module) -> Iterator[str]:
    """The CLI's words stay in the rooms that speak with it, or stand in for one that does."""
    rooms = {"demo", "testing", "doctor"}
    for node in ast.walk(module.tree):
        match node:
            case ast.Constant(value=str(text)) if TOOL.fullmatch(text) and module.room not in rooms | {"tools"}:
                yield f"{node.lineno}: tool name {text!r} outside tools/"
            case ast.Constant(value=str(text)) if WIRE_KEY.fullmatch(text) and module.room not in rooms | {"wire"}:
                yield f"{node.lineno}: wire key {text!r} outside wire/"


def booleans(module: Module) -> Iterator[str]:
    """A boolean argument is named where it is given."""
    for function in functions(module.tree):
        for arg in (*function.args.posonlyargs, *function.args.args):
            if arg.annotation is not None and ast.unparse(arg.annotation) == "bool":
                yield f"{arg.lineno}: {function.name}({arg.arg}: bool) reads as True at the call: make it keyword-only"


# What is written down.


def docstrings(module: Module) -> Iterator[str]:
    """Modules, public classes, public functions and the methods of ports say what they are.

    A record of the wire that only lists fields needs no more than its name: its meaning is the CLI's.
    """
    if not ast.get_docstring(module.tree):
        yield "a module says what lives here and what does not"
    for node in module.tree.body:
        if not (module.room == "wire" and _only_fields(node)):
            yield from _undocumented(node)
        if isinstance(node, ast.ClassDef) and any("Protocol" in ast.unparse(base) for base in node.bases):
            for member in node.body:
                yield from _undocumented(member)


def _only_fields(node: ast.stmt) -> bool:
    return isinstance(node, ast.ClassDef) and all(
        isinstance(row, ast.AnnAssign | ast.Pass | ast.Expr) for row in node.body
    )


def _undocumented(node: ast.stmt) -> Iterator[str]:
    if not isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) or node.name.startswith("_"):
        return
    if not ast.get_docstring(node) and "overload" not in map(ast.unparse, node.decorator_list):
        yield f"{node.lineno}: {node.name} is public and says nothing about itself"


def comments(module: Module) -> Iterator[str]:
    """No banner, and nothing unfinished without an issue's number."""
    for token in tokenize.generate_tokens(io.StringIO(module.source).readline):
        if token.type == tokenize.COMMENT and UNFINISHED.search(token.string):
            yield f"{token.start[0]}: unfinished, and no issue says so: {token.string}"
        if token.type == tokenize.COMMENT and BANNER.match(token.string):
            yield f"{token.start[0]}: a banner: let the module's parts speak, or split it"


# State and tasks.


def module_state(module: Module) -> Iterator[str]:
    """State has an owner; a module is none."""
    for node in module.tree.body:
        match node:
            case ast.Assign(targets=targets, value=value) if _mutable(value):
                held = ", ".join(map(ast.unparse, targets))
            case ast.AnnAssign(target=target, value=value, annotation=kind) if _mutable(value) and not _final(kind):
                held = ast.unparse(target)
            case _:
                continue
        if held != "__all__":
            yield f"{node.lineno}: module state {held}: give it an owner, or Final"
    for inner in ast.walk(module.tree):
        if isinstance(inner, ast.Global):
            yield f"{inner.lineno}: global {', '.join(inner.names)}: give it an owner"


def _mutable(value: ast.expr | None) -> bool:
    match value:
        case ast.Dict() | ast.List() | ast.Set() | ast.DictComp() | ast.ListComp() | ast.SetComp():
            return True
        case ast.Call():
            return _called(value) in MUTABLE_CALLS
    return False


def _final(annotation: ast.expr) -> bool:
    return re.match(r"(typing\.)?Final\b", ast.unparse(annotation)) is not None


def tasks(module: Module) -> Iterator[str]:
    """A task belongs to a TaskGroup and has a name."""
    for line, name in imported(module):
        if name.startswith("asyncio.") and name.split(".")[1] in FLOATING and module.room != "aio":
            yield f"{line}: {name}: a task belongs to a TaskGroup"
    for node in ast.walk(module.tree):
        match node:
            case ast.Attribute(value=ast.Name(id="asyncio"), attr=attr) if attr in FLOATING and module.room != "aio":
                yield f"{node.lineno}: asyncio.{attr}: a task belongs to a TaskGroup"
            case ast.Call(func=ast.Attribute(attr="create_task", value=owner), keywords=given):
                if "loop" in ast.unparse(owner):
                    yield f"{node.lineno}: a task of the loop: a task belongs to a TaskGroup"
                if "name" not in {keyword.arg for keyword in given}:
                    yield f"{node.lineno}: a task without a name: who is it in a traceback?"


def reading(module: Module) -> Iterator[str]:
    """The CLI's lines are framed by us: readline raises at 64 KiB."""
    for node in ast.walk(module.tree):
        match node:
            case ast.Attribute(attr="readline" | "readuntil") if module.room in {
                "transport",
                "session",
                "keeper",
                "aio",
            }:
                yield f"{node.lineno}: {node.attr}: read(n) and the project's own framing"


# Errors.


def broad_except(module: Module) -> Iterator[str]:
    """Everything is caught in three places only, and there the traceback is logged; elsewhere it is passed on."""
    for node in ast.walk(module.tree):
        if not isinstance(node, ast.ExceptHandler) or _passes_on(node):
            continue
        caught = _caught(node)
        if caught & {"Exception", "BaseException"}:
            if str(module.path) not in BROAD_EXCEPT:
                yield f"{node.lineno}: catches everything: name what can be raised, or pass it on"
            elif not any(isinstance(inner, ast.Call) and _called(inner) == "exception" for inner in ast.walk(node)):
                yield f"{node.lineno}: catches everything and does not log the traceback"
        if "CancelledError" in caught and module.path != PurePosixPath("aio/finish.py"):
            yield f"{node.lineno}: a cancellation passes; cleanup that must complete runs in aio.finish"


def raised(module: Module) -> Iterator[str]:
    """An error has a class that a caller can act on."""
    for node in ast.walk(module.tree):
        match node:
            case ast.Raise(exc=ast.Call(func=ast.Name(id="Exception" | "BaseException" as name))):
                yield f"{node.lineno}: raise {name}: a caller cannot tell it from any other"


# Imports.


def purity(module: Module) -> Iterator[str]:
    """The core does no I/O, takes no chance and reads no clock, also not from inside a function."""
    if module.room not in PURE:
        return
    for line, name in imported(module):
        if _within(name, IMPURE) and not (name == "importlib.resources.files" and str(module.path) in PACKAGE_DATA):
            yield f"{line}: {name} in the pure room {module.room}: take what it gives as an argument"
    for node in ast.walk(module.tree):
        match node:
            case ast.Call(func=ast.Name(id=name)) if name in IMPURE_CALLS:
                yield f"{node.lineno}: {name}() in the pure room {module.room}"
            case ast.Call() if _called(node) in CLOCK_AND_CHANCE:
                yield f"{node.lineno}: {_called(node)}() in the pure room {module.room}: time and ids are arguments"


def surfaces(module: Module) -> Iterator[str]:
    """A surface speaks events and commands, never the CLI's words, and reaches nothing behind the port."""
    behind = frozenset(f"bascule.{room}" for room in BEHIND_THE_PORT)
    if module.room in SURFACES:
        for line, name in imported(module):
            if _within(name, behind):
                yield f"{line}: {name} in the surface {module.room}: it speaks to a Conversation only"


def keeper(module: Module) -> Iterator[str]:
    """The keeper runs as `python -I -S`: standard library only, and none of its slow parts."""
    if module.room == "keeper":
        for line, name in imported(module):
            top = name.split(".")[0]
            if top == "asyncio" or (
                top not in sys.stdlib_module_names and not _within(name, frozenset(["bascule.keeper"]))
            ):
                yield f"{line}: {name} in the keeper: it runs without site-packages, and starts in 60 ms"


def inner_imports(module: Module) -> Iterator[str]:
    """An import inside a function hides a knot, except an optional extra's, and the CLI's for a quick start."""
    if module.room == "cli":
        return
    inner = {found for function in functions(module.tree) for found in imported(module, function)}
    for line, name in sorted(inner):
        if not _within(name, EXTRAS):
            yield f"{line}: {name} imported inside a function: what knot does it hide?"


def public_names(module: Module) -> Iterator[str]:
    """Inside, a name comes from the module that owns it; `bascule` itself only re-exports."""
    for node in ast.walk(module.tree):
        if isinstance(node, ast.ImportFrom) and _origin(module, node) == "bascule" and module.room != "__init__":
            for name in node.names:
                if name.name not in ROOMS:
                    yield f"{node.lineno}: {name.name} from bascule: import it from the module that owns it"


# Classes.


def overridden(modules: Iterable[Module]) -> Iterator[str]:
    """A class of ours never replaces what another of ours does: a fix there would not reach it (L81)."""
    found = {node.name: (module, node) for module in modules for node in ast.walk(module.tree) if _is_class(node)}
    for name, (module, node) in found.items():
        for base in filter(found.__contains__, map(_base, node.bases)):
            for method in sorted(_methods(node) & _methods(found[base][1])):
                yield f"{module.path}: {name}.{method}() replaces that of {base}: compose, do not override"


def _is_class(node: ast.AST) -> TypeGuard[ast.ClassDef]:
    return isinstance(node, ast.ClassDef)


def _base(node: ast.expr) -> str:
    return ast.unparse(node).partition("[")[0].split(".")[-1]


def _methods(node: ast.ClassDef) -> set[str]:
    """What it does, but for how it is made."""
    return {row.name for row in node.body if isinstance(row, ast.FunctionDef | ast.AsyncFunctionDef)} - {"__init__"}


# Tests.


def no_waiting(module: Module) -> Iterator[str]:
    """A test awaits a condition; a sleep is slow on every machine and too short on one."""
    for line, name in imported(module):
        if name in {"time.sleep", "asyncio.sleep"}:
            yield f"{line}: {name}: await the condition"
    for node in ast.walk(module.tree):
        match node:
            case ast.Attribute(value=ast.Name(id="time" | "asyncio" as owner), attr="sleep"):
                yield f"{node.lineno}: {owner}.sleep: await the condition"


def no_mocks(module: Module) -> Iterator[str]:
    """A double has a behaviour; a mock accepts its author's mistake."""
    for line, name in imported(module):
        if _within(name, frozenset(["unittest.mock", "mock", "pytest_mock"])):
            yield f"{line}: {name}: use a double that behaves, or move the decision into pure code"
    for node in ast.walk(module.tree):
        match node:
            case ast.Attribute(value=ast.Name(id="monkeypatch"), attr="setattr" | "setitem" as attr):
                yield f"{node.lineno}: monkeypatch.{attr}: pass the double as an argument"
    for function in functions(module.tree):
        if "mocker" in {arg.arg for arg in function.args.args}:
            yield f"{function.lineno}: {function.name}(mocker): use a double that behaves"


def can_fail(module: Module) -> Iterator[str]:
    """A test claims something."""
    for function in functions(module.tree):
        if function.name.startswith("test_") and not any(map(_claims, ast.walk(function))):
            yield f"{function.lineno}: {function.name} asserts nothing"


def _claims(node: ast.AST) -> bool:
    match node:
        case ast.Assert(test=ast.Constant()):
            return False
        case ast.Assert():
            return True
        case ast.Call():
            return re.match(r"(raises|warns|fail|assert_|check_|expect_)", _called(node)) is not None
    return False


SOURCE_RULES: Final[tuple[Rule, ...]] = (
    size, names, words, booleans, docstrings, comments, module_state, tasks, reading, broad_except, raised,
    purity, surfaces, keeper, inner_imports, public_names,
)  # fmt: skip
TEST_RULES: Final[tuple[Rule, ...]] = (no_waiting, no_mocks, can_fail)
