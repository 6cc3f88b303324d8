"""The command line of the CLI (being built: only ``masked`` so far)."""

from __future__ import annotations

from collections.abc import Sequence


def masked(argv: Sequence[str]) -> tuple[str, ...]:
    """``argv`` for a recording."""
    return tuple(argv)
