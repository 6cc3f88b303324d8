"""Every payload is bounded, says what was cut, and can be written as JSON."""

from typing import Any

import msgspec
from hypothesis import example, given
from hypothesis import strategies as st

from bascule.payload import (
    TEXT_LIMIT,
    CodeSearch,
    Cut,
    Generic,
    Hunk,
    ManageTodos,
    ModifyFile,
    Mutation,
    ReadFile,
    ReadOutput,
    SearchOutput,
    ShellExec,
    ShellOutput,
    TodoItem,
)
from bascule.tools.bounds import DEPTH_LIMIT, LIST_LIMIT, bounded, clean


def nested(levels: int) -> Any:
    value: Any = "deep"
    for _ in range(levels):
        value = [value]
    return value


def depth(value: Any) -> int:
    levels = 0
    while isinstance(value, list):
        levels, value = levels + 1, value[0]
    return levels


def test_a_small_payload_stays_the_very_same() -> None:
    payload = ShellExec(command="ls", output=ShellOutput(stdout="é" * 1000))
    assert bounded(payload) is payload


def test_a_long_text_keeps_head_and_tail_and_tells_its_size() -> None:
    stdout = "first\n" + "x" * 60_000 + "\nlast\n"
    done = bounded(ShellExec(command="ls", output=ShellOutput(stdout=stdout)))
    assert done.output is not None
    assert len(done.output.stdout) <= TEXT_LIMIT
    assert done.output.stdout.startswith("first\nxxx")
    assert done.output.stdout.endswith("xxx\nlast\n")
    assert "characters left out" in done.output.stdout
    assert done.output.truncated
    assert done.cuts == (Cut("output.stdout", len(stdout), 3),)


def test_lines_of_a_cut_text_count_the_unfinished_one() -> None:
    assert bounded(ShellExec(command="a\n" * 30_000 + "b")).cuts == (Cut("command", 60_001, 30_001),)


def test_texts_that_are_long_only_together_are_left_alone() -> None:
    payload = ShellExec(command="x" * 30_000, description="y" * 30_000)
    assert bounded(payload) == payload


def test_cutting_again_keeps_what_was_told() -> None:
    once = bounded(ShellExec(command="x" * 90_000))
    assert bounded(once) == once
    again = bounded(msgspec.structs.replace(once, description="y" * 90_000))
    assert [cut.field for cut in again.cuts] == ["command", "description"]


def test_cuts_name_their_field_with_dots() -> None:
    long = "x" * 60_000
    mutations = (Mutation(type="patch", content="a"), Mutation(type="patch", content=long))
    assert bounded(ModifyFile(file_path="a", mutations=mutations)).cuts == (Cut("mutations.1.content", 60_000, 1),)
    generic = Generic(name="X", input={"a": [{"b": long}]})
    assert bounded(generic).cuts == (Cut("input.a.0.b", 60_000, 1),)


def test_lists_of_texts_are_held_to_the_limit_of_one_text() -> None:
    files = tuple(f"src/{number:05}.py" for number in range(10_000))
    output = SearchOutput(files=files)
    payload = bounded(msgspec.convert({"kind": "code_search", "query": "q", "pattern": "p"}, type=CodeSearch))
    done = bounded(msgspec.structs.replace(payload, output=output)).output
    assert done is not None
    assert sum(map(len, done.files)) <= TEXT_LIMIT
    assert done.files[0] == "src/00000.py"
    assert done.files[-1] == "src/09999.py"
    assert done.truncated


def test_one_item_over_the_limit_is_cut_and_not_dropped() -> None:
    item = TodoItem(id="1", description="x" * 900_000, status="pending")
    done = bounded(ManageTodos(operation="write", items=(item,)))
    assert len(done.items) == 1
    assert len(done.items[0].description) <= TEXT_LIMIT


