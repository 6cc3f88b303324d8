"""What a line of stdin means, to either version."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bascule.testing.fake_cli import VERSIONS
from bascule.testing.fake_cli.heard import Answer, Fatal, Ignored, Prompt, Request, read

NEW, OLD = VERSIONS.values()


def user(**fields: Any) -> str:
    return json.dumps({"type": "user", "message": {"role": "user", "content": "hi"}, **fields})


@pytest.mark.parametrize("version", VERSIONS.values(), ids=VERSIONS)
@pytest.mark.parametrize(
    ("line", "kind"),
    [
        (user(), Prompt),
        (user() + "\r", Prompt),
        ('{"type":"control_request","request_id":"a","request":{"subtype":"x"}}', Request),
        ('{"type":"control_request","request":{}}', Request),
        ('{"type":"control_response","response":{}}', Answer),
        ('{"type":"control_response","response":"x"}', Ignored),
        ("", Ignored),
        ("[1]", Ignored),
        ("5", Ignored),
        ('{"type":"system"}', Ignored),
        ("null", Fatal),
        ("{", Fatal),
        ("[" * 100_000, Fatal),
        ('{"type":"control_request","request":null}', Fatal),
        ('{"type":"user","message":[]}', Fatal),
        ('{"type":"user","message":{"role":"system","content":"a"}}', Fatal),
    ],
)
def test_both_versions_agree(line: str, kind: type, version: Any) -> None:
    assert type(read(line, version)) is kind


@pytest.mark.parametrize(
    ("line", "new", "old"),
    [
        ("   ", Ignored, Fatal),
        ("\ufeff" + user(), Prompt, Fatal),
        ('{"type":"control_response"}', Ignored, Fatal),
        ('{"type":"control_response","response":null}', Ignored, Fatal),
        ('{"type":"user","message":{"role":"user","content":null}}', Prompt, Fatal),
        ('{"type":"user","message":{"role":"user","content":5}}', Ignored, Fatal),
    ],
)
def test_the_older_version_is_less_forgiving(line: str, new: type, old: type) -> None:
    assert (type(read(line, NEW)), type(read(line, OLD))) == (new, old)


def test_a_prompt_says_who_it_is_and_when_it_wants_to_run() -> None:
    assert read(user(uuid=7, priority="now", shouldQuery=False), NEW) == Prompt(
        content="hi", uuid="7", priority="now", asks_model=False
    )
    assert read(user(priority="soon"), NEW) == Prompt(content="hi")


def test_content_is_blocks_to_the_model() -> None:
    assert Prompt(content="hi").blocks == [{"type": "text", "text": "hi"}]
    assert Prompt(content=[{"type": "image"}, 5]).blocks == [{"type": "image"}]


@given(st.text(), st.sampled_from([NEW, OLD]))
def test_nothing_raises(line: str, version: Any) -> None:
    assert read(line, version) is not None
