"""What was spent."""

from __future__ import annotations

from typing import Final

from litestar import get
from litestar.params import FromQuery

from bascule.ids import SessionId
from bascule.web.problems import PROBLEMS
from bascule.web.routes.parameters import LARGEST, Hub, Number
from bascule.web.usage import By, Usage, usage


@get("/usage", responses=PROBLEMS)
async def spent(
    hub: Hub,
    by: FromQuery[By] = "session",
    session: FromQuery[SessionId | None] = None,
    since: Number = 0,
    until: Number = LARGEST,
) -> tuple[Usage, ...]:
    """Cost, tokens and time of the turns that began in that time (UTC ms), by turn, session, day or model."""
    return usage(await hub.spent(session=session, since=since, until=until), by)


ROUTES: Final = (spent,)
