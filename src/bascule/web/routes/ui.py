"""The user interface: everything that is neither the API nor the socket."""

from __future__ import annotations

from typing import Final

from litestar import Response, get
from litestar.params import FromPath

from bascule.web.auth import OPEN
from bascule.web.page import Page
from bascule.web.problems import not_found
from bascule.web.routes.parameters import Asked


@get(["/", "/{path:path}"], role=OPEN, include_in_schema=False, sync_to_thread=False)
def page(request: Asked, path: FromPath[str] = "") -> Response[bytes]:
    """A file of the built page; the page itself for places within it."""
    files: Page = request.app.state.page
    found = None if path.startswith("/api/") else files.get(path)
    if found is None:
        raise not_found(f"there is nothing at {request.url.path}")
    return Response(found.body, media_type=found.media_type, headers={"Cache-Control": found.cache})


ROUTES: Final = (page,)
