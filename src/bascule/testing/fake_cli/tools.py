"""The tools that run for real, in the workspace: a shell command, and files read, written and edited.

What the model is told and what the host gets as ``tool_use_result`` is worded as in 17_edit_write and 17_read_kinds.
Not here: whether a call may run.
"""

from __future__ import annotations

import asyncio
import difflib
import os
import signal
from pathlib import Path
from typing import Any, Final

import msgspec

OUTPUT_LIMIT: Final = 30_000
"""Characters of a command's output that the host gets."""

KEPT: Final = " (file state is current in your context — no need to Read it back)"
UNREAD: Final = "File has not been read yet. Read it first before writing to it."


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """How a call ended."""

    content: str
    """What the model reads."""
    result: Any
    """``tool_use_result``: an object, or a text for a failure."""
    is_error: bool | None = None
    """Null: the field is left out, as most tools do when all went well."""


def failed(words: str, *, result: str | None = None) -> Outcome:
    """A call that did not work; the model reads ``words``."""
    return Outcome(content=words, result=result or f"Error: {words}", is_error=True)


def misused(words: str, *, result: str | None = None) -> Outcome:
    """A call that the CLI itself refused, for the model to read as its own fault."""
    return Outcome(
        content=f"<tool_use_error>{words}</tool_use_error>", result=result or f"Error: {words}", is_error=True
    )


class Shell(msgspec.Struct):
    """Runs commands, each in a session of its own as the CLI does (25_pgid); ``kill`` ends those that still run."""

    cwd: Path
    running: set[int] = set()
    kills: int = 0

    async def run(self, command: str, timeout_s: float | None) -> Outcome | None:
        """The command's outcome; None when it was killed from outside."""
        kills = self.kills
        process = await asyncio.create_subprocess_exec(
            "bash", "-c", command, cwd=self.cwd, start_new_session=True,
            stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
        )  # fmt: skip
        self.running.add(process.pid)
        if self.kills != kills:
            self._kill(process.pid)  # while it started
        try:
            async with asyncio.timeout(timeout_s):
                output, _ = await process.communicate()
        except TimeoutError:
            self._kill(process.pid)
            return failed("fake claude: the command's time was over; the real CLI moves it to the background")
        if process.pid not in self.running:
            return None
        self.running.discard(process.pid)
        return _ran(output.decode("utf-8", "replace"), process.returncode or 0)

    def kill(self) -> None:
        """End every command that runs, and every one that is about to."""
        self.kills += 1
        for pid in tuple(self.running):
            self._kill(pid)

    def _kill(self, pid: int) -> None:
        self.running.discard(pid)
        try:
            os.killpg(pid, signal.SIGKILL)
        except ProcessLookupError:
            return


def _ran(output: str, code: int) -> Outcome:
    text = output.rstrip("\n")
    if code:
        words = f"Exit code {code}\n{text}".rstrip("\n")
        return failed(words)
    shown = text[:OUTPUT_LIMIT]
    result = {"stdout": shown, "stderr": "", "interrupted": False, "isImage": False, "noOutputExpected": not text}
    return Outcome(content=shown or "(Bash completed with no output)", result=result, is_error=False)


class Files(msgspec.Struct):
    """Reads and changes files below, or beside, the workspace."""

    cwd: Path
    must_be_read: bool
    """A file that was not read before is not changed (2.1.197)."""
    seen: set[Path] = set()

    def read(self, tool_input: dict[str, Any]) -> Outcome:
        """``Read``: text with its line numbers."""
        path = self.cwd / tool_input["file_path"]
        if path.is_dir():
            return failed(f"EISDIR: illegal operation on a directory, read '{path}'")
        if not path.is_file():
            return failed(f"File does not exist. Note: your current working directory is {self.cwd}.")
        self.seen.add(path)
        text = path.read_text("utf-8", "replace")
        lines = text.split("\n")
        start = int(tool_input.get("offset") or 1)
        wanted = lines[start - 1 :][: int(tool_input.get("limit") or len(lines))]
        file = {
            "filePath": str(path),
            "content": "\n".join(wanted),
            "numLines": len(wanted),
            "startLine": start,
            "totalLines": len(lines),
        }
        numbered = "\n".join(f"{number}\t{line}" for number, line in enumerate(wanted, start))
        return Outcome(content=numbered, result={"type": "text", "file": file})

    def write(self, tool_input: dict[str, Any]) -> Outcome:
        """``Write``: the whole file."""
        path, content = self.cwd / tool_input["file_path"], tool_input["content"]
        before = path.read_text("utf-8", "replace") if path.is_file() else None
        if before is not None and not self._may_change(path):
            return misused(UNREAD)
        self._put(path, content)
        result = {
            "type": "create" if before is None else "update",
            "filePath": str(path),
            "content": content,
            "structuredPatch": [] if before is None else patch(before, content),
            "originalFile": before,
            "userModified": False,
        }
        said = f"File created successfully at: {path}" if before is None else _updated(path)
        return Outcome(content=said + KEPT, result=result)

    def edit(self, tool_input: dict[str, Any]) -> Outcome:
        """``Edit``: one passage, or every one."""
        path = self.cwd / tool_input["file_path"]
        old, new, everywhere = tool_input["old_string"], tool_input["new_string"], tool_input.get("replace_all", False)
        before = path.read_text("utf-8", "replace") if path.is_file() else ""
        if before and not self._may_change(path):
            return misused(UNREAD)
        if not path.is_file() and old:
            return misused(f"File does not exist. Note: your current working directory is {self.cwd}.")
        count = before.count(old) if old else 1
        if count == 0:
            return misused(f"String to replace not found in file.\nString: {old}")
        if count > 1 and not everywhere:
            return misused(_AMBIGUOUS.format(count=count, old=old))
        after = before.replace(old, new, -1 if everywhere else 1) if old else new
        self._put(path, after)
        result = {
            "filePath": str(path),
            "oldString": old,
            "newString": new,
            "originalFile": before,
            "structuredPatch": patch(before, after),
            "userModified": False,
            "replaceAll": everywhere,
        }
        return Outcome(content=_updated(path) + KEPT, result=result)

    def _may_change(self, path: Path) -> bool:
        return not self.must_be_read or path in self.seen

    def _put(self, path: Path, text: str) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
        self.seen.add(path)


_AMBIGUOUS: Final = (
    "Found {count} matches of the string to replace, but replace_all is false. To replace all occurrences, set"
    " replace_all to true. To replace only one occurrence, please provide more context to uniquely identify the"
    " instance.\nString: {old}"
)


def _updated(path: Path) -> str:
    return f"The file {path} has been updated successfully."


def patch(before: str, after: str) -> list[dict[str, Any]]:
    """The difference as the CLI's ``structuredPatch``, with three lines around each change."""
    old, new = before.splitlines(), after.splitlines()
    hunks = []
    for group in difflib.SequenceMatcher(None, old, new, autojunk=False).get_grouped_opcodes(3):
        lines = []
        for kind, start, end, new_start, new_end in group:
            if kind == "equal":
                lines += [f" {line}" for line in old[start:end]]
            else:
                lines += [f"-{line}" for line in old[start:end]] + [f"+{line}" for line in new[new_start:new_end]]
        first, last = group[0], group[-1]
        hunks.append(
            {
                "oldStart": first[1] + 1,
                "oldLines": last[2] - first[1],
                "newStart": first[3] + 1,
                "newLines": last[4] - first[3],
                "lines": lines,
            }
        )
    return hunks
