"""The web: WebFetch, WebSearch."""

from __future__ import annotations

from typing import Any

import msgspec

from bascule.payload import HttpRequest
from bascule.tools.fields import Fields
from bascule.tools.outcome import Outcome


def fetch(call: Fields) -> HttpRequest:
    """A page, with what the model wants to know from it as ``query``."""
    return HttpRequest(url=call.text("url"), query=call.text_or_none("prompt"))


def search(call: Fields) -> HttpRequest:
    """A search of the web, done by Anthropic and not from here."""
    return HttpRequest(query=call.text("query"))


def has_fetched(payload: HttpRequest, outcome: Outcome) -> HttpRequest:
    """``payload`` with the answer (31_webfetch, 30_web, CLI 2.1.332)."""
    told = outcome.fields
    if outcome.error is not None:
        return msgspec.structs.replace(payload, response=outcome.error, is_error=True)
    if "results" in told:
        response = "\n\n".join(filter(None, map(_found, told.items("results"))))
    else:
        response = told.text("result") or outcome.text
    return msgspec.structs.replace(payload, response=response, status=told.whole("code"))


def _found(result: Any) -> str:
    """A remark of the search, or its hits, a title and an address each."""
    if isinstance(result, str):
        return result
    return "\n".join(f"{hit.text('title')}\n{hit.text('url')}" for hit in Fields(result).objects("content"))
