"""API errors in the CLI's words, and which of them it tries again (18_*)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from bascule.testing.fake_cli.api import ApiError, ConnectionLost

_RETRIED: Final = frozenset((401, 408, 409, 429, 500, 502, 503, 504, 529))
_KINDS: Final[Mapping[int, str]] = {
    401: "authentication_failed",
    403: "authentication_failed",
    404: "model_not_found",
    413: "invalid_request",
    429: "rate_limit",
    500: "server_error",
    529: "server_error",
}
_WORDS: Final[Mapping[int, str]] = {
    401: "Invalid API key · Fix external API key",
    403: "Failed to authenticate. API Error: 403 {message}",
    404: "There's an issue with the selected model. {message}",
    413: "Request too large (max 32MB). {message}",
    429: "API Error: Request rejected (429) · {message}",
}


class Failure(NamedTuple):
    """Why there is no message."""

    status: int | None
    """Null: the API could not be reached, or the answer broke off."""
    kind: str
    """``assistant.error``."""
    words: str
    """What a person reads."""
    retried: bool
    after_s: float | None
    """What the API asked for; null: nothing."""

    @property
    def retry_kind(self) -> str:
        """What ``api_retry`` calls it."""
        return {529: "overloaded", None: "unknown"}.get(self.status, self.kind)

    def fields(self, *, newer: bool) -> dict[str, Any]:
        """What the line of the message that stands for it carries."""
        more = {"is_api_error_message": True, "api_error_status": self.status} if newer else {}
        return {"error": self.kind, **more}


def failure(exc: ApiError | ConnectionLost) -> Failure:
    """What to make of an exception."""
    if isinstance(exc, ConnectionLost):
        return Failure(None, "server_error", f"API Error: Connection refused · {exc}", retried=True, after_s=None)
    words = _WORDS.get(exc.status, f"API Error: {exc.status} {{message}}").format(message=exc.message)
    after = exc.headers.get("retry-after", "")
    return Failure(
        status=exc.status,
        kind=_KINDS.get(exc.status, "unknown"),
        words=words,
        retried=exc.status in _RETRIED,
        after_s=float(after) if after.replace(".", "", 1).isdecimal() else None,
    )
