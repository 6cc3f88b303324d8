"""Files by which something runs later."""

import re
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bascule.payload import Mark
from bascule.policy import places
from bascule.policy.defaults import ACCEPTED_EDITS
from bascule.policy.matching import coverage
from bascule.policy.rules import Rule, parse
from bascule.tools import facts, marks, startup
from bascule.tools.startup import BUILT_WITH, GUARDED, PATTERNS, SECRETS
from tests.policy.calls import WORKSPACE, bash, call

GROUND = places.Ground(workspace=WORKSPACE, home="/home/ann")
LATER = Mark(mark="runs later")
GRAVE = Mark(mark="runs later", grave=True)


def a_file(pattern: str) -> str:
    """A path, somewhere, that `pattern` means."""
    return f"{WORKSPACE}/sub/{pattern.replace('*', 'x')}{'x' * pattern.endswith('/')}"


def covered(path: str, *rules: Rule) -> bool:
    return all(each.rule is not None for each in coverage(rules, call("Write", file_path=path, content="x"), 0))


@pytest.mark.parametrize("pattern", PATTERNS)
def test_what_is_guarded_is_not_reached_by_accepted_edits_nor_by_a_rule_that_does_not_name_it(pattern: str) -> None:
    path = a_file(pattern)
    for written in (path, path.upper().replace(WORKSPACE.upper(), WORKSPACE)):
        assert not covered(written, *ACCEPTED_EDITS)
        assert not covered(written, parse("Edit"), parse("Edit(**)"), parse("Edit(sub/*)"), parse("Edit(sub/**)"))
    assert covered(path, parse(f"Edit({path})"))
    assert not all(each.rule for each in coverage([parse("Bash(tee *)")], bash(f"tee {path}"), 0))


@pytest.mark.parametrize("pattern", [pattern for row in GUARDED if row is not SECRETS for pattern in row.patterns])
def test_what_runs_unnamed_has_a_grave_mark(pattern: str) -> None:
    path = a_file(pattern)
    assert GRAVE in marks(facts("Write", {"file_path": path, "content": "x"}), WORKSPACE)
    assert GRAVE in marks(facts("Bash", {"command": f"tee {path}"}), WORKSPACE)
    assert GRAVE in marks(facts("Bash", {"command": f"{{ ls; }} > {path}"}), WORKSPACE)
    assert GRAVE not in marks(facts("Read", {"file_path": path}), WORKSPACE)


@pytest.mark.parametrize("pattern", BUILT_WITH.patterns)
def test_what_a_build_runs_is_everyday_work_with_a_mark(pattern: str) -> None:
    path = a_file(pattern)
    assert covered(path, *ACCEPTED_EDITS)
    assert marks(facts("Edit", {"file_path": path, "old_string": "a", "new_string": "b"}), WORKSPACE) == (LATER,)


@pytest.mark.parametrize(
    "name", ["src/app.py", "README.md", "tests/test_a.py", "docs/git.md", "environment.yml", "gitx/a"]
)
def test_source_has_no_mark(name: str) -> None:
    assert covered(name, *ACCEPTED_EDITS)
    assert marks(facts("Write", {"file_path": f"{WORKSPACE}/{name}", "content": "x"}), WORKSPACE) == ()


def test_each_pattern_stands_once_in_lower_case_and_each_row_has_its_reason() -> None:
    every = [*PATTERNS, *BUILT_WITH.patterns]
    assert [pattern for pattern, times in Counter(every).items() if times > 1] == []
    assert [pattern for pattern in every if pattern != pattern.casefold()] == []
    assert all(row.why.endswith(".") for row in (*GUARDED, BUILT_WITH))


def test_the_page_has_the_whole_table() -> None:
    page = (Path(__file__).parents[2] / "docs" / "reference" / "policies.md").read_text("utf-8")
    rows = [f"| {row.why} | {' '.join(f'`{pattern}`' for pattern in row.patterns)} |" for row in GUARDED]
    assert "\n".join(rows) in page
    everyday = page.partition("everyday work:")[2].partition("\n\n")[0]
    assert re.findall("`([^`]+)`", everyday) == BUILT_WITH.patterns


parts = st.sampled_from(
    [*(name for pattern in PATTERNS for name in pattern.replace("*", "x").split("/") if name), "a", "X"]
)


@example([".git"])
@example([".git", "hooks", "x"])
@example([".config", "fish"])
@given(st.lists(parts, min_size=1, max_size=5))
def test_a_mark_means_what_a_rule_would_have_to_name(names: list[str]) -> None:
    path = f"{WORKSPACE}/{'/'.join(names)}"
    meant = [pattern for pattern in PATTERNS if pattern not in SECRETS.patterns]
    assert startup.runs_unnamed(path) is any(places.touches(pattern, path, GROUND) for pattern in meant)
    assert startup.may_be_guarded(path) is any(places.touches(pattern, path, GROUND) for pattern in PATTERNS)


@given(st.lists(parts | st.sampled_from(["", ".", "..", "a*", "{.git,a}", ".gi?", ".git\0"]), max_size=5))
def test_the_quick_look_misses_nothing(names: list[str]) -> None:
    path = "/".join(names)
    assert startup.may_be_guarded(path) or not any(places.touches(pattern, path, GROUND) for pattern in PATTERNS)
