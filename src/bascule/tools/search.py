"""Files searched by name or by content: Glob, Grep."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

import msgspec

from bascule.payload import CodeSearch, SearchOutput
from bascule.tools.fields import Fields
from bascule.tools.outcome import Outcome

_MODES: Final[Mapping[str, Literal["files", "content", "count"]]] = {"content": "content", "count": "count"}


def glob(call: Fields) -> CodeSearch:
    """A search for names; ``path`` is null for the working directory."""
    pattern = call.text("pattern")
    return CodeSearch(query=pattern, pattern=pattern, path=call.text_or_none("path"))


def grep(call: Fields) -> CodeSearch:
    """A search of contents. Without a mode the CLI tells file names only (17_search)."""
    pattern = call.text("pattern")
    return CodeSearch(
        query=pattern,
        pattern=pattern,
        path=call.text_or_none("path"),
        glob=call.text_or_none("glob"),
        mode=_MODES.get(call.text("output_mode"), "files"),
    )


def has_searched(payload: CodeSearch, outcome: Outcome) -> CodeSearch:
    """``payload`` with what was found (17_search, CLI 2.1.332)."""
    return msgspec.structs.replace(payload, output=_output(payload, outcome))


def _output(payload: CodeSearch, outcome: Outcome) -> SearchOutput:
    if outcome.error is not None:
        return SearchOutput(error=outcome.error)
    told = outcome.fields
    if "filenames" not in told:  # a subagent's: the text is all there is
        return SearchOutput(matches=_lines(outcome.text))
    return SearchOutput(
        files=told.texts("filenames"),
        matches=None if payload.mode == "files" else _lines(told.text("content")),
        file_count=_file_count(told),
        truncated=told.flag("truncated") or "appliedLimit" in told,
    )


def _file_count(told: Fields) -> int | None:
    """In content mode the CLI counts no files and says 0 (17_search): that is not known."""
    if told.text("mode") == "content":
        return None
    total = told.whole("totalFiles")
    return told.whole("numFiles") if total is None else total


def _lines(text: str) -> tuple[str, ...]:
    return tuple(text.split("\n")) if text else ()
