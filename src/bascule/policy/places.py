"""Where a call reaches: paths and URLs against the patterns of rules.

Paths come resolved from the session. One that is not absolute, or that still climbs with ``..``, is nowhere: nothing
that allows covers it, and what denies looks at its text.

A pattern with a leading slash is of the whole machine, ``~/`` of the home, any other of the workspace; one without a
slash names files at every depth. ``**`` is any number of folders, and a trailing slash all that is below.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from typing import Final
from urllib.parse import SplitResult, urlsplit

import msgspec

from bascule.policy import globs

WORKSPACE: Final = "workspace"
ANYWHERE: Final = "anywhere"
DOMAIN: Final = "domain:"
_GAP: Final = "**"
_WILD: Final = re.compile(r"[*?\[\]{}]")
_CLIMBS: Final = re.compile(r"(^|/)(\.|%2e){1,2}(/|$)", re.IGNORECASE)


class Ground(msgspec.Struct, frozen=True, kw_only=True):
    """The folders that patterns are written against, absolute and resolved."""

    workspace: str
    """Empty: nothing is inside it."""
    home: str | None = None
    """Null: a pattern below ``~`` allows nothing, and denies wherever its rest fits."""


def inside(path: str, folder: str) -> bool:
    """Whether ``path`` is ``folder`` or below it; both must be absolute and free of ``..``."""
    parts, root = _segments(path), _segments(folder)
    return parts is not None and root is not None and parts[: len(root)] == root


def _segments(path: str) -> list[str] | None:
    """The names on the way from the root, or None for a path that is not absolute or not resolved."""
    names = path.split("/")[1:]
    if not path.startswith("/") or "\0" in path or any(name in (".", "..") for name in names):
        return None
    return [name for name in names if name]


def covers(pattern: str, path: str, ground: Ground) -> bool:
    """For allowing: whether ``path`` is one of those that ``pattern`` means."""
    if pattern == ANYWHERE:
        return True
    if pattern == WORKSPACE:
        return inside(path, ground.workspace)
    return any(_covers(each, path, ground) for each in globs.alternatives(pattern))


def _covers(pattern: str, path: str, ground: Ground) -> bool:
    folder, names = _rooted(pattern, ground)
    parts, root = _segments(path), _segments(folder)
    if parts is None or root is None or parts[: len(root)] != root:
        return False
    return globs.run(names, parts[len(root) :], gap=_GAP)


def _rooted(pattern: str, ground: Ground) -> tuple[str, list[str]]:
    """The folder that ``pattern`` starts from, empty when it has none, and its names from there."""
    names = _names(pattern)
    if pattern.startswith("/"):
        return "/", names
    if pattern.startswith("~/"):
        return ground.home or "", names[1:]
    return ground.workspace, names if "/" in pattern else [_GAP, *names]


def _names(pattern: str) -> list[str]:
    names = [name for name in pattern.split("/") if name not in ("", ".")]
    return [*names, _GAP] if pattern.endswith("/") else names


def may_lie_below(pattern: str, folder: str, ground: Ground) -> bool:
    """For denying and asking: whether what ``pattern`` means may lie below ``folder``, or hold it; both resolved.

    A pattern without a root fits at every depth.
    """
    return any(_may_lie_below(each, folder, ground) for each in globs.alternatives(pattern))


def _may_lie_below(pattern: str, folder: str, ground: Ground) -> bool:
    root, names = _rooted(pattern, ground)
    if not pattern.startswith(("/", "~/")) or not root:
        return True
    fixed = itertools.takewhile(globs.is_literal, names)
    start = "/".join((root.rstrip("/"), *fixed)) or "/"
    return inside(start, folder) or inside(folder, start)


def touches(pattern: str, path: str, ground: Ground) -> bool:
    """For denying and asking: whether ``pattern`` could mean ``path``. Upper case hides nothing, depth neither.

    A path with wildcards of its own, as a search has, is also taken without them: ``.env*`` is out for ``.env``.
    """
    if pattern == ANYWHERE:
        return True
    if pattern == WORKSPACE:
        return inside(path, ground.workspace)
    meant = [each.casefold() for each in globs.alternatives(pattern)]
    return any(_touches(each, one) for each in meant for one in _read_as(path.casefold()))


def _read_as(path: str) -> Iterator[str]:
    yield path
    try:
        yield from (_WILD.sub("", one) for one in globs.alternatives(path))
    except ValueError:
        yield _WILD.sub("", path)


def _touches(pattern: str, path: str) -> bool:
    names = _names(pattern.removeprefix("~"))
    before = [] if pattern.startswith("/") else [_GAP]
    return globs.run([*before, *names], [part for part in path.split("/") if part not in ("", ".")], gap=_GAP)


def covers_url(pattern: str, url: str, host: str) -> bool:
    """For allowing: whether ``url`` is one of those that ``pattern`` means; ``host`` is empty where it is in doubt.

    ``domain:HOST`` is a host, which may hold stars; anything else is a URL whose stars stay in their part of it, but a
    last ``*`` is all that is below. Without a scheme both ``http`` and ``https`` are meant.
    """
    parts = _split(url)
    if not host or parts is None:
        return False
    if pattern.startswith(DOMAIN):
        return globs.one(pattern.removeprefix(DOMAIN).casefold(), host)
    scheme, _, rest = pattern.rpartition("://")
    name, *names = ("*/*" if rest == "*" else rest).split("/")
    if names[-1:] == ["*"]:
        names[-1] = _GAP
    path = parts.path.removeprefix("/") + (f"?{parts.query}" if parts.query else "")
    return (
        scheme.casefold() in ("", parts.scheme)
        and globs.one(name.casefold(), parts.netloc.casefold())
        and not _CLIMBS.search(parts.path)
        and globs.run(names or [""], path.split("/"), gap=_GAP)
    )


def _split(url: str) -> SplitResult | None:
    try:
        parts = urlsplit(url)
    except ValueError:
        return None
    return parts if parts.scheme in ("http", "https") else None


def touches_url(pattern: str, url: str, host: str) -> bool:
    """For denying and asking: whether ``pattern`` could mean ``url``; a domain means its subdomains too."""
    if not pattern.startswith(DOMAIN):
        return globs.one(f"*{pattern.casefold()}*", url.casefold())
    named = pattern.removeprefix(DOMAIN).casefold()
    return not host or any(globs.one(glob, host) for glob in (named, f"*.{named}"))
