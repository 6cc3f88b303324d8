"""The built user interface, as files: what the page is made of, or a word that it is not there."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final, NamedTuple

STATIC: Final = Path(__file__).with_name("static")

TYPES: Final[Mapping[str, str]] = {
    ".css": "text/css",
    ".html": "text/html",
    ".ico": "image/x-icon",
    ".js": "text/javascript",
    ".json": "application/json",
    ".map": "application/json",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".txt": "text/plain",
    ".wasm": "application/wasm",
    ".webmanifest": "application/manifest+json",
    ".woff2": "font/woff2",
}
"""By a file's ending; any other is a file to be saved, and no page."""

FOR_EVER: Final = "public, max-age=31536000, immutable"
ANEW: Final = "no-cache"
_HASHED: Final = re.compile(r"[-.][A-Za-z0-9_-]{8,}\.\w+$")

NOT_BUILT: Final = b"""<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>bascule</title>
<h1>bascule</h1>
<p>The server runs, and the user interface is not built into this installation.
<p><code>bascule ps</code>, <code>bascule asks</code> and <code>bascule attach</code> work without it.
</html>
"""


class Served(NamedTuple):
    """A file, as it is sent."""

    body: bytes
    media_type: str
    cache: str


class Page:
    """The files below one folder, as they were when the server started: no path of a request ever names a file."""

    def __init__(self, folder: Path = STATIC) -> None:
        self._files = dict(_found(folder)) if folder.is_dir() else {}

    def get(self, path: str) -> Served | None:
        """What is at this path; None: nothing. Names without a dot are places within the page itself."""
        name = path.strip("/")
        if name in self._files:
            return self._files[name]
        if "." in name.rpartition("/")[2]:
            return None
        return self._files.get("index.html", Served(NOT_BUILT, TYPES[".html"], ANEW))


def _found(folder: Path) -> Iterator[tuple[str, Served]]:
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_file() and not path.is_symlink():
            hashed = name.startswith("assets/") and _HASHED.search(name)
            kind = TYPES.get(path.suffix, "application/octet-stream")
            yield name, Served(path.read_bytes(), kind, FOR_EVER if hashed else ANEW)
