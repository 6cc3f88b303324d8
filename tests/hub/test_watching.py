"""A turn that says nothing is worth a word when nothing explains it, and never before."""

from typing import Any

import pytest
from msgspec.structs import replace

from bascule.hub.sketch import Sketch
from bascule.hub.watching import REASONS_S, SILENCE_S, TOOL_S, stalled
from bascule.ids import PendingId

RUNS = Sketch(running=True)
MINUTE = 60_000


def after(minutes: float, sketch: Sketch, *, in_tool: bool = False) -> str | None:
    """Why it is told of, after so many minutes of silence."""
    stall = stalled(sketch, now=round(minutes * MINUTE), heard_at=0, in_tool=in_tool)
    return None if stall is None else stall.why


@pytest.mark.parametrize(
    ("more", "in_tool", "holds_s", "why"),
    [
        ({}, False, SILENCE_S, "nothing explains it"),
        ({}, True, TOOL_S, "a tool runs and says nothing"),
        ({"retry_until": 0}, False, REASONS_S["retrying"], "it was retrying, and that should be over"),
        ({"compacting": True}, False, REASONS_S["compacting"], "it was compacting, and that should be over"),
        ({"limited_until": 0}, False, REASONS_S["limited"], "it was limited, and that should be over"),
    ],
)
def test_L74_L75_each_reason_holds_and_none_for_ever(
    more: dict[str, Any], in_tool: bool, holds_s: float, why: str
) -> None:
    sketch = replace(RUNS, **more)
    assert after(holds_s / 60 - 0.1, sketch, in_tool=in_tool) is None
    assert after(holds_s / 60 + 0.1, sketch, in_tool=in_tool) == why


def test_a_person_may_take_for_ever_and_a_session_at_rest_too() -> None:
    assert after(100_000, replace(RUNS, asks={PendingId("r"): "tool"})) is None
    assert after(100_000, Sketch()) is None


def test_a_wait_counts_from_its_own_end() -> None:
    assert after(20, replace(RUNS, retry_until=10 * MINUTE)) is None
    assert after(26, replace(RUNS, retry_until=10 * MINUTE)) is not None


def test_L77_a_model_may_think_for_five_minutes() -> None:
    assert SILENCE_S >= 300
