"""What a refused request is answered with: one form for all of them (RFC 9457), with a kind that a program can act on.

What the hub raises is translated here, and nowhere else.
"""

from __future__ import annotations

import re
from typing import Any, Final, Literal, TypeAlias

import msgspec
from litestar import Request, Response
from litestar.exceptions import HTTPException, ValidationException
from litestar.openapi.datastructures import ResponseSpec

from bascule.errors import BasculeError, OptionError, RecordingGone, SessionClosed, StoreError

Kind: TypeAlias = Literal[
    "malformed", "unauthenticated", "forbidden", "csrf", "host", "origin", "not_found", "method", "conflict", "gone",
    "too_large", "too_many", "refused", "unavailable", "bug",
]  # fmt: skip

MEDIA_TYPE: Final = "application/problem+json"
_MISSING: Final = re.compile(r"missing required field `(\w+)`")
_KINDS: Final[dict[int, Kind]] = {
    400: "malformed",
    401: "unauthenticated",
    403: "forbidden",
    404: "not_found",
    405: "method",
    409: "conflict",
    413: "too_large",
    422: "refused",
    429: "too_many",
    503: "unavailable",
}


class Problem(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Why a request was refused."""

    kind: Kind
    status: int
    detail: str
    """What is wrong and what to do, for people."""
    field: str | None = None
    """Of a request that cannot be read: the part that is wrong, ``decision.rule``."""


class Refusal(HTTPException):
    """A request is refused, with a problem of ours."""

    def __init__(
        self, status: int, kind: Kind, detail: str, *, field: str | None = None, headers: dict[str, str] | None = None
    ) -> None:
        super().__init__(detail=detail, status_code=status, headers=headers)
        self.problem = Problem(kind=kind, status=status, detail=detail, field=field)


def not_found(what: str) -> Refusal:
    """There is no such thing."""
    return Refusal(404, "not_found", what)


def problem_of(error: Exception) -> Problem:
    """Any error as a problem. What is no error of ours or of the framework's is a bug, and tells nothing of itself."""
    match error:
        case Refusal(problem=problem):
            return problem
        case ValidationException():
            return _malformed(error)
        case HTTPException(status_code=status) if status < 500:
            return Problem(kind=_KINDS.get(status, "malformed"), status=status, detail=error.detail)
        case msgspec.DecodeError():
            return undecodable(error)
        case BasculeError():
            return _of_ours(error)
        case _:
            return Problem(kind="bug", status=500, detail="a bug in bascule: its log tells more")


def _of_ours(error: BasculeError) -> Problem:
    match error:
        case RecordingGone():
            return Problem(kind="gone", status=410, detail=str(error))
        case SessionClosed():
            return Problem(kind="gone", status=409, detail=str(error))
        case StoreError():
            return Problem(kind="unavailable", status=503, detail=str(error))
        case OptionError():
            return Problem(kind="refused", status=422, detail=str(error))
        case _:
            return Problem(kind="conflict", status=409, detail=str(error))


def undecodable(error: msgspec.DecodeError) -> Problem:
    """What is no JSON, or JSON of another form."""
    message, _, path = str(error).partition(" - at `$")
    field = ".".join(filter(None, (path.rstrip("`").lstrip("."), _missing(message)))) or None
    return Problem(kind="malformed", status=400, detail=message, field=field)


def _malformed(error: ValidationException) -> Problem:
    rows: list[Any] = error.extra if isinstance(error.extra, list) else []
    if not rows:
        return Problem(kind="malformed", status=400, detail=error.detail)
    message, path = str(rows[0].get("message", "")), str(rows[0].get("key", ""))
    field = ".".join(filter(None, ("" if path == "data" else path, _missing(message)))) or None
    return Problem(kind="malformed", status=400, detail=message, field=field)


def _missing(message: str) -> str | None:
    found = _MISSING.search(message)
    return found[1] if found else None


def answer(request: Request[Any, Any, Any], error: Exception) -> Response[Problem]:
    """The response to a request that failed."""
    problem = problem_of(error)
    headers = getattr(error, "headers", None) if isinstance(error, Refusal) else None
    return Response(problem, status_code=problem.status, media_type=MEDIA_TYPE, headers=headers)


def _spec(what: str) -> ResponseSpec:
    return ResponseSpec(Problem, description=what, media_type=MEDIA_TYPE, generate_examples=False)


PROBLEMS: Final = {
    400: _spec("It cannot be read; `field` says what of it."),
    401: _spec("No key, or one that opens nothing any more."),
    403: _spec("The key's role is too low, or the CSRF header is missing."),
    404: _spec("There is no such thing."),
    409: _spec("Not in this state."),
    410: _spec("It was there, and was removed."),
    413: _spec("Too large."),
    422: _spec("The hub refuses it, and says why."),
    429: _spec("Too many wrong guesses; `Retry-After` says for how long."),
    503: _spec("Nothing can be stored."),
}
"""How any request may fail, for the description of the API."""
