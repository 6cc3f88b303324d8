"""Asks the model for one message, as often as the CLI would, until there is one, none will come, or nobody wants it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, Final

from bascule.testing.fake_cli.api import ApiError, ConnectionLost, Exchange
from bascule.testing.fake_cli.failure import Failure, failure
from bascule.testing.fake_cli.message import Message, synthetic
from bascule.testing.fake_cli.people import reminder
from bascule.testing.fake_cli.said import now
from bascule.testing.fake_cli.talk import Talk

RETRY_S: Final = 0.02
"""Pause before the first repetition, doubled each time; the CLI begins with half a second."""
MAX_RETRIES: Final = 10
LOST: Final = "API Error: Connection lost mid-response. The response above may be incomplete."
INCOMPLETE: Final = "API Error: Connection closed mid-response. The response above may be incomplete."


class Asking:
    """One message, being asked for."""

    def __init__(self, talk: Talk, prompts: Sequence[str], on_call: Callable[[dict[str, Any]], None]) -> None:
        self._talk = talk
        self._prompts = prompts
        self._on_call = on_call
        self._exchange: Exchange | None = None
        self._over = asyncio.Event()
        self.cut_off = False
        """The stream broke behind a text: what was said stands, and the model is to go on from there."""
        self._tries = 0
        self._broken = 0
        self.message = Message(talk, prompts, on_call)

    @property
    def aborted(self) -> bool:
        """Nobody wants the message any more."""
        return self._over.is_set()

    @property
    def _streams(self) -> bool:
        return self._broken < self._talk.version.streams_tried

    def abort(self) -> None:
        """Stop asking: ``run`` returns with what there is."""
        self._over.set()
        if self._exchange is not None:
            self._exchange.abort()

    async def run(self) -> Failure | None:
        """None: ``message`` is whole, or was cut by ``abort``. Else why there is none."""
        while not self._over.is_set():
            try:
                await self._once()
            except (ApiError, ConnectionLost) as exc:
                if self.aborted:
                    break
                if isinstance(exc, ConnectionLost) and self._calls_came():
                    self._broke_behind_calls()
                    break
                why = failure(exc)
                if self.message.blocks:
                    return self._broke_behind_text(why)
                if not await self._again(why):
                    return why
            else:
                break
        if self.message.begun:
            self._talk.ledger.add(self.message.model, self.message.count)
        return None

    async def _once(self) -> None:
        self._exchange = Exchange(self._talk.env.get("ANTHROPIC_BASE_URL", ""), self._body(), self._headers())
        if self._talk.flags.include_partial_messages and not self._tries and not self._broken:
            self._talk.say(self._talk.lines.system("status", status="requesting"))
        if not self._streams:
            self.message.take_whole(await self._exchange.whole())
            return
        async for event in self._exchange.events():
            self.message.take(event)

    def _broke_behind_text(self, why: Failure) -> Failure | None:
        """The newer version has the model go on; to the older one it is an error."""
        self.message.close(aborted=False)
        self.cut_off = self._talk.version.closes_streams
        return None if self.cut_off else why._replace(status=None, words=INCOMPLETE)

    def _broke_behind_calls(self) -> None:
        """They run, and the turn goes on; in the middle of it the CLI says what happened."""
        self.message.close(aborted=False)
        self._talk.say(self._talk.lines.assistant(synthetic(LOST), (), timestamp=now(), error="server_error"))

    def _calls_came(self) -> bool:
        return any(block.get("type") == "tool_use" for block in self.message.blocks)

    async def _again(self, why: Failure) -> bool:
        """Whether there is another attempt; waits for its time."""
        if self.message.begun:
            self._broken += 1
            self.message.close(aborted=False)
            self.message = Message(self._talk, self._prompts, self._on_call)
            if not self._streams:
                return True
        most = int(self._talk.env.get("CLAUDE_CODE_MAX_RETRIES", MAX_RETRIES))
        if not why.retried or self._tries >= most:
            return False
        self._tries += 1
        delay_s = RETRY_S * 2 ** (self._tries - 1) if why.after_s is None else why.after_s
        told = {"attempt": self._tries, "max_retries": most, "retry_delay_ms": round(delay_s * 1000)}
        line = self._talk.lines.system("api_retry", **told, error_status=why.status, error=why.retry_kind)
        self._talk.say(line)
        try:
            async with asyncio.timeout(delay_s):
                await self._over.wait()
        except TimeoutError:
            return True
        return True

    def _headers(self) -> dict[str, str]:
        return {
            "x-api-key": self._talk.env.get("ANTHROPIC_API_KEY", ""),
            "anthropic-version": "2023-06-01",
            "x-claude-code-session-id": self._talk.lines.session_id,
        }

    def _messages(self) -> list[dict[str, Any]]:
        messages = self._talk.history.messages()
        return [*messages[:-1], {**messages[-1], "content": [*messages[-1]["content"], *reminder(self._talk)]}]

    def _body(self) -> dict[str, Any]:
        return {
            "model": self._talk.model,
            "max_tokens": 32_000,
            "stream": self._streams,
            "tools": [{"name": tool} for tool in self._talk.tools],
            "messages": self._messages(),
        }
