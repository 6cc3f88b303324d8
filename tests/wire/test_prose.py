"""Words in messages that mean more than their text."""

from bascule.wire.blocks import Image, Source, Text
from bascule.wire.codec import decode
from bascule.wire.messages import Assistant, User
from bascule.wire.prose import is_synthetic, printed, text_of
from tests.wire.recorded import scenario


def test_a_slash_command_is_answered_by_nobody() -> None:
    for name, synthetic in (("2.1.332/19_cost", True), ("2.1.332/01_simple_text", False)):
        said = [message for line in scenario(name, "out") if isinstance(message := decode(line), Assistant)]
        assert [is_synthetic(message) for message in said][-1] is synthetic


def test_the_text_of_content_leaves_out_what_is_none() -> None:
    assert text_of("a") == "a"
    assert text_of((Text("a"), Image(Source("url")), Text("b"))) == "a\nb"


def test_what_a_command_printed_stands_in_its_echo() -> None:
    echoes = [message for line in scenario("2.1.332/19_compact", "out") if isinstance(message := decode(line), User)]
    assert [text for echo in echoes if (text := printed(text_of(echo.message.content)))] == ["Compacted"]


def test_other_text_prints_nothing() -> None:
    assert printed("no command") == ""
