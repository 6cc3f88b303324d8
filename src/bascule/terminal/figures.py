"""Numbers as people read them: durations, money, tokens, sizes, the time of day."""

from __future__ import annotations

from datetime import UTC, datetime, tzinfo


def duration(ms: float) -> str:
    """`0.4 s`, `12 s`, `2 m 14 s`, `1 h 3 m`."""
    seconds = ms / 1000
    if seconds < 9.95:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    if minutes < 60:
        return f"{minutes} m {rest} s" if rest else f"{minutes} m"
    return f"{minutes // 60} h {minutes % 60} m"


def money(usd: float) -> str:
    """Cents where they matter, four places below a cent: `$1.84`, `$0.0031`."""
    return f"${usd:.2f}" if usd >= 0.995 or usd == 0 else f"${usd:.4f}" if usd < 0.01 else f"${usd:.3f}"


def count(number: int) -> str:
    """`300`, `1.2 k`, `12 k`, `3.4 M`."""
    for unit, size in (("M", 1_000_000), ("k", 1_000)):
        if number >= size - size // 2000:
            value = number / size
            return f"{value:.1f} {unit}" if value < 9.95 else f"{value:.0f} {unit}"
    return str(number)


def percent(value: float) -> str:
    """`3 %`; what is little but not nothing is `< 1 %`."""
    return "< 1 %" if 0 < value < 1 else f"{value:.0f} %"


def counted(number: int, one: str, many: str | None = None) -> str:
    """`1 line`, `2 lines`."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def clock(ms: int, zone: tzinfo | None = None) -> str:
    """The time of day, in the local zone unless another is given."""
    return datetime.fromtimestamp(ms / 1000, tz=UTC).astimezone(zone).strftime("%H:%M")


def moment(ms: int, zone: tzinfo | None = None) -> str:
    """`2026-11-30 14:05`, in the local zone unless another is given."""
    return datetime.fromtimestamp(ms / 1000, tz=UTC).astimezone(zone).strftime("%Y-%m-%d %H:%M")
