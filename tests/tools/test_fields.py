"""Fields of JSON that nobody vouches for read as absent when they are of another kind."""

from typing import Any

import pytest

from bascule.tools.fields import Fields


@pytest.mark.parametrize("json", [None, 1, "text", [1], True])
def test_what_is_no_object_has_no_fields(json: Any) -> None:
    fields = Fields(json)
    assert "a" not in fields
    assert fields.text("a") == ""
    assert fields.items("a") == []
    assert fields.pairs("a") == []


@pytest.mark.parametrize(
    ("value", "expected"),
    [(2, 2), (2.0, 2), (-3, -3), (2.5, None), (True, None), ("2", None), (2**60, None), (float("inf"), None)],
)
def test_whole_numbers_are_whole(value: Any, expected: int | None) -> None:
    assert Fields({"n": value}).whole("n") == expected


def test_not_a_number_is_none() -> None:
    assert Fields({"n": float("nan")}).whole("n") is None


def test_a_flag_is_true_or_false_and_nothing_like_it() -> None:
    fields = Fields({"yes": True, "no": False, "one": 1})
    assert (fields.flag("yes"), fields.flag("no"), fields.flag("one")) == (True, False, False)
    assert (fields.flag_or_none("yes"), fields.flag_or_none("no"), fields.flag_or_none("one")) == (True, False, None)


def test_inner_things_come_one_by_one() -> None:
    fields = Fields({"list": [{"a": "1"}, 2, "three"], "object": {"k": 1}, "null": None})
    assert [one.text("a") for one in fields.objects("list")] == ["1", "", ""]
    assert fields.texts("list") == ("three",)
    assert fields.pairs("object") == [("k", 1)]
    assert "k" in fields.inner("object")
    assert "null" not in fields
