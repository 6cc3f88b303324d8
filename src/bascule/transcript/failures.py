"""Why a turn failed, as far as its result tells, and what a person can do about it.

The kind of a failure is looked for in what says it most exactly: how the turn ended, the CLI's own name for what went
wrong, its last assistant line, and the HTTP status (18_*). Its words are shown, never read.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from bascule.wire.messages import Assistant
from bascule.wire.result import Result

HINTS: Final[Mapping[str, str]] = {
    "account": "the account is on hold or wants to be verified: sign in with `claude` and follow what it says",
    "api": "try again; if it goes on, look at the API's status page",
    "authentication": "log in with `claude`, or pass an API key and ask for it to be used (use_api_billing)",
    "billing": "the account has no credit left: add some, or use another account",
    "budget": "raise the budget in a new session",
    "cloud_credentials": "the cloud provider refused: renew its login, or name the profile and region in claude.env",
    "connection": "the API was not reached: look at the network, a proxy, or ANTHROPIC_BASE_URL, then try again",
    "context": "the conversation is too long for the model: say /compact, go on from an earlier message, or begin anew",
    "invalid_request": "the API refused what was sent: begin anew, or go on from an earlier message",
    "max_turns": "say what is left to do, or raise the limit",
    "model": "choose a model that the account has",
    "output_limit": "ask for less at once, or raise CLAUDE_CODE_MAX_OUTPUT_TOKENS",
    "overloaded": "try again in a while, or name a fallback model",
    "rate_limit": "wait for the limit to reset, or use another account",
    "structured_output": "the model never kept to the schema: make it simpler, or describe its fields",
    "too_large": "an image or a file is too large to be sent: make it smaller, or have it read in parts",
    "usage_limit": "wait for the limit to reset, allow extra usage, or use another account",
}
"""What to do, by kind. A kind that is missing here has nothing that helps."""

_BY_NAME: Final[Mapping[str, str]] = {
    "connection_failed": "connection",
    "usage_limit_reached": "usage_limit",
}
"""``api_error`` of a result (2.1.332)."""

_BY_REASON: Final[Mapping[str, str]] = {
    "blocking_limit": "usage_limit",
    "image_error": "too_large",
    "prompt_too_long": "context",
    "structured_output_retry_exhausted": "structured_output",
}
"""``terminal_reason`` of a result; 2.1.197 says ``completed`` for most."""

_BY_LINE: Final[Mapping[str, str]] = {
    "account_on_hold": "account",
    "authentication_failed": "authentication",
    "billing_error": "billing",
    "cloud_credential_error": "cloud_credentials",
    "invalid_request": "invalid_request",
    "max_output_tokens": "output_limit",
    "model_not_found": "model",
    "oauth_org_not_allowed": "authentication",
    "overloaded": "overloaded",
    "rate_limit": "rate_limit",
    "server_error": "api",
    "verification_required": "account",
}
"""``error`` of an assistant line. It says ``server_error`` for 529 too, and ``unknown`` for what it does not know."""

_BY_STATUS: Final[Mapping[int, str]] = {413: "too_large", 529: "overloaded"}
"""Where the status says more than the line does (18_413, 18_529_forever)."""


def kind_of(result: Result, said: Assistant | None) -> str:
    """The kind of a failure that is none of limits and refusals; ``error`` when nothing names it.

    ``said`` is the turn's last assistant line that carried an error.
    """
    return (
        _BY_NAME.get(result.api_error or "")
        or _BY_REASON.get(result.terminal_reason or "")
        or _BY_STATUS.get(result.api_error_status or 0)
        or _of_line(result, (said.error if said else None) or "")
        or _of_status(result.api_error_status)
    )


def _of_line(result: Result, error: str) -> str | None:
    if error == "server_error" and result.api_error_status is None:
        return "connection"  # Nothing answered (18_conn_refused, 2.1.197).
    return _BY_LINE.get(error)


def _of_status(status: int | None) -> str:
    if status is None:
        return "error"
    return "invalid_request" if 400 <= status < 500 else "api"
