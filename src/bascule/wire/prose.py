"""Words in the CLI's messages that mean more than their text: who made one up, what was typed, and what it printed."""

import re
from typing import Final

from bascule.wire.blocks import Block, Text
from bascule.wire.messages import Assistant

SYNTHETIC: Final = "<synthetic>"
"""``message.model`` of an assistant line that no model wrote: slash commands and API errors (18_*, 19_*)."""

_PRINTED: Final = re.compile(r"<local-command-stdout>(.*?)</local-command-stdout>", re.DOTALL)
_COMMAND: Final = re.compile(r"<command-name>(.*?)</command-name>(?:.*?<command-args>(.*?)</command-args>)?", re.DOTALL)

INTERRUPTED: Final = "[Request interrupted by user"
"""How the text begins that stands for an interrupt in the conversation (10_*)."""

NOTIFICATION: Final = "<task-notification>"
"""How the text begins that tells the model of the end of a background task; in session files, not on stdout."""

NO_MESSAGE: Final = "No message found with message.uuid"
"""On stderr, and in the result, where a resume names a message that the conversation has not (12_resume_at_bad)."""


def is_synthetic(message: Assistant) -> bool:
    """Whether the CLI made the message up; a resume cannot start at it."""
    return message.message.model == SYNTHETIC


def text_of(content: str | tuple[Block, ...]) -> str:
    """The texts of a message's content, a line each."""
    if isinstance(content, str):
        return content
    return "\n".join(block.text for block in content if isinstance(block, Text))


def printed(text: str) -> str:
    """What a slash command printed, out of the echo that carries it (19_compact); empty for any other text."""
    return "\n".join(found.strip() for found in _PRINTED.findall(text)).strip()


def command(text: str) -> str:
    """The slash command in the text that keeps it, as it was typed; empty for any other text."""
    found = _COMMAND.search(text)
    return f"{found[1]} {found[2] or ''}".strip() if found else ""
