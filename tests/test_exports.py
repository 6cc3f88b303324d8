"""The public names: those that the documentation lists, each of them there, and none of them paid for unused."""

import ast
import json
import re
import subprocess
import sys
from pathlib import Path

import bascule

ROOT = Path(__file__).parents[1]
INIT = ast.parse((ROOT / "src" / "bascule" / "__init__.py").read_text())
LIBRARY = (ROOT / "docs" / "reference" / "library.md").read_text()


def loaded_by(code: str) -> set[str]:
    """The modules that a new interpreter has loaded after `code`, on a machine without what is optional."""
    optional = ("tree_sitter", "tree_sitter_bash", "rich", "PIL", "typing_extensions")
    hidden = f"import sys; sys.modules.update(dict.fromkeys({optional}));"
    told = "import json; print(json.dumps([name for name, module in sys.modules.items() if module]))"
    run = subprocess.run([sys.executable, "-c", f"{hidden}{code}\n{told}"], capture_output=True, text=True, check=True)
    return {name.partition(".")[0] for name in json.loads(run.stdout)}


def seen_by_a_type_checker() -> set[str]:
    (block,) = [node for node in INIT.body if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"]
    return {name.name for node in block.body if isinstance(node, ast.ImportFrom) for name in node.names}


def test_every_public_name_is_there() -> None:
    assert [name for name in bascule.__all__ if getattr(bascule, name, None) is None] == []


def test_public_names_are_those_of_the_documentation() -> None:
    assert sorted(re.findall(r"^### (\w+)$", LIBRARY, re.MULTILINE)) == bascule.__all__


def test_public_names_are_in_order_and_named_once() -> None:
    assert sorted(set(bascule.__all__)) == bascule.__all__ == dir(bascule)


def test_a_type_checker_sees_what_is_loaded() -> None:
    assert seen_by_a_type_checker() == set(bascule.__all__)


def test_a_name_that_is_not_public_is_no_attribute() -> None:
    assert not hasattr(bascule, "Line")


def test_a_star_import_gives_the_public_names() -> None:
    given: dict[str, object] = {}
    exec("from bascule import *", given)
    assert set(given) - {"__builtins__"} == set(bascule.__all__)


def test_importing_the_package_loads_neither_asyncio_nor_msgspec() -> None:
    assert not loaded_by("import bascule") & {"asyncio", "msgspec"}


def test_every_public_name_needs_msgspec_alone() -> None:
    foreign = loaded_by("from bascule import *") - sys.stdlib_module_names - loaded_by("")
    assert foreign == {"bascule", "msgspec"}
