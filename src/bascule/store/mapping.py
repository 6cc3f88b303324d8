"""Rows of tables as the structs of ``rows.py``: columns have the fields' names, and some hold JSON."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from typing import Any, Final, TypeVar

import msgspec

R = TypeVar("R", bound=msgspec.Struct)

JSON: Final = frozenset(
    ("spec", "keeper", "exit", "body", "rules", "decision", "request", "complete", "prompt", "receipt")
)
"""Columns that hold JSON, in whichever table."""


def written(row: msgspec.Struct) -> dict[str, Any]:
    """``row`` as the columns take it."""
    plain: dict[str, Any] = msgspec.structs.asdict(row)
    return {
        name: value if value is None or name not in JSON or isinstance(value, bytes) else encoded(value)
        for name, value in plain.items()
    }


def encoded(value: Any) -> str:
    """``value`` as a JSON column takes it."""
    return msgspec.json.encode(value).decode()


def read(kind: type[R], row: sqlite3.Row) -> R:
    """The struct of a row. Raises ``msgspec.ValidationError`` for what another program wrote."""
    return msgspec.convert(_plain(row), kind, strict=False, str_keys=False)


def _plain(row: sqlite3.Row) -> Mapping[str, Any]:
    return {
        name: msgspec.json.decode(value) if name in JSON and isinstance(value, str) else value
        for name, value in zip(row.keys(), tuple(row), strict=True)
    }


def upsert(db: sqlite3.Connection, table: str, row: msgspec.Struct, *, key: str) -> None:
    """Put ``row`` into ``table`` in place of the one of its ``key``; what belongs to that one stays."""
    columns = written(row)
    names, places = ", ".join(columns), ", ".join(f":{name}" for name in columns)
    changes = ", ".join(f"{name} = excluded.{name}" for name in columns if name != key)
    db.execute(f"INSERT INTO {table} ({names}) VALUES ({places}) ON CONFLICT ({key}) DO UPDATE SET {changes}", columns)
