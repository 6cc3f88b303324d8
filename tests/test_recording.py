"""The trace format: written, read back, and read when it is broken."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bascule import recording
from bascule.ids import PendingId, PromptId, SessionId
from bascule.recording import Damage, Entry, Exit

TEXT = st.text(st.characters(exclude_characters="\n"))
"""Lone surrogates included: that is how bytes that are no UTF-8 are kept."""


@given(st.floats(0, 1e6), st.sampled_from(["in", "out", "err", "argv", "env", "note", "exit"]), TEXT)
def test_an_entry_survives_writing_and_reading(t: float, direction: recording.Dir, line: str) -> None:
    entry = Entry(round(t, 6), direction, line)
    written = recording.encode(entry)
    assert written.endswith(b"\n")
    assert written.count(b"\n") == 1
    assert written.isascii()
    assert recording.decode(written, 1) == entry


@given(st.binary())
def test_reading_never_raises(line: bytes) -> None:
    assert isinstance(recording.decode(line, 7), Entry | Damage)


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        (b'{"t":1,"dir":"out","line":"half', "Unterminated string"),
        (b"[1]", "not a JSON object"),
        (b'{"t":true,"dir":"out","line":""}', "`t` is not a number"),
        (b'{"t":1,"dir":"sideways","line":""}', "`dir` is 'sideways'"),
        (b'{"t":1,"dir":"out","line":{}}', "`line` is not a string"),
        (b"[" * 100_000, "recursion"),
    ],
)
def test_a_line_that_is_no_entry_says_why(line: bytes, problem: str) -> None:
    damage = recording.decode(line, 3)
    assert isinstance(damage, Damage)
    assert damage.number == 3
    assert problem in damage.problem
    assert len(damage.text) <= 200


def test_a_file_that_is_cut_off_gives_what_it_has() -> None:
    file = ['{"t":0,"dir":"out","line":"a"}\n', "\n", '{"t":1,"dir":"ou']
    first, last = recording.read(file)
    assert first == Entry(0.0, "out", "a")
    assert isinstance(last, Damage)
    assert last.number == 3


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ('{"code":3,"signal":null}', Exit(code=3)),
        ('{"code":null,"signal":"SIGKILL"}', Exit(signal="SIGKILL")),
        ("rc=0 after 0.13s", Exit(code=0)),
        ("rc=-9", Exit(signal="SIGKILL")),
        ("rc=-64", Exit(signal="SIG64")),
        ("who knows", Exit()),
        ("\udcff", Exit()),
    ],
)
def test_an_exit_is_read_from_ours_and_from_others(line: str, expected: Exit) -> None:
    assert recording.exit_of(line) == expected


@pytest.mark.parametrize(
    "value",
    [
        recording.Began(session=SessionId("s"), at=5, ask_timeout_s=1.5),
        recording.Prompted(prompt_id=PromptId("p"), by="Anna", disposition="queued"),
        recording.Decided(pending_id=PendingId("r"), outcome="denied", reason="no"),
        recording.Expired(pending_id=PendingId("r")),
        recording.Judged(verdict="deny", rule="plan", reason="plan first"),
        recording.Asked(request_id="1", by="Anna"),
        recording.Slept(idle_s=600),
        recording.Ending(cause="killed"),
        recording.Noticed(level="info", text="hello"),
        recording.Failed(kind="store", message="disk full"),
    ],
)
def test_a_note_survives_writing_and_reading(value: recording.Note) -> None:
    assert recording.note_of(recording.note(value)) == value


@pytest.mark.parametrize("line", ["closing stdin", '{"note":"of a later version"}', "\udc80"])
def test_a_note_of_others_is_none(line: str) -> None:
    assert recording.note_of(line) is None
