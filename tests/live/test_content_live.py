"""What a prompt may hold, on the real CLI: nothing, very much, names of files, an image that is broken."""

import pytest

from bascule.commands import AttachmentData
from bascule.demo.script import say
from tests.live.stage import Stage, said

BROKEN = b"\x89PNG\r\n\x1a\n" + b"not really" * 4


@pytest.mark.parametrize("text", [" ", "\u2028\u0085\x00", "\ud83d"], ids=["blank", "odd signs", "half a sign"])
async def test_any_text_is_a_prompt(stage: Stage, text: str) -> None:
    async with stage.play(say("Yes?"), say("Back.")) as (session, _):
        assert (await said(session, text)).outcome == "success"
        assert (await said(session, "Still there?")).outcome == "success"


async def test_a_prompt_that_names_a_file_brings_it_along(stage: Stage) -> None:
    stage.path("hello.txt").write_text("the word is swordfish\n")
    async with stage.play(say("Seen.")) as (session, model):
        await said(session, "What stands in @hello.txt?")
        assert "swordfish" in str(model.asked[-1].body)


async def test_an_image_that_is_broken_harms_nobody(stage: Stage) -> None:
    async with stage.play(say("I see none."), say("Back.")) as (session, _):
        image = AttachmentData(name="broken.png", data=BROKEN)
        handle = await session.prompt("Look", attachments=[image])
        assert (await handle).outcome in ("success", "error")
        assert (await said(session, "Still there?")).outcome == "success"


async def test_a_prompt_of_twenty_megabytes_is_answered_or_refused_and_never_hangs(stage: Stage) -> None:
    """2.1.332 refuses it by itself, 2.1.197 sends it."""
    async with stage.play(say("So much!"), say("Back.")) as (session, model):
        complete = await said(session, "ten letters" * 2_000_000)
        assert complete.outcome == ("error" if stage.newer else "success")
        assert len(model.asked) == (0 if stage.newer else 1)
        assert session.quiet_s < 20
