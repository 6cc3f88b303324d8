"""Which version the CLI is, and whether bascule speaks to it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from bascule.errors import CliVersionRefused
from bascule.transport.complaints import TAIL_CHARACTERS
from bascule.transport.launch import Launch
from bascule.transport.printed import printed_by

ANSWER_S: Final = 20.0
"""For ``claude --version``: 0.1 s when the file is cached, many times that on a busy machine with a cold disk."""


class Version(NamedTuple):
    """A version of the CLI."""

    major: int
    minor: int
    patch: int

    def __str__(self) -> str:
        return ".".join(map(str, self))


class Broken(msgspec.Struct, frozen=True):
    """Versions that must not be used, both ends included."""

    first: Version
    last: Version
    why: str
    """Ends a sentence that begins with the version."""


TESTED: Final = (Version(2, 1, 197), Version(2, 1, 332))
"""The oldest and the newest version whose recordings are in the test suite."""

KNOWN_BROKEN: Final[tuple[Broken, ...]] = ()
"""None so far that can be told by its number. A CLI that asks nobody is told by a probe: see ``bascule doctor``."""


class Judged(msgspec.Struct, frozen=True):
    """A version that may be used."""

    version: Version
    warning: str | None
    """What a person should know about it."""


def parsed(answer: str) -> Version | None:
    """The version in what ``claude --version`` prints, such as ``2.1.332 (Claude Code)``."""
    match = re.search(r"^v?(\d+)\.(\d+)\.(\d+)(?![\d.])", answer, re.MULTILINE | re.ASCII)
    return Version(*map(int, match.groups())) if match else None


def judged(version: Version, *, broken: Sequence[Broken] = KNOWN_BROKEN) -> Judged:
    """Whether ``version`` may be used: with a warning outside ``TESTED``; raises ``CliVersionRefused`` if broken."""
    for entry in broken:
        if entry.first <= version <= entry.last:
            raise CliVersionRefused(f"Claude Code {version} {entry.why}: install another version", str(version))
    oldest, newest = TESTED
    if oldest <= version <= newest:
        return Judged(version, None)
    place = "older" if version < oldest else "newer"
    return Judged(
        version,
        f"Claude Code {version} is {place} than what bascule was tested with ({oldest} to {newest}):"
        " `bascule doctor` says what differs",
    )


async def ask(
    cli: Path, env: Mapping[str, str], *, cwd: str | Path | None = None, answer_s: float = ANSWER_S
) -> Version:
    """What ``cli --version`` says in the folder ``cwd``, by default its own: a starter may choose by the folder.

    Raises ``CliVersionRefused`` when it does not tell one within ``answer_s``, and as ``printed_by`` does.
    """
    try:
        said = await printed_by(_asking(cli, env, cwd), within_s=answer_s)
    except TimeoutError:
        raise CliVersionRefused(f"{cli} did not tell its version within {answer_s:g} s: run it by hand", "") from None
    version = parsed(said.out)
    if version is None:
        words = said.err.strip()[-TAIL_CHARACTERS:]
        raise CliVersionRefused(f"{cli} --version does not tell a version: is it Claude Code? {words}", "")
    return version


def _asking(cli: Path, env: Mapping[str, str], cwd: str | Path | None = None) -> Launch:
    return Launch((str(cli), "--version"), env, str(cli.parent if cwd is None else cwd))
