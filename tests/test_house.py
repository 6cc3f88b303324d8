"""The house rules hold for the tree, and each of them can fail."""

import os
import re
import statistics
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests import house

ROOT = Path(__file__).parents[1]
SRC = ROOT / "src" / "bascule"
SOURCES = sorted(path for path in SRC.rglob("*.py") if not path.name.endswith("_gen.py"))
TESTS = sorted((ROOT / "tests").rglob("*.py"))

# Put together here, so that this file does not name them itself.
REGISTRIES = [
    ".".join(parts)
    for parts in (
        ("registry", "npmjs"),
        ("registry", "yarnpkg"),
        ("pypi", "org"),
        ("pythonhosted", "org"),
        ("deb", "debian", "org"),
        ("proxy", "golang", "org"),
    )
]


def source(path: Path, top: Path) -> house.Module:
    return house.parsed(path.relative_to(top).as_posix(), path.read_text())


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(SRC)))
def test_a_module_keeps_the_house_rules(path: Path) -> None:
    wrong = house.wrongs(source(path, SRC), house.SOURCE_RULES)
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("path", TESTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_test_keeps_the_house_rules(path: Path) -> None:
    wrong = house.wrongs(source(path, ROOT / "tests"), house.TEST_RULES)
    assert not wrong, "\n".join(wrong)


def test_functions_are_short() -> None:
    lengths = [house.code_lines(function) for path in SOURCES for function in house.functions(source(path, SRC).tree)]
    if len(lengths) < 20:
        pytest.skip("too few functions to speak of a median")
    assert statistics.median(lengths) <= 6
    assert statistics.quantiles(lengths, n=10)[-1] <= 25


def test_every_place_that_may_catch_everything_does() -> None:
    written = [path for path in house.BROAD_EXCEPT if (SRC / path).exists()]
    elsewhere = {path: house.parsed("session/elsewhere.py", (SRC / path).read_text()) for path in written}
    needless = [path for path, module in elsewhere.items() if not list(house.broad_except(module))]
    assert needless == [], "these no longer need their exception: take them off the list"


def test_L81_no_class_replaces_what_another_of_ours_does() -> None:
    assert list(house.overridden(source(path, SRC) for path in SOURCES)) == []


def test_L81_a_method_that_is_replaced_is_seen() -> None:
    base = house.parsed("a.py", "class A(Generic[T]):\n    def __init__(self): ...\n    def run(self): ...\n")
    heir = house.parsed("b.py", "class B(a.A[int]):\n    def __init__(self): ...\n    async def run(self): ...\n")
    assert list(house.overridden([base, heir])) == ["b.py: B.run() replaces that of A: compose, do not override"]


def test_no_tracked_file_names_a_registry() -> None:
    if not (ROOT / ".git").exists():
        pytest.skip("not a checkout")
    command = ["git", "grep", "-nIF", "--untracked", *(word for host in REGISTRIES for word in ("-e", host))]
    found = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert found.returncode == 1, found.stdout[:2000] + found.stderr


def test_every_recording_that_is_cited_is_there() -> None:
    recorded = frozenset(path.stem for path in (ROOT / "tests" / "recordings").rglob("*.jsonl"))
    folders = [ROOT / name for name in ("src", "tests", "docs", "bench", "scripts")]
    citing = [*ROOT.glob("*.md"), *(path for folder in folders for path in folder.rglob("*"))]
    wrong = [
        f"{path.relative_to(ROOT)}:{line} cites {name}"
        for path in citing
        if path.suffix in (".py", ".md", ".toml")
        for line, name in house.not_recorded(path.read_text(), recorded)
    ]
    assert wrong == []


def test_a_citation_of_what_is_not_recorded_is_seen() -> None:
    never = "99_" + "never"
    text = f"as 01_simple_text and 12_resume_* show,\nbut not {never}, recordings/2.1.332/{never} or {never}*; 15_*"
    recorded = frozenset(("01_simple_text", "12_resume_good", "12_base"))
    assert list(house.not_recorded(text, recorded)) == [(2, never), (2, never), (2, f"{never}*")]


def test_make_measures_the_pure_rooms_as_such() -> None:
    named = re.search(r"^PURE\s*:= (.*)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert named is not None
    assert set(named[1].split()) == house.PURE


def test_the_extra_all_is_the_sum_of_the_others() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    assert sorted(extras.pop("all")) == sorted(need for needs in extras.values() for need in needs)


def test_the_library_needs_msgspec_alone() -> None:
    program = "import sys, bascule; print(*{name.split('.')[0] for name in sys.modules})"
    clean = {"PATH": os.defpath, "PYTHONPATH": str(ROOT / "src")}
    command = [sys.executable, "-c", program]
    loaded = set(subprocess.run(command, env=clean, capture_output=True, text=True, check=True).stdout.split())
    assert loaded & (house.EXTRAS | {"pytest", "hatchling"}) == set()


BAD_SOURCE = [
    ("view/long.py", '"""Long."""\n' + "x: int\n" * 401, "more than 400 lines"),
    ("view/a.py", '"""A."""\ndef _f():\n' + "    x()\n" * 51, "_f() is longer than a screen"),
    ("view/utils.py", '"""U."""', "a module called utils"),
    ("session/common/a.py", '"""U."""', "a module called common"),
    ("hub/a.py", '"""A."""\nclass SessionManager:\n    """S."""', "SessionManager says what it is made of"),
    ("terminal/a.py", '"""A."""\nx = "Bash"', "tool name 'Bash'"),
    ("session/a.py", '"""A."""\nmatch x:\n    case "ExitPlanMode":\n        pass', "tool name 'ExitPlanMode'"),
    ("tools/a.py", '"""A."""\nx["updatedInput"]', "wire key 'updatedInput'"),
    ("view/a.py", '"""A."""\ndef _f(done: bool): ...', "_f(done: bool)"),
    ("view/a.py", "x = 1", "a module says what lives here"),
    ("view/a.py", '"""A."""\ndef fold(): ...', "fold is public and says nothing"),
    ("view/a.py", '"""A."""\nclass View: ...', "View is public and says nothing"),
    ("wire/a.py", '"""A."""\nclass Line:\n    def tell(self): ...', "Line is public and says nothing"),
    ("store/a.py", '"""A."""\nclass Store(Protocol):\n    """S."""\n    def put(self): ...', "put is public"),
    ("view/a.py", '"""A."""\n# TODO later', "unfinished"),
    ("view/a.py", '"""A."""\n# ------ views ------', "a banner"),
    ("session/a.py", '"""A."""\nLIVE = {}', "module state LIVE"),
    ("session/a.py", '"""A."""\nLIVE: dict[str, int] = {"a": 1}', "module state LIVE"),
    ("session/a.py", '"""A."""\nLIVE = collections.defaultdict(list)', "module state LIVE"),
    ("session/a.py", '"""A."""\nLIVE: set[int] = set()', "module state LIVE"),
    ("session/a.py", '"""A."""\ndef _f():\n    global live', "global live"),
    ("session/a.py", '"""A."""\nasyncio.create_task(x(), name="x")', "asyncio.create_task: a task belongs"),
    ("session/a.py", '"""A."""\nawait asyncio.wait_for(x(), 1)', "asyncio.wait_for: a task belongs"),
    ("session/a.py", '"""A."""\nfrom asyncio import gather', "asyncio.gather: a task belongs"),
    ("session/a.py", '"""A."""\nasyncio.get_running_loop().create_task(x(), name="x")', "a task of the loop"),
    ("session/a.py", '"""A."""\ngroup.create_task(x())', "a task without a name"),
    ("transport/a.py", '"""A."""\nawait stdout.readline()', "readline: read(n)"),
    ("session/a.py", '"""A."""\ntry:\n    x()\nexcept Exception:\n    pass', "catches everything: name"),
    ("session/a.py", '"""A."""\ntry:\n    x()\nexcept:\n    pass', "catches everything: name"),
    ("session/a.py", '"""A."""\ntry:\n    x()\nexcept (OSError, Exception):\n    pass', "catches everything: name"),
    ("cli/main.py", '"""A."""\ntry:\n    x()\nexcept Exception:\n    pass', "does not log the traceback"),
    ("hub/a.py", '"""A."""\ntry:\n    x()\nexcept asyncio.CancelledError:\n    pass', "a cancellation passes"),
    ("view/a.py", '"""A."""\nraise Exception("no")', "raise Exception"),
    ("view/a.py", '"""A."""\nimport os.path', "os.path in the pure room view"),
    ("wire/a.py", '"""A."""\nfrom pathlib import Path', "pathlib.Path in the pure room wire"),
    ("events.py", '"""A."""\nimport time', "time in the pure room events"),
    ("policy/a.py", '"""A."""\ndef _f():\n    import subprocess', "subprocess in the pure room policy"),
    ("recording.py", '"""A."""\nopen("x")', "open() in the pure room recording"),
    ("policy/a.py", '"""A."""\nfrom importlib.resources import files', "importlib.resources.files in the pure room"),
    ("policy/defaults.py", '"""A."""\nfrom importlib import import_module', "importlib.import_module in the pure"),
    ("protocol/a.py", '"""A."""\nuuid.uuid4()', "uuid4() in the pure room protocol"),
    ("transcript/a.py", '"""A."""\ndatetime.datetime.now(UTC)', "now() in the pure room transcript"),
    ("terminal/a.py", '"""A."""\nfrom bascule import wire', "bascule.wire in the surface terminal"),
    ("web/a.py", '"""A."""\nfrom ..hub.hub import Hub', "bascule.hub.hub.Hub in the surface web"),
    ("demo/a.py", '"""A."""\nimport bascule.session.session', "bascule.session.session in the surface demo"),
    ("keeper/a.py", '"""A."""\nimport msgspec', "msgspec in the keeper"),
    ("keeper/a.py", '"""A."""\nfrom bascule import errors', "bascule.errors in the keeper"),
    ("keeper/a.py", '"""A."""\nimport asyncio', "asyncio in the keeper"),
    ("session/a.py", '"""A."""\ndef _f():\n    from bascule.aio import finish', "bascule.aio.finish imported inside"),
    ("session/a.py", '"""A."""\nfrom bascule import open_session', "open_session from bascule"),
]  # fmt: skip

BAD_TESTS = [
    ("a.py", "import asyncio\nasync def test_a():\n    await asyncio.sleep(1)\n    assert x", "asyncio.sleep"),
    ("a.py", "from time import sleep", "time.sleep"),
    ("a.py", "from unittest.mock import Mock", "unittest.mock.Mock"),
    ("a.py", "from unittest import mock", "unittest.mock"),
    ("a.py", "def test_a(monkeypatch):\n    monkeypatch.setattr(x, 'y', 1)\n    assert x", "monkeypatch.setattr"),
    ("a.py", "def test_a(mocker):\n    assert mocker", "test_a(mocker)"),
    ("a.py", "def test_a():\n    run()", "test_a asserts nothing"),
    ("a.py", "class TestA:\n    async def test_a(self):\n        assert True", "test_a asserts nothing"),
]


@pytest.mark.parametrize(("path", "text", "complaint"), BAD_SOURCE, ids=[f"{row[0]}: {row[2]}" for row in BAD_SOURCE])
def test_bad_source_is_flagged(path: str, text: str, complaint: str) -> None:
    wrong = house.wrongs(house.parsed(path, text), house.SOURCE_RULES)
    assert any(complaint in line for line in wrong), wrong


@pytest.mark.parametrize(("path", "text", "complaint"), BAD_TESTS, ids=[row[2] for row in BAD_TESTS])
def test_a_bad_test_is_flagged(path: str, text: str, complaint: str) -> None:
    wrong = house.wrongs(house.parsed(path, text), house.TEST_RULES)
    assert any(complaint in line for line in wrong), wrong


@pytest.mark.parametrize("rule", [*house.SOURCE_RULES, *house.TEST_RULES], ids=lambda rule: rule.__name__)
def test_every_rule_can_fail(rule: house.Rule) -> None:
    rows = BAD_TESTS if rule in house.TEST_RULES else BAD_SOURCE
    assert any(list(rule(house.parsed(path, text))) for path, text, _ in rows)


GOOD_SOURCE = [
    ("policy/defaults.py", '"""A."""\nfrom importlib.resources import files'),
    ("tools/a.py", '"""A."""\nNAMES: Final = {"Bash": 1}'),
    ("doctor/a.py", '"""A."""\nCALL: Final = call("Bash", command="touch x")'),
    ("wire/a.py", '"""A."""\nclass Line(Struct):\n    mode: str = field(name="permissionMode")'),
    ("session/a.py", '"""A."""\n__all__ = ["a"]\nLIMIT_S = 5'),
    ("session/a.py", '"""A."""\ndef _f(*, done: bool): ...'),
    ("session/a.py", '"""A."""\ngroup.create_task(x(), name="reader")'),
    ("session/a.py", '"""A."""\ntry:\n    x()\nexcept BaseException:\n    y()\n    raise'),
    ("session/a.py", '"""A."""\ntry:\n    x()\nexcept BaseException as exc:\n    future.set_exception(exc)'),
    ("session/hooks.py", '"""A."""\ntry:\n    x()\nexcept Exception:\n    log.exception("a callback raised")'),
    ("aio/finish.py", '"""A."""\ntry:\n    x()\nexcept asyncio.CancelledError as exc:\n    cancelled = exc'),
    ("terminal/a.py", '"""A."""\ndef _f():\n    import rich.console'),
    ("terminal/a.py", '"""A."""\nfrom bascule import events\nfrom bascule.view.fold import fold'),
    ("cli/a.py", '"""A."""\ndef _f():\n    from bascule.session import session'),
    ("keeper/a.py", '"""A."""\nimport os, selectors, socket\nfrom bascule.keeper import lock'),
    ("view/a.py", '"""A."""\n# TODO: when issue #12 is settled'),
    ("view/a.py", '"""Says "Bash" and "updatedInput" in a sentence."""\nimport difflib'),
]


@pytest.mark.parametrize(("path", "text"), GOOD_SOURCE)
def test_good_source_is_left_alone(path: str, text: str) -> None:
    assert house.wrongs(house.parsed(path, text), house.SOURCE_RULES) == []


@pytest.mark.parametrize(
    "text",
    [
        "def test_a():\n    with pytest.raises(ValueError):\n        x()",
        "def test_a():\n    check_contract(Store())",
        "def test_a(monkeypatch):\n    monkeypatch.setenv('CI', 'true')\n    assert x()",
        "def build():\n    run()",
    ],
)
def test_a_good_test_is_left_alone(text: str) -> None:
    assert house.wrongs(house.parsed("a.py", text), house.TEST_RULES) == []
