"""More than a thousand command lines, each with what is found in it and what three rule files say of it."""

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Final

import pytest

from bascule.policy.policies import Policy
from bascule.policy.verdict import Allow
from bascule.tools.facts import facts
from bascule.tools.risks import marks
from bascule.tools.shell import AVAILABLE
from tests.policy import lines
from tests.policy.calls import WORKSPACE
from tests.policy.lines import Row, said, verdict

ROOT: Final = Path(__file__).parents[2]
ROWS: Final = lines.rows()


@pytest.fixture(scope="session")
def policies() -> dict[str, Policy]:
    return dict(lines.policies())


def test_the_parser_is_there() -> None:
    assert AVAILABLE


def test_no_line_stands_in_the_corpus_twice() -> None:
    assert [text for text, times in Counter(row.text for row in ROWS).items() if times > 1] == []
    assert len(ROWS) > 1000


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_a_line_is_read_and_judged_as_somebody_who_knows_shells_would(row: Row, policies: dict[str, Policy]) -> None:
    assert found_in(row) == expected_of(row)
    assert {name: said(verdict(policy, row.text)) for name, policy in policies.items()} == {
        name: getattr(row, name) for name in lines.RULES
    }


def found_in(row: Row) -> dict[str, object]:
    known = facts("Bash", {"command": row.text})
    return {
        "runs": [command.words for command in known.commands],
        "parsed": known.parsed,
        "doubts": {doubt for command in known.commands for doubt in command.doubts},
        "marks": {mark.mark + "!" * mark.grave for mark in marks(known, WORKSPACE)},
        "reads": row.reads & set(known.reads),
        "writes": set(known.writes),
        "fills": set(known.fills),
        "deletes": set(known.deletes),
        "hosts": known.hosts,
    }


def expected_of(row: Row) -> dict[str, object]:
    return {
        "runs": row.commands,
        "parsed": row.parsed,
        "doubts": row.all_doubts,
        "marks": row.all_marks,
        "reads": row.reads,
        "writes": row.writes,
        "fills": row.fills,
        "deletes": row.deletes,
        "hosts": row.hosts,
    }


def test_what_holds_a_doubt_is_allowed_under_no_rules() -> None:
    verdicts = [(row.text, getattr(row, name)) for row in ROWS if row.all_doubts for name in lines.RULES]
    assert [(text, told) for text, told in verdicts if told.startswith("allow")] == []


def test_every_rule_decides_over_some_line() -> None:
    """Deny and ask rules too; an allow rule that covers nothing would be a wrong pattern that nobody sees."""
    for name in lines.RULES:
        heard = "; ".join(getattr(row, name) for row in ROWS)
        unheard = [rule.match for rule in lines.rules(name) if rule.match and rule.match not in heard]
        assert unheard == [], name


def test_without_the_parser_only_rules_to_the_letter_allow() -> None:
    program = (
        "import sys; sys.modules['tree_sitter'] = None\n"
        "import json\nfrom tests.policy.test_corpus import allowed_lines\n"
        "print(json.dumps(allowed_lines()))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT)
    exact = {name: {rule.match for rule in lines.rules(name) if "*" not in str(rule)} for name in lines.RULES}
    to_the_letter = {name: [row.text for row in ROWS if row.text.strip(" \n") in exact[name]] for name in lines.RULES}
    assert json.loads(done.stdout) == to_the_letter
    assert "make test" in to_the_letter["usual"]


def allowed_lines() -> dict[str, list[str]]:
    """The lines that each rule file allows."""
    return {
        name: [row.text for row in ROWS if isinstance(verdict(policy, row.text), Allow)]
        for name, policy in lines.policies().items()
    }
