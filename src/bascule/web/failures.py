"""How often somebody was wrong: whoever guesses is slowed down. Time is an argument."""

from __future__ import annotations

from typing import Final

ALLOWED: Final = 5
"""Wrong guesses of one address within the time below; after that even a right one is not looked at."""
WITHIN_MS: Final = 60_000
ADDRESSES: Final = 10_000
"""Beyond that the oldest is forgotten: memory is not for whoever has many addresses."""


class Failures:
    """Wrong guesses, by address."""

    def __init__(self, *, allowed: int = ALLOWED, within_ms: int = WITHIN_MS) -> None:
        self._allowed = allowed
        self._within_ms = within_ms
        self._at: dict[str, list[int]] = {}

    def wait_ms(self, address: str, now: int) -> int:
        """How long until this address may try again; 0: it may."""
        recent = self._recent(address, now)
        return recent[-self._allowed] + self._within_ms - now if len(recent) >= self._allowed else 0

    def count(self, address: str, now: int) -> None:
        """It was wrong."""
        self._at[address] = [*self._recent(address, now), now][-self._allowed :]
        while len(self._at) > ADDRESSES:
            del self._at[next(iter(self._at))]

    def forgive(self, address: str) -> None:
        """It was right."""
        self._at.pop(address, None)

    def _recent(self, address: str, now: int) -> list[int]:
        return [at for at in self._at.get(address, ()) if now - at < self._within_ms]
