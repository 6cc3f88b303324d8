"""For whoever watches the server: whether it works, and its figures."""

from __future__ import annotations

from typing import Final, Literal

import msgspec
from litestar import Response, get
from litestar.openapi.datastructures import ResponseSpec

from bascule.conversation import Part
from bascule.web.auth import OPEN
from bascule.web.metrics import CONTENT_TYPE, exposition
from bascule.web.problems import PROBLEMS
from bascule.web.routes.parameters import Hub


class HealthReport(msgspec.Struct, frozen=True, kw_only=True):
    """What everybody may know."""

    status: Literal["ok", "failing"]
    failing: tuple[Part, ...]


_FAILING: Final = ResponseSpec(HealthReport, description="The hub cannot work.", generate_examples=False)


@get("/health", role=OPEN, responses={503: _FAILING})
async def health(hub: Hub) -> Response[HealthReport]:
    """Whether the hub can work: the store takes what is written, and the disk has room. 503 when it cannot."""
    found = await hub.health()
    report = HealthReport(status="failing" if found.failing else "ok", failing=found.failing)
    return Response(report, status_code=503 if found.failing else 200)


@get("/metrics", media_type="text/plain", responses=PROBLEMS)
async def metrics(hub: Hub) -> Response[bytes]:
    """Figures in the text format of Prometheus; counters begin with the server."""
    return Response(exposition(await hub.figures()), media_type=CONTENT_TYPE)


ROUTES: Final = (health,)
"""Below ``/api``; ``metrics`` stands at the top, where one looks for it."""
