"""What to start, and what is said when it cannot be started."""

from __future__ import annotations

import errno
from collections.abc import Mapping
from pathlib import Path

import msgspec

from bascule.errors import BasculeError, CliNotFound, OptionError, StartFailed


class Launch(msgspec.Struct, frozen=True):
    """One process to be."""

    argv: tuple[str, ...]
    """The program's path first."""
    env: Mapping[str, str]
    """Its whole environment: nothing is inherited."""
    cwd: str


def refusal(launch: Launch, exc: OSError | ValueError) -> BasculeError:
    """The error to raise when starting ``launch`` raised ``exc``: which of its values is wrong, and what to do."""
    program = launch.argv[0]
    if isinstance(exc, ValueError):
        return OptionError(f"{program} cannot be started with these arguments: {exc}")
    if exc.filename == launch.cwd or not Path(launch.cwd).is_dir():
        return OptionError(f"the working directory {launch.cwd} cannot be entered ({_reason(exc)}): name another")
    match exc.errno:
        case errno.ENOENT if not Path(program).exists():
            return CliNotFound(f"there is no program {program}: install Claude Code, or name its path", (program,))
        case errno.ENOENT:
            hint = "the interpreter that its first line names does not exist: install Claude Code anew"
        case errno.EACCES:
            hint = "allow it to be executed (chmod +x), or name another path"
        case errno.ENOEXEC:
            hint = "it is no program for this machine: install the Claude Code of this platform"
        case errno.E2BIG:
            hint = "put long values (MCP servers, settings, system prompts) into files"
        case _:
            hint = "see whether it runs by hand"
    return StartFailed(f"{program} cannot be started ({_reason(exc)}): {hint}")


def _reason(exc: OSError) -> str:
    return exc.strerror or str(exc)
