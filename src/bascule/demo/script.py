"""The script language: what the scripted model says, thinks, calls, and how it fails, as values.

A script is a row of turns, a turn a row of steps. Each prompt of a person takes a turn: the first one in the script
whose condition (`when`) fits, else the next one without a condition. Within a turn the steps make up messages by
themselves, since a call must be answered before the model goes on:

    Script(
        turn(
            say("Let me look."), call("Read", file_path="/tmp/a"), call("Read", file_path="/tmp/b"),  # one message
            say("Both are fine."),  # the next one
        ),
        turn(fail(529, times=2), say("Sorry for the wait.")),  # two errors, then an answer
        turn(say("What you deny, I leave."), when=when(prompt="deny")),
    )

Calls that follow each other are one message (parallel calls). `stop`, `cut`, `drop` and `fail` end a message, and
`reply` makes one of exactly the steps it is given. `choose` and `respond` pick the steps by what came back.

Not here: which turn a request takes (`play`), the Messages API (`stream`, `model`), files (`load`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

import msgspec

from bascule.demo.asked import Aside, Asked
from bascule.errors import OptionError

CHUNK: Final = 24
"""Characters in one streamed delta, unless the script or the step says otherwise."""

WARN_AT: Final = 0.9
"""The part of a rate limit's window from which the API warns."""

ERROR_TYPES: Final[Mapping[int, str]] = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    500: "api_error",
    529: "overloaded_error",
}


def check_pace(chunk: int | None, delay_s: float | None) -> None:
    """Raises `OptionError` for a delta of no characters or a pause of less than no time."""
    if chunk is not None and chunk < 1:
        raise OptionError(f"a delta has at least one character, not chunk={chunk}")
    if delay_s is not None and delay_s < 0:
        raise OptionError(f"a pause takes some time or none, not {delay_s} s")


