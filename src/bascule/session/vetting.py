"""The version of the CLI, judged where it tells it: in the handshake, or (2.1.197) in its first turn."""

from __future__ import annotations

from collections.abc import Sequence

from bascule.errors import CliVersionRefused
from bascule.recording import Failed, Noticed
from bascule.session.line import Line
from bascule.transport.version import KNOWN_BROKEN, Broken, judged, parsed


def vet(line: Line, told: str | None, *, broken: Sequence[Broken] = KNOWN_BROKEN) -> None:
    """Note a version that was not tested. Raises ``CliVersionRefused`` for one that is known to be broken.

    None, or what is no version, is not judged: it is told later.
    """
    version = None if told is None else parsed(told)
    if version is not None and (warning := judged(version, broken=broken).warning):
        line.note(Noticed(level="warning", text=warning))


def vet_running(line: Line, told: str | None, *, broken: Sequence[Broken] = KNOWN_BROKEN) -> bool:
    """As ``vet`` in the middle of a session, which a refusal is to end: False, and the recording tells why."""
    try:
        vet(line, told, broken=broken)
    except CliVersionRefused as exc:
        line.note(Failed(kind="version", message=str(exc), hint="the session ends here"))
        return False
    return True
