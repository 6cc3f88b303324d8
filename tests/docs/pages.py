"""The pages of the documentation, as tests want them: their blocks of code, their links, their headings."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

ROOT: Final = Path(__file__).parents[2]
PAGES: Final = (
    *sorted(path for path in ROOT.glob("*.md") if path.name != "CLAUDE.md"),
    *sorted((ROOT / "docs").rglob("*.md")),
    ROOT / "tests" / "recordings" / "README.md",
)

_BLOCK: Final = re.compile(r"^```(?P<language>\w*) ?(?P<name>.*?)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
_LINK: Final = re.compile(r"(?<!`)\[[^\]\n]*\]\((?P<target>[^)\s]+)\)")
_HEADING: Final = re.compile(r"^#{1,6} (?P<text>.+)$", re.MULTILINE)


class Block(NamedTuple):
    """A fenced block: ```` ```LANGUAGE NAME ````. A Python block bears the name of the file that it is saved as."""

    page: str
    language: str
    name: str
    text: str

    def __str__(self) -> str:
        return f"{self.page}:{self.name}" if self.name else self.page


def named(page: Path) -> str:
    """How a page is called in tests: `how-to/ci.md`."""
    return page.relative_to(ROOT).as_posix().removeprefix("docs/")


def blocks(*languages: str) -> list[Block]:
    """The blocks of all pages in these languages."""
    return [
        Block(named(page), found["language"], found["name"], found["text"])
        for page in PAGES
        for found in _BLOCK.finditer(page.read_text(encoding="utf-8"))
        if found["language"] in languages
    ]


def block(page: str, name: str) -> Block:
    """The Python block of that page and name."""
    (found,) = [each for each in blocks("python") if (each.page, each.name) == (page, name)]
    return found


def prose(page: Path) -> str:
    """A page without its blocks."""
    return _BLOCK.sub("", page.read_text(encoding="utf-8"))


def links(page: Path) -> list[str]:
    """What a page links to, outside of its blocks."""
    return links_of(prose(page))


def links_of(text: str) -> list[str]:
    """What a text links to."""
    return [found["target"] for found in _LINK.finditer(text)]


def anchors(page: Path) -> set[str]:
    """What a link may name behind `#`: of a page its headings, as GitHub makes anchors of them; of code its names."""
    if page.suffix == ".py":
        return set(_names(ast.parse(page.read_text(encoding="utf-8"))))
    return {_anchor(found["text"]) for found in _HEADING.finditer(prose(page))}


def _names(module: ast.Module) -> Iterator[str]:
    for node in module.body:
        match node:
            case ast.ClassDef(name=name) | ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                yield name
            case ast.AnnAssign(target=ast.Name(id=name)):
                yield name


def tables(page: Path) -> list[list[list[str]]]:
    """The tables of a page: rows of cells, the headings first."""
    blocks = re.findall(r"(?:^\|.*\n)+", prose(page), re.MULTILINE)
    return [[_cells(row) for row in block.splitlines() if not row.startswith("|---")] for block in blocks]


def _cells(row: str) -> list[str]:
    return [cell.strip() for cell in row.strip().strip("|").split(" | ")]


def _anchor(heading: str) -> str:
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def commands(program: str) -> Iterator[tuple[str, str]]:
    """Each command line of the pages that begins with `program`: the page, and the whole line."""
    for shell in blocks("sh"):
        whole = shell.text.replace("\\\n", " ")
        yield from ((shell.page, line.strip()) for line in whole.splitlines() if line.split(" ")[0] == program)
