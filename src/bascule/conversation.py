"""The port that a surface speaks to: events out, commands in.

A session implements it for itself, the hub for many. A surface that knows this file needs to know neither.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Protocol

from bascule.commands import AnyCommand, Receipt
from bascule.events import AnyEvent


class Conversation(Protocol):
    """One conversation with the CLI, live or replayed."""

    def events(self, after: int = 0) -> AsyncIterator[AnyEvent]:
        """All lasting events with ``seq > after`` in order, then what happens, passing events included.

        Ends when the session has ended. Any number of readers, each at its own pace: one that is too slow loses passing
        events only, and nobody waits for it.
        """
        ...

    async def send(self, command: AnyCommand) -> Receipt:
        """Carry ``command`` out. The same ``command_id`` again gives the same receipt and does nothing."""
        ...
