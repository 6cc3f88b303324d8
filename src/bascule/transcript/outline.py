"""The plan as the model wrote it out in its reply, from when a person asked for that to the next decision on it."""

from __future__ import annotations

from bascule.events import MessageChunk, Reasoning
from bascule.recording import Decided, Expired, Judged


class Outline:
    """Whether a plan is to be written out first, and what was written since."""

    def __init__(self) -> None:
        self._texts: list[str] | None = None
        self.refusals = 0
        """How often the model asked before it was written, and was sent back by us."""

    @property
    def text(self) -> str | None:
        """What the main thread said since; None: nobody asked for an outline, or the plan was decided about."""
        return None if self._texts is None else "\n\n".join(self._texts)

    def decided(self, note: Decided | Expired | Judged | None) -> None:
        """A plan was answered. A denial of ours, which sends the model back to writing, ends nothing."""
        match note:
            case Decided(outlines=True):
                self._texts, self.refusals = [], 0
            case Judged(verdict="deny"):
                self.refusals += 1
            case _:
                self._texts = None

    def wrote(self, told: list[MessageChunk | Reasoning]) -> None:
        """The main thread said something, whole."""
        if self._texts is not None:
            self._texts += [chunk.text for chunk in told if isinstance(chunk, MessageChunk)]

    def process_began(self) -> None:
        """Another process knows of no outline."""
        self._texts = None
