"""What the file of a workspace may say: until the workspace is accepted, only what lets less happen."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from bascule.cli.settings.said import Said, value_below
from bascule.cli.settings.sections import Key

Why: TypeAlias = Literal["not accepted", "yours alone"]

OF_A_WORKSPACE: Final = frozenset(("claude", "policy"))
"""The sections that a workspace can say something in; the rest is about the machine."""
NEVER: Final = frozenset((("claude", "cli"),))
"""What starts is its user's to say, whatever he accepts."""

_ASKS_MORE: Final = frozenset(("supervised", "plan", "rules"))
_TIGHTER: Final[Mapping[str, frozenset[str]]] = {
    "supervised": frozenset(("plan", "rules")),
    "plan-auto": frozenset(("plan",)),
    "acceptEdits": _ASKS_MORE,
    "auto": _ASKS_MORE,
    "bypassPermissions": _ASKS_MORE,
    "autonomous": _ASKS_MORE,
}
"""Policies under which less passes unasked than under the one they take the place of."""

_TIGHTENS: Final[Mapping[Key, Callable[[Any, Any], bool]]] = {
    ("claude", "use_api_billing"): lambda _, said: said is False,
    ("claude", "dangerously_skip_permissions"): lambda _, said: said is False,
    ("policy", "default"): lambda below, said: said in _TIGHTER.get(below, ()),
    ("policy", "auto_approve_plan"): lambda _, said: said is False,
    ("policy", "rearm_plan"): lambda _, said: said is True,
    ("policy", "ask_timeout_s"): lambda below, said: below is None or said < below,
    ("policy", "outline_min_chars"): lambda below, said: said > below,
}
"""Whether a value lets less happen than the one below it."""

_ADDS: Final = frozenset((("claude", "disallowed_tools"),))
"""Lists that only take away: more of them is less."""


class LeftOut(NamedTuple):
    """What a workspace said and does not count."""

    said: Said
    why: Why


class Admitted(NamedTuple):
    """What counts of it, and what does not."""

    said: tuple[Said, ...]
    left_out: tuple[LeftOut, ...]


def admitted(said: Iterable[Said], below: Mapping[Key, Said], *, accepted: bool) -> Admitted:
    """What counts of what a workspace says, where without it ``below`` would hold."""
    counts: list[Said] = []
    left_out: list[LeftOut] = []
    for one in said:
        if one.key[0] not in OF_A_WORKSPACE or one.key in NEVER:
            left_out.append(LeftOut(one, "yours alone"))
        elif accepted:
            counts.append(one)
        elif one.key in _ADDS:
            counts.append(one._replace(adds=True))
        elif one.key in _TIGHTENS and _TIGHTENS[one.key](value_below(below, one.key), one.value):
            counts.append(one)
        else:
            left_out.append(LeftOut(one, "not accepted"))
    return Admitted(tuple(counts), tuple(left_out))