def test_a_list_that_needs_no_item_dropped_is_not_cut() -> None:
    done = bounded(Generic(name="X", input=["x" * 60_000, "y"]))
    assert done.input[1] == "y"
    assert done.cuts == (Cut("input.0", 60_000, 1),)


def test_a_list_whose_first_item_is_all_there_is_room_for_keeps_the_last_one_too() -> None:
    done = bounded(Generic(name="X", input=["x" * LIST_LIMIT, "y"]))
    assert done.input[1] == "y"
    assert done.cuts == (Cut("input.0", LIST_LIMIT, 1),)


def test_lists_of_objects_keep_a_head_and_a_tail() -> None:
    items = tuple(TodoItem(id=str(number), description="x" * 1000, status="pending") for number in range(1000))
    done = bounded(ManageTodos(operation="write", items=items))
    assert done.items[0].id == "0"
    assert done.items[-1].id == "999"
    assert 150 < len(done.items) < 200
    assert done.cuts == (Cut("items", 1_009_890, 1000),)


def test_a_hunk_keeps_its_first_and_last_lines() -> None:
    hunk = Hunk(1, 0, 1, 30_000, tuple(f"+{number}" for number in range(30_000)))
    done = bounded(ModifyFile(file_path="a", mutations=(Mutation(type="create", hunks=(hunk,)),)))
    assert done.mutations[0].hunks is not None
    lines = done.mutations[0].hunks[0].lines
    assert (lines[0], lines[-1]) == ("+0", "+29999")
    assert [cut.field for cut in done.cuts] == ["mutations.0.hunks.0.lines"]


def test_json_that_nests_too_deep_is_left_out() -> None:
    done = bounded(Generic(name="X", input=nested(500)))
    assert depth(done.input) == DEPTH_LIMIT
    assert len(done.cuts) == 1
    assert bounded(Generic(name="X", input=nested(30))).input == nested(30)


def test_empty_lists_nest_as_deep_as_they_like() -> None:
    empty: Any = []
    for _ in range(DEPTH_LIMIT):
        empty = {"a": empty}
    assert bounded(Generic(name="X", input=empty)).cuts == ()


def test_keys_are_bounded_too() -> None:
    done = bounded(Generic(name="X", input={"k" * 100_000: 1, "\ud800": 2}))
    assert done.input == {"k" * 200: 1, "\ufffd": 2}


def test_lone_surrogates_become_replacement_characters() -> None:
    assert clean("a\ud83db") == "a\ufffdb"
    assert clean("äöü") == "äöü"
    done = bounded(ReadFile(file_path="a", output=ReadOutput(content="x\udce9\n")))
    assert done.output is not None
    assert done.output.content == "x\ufffd\n"
    assert not done.output.truncated
    msgspec.json.encode(done)


def test_numbers_that_json_cannot_carry_become_text() -> None:
    done = bounded(Generic(name="X", input={"big": 10**30, "small": -(2**40), "true": True}))
    assert done.input == {"big": hex(10**30), "small": -(2**40), "true": True}
    msgspec.json.encode(done)
    assert bounded(Generic(name="X", input=10**20_000)).input.startswith("0x")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=30) | st.just("LONG"),
    lambda children: st.lists(children, max_size=4) | st.dictionaries(st.text(max_size=5), children, max_size=4),
    max_leaves=12,
)


def long(value: Any) -> Any:
    """``value`` with each LONG as long as it says."""
    match value:
        case "LONG":
            return "x" * 60_000
        case list():
            return [long(item) for item in value]
        case dict():
            return {key: long(item) for key, item in value.items()}
        case _:
            return value


@example(["LONG", "LONG", ["LONG"], "LONG"])
@given(JSON)
def test_whatever_the_input_the_payload_is_bounded_json(value: Any) -> None:
    done = bounded(Generic(name="X", input=long(value)))
    assert len(msgspec.json.encode(done)) < 20 * LIST_LIMIT
    assert bounded(done) == done
