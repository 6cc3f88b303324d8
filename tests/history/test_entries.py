"""Lines of session files, as both versions write them and as nobody does."""

import json
from collections import Counter
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bascule.history import entries
from bascule.history.entries import AssistantEntry, Entry, UnknownEntry, UserEntry, decode
from bascule.wire.blocks import Text, ToolUse
from bascule.wire.json_text import NotJson
from tests.history.shelf import NAMES, call, jsonl, prompt, real

KNOWN_AS_UNKNOWN = {"atis-latch", "tools-used", "file-history-delta"}
"""Types that nobody here has to read."""


@pytest.mark.parametrize("name", NAMES)
def test_what_the_cli_writes_is_known(version: str, name: str) -> None:
    found = [decode(line) for line in real(version, name).read_bytes().splitlines()]
    unknown = {entry.type for entry in found if isinstance(entry, UnknownEntry)}
    assert unknown <= KNOWN_AS_UNKNOWN
    assert Counter(map(type, found))[UserEntry] >= 2
    assert all(entry.session_id for entry in found)


def test_an_entry_says_who_when_and_where(version: str) -> None:
    found = [decode(line) for line in real(version, "turns").read_bytes().splitlines()]
    user = next(entry for entry in found if isinstance(entry, UserEntry))
    assert (user.message.content, user.cwd, user.version) == ("Hello", "/home/ada/shop", version)
    assert user.parent_uuid is None
    model = next(entry for entry in found if isinstance(entry, AssistantEntry))
    assert model.message.model is not None
    assert model.message.id is not None
    titles = [entry.custom_title for entry in found if isinstance(entry, entries.CustomTitleEntry)]
    assert titles == ["All of it"]
    leaves = [entry.leaf_uuid for entry in found if isinstance(entry, entries.LastPromptEntry)]
    assert leaves[-1] in {entry.uuid for entry in found}


def test_an_unknown_type_keeps_its_line_and_its_links() -> None:
    line = b'{"type":"novelty","uuid":"u","parentUuid":"p","sessionId":"s","x":{"y":1}}\n'
    entry = decode(line)
    assert isinstance(entry, UnknownEntry)
    assert (entry.type, entry.uuid, entry.parent_uuid, entry.session_id) == ("novelty", "u", "p", "s")
    assert json.loads(entry.raw)["x"] == {"y": 1}


def test_what_does_not_fit_is_left_out_and_the_rest_lives() -> None:
    odd = {**prompt("u", None, "hi"), "cwd": 7, "isMeta": "no", "permissionDecision": []}
    entry = decode(jsonl([odd]))
    assert isinstance(entry, UserEntry)
    assert (entry.cwd, entry.is_meta, entry.message.content) == (None, False, "hi")


def test_a_block_of_a_new_kind_does_not_cost_the_entry() -> None:
    made = call("u", None, "t")
    made["message"]["content"] += [{"type": "novelty"}, "text", {"type": "text", "text": "x"}]
    entry = decode(jsonl([made]))
    assert isinstance(entry, AssistantEntry)
    assert [type(block) for block in entry.message.content if isinstance(block, ToolUse | Text)] == [ToolUse, Text]


@pytest.mark.parametrize("line", [b"", b"nonsense", b"null", b"[]", b'{"uuid":"u"}', b'{"type":7}', b'{"type":"user"'])
def test_what_is_no_entry_says_so(line: bytes) -> None:
    with pytest.raises(NotJson):
        decode(line)


def test_bytes_that_are_no_text_cost_a_character() -> None:
    entry = decode(jsonl([prompt("u", None, "P3")]).replace(b"P3", b"P\xff3"))
    assert isinstance(entry, UserEntry)
    assert entry.message.content == "P\ufffd3"


def test_who_refused_a_call_is_told() -> None:
    entry = decode(b'{"type":"user","permissionDecision":{"decision":"reject"}}')
    assert isinstance(entry, UserEntry)
    assert entry.is_denial
    assert not UserEntry().is_denial


@given(st.binary() | st.text().map(str.encode))
def test_any_bytes_are_an_entry_or_none(line: bytes) -> None:
    with suppress(NotJson):
        assert isinstance(decode(line), Entry)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
KEYS = ("uuid", "parentUuid", "message", "content", "timestamp", "attachment", "subtype", "isSidechain", "leafUuid")


@given(
    st.sampled_from(["user", "assistant", "system", "attachment", "last-prompt", "cost-state", "new"]),
    st.dictionaries(st.sampled_from(KEYS), json_values),
)
def test_an_object_with_a_type_is_an_entry_whatever_it_holds(type_: str, held: dict[str, object]) -> None:
    assert isinstance(decode(json.dumps({**held, "type": type_}).encode()), Entry)
