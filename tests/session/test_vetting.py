"""A CLI of a version that nobody tested is noticed wherever it tells its version."""

from typing import Any

import pytest

from bascule.events import Error, Notice
from bascule.session.vetting import vet_running
from bascule.transport.version import Broken, Version
from tests.session.far_end import FarEnd
from tests.session.live import live, seen


@pytest.mark.parametrize(("initialize", "init"), [({"claude_code_version": "1.0.3"}, "1.0.3"), ({}, "1.0.3")])
async def test_an_untested_version_is_warned_of_once(initialize: dict[str, Any], init: str) -> None:
    far = FarEnd()
    far.answers["initialize"] = initialize
    async with live(far) as session:
        handle = await session.prompt("Hi")
        far.init(claude_code_version=init)
        far.init(claude_code_version=init, tools=["Read"])
        far.text("Hello.")
        far.result(handle.prompt_id)
        await handle
        warned = await seen(session, Notice, lambda notice: notice.level == "warning")
        await session.end()
        warnings = [event async for event in session.events() if isinstance(event, Notice) and event.level == "warning"]
    assert "1.0.3 is older than what bascule was tested with" in warned.text
    assert len(warnings) == 1


async def test_a_tested_version_that_is_told_late_is_no_news() -> None:
    far = FarEnd(speaks_197=True)
    async with live(far) as session:
        handle = await session.prompt("Hi")
        far.turn(handle.prompt_id)
        await handle
        assert session.welcome.version == "2.1.197"
        await session.end()
        assert [event async for event in session.events() if isinstance(event, Notice)] == []


async def test_a_version_that_is_known_to_be_broken_is_told_and_refused() -> None:
    broken = Broken(first=Version(1, 0, 0), last=Version(1, 9, 9), why="asks nobody")
    far = FarEnd()
    async with live(far) as session:
        assert not vet_running(session._line, "1.0.3", broken=[broken])
        assert vet_running(session._line, None, broken=[broken])
        error = await seen(session, Error)
    assert (error.kind, "asks nobody" in error.message) == ("version", True)
