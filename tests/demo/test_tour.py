"""The demo's script fits its workspace, and reacts to what a person decides."""

import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from bascule.demo.play import Play
from bascule.demo.script import Call, Say
from bascule.demo.tour import OPTIONS, PROMPTS, QUESTION, WHAT_TO_TRY, tour
from bascule.demo.workspace import Workspace, make_workspace
from tests.demo.asking import asked, assistant, outcome, system, user

PLAN_MODE = "You should create your plan at /home/x/.claude/plans/foamy-pine.md using the Write tool."


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return make_workspace(tmp_path)


class Person:
    """A conversation with the tour: what is typed, and what comes back of each call."""

    def __init__(self, project: Path) -> None:
        self.play = Play(tour(project))
        self.messages: list[Mapping[str, Any]] = []

    def types(self, prompt: str) -> tuple[str, Sequence[Call]]:
        return self._sends(user(prompt))

    def lets(self, result: str, *, failed: bool = False, then: str = "") -> tuple[str, Sequence[Call]]:
        """The last call ends so; `then` is what the CLI says after it."""
        return self._sends(user(outcome(result, failed=failed)), *([system(then)] if then else []))

    def _sends(self, *messages: Mapping[str, Any]) -> tuple[str, Sequence[Call]]:
        self.messages += messages
        parts = self.play.answer(asked(*self.messages)).parts
        self.messages.append(assistant())
        said = "".join(part.text for part in parts if isinstance(part, Say))
        return said, [part for part in parts if isinstance(part, Call)]


@pytest.fixture
def person(workspace: Workspace) -> Person:
    return Person(workspace.project)


def apply(edit: Call) -> None:
    """What the tool would do."""
    path = Path(edit.input["file_path"])
    text = path.read_text()
    assert text.count(edit.input["old_string"]) == 1
    path.write_text(text.replace(edit.input["old_string"], edit.input["new_string"]))


def mended(workspace: Workspace) -> bool:
    command = [sys.executable, "-m", "unittest", "-q"]
    return subprocess.run(command, cwd=workspace.project, capture_output=True, check=False).returncode == 0


def test_overview_reads_what_is_there_and_quotes_it_truly(person: Person, workspace: Workspace) -> None:
    _, reads = person.types(PROMPTS[0])
    assert [read.tool for read in reads] == ["Read"] * 3
    assert all(Path(read.input["file_path"]).is_file() for read in reads)
    said, _ = person.lets("1\t# basket")
    assert "    return amount - amount * percent / 10\n" in (workspace.project / "basket.py").read_text()
    assert "return amount - amount * percent / 10\n" in said


def test_fix_mends_the_bug_and_runs_the_tests(person: Person, workspace: Workspace) -> None:
    person.types(PROMPTS[1])
    _, (edit,) = person.lets("1\tfrom decimal")
    assert not mended(workspace)
    apply(edit)
    assert mended(workspace)
    _, (bash,) = person.lets("The file has been updated successfully.")
    assert bash.tool == "Bash"
    assert person.lets("Ran 2 tests\n\nOK") == ("**All tests pass.**", [])


def test_denied_edit_is_respected_and_its_reason_repeated(person: Person) -> None:
    person.types(PROMPTS[1])
    person.lets("1\tfrom decimal")
    said, calls = person.lets("Not on a Friday.", failed=True)
    assert said == "I leave `basket.py` as it is. You said: “Not on a Friday”."
    assert calls == []


def test_denied_command_is_not_run(person: Person) -> None:
    person.types(PROMPTS[1])
    person.lets("1\tfrom decimal")
    person.lets("The file has been updated successfully.")
    assert person.lets("PreToolUse:Bash hook error: too slow", failed=True) == (
        "The tests were not run. You said: “too slow”.",
        [],
    )


def test_failing_tests_are_shown(person: Person) -> None:
    person.types(PROMPTS[1])
    person.lets("1\tfrom decimal")
    person.lets("The file has been updated successfully.")
    said, _ = person.lets("Exit code 1\nFAILED (failures=1)", failed=True)
    assert "FAILED (failures=1)" in said


def test_second_fix_finds_the_bug_mended_and_only_runs_the_tests(person: Person) -> None:
    person.types(PROMPTS[1])
    person.lets("1\tfrom decimal")
    _, (bash,) = person.lets("<tool_use_error>String to replace not found in file.</tool_use_error>", failed=True)
    assert bash.tool == "Bash"


