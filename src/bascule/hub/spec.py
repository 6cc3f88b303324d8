"""What each process of a session is started with: everything anew each time, since the CLI remembers none of it (F43).

The workspace never changes (F40); which conversation is gone on with is told by what happened in the session.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, Final, get_type_hints

import msgspec

from bascule.commands import Start
from bascule.errors import OptionError
from bascule.hub.projects import Place
from bascule.hub.settings import Local, Settings
from bascule.ids import CommandId
from bascule.session.options import Options
from bascule.store.grants import GrantsHere
from bascule.store.rows import SessionRow

OURS: Final = frozenset(
    (
        "attended", "closed", "continue_last", "cwd", "fork", "hooks", "id", "keep_grant", "kept_grants", "mode",
        "model", "on_ask", "policy", "record", "redact", "resume", "resume_at", "sdk_servers", "session_id",
        "tool_servers",
    )
)  # fmt: skip
"""Options that a start has a field of its own for, that the hub gives, or that no JSON can say."""


class Origin(msgspec.Struct, frozen=True, kw_only=True):
    """The conversation that a session goes on with before it has one of its own."""

    resume: str
    resume_at: str | None = None
    fork: bool = False


class Spec(msgspec.Struct, frozen=True, kw_only=True):
    """What a row keeps for its processes and its hub, as JSON in ``SessionRow.spec``."""

    options: dict[str, Any] = msgspec.field(default_factory=dict)
    """As given with the start."""
    origin: Origin | None = None
    begun_by: CommandId | None = None
    """The start: sent again, it means this session."""
    resume_at: str | None = None
    """Where the next process goes on, once: everything behind is left behind."""
    quarantined: bool = False
    recording_gone: bool = False
    """It was removed, so that no process can number on from it."""
    holds_queue: bool = False
    sketch: Any = None
    """As it was when the row was written."""


def spec_of(row: SessionRow) -> Spec:
    """What ``row`` keeps. Raises ``msgspec.ValidationError`` for what another version wrote."""
    return msgspec.convert(row.spec, Spec)


def with_spec(row: SessionRow, spec: Spec) -> SessionRow:
    """``row`` with that."""
    return msgspec.structs.replace(row, spec=msgspec.to_builtins(spec))


def local_to(place: Place, settings: Settings, policy: str | None = None) -> Local:
    """What holds in a workspace for what is begun there; ``policy``: where that is settled. May read files. Raises
    ``OptionError`` where the workspace's own configuration has a mistake."""
    if settings.local is not None:
        return settings.local(place, policy)
    said = {"policy": policy or place.policy, "model": place.model}
    given = {name: value for name, value in said.items() if value is not None}
    return Local(msgspec.structs.replace(settings.options, **given))


def options_of(row: SessionRow, settings: Settings) -> Options:
    """The options of the session's next process, as ``local_of``."""
    return local_of(row, settings).options


def local_of(row: SessionRow, settings: Settings) -> Local:
    """The same, and what is to be said of them. May read files. Raises ``OptionError`` as ``Options`` does."""
    here = local_to(Place(row.cwd), settings, row.policy)
    return here._replace(options=_options(row, here.options, settings))


def _options(row: SessionRow, base: Options, settings: Settings) -> Options:
    spec = spec_of(row)
    here = {} if settings.grants is None else _grants(row.cwd, settings)
    given: dict[str, Any] = {"checkpoints": True, **_converted(spec.options), **_conversation(row, spec), **here}
    named = {name: value for name, value in (("mode", row.mode), ("model", row.model)) if value is not None}
    return msgspec.structs.replace(base, id=row.id, cwd=row.cwd, policy=row.policy, **named, **given)


def _grants(cwd: str, settings: Settings) -> dict[str, Any]:
    assert settings.grants is not None
    here = GrantsHere(settings.grants, cwd)
    return {"keep_grant": here.keep, "kept_grants": here}


def _conversation(row: SessionRow, spec: Spec) -> dict[str, Any]:
    if row.cli_session_id is not None:
        return {"resume": row.cli_session_id, "resume_at": spec.resume_at}
    return {} if spec.origin is None else msgspec.to_builtins(spec.origin)


def conversation_of(row: SessionRow) -> str | None:
    """The CLI's conversation that the session goes on with, as it is named there; None: it has none yet, or will have
    one of its own."""
    origin = spec_of(row).origin
    return row.cli_session_id or (origin.resume if origin is not None and not origin.fork else None)


def check_start(start: Start, base: Options) -> None:
    """``base``: what holds where it begins. Raises ``OptionError`` with what is wrong with the options of a start."""
    for name in start.options.keys() & OURS:
        raise OptionError(f"options.{name}: the start has a field for it, or the hub gives it: leave it out there")
    named = {name: value for name in ("policy", "mode", "model") if (value := getattr(start, name)) is not None}
    msgspec.structs.replace(base, cwd=start.cwd, **named, **_converted(start.options))


def _converted(given: Mapping[str, Any]) -> dict[str, Any]:
    """Options as JSON tells them, in the types that they have."""
    return {name: _value(name, value) for name, value in given.items()}


def _value(name: str, value: Any) -> Any:
    if name not in Options.__struct_fields__:
        raise OptionError(f"options.{name}: there is no such option (docs/reference/library.md lists them)")
    hint = _hints()[name]
    if isinstance(value, str) or value is None:
        return value  # a path too: ``Options`` checks it
    try:
        return msgspec.convert(value, hint)
    except (msgspec.ValidationError, TypeError) as exc:
        raise OptionError(f"options.{name}: {exc}") from exc


@cache
def _hints() -> dict[str, Any]:
    return get_type_hints(Options)
