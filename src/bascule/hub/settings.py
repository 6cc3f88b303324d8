"""How a hub is run, as one frozen value."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import msgspec

from bascule.hub.admission import RESERVE_MB
from bascule.hub.projects import Place
from bascule.hub.retention import Limits
from bascule.hub.watching import SILENCE_S
from bascule.session.options import Options
from bascule.store.grants import Grants


class Local(NamedTuple):
    """What holds in a workspace."""

    options: Options
    notice: str | None = None
    """What it says of itself and does not count."""


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """What holds for all sessions of a hub."""

    options: Options = Options()
    """What a session is opened with where its start says nothing else."""
    local: Callable[[Place, str | None], Local] | None = None
    """What holds in place of ``options`` in a workspace, which may have a configuration of its own, under a policy that
    is settled or not. Reads files, anew for each process: called in a thread. None: ``options`` hold everywhere."""
    grants: Grants | None = None
    """Keeps what a person allows for a project, or for himself; None: such scopes are refused."""
    idle_sleep_s: float | None = 600.0
    """The process of a session at rest is ended after so long, and the next prompt wakes it; None: it stays."""
    max_live: int | None = None
    """Sessions that may have a process at once; None: as many as the memory allows."""
    memory_reserve_mb: int = RESERVE_MB
    """What a session is expected to need."""
    queue_limit: int = 20
    """Prompts that may wait in one session."""
    silence_warn_s: float = SILENCE_S
    """A turn that says nothing for so long, and nobody knows why, is told of."""
    limits: Limits = Limits()
    """How much of the past is kept."""
    look_every_s: float = 5.0
    """How often an owner looks at its session without being told to."""
    checkpoint_lines: int = 2000
    """Lines of a recording that are read again at most by a hub that comes back."""
