"""The uuid at which a resume can go on: the main thread's last message that holds.

An assistant's uuid is provisional until its turn succeeds; a tool result's holds at once. A subagent's, an echo's, a
replay's and a synthetic message's never count (12_resume_at_*), and ``/clear`` starts again.
"""

from __future__ import annotations


class Uuids:
    """``last`` is the uuid that holds, None before the first."""

    def __init__(self) -> None:
        self.last: str | None = None
        self._provisional: str | None = None

    def assistant(self, uuid: str | None) -> None:
        """The main thread said something."""
        self._provisional = uuid or self._provisional

    def tool_result(self, uuid: str | None) -> None:
        """A tool of the main thread gave its result."""
        self.last = uuid or self.last
        self._provisional = None

    def turn_ended(self, *, success: bool) -> None:
        """The turn's result came."""
        if success and self._provisional is not None:
            self.last = self._provisional
        self._provisional = None

    def conversation_reset(self) -> None:
        """``/clear``: there is nothing to go on from."""
        self.last = self._provisional = None
