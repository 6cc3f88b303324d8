"""What all sessions of one hub share, as a value. Made by the hub."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from bascule.conversation import Placed
from bascule.events import AnyEvent
from bascule.hub.admission import Admission
from bascule.hub.claims import Claims
from bascule.hub.processes import Processes
from bascule.hub.settings import Settings
from bascule.store.store import Store


class House(NamedTuple):
    """Where a session is kept, what it runs in, and who is told of it."""

    store: Store
    processes: Processes
    admission: Admission
    claims: Claims
    settings: Settings
    placed: Callable[[Sequence[Placed]], None]
    """Of lasting events."""
    passed: Callable[[AnyEvent], None]
    """Of passing ones."""
