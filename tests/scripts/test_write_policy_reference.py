"""The page of what holds about decisions is current, and a test that is not there fails it."""

import tomllib
from pathlib import Path

import pytest

from scripts.write_policy_reference import PAGE, WORDS, page

RULES = [rule for chapter in tomllib.loads(WORDS.read_text(encoding="utf-8"))["chapter"] for rule in chapter["rule"]]


def test_the_page_is_current() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run python -m scripts.write_policy_reference"


def test_every_rule_is_one_sentence_with_a_test() -> None:
    assert [rule["says"] for rule in RULES if not rule["says"].endswith(".") or not rule["tests"]] == []
    assert len({rule["says"] for rule in RULES}) == len(RULES)


@pytest.mark.parametrize(
    "named", ["tests/test_a.py::test_b", "tests/test_b.py::test_a", "tests/test_a.py::a", "tests/test_a.py"]
)
def test_a_test_that_is_not_there_fails_the_page(named: str, tmp_path: Path) -> None:
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_a.py").write_text("def test_a() -> None: ...\ndef a() -> None: ...\n")
    words = tmp_path / "words.toml"
    text = '[[chapter]]\ntitle = "A"\n[[chapter.rule]]\nsays = "It holds."\ntests = ["{}"]\n'
    words.write_text(text.format("tests/test_a.py::test_a"))
    assert "| It holds. | [a](../../tests/test_a.py#test_a) |" in page(words, tmp_path)
    words.write_text(text.format(named))
    with pytest.raises(LookupError, match=named):
        page(words, tmp_path)
