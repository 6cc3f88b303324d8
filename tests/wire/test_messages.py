"""Prompts, which are the one message that we write; the rest is read, and the recordings test it."""

import json
from typing import Any

import pytest

from bascule.errors import LocalProtocolError
from bascule.wire.blocks import Image, Source, Text
from bascule.wire.codec import decode, encode
from bascule.wire.messages import Assistant, LocalCommand, User, user_prompt
from tests.wire.recorded import scenario


def test_a_prompt_is_a_user_line_with_our_uuid() -> None:
    assert json.loads(encode(user_prompt("hi", uuid="u"))) == {
        "type": "user",
        "message": {"role": "user", "content": "hi"},
        "uuid": "u",
    }


def test_a_prompt_may_hold_blocks_and_wait_and_be_verbatim() -> None:
    content = (Text("look"), Image(Source("url", url="http://x/y.png")))
    prompt = user_prompt(content, uuid="u", priority="later", should_query=False, verbatim=True)
    assert json.loads(encode(prompt)) == {
        "type": "user",
        "message": {
            "role": "user",
            "content": [
                {"type": "text", "text": "look"},
                {"type": "image", "source": {"type": "url", "url": "http://x/y.png"}},
            ],
        },
        "uuid": "u",
        "priority": "later",
        "shouldQuery": False,
        "client_composed": True,
    }
    assert decode(encode(prompt)) == prompt


@pytest.mark.parametrize("content", [None, 5, ["list"]])
def test_a_content_that_would_kill_the_cli_cannot_be_built(content: Any) -> None:
    with pytest.raises(LocalProtocolError, match="text or a tuple of blocks"):
        user_prompt(content, uuid="u")


def test_an_unknown_priority_cannot_be_built() -> None:
    with pytest.raises(LocalProtocolError, match="now, next, later"):
        user_prompt("x", uuid="u", priority="soon")  # type: ignore[arg-type]


def test_an_interrupted_text_is_marked() -> None:
    said = [decode(line) for line in scenario("2.1.332/10_stream_text_partial", "out")]
    assert next(message.aborted for message in said if isinstance(message, Assistant)) is True


def test_a_slash_command_says_what_it_ran() -> None:
    said = [decode(line) for line in scenario("2.1.332/19_cost", "out")]
    assert [
        message.local_command_run
        for message in said
        if isinstance(message, Assistant) and message.local_command_run is not None
    ] == [LocalCommand("usage", "")]


def test_the_echo_of_a_prompt_is_marked() -> None:
    echoes = [decode(line) for line in scenario("2.1.332/19_model", "out")]
    assert any(message.is_replay for message in echoes if isinstance(message, User))
