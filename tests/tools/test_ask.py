"""Questions to the person and the answers."""

from bascule.payload import AskUser, Question, QuestionOption
from bascule.tools import describe
from tests.tools.recorded import recorded

QUESTIONS = (
    Question(
        question="Which library?",
        header="Library",
        options=(
            QuestionOption(label="httpx", description="modern"),
            QuestionOption(label="requests", description="classic"),
        ),
    ),
    Question(
        question="Which features?",
        header="Features",
        options=tuple(QuestionOption(label=label, description=label.lower()) for label in "ABC"),
        multi_select=True,
    ),
)


def test_questions_are_told_with_their_options() -> None:
    assert recorded("14_answers_str")[0].described == AskUser(questions=QUESTIONS)


def test_several_labels_are_joined() -> None:
    answers = {"Which library?": "httpx", "Which features?": "A, C"}
    assert recorded("14_answers_str")[0].finished == AskUser(questions=QUESTIONS, answers=answers)
    assert recorded("14_answers_list")[0].finished == AskUser(questions=QUESTIONS, answers=answers)


def test_free_text_is_an_answer() -> None:
    done = recorded("14_answers_free")[0].finished
    assert done == AskUser(questions=QUESTIONS, answers={"Which library?": "my own text"})


def test_no_answers_are_told_as_none_given() -> None:
    assert recorded("14_no_answers")[0].finished == AskUser(questions=QUESTIONS, answers={})


def test_a_question_that_was_denied_has_an_error_and_no_answers() -> None:
    done = recorded("14_deny_text")[0].finished
    assert done == AskUser(questions=QUESTIONS, error="User answered: use httpx")


def test_malformed_questions_are_left_out() -> None:
    asked = describe(
        "AskUserQuestion",
        {"questions": ["x", {"header": "H"}, {"question": "Q?", "options": [1, {"label": "a", "preview": "p"}, {}]}]},
    )
    assert asked == AskUser(questions=(Question(question="Q?", options=(QuestionOption(label="a", preview="p"),)),))
    assert describe("AskUserQuestion", {"questions": "Q?"}) == AskUser()
