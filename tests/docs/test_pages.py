"""What the pages say is so: links lead somewhere, commands parse, rules and scripts are read, programs are typed."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from bascule.cli.main import parser
from bascule.cli.settings.files import read
from bascule.cli.settings.sections import SECTIONS
from bascule.demo.load import load_script
from bascule.policy.config import rules_of
from bascule.policy.rules import parse
from tests.docs import pages
from tests.docs.pages import PAGES, ROOT, named

each_page = pytest.mark.parametrize("page", PAGES, ids=named)


@each_page
def test_no_link_is_dead(page: Path) -> None:
    dead = []
    for target in pages.links(page):
        file, _, anchor = target.partition("#")
        path = (page.parent / file).resolve() if file else page
        if target.startswith(("http://", "https://")):
            continue
        if not path.exists() or (anchor and anchor not in pages.anchors(path)):
            dead.append(target)
    assert dead == []


def test_a_dead_link_is_seen(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# A *first* page!\n[a](b.md) `[no](link)`\n```text\n[c](d.md)\n```\n[e](#f)\n")
    assert pages.links(page) == ["b.md", "#f"]
    assert pages.anchors(page) == {"a-first-page"}


def test_a_link_to_code_names_what_stands_there(tmp_path: Path) -> None:
    module = tmp_path / "module.py"
    module.write_text("# No heading\nLIMIT: Final = 3\nasync def test_a(): ...\nclass B:\n    def inner(self): ...\n")
    assert pages.anchors(module) == {"LIMIT", "test_a", "B"}


def test_every_page_is_reached_from_the_index() -> None:
    reached, waiting = set(), [ROOT / "docs" / "index.md"]
    while waiting:
        page = waiting.pop()
        if page not in reached and page.suffix == ".md" and page.exists():
            reached.add(page)
            waiting += [(page.parent / target.partition("#")[0]).resolve() for target in pages.links(page)]
    assert sorted(named(page) for page in (ROOT / "docs").rglob("*.md") if page not in reached) == []


@pytest.mark.parametrize(("page", "line"), list(pages.commands("bascule")))
def test_a_command_line_of_the_pages_is_understood(page: str, line: str) -> None:
    args = parser().parse_args(shlex.split(re.split(r" [>|] ", line)[0])[1:])
    assert args.command == line.split()[1]
    assert all(parse(rule) for rule in getattr(args, "allow", []))


@pytest.mark.parametrize(("page", "line"), list(pages.commands("make")))
def test_a_target_that_the_pages_name_is_there(page: str, line: str) -> None:
    target = line.split()[1]
    assert re.search(rf"^{re.escape(target)}:", (ROOT / "Makefile").read_text(), re.MULTILINE), f"make {target}"


@pytest.mark.parametrize("shown", pages.blocks("toml"), ids=str)
def test_toml_of_the_pages_is_read(shown: pages.Block) -> None:
    if "[[rule]]" in shown.text:
        assert rules_of(shown.text, shown.page)
    elif any(shown.text.startswith(f"[{section}]") for section in SECTIONS):
        assert read(shown.text, shown.page, "user").mistakes == ()
    else:
        assert load_script(shown.text).turns


def test_every_program_has_a_name_of_its_own() -> None:
    names = [shown.name for shown in pages.blocks("python")]
    assert all(re.fullmatch(r"\w+\.py", name) for name in names)
    assert sorted(set(names)) == sorted(names)


@pytest.fixture
def programs(tmp_path: Path) -> list[str]:
    """The programs of the pages, saved under their names."""
    for shown in pages.blocks("python"):
        (tmp_path / shown.name).write_text(shown.text)
    return [str(path) for path in sorted(tmp_path.glob("*.py"))]


def said_by(tool: str, *arguments: str) -> tuple[str, int]:
    command = [sys.executable, "-m", tool, *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout, done.returncode


@pytest.mark.timeout(120)
def test_every_program_is_typed(programs: list[str]) -> None:
    assert said_by("mypy", "--no-error-summary", *programs) == ("", 0)


def test_every_program_is_in_good_form(programs: list[str]) -> None:
    ours = ("--isolated", "--quiet", "--line-length=120", "--target-version=py311")
    assert said_by("ruff", "check", *ours, "--select=E,W,F,I,UP,B,SIM,RUF,ASYNC", *programs) == ("", 0)
    assert said_by("ruff", "format", "--check", *ours, *programs) == ("", 0)
