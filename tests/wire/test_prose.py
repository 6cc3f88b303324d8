"""Words in messages that mean more than their text."""

from bascule.wire.blocks import Image, Source, Text
from bascule.wire.codec import decode
from bascule.wire.messages import Assistant, User
from bascule.wire.prose import INTERRUPTED, command, is_synthetic, printed, text_of
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


def test_a_slash_command_is_told_as_it_was_typed() -> None:
    kept = "<command-name>/model</command-name>\n  <command-message>model</command-message>\n"
    assert command(f"{kept}  <command-args>claude-haiku-4-5</command-args>") == "/model claude-haiku-4-5"
    assert command(f"{kept}  <command-args></command-args>") == "/model"
    assert command(kept) == "/model"
    assert command("/model is a command") == ""


def test_an_interrupt_is_a_text_in_the_users_place() -> None:
    said = [message for line in scenario("2.1.332/10_double", "out") if isinstance(message := decode(line), User)]
    assert any(text_of(message.message.content).startswith(INTERRUPTED) for message in said)
