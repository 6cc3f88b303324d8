"""The answers to what the CLI asks outside the conversation."""

import json
from typing import Any

import pytest

from bascule.demo.aside import answer_aside, sample
from bascule.demo.asked import Aside, Asked
from bascule.demo.script import Block, Say
from tests.demo.asking import asked, user

TITLE = {
    "format": {
        "type": "json_schema",
        "schema": {"type": "object", "properties": {"title": {"type": "string"}}, "required": ["title"]},
    }
}


def said(request: Asked) -> str:
    return "".join(part.text for part in answer_aside(request).parts if isinstance(part, Say))


def test_title_is_json_with_the_first_words_of_the_session() -> None:
    prompt = "<session>\nfix the flaky test in the parser\n</session>\n\nWrite the title."
    assert json.loads(said(asked(user(prompt), output_config=TITLE))) == {"title": "fix the flaky test in"}


def test_title_of_nothing_is_still_a_title() -> None:
    assert json.loads(said(asked(user("x"), output_config=TITLE))) == {"title": "Scripted session"}


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"type": "string"}, "words"),
        ({"type": "string", "enum": ["a", "b"]}, "a"),
        ({"type": "integer"}, 0),
        ({"type": "number"}, 0),
        ({"type": "boolean"}, False),
        ({"type": "array", "items": {"type": "string"}}, []),
        ({"type": "object"}, {}),
        ({"type": "object", "properties": {"a": {"type": "object", "properties": {"b": {}}}}}, {"a": {"b": "words"}}),
        (None, "words"),
    ],
)
def test_value_fits_the_types_of_a_schema(schema: Any, expected: Any) -> None:
    assert sample(schema, "words") == expected


def test_search_gives_a_result_and_words_about_it() -> None:
    tools = [{"type": "web_search_20250305", "name": "web_search"}]
    parts = answer_aside(asked(user("Perform a web search for the query: python asyncio"), tools=tools)).parts
    use, found, words = parts
    assert isinstance(use, Block) and isinstance(found, Block) and isinstance(words, Say)
    assert use.content["input"] == {"query": "python asyncio"}
    assert found.content["tool_use_id"] == use.content["id"]
    assert "python asyncio" in words.text


def test_summary_has_the_form_that_a_compaction_needs() -> None:
    words = said(Asked(aside="summary"))
    assert words.startswith("<analysis>")
    assert words.endswith("</summary>")


@pytest.mark.parametrize("aside", ["page", "suggestion", "quota"])
def test_every_other_aside_gets_some_words(aside: Aside) -> None:
    assert said(Asked(aside=aside))
