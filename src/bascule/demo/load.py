"""Scripts from files: TOML or JSON in, a `Script` out, and a plain word about what is wrong.

Each step is a table that begins with its verb, named as in `script`; a lone text is something to say:

    chunk = 12
    delay_s = 0.02
    otherwise = ["I only know how to fix the bug."]

    [[turn]]
    when = { prompt = ["fix", "repair"] }
    step = [
      { think = "Where is it?" },
      { say = "I look first." },
      { call = "Read", input = { file_path = "/tmp/basket.py" } },
      { choose = [{ when = { refused = true }, step = ["I leave it, then."] }, { step = ["Seen."] }] },
    ]

    [[turn]]
    step = [{ fail = 529, times = 2, headers = { retry-after = "1" } }, { wait = "gate" }, { reply = ["One."] }]

`respond` has no form here, since a file holds no code.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from typing import Any, Final, TypeVar

import msgspec

from bascule.demo.script import (
    CHUNK,
    Block,
    Call,
    Case,
    Choose,
    Cut,
    Drop,
    Fail,
    Headers,
    Part,
    Pause,
    Reply,
    Say,
    Script,
    Step,
    Stop,
    Think,
    Turn,
    Usage,
    Wait,
    When,
)
from bascule.errors import OptionError

PARTS: Final[Mapping[str, type[Part]]] = {
    kind.__struct_encode_fields__[0]: kind
    for kind in (Say, Think, Call, Block, Wait, Pause, Fail, Cut, Drop, Stop, Usage, Headers)
}
"""Verb to step: the first field of each is called in a file what the step is called.

`headers` comes last, since it is a field of `fail` as well: a table with both is an error with headers.
"""

VERBS: Final = (*PARTS, "reply", "choose")
T = TypeVar("T")


class _Pace(msgspec.Struct, frozen=True):
    chunk: int = CHUNK
    delay_s: float = 0.0


def load_script(text: str) -> Script:
    """The script that a TOML or JSON text describes.

    Raises `OptionError` with the place, such as `turn[2].step[0]`, and what was expected there.

    >>> load_script('{"turn": [{"step": ["hi"]}]}').turns[0].steps[0].text
    'hi'
    """
    top = _table(_parse(text), "the script", ("turn", "otherwise", "chunk", "delay_s"))
    turns = [_turn(row, f"turn[{index}]") for index, row in enumerate(_list(top.get("turn", []), "turn"))]
    pace = _convert({name: top[name] for name in ("chunk", "delay_s") if name in top}, _Pace, "the script")
    if "otherwise" in top:
        return Script(*turns, otherwise=_steps(top["otherwise"], "otherwise"), chunk=pace.chunk, delay_s=pace.delay_s)
    return Script(*turns, chunk=pace.chunk, delay_s=pace.delay_s)


def _parse(text: str) -> object:
    """JSON if it begins like an object, which no TOML does."""
    try:
        return json.loads(text) if text.lstrip().startswith("{") else tomllib.loads(text)
    except (json.JSONDecodeError, tomllib.TOMLDecodeError) as exc:
        raise OptionError(f"the script is neither JSON nor TOML: {exc}") from exc


def _turn(row: object, at: str) -> Turn:
    table = _table(row, at, ("when", "step"))
    return Turn(
        _steps(table.get("step"), f"{at}.step"), _when(table["when"], f"{at}.when") if "when" in table else None
    )


def _case(row: object, at: str) -> Case:
    table = _table(row, at, ("when", "step"))
    return Case(_steps(table.get("step"), f"{at}.step"), _when(table.get("when", {}), f"{at}.when"))


def _steps(value: object, at: str) -> tuple[Step, ...]:
    steps = tuple(_step(item, f"{at}[{index}]") for index, item in enumerate(_list(value, at)))
    if not steps:
        raise OptionError(f'{at}: at least one step is needed; an empty answer is {{ say = "" }}')
    return steps


def _step(item: object, at: str) -> Step:
    match item:
        case {"choose": rows}:
            _table(item, at, ("choose",))
            return Choose(tuple(_case(row, f"{at}.choose[{n}]") for n, row in enumerate(_list(rows, f"{at}.choose"))))
        case {"reply": parts}:
            _table(item, at, ("reply",))
            return Reply(tuple(_part(part, f"{at}.reply[{n}]") for n, part in enumerate(_list(parts, f"{at}.reply"))))
        case _:
            return _part(item, at)


def _part(item: object, at: str) -> Part:
    """A step without steps of its own."""
    match item:
        case str():
            return Say(item)
        case dict() if verb := next((verb for verb in PARTS if verb in item), None):
            return _convert(item, PARTS[verb], at)
        case dict():
            raise OptionError(f"{at}: {sorted(item)} names no step; the steps are {', '.join(VERBS)}")
        case _:
            raise OptionError(f"{at}: a step is a text or a table, not {item!r}")


def _when(value: object, at: str) -> When:
    table = dict(_table(value, at, When.__struct_fields__))
    texts = {name: [table[name]] for name in ("prompt", "note", "result") if isinstance(table.get(name), str)}
    return _convert({**table, **texts}, When, at)


def _table(value: object, at: str, known: tuple[str, ...]) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise OptionError(f"{at}: a table is expected here, not {value!r}")
    if unknown := [name for name in value if name not in known]:
        raise OptionError(f"{at}: unknown key {unknown[0]!r}; known are {', '.join(known)}")
    return value


def _list(value: object, at: str) -> list[Any]:
    if not isinstance(value, list):
        raise OptionError(f"{at}: a list is expected here, not {value!r}")
    return value


def _convert(value: Mapping[str, Any], kind: type[T], at: str) -> T:
    try:
        return msgspec.convert(value, kind)
    except (msgspec.ValidationError, OptionError) as exc:
        raise OptionError(f"{at}: {exc}") from exc
