"""The workspace of a session: its files, to be named in prompts and to be saved, and what git says of it.

A viewer sees the conversation; files beside it are an approver's.
"""

from __future__ import annotations

from typing import Final
from urllib.parse import quote

from litestar import Response, get
from litestar.params import FromQuery

from bascule.conversation import GitState
from bascule.web.auth import door_of
from bascule.web.problems import PROBLEMS
from bascule.web.routes.parameters import Asked, Hub, Limit, Session
from bascule.web.stored import facts_of, file_of


@get("/sessions/{session:str}/files", role="approver", responses=PROBLEMS)
async def files(hub: Hub, session: Session, beginning: FromQuery[str] = "", limit: Limit = 50) -> tuple[str, ...]:
    """Files whose path, or name, begins so; what git ignores is left out."""
    await facts_of(hub, session)
    return await hub.files(session, beginning, limit=limit)


@get("/sessions/{session:str}/file", role="approver", responses=PROBLEMS)
async def file(request: Asked, hub: Hub, session: Session, path: FromQuery[str]) -> Response[bytes]:
    """What is in a file of the workspace, to be saved and never to be shown as a page: links are resolved first, and
    what lies outside is refused."""
    await facts_of(hub, session)
    found = await hub.file(session, path)
    data = await file_of(found, door_of(request).settings.file_bytes)
    name = quote(found.rpartition("/")[2], safe="")
    headers = {"Content-Disposition": f"attachment; filename*=UTF-8''{name}"}
    return Response(data, media_type="application/octet-stream", headers=headers)


@get("/sessions/{session:str}/git", role="approver", responses=PROBLEMS)
async def git(hub: Hub, session: Session) -> GitState:
    """Branch, changed files and their difference, as git tells them now."""
    await facts_of(hub, session)
    return await hub.git(session)


ROUTES: Final = (files, file, git)
