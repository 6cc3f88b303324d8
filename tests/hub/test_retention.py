"""What is past its limits is decided by plain values."""

from hypothesis import given
from hypothesis import strategies as st

from bascule.hub.retention import DAY_MS, FRESH_MS, MB, Limits, Removal, Standing, removals
from bascule.ids import SessionId

NOW = 1000 * DAY_MS


def standing(name: str, *, days: float = 0, mb: float = 0, in_use: bool = False) -> Standing:
    changed_at = NOW - round(days * DAY_MS)
    return Standing(
        session=SessionId(name), title=name.upper(), changed_at=changed_at, recorded=round(mb * MB), in_use=in_use
    )


def gone(*rows: Standing, **limits: int) -> list[tuple[str, str]]:
    return [(one.what, one.session) for one in removals(rows, Limits(**limits), now=NOW)]


def test_a_session_goes_when_nothing_happened_in_it_for_too_long_the_oldest_first() -> None:
    rows = (standing("a", days=91), standing("b", days=90), standing("c", days=400))
    assert gone(*rows, keep_days=90) == [("session", "c"), ("session", "a")]
    (one,) = removals([rows[0]], Limits(keep_days=90), now=NOW)
    assert one == Removal(
        what="session",
        session=SessionId("a"),
        title="A",
        recorded=0,
        why="nothing happened in it for 91 days (keep_days is 90)",
    )


def test_without_limits_everything_stays() -> None:
    assert gone(standing("a", days=900, mb=9000)) == []


def test_the_oldest_recordings_go_until_the_rest_is_small_enough() -> None:
    rows = [standing(name, days=days, mb=40) for name, days in (("a", 5), ("b", 9), ("c", 7), ("d", 2))]
    assert gone(*rows, recordings_mb=100) == [("recording", "b"), ("recording", "c")]
    assert gone(*rows, recordings_mb=160) == []
    (one,) = removals([standing("a", days=5, mb=40)], Limits(recordings_mb=1), now=NOW)
    assert one.why == "recordings take 40 MB (keep_recordings_mb is 1)"


def test_what_goes_as_too_old_takes_no_recording_of_another_with_it() -> None:
    rows = (standing("a", days=100, mb=80), standing("b", days=50, mb=80))
    assert gone(*rows, keep_days=90, recordings_mb=100) == [("session", "a")]


def test_a_recording_of_today_stays_however_large_it_is_and_an_empty_one_is_none() -> None:
    assert gone(standing("a", days=0.9, mb=5000), standing("b", days=30), recordings_mb=1) == []


ROWS = st.builds(
    standing,
    st.text("abc", min_size=1, max_size=8),
    days=st.floats(-5, 200),
    mb=st.floats(0, 500),
    in_use=st.booleans(),
)


@given(st.lists(ROWS, unique_by=lambda row: row.session), st.integers(0, 120), st.integers(0, 1000))
def test_what_is_in_use_stays_and_each_goes_once_the_oldest_of_its_kind_first(
    rows: list[Standing], keep_days: int, recordings_mb: int
) -> None:
    wanted = removals(rows, Limits(keep_days=keep_days, recordings_mb=recordings_mb), now=NOW)
    known = {row.session: row for row in rows}
    assert not any(known[one.session].in_use for one in wanted)
    assert len({one.session for one in wanted}) == len(wanted)
    for what in ("session", "recording"):
        times = [known[one.session].changed_at for one in wanted if one.what == what]
        assert times == sorted(times)
    stays = [row for row in rows if row.session not in {one.session for one in wanted}]
    if sum(row.recorded for row in stays) > recordings_mb * MB:
        assert all(row.in_use or not row.recorded or NOW - row.changed_at <= FRESH_MS for row in stays)
