"""The conversation as it is kept: what the model is asked with, and the file that a later process resumes.

One line for each message part, in the CLI's folder and under its names, so that what looks for session files finds
them: ``$CLAUDE_CONFIG_DIR/projects/<folder>/<session>.jsonl``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final, Literal

import msgspec

from bascule.testing.fake_cli.usage import Count


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """A part of the conversation: one block of the assistant, or what it was told at once."""

    uuid: str
    role: Literal["user", "assistant"]
    content: list[Any]
    message_id: str | None = None
    """Of the assistant: blocks of one message share it."""


class Used(msgspec.Struct, frozen=True, kw_only=True):
    """What the session had used, by model, when a turn ended."""

    used: dict[str, Count]


class History:
    """One session's conversation. ``path`` is where it is kept, None: nowhere.

    ``anew``: what stands there is not what this session goes on from, and is written over by its first word.
    """

    def __init__(self, path: Path | None, entries: Iterable[Entry] = (), *, anew: bool = False) -> None:
        self.path = path
        self.entries: list[Entry] = list(entries)
        self._anew = anew

    def add(self, entry: Entry) -> None:
        """One more part, kept at once."""
        self.entries.append(entry)
        for one in self.entries if self._anew else [entry]:
            self._write({"type": one.role, **msgspec.to_builtins(one)})

    def add_used(self, used: Mapping[str, Count]) -> None:
        """What the session has used by now."""
        self._write({"type": "used", "used": msgspec.to_builtins(used)})

    def _write(self, line: Mapping[str, Any]) -> None:
        if self.path is not None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("w" if self._anew else "a", encoding="ascii") as file:
                file.write(json.dumps(line) + "\n")
            self._anew = False

    def messages(self) -> list[dict[str, Any]]:
        """The conversation as the API takes it: roles alternate, parts of one message are one."""
        messages: list[dict[str, Any]] = []
        for entry in self.entries:
            if messages and messages[-1]["role"] == entry.role:
                messages[-1]["content"] += entry.content
            else:
                messages.append({"role": entry.role, "content": [*entry.content]})
        return messages


def folder(config: Path, cwd: Path) -> Path:
    """Where the sessions of a workspace are kept."""
    return config / "projects" / re.sub(r"[^A-Za-z0-9]", "-", str(cwd))


def load(path: Path) -> tuple[list[Entry], dict[str, Count]]:
    """The entries of a file, and what had been used in the end; a line that is neither is passed over."""
    lines = [line for line in map(_read, path.read_bytes().split(b"\n")) if line is not None]
    used = next((line.used for line in reversed(lines) if isinstance(line, Used)), {})
    return [line for line in lines if isinstance(line, Entry)], used


def _read(line: bytes) -> Entry | Used | None:
    for decoder in (_entries, _used):
        try:
            return decoder.decode(line)
        except msgspec.DecodeError:
            continue
    return None


_entries: Final[msgspec.json.Decoder[Entry | Used]] = msgspec.json.Decoder(Entry)
_used: Final[msgspec.json.Decoder[Entry | Used]] = msgspec.json.Decoder(Used)


def cut_after(entries: list[Entry], uuid: str) -> list[Entry] | None:
    """The entries up to the one with this uuid; None: there is none."""
    at = next((at for at, entry in enumerate(entries) if entry.uuid == uuid), None)
    return None if at is None else entries[: at + 1]


def found(config: Path, cwd: Path, name: str, *, anywhere: bool) -> Path | None:
    """The file of the session ``name``, which may be a path already."""
    if name.endswith(".jsonl") and Path(name).is_file():
        return Path(name)
    here = folder(config, cwd) / f"{name}.jsonl"
    if here.is_file() or not anywhere:
        return here if here.is_file() else None
    return next((config / "projects").glob(f"*/{name}.jsonl"), None)


def newest(config: Path, cwd: Path) -> Path | None:
    """The file of the workspace that was written last."""
    files = folder(config, cwd).glob("*.jsonl")
    return max(files, key=lambda path: path.stat().st_mtime_ns, default=None)


def as_json(value: object) -> str:
    """``value`` for a model to read, where it is no text."""
    return value if isinstance(value, str) else json.dumps(value)
