"""Which conversation a session goes on with: found on the disk before the CLI is started, so that it can be owned.

2.1.197 looks for an id in the folder of the workspace alone (12_resume_other_cwd), and neither version says whether
``--continue`` found one, or which conversation a title is of. Both take the path of a file (12_resume_file), wherever
it lies: they go on with the conversation whose id its last entry bears, in a file of that id in the same folder.
"""

from __future__ import annotations

import os
import re
import uuid
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from bascule.errors import HistoryError, ResumeFailed
from bascule.history.listing import sessions
from bascule.history.stored import holder
from bascule.session.options import Options
from bascule.transport.projects import belongs, is_id, is_session_file, newest_first, project_folders
from bascule.wire.prose import NO_MESSAGE

_PROMPT: Final = re.compile(rb'"type": ?"user"')
_HEAD: Final = 2**20
"""Bytes in which a file that holds a conversation has its first prompt: one may begin with an image."""
_LISTS: Final = "`claude --resume` lists those that there are"


def settled(options: Options, env: Mapping[str, str]) -> Options:
    """``options`` with the one conversation that they mean: an id of ours for a new one, or which one to resume.

    ``env`` is that of the CLI. Looks at files: call it in a thread. Raises ``ResumeFailed`` for a title or a file that
    leads to no conversation, or not to one. Whether there is one of an id, the CLI says.
    """
    config, home = _config(env), os.path.realpath(options.cwd)
    if options.continue_last:
        newest = _newest(config, home)
        options = replace(options, continue_last=False, resume=newest, fork=options.fork and newest is not None)
    elif options.resume is not None:
        options = replace(options, resume=_meant(options.resume.strip(), options, config, home))
    new = options.fork or options.resume is None
    return replace(options, session_id=str(uuid.uuid4())) if new and options.session_id is None else options


def conversation(options: Options) -> str | None:
    """The id of the conversation that a session of settled ``options`` writes to; None: they resume without an id."""
    if options.session_id is not None or options.resume is None:
        return options.session_id
    name = Path(options.resume).stem
    return name if is_id(name) else None


def refusal(options: Options, env: Mapping[str, str], said: str) -> tuple[str, str]:
    """Why the CLI did not resume what settled ``options`` name, as in ``ResumeFailed``: the message and the reason.

    ``said``: what it wrote on stderr. Looks at files: call it in a thread.
    """
    asked = f"resume is {options.resume!r}"
    if NO_MESSAGE in said:
        at = f"resume_at is {options.resume_at!r}"
        return f"{at}: that conversation has no such message to go on from ({asked})", "message"
    if _lies(options.resume or "", _config(env)):
        return f"{asked}: its file is there, and nothing was said in it that can be read", "empty"
    return f"{asked}: there is no such conversation; {_LISTS}", "missing"


def _config(env: Mapping[str, str]) -> Path:
    return Path(env.get("CLAUDE_CONFIG_DIR") or Path(env.get("HOME", "~"), ".claude")).expanduser()


def _newest(config: Path, home: str) -> str | None:
    """Of the workspace; a file without a prompt, such as a title alone, is no conversation."""
    return next((path.stem for path in newest_first(config, home) if _has_prompt(path)), None)


def _has_prompt(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return _PROMPT.search(file.read(_HEAD)) is not None
    except OSError:
        return False


def _meant(asked: str, options: Options, config: Path, home: str) -> str:
    """The id, or the path of its file where that lies in no folder of the workspace."""
    if asked.lower().endswith(".jsonl"):
        return _checked(Path(options.cwd, asked), config, forks=options.fork)
    session = asked if is_id(asked) else _titled(asked, config, home)
    found = _files(session, config)
    if not found or any(belongs(home, path.parent.name) for path in found):
        return session
    return _checked(found[0], config, forks=options.fork)


def _files(session: str, config: Path) -> list[Path]:
    name = f"{session.lower()}.jsonl"
    return [path for path in newest_first(config, None) if path.name.lower() == name]


def _lies(resume: str, config: Path) -> bool:
    return bool(_files(resume, config)) if is_id(resume) else _is_file(Path(resume))


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # a name that is too long
        return False


def _titled(title: str, config: Path, home: str) -> str:
    """The id of the one conversation with this title, as the CLI compares them; those of the workspace come first."""
    for cwd in (home, None):
        found = {
            session.id: session
            for session in sessions(config, cwd)
            if (session.title or "").strip().lower() == title.lower()
        }
        if len(found) > 1:
            raise ResumeFailed(
                f"resume is {title!r}, the title of {len(found)} conversations: give the id of one of them:"
                f" {', '.join(found)}",
                reason="ambiguous",
            )
        if found:
            return next(iter(found))
    raise ResumeFailed(f"resume is {title!r}: no conversation has this id, title or file; {_LISTS}")


def _checked(file: Path, config: Path, *, forks: bool) -> str:
    """The file to resume. Without a fork the CLI would go on with a copy where nobody looks for it."""
    path = Path(os.path.realpath(file))
    if not _is_file(path):
        raise ResumeFailed(f"resume is {str(file)!r}: there is no such file; {_LISTS}")
    if forks:
        return str(path)
    try:
        session = holder(path)
    except HistoryError as exc:
        raise ResumeFailed(f"resume is {str(file)!r}: {exc}") from exc
    kept = is_session_file(path.name) and any(map(path.parent.samefile, project_folders(config)))
    if session is None and not kept:
        raise ResumeFailed(f"resume is {str(file)!r}: nothing was said in it that can be read", reason="empty")
    if not kept or (session is not None and session.lower() != path.stem.lower()):
        raise ResumeFailed(
            f"resume is {str(file)!r}, a copy of the conversation {session}: give fork=True as well, else what is said"
            " would be written into another file, and whoever resumes by the id would not know of it",
            reason="copy",
        )
    return str(path)
