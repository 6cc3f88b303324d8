"""What the CLI asks its model for, read from one HTTP request into one value.

Here: which words came from the person, which from the CLI itself, how the calls of the last message ended, and
whether the request belongs to the conversation at all or is one that the CLI makes aside (a title, a summary).
Not here: what is answered. All of it was seen in the requests of CLI 2.1.332 and 2.1.197.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, Literal, TypeAlias

import msgspec

Aside: TypeAlias = Literal["", "title", "search", "page", "suggestion", "summary", "quota", "count"]
"""Why the CLI asks outside the conversation; empty for a request that belongs to it."""

CLI_SPEAKS: Final = (
    "<system-reminder>",
    "<task-notification>",
    "<local-command-",
    "<command-",
    "Stop hook feedback:",
    "Output token limit hit",
    "Your response above was stopped",
    "[Your previous response had no visible output",
    "This session is being continued from a previous conversation",
)
"""How a text begins that the CLI put into a user message by itself."""

INTERRUPTED: Final = "[Request interrupted by user"

FOLDED: Final = re.compile(
    r"The user sent a new message while you were working:\n(.*?)(?:\n\nThis is how|\n\nIMPORTANT|\Z)", re.DOTALL
)
"""A prompt sent during a turn: beside the results of calls (2.1.332), or in a system message after them (2.1.197)."""

TOOL_FAILED: Final = (
    "<tool_use_error>",
    "Exit code ",
    "Error: ",
    "EISDIR",
    "ENOENT",
    "File does not exist",
    "File content (",
)
"""How the error of a tool that did run begins; any other error is the text of whoever refused the call."""


class Result(msgspec.Struct, frozen=True):
    """How a call ended, as the model is told."""

    call_id: str
    text: str
    failed: bool = False
    """The result is marked as an error: the tool failed, or the call was refused."""

    @property
    def refused(self) -> bool:
        """Somebody denied the call. Told from a failure by the wording alone, since the API has no mark for it."""
        return self.failed and not self.text.startswith(TOOL_FAILED)


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """One request, and what can be read off it.

    >>> Asked(prompt="Fix the bug").prompt
    'Fix the bug'
    """

    method: str = "POST"
    path: str = "/v1/messages"
    """Without its query."""
    headers: Mapping[str, str] = {}
    """Names in lower case."""
    body: Mapping[str, Any] = {}
    """The JSON body; empty for a request without one."""
    prompt: str = ""
    """What the person wrote in the last user message; empty when the CLI goes on by itself."""
    note: str = ""
    """What the CLI wrote beside it: reminders, feedback of a Stop hook, notice of a finished task."""
    results: tuple[Result, ...] = ()
    """How the calls of the model's last message ended, in the order of the request."""
    interruptions: int = 0
    """How often the person cut the turn before this prompt short."""
    aside: Aside = ""

    @property
    def session(self) -> str:
        """The CLI's session id."""
        return self.headers.get("x-claude-code-session-id", "")

    @property
    def agent(self) -> str:
        """The id of the subagent that asks; empty for the main thread."""
        return self.headers.get("x-claude-code-agent-id", "")

    @property
    def model(self) -> str:
        return str(self.body.get("model", ""))

    @property
    def streaming(self) -> bool:
        return self.body.get("stream") is True

    @property
    def tools(self) -> tuple[str, ...]:
        """The names of the tools that are offered, in the CLI's order."""
        return tuple(str(tool.get("name", "")) for tool in _dicts(self.body.get("tools")))

    @property
    def messages(self) -> tuple[Mapping[str, Any], ...]:
        """The whole conversation, oldest first."""
        return tuple(_dicts(self.body.get("messages")))

    @property
    def fresh(self) -> bool:
        """A prompt that opens a turn, and not one that was folded into a running one."""
        return bool(self.prompt) and (self.interruptions > 0 or not self.results)

    @property
    def woken(self) -> bool:
        """The CLI opens a turn by itself, since a background task has ended."""
        return not self.prompt and not self.results and "<task-notification>" in self.note


def read_request(method: str, target: str, headers: Mapping[str, str], body: Mapping[str, Any]) -> Asked:
    """The request as a value; never raises, whatever the body holds.

    `target` is the path with its query, `body` the decoded JSON object (empty if there was none).
    """
    path = target.partition("?")[0]
    last, after = _last_user_message(_dicts(body.get("messages")))
    texts = [str(block.get("text", "")) for block in last if block.get("type") == "text"]
    system_texts = [_text(message.get("content")) for message in after]
    own = [text for text in _after_interruption(texts) if not text.startswith(CLI_SPEAKS)]
    asked = Asked(
        method=method,
        path=path,
        headers={name.lower(): value for name, value in headers.items()},
        body=body,
        prompt="\n".join(_unfolded(own) or _folded(system_texts)).strip(),
        note="\n".join([text for text in texts if text.startswith(CLI_SPEAKS)] + system_texts),
        results=tuple(_result(block) for block in last if block.get("type") == "tool_result"),
        interruptions=sum(text.startswith(INTERRUPTED) for text in texts),
    )
    return msgspec.structs.replace(asked, aside=_aside(asked, texts))


def _dicts(value: object) -> list[Mapping[str, Any]]:
    return [item for item in value if isinstance(item, Mapping)] if isinstance(value, list) else []


def _last_user_message(
    messages: Sequence[Mapping[str, Any]],
) -> tuple[list[Mapping[str, Any]], Sequence[Mapping[str, Any]]]:
    """The blocks of the last user message, and the messages after it: the CLI ends with system messages at times."""
    for index in range(len(messages) - 1, -1, -1):
        if messages[index].get("role") == "user":
            return _blocks(messages[index].get("content")), messages[index + 1 :]
    return [], ()


def _blocks(content: object) -> list[Mapping[str, Any]]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else _dicts(content)


def _text(content: object) -> str:
    return "\n".join(str(block.get("text", "")) for block in _blocks(content))


def _after_interruption(texts: list[str]) -> list[str]:
    """A prompt that was cut short stands in the same message as the next one."""
    marks = [index for index, text in enumerate(texts) if text.startswith(INTERRUPTED)]
    return texts[marks[-1] + 1 :] if marks else texts


def _unfolded(texts: Sequence[str]) -> list[str]:
    return [found[1] if (found := FOLDED.match(text)) else text for text in texts]


def _folded(system_texts: Sequence[str]) -> list[str]:
    return [found[1] for text in system_texts if (found := FOLDED.search(text))]


def _result(block: Mapping[str, Any]) -> Result:
    return Result(
        call_id=str(block.get("tool_use_id", "")),
        text=_text(block.get("content")),
        failed=block.get("is_error") is True,
    )


def _aside(asked: Asked, texts: Sequence[str]) -> Aside:
    return next(_reasons(asked, "\n".join(texts)), "")


def _reasons(asked: Asked, text: str) -> Iterator[Aside]:
    if asked.path.endswith("/count_tokens"):
        yield "count"
    if asked.body.get("max_tokens") == 1:
        yield "quota"
    if asked.tools == ("web_search",):
        yield "search"
    if not asked.tools and _wants_json(asked.body):
        yield "title"
    if not asked.tools and text.lstrip().startswith("Web page content:"):
        yield "page"
    if "[SUGGESTION MODE" in text:
        yield "suggestion"
    if "<analysis>" in text and "<summary>" in text:
        yield "summary"


def _wants_json(body: Mapping[str, Any]) -> bool:
    config = body.get("output_config")
    return isinstance(config, Mapping) and isinstance(config.get("format"), Mapping)
