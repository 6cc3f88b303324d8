"""Files as they were before a prompt: what the CLI keeps of each file that it edits, when asked to (checkpoints)."""

from __future__ import annotations

from typing import Final

import msgspec

from bascule.errors import RequestFailed
from bascule.ids import PromptId
from bascule.session.line import Line
from bascule.wire import answers
from bascule.wire.answers import Rewound
from bascule.wire.requests import RewindFiles

CHECKPOINTS: Final = "CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING"
"""With ``true`` in this variable the CLI keeps files; it cannot be asked to later on."""


async def rewind(line: Line, prompt_id: PromptId, *, dry_run: bool) -> Rewound:
    """What ``Session.rewind`` says. The CLI tells figures of a trial only, so there is one before each rewind."""
    trial = await _ask(line, RewindFiles(user_message_id=prompt_id, dry_run=True))
    if dry_run:
        return trial
    done = await _ask(line, RewindFiles(user_message_id=prompt_id))
    return msgspec.structs.replace(trial, skipped_links=done.skipped_links)


async def _ask(line: Line, request: RewindFiles) -> Rewound:
    told = answers.read((await line.request(request)).response, Rewound)
    if told.can_rewind is False:
        raise RequestFailed("rewind_files", told.error or "it gave no reason")
    return told
