"""Content in all its forms."""

from typing import Any

import pytest

from bascule.wire.blocks import Block, Text, ToolResult, UnknownBlock, blocks_of, text_of

ITEM = {"type": "text", "text": "a"}


@pytest.mark.parametrize(
    ("content", "blocks"),
    [
        (None, ()),
        ("", ()),
        ("a", (Text("a"),)),
        ([ITEM, "b"], (Text("a"), Text("b"))),
        ((Text("a"),), (Text("a"),)),
        (ITEM, (Text("a"),)),
        ({"one": "object"}, (UnknownBlock({"one": "object"}),)),
        ([5], (UnknownBlock(5),)),
        ([{"type": "tool_result"}], (UnknownBlock({"type": "tool_result"}),)),
        ([{"type": "tool_result", "tool_use_id": "t", "is_error": "?"}], (ToolResult("t"),)),
    ],
)
def test_L2_content_of_any_form_has_blocks(content: Any, blocks: tuple[Block, ...]) -> None:
    assert blocks_of(content) == blocks


def test_the_text_of_content_leaves_out_what_is_none() -> None:
    assert text_of([ITEM, {"type": "image", "source": {"type": "url"}}, "b"]) == "a\nb"


@pytest.mark.parametrize(("raw", "tag"), [({"type": "x"}, "x"), ({"type": 5}, None), ({}, None), ("bare", None)])
def test_an_unknown_block_says_what_it_is_called(raw: Any, tag: str | None) -> None:
    assert UnknownBlock(raw).tag == tag
