"""Writes `docs/reference/policy.md`: `python -m scripts.write_policy_reference`.

What holds about decisions, and the tests that would fail if it did not: the words and the names are those of
`policy.toml`. A test that is not there fails the making, so that no sentence stands on nothing.
"""

import ast
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).parents[1]
PAGE: Final = ROOT / "docs" / "reference" / "policy.md"
WORDS: Final = ROOT / "scripts" / "policy.toml"

MADE: Final = "<!-- Made by `python -m scripts.write_policy_reference` from `scripts/policy.toml`: change it there. -->"
INTRODUCTION: Final = """\
Every rule about decisions, and the tests that would fail if it did not hold. Those in `tests/live/` run on the real CLI
of every tested version. How to write rules of your own: [policies and rules](policies.md)."""


def page(words: Path = WORDS, root: Path = ROOT) -> str:
    """The whole page. Raises `LookupError` with every test that is named and not there."""
    chapters = tomllib.loads(words.read_text(encoding="utf-8"))["chapter"]
    missing = [
        test for chapter in chapters for rule in chapter["rule"] for test in rule["tests"] if not _is_there(test, root)
    ]
    if missing:
        raise LookupError(f"{words.name} names tests that are not there: {', '.join(missing)}")
    parts = [MADE, "# What holds about decisions", INTRODUCTION]
    for chapter in chapters:
        parts += [f"## {chapter['title']}", "\n".join(_rows(chapter["rule"]))]
    return "\n\n".join(parts) + "\n"


def _rows(rules: list[Mapping[str, Any]]) -> Iterator[str]:
    yield "| what holds | what holds it |"
    yield "|---|---|"
    yield from (f"| {rule['says']} | {' · '.join(map(_link, rule['tests']))} |" for rule in rules)


def _link(test: str) -> str:
    path, _, name = test.partition("::")
    return f"[{name.removeprefix('test_').replace('_', ' ')}](../../{path}#{name})"


def _is_there(test: str, root: Path) -> bool:
    path, _, name = test.partition("::")
    return name.startswith("test_") and name in _functions(root / path)


@cache
def _functions(path: Path) -> frozenset[str]:
    if not path.is_file():
        return frozenset()
    body = ast.parse(path.read_text(encoding="utf-8")).body
    return frozenset(node.name for node in body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
