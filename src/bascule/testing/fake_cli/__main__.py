"""``python -m bascule.testing.fake_cli``: the CLI's command line, and the model at ``ANTHROPIC_BASE_URL``.

The variable ``BASCULE_FAKE_VERSION`` is the version that it is; the newest one unless it says otherwise.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import msgspec

from bascule.testing.fake_cli import flags, history
from bascule.testing.fake_cli.flags import Flags, Refused
from bascule.testing.fake_cli.history import Entry, History
from bascule.testing.fake_cli.host import Host
from bascule.testing.fake_cli.program import Out, Program, failed_start, refuse
from bascule.testing.fake_cli.rights import Rights
from bascule.testing.fake_cli.said import Lines, new_uuid
from bascule.testing.fake_cli.talk import Talk
from bascule.testing.fake_cli.tools import Files, Shell
from bascule.testing.fake_cli.usage import Count, Ledger
from bascule.testing.fake_cli.versions import NEWEST, VERSIONS, Version

VERSION: Final = "BASCULE_FAKE_VERSION"
_NO_TITLE: Final = (
    "Error: --resume requires a valid session ID or session title when used with --print. Usage: claude -p --resume"
    " <session-id|title>{more}"
)


class Past(msgspec.Struct, frozen=True, kw_only=True):
    """What a session goes on from."""

    session_id: str
    file: Path
    """Where it is kept from now on."""
    entries: list[Entry] = []
    used: dict[str, Count] = {}
    anew: bool = False
    """The file does not hold what it goes on from: it is another session's copy, or was cut."""
    error: str | None = None
    """Why it cannot go on."""


def main(argv: Sequence[str], env: Mapping[str, str]) -> int:
    """The exit code of one run."""
    version = VERSIONS.get(env.get(VERSION, NEWEST))
    if version is None:
        return refuse(f"fake claude: {VERSION} is one of {', '.join(VERSIONS)}, not {env[VERSION]!r}")
    root, sandboxed = os.geteuid() == 0, env.get("IS_SANDBOX") == "1"
    try:
        given = flags.read(argv, version, root=root, sandboxed=sandboxed)
    except Refused as exc:
        return refuse(str(exc))
    if given.version:
        sys.stdout.write(f"{version.number} (Claude Code)\n")
        return 0
    if os.isatty(0):
        return refuse("Error: Input must be provided either through stdin or as a prompt argument when using --print")
    return _talked(given, version, env)


def _talked(given: Flags, version: Version, env: Mapping[str, str]) -> int:
    config = _config(env)
    if given.session_id is not None and _file(config, given.session_id).is_file():
        return refuse(f"Error: Session ID {given.session_id} is already in use.")
    past = _past(given, version, config)
    out = Out()
    talk = _talk(given, version, env, past, out)
    if past.error is not None:
        out.complain(past.error)
        out.say(failed_start(talk, past.error))
        out.flush()
        return 1
    code = asyncio.run(Program(talk, out).run())
    out.flush()
    return code


def _config(env: Mapping[str, str]) -> Path:
    return Path(env.get("CLAUDE_CONFIG_DIR") or Path(env.get("HOME", "/"), ".claude"))


def _file(config: Path, session_id: str) -> Path:
    return history.folder(config, Path.cwd()) / f"{session_id}.jsonl"


def _past(given: Flags, version: Version, config: Path) -> Past:
    own = given.session_id or new_uuid()
    if given.resume is not None:
        file = history.found(config, Path.cwd(), given.resume, anywhere=version.resumes_anywhere)
        if file is None:
            named = given.resume if flags.is_uuid(given.resume) else own
            return Past(session_id=named, file=_file(config, named), error=_not_found(given.resume))
    else:
        file = history.newest(config, Path.cwd()) if given.continue_ else None
    return Past(session_id=own, file=_file(config, own)) if file is None else _gone_on(given, config, file, own)


def _gone_on(given: Flags, config: Path, file: Path, own: str) -> Past:
    """From the session in ``file``: the whole of it or up to a message, itself or a copy under an id of its own."""
    entries, used = history.load(file)
    at = given.resume_session_at
    kept = entries if at is None else history.cut_after(entries, at)
    if kept is None:
        return Past(session_id=file.stem, file=file, error=f"No message found with message.uuid of: {at}")
    copied = given.fork_session
    return Past(
        session_id=own if copied else file.stem,
        file=_file(config, own) if copied else file,
        entries=kept,
        used=used,
        anew=copied or at is not None,
    )


def _not_found(name: str) -> str:
    if flags.is_uuid(name):
        return f"No conversation found with session ID: {name}"
    wrong = f'. Provided value "{name}" is not a UUID and does not match any session title.' if name else ""
    return _NO_TITLE.format(more=wrong)


def _talk(given: Flags, version: Version, env: Mapping[str, str], past: Past, out: Out) -> Talk:
    cwd, config = Path.cwd(), _config(env)
    bypass = given.dangerously_skip_permissions
    rights = Rights(
        cwd=cwd,
        config=config,
        mode="bypassPermissions" if bypass else given.permission_mode,
        may_ask=given.permission_prompt_tool == "stdio",
        bypass_launched=bypass
        or given.permission_mode == "bypassPermissions"
        or given.allow_dangerously_skip_permissions,
    )
    rights.load(given.allowed_tools)
    file = None if given.no_session_persistence else past.file
    return Talk(
        version=version,
        flags=given,
        cwd=cwd,
        env=env,
        lines=Lines(version=version, session_id=past.session_id),
        rights=rights,
        history=History(file, past.entries, anew=past.anew),
        ledger=Ledger(by_model=dict(past.used) if version.cost_goes_on else {}),
        host=Host(out.say),
        files=Files(cwd=cwd, must_be_read=not version.tells_prompts),
        shell=Shell(cwd=cwd),
        say=out.say,
        complain=out.complain,
        model=given.model or version.model,
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], os.environ))