class Paced(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What streams in deltas: how long each is, how long the pause after it. None: as the script says."""

    chunk: int | None = None
    delay_s: float | None = None

    def __post_init__(self) -> None:
        check_pace(self.chunk, self.delay_s)


class Say(Paced, frozen=True):
    """A text block. See `say`."""

    text: str = msgspec.field(name="say")


class Think(Paced, frozen=True):
    """A thinking block. See `think`."""

    text: str = msgspec.field(name="think")
    signature: str = "c2NyaXB0ZWQ="


class Call(Paced, frozen=True):
    """A tool call. See `call`; made directly it can have an `id` or unparsable input (`raw`) as well."""

    tool: str = msgspec.field(name="call")
    input: Mapping[str, Any] = {}
    id: str = ""
    """Empty: the model makes one."""
    raw: str | None = None
    """Sent in place of `input`, piece by piece, whether it is JSON or not."""


class Block(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A content block of any kind. See `block`."""

    content: Mapping[str, Any] = msgspec.field(name="block")


class Wait(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The reply stands still until a gate is opened. See `wait`."""

    gate: str = msgspec.field(name="wait")


class Pause(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The reply stands still for a time. See `pause`."""

    seconds: float = msgspec.field(name="pause")

    def __post_init__(self) -> None:
        check_pace(None, self.seconds)


class Fail(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An API error. See `fail`."""

    status: int = msgspec.field(name="fail")
    message: str = "scripted failure"
    type: str = ""
    """Empty: the type that goes with the status."""
    headers: Mapping[str, str] = {}
    times: int = 1

    def __post_init__(self) -> None:
        if not 400 <= self.status <= 599:
            raise OptionError(f"an error has a status from 400 to 599, not {self.status}")
        if self.times < 1:
            raise OptionError(f"an error comes at least once, not times={self.times}")

    @property
    def kind(self) -> str:
        """The `error.type` of the answer."""
        return self.type or ERROR_TYPES.get(self.status, "api_error")


class Cut(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The stream breaks off. See `cut`."""

    where: Literal["after", "inside"] = msgspec.field(name="cut", default="after")


class Drop(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The connection is closed without an answer. See `drop`."""

    drop: Literal[True] = True


class Stop(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The message's `stop_reason`. See `stop`."""

    reason: str = msgspec.field(name="stop")


class Usage(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Token counts of a message. See `usage`."""

    input: int | None = msgspec.field(name="usage", default=None)
    output: int | None = None
    cache_read: int | None = None
    cache_creation: int | None = None


class Headers(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Headers of the response. See `headers`."""

    values: Mapping[str, str] = msgspec.field(name="headers")


Part: TypeAlias = Say | Think | Call | Block | Wait | Pause | Fail | Cut | Drop | Stop | Usage | Headers
"""A step that stands in a message."""


class Reply(msgspec.Struct, frozen=True):
    """One message of the model, or one failed request. See `reply`."""

    parts: tuple[Part, ...]


class When(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A condition on a request. See `when`."""

    prompt: tuple[str, ...] = ()
    pattern: str = ""
    note: tuple[str, ...] = ()
    result: tuple[str, ...] = ()
    refused: bool | None = None
    failed: bool | None = None
    agent: bool | None = None
    aside: Aside | None = None

    def __post_init__(self) -> None:
        try:
            re.compile(self.pattern)
        except re.error as exc:
            raise OptionError(f"the pattern {self.pattern!r} is no regular expression: {exc}") from exc

    def fits(self, asked: Asked) -> bool:
        """Every field that is given holds."""
        outcomes = asked.results
        return (
            _says(asked.prompt, self.prompt)
            and re.search(self.pattern, asked.prompt, re.IGNORECASE) is not None
            and _says(asked.note, self.note)
            and _says("\n".join(result.text for result in outcomes), self.result)
            and self.refused in (None, any(result.refused for result in outcomes))
            and self.failed in (None, any(result.failed for result in outcomes))
            and self.agent in (None, bool(asked.agent))
            and asked.aside == (self.aside or "")
        )


class Case(msgspec.Struct, frozen=True):
    """Steps for one outcome. See `case`."""

    steps: tuple[Step, ...]
    when: When = When()


class Choose(msgspec.Struct, frozen=True):
    """The first case that fits. See `choose`."""

    cases: tuple[Case, ...]


class Respond(msgspec.Struct, frozen=True):
    """Steps made from the request. See `respond`."""

    make: Callable[[Asked], Step | Sequence[Step]]


Step: TypeAlias = Part | Reply | Choose | Respond


class Turn(msgspec.Struct, frozen=True):
    """What the model does from a prompt on. See `turn`."""

    steps: tuple[Step, ...]
    when: When | None = None


UNSCRIPTED: Final = "(Scripted model: no turn of the script fits this prompt, and none is left.)"


@dataclass(frozen=True, init=False, slots=True)
class Script:
    """Everything the model will say.

    `turns`: a lone step counts as a turn of its own. `otherwise`: the answer where no turn fits, which may be used
    any number of times. `chunk` and `delay_s` set how texts stream: characters in a delta, seconds between deltas.

    >>> Script(say("hi"), turn(call("Read", file_path="/tmp/a"), say("done"))).turns[0]
    Turn(steps=(Say(text='hi', chunk=None, delay_s=None),), when=None)
    """

    turns: tuple[Turn, ...]
    otherwise: tuple[Step, ...]
    chunk: int
    delay_s: float

    def __init__(
        self,
        *turns: Turn | Step,
        otherwise: Sequence[Step] = (Say(UNSCRIPTED),),
        chunk: int = CHUNK,
        delay_s: float = 0.0,
    ) -> None:
        check_pace(chunk, delay_s)
        whole = tuple(one if isinstance(one, Turn) else Turn((one,)) for one in turns)
        for name, value in (("turns", whole), ("otherwise", tuple(otherwise)), ("chunk", chunk), ("delay_s", delay_s)):
            object.__setattr__(self, name, value)


def turn(*steps: Step, when: When | None = None) -> Turn:
    """What the model does from one prompt to the end of its answer.

    Without `when` the turn is taken once, in its order, by a person's prompt on the main thread. With `when` it is
    taken as often as it fits, also by a subagent or by a turn that the CLI starts itself. `say("")` is an empty answer.
    """
    if not steps:
        raise OptionError('a turn has at least one step; an empty answer is say("")')
    return Turn(steps, when)


def reply(*parts: Part) -> Reply:
    """One message of exactly these steps, where the grouping by itself would make another."""
    return Reply(parts)


def say(text: str, *, chunk: int | None = None, delay_s: float | None = None) -> Say:
    """A text block, streamed `chunk` characters at a time with `delay_s` seconds after each delta."""
    return Say(text, chunk=chunk, delay_s=delay_s)


def think(
    text: str, *, signature: str = "c2NyaXB0ZWQ=", chunk: int | None = None, delay_s: float | None = None
) -> Think:
    """A thinking block with its signature, which the CLI hands back unread."""
    return Think(text, signature, chunk=chunk, delay_s=delay_s)


def call(tool: str, /, **input: Any) -> Call:
    """A call of `tool`, a model-side name such as `Bash` or `mcp__server__tool`, with its input as keywords."""
    return Call(tool, input)


def block(**content: Any) -> Block:
    """A block of any kind, sent at once: `block(type="server_tool_use", id="srvtoolu_1", name=…, input={…})`."""
    return Block(content)


def wait(gate: str) -> Wait:
    """The reply stands still here until `model.gate(gate).open()`; as the first step, nothing is sent before."""
    return Wait(gate)


def pause(seconds: float) -> Pause:
    """The reply stands still here for a time. A test wants `wait` instead."""
    return Pause(seconds)


def fail(
    status: int,
    type: str = "",
    message: str = "scripted failure",
    *,
    headers: Mapping[str, str] | None = None,
    times: int = 1,
) -> Fail:
    """An API error with this HTTP status, for `times` requests on end; `headers` may hold `retry-after`.

    Behind other steps of the same message the stream has begun, so the error comes as an event in it.
    """
    return Fail(status, message, type, headers or {}, times)


def cut(where: Literal["after", "inside"] = "after") -> Cut:
    """The connection breaks behind the block before it, or inside: that block's text is sent, its end is not."""
    return Cut(where)


def drop() -> Drop:
    """The connection is closed before any byte of an answer."""
    return Drop()


def stop(reason: str) -> Stop:
    """Ends the message with this `stop_reason`, such as `max_tokens` or `refusal`."""
    return Stop(reason)


def usage(
    *,
    input: int | None = None,
    output: int | None = None,
    cache_read: int | None = None,
    cache_creation: int | None = None,
) -> Usage:
    """Token counts of the message it stands in; what is not given is estimated from the texts."""
    return Usage(input, output, cache_read, cache_creation)


def headers(values: Mapping[str, str]) -> Headers:
    """Headers of the response to this message, such as those that `rate_limit` makes."""
    return Headers(values)


def rate_limit(
    status: Literal["allowed", "allowed_warning", "rejected"], *, used: float, resets_at: int
) -> dict[str, str]:
    """The headers that tell the state of the five-hour window: `used` from 0 to 1, `resets_at` in epoch seconds.

    For `headers(…)`, or for `fail(429, headers=…)` when it is rejected. The CLI makes events of them only when it is
    logged in with a token, not with an API key (18_ratelimit_apikey, both versions), and takes a warning for one
    only with the threshold that was passed.
    """
    name = "anthropic-ratelimit-unified"
    warning = {f"{name}-5h-surpassed-threshold": f"{WARN_AT:g}"} if status == "allowed_warning" else {}
    return {
        **warning,
        f"{name}-status": status,
        f"{name}-reset": str(resets_at),
        f"{name}-representative-claim": "five_hour",
        f"{name}-5h-status": status,
        f"{name}-5h-reset": str(resets_at),
        f"{name}-5h-utilization": f"{used:g}",
    }


def choose(*cases: Case) -> Choose:
    """The steps of the first case that fits the request that came back; none fits: nothing, the turn goes on."""
    return Choose(cases)


def case(*steps: Step, when: When | None = None) -> Case:
    """Steps for `choose`, taken when the condition fits; without one, always."""
    return Case(steps, when or When())


def respond(make: Callable[[Asked], Step | Sequence[Step]]) -> Respond:
    """Steps that `make` returns for the request that came back: `respond(lambda asked: say(asked.prompt.upper()))`."""
    return Respond(make)


def when(
    *,
    prompt: str | Sequence[str] = (),
    pattern: str = "",
    note: str | Sequence[str] = (),
    result: str | Sequence[str] = (),
    refused: bool | None = None,
    failed: bool | None = None,
    agent: bool | None = None,
    aside: Aside | None = None,
) -> When:
    """A condition on what the CLI asked; every field that is given must hold.

    `prompt`, `note` and `result` are found anywhere in the person's words, in the CLI's own, in the results of the
    calls; several texts: any of them; letter case does not count. `pattern` is a regular expression on the prompt.
    After a turn that failed the CLI sends its prompt again together with the next one: both are the prompt then.
    `refused` and `failed`: some call was denied, or ended in an error of any kind. `agent`: a subagent asks, or the
    main thread. `aside`: a request outside the conversation, which fits only a condition that names it.
    """
    return When(_several(prompt), pattern, _several(note), _several(result), refused, failed, agent, aside)


def _several(texts: str | Sequence[str]) -> tuple[str, ...]:
    return (texts,) if isinstance(texts, str) else tuple(texts)


def _says(text: str, wanted: tuple[str, ...]) -> bool:
    lowered = text.lower()
    return not wanted or any(one.lower() in lowered for one in wanted)
