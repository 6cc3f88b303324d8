"""Writes what the server's code says of its API: `python -m scripts.write_openapi`.

`docs/reference/openapi.json` describes HTTP, from the routes; the frames of `docs/reference/socket.md` are made from
`web/frames.py`, between its two marks.
"""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final, cast

from bascule.conversation import Conversations
from bascule.web import frames
from bascule.web.app import app
from bascule.web.keys import Keys
from bascule.web.settings import Settings
from scripts.docstrings import Shape, read
from scripts.write_reference import entries

REFERENCE: Final = Path(__file__).parents[1] / "docs" / "reference"
OPENAPI: Final = REFERENCE / "openapi.json"
SOCKET: Final = REFERENCE / "socket.md"
BEGIN: Final = "<!-- Made by `python -m scripts.write_openapi` from web/frames.py: change it there. -->"
END: Final = "<!-- end -->"
FROM_CLIENT: Final = ("Hello", "Send", "Beat")
FROM_SERVER: Final = ("Welcome", "Resync", "Ended", "Answered", "Failed")


def description() -> dict[str, Any]:
    """The OpenAPI document. Nothing is asked of the hub behind it, so there is none."""
    made = app(cast("Conversations", None), Settings(), cast("Keys", None))
    return made.openapi_schema.to_schema()


def openapi() -> str:
    """The same as the file has it."""
    return json.dumps(description(), indent=1, ensure_ascii=False) + "\n"


def socket_page(page: str) -> str:
    """`page` with its frames made anew."""
    head, _, rest = page.partition(BEGIN)
    tail = rest.partition(END)[2]
    shapes = read(frames).shapes
    made = "\n\n".join(
        ["### From the client", *_told(shapes, FROM_CLIENT), "### From the server", *_told(shapes, FROM_SERVER)]
    )
    return f"{head}{BEGIN}\n\n{made}\n\n{END}{tail}"


def _told(shapes: dict[str, Shape], names: Iterable[str]) -> Iterator[str]:
    return entries((shapes[name] for name in names), level="####")


if __name__ == "__main__":
    OPENAPI.write_text(openapi(), encoding="utf-8")
    SOCKET.write_text(socket_page(SOCKET.read_text(encoding="utf-8")), encoding="utf-8")
