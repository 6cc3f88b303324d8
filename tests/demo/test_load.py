"""Scripts from files, and what is said about bad ones."""

import doctest
import inspect
import json
import textwrap

import pytest

from bascule.demo import load
from bascule.demo.load import load_script
from bascule.demo.script import (
    Call,
    Fail,
    Script,
    When,
    block,
    call,
    case,
    choose,
    cut,
    drop,
    fail,
    headers,
    pause,
    reply,
    say,
    stop,
    think,
    turn,
    usage,
    wait,
    when,
)
from bascule.errors import OptionError


def test_example_in_the_docstring_is_a_script() -> None:
    paragraphs = inspect.getdoc(load)
    assert paragraphs is not None
    example = paragraphs.partition("something to say:\n")[2].partition("\n`respond`")[0]
    assert load_script(textwrap.dedent(example)) == Script(
        turn(
            think("Where is it?"),
            say("I look first."),
            call("Read", file_path="/tmp/basket.py"),
            choose(case(say("I leave it, then."), when=when(refused=True)), case(say("Seen."))),
            when=when(prompt=("fix", "repair")),
        ),
        turn(fail(529, times=2, headers={"retry-after": "1"}), wait("gate"), reply(say("One."))),
        otherwise=(say("I only know how to fix the bug."),),
        chunk=12,
        delay_s=0.02,
    )


def test_examples_of_functions_hold() -> None:
    results = doctest.testmod(load)
    assert results.attempted > 0
    assert results.failed == 0


def test_every_step_has_a_form_in_json() -> None:
    steps = [
        {"say": "a", "chunk": 2, "delay_s": 0.5},
        {"think": "b", "signature": "sig"},
        {"call": "X", "input": {"y": 1}, "id": "toolu_1"},
        {"call": "X", "raw": "{"},
        {"block": {"type": "server_tool_use"}},
        {"wait": "gate"},
        {"pause": 1},
        {"usage": 5, "output": 6},
        {"output": 7, "usage": 5},
        {"headers": {"a": "b"}},
        {"stop": "refusal"},
        {"cut": "inside"},
        {"drop": True},
        {"headers": {"retry-after": "1"}, "fail": 429},
        {"fail": 429, "type": "billing_error", "message": "no money", "headers": {"retry-after": "1"}},
    ]
    assert load_script(json.dumps({"turn": [{"step": steps}]})).turns[0].steps == (
        say("a", chunk=2, delay_s=0.5),
        think("b", signature="sig"),
        Call("X", {"y": 1}, "toolu_1"),
        Call("X", raw="{"),
        block(type="server_tool_use"),
        wait("gate"),
        pause(1),
        usage(input=5, output=6),
        usage(input=5, output=7),
        headers({"a": "b"}),
        stop("refusal"),
        cut("inside"),
        drop(),
        fail(429, headers={"retry-after": "1"}),
        Fail(429, "no money", "billing_error", {"retry-after": "1"}),
    )


def test_condition_takes_one_text_or_several() -> None:
    loaded = load_script('{"turn": [{"when": {"note": "a", "result": ["b", "c"], "agent": true}, "step": ["x"]}]}')
    assert loaded.turns[0].when == When(note=("a",), result=("b", "c"), agent=True)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("x = ", "neither JSON nor TOML"),
        ("{", "neither JSON nor TOML"),
        ('{"turns": []}', "the script: unknown key 'turns'; known are turn, otherwise, chunk, delay_s"),
        ('{"turn": 3}', "turn: a list is expected here, not 3"),
        ('{"turn": ["hi"]}', r"turn\[0\]: a table is expected here, not 'hi'"),
        ('{"turn": [{"step": []}]}', r"turn\[0\]\.step: at least one step"),
        ('{"turn": [{"step": "hi"}]}', r"turn\[0\]\.step: a list is expected"),
        ('{"turn": [{"step": [3]}]}', r"turn\[0\]\.step\[0\]: a step is a text or a table, not 3"),
        (
            '{"turn": [{"step": ["a", {"sya": "b"}]}]}',
            r"step\[1\]: \['sya'\] names no step; the steps are say,",
        ),
        ('{"turn": [{"step": [{"say": 3}]}]}', r"step\[0\]: Expected `str`, got `int`"),
        ('{"turn": [{"step": [{"say": "x", "speed": 3}]}]}', "unknown field `speed`"),
        ('{"turn": [{"step": [{"fail": 200}]}]}', r"step\[0\]: an error has a status from 400 to 599, not 200"),
        ('{"turn": [{"step": [{"choose": [{"step": []}]}]}]}', r"step\[0\]\.choose\[0\]\.step: at least one"),
        ('{"turn": [{"step": [{"choose": [], "x": 1}]}]}', r"step\[0\]: unknown key 'x'"),
        ('{"turn": [{"step": [{"reply": [{"choose": []}]}]}]}', r"step\[0\]\.reply\[0\]: \['choose'\] names no step"),
        ('{"turn": [{"when": {"promt": "x"}, "step": ["a"]}]}', r"turn\[0\]\.when: unknown key 'promt'"),
        ('{"turn": [{"when": {"pattern": "("}, "step": ["a"]}]}', r"turn\[0\]\.when: the pattern '\(' is no regular"),
        ('{"otherwise": []}', "otherwise: at least one step"),
        ('{"chunk": 0}', "a delta has at least one character"),
        ('{"delay_s": "x"}', "the script: Expected `float`"),
    ],
)
def test_complaint_names_the_place_and_what_was_expected(text: str, complaint: str) -> None:
    with pytest.raises(OptionError, match=complaint):
        load_script(text)


def test_toml_and_json_give_the_same_script() -> None:
    toml = 'chunk = 3\n\n[[turn]]\nstep = ["a", { stop = "max_tokens" }]\n'
    assert load_script(toml) == load_script('{"chunk": 3, "turn": [{"step": ["a", {"stop": "max_tokens"}]}]}')
