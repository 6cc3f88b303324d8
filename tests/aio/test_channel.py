"""`Channel` hands over in order, tells a slow reader, and loses nothing to a cancellation."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bascule.aio.channel import Channel, Taken


async def test_items_come_in_the_order_they_were_put() -> None:
    channel: Channel[int] = Channel(limit=3)
    for item in (1, 2, 3):
        channel.put(item)
    assert await channel.take() == Taken((1, 2, 3), lagged=False)


async def test_a_full_channel_is_cleared_and_its_reader_told_once() -> None:
    channel: Channel[int] = Channel(limit=2)
    for item in (1, 2, 3):
        channel.put(item)
    assert await channel.take() == Taken((3,), lagged=True)
    channel.put(4)
    assert await channel.take() == Taken((4,), lagged=False)


async def test_a_wake_up_brings_no_item_and_several_are_one() -> None:
    channel: Channel[int] = Channel(limit=1)
    channel.wake()
    channel.wake()
    assert await channel.take() == Taken((), lagged=False)
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0):
            await channel.take()


async def test_a_reader_waits_for_news() -> None:
    channel: Channel[str] = Channel(limit=1)
    async with asyncio.TaskGroup() as group:
        reader = group.create_task(channel.take(), name="reader")
        asyncio.get_running_loop().call_soon(channel.put, "late")
    assert reader.result() == Taken(("late",), lagged=False)


async def test_closing_wakes_the_reader_who_gets_none_for_ever() -> None:
    channel: Channel[int] = Channel(limit=1)
    async with asyncio.TaskGroup() as group:
        reader = group.create_task(channel.take(), name="reader")
        asyncio.get_running_loop().call_soon(channel.close)
    assert reader.result() is None
    assert await channel.take() is None


async def test_what_waits_in_a_closed_channel_can_be_taken() -> None:
    channel: Channel[int] = Channel(limit=2)
    channel.put(1)
    channel.close()
    channel.close()
    channel.put(2)
    assert await channel.take() == Taken((1,), lagged=False)
    assert await channel.take() is None


async def test_a_cancelled_reader_takes_nothing() -> None:
    channel: Channel[int] = Channel(limit=2)
    async with asyncio.TaskGroup() as group:
        reader = group.create_task(channel.take(), name="reader")
        loop = asyncio.get_running_loop()
        loop.call_soon(channel.put, 1)
        loop.call_soon(reader.cancel)
    assert reader.cancelled()
    assert await channel.take() == Taken((1,), lagged=False)


async def test_writers_never_wait_for_a_reader_that_is_stalled() -> None:
    channel: Channel[int] = Channel(limit=10)
    for item in range(100_005):
        channel.put(item)
    taken = await channel.take()
    assert taken is not None
    assert taken.lagged
    assert taken.items[-1] == 100_004
    assert len(taken.items) <= 10


@given(st.integers(1, 5), st.lists(st.one_of(st.none(), st.integers())))
async def test_nothing_is_lost_unsaid_and_nothing_is_doubled(limit: int, moves: list[int | None]) -> None:
    """`None` stands for the reader's turn. Whoever did not lag has seen every item, in order."""
    channel: Channel[int] = Channel(limit)
    put: list[int] = []
    for move in [*moves, None]:
        if move is not None:
            channel.put(move)
            put.append(move)
        elif put:
            taken = await channel.take()
            assert taken is not None
            assert taken.lagged == (len(put) > limit)
            assert list(taken.items) == put[len(put) - len(taken.items) :]
            assert taken.lagged or len(taken.items) == len(put)
            put.clear()
