"""What holds of every fold, whatever the events; what single events show is in the golden files."""

from collections.abc import Sequence

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bascule.events import AnyEvent, MessageChunk, is_passing
from bascule.view.fold import fold, fold_all
from bascule.view.model import Call, Text, View, children, held_grants, open_asks, status
from tests.view.made import MADE, asked, called, granted, numbered
from tests.view.told import GOLDEN, told

STORIES = [told(path.parent.name, path.stem) for path in sorted(GOLDEN.glob("*/*.json"))]
EVENTS = [event for story in STORIES for event in story]
stories = st.sampled_from(STORIES)


def lasting(events: Sequence[AnyEvent]) -> list[AnyEvent]:
    return [event for event in events if not is_passing(event)]


@given(stories, st.data())
def test_a_beginning_and_the_rest_give_the_whole(story: Sequence[AnyEvent], data: st.DataObject) -> None:
    cut = data.draw(st.integers(0, len(story)))
    assert fold_all(fold_all(View(), story[:cut]), story[cut:]) == fold_all(View(), story)


@given(stories, st.data())
def test_a_view_that_is_gone_on_from_stays_what_it_was(story: Sequence[AnyEvent], data: st.DataObject) -> None:
    cut = data.draw(st.integers(0, len(story)))
    view = fold_all(View(), story[:cut])
    before = msgspec.json.encode(view)
    fold_all(view, story[cut:])
    assert msgspec.json.encode(view) == before


@given(stories, st.data())
def test_lasting_events_told_again_change_nothing(story: Sequence[AnyEvent], data: st.DataObject) -> None:
    begin, cut = sorted((data.draw(st.integers(0, len(story))), data.draw(st.integers(0, len(story)))))
    view = fold_all(View(), story[:cut])
    assert fold_all(view, lasting(story[begin:cut])) is view


@given(st.lists(st.sampled_from(EVENTS)))
def test_events_of_any_order_give_a_view(events: list[AnyEvent]) -> None:
    view = fold_all(View(), events)
    assert all(view.items[place] for place in view.open.values())
    assert status(view)
    assert len(list(held_grants(view))) == len(view.grants)


@pytest.mark.parametrize("story", STORIES, ids=range(len(STORIES)))
def test_a_session_that_ended_leaves_nothing_open_but_prompts(story: Sequence[AnyEvent]) -> None:
    view = fold_all(View(), story)
    if status(view) in ("ended", "lost"):
        assert [key for key in view.open if not key.startswith(("prompt:", "call:"))] == []


@given(stories)
def test_a_story_without_what_passes_shows_the_same_texts(story: Sequence[AnyEvent]) -> None:
    """Deltas are a foretaste: whoever comes later misses none of what was said."""
    whole = {item.key: item.text for item in fold_all(View(), story).items if isinstance(item, Text)}
    later = {item.key: item.text for item in fold_all(View(), lasting(story)).items if isinstance(item, Text)}
    assert later == {key: text for key, text in whole.items() if key in later}


def test_deltas_append_and_the_whole_replaces() -> None:
    chunks = [MessageChunk(item="m", text=text, partial=True) for text in ("a", "b")]
    view = fold_all(View(), numbered([*chunks, MessageChunk(item="m", text="A, b.")]))
    assert [(item.text, item.partial) for item in view.items if isinstance(item, Text)] == [("A, b.", False)]


def test_calls_are_a_tree_of_any_depth() -> None:
    calls = [called("c1"), called("c2", "c1"), called("c3", "c2"), called("c4", "gone")]
    view = fold_all(View(), numbered(calls))

    def below(parent: str | None) -> list[object]:
        found = [item for item in children(view, parent) if isinstance(item, Call)]
        return [(call.tool_call_id, below(call.tool_call_id)) for call in found]

    assert below(None) == [("c1", [("c2", [("c3", [])])]), ("c4", [])]


def test_asks_wait_oldest_first_and_a_grant_holds_until_its_end() -> None:
    view = fold_all(View(), numbered([asked("a1"), called("c1"), asked("a2"), granted("g1"), granted("g2")]))
    assert [ask.request.pending_id for ask in open_asks(view)] == ["a1", "a2"]
    assert [granted.grant.grant_id for granted in held_grants(view)] == ["g1", "g2"]


def test_an_event_of_another_kind_changes_only_the_number() -> None:
    class Odd(MessageChunk, frozen=True, kw_only=True):
        """An event that this version does not show."""

    assert fold(View(), Odd(item="m", text="x", seq=7)) == View(seq=7)


def test_made_up_stories_are_numbered_without_a_gap() -> None:
    numbers = [event.seq for event in MADE["waiting"] if event.seq is not None]
    assert numbers == list(range(1, len(numbers) + 1))
