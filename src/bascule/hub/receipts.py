"""What commands were answered with, so that one that comes again does nothing again.

A receipt is told though the store has no room for it: what it tells of has been done. It is then known as long as the
hub lives, and kept as soon as there is room.
"""

from __future__ import annotations

import logging
import time

from bascule.commands import Receipt
from bascule.errors import StoreError
from bascule.ids import CommandId
from bascule.store.store import Store

log = logging.getLogger("bascule.hub")


class Receipts:
    """Those of a hub and of all that were before it."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._unkept: dict[CommandId, Receipt] = {}

    async def of(self, command_id: CommandId) -> Receipt | None:
        """The receipt of that command; None: it was not carried out. Raises ``StoreError``."""
        return self._unkept.get(command_id) or await self._store.receipt(command_id)

    async def keep(self, command_id: CommandId, receipt: Receipt) -> None:
        """Keep it; the first one of a command stays."""
        self._unkept.setdefault(command_id, receipt)
        try:
            for waiting, said in [*self._unkept.items()]:
                await self._store.put_receipt(waiting, said, at=int(time.time() * 1000))
                self._unkept.pop(waiting, None)
        except StoreError as exc:
            log.warning("%d receipts wait for the store: %s", len(self._unkept), exc)