def test_question_offers_the_options_and_takes_the_answer_up(person: Person) -> None:
    _, (question,) = person.types(PROMPTS[2])
    assert [option["label"] for option in question.input["questions"][0]["options"]] == list(OPTIONS)
    said, _ = person.lets(f'Your questions have been answered: "{QUESTION}"="No coupons". You can now continue.')
    assert "*No coupons* it is" in said


@pytest.mark.parametrize(
    ("result", "failed", "expected"),
    [
        (f'The user answered: "{QUESTION}"="whatever Ann says".', False, "You say: “whatever Ann says”. I only play"),
        ("The user did not answer the questions.", False, "No answer is fine too"),
        ("ask somebody else", True, "No answer is fine too"),
    ],
)
def test_other_answers_are_taken_as_they_come(person: Person, result: str, failed: bool, expected: str) -> None:
    person.types(PROMPTS[2])
    assert expected in person.lets(result, failed=failed)[0]


def test_plan_is_written_where_the_cli_wants_it_and_follows_the_answer(person: Person, workspace: Workspace) -> None:
    person.types(PROMPTS[2])
    person.lets(f'Your questions have been answered: "{QUESTION}"="No coupons".')
    _, (enter,) = person.types(PROMPTS[3])
    assert enter == Call("EnterPlanMode")
    _, (write,) = person.lets("Entered plan mode.", then=PLAN_MODE)
    assert write.input["file_path"] == "/home/x/.claude/plans/foamy-pine.md"
    assert OPTIONS["No coupons"] in write.input["content"]
    _, (leave,) = person.lets("File created successfully")
    assert leave == Call("ExitPlanMode", {"plan": write.input["content"]})
    person.lets("User has approved your plan.")
    _, (edit,) = person.lets("1\tfrom decimal")
    apply(edit)
    assert "def with_coupon" in (workspace.project / "basket.py").read_text()
    _, (bash,) = person.lets("The file has been updated successfully.")
    assert bash.tool == "Bash"


@pytest.mark.parametrize("words", ["größer gewinnt", 'the "better" one, or none', "whatever Ann says, then ask Bob"])
def test_plan_quotes_an_answer_in_the_persons_own_words(person: Person, words: str) -> None:
    person.types(PROMPTS[2])
    said, _ = person.lets(f'Your questions have been answered: "{QUESTION}"="{words}" notes: by Friday. Read on.')
    assert f"You say: “{words}”." in said
    person.types(PROMPTS[3])
    _, (leave,) = person.lets("Entered plan mode.")
    assert f"A coupon and a discount: as you said, “{words}”." in leave.input["plan"]
    assert [rule for rule in OPTIONS.values() if rule in leave.input["plan"]] == []


def test_plan_without_a_plan_file_is_given_inline(person: Person) -> None:
    person.types(PROMPTS[3])
    _, (leave,) = person.lets("Entered plan mode.")
    assert leave.tool == "ExitPlanMode"
    assert OPTIONS["The better one"] in leave.input["plan"]


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        ("smaller, please", "Not like this. You said: “smaller, please”. I stop."),
        ("<tool_use_error>You are not in plan mode.</tool_use_error>", "There is no plan to approve"),
    ],
)
def test_plan_that_is_not_approved_changes_nothing(person: Person, result: str, expected: str) -> None:
    person.types(PROMPTS[3])
    person.lets("Entered plan mode.")
    said, calls = person.lets(result, failed=True)
    assert expected in said
    assert calls == []


def test_plan_can_be_told_in_words_when_plan_mode_is_denied(person: Person) -> None:
    person.types(PROMPTS[3])
    said, calls = person.lets("no plan mode", failed=True)
    assert "with_coupon" in said
    assert calls == []


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        ("leave it", "I leave `basket.py` alone."),
        ("<tool_use_error>not found</tool_use_error>", "It is there already."),
    ],
)
def test_plan_reacts_to_an_edit_that_was_not_made(person: Person, result: str, expected: str) -> None:
    person.types(PROMPTS[3])
    person.lets("Entered plan mode.")
    person.lets("User has approved your plan.")
    person.lets("1\tfrom decimal")
    assert expected in person.lets(result, failed=True)[0]


def test_stop_hook_gets_a_reason_why_nothing_was_committed(person: Person) -> None:
    person.types("something else")
    assert "uncommitted" in person._sends(user("Stop hook feedback:\nuncommitted files: basket.py"))[0]


@pytest.mark.parametrize("prompt", ["Write me a poem", "2+2", "thisisnoword"])
def test_unknown_prompt_is_told_what_can_be_tried(person: Person, prompt: str) -> None:
    assert person.types(prompt)[0] == WHAT_TO_TRY
    assert all(known in WHAT_TO_TRY for known in PROMPTS)
