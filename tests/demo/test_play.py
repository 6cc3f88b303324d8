"""Which message comes next: turns, retries, interrupts, subagents, what the CLI does by itself."""

from collections.abc import Sequence

import pytest

from bascule.demo.asked import Asked
from bascule.demo.play import EXHAUSTED, UNSCRIPTED_AGENT, Play, next_reply
from bascule.demo.script import (
    UNSCRIPTED,
    Call,
    Cut,
    Drop,
    Fail,
    Part,
    Reply,
    Say,
    Script,
    Step,
    Stop,
    Usage,
    call,
    case,
    choose,
    cut,
    drop,
    fail,
    reply,
    respond,
    say,
    stop,
    turn,
    usage,
    wait,
    when,
)
from tests.demo.asking import asked, assistant, outcome, user


def said(play: Play, request: Asked) -> str:
    """The text of the next message."""
    return "".join(part.text for part in play.answer(request).parts if isinstance(part, Say))


def messages(*steps: Step, request: Asked | None = None) -> list[tuple[Part, ...]]:
    """The steps as the messages they make up."""
    made = []
    rest: Sequence[Step] = steps
    while rest:
        message, rest = next_reply(rest, request or Asked())
        made.append(message.parts)
    return made


def test_prompts_take_the_turns_in_order() -> None:
    play = Play(Script(say("one"), say("two")))
    assert said(play, asked(user("a"))) == "one"
    assert said(play, asked(user("a"), assistant("one"), user("b"))) == "two"
    assert play.left == 0


def test_results_go_on_in_the_turn() -> None:
    play = Play(Script(turn(call("Read"), say("read")), say("next")))
    play.answer(asked(user("a")))
    assert said(play, asked(user("a"), assistant(), user(outcome("ok")))) == "read"
    assert play.left == 1


def test_prompt_without_a_turn_is_told_so_and_never_left_waiting() -> None:
    play = Play(Script())
    assert said(play, asked(user("a"))) == UNSCRIPTED
    assert said(play, asked(user("a"), assistant(UNSCRIPTED), user("b"))) == UNSCRIPTED


def test_turn_that_ran_out_says_so() -> None:
    play = Play(Script(turn(call("Read"))))
    play.answer(asked(user("a")))
    assert said(play, asked(user("a"), assistant(), user(outcome("ok")))) == EXHAUSTED


def test_retry_goes_on_where_an_error_stood() -> None:
    play = Play(Script(turn(fail(529), say("sorry")), say("next")))
    assert play.answer(asked(user("a"))).parts == (Fail(529),)
    assert said(play, asked(user("a"))) == "sorry"


def test_last_message_of_a_turn_comes_again_at_a_retry() -> None:
    """CLI 2.1.332 asks twice after a 400: the error must not turn into an answer."""
    play = Play(Script(turn(fail(400)), say("next")))
    assert [play.answer(asked(user("a"))).parts for _ in range(3)] == [(Fail(400),)] * 3
    assert said(play, asked(user("a\n\nb"))) == "next"


def test_interrupt_leaves_the_rest_of_the_turn() -> None:
    play = Play(Script(turn(call("Read"), say("never said")), say("next")))
    play.answer(asked(user("a")))
    cut_short = user(outcome("rejected", failed=True), "[Request interrupted by user for tool use]", "b")
    assert said(play, asked(user("a"), assistant(), cut_short)) == "next"


def test_same_prompt_after_an_interrupt_is_no_retry() -> None:
    play = Play(Script(say("one"), say("two"), say("three")))
    mark = "[Request interrupted by user]"
    requests = [asked(user("a")), asked(user("a", mark, "a")), asked(user("a", mark, "a", mark, "a"))]
    assert [said(play, request) for request in requests] == ["one", "two", "three"]


def test_nudge_of_the_cli_goes_on_in_the_turn() -> None:
    play = Play(Script(turn(say("cut o"), stop("max_tokens"), say("rest")), say("next")))
    play.answer(asked(user("a")))
    assert said(play, asked(user("a"), assistant("cut o"), user("Output token limit hit. Resume."))) == "rest"


def test_turn_with_a_condition_is_taken_as_often_as_it_fits() -> None:
    play = Play(Script(say("in order"), turn(say("fixed"), when=when(prompt="fix"))))
    first = user("fix it")
    assert said(play, asked(first)) == "fixed"
    assert said(play, asked(first, assistant("fixed"), user("hello"))) == "in order"
    assert said(play, asked(first, assistant(), user("hello"), assistant(), user("fix it"))) == "fixed"


def test_stop_hook_after_the_turn_meets_its_condition() -> None:
    play = Play(Script(say("done"), turn(say("committed"), when=when(note="Stop hook"))))
    play.answer(asked(user("a")))
    assert said(play, asked(user("a"), assistant("done"), user("Stop hook feedback:\ncommit"))) == "committed"


def test_finished_task_wakes_a_turn_of_its_own_and_takes_none_of_a_prompt() -> None:
    play = Play(Script(turn(call("Bash"), say("started"), say("never")), say("next"), turn(say("ended"), when=NOTICE)))
    history = [user("a"), assistant(), user(outcome("running")), assistant("started")]
    play.answer(asked(*history[:1]))
    play.answer(asked(*history[:3]))
    woken = asked(*history, user("<task-notification>\ndone"))
    assert said(play, woken) == "ended"
    assert play.left == 1


NOTICE = when(note="<task-notification>")


