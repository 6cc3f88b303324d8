"""Where a running server left word of itself for its owner's programs on this machine; needs no extra."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import msgspec

FILE: Final = "hub.json"


class Address(msgspec.Struct, frozen=True, kw_only=True):
    """Where it is, and an owner's key to it that ends with it: so the file is for its owner alone."""

    url: str
    """On this machine."""
    token: str
    pid: int
    certificate: str | None = None
    """The file of the certificate that it shows, whatever name that is for."""


@contextmanager
def announced(folder: Path, address: Address) -> Iterator[None]:
    """While the block runs, ``folder`` tells the address. Another server's word that took its place stays."""
    path = folder / FILE
    new = folder / f"{FILE}.{address.pid}"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    new.unlink(missing_ok=True)
    with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(msgspec.json.encode(address))
    new.replace(path)
    try:
        yield
    finally:
        if find(folder) == address:
            path.unlink(missing_ok=True)


def find(folder: Path) -> Address | None:
    """The address that ``folder`` tells. The server may be gone all the same, if it was killed."""
    try:
        return msgspec.json.decode((folder / FILE).read_bytes(), type=Address)
    except (OSError, msgspec.DecodeError):
        return None
