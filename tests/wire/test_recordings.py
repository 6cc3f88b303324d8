"""Every line that the real CLI wrote, read and written again: nothing of it may be lost, at any depth."""

import json
import re
from collections import Counter
from typing import Any

import msgspec
import pytest

from bascule.wire.codec import Unknown, decode, encode
from bascule.wire.leftover import Path, extra
from tests.wire.recorded import Recorded, lines

NOT_MODELLED_IN: dict[tuple[str | int, ...], str] = {
    ("message", "content"): "24_user_num_content",
    ("uuid",): "27_bad_uuid",
    ("request", "server"): "21_control_requests",
    ("response", "result"): "07_shape_result_inner_id",
}
"""What the host wrote wrongly on purpose, and the scenario where it first did."""

NOT_MODELLED_OUT: dict[tuple[str | int, ...], str] = {
    ("uuid",): "27_bad_uuid",
    ("command_uuid",): "27_bad_uuid",
    ("user_message_uuid",): "27_bad_uuid",
    ("user_message_uuids",): "27_bad_uuid",
}
"""The CLI's echo of it: a prompt's uuid that was a number comes back as a number."""


def merged(kept: Any, missing: dict[Path, Any]) -> Any:
    """``kept`` with what ``extra`` found put back where it stood."""
    for path, value in missing.items():
        place = kept
        for step in path[:-1]:
            place = place.setdefault(step, {}) if isinstance(place, dict) else place[step]
        place[path[-1]] = value
    return kept


def without_defaults(value: Any) -> Any:
    """``value`` without what a struct does not write: null, false and empty members."""
    if isinstance(value, dict):
        pruned = {key: without_defaults(item) for key, item in value.items()}
        return {key: item for key, item in pruned.items() if item not in (None, False, [], {})}
    return [without_defaults(item) for item in value] if isinstance(value, list) else value


@pytest.mark.parametrize("dir", ["out", "in"])
def test_what_is_read_and_what_is_left_over_make_the_whole_line(dir: str) -> None:
    for recorded in lines(dir):
        message = decode(recorded.line)
        if isinstance(message, Unknown):
            assert message.raw == recorded.line.rstrip("\r").removeprefix("\ufeff"), recorded.place
            continue
        written = merged(msgspec.json.decode(encode(message)), extra(recorded.line))
        assert without_defaults(written) == without_defaults(whole(recorded)), recorded.place


def whole(recorded: Recorded) -> Any:
    """The line's JSON with lone surrogates as U+FFFD, which is how they are read."""
    text = json.dumps(json.loads(recorded.line.removeprefix("\ufeff")), ensure_ascii=False)
    return json.loads(re.sub("[\ud800-\udfff]", "\ufffd", text))


@pytest.mark.parametrize(("dir", "known"), [("out", NOT_MODELLED_OUT), ("in", NOT_MODELLED_IN)])
def test_every_key_of_every_recording_is_modelled(dir: str, known: dict[Path, str]) -> None:
    left = Counter(path for recorded in lines(dir) for path in extra(recorded.line))
    assert set(left) == set(known)


def test_the_cli_writes_nothing_that_is_unknown() -> None:
    unknown = [(recorded.place, decode(recorded.line)) for recorded in lines("out")]
    problems = {message.problem for _, message in unknown if isinstance(message, Unknown)}
    assert problems == {"response: Object missing required field `request_id`"}, "an answer to a request without an id"


def test_what_is_written_is_one_ascii_line() -> None:
    for recorded in lines("out", "in"):
        message = decode(recorded.line)
        if not isinstance(message, Unknown):
            text = encode(message)
            assert text.isascii(), recorded.place
            assert text.index(b"\n") == len(text) - 1, recorded.place


def test_what_is_written_is_read_back_the_same() -> None:
    for recorded in lines("out", "in"):
        message = decode(recorded.line)
        if not isinstance(message, Unknown):
            assert decode(encode(message)) == message, recorded.place
