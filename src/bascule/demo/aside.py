"""What the scripted model answers to requests that the CLI makes outside the conversation.

Seen on CLI 2.1.332 and 2.1.197: a title for the session, a search and a fetched page for the tools of that name, a
suggestion for the next prompt, the summary for a compaction, a probe of the quota. Each gets a short plausible
answer, so that no script has to think of them; a turn with `when(aside=…)` takes the place of one.
"""

from __future__ import annotations

import json
from typing import Any, Final

from bascule.demo.asked import Asked
from bascule.demo.script import Block, Reply, Say

SUGGESTION: Final = "run the tests"
PAGE: Final = "The page is about what was asked. (This summary is scripted.)"
SUMMARY: Final = (
    "<analysis>The conversation so far was scripted.</analysis>\n"
    "<summary>The user and a scripted model talked; nothing is left to be done.</summary>"
)
SEARCH_ID: Final = "srvtoolu_scripted"
TITLE_WORDS: Final = 5


def answer_aside(asked: Asked) -> Reply:
    """A plausible answer to what `asked.aside` names."""
    match asked.aside:
        case "title":
            return Reply(
                (Say(json.dumps(sample(asked.body["output_config"]["format"].get("schema"), _subject(asked.prompt)))),)
            )
        case "search":
            return Reply(_search_blocks(asked.prompt))
        case "page":
            return Reply((Say(PAGE),))
        case "suggestion":
            return Reply((Say(SUGGESTION),))
        case "summary":
            return Reply((Say(SUMMARY),))
        case _:
            return Reply((Say("."),))


def sample(schema: object, text: str) -> Any:
    """A small value that a JSON schema allows, as far as its types say; every string is `text`."""
    match schema:
        case {"enum": [first, *_]}:
            return first
        case {"type": "object", "properties": dict(properties)}:
            return {name: sample(kind, text) for name, kind in properties.items()}
        case {"type": "object"}:
            return {}
        case {"type": "array"}:
            return []
        case {"type": "integer" | "number"}:
            return 0
        case {"type": "boolean"}:
            return False
        case _:
            return text


def _subject(prompt: str) -> str:
    words = prompt.partition("<session>")[2].partition("</session>")[0].split()
    return " ".join(words[:TITLE_WORDS]) or "Scripted session"


def _search_blocks(prompt: str) -> tuple[Block | Say, ...]:
    query = prompt.partition("query:")[2].strip()
    found = {"type": "web_search_result", "title": f"About {query}", "url": "https://example.org/", "page_age": None}
    return (
        Block({"type": "server_tool_use", "id": SEARCH_ID, "name": "web_search", "input": {"query": query}}),
        Block({"type": "web_search_tool_result", "tool_use_id": SEARCH_ID, "content": [found]}),
        Say(f"One page is about {query}. (This result is scripted.)"),
    )
