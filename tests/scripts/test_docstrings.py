"""What stands below a name in the source is found; what only the class knows is asked of it."""

import importlib.util
from pathlib import Path

import pytest

from scripts.docstrings import Page, read

SOURCE = '''\
"""First line.

Wrapped over
two lines with ``code``.

    indented = "example"
"""

from contextlib import asynccontextmanager

import msgspec

LIMIT = 7
"""What there is at most."""

Word = int
"""A word."""


class Thing(msgspec.Struct, tag="thing"):
    """A thing."""

    size: int = LIMIT
    """In bytes."""
    kind: str | None = msgspec.field(name="as", default=None)
    tags: dict[str, int] = msgspec.field(default_factory=dict)
    _hidden: int = 0

    @property
    def large(self) -> bool:
        """Whether it is."""
        return self.size > 1

    async def move(self, to: str, *steps: int, fast: bool = False) -> Word:
        """Away."""
        return 1


class Holder:
    """Holds."""

    def __init__(self) -> None:
        self.held = 1
        """What is held."""
        self.inner = 2


@asynccontextmanager
async def opened(path: str) -> "AsyncIterator[Thing]":
    """An open thing."""
    yield Thing()


def _private() -> None:
    """Not told."""
'''


@pytest.fixture
def page(tmp_path: Path) -> Page:
    path = tmp_path / "example.py"
    path.write_text(SOURCE)
    spec = importlib.util.spec_from_file_location("example", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return read(module)


def test_paragraphs_are_lines_and_examples_are_blocks(page: Page) -> None:
    wanted = 'First line.\n\nWrapped over two lines with `code`.\n\n```text\nindented = "example"\n```'
    assert page.doc == wanted


def test_names_are_told_with_the_text_below_them(page: Page) -> None:
    assert page.names == {"LIMIT": "What there is at most.", "Word": "A word."}


def test_a_field_has_its_text_its_json_name_and_its_default(page: Page) -> None:
    size, kind, tags = page.shapes["Thing"].fields
    assert (size.name, size.json, size.doc) == ("size", "size", "In bytes.")
    assert (kind.name, kind.json) == ("kind", "as")
    assert [getattr(field.default, "value", None) for field in (size, kind)] == [7, None]
    assert tags.default is not None


def test_an_attribute_counts_when_a_text_stands_below_it(page: Page) -> None:
    assert [field.name for field in page.shapes["Holder"].fields] == ["held"]


@pytest.mark.parametrize(
    ("name", "signature"),
    [
        ("move", "await move(to: str, *steps: int, fast: bool = False) -> Word"),
        ("large", "large() -> bool"),
    ],
)
def test_a_method_is_told_as_it_is_called(page: Page, name: str, signature: str) -> None:
    (found,) = [method for method in page.shapes["Thing"].methods if method.name == name]
    assert found.signature == signature
    assert found.is_property == (name == "large")


def test_a_context_is_told_with_what_it_holds(page: Page) -> None:
    assert page.functions["opened"].signature.startswith("async with opened(path: str) as ")
    assert list(page.functions) == ["opened"]
