"""Codes that bring a phone in: short, so that they can be typed; once, and for two minutes. Time is an argument."""

from __future__ import annotations

import secrets
from typing import Final

import msgspec

from bascule.web.keys import Role

LETTERS: Final = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"
"""None that is taken for another."""
LENGTH: Final = 8
LIFE_MS: Final = 120_000
AT_ONCE: Final = 5
GUESSES: Final = 20
"""Wrong codes from whomever, after which all that are open are withdrawn: 20 guesses at 40 bits."""


class Pairing(msgspec.Struct, frozen=True, kw_only=True):
    """A code that waits for its phone."""

    code: str
    role: Role
    label: str = ""
    expires_at: int
    """UTC ms."""


class Pairings:
    """The codes that are open."""

    def __init__(self) -> None:
        self._open: dict[str, Pairing] = {}
        self._wrong = 0

    def make(self, role: Role, label: str, now: int) -> Pairing:
        """A new code. When too many are open, the oldest is withdrawn."""
        code = "".join(secrets.choice(LETTERS) for _ in range(LENGTH))
        pairing = Pairing(code=code, role=role, label=label, expires_at=now + LIFE_MS)
        self._open[code] = pairing
        self._wrong = 0
        while len(self._open) > AT_ONCE:
            del self._open[next(iter(self._open))]
        return pairing

    def take(self, code: str, now: int) -> Pairing | None:
        """What the code was made for, once; None: it is wrong, used, or too old. Spaces and dashes do not count."""
        pairing = self._open.pop(plain(code), None)
        if pairing is not None and now < pairing.expires_at:
            return pairing
        self._wrong += 1
        if self._wrong >= GUESSES:
            self._open.clear()
        return None


def plain(code: str) -> str:
    """As it was made, however it was typed."""
    return "".join(code.split()).replace("-", "").upper()


def shown(code: str) -> str:
    """In halves, to be read out."""
    return f"{code[: LENGTH // 2]}-{code[LENGTH // 2 :]}"
