"""What the fake asks of its host, and the answers it waits for.

An answer counts by its id alone, and only the first one: late, doubled and unknown ones are ignored without a word
(30_dup_answer, 07_shape_unknown_id). So is an answer whose id stands in the wrong place: the question stays open.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any, Final, Literal, TypeAlias

from bascule.testing.fake_cli.said import new_uuid

Gone: TypeAlias = Literal["withdrawn", "closed", "late"]
"""Why there is no answer: the CLI took the question back, stdin was closed, the time was over."""

HOOK_TIMEOUT_S: Final = 600.0
"""What a hook has when its matcher says nothing else (09_never_answered_hook). A permission has no limit."""


class Host:
    """The open questions of one process."""

    def __init__(self, say: Callable[[Mapping[str, Any]], None]) -> None:
        self._say = say
        self._open: dict[str, asyncio.Future[Mapping[str, Any] | Gone]] = {}
        self._closed = False

    async def ask(self, request: Mapping[str, Any], *, timeout_s: float | None = None) -> Mapping[str, Any] | Gone:
        """The ``response`` of the host's answer to ``request``, or why there is none."""
        request_id = new_uuid()
        self._say({"type": "control_request", "request_id": request_id, "request": request})
        if self._closed:
            return "closed"
        answer: asyncio.Future[Mapping[str, Any] | Gone] = asyncio.get_running_loop().create_future()
        self._open[request_id] = answer
        try:
            async with asyncio.timeout(timeout_s):
                return await answer
        except TimeoutError:
            del self._open[request_id]
            self._withdraw(request_id)
            return "late"

    def answered(self, response: Mapping[str, Any]) -> bool:
        """Takes an answer; whether anybody waited for it."""
        request_id = response.get("request_id")
        answer = self._open.pop(request_id, None) if isinstance(request_id, str) else None
        if answer is None:
            return False
        answer.set_result(response)
        return True

    def withdraw_all(self) -> None:
        """Takes every open question back, and tells the host."""
        for request_id in tuple(self._open):
            self._withdraw(request_id)
        self._settle("withdrawn")

    def close(self) -> None:
        """Nobody will answer any more: stdin is closed (09_eof_while_asking)."""
        self._closed = True
        self._settle("closed")

    def _withdraw(self, request_id: str) -> None:
        self._say({"type": "control_cancel_request", "request_id": request_id})

    def _settle(self, why: Gone) -> None:
        waiting, self._open = self._open, {}
        for answer in waiting.values():
            answer.set_result(why)