def test_subagents_take_only_turns_with_a_condition() -> None:
    play = Play(Script(say("main"), turn(say("child"), when=when(prompt="CHILD"))))
    assert said(play, asked(user("CHILD work"), agent="a1")) == "child"
    assert said(play, asked(user("other work"), agent="a2")) == UNSCRIPTED_AGENT
    assert said(play, asked(user("hello"))) == "main"


def test_subagents_and_main_thread_stand_in_turns_of_their_own() -> None:
    play = Play(Script(turn(call("Agent"), say("main 2")), turn(call("Read"), say("child 2"), when=when(prompt="C"))))
    play.answer(asked(user("go")))
    play.answer(asked(user("C"), agent="a1"))
    play.answer(asked(user("C"), agent="a2"))
    back = [assistant(), user(outcome("ok"))]
    assert said(play, asked(user("go"), *back)) == "main 2"
    assert said(play, asked(user("C"), *back, agent="a2")) == "child 2"
    assert said(play, asked(user("C"), *back, agent="a1")) == "child 2"


def test_sessions_share_the_turns_but_not_their_place() -> None:
    play = Play(Script(turn(call("Read"), say("first 2")), turn(call("Read"), say("second 2"))))
    play.answer(asked(user("a"), session="s1"))
    play.answer(asked(user("a"), session="s2"))
    back = [assistant(), user(outcome("ok"))]
    assert said(play, asked(user("a"), *back, session="s2")) == "second 2"
    assert said(play, asked(user("a"), *back, session="s1")) == "first 2"


def test_conversation_that_begins_in_the_middle_takes_no_turn_in_order() -> None:
    play = Play(Script(say("in order")))
    assert said(play, asked(user("a"), assistant(), user(outcome("its outcome is unknown")))) == UNSCRIPTED


def test_asides_move_nothing() -> None:
    play = Play(Script(turn(call("Read"), say("read"))))
    schema = {"type": "object", "properties": {"title": {"type": "string"}}}
    title = asked(user("<session>\na\n</session>"), output_config={"format": {"schema": schema}})
    assert said(play, title) == '{"title": "a"}'
    play.answer(asked(user("a")))
    assert "<summary>" in said(play, asked(user("a"), user("<analysis> and <summary>")))
    assert said(play, asked(user("a"), assistant(), user(outcome("ok")))) == "read"


def test_aside_can_be_scripted() -> None:
    play = Play(Script(turn(say("scripted summary"), when=when(aside="summary"))))
    assert said(play, asked(user("<analysis> and <summary>"))) == "scripted summary"


def test_same_first_prompt_after_a_compaction_is_no_retry() -> None:
    play = Play(Script(say("one"), say("two")))
    assert said(play, asked(user("a"))) == "one"
    play.answer(asked(user("a"), assistant("one"), user("<analysis> and <summary>")))
    assert said(play, asked(user("a"))) == "two"


def test_calls_in_a_row_are_one_message_and_what_follows_is_the_next() -> None:
    assert messages(say("a"), call("X"), call("Y"), say("b"), call("Z"), say("c")) == [
        (Say("a"), Call("X"), Call("Y")),
        (Say("b"), Call("Z")),
        (Say("c"),),
    ]


def test_wait_behind_a_call_belongs_to_the_next_message() -> None:
    assert messages(call("X"), wait("gate"), say("b")) == [(Call("X"),), (wait("gate"), Say("b"))]


@pytest.mark.parametrize("end", [stop("max_tokens"), cut(), drop(), fail(529)])
def test_some_steps_end_a_message(end: Stop | Cut | Drop | Fail) -> None:
    assert messages(say("a"), end, say("b")) == [(Say("a"), end), (Say("b"),)]


def test_stop_cut_and_usage_stay_with_the_call_before_them() -> None:
    assert messages(call("X"), usage(output=3), stop("max_tokens")) == [
        (Call("X"), Usage(output=3), Stop("max_tokens"))
    ]
    assert messages(call("X"), cut()) == [(Call("X"), Cut())]


def test_error_behind_a_call_is_an_answer_of_its_own() -> None:
    assert messages(call("X"), fail(529), say("b")) == [(Call("X"),), (Fail(529),), (Say("b"),)]


def test_error_comes_as_often_as_it_says() -> None:
    made = messages(fail(429, times=3), say("b"))
    assert [[type(part) for part in message] for message in made] == [[Fail], [Fail], [Fail], [Say]]


def test_explicit_reply_is_one_message() -> None:
    explicit = reply(call("X"), say("after the call"))
    assert messages(say("a"), explicit, say("b")) == [(Say("a"),), explicit.parts, (Say("b"),)]


BRANCH = choose(case(say("denied"), when=when(refused=True)), case(say("went well"), when=when(failed=False)))


@pytest.mark.parametrize(("result", "expected"), [("rather not", "denied"), ("Exit code 1", None)])
def test_branch_is_taken_by_what_came_back(result: str, expected: str | None) -> None:
    back = asked(user("a"), assistant(), user(outcome(result, failed=True)))
    assert messages(BRANCH, say("then"), request=back) == [((Say(expected),) if expected else ()) + (Say("then"),)]


def test_branch_behind_a_call_waits_for_its_result() -> None:
    first, rest = next_reply((call("X"), BRANCH), Asked())
    assert first == Reply((Call("X"),))
    assert next_reply(rest, asked(user("a"), assistant(), user(outcome("ok"))))[0] == Reply((Say("went well"),))


def test_function_of_the_script_sees_the_request() -> None:
    assert messages(respond(lambda asked: say(asked.prompt.upper())), request=Asked(prompt="a")) == [(Say("A"),)]
    assert messages(respond(lambda _: [call("X"), say("b")])) == [(Call("X"),), (Say("b"),)]
