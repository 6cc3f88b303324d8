"""The tables of the hand-written reference pages leave nothing out."""

import re
from typing import get_args

from bascule import commands, recording
from bascule.demo.load import VERBS
from bascule.demo.script import When
from bascule.policy.policies import named as policy_named
from bascule.recording import Dir, Note
from bascule.testing.memory import MemoryPipe
from tests.docs.pages import ROOT

REFERENCE = ROOT / "docs" / "reference"


def first_cells(page: str) -> set[str]:
    """What stands in code in the first column of the page's tables."""
    rows = [line.split("|")[1] for line in (REFERENCE / page).read_text().splitlines() if line.startswith("| `")]
    return {word for row in rows for word in re.findall(r"`([^`]+)`", row)}


def test_every_policy_of_the_page_is_one_with_that_mode() -> None:
    text = (REFERENCE / "policies.md").read_text()
    governed = dict(re.findall(r"^\| `([\w-]+)`[^|]*\|[^|]*\| `(\w+)` \|$", text, re.MULTILINE))
    modes = "acceptEdits auto dontAsk manual bypassPermissions".split()
    assert {name: policy_named(name).mode for name in governed} == governed
    assert set(governed) == {"supervised", "plan", "plan-auto", "rules", "autonomous"}
    assert [name for name in modes if name not in first_cells("policies.md") or policy_named(name).governs] == []


def test_every_note_and_direction_is_told() -> None:
    notes = {kind.__struct_config__.tag for kind in get_args(Note)}
    assert notes | set(get_args(Dir)) == first_cells("recording.md") - {"dir"}
    assert recording.FORMAT_VERSION == 1


def test_every_step_and_condition_of_the_script_language_is_told() -> None:
    told = {re.split(r"\W", cell)[0] for cell in first_cells("script-language.md")}
    assert {*VERBS, *When.__struct_fields__, "respond"} <= told


def test_what_a_memory_pipe_can_do_is_told() -> None:
    text = (REFERENCE / "testing.md").read_text()
    verbs = {name for name in vars(MemoryPipe) if not name.startswith("_")}
    port = {"read", "write", "drain", "end", "signal", "close"}
    assert [name for name in verbs - port if f"`{name}" not in text and f"{name}(" not in text] == []


def test_every_logger_is_told() -> None:
    sources = (ROOT / "src" / "bascule").rglob("*.py")
    used = {name for path in sources for name in re.findall(r'getLogger\("(bascule\.\w+)"\)', path.read_text())}
    assert used == {cell for cell in first_cells("logging.md") if cell.startswith("bascule.")}


def test_every_decision_is_told_where_people_look_for_it() -> None:
    text = (ROOT / "docs" / "how-to" / "approve-by-hand.md").read_text()
    assert [kind.__name__ for kind in get_args(commands.Decision) if f"`{kind.__name__}(" not in text] == []
