"""The trace format: written, read back, and read when it is broken."""

import json
from typing import Any, get_args

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bascule import recording
from bascule.ids import CliSessionId, PendingId, PromptId, SessionId
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
        (b'{"t":NaN,"dir":"out","line":""}', "`t` is not a number"),
        (b'{"t":1e999,"dir":"out","line":""}', "`t` is not a number"),
        (b'{"t":1e308,"dir":"out","line":""}', "`t` is not a number"),
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


TEXTS = st.text(st.characters(exclude_categories=()), max_size=4)
TIMES = st.floats() | st.integers(-2, 3) | st.just(1e10) | st.integers(10**399, 10**400)
VALUES = TIMES | st.booleans() | st.none() | TEXTS | st.sampled_from(["out", "in", "zzz"]) | st.lists(TEXTS, max_size=1)


@given(st.dictionaries(st.sampled_from(["t", "dir", "line", "more"]), VALUES))
@example({"t": 0, "dir": ["out"], "line": ""})
@example({"t": -0.0, "dir": "out", "line": "\udc80"})
@example({"t": 1e10, "dir": "out", "line": ""})
def test_an_entry_has_a_time_a_direction_and_a_line_and_nothing_else_is_one(value: dict[str, Any]) -> None:
    """However quickly it is read: with lone surrogates or without, and beside what is not known."""
    values: list[Any] = [value.get(name) for name in ("t", "dir", "line")]
    t, direction, line = values
    is_time = isinstance(t, int | float) and not isinstance(t, bool) and 0 <= t < recording.FOREVER_S
    told = recording.decode(json.dumps(value).encode(), 7)
    if is_time and direction in get_args(recording.Dir) and isinstance(line, str):
        assert told == Entry(t, direction, line)
    else:
        assert isinstance(told, Damage)


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
    ("line", "words"),
    [('["claude", "-p"]', ("claude", "-p")), ("claude -p", ()), ('["\ud83d"]', ()), ("[1]", ())],
)
def test_the_words_of_an_argv_line_are_read_whatever_it_holds(line: str, words: tuple[str, ...]) -> None:
    assert recording.argv_of(line) == words


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
        recording.Imported(cli_session_id=CliSessionId("c"), path="/c.jsonl", damaged=(3, 7)),
        recording.Failed(kind="store", message="disk full"),
    ],
)
def test_a_note_survives_writing_and_reading(value: recording.Note) -> None:
    assert recording.note_of(recording.note(value)) == value


@pytest.mark.parametrize("line", ["closing stdin", '{"note":"of a later version"}', "\udc80"])
def test_a_note_of_others_is_none(line: str) -> None:
    assert recording.note_of(line) is None


@pytest.mark.parametrize(
    "secret",
    [
        "sk-ant-api03-abcDEF_123456",
        "ghp_abcdefghijklmnopqrstuvwxyz0123",
        "github_pat_11AAAAAAA0aaaaaaaaaaaaaaa",
        "AKIAABCDEFGHIJKLMNOP",
        "xoxb-1234567890-abcdef",
        "-----BEGIN RSA PRIVATE KEY-----\\nMII\\n-----END RSA PRIVATE KEY-----",
        "123456789:AAabcdefghijklmnopqrstuvwxyz0123456",
    ],
)
def test_a_secret_of_known_form_does_not_leave(secret: str) -> None:
    line = json.dumps({"type": "user", "message": {"content": f"use {secret} please"}})
    hidden = recording.redact(Entry(0.0, "out", line))
    assert secret not in hidden.line
    assert "please" in json.loads(hidden.line)["message"]["content"]


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Authorization: Bearer abcdefgh12345", "Authorization: Bearer [redacted]"),
        ("MY_API_KEY=hunter2 make", "MY_API_KEY=[redacted] make"),
        ("https://anna:hunter2@example.com/x", "https://[redacted]@example.com/x"),
        ("API_KEY='hunter22' make", "API_KEY='[redacted]' make"),
        ("AWS_SECRET_ACCESS_KEY=abc/def+g", "AWS_SECRET_ACCESS_KEY=[redacted]"),
        ("SECRET_KEY_BASE: hunter22", "SECRET_KEY_BASE: [redacted]"),
        ("password=hunter22&user=anna", "password=[redacted]"),
        ('{"apiKey": "hunter22", "n": 1}', '{"apiKey": "[redacted]", "n": 1}'),
        (
            r'{"content":"{\"ANTHROPIC_API_KEY\": \"hunter22\"}"}',
            r'{"content":"{\"ANTHROPIC_API_KEY\": \"[redacted]\"}"}',
        ),
        (r'{"content":"export MY_TOKEN=\"hunter22\"\nls"}', r'{"content":"export MY_TOKEN=\"[redacted]\"\nls"}'),
        ('{"max_token": 300, "token": null}', '{"max_token": 300, "token": null}'),
        ("nothing to hide: tokens=3", "nothing to hide: tokens=3"),
    ],
)
def test_values_of_secret_names_are_hidden(text: str, left: str) -> None:
    assert recording.redact(Entry(0.0, "err", text)).line == left


def test_environment_and_headers_of_servers_are_hidden() -> None:
    servers = {"s": {"type": "http", "headers": {"X-Key": "v1"}, "env": {"A": "v2"}}, "list": [{"env": None}]}
    hidden = recording.redact(Entry(0.0, "in", json.dumps({"request": {"mcpServers": servers}})))
    assert "v1" not in hidden.line
    assert "v2" not in hidden.line
    assert json.loads(hidden.line)["request"]["mcpServers"]["s"]["headers"] == {"X-Key": "[redacted]"}


def test_a_server_on_argv_is_hidden_too() -> None:
    words = ["-p", '--mcp-config={"mcpServers":{"s":{"env":{"A":"v1"}}}}', "--model={", "--x={no json", "say {A}"]
    hidden = recording.redact(Entry(0.0, "argv", json.dumps(words)))
    assert "v1" not in hidden.line
    assert json.loads(hidden.line)[0] == "-p"


def test_a_line_that_is_no_json_is_left_as_it_is() -> None:
    entry = Entry(0.0, "in", '{"env": half')
    assert recording.redact(entry) == entry


def test_a_note_of_what_is_no_text_is_written_all_the_same() -> None:
    written = recording.note(recording.Decided(pending_id=PendingId("r"), outcome="denied", reason="a\udcffb"))
    assert recording.note_of(written) == recording.Decided(
        pending_id=PendingId("r"), outcome="denied", reason="a\ufffdb"
    )


@given(TEXT)
def test_redaction_leaves_json_that_is_json(text: str) -> None:
    line = json.dumps({"a": text, "token": text, "b": f"MY_KEY={text}"})
    assert isinstance(json.loads(recording.redact(Entry(0.0, "out", line)).line), dict)
