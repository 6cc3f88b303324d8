"""A session at rest is put to sleep, and says so; a line of ours stands in its record."""

import asyncio

import pytest

from bascule.errors import LocalProtocolError, SessionClosed
from bascule.events import Complete, Notice, SessionAsleep, SessionEnded
from tests.session.far_end import FarEnd
from tests.session.live import live, seen


async def test_a_session_at_rest_falls_asleep_and_is_not_said_to_have_ended() -> None:
    far = FarEnd()
    async with live(far) as session:
        handle = await session.prompt("Hello")
        far.turn(handle.prompt_id)
        await seen(session, Complete)
        assert session.at_rest
        await session.sleep(idle_s=600)
        assert (await seen(session, SessionAsleep)).idle_s == 600
        assert session.ended
        assert not [event async for event in session.events() if isinstance(event, SessionEnded)]
        with pytest.raises(SessionClosed):
            await session.sleep(idle_s=1)


async def test_a_session_at_work_does_not_fall_asleep() -> None:
    far = FarEnd()
    async with live(far) as session:
        await session.prompt("Hello")
        assert not session.at_rest
        with pytest.raises(LocalProtocolError, match="at work"):
            await session.sleep(idle_s=600)
        assert not session.ended


async def test_a_remark_of_ours_is_a_notice_for_everybody() -> None:
    async with live(FarEnd()) as session:
        session.remark("The turn has said nothing for five minutes.", level="warning")
        notice = await seen(session, Notice)
        assert (notice.level, notice.text) == ("warning", "The turn has said nothing for five minutes.")


async def test_it_is_told_when_more_was_read_and_at_the_end() -> None:
    far = FarEnd()
    async with live(far) as session:
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(session.stirs())
            far.says({"type": "keep_alive"})
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(session.stirs())
            await session.close()
        await session.stirs()
        assert session.ended
