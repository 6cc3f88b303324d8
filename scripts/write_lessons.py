"""Writes `docs/reference/lessons.md`: `python -m scripts.write_lessons`.

Which failures of this field some test holds, by the numbers in the names of tests (`test_L15_…`), and which families of
scenes run on the real CLI. The words are those of `lessons.toml`.
"""

import ast
import re
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

ROOT: Final = Path(__file__).parents[1]
PAGE: Final = ROOT / "docs" / "reference" / "lessons.md"
WORDS: Final = ROOT / "scripts" / "lessons.toml"
LIVE: Final = "tests/live/"

MADE: Final = "<!-- Made by `python -m scripts.write_lessons` from the names of tests and `scripts/lessons.toml`. -->"
INTRODUCTION: Final = """\
What went wrong in other products that drive Claude Code, and the tests that would have caught it here. A test bears the
numbers of its lessons in its name: `pytest -k _L15_` runs those of one. What belongs to rooms that are not built yet is
not in the list."""
SCENES: Final = """\
What the CLI was recorded to do falls into families; the number is the one that their recordings begin with. Each runs
on the real CLI of every tested version with `make live`; those of `conformance/` run on the fake one as well."""
CHAPTERS: Final = {"S": "Of the official SDKs", "L": "Of a bot for chats", "F": "Of apps with a face"}

_NUMBER: Final = re.compile(r"[SLF]\d+")


class Held(NamedTuple):
    """A test that holds a lesson or more."""

    path: str
    """From the root of the repository."""
    name: str

    @property
    def numbers(self) -> tuple[str, ...]:
        """Of its lessons: what follows `test_`, as far as it is numbers."""
        parts = self.name.split("_")[1:]
        words = next((place for place, part in enumerate(parts) if not _NUMBER.fullmatch(part)), len(parts))
        return tuple(parts[:words])

    @property
    def says(self) -> str:
        """The name in words, without the numbers."""
        return " ".join(self.name.split("_")[1 + len(self.numbers) :])


@cache
def words() -> Mapping[str, Any]:
    """What `lessons.toml` says: of each letter the lessons by number, and the families of scenes."""
    return tomllib.loads(WORDS.read_text(encoding="utf-8"))


def held(top: Path = ROOT) -> list[Held]:
    """Every test with a number below `top`, by path and place."""
    paths = sorted((top / "tests").rglob("test_*.py"))
    found = (Held(path.relative_to(top).as_posix(), name) for path in paths for name in _tests(path))
    return [test for test in found if test.numbers]


def _tests(path: Path) -> Iterator[str]:
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_"):
            yield node.name


def page() -> str:
    """The whole page."""
    tests = held()
    parts = [MADE, "# Lessons, and what holds them", INTRODUCTION]
    for letter, title in CHAPTERS.items():
        parts += [f"## {title}", "\n".join(_lessons(words()[letter], tests))]
    parts += ["## Families of scenes", SCENES, "\n".join(_families())]
    return "\n\n".join(parts) + "\n"


def _lessons(said: Mapping[str, str], tests: list[Held]) -> Iterator[str]:
    yield "| | what went wrong | what holds it |"
    yield "|---|---|---|"
    for number, lesson in said.items():
        links = (_link(test) for test in tests if number in test.numbers)
        yield f"| {number} | {lesson} | {' · '.join(links)} |"


def _families() -> Iterator[str]:
    yield "| | family | tests |"
    yield "|---|---|---|"
    for number, (family, *files) in words()["scenes"].items():
        links = (f"[{file.removesuffix('.py')}](../../{LIVE}{file})" for file in files)
        yield f"| {int(number):02} | {family} | {' · '.join(links)} |"


def _link(test: Held) -> str:
    return f"[{test.says}](../../{test.path}#{test.name})"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
