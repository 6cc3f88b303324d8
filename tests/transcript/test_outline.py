"""What the model wrote of its plan, since a person wanted to read it."""

from bascule.events import MessageChunk, Reasoning
from bascule.ids import PendingId
from bascule.recording import Decided, Judged
from bascule.transcript.outline import Outline

SENT_BACK = Decided(pending_id=PendingId("r1"), outcome="denied", outlines=True)
DENIED = Decided(pending_id=PendingId("r2"), outcome="denied")
TOO_EARLY = Judged(verdict="deny", rule="outline first")


def text_of(outline: Outline) -> str | None:
    return outline.text


def wrote(outline: Outline, *texts: str) -> None:
    outline.wrote([MessageChunk(item="m:0", text=text) for text in texts])


def test_what_is_written_counts_from_when_it_was_wanted() -> None:
    outline = Outline()
    wrote(outline, "Hello.")
    assert text_of(outline) is None
    outline.decided(SENT_BACK)
    assert text_of(outline) == ""
    wrote(outline, "1.", "2.")
    outline.wrote([Reasoning(item="m:1", reasoning_text="hm")])
    assert text_of(outline) == "1.\n\n2."


def test_an_outline_lasts_until_a_person_decides() -> None:
    outline = Outline()
    outline.decided(SENT_BACK)
    wrote(outline, "1.")
    outline.decided(TOO_EARLY)
    assert text_of(outline) == "1."
    outline.decided(DENIED)
    assert text_of(outline) is None


def test_what_allows_a_plan_unasked_ends_the_outline_too() -> None:
    outline = Outline()
    outline.decided(SENT_BACK)
    outline.decided(Judged(verdict="allow", rule="plan-auto"))
    assert text_of(outline) is None


def test_requests_that_came_too_early_are_counted_from_when_the_outline_was_wanted() -> None:
    outline = Outline()
    for wanted in (SENT_BACK, SENT_BACK):
        outline.decided(wanted)
        counts = []
        for _ in range(3):
            outline.decided(TOO_EARLY)
            counts.append(outline.refusals)
        assert counts == [1, 2, 3]


def test_another_process_knows_of_no_outline() -> None:
    outline = Outline()
    outline.decided(SENT_BACK)
    outline.process_began()
    assert text_of(outline) is None
