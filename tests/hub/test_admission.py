"""So many sessions live as the machine can bear, wherever they are started from."""

import pytest

from bascule.errors import HubFull
from bascule.hub.admission import Admission, free_mb
from bascule.ids import SessionId

A, B, C = SessionId("a"), SessionId("b"), SessionId("c")


def test_L69_F48_what_others_that_start_will_need_is_reserved() -> None:
    places = Admission(free_mb=lambda: 2000, reserve_mb=700)
    places.take(A)
    places.take(B)
    with pytest.raises(HubFull, match="2000 MB are free"):
        places.take(C)
    places.settled(A)
    places.settled(B)
    places.take(C)
    assert places.live == 3


def test_one_session_may_always_live() -> None:
    places = Admission(free_mb=lambda: 10)
    places.take(A)
    places.take(A)
    with pytest.raises(HubFull):
        places.take(B)
    places.leave(A)
    places.leave(A)
    places.take(B)
    assert places.live == 1


def test_where_nobody_can_tell_the_memory_the_number_counts() -> None:
    places = Admission(free_mb=lambda: None, max_live=1)
    places.take(A)
    with pytest.raises(HubFull, match="max_live"):
        places.take(B)


def test_what_the_system_tells_of_its_memory() -> None:
    assert free_mb("MemTotal: 9 kB\nMemAvailable:   2048000 kB\n") == 2000
    assert free_mb("MemTotal: 9 kB\n") is None
