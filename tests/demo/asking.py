"""Requests as the CLI makes them, cut down to what a scripted model reads."""

import http.client
import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from bascule.demo.asked import Asked, read_request
from bascule.demo.model import ScriptedModel

SESSION = "x-claude-code-session-id"
AGENT = "x-claude-code-agent-id"


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def outcome(words: str, *, failed: bool = False, id: str = "toolu_1") -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": id, "content": words, "is_error": failed}


def user(*content: Mapping[str, Any] | str) -> dict[str, Any]:
    return {"role": "user", "content": [text(block) if isinstance(block, str) else block for block in content]}


def assistant(*content: Mapping[str, Any] | str) -> dict[str, Any]:
    return {"role": "assistant", "content": [text(block) if isinstance(block, str) else block for block in content]}


def system(words: str) -> dict[str, Any]:
    return {"role": "system", "content": words}


def body(*messages: Mapping[str, Any], **fields: Any) -> dict[str, Any]:
    return {"model": "claude-test", "max_tokens": 100, "messages": list(messages), **fields}


def asked(*messages: Mapping[str, Any], session: str = "s", agent: str = "", **fields: Any) -> Asked:
    """The request with these messages as the model reads it."""
    headers = {SESSION: session, **({AGENT: agent} if agent else {})}
    return read_request("POST", "/v1/messages?beta=true", headers, body(*messages, **fields))


class Answer(NamedTuple):
    """A response of the model's server."""

    status: int
    headers: Mapping[str, str]
    data: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.data)

    @property
    def events(self) -> list[dict[str, Any]]:
        """The server-sent events; each one's name is its type."""
        blocks = [block.split("\n") for block in self.data.decode().split("\n\n") if block]
        events = [json.loads(block[1].removeprefix("data: ")) for block in blocks]
        assert [f"event: {event['type']}" for event in events] == [block[0] for block in blocks]
        return events


def request(
    model: ScriptedModel, method: str, path: str, payload: bytes = b"", headers: Mapping[str, str] | None = None
) -> Answer:
    """One request on a connection of its own."""
    connection = http.client.HTTPConnection(urlsplit(model.url).netloc, timeout=10)
    try:
        connection.request(method, path, payload, dict(headers or {}))
        response = connection.getresponse()
        return Answer(response.status, dict(response.getheaders()), response.read())
    finally:
        connection.close()


def ask(
    model: ScriptedModel, *messages: Mapping[str, Any], session: str = "s", agent: str = "", **fields: Any
) -> Answer:
    """A message is asked for, as a stream unless `stream=False`."""
    headers = {SESSION: session, **({AGENT: agent} if agent else {})}
    payload = json.dumps(body(*messages, **{"stream": True, **fields})).encode()
    return request(model, "POST", "/v1/messages?beta=true", payload, headers)


def words(events: Sequence[Mapping[str, Any]]) -> str:
    """The text that the deltas spell."""
    return "".join(event["delta"].get("text", "") for event in events if event["type"] == "content_block_delta")
