"""Reads modules as documentation: classes, fields and functions with the docstrings that stand below them.

From the syntax tree, since Python forgets the text under a field; what only the running class knows (the tag of a
message, a field's name in JSON) is asked of the class. What is made of it is `write_reference.py`'s.
"""

import ast
import inspect
import sys
from collections.abc import Iterator
from functools import cache
from types import ModuleType
from typing import Any, NamedTuple

Function = ast.FunctionDef | ast.AsyncFunctionDef


class Field(NamedTuple):
    """A field of a struct, or an attribute that is set in `__init__`."""

    name: str
    json: str
    """Its name in JSON."""
    type: ast.expr | None
    default: ast.expr | None
    """None: it must be given."""
    doc: str


class Method(NamedTuple):
    """A function, a method or a property."""

    name: str
    signature: str
    doc: str
    is_property: bool = False
    is_context: bool = False
    """It is used with `async with`."""


class Shape(NamedTuple):
    """A class."""

    name: str
    tag: str
    """What tells it in JSON; empty for a class without a tag."""
    bases: tuple[str, ...]
    doc: str
    fields: tuple[Field, ...]
    methods: tuple[Method, ...]


class Page(NamedTuple):
    """A module."""

    doc: str
    shapes: dict[str, Shape]
    functions: dict[str, Method]
    names: dict[str, str]
    """Other names (type aliases, ids, constants) with the text below them."""


def read(module: ModuleType) -> Page:
    """What a module says about itself. Names that begin with an underscore are left out, but for bases."""
    tree = ast.parse(inspect.getsource(module))
    shapes, functions = {}, {}
    for node in tree.body:
        match node:
            case ast.ClassDef(name=name) if not name.startswith("_"):
                shapes[name] = _shape(node, module)
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) if not name.startswith("_"):
                functions[name] = _method(node)
    return Page(_clean(ast.get_docstring(tree)), shapes, functions, _names(tree))


def shape_of(kind: type[Any]) -> Shape:
    """What one class says about itself, also one whose name begins with an underscore."""
    module = sys.modules[kind.__module__]
    return _shape(_classes(module)[kind.__name__], module)


@cache
def _classes(module: ModuleType) -> dict[str, ast.ClassDef]:
    tree = ast.parse(inspect.getsource(module))
    return {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}


def _shape(node: ast.ClassDef, module: ModuleType) -> Shape:
    made = getattr(module, node.name)
    json = dict(zip(getattr(made, "__struct_fields__", ()), getattr(made, "__struct_encode_fields__", ()), strict=True))
    config = getattr(made, "__struct_config__", None)
    init = next((n for n in node.body if isinstance(n, ast.FunctionDef) and n.name == "__init__"), None)
    found = [*_fields(node.body, json), *(_fields(init.body, json) if init else ())]
    methods = (_method(n) for n in node.body if isinstance(n, Function) and not n.name.startswith("_"))
    return Shape(
        name=node.name,
        tag=str(config.tag) if config and config.tag else "",
        bases=tuple(ast.unparse(base) for base in node.bases),
        doc=_clean(ast.get_docstring(node)),
        fields=tuple(_resolved(field, module) for field in found if not field.name.startswith("_")),
        methods=tuple(methods),
    )


def _fields(body: list[ast.stmt], json: dict[str, str]) -> list[Field]:
    """Annotated names, and attributes of `self` that have a text below them."""
    found = []
    for node, after in zip(body, [*body[1:], None], strict=True):
        doc = _text(after)
        match node:
            case ast.AnnAssign(target=ast.Name(id=name), annotation=kind, value=value):
                found.append(Field(name, json.get(name, name), kind, _default(value), doc))
            case ast.Assign(targets=[ast.Attribute(attr=name)]) if doc:
                found.append(Field(name, name, None, None, doc))
    return found


def _default(value: ast.expr | None) -> ast.expr | None:
    """The default itself, where msgspec's `field` wraps it."""
    match value:
        case ast.Call(func=ast.Name(id="field") | ast.Attribute(attr="field"), keywords=keywords):
            given = {keyword.arg: keyword.value for keyword in keywords}
            factory = given.get("default_factory")
            return given.get("default") or (ast.Call(factory, [], []) if factory else None)
        case _:
            return value


def _resolved(field: Field, module: ModuleType) -> Field:
    """`field` with the value of a constant in place of the constant's name."""
    match field.default:
        case ast.Name() | ast.Attribute():
            found: Any = module
            for name in ast.unparse(field.default).split("."):
                found = getattr(found, name)
            return field._replace(default=ast.Constant(found))
    return field


def _method(node: Function) -> Method:
    decorators = {ast.unparse(decorator) for decorator in node.decorator_list}
    return Method(
        name=node.name,
        signature=_signature(node, is_context="asynccontextmanager" in decorators),
        doc=_clean(ast.get_docstring(node)),
        is_property="property" in decorators,
        is_context="asynccontextmanager" in decorators,
    )


def _signature(node: Function, *, is_context: bool) -> str:
    """`await prompt(text: str) -> PromptHandle`: how it is called, without `self`."""
    arguments = ", ".join(_arguments(node.args))
    returns = ast.unparse(node.returns) if node.returns else "None"
    gives = "" if returns == "None" else f" -> {returns}"
    if is_context:
        held = returns.removeprefix("AsyncIterator[").removesuffix("]")
        return f"async with {node.name}({arguments}) as {held.lower()}: {held}"
    return f"{'await ' if isinstance(node, ast.AsyncFunctionDef) else ''}{node.name}({arguments}){gives}"


def _arguments(given: ast.arguments) -> Iterator[str]:
    defaults = [None] * (len(given.args) - len(given.defaults)) + given.defaults
    for arg, default in zip(given.args, defaults, strict=True):
        if arg.arg != "self":
            yield _argument(arg, default)
    if given.vararg:
        yield f"*{ast.unparse(given.vararg)}"
    elif given.kwonlyargs:
        yield "*"
    yield from map(_argument, given.kwonlyargs, given.kw_defaults)
    if given.kwarg:
        yield f"**{_argument(given.kwarg, None)}"


def _argument(arg: ast.arg, default: ast.expr | None) -> str:
    return ast.unparse(arg) + (f" = {ast.unparse(default)}" if default else "")


def _names(tree: ast.Module) -> dict[str, str]:
    names = {}
    for node, after in zip(tree.body, [*tree.body[1:], None], strict=True):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
                names[name] = _text(after)
    return {name: doc for name, doc in names.items() if not name.startswith("_")}


def _text(node: ast.stmt | None) -> str:
    match node:
        case ast.Expr(value=ast.Constant(value=str(text))):
            return _clean(text)
    return ""


def _clean(text: str | None) -> str:
    """The text as Markdown: single backticks, paragraphs in one line each, what is indented as a block of text."""
    paragraphs = inspect.cleandoc(text or "").replace("``", "`").replace("::\n", ":\n").split("\n\n")
    return "\n\n".join(_paragraph(each) for each in paragraphs)


def _paragraph(text: str) -> str:
    if text.startswith("    "):
        return f"```text\n{inspect.cleandoc(text)}\n```"
    return text if text.startswith(("* ", "- ")) else " ".join(line.strip() for line in text.splitlines())
