"""The page of lessons is current, every number in a test's name means a lesson, and no family of scenes is left out."""

from pathlib import Path

import pytest

from scripts import write_lessons
from scripts.write_lessons import CHAPTERS, LIVE, PAGE, ROOT, Held, held, words

LESSONS = {number: lesson for letter in CHAPTERS for number, lesson in words()[letter].items()}
RECORDED = {path.name.partition("_")[0] for path in (ROOT / "tests" / "recordings").rglob("*.jsonl")} - {"00"}


def test_the_page_is_current() -> None:
    assert PAGE.read_text(encoding="utf-8") == write_lessons.page(), "run python -m scripts.write_lessons"


def test_every_number_in_a_name_is_a_lesson_and_every_lesson_is_held() -> None:
    assert {number for test in held() for number in test.numbers} == LESSONS.keys(), "say it in scripts/lessons.toml"


def test_a_lesson_is_one_short_sentence_of_its_own() -> None:
    assert [number for number, lesson in LESSONS.items() if len(lesson) > 120 or not lesson.endswith(".")] == []
    assert len(set(LESSONS.values())) == len(LESSONS)


def test_every_family_that_was_recorded_runs_live() -> None:
    scenes = words()["scenes"]
    assert {f"{int(number):02}" for number in scenes} >= RECORDED
    named = {file for _, *files in scenes.values() for file in files}
    assert [file for file in sorted(named) if not (ROOT / LIVE / file).is_file()] == []


@pytest.mark.parametrize(
    ("name", "numbers", "says"),
    [
        ("test_L15_allow_echoes", ("L15",), "allow echoes"),
        ("test_L51_F47_S23_waits_for_L2", ("L51", "F47", "S23"), "waits for L2"),
        ("test_S_what_a_hook_means", (), "S what a hook means"),
    ],
)
def test_numbers_stand_in_front(name: str, numbers: tuple[str, ...], says: str) -> None:
    test = Held("tests/test_a.py", name)
    assert (test.numbers, test.says) == (numbers, says)


def test_tests_with_numbers_are_found(tmp_path: Path) -> None:
    folder = tmp_path / "tests" / "room"
    folder.mkdir(parents=True)
    (folder / "test_a.py").write_text("def test_L1_a(): ...\ndef test_b(): ...\nasync def test_F2_c(): ...\n")
    (folder / "other.py").write_text("def test_L3_d(): ...\n")
    assert [test.name for test in held(tmp_path)] == ["test_L1_a", "test_F2_c"]
