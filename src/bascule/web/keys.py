"""Keys to a hub, as values, and the port of where they are kept. A secret is known to its owner alone; kept is its
hash."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from typing import Final, Literal, Protocol, TypeAlias

import msgspec

from bascule.ids import SessionId

Role: TypeAlias = Literal["viewer", "approver", "owner"]
"""A viewer sees, an approver decides and says prompts as well, an owner may do all."""

RANK: Final[dict[Role, int]] = {"viewer": 0, "approver": 1, "owner": 2}

SECRET_BYTES: Final = 32
ID_BYTES: Final = 4


class Key(msgspec.Struct, frozen=True, kw_only=True):
    """A key to the hub. Times are UTC ms."""

    id: str
    """``a1b2c3d4``; a browser's is made from the key that it came with, and bears its id: ``a1b2c3d4.e5f6a7b8``."""
    hash: str
    role: Role
    label: str = ""
    """Who or what holds it: the name that decisions carry."""
    created_at: int
    expires_at: int | None = None
    used_at: int | None = None
    revoked_at: int | None = None

    @property
    def holder(self) -> str:
        """Who did it, in an audit."""
        return self.label or self.id

    def holds(self, now: int) -> bool:
        """Whether it opens anything at this time."""
        return self.revoked_at is None and (self.expires_at is None or now < self.expires_at)

    def comes_from(self, key_id: str) -> bool:
        """Whether it is that key, or was made from it."""
        return self.id == key_id or self.id.startswith(f"{key_id}.")


class KeyFacts(msgspec.Struct, frozen=True, kw_only=True):
    """A key without its secret. Times are UTC ms."""

    id: str
    role: Role
    label: str
    created_at: int
    expires_at: int | None
    used_at: int | None
    revoked_at: int | None


class NewKey(msgspec.Struct, frozen=True, kw_only=True):
    """A key to be made."""

    role: Role
    label: str = ""
    expires_at: int | None = None
    """UTC ms; null: when it is revoked."""


class MadeKey(msgspec.Struct, frozen=True, kw_only=True):
    """A key that was made."""

    key: KeyFacts
    token: str
    """Its secret: it is told this once."""


class NewPairing(msgspec.Struct, frozen=True, kw_only=True):
    """A phone that is to come in."""

    role: Role = "approver"
    label: str = "phone"


class PairingCode(msgspec.Struct, frozen=True, kw_only=True):
    """What is typed, or scanned, on the phone."""

    code: str
    url: str
    expires_at: int


class Deed(msgspec.Struct, frozen=True, kw_only=True):
    """Who did what, from where: a line of the audit."""

    at: int
    what: str
    """``login``, ``login_failed``, ``logout``, ``refused``, ``key_made``, ``key_revoked``, or a command's ``type``."""
    who: str | None = None
    surface: str | None = None
    session: SessionId | None = None
    detail: str | None = None


class Keys(Protocol):
    """Where keys are kept, and what was done with them."""

    async def put(self, key: Key) -> None:
        """Keep ``key`` in place of the one of its id."""
        ...

    async def find(self, hash: str) -> Key | None:
        """The key whose secret has this hash, also one that opens nothing any more."""
        ...

    async def list(self) -> tuple[Key, ...]:
        """All, in the order they were made."""
        ...

    async def revoke(self, key_id: str, at: int) -> bool:
        """It opens nothing from now on; False: there is no such key. Twice is once."""
        ...

    async def record(self, deed: Deed) -> None:
        """Write who did what; it is never changed."""
        ...


def new_secret() -> str:
    """256 bits, fit for a URL."""
    return secrets.token_urlsafe(SECRET_BYTES)


def new_id() -> str:
    """Short enough to be typed."""
    return secrets.token_hex(ID_BYTES)


def hash_of(secret: str) -> str:
    """What is kept of a secret. It has too many bits to be guessed, so a plain hash will do."""
    return hashlib.sha256(secret.encode()).hexdigest()


def csrf_of(secret: str) -> str:
    """What a page that holds the cookie sends as a header as well. Another site's page can neither read nor make it."""
    return hmac.new(secret.encode(), b"bascule csrf", hashlib.sha256).hexdigest()[:32]


def facts_of(key: Key) -> KeyFacts:
    """The key as others may see it."""
    return KeyFacts(
        id=key.id,
        role=key.role,
        label=key.label,
        created_at=key.created_at,
        expires_at=key.expires_at,
        used_at=key.used_at,
        revoked_at=key.revoked_at,
    )
