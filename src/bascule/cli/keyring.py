"""The keys of a server, as a store keeps them: the port of `web`, on the tables of `store`."""

from __future__ import annotations

import msgspec
from msgspec.structs import replace

from bascule.store.rows import AuditRow, TokenRow
from bascule.store.store import Store
from bascule.web.keys import Deed, Key


class Keyring:
    """Implements `web.keys.Keys`."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def put(self, key: Key) -> None:
        """As `Keys.put`."""
        await self._store.put_token(msgspec.convert(key, TokenRow, from_attributes=True))

    async def find(self, hash: str) -> Key | None:
        """As `Keys.find`."""
        row = await self._store.token_of(hash)
        return None if row is None else _key(row)

    async def list(self) -> tuple[Key, ...]:
        """As `Keys.list`."""
        return tuple(_key(row) for row in await self._store.tokens())

    async def revoke(self, key_id: str, at: int) -> bool:
        """As `Keys.revoke`."""
        row = next((row for row in await self._store.tokens() if row.id == key_id), None)
        if row is not None and row.revoked_at is None:
            await self._store.put_token(replace(row, revoked_at=at))
        return row is not None

    async def record(self, deed: Deed) -> None:
        """As `Keys.record`."""
        await self._store.record(msgspec.convert(deed, AuditRow, from_attributes=True))


def _key(row: TokenRow) -> Key:
    return msgspec.convert(row, Key, from_attributes=True)
