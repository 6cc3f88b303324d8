"""That a CLI was shown to ask before it writes, where a session is to depend on that.

Who shows it stands above this room, since it opens a session itself; see ``bascule.proven``.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

from bascule.errors import CliVersionRefused
from bascule.session.options import Options, policy_of


class Prove(Protocol):
    """Shows that a CLI asks, or believes what was shown before."""

    async def __call__(self, cli: Path, env: Mapping[str, str], cwd: Path) -> str:
        """The version that was shown to ask. ``env`` and ``cwd`` are the session's.

        Raises ``CliVersionRefused`` for a CLI that does not ask, or of which that could not be shown.
        """
        ...


async def proven(prove: Prove | None, options: Options, cli: Path, env: Mapping[str, str], cwd: Path) -> str | None:
    """The version that ``prove`` tells; None where nothing depends on it: the CLI governs, or it is not wanted."""
    if prove is None or options.unproven or not policy_of(options).governs:
        return None
    return await prove(cli, env, cwd)


def compare(proven: str | None, told: str | None) -> None:
    """Raises ``CliVersionRefused`` when another version was started than the one that was proven."""
    if proven is not None and told is not None and proven != told:
        raise CliVersionRefused(
            f"Claude Code {proven} was shown to ask, and {told} was started: name the program behind the starter"
            " with cli, or start it untested with unproven=True",
            told,
        )
