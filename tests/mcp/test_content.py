"""What a tool gave back, as the model gets it."""

from typing import Any

import msgspec
import pytest

from bascule.mcp.content import Image, failure, result_of


class Sum(msgspec.Struct):
    total: int


IMAGE = {"type": "image", "data": "iVA=", "mimeType": "image/png"}


@pytest.mark.parametrize(
    ("returned", "content"),
    [
        (None, []),
        ("ready", [{"type": "text", "text": "ready"}]),
        ("", [{"type": "text", "text": ""}]),
        (Image(b"\x89P"), [IMAGE]),
        (["see", Image(b"\x89P")], [{"type": "text", "text": "see"}, IMAGE]),
        (("a", "b"), [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]),
        ([], [{"type": "text", "text": "[]"}]),
        (5, [{"type": "text", "text": "5"}]),
        (True, [{"type": "text", "text": "true"}]),
        ([1, "a"], [{"type": "text", "text": '[1,"a"]'}]),
    ],
)
def test_text_and_images_are_blocks_and_the_rest_is_json(returned: Any, content: list[Any]) -> None:
    assert result_of(returned) == {"content": content}


@pytest.mark.parametrize("returned", [{"total": 3}, Sum(total=3)])
def test_an_object_is_structured_content_as_well(returned: Any) -> None:
    assert result_of(returned) == {
        "content": [{"type": "text", "text": '{"total":3}'}],
        "structuredContent": {"total": 3},
    }


def test_a_list_is_not_structured_content_which_the_cli_would_refuse() -> None:
    assert "structuredContent" not in result_of([{"total": 3}])


def test_what_has_no_json_form_is_an_error() -> None:
    with pytest.raises(TypeError):
        result_of(object())


def test_a_failure_tells_the_model() -> None:
    assert failure("no such file") == {"content": [{"type": "text", "text": "no such file"}], "isError": True}
