"""A conversation written anew: one branch, each entry behind the one before, under ids of its own.

The CLI's own ``--fork-session`` keeps the ids of messages; here they are new, so that a uuid names one message in all
files, and ``forkedFrom``, which is the CLI's own word for it, tells where each came from. Entries are copied as JSON:
what no struct here models is kept.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, Final, assert_never
from uuid import uuid4

from bascule.errors import HistoryError
from bascule.history.entries import (
    AiTitleEntry,
    CostEntry,
    CustomTitleEntry,
    Entry,
    ModeEntry,
    PermissionModeEntry,
    TagEntry,
    fitted,
)
from bascule.history.items import prompt_of
from bascule.history.nodes import Graph, Node, Span
from bascule.history.pairs import Kept, Made, Step
from bascule.history.places import id_of, opened
from bascule.history.stored import StoredSession, glance
from bascule.history.transcript import Transcript, changed, text_at
from bascule.ids import CliSessionId
from bascule.wire.json_text import NotJson, clean, parse

UNFINISHED: Final = (
    "The session ended before this call was finished: nobody knows whether it had an effect. Look before you repeat it."
)
"""What the model reads as the result of a call that has none."""

_CARRIED: Final[tuple[type[Entry], ...]] = (
    AiTitleEntry,
    CustomTitleEntry,
    TagEntry,
    ModeEntry,
    PermissionModeEntry,
    CostEntry,
)
"""What is about the conversation and holds for a copy as well. Not the worktree: it has one owner."""

_LEFT: Final = frozenset(("slug", "teamName", "agentName", "requestRef"))
"""Keys of an entry that tie it to its session: its plan's file, its team, the request it was an answer to."""

_SAID: Final = frozenset(("message", "attachment", "toolUseResult", "rendered"))
"""Keys that hold what was said: a uuid in there is a text."""

_OF_ANY_ENTRY: Final = ("isSidechain", "timestamp", "userType", "entrypoint", "cwd", "version", "gitBranch")


def write_copy(
    transcript: Transcript, steps: tuple[Step, ...], *, title: str | None = None, mark: str = ""
) -> StoredSession:
    """A session of ``steps``, which are the transcript's, in a file beside its own.

    ``title`` is the copy's; null: the one that a person gave the old one, with ``mark`` behind it. The file appears
    whole or not at all. Raises ``HistoryError`` when nobody says anything in it, when it cannot be written, or when the
    transcript's file was written anew.
    """
    source, graph = transcript.path, transcript.graph
    old, new = id_of(source), CliSessionId(str(uuid4()))
    target = source.with_name(f"{new}.jsonl")
    with opened(source) as file, _appearing(target) as out:
        # A compaction names the summary that comes after it: the new names are known before the first line.
        uuids = {step.node.uuid: str(uuid4()) for step in steps}
        copy = _Copy(source, file, old, new, uuids)
        for step in steps:
            out.write(copy.of(step))
        for entry in copy.about(graph, title, mark):
            out.write(_line(entry))
    return _seen(target, source)


def _seen(target: Path, source: Path) -> StoredSession:
    session = glance(target)
    if session is None:
        target.unlink()
        raise HistoryError(f"{source} holds no conversation", str(source))
    return session


