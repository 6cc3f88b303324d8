"""The calls of recordings: what the model wanted to run, what became of it then, and who had allowed what by then.

What a recording does not tell is taken as harmless for the reading, not for the verdict: without the folder of the CLI
a path is resolved in the folder that the session began in.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple, TypeAlias

import msgspec

from bascule import recording
from bascule.errors import OptionError, RecordingError
from bascule.events import (
    AnyEvent,
    ModeChanged,
    PermissionRequest,
    PermissionResolved,
    PolicyDecided,
    SessionStatus,
    ToolCall,
    ToolUpdate,
)
from bascule.ids import PendingId, SessionId
from bascule.policy.call import Call
from bascule.policy.grants import Grant, granted
from bascule.session.facts import Ground, ground
from bascule.transcript.fold import Fold
from bascule.wire.blocks import ToolUse
from bascule.wire.codec import decode
from bascule.wire.messages import Assistant

SUFFIX: Final = ".jsonl"

Was: TypeAlias = Literal["allow", "deny", "ask"]
"""What was decided without a person; ``ask``: a person was asked, whatever came of it."""


class RecordedCall(msgspec.Struct, frozen=True, kw_only=True):
    """One call, as a policy would have seen it then."""

    recording: str
    id: str
    title: str
    call: Call
    mode: str | None
    was: Was
    asked: PermissionRequest | None = None
    answer: PermissionResolved | None = None
    """Null: nobody was asked, or nobody answered."""
    grants: tuple[Grant, ...] = ()
    """What had been allowed for longer by then."""


class _Standing(NamedTuple):
    """Where the session stood when a call was made."""

    event: ToolCall
    ground: Ground
    mode: str | None
    grants: tuple[Grant, ...]


class Recorded(NamedTuple):
    """What was found in some recordings."""

    files: int
    calls: tuple[RecordedCall, ...]
    left_out: tuple[str, ...]
    """Files that are no recording, each with why."""


def recorded(names: Sequence[str]) -> Recorded:
    """The calls of the named recordings, of those in named folders, and of those that a pattern means.

    Raises ``RecordingError`` when there is no recording among them.
    """
    calls: list[RecordedCall] = []
    left_out: list[str] = []
    files = 0
    for path in _files(names):
        try:
            calls += _calls_of(path)
            files += 1
        except RecordingError as exc:
            left_out.append(str(exc))
    if not files:
        raise RecordingError("\n".join(left_out) or f"there is no recording in {', '.join(names)}", names[0])
    return Recorded(files, tuple(calls), tuple(left_out))


def _files(names: Sequence[str]) -> Iterator[Path]:
    """Each file once, in order."""
    seen: set[str] = set()
    for name in names:
        for path in _meant(name):
            real = os.path.realpath(path)
            if real not in seen:
                seen.add(real)
                yield path


def _meant(name: str) -> Iterator[Path]:
    """What a name means: a file, the recordings in a folder, or what a pattern fits."""
    path = Path(name)
    if path.exists():
        yield from _in(path)
        return
    found = sorted(Path(path.anchor or ".").glob(str(path.relative_to(path.anchor))))
    if not found:
        raise OptionError(f"{name} is not there: name a recording, or a folder of them")
    for one in found:
        yield from _in(one)


def _in(path: Path) -> Iterator[Path]:
    yield from sorted(path.rglob(f"*{SUFFIX}")) if path.is_dir() else (path,)


def _calls_of(path: Path) -> list[RecordedCall]:
    try:
        with path.open("rb") as file:
            entries = [item for item in recording.read(file) if isinstance(item, recording.Entry)]
    except OSError as exc:
        raise RecordingError(f"{path} cannot be read ({exc.strerror})", str(path)) from exc
    if not entries:
        raise RecordingError(f"{path} is no recording", str(path))
    reader = _Reader(str(path))
    for entry in entries:
        reader.feed(entry)
    return reader.calls()


class _Reader:
    """Goes through one recording."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._fold = Fold(SessionId(Path(name).stem))
        self._ground = ground("/", {})
        self._mode: str | None = None
        self._inputs: dict[str, dict[str, Any]] = {}
        self._seen: dict[str, _Standing] = {}
        self._asked: dict[str, PermissionRequest] = {}
        self._answers: dict[PendingId, PermissionResolved] = {}
        self._decided: dict[str, Was] = {}
        self._grants: tuple[Grant, ...] = ()

    def feed(self, entry: recording.Entry) -> None:
        """The next line."""
        message = decode(entry.line) if entry.dir == "out" else None
        if isinstance(message, Assistant):
            self._inputs |= {use.id: use.input for use in message.message.content if isinstance(use, ToolUse)}
        for event in self._fold.feed(entry, message):
            self._happened(event)

    def _happened(self, event: AnyEvent) -> None:
        match event:
            case SessionStatus(cwd=cwd, permission_mode=mode):
                self._ground = ground(cwd, os.environ) if cwd else self._ground
                self._mode = mode or self._mode
            case ModeChanged(mode=mode):
                self._mode = mode
            case ToolCall(tool_call_id=call_id):
                self._seen[call_id] = _Standing(event, self._ground, self._mode, self._grants)
            case PermissionRequest(tool_call_id=str(call_id)):
                self._asked[call_id] = event
            case PermissionResolved(pending_id=pending_id):
                self._answers[pending_id] = event
                self._grants += tuple(_grant(event))
            case PolicyDecided(tool_call_id=str(call_id), verdict=verdict):
                self._decided[call_id] = verdict
            case ToolUpdate(tool_call_id=call_id, tool_status="denied"):
                self._decided.setdefault(call_id, "deny")

    def calls(self) -> list[RecordedCall]:
        """What was found."""
        return [self._call(call_id, standing) for call_id, standing in self._seen.items()]

    def _call(self, call_id: str, standing: _Standing) -> RecordedCall:
        asked = self._asked.get(call_id)
        tool_input = self._inputs.get(call_id, {}) if asked is None else asked.input
        return RecordedCall(
            recording=self._name,
            id=call_id,
            title=standing.event.tool_title,
            call=standing.ground.call(standing.event.tool_name, tool_input, cwd=None),
            mode=standing.mode,
            was="ask" if asked is not None else self._decided.get(call_id, "allow"),
            asked=asked,
            answer=None if asked is None else self._answers.get(asked.pending_id),
            grants=standing.grants,
        )


def _grant(answer: PermissionResolved) -> Iterator[Grant]:
    """What a person allowed for longer; a rule of another kind than ours is none."""
    if answer.outcome == "allowed_always" and answer.rule:
        try:
            yield granted(answer.rule)
        except OptionError:
            return
