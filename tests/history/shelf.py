"""Session files for tests: those of the real CLI, laid out as the CLI does, and others made entry by entry."""

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

from bascule.transport.projects import folder_name

FILES: Final = Path(__file__).parent / "files"
VERSIONS: Final = ("2.1.332", "2.1.197")
NAMES: Final = ("turns", "branches", "forked", "compacted", "cleared", "killed")
NOBODY: Final = 65_534
CWD: Final = "/home/ada/shop"


def real(version: str, name: str) -> Path:
    """A file of the real CLI, where the repository keeps it."""
    return FILES / version / f"{name}.jsonl"


def number(n: int) -> str:
    """A UUID that a test can tell by its number."""
    return f"00000000-0000-4000-8000-{n:012d}"


class Shelf:
    """A configuration folder of the CLI's."""

    def __init__(self, config: Path) -> None:
        self.config = config
        self._put = 0

    def folder(self, cwd: str = CWD) -> Path:
        """Where sessions of the workspace lie."""
        path = self.config / "projects" / folder_name(cwd)
        path.mkdir(parents=True, exist_ok=True)
        return path

    def put(self, version: str, name: str) -> Path:
        """A file of the real CLI under its own id, with its subagents; each is newer than the one before."""
        kept = real(version, name)
        first = next(json.loads(line)["sessionId"] for line in kept.read_text().splitlines())
        agents = {path: path.read_bytes() for path in sorted(kept.with_suffix("").rglob("agent-*"))}
        for path, text in agents.items():
            target = self.folder() / first / path.relative_to(kept.with_suffix(""))
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(text)
        return self.write(kept.read_bytes(), id_=first)

    def write(self, text: bytes, *, id_: str | None = None, cwd: str = CWD) -> Path:
        """A file of these bytes; each is newer than the one before."""
        self._put += 1
        path = self.folder(cwd) / f"{id_ or number(self._put)}.jsonl"
        path.write_bytes(text)
        os.utime(path, (1_800_000_000 + self._put, 1_800_000_000 + self._put))
        return path

    def close(self) -> None:
        """From now on nothing can be made or taken away; root is somebody else then."""
        for path in self.config.rglob("*"):
            path.chmod(0o555 if path.is_dir() else 0o644)
        if os.getuid() == 0:
            os.seteuid(NOBODY)

    def make(self, *entries: dict[str, Any], cwd: str = CWD) -> Path:
        """A file of these entries."""
        return self.write(jsonl(entries), cwd=cwd)


def jsonl(entries: Iterable[dict[str, Any]]) -> bytes:
    """Entries as a file has them."""
    return b"".join(json.dumps(entry, separators=(",", ":")).encode() + b"\n" for entry in entries)


def entry(uuid: str, parent: str | None, type_: str, content: Any, **more: Any) -> dict[str, Any]:
    """One of the conversation. The assistant's bears a message id of its own, unless ``message_id`` is given."""
    body: dict[str, Any] = {"role": type_, "content": content}
    if type_ == "assistant":
        body = {"id": more.pop("message_id", f"msg_{uuid}"), "model": "claude-opus-5-5", **body}
    about = {"timestamp": "2026-11-30T12:00:00.000Z", "cwd": CWD, "sessionId": "s", "gitBranch": "main"}
    return {"parentUuid": parent, "isSidechain": False, "type": type_, "message": body, "uuid": uuid, **about, **more}


def prompt(uuid: str, parent: str | None, text: str, **more: Any) -> dict[str, Any]:
    """What a person says."""
    return entry(uuid, parent, "user", text, **more)


def reply(uuid: str, parent: str | None, text: str, **more: Any) -> dict[str, Any]:
    """What the model says."""
    return entry(uuid, parent, "assistant", [{"type": "text", "text": text}], **more)


def call(uuid: str, parent: str | None, id_: str, **more: Any) -> dict[str, Any]:
    """A call of a tool."""
    block = {"type": "tool_use", "id": id_, "name": "Bash", "input": {"command": f"run {id_}"}}
    return entry(uuid, parent, "assistant", [block], **more)


def result(uuid: str, parent: str | None, *ids: str, **more: Any) -> dict[str, Any]:
    """The results of calls."""
    blocks = [{"type": "tool_result", "tool_use_id": id_, "content": f"ran {id_}"} for id_ in ids]
    return entry(uuid, parent, "user", blocks, **more)


def boundary(uuid: str, after: str | None, **more: Any) -> dict[str, Any]:
    """A compaction."""
    about = {"type": "system", "subtype": "compact_boundary", "content": "Conversation compacted", "sessionId": "s"}
    return {"parentUuid": None, "logicalParentUuid": after, "uuid": uuid, **about, **more}


def last_prompt(leaf: str | None) -> dict[str, Any]:
    """Where the CLI says that the conversation stands."""
    return {"type": "last-prompt", "lastPrompt": "…", "leafUuid": leaf, "sessionId": "s"}
