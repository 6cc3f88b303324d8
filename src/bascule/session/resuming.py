"""Which conversation a session goes on with: found on the disk before the CLI is started, so that it can be owned.

2.1.197 looks for an id in the folder of the workspace alone (12_resume_other_cwd), and neither version says whether
``--continue`` found one. Both take the path of a file (12_resume_file), wherever it lies.
"""

from __future__ import annotations

import os
import re
import uuid
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from bascule.session.options import Options
from bascule.transport.projects import belongs, is_id, newest_first

_PROMPT: Final = re.compile(rb'"type": ?"user"')
_HEAD: Final = 2**20
"""Bytes in which a file that holds a conversation has its first prompt: one may begin with an image."""


def settled(options: Options, env: Mapping[str, str]) -> Options:
    """``options`` with the one conversation that they mean: an id of ours for a new one, or which one to resume.

    ``env`` is that of the CLI. Looks at files: call it in a thread.
    """
    config = Path(env.get("CLAUDE_CONFIG_DIR") or Path(env.get("HOME", "~"), ".claude")).expanduser()
    home = os.path.realpath(options.cwd)
    if options.continue_last:
        newest = _newest(config, home)
        options = replace(options, continue_last=False, resume=newest, fork=options.fork and newest is not None)
    elif options.resume is not None and is_id(options.resume):
        options = replace(options, resume=_reachable(options.resume, config, home))
    new = options.fork or options.resume is None
    return replace(options, session_id=str(uuid.uuid4())) if new and options.session_id is None else options


def conversation(options: Options) -> str | None:
    """The id of the conversation that a session of ``options`` writes to; None: that of a file that does not tell."""
    if options.session_id is not None or options.resume is None:
        return options.session_id
    name = Path(options.resume).stem
    return name if is_id(name) else None


def _newest(config: Path, home: str) -> str | None:
    """Of the workspace; a file without a prompt, such as a title alone, is no conversation."""
    return next((path.stem for path in newest_first(config, home) if _has_prompt(path)), None)


def _has_prompt(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return _PROMPT.search(file.read(_HEAD)) is not None
    except OSError:
        return False


def _reachable(resume: str, config: Path, home: str) -> str:
    """The id, or the path of its file where that lies in no folder of the workspace."""
    name = f"{resume.lower()}.jsonl"
    found = [path for path in newest_first(config, None) if path.name.lower() == name]
    if not found or any(belongs(home, path.parent.name) for path in found):
        return resume
    return str(found[0])
