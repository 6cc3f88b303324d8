"""Every promise of `docs/reference/security.md` has tests, and every test that is named there is one."""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "reference" / "security.md"
ROWS = [line.strip("|").split(" | ") for line in PAGE.read_text().splitlines() if line.startswith("| ")][1:]
NAMED = [named for row in ROWS for named in re.findall(r"`([^`]+::[^`]+)`", row[-1])]


def test_every_promise_has_a_test() -> None:
    assert len(ROWS) >= 20
    assert [row[0] for row in ROWS if "::" not in row[-1]] == []


def test_every_test_that_is_named_is_there_and_is_named_once() -> None:
    assert len(set(NAMED)) == len(NAMED)
    assert [named for named in NAMED if not is_there(*named.split("::"))] == []


def is_there(file: str, name: str) -> bool:
    text = (ROOT / file).read_text()
    if file.endswith(".tsx"):
        return re.search(rf'it(\.each\(\w+\))?\("{re.escape(name)}', text) is not None
    return any(
        isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name == name for node in ast.parse(text).body
    )
