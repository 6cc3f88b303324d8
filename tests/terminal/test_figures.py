"""Numbers as people read them."""

from datetime import UTC

import pytest

from bascule.terminal.figures import clock, count, counted, duration, moment, money, percent


@pytest.mark.parametrize(
    ("ms", "text"),
    [(0, "0.0 s"), (400, "0.4 s"), (9_940, "9.9 s"), (9_950, "10 s"), (59_499, "59 s"), (59_500, "1 m"),
     (134_000, "2 m 14 s"), (3_599_600, "1 h 0 m"), (3_780_000, "1 h 3 m")],
)  # fmt: skip
def test_duration(ms: float, text: str) -> None:
    assert duration(ms) == text


@pytest.mark.parametrize(
    ("usd", "text"), [(0, "$0.00"), (0.0031, "$0.0031"), (0.0456, "$0.046"), (0.9949, "$0.995"), (1.84, "$1.84")]
)
def test_money(usd: float, text: str) -> None:
    assert money(usd) == text


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0, "0"),
        (999, "999"),
        (1_000, "1.0 k"),
        (9_949, "9.9 k"),
        (12_345, "12 k"),
        (999_600, "1.0 M"),
        (3_400_000, "3.4 M"),
    ],
)
def test_count(number: int, text: str) -> None:
    assert count(number) == text


@pytest.mark.parametrize(("value", "text"), [(0, "0 %"), (0.4, "< 1 %"), (3.2, "3 %"), (100, "100 %")])
def test_percent(value: float, text: str) -> None:
    assert percent(value) == text


def test_one_is_singular() -> None:
    assert (counted(1, "line"), counted(2_000, "line"), counted(2, "match", "matches")) == (
        "1 line",
        "2,000 lines",
        "2 matches",
    )


def test_the_time_of_day() -> None:
    assert clock(1_700_000_000_000, UTC) == "22:13"
    assert moment(1_700_000_000_000, UTC) == "2023-11-14 22:13"