def _line(entry: dict[str, Any]) -> bytes:
    return json.dumps(entry, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


@contextmanager
def _appearing(target: Path) -> Iterator[BinaryIO]:
    """A file that bears its name when it is complete."""
    hidden = target.with_name(f".{target.name}.part")
    try:
        with os.fdopen(os.open(hidden, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600), "wb") as out:
            yield out
            out.flush()
            os.fsync(out.fileno())
        hidden.rename(target)
    except OSError as exc:
        raise HistoryError(f"{target} cannot be written: {exc.strerror}", str(target)) from exc
    finally:
        hidden.unlink(missing_ok=True)


class _Copy:
    """The ids of a copy while it is made."""

    def __init__(self, source: Path, file: BinaryIO, old: str, new: CliSessionId, uuids: Mapping[str, str]) -> None:
        self._source = source
        self._file = file
        self._old = old
        self._new = new
        self._uuids = uuids
        self._last: str | None = None
        self._prompt = ""

    def of(self, step: Step) -> bytes:
        """The line of a step, behind the one of the step before; nothing for an entry of which nothing stays."""
        match step:
            case Kept(node, ids):
                return self._written(self._kept(node, ids))
            case Made(node, id_):
                return self._written(self._made(node, id_))
            case _:
                assert_never(step)

    def _written(self, entry: dict[str, Any] | None) -> bytes:
        if entry is None:
            return b""
        self._last = entry["uuid"]
        return _line(entry)

    def about(self, graph: Graph, title: str | None, mark: str) -> Iterator[dict[str, Any]]:
        """What stands behind the conversation: results that were cut for the model, the title, where it stands."""
        for span in (*graph.replacements, *(graph.about[kind] for kind in _CARRIED if kind in graph.about)):
            match self._renamed(self._raw(span)):
                case {"type": "custom-title", "customTitle": str(old)} as entry:
                    yield {**entry, "customTitle": title or f"{old}{mark}"}
                case entry:
                    yield entry
        if title is not None and CustomTitleEntry not in graph.about:
            yield {"type": "custom-title", "customTitle": title, "sessionId": self._new}
        yield {"type": "last-prompt", "lastPrompt": self._prompt, "leafUuid": self._last, "sessionId": self._new}

    def _raw(self, span: Span, uuid: str | None = None) -> dict[str, Any]:
        try:
            raw = parse(clean(text_at(self._file, span)))
        except NotJson:
            raw = None
        if not isinstance(raw, dict) or (uuid is not None and raw.get("uuid") != uuid):
            raise changed(self._source)
        return raw

    def _kept(self, node: Node, ids: tuple[str | None, ...]) -> dict[str, Any] | None:
        raw = self._raw(node.span, node.uuid)
        if ids:
            content = list(_called(raw["message"]["content"], ids))
            if not content:
                return None
            raw["message"]["content"] = content
        self._prompt = prompt_of(fitted(raw)) or self._prompt
        entry = self._renamed({key: value for key, value in raw.items() if key not in _LEFT})
        entry["parentUuid"] = None if node.boundary else self._last
        if node.boundary:
            entry["logicalParentUuid"] = self._last
        entry["isSidechain"] = False
        return {**entry, "forkedFrom": {"sessionId": self._old, "messageUuid": node.uuid}}

    def _made(self, node: Node, id_: str) -> dict[str, Any]:
        raw = self._raw(node.span, node.uuid)
        result = {"tool_use_id": id_, "type": "tool_result", "content": UNFINISHED, "is_error": True}
        return {
            "parentUuid": self._last,
            "type": "user",
            "message": {"role": "user", "content": [result]},
            "uuid": str(uuid4()),
            "toolUseResult": f"Error: {UNFINISHED}",
            "sourceToolAssistantUUID": self._uuids[node.uuid],
            "sessionId": self._new,
            **{key: raw[key] for key in _OF_ANY_ENTRY if key in raw},
        }

    def _renamed(self, raw: dict[str, Any]) -> dict[str, Any]:
        """``raw`` with the new ids; uuids of entries that are not in the copy stay."""
        named = {key: value if key in _SAID else _mapped(value, self._uuids) for key, value in raw.items()}
        return {**named, "sessionId": self._new}


def _mapped(value: Any, uuids: Mapping[str, str]) -> Any:
    match value:
        case str():
            return uuids.get(value, value)
        case list():
            return [_mapped(item, uuids) for item in value]
        case dict():
            return {key: _mapped(item, uuids) for key, item in value.items()}
    return value


def _called(content: Any, ids: tuple[str | None, ...]) -> Iterator[Any]:
    """The blocks with the ids of calls and results in their order; a result whose id is None is left out."""
    left = iter(ids)
    for block in content:
        match block:
            case {"type": "tool_use", "id": str(), "name": str()}:
                yield {**block, "id": next(left)}
            case {"type": "tool_result", "tool_use_id": str()}:
                if (id_ := next(left)) is not None:
                    yield {**block, "tool_use_id": id_}
            case _:
                yield block
