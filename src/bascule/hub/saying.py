"""How a prompt is said once: it is written, and was not lost on the way when it stands in the recording."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Collection
from contextlib import suppress
from typing import Final

from bascule.commands import Prompt
from bascule.errors import LocalProtocolError, SessionClosed
from bascule.ids import PromptId
from bascule.session.session import Session

log = logging.getLogger("bascule.hub")

RECORDED_S: Final = 600.0
"""How long a prompt may take to be recorded and stored: milliseconds, or as long as the store is full or locked. A
recording that is full for long may hide it for ever."""


async def say(session: Session, prompt: Prompt, said: Callable[[], Collection[PromptId | None]]) -> bool:
    """Write ``prompt``, if ``said`` does not tell of it, and return once it does. False when the process has ended
    without it: then somebody must say it to the next one."""
    if prompt.prompt_id in said():
        return True
    try:
        await session.prompt(
            prompt.text,
            attachments=prompt.attachments,
            when=prompt.when,
            query=prompt.query,
            with_reason=prompt.with_reason,
            prompt_id=prompt.prompt_id,
            by=prompt.by,
            surface=prompt.surface,
        )
    except SessionClosed:
        return False
    except LocalProtocolError:
        log.info("prompt %s was said before", prompt.prompt_id)
        return True
    return await _is_recorded(session, prompt, said)


async def _is_recorded(session: Session, prompt: Prompt, said: Callable[[], Collection[PromptId | None]]) -> bool:
    """What was only sent is lost with a keeper that is killed, however soon after."""
    with suppress(TimeoutError):
        async with asyncio.timeout(RECORDED_S):
            while prompt.prompt_id not in said() and not session.ended:
                await session.stirs()
            return prompt.prompt_id in said()
    log.warning("nobody knows whether prompt %s of %s was recorded", prompt.prompt_id, session.id)
    return True
