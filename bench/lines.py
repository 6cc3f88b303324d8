"""What the fake CLI prints: lines of the real one, from the recordings that the tests use."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, Final

from bench.subjects.run import END

RECORDINGS: Final = Path(__file__).parents[1] / "tests" / "recordings" / "2.1.332"
NOT_PRINTED: Final = ("control_request", "control_response", "control_cancel_request", "transcript_mirror")
"""Lines that a host would answer, or that are about lines of a host that is not there."""
STAMP: Final = "@" * 19
"""What the fake CLI replaces by the time."""
_RECORDED: Final = re.compile("msg_gt[0-9a-f]+")
SESSION: Final = "00000000-0000-4000-8000-000000000000"


@cache
def recorded() -> tuple[str, ...]:
    """Every line that the CLI wrote of the conversation, all recordings one after another."""
    files = (path.read_bytes().split(b"\n") for path in sorted(RECORDINGS.glob("*.jsonl")))
    entries = (json.loads(line) for lines in files for line in lines if line)
    lines = (entry["line"] for entry in entries if entry["dir"] == "out")
    return tuple(line for line in lines if json.loads(line)["type"] not in NOT_PRINTED)


def mix(count: int) -> Iterator[str]:
    """So many lines of the recordings; each round with ids of its own, so that no call and no message comes twice."""
    rounds = itertools.count()
    again = (_renamed(line, number) for number in rounds for line in recorded())
    return itertools.islice(again, count)


def _renamed(line: str, number: int) -> str:
    return line.replace('"toolu_gt', f'"toolu_{number:02}').replace('"msg_gt', f'"msg_{number:02}')


def deltas(count: int) -> Iterator[str]:
    """So many small lines: pieces of a text while it is written, as recorded, in one message."""
    start = next(line for line in recorded() if '"message_start"' in line)
    piece = next(line for line in recorded() if '"text_delta"' in line)
    yield start
    yield from itertools.repeat(piece, count - 1)


def talk(count: int) -> Iterator[str]:
    """So many whole messages of an assistant, each with an id of its own. They last: none may be lost."""
    whole = next(line for line in recorded() if '"assistant"' in line and '"type":"text"' in line)
    said: dict[str, Any] = json.loads(whole)["message"]
    return (whole.replace(said["id"], f"{said['id']}_{number}") for number in range(count))


def stamped(messages: int, *, pieces: int, number: int = 0) -> Iterator[str]:
    """So many messages that stream: a start, so many small pieces, the whole, an end. The whole says when it is
    printed, where the fake CLI does so; no two are the same, those of another ``number`` neither."""
    lines = recorded()
    start = next(line for line in lines if '"message_start"' in line)
    opening = next(line for line in lines if '"content_block_start"' in line and '"type":"text"' in line)
    piece = next(line for line in lines if '"text_delta"' in line)
    whole = next(line for line in lines if '"assistant"' in line and '"type":"text"' in line)
    text = json.dumps(json.loads(whole)["message"]["content"][0]["text"])
    for each in range(messages):
        name = f"msg_{number}_{each}"
        for line in (start, opening, *itertools.repeat(piece, pieces), whole.replace(text, f'"{name} {STAMP}"')):
            yield _RECORDED.sub(name, line).replace('"index":1', '"index":0')
        yield json.dumps({"type": "stream_event", "event": {"type": "message_stop"}, "session_id": SESSION})


def of_stamped(messages: int, *, pieces: int) -> int:
    """How many lines those are."""
    return messages * (pieces + 4)


def ask() -> str:
    """A request for a permission, as recorded, which a person has to answer."""
    entries = (json.loads(line) for line in (RECORDINGS / "05_parallel_tools.jsonl").read_text().splitlines())
    return next(str(entry["line"]) for entry in entries if entry["dir"] == "out" and '"can_use_tool"' in entry["line"])


def long_line(size: int, sign: str = "") -> str:
    """A line of about ``size`` bytes: a message whose text is a program, escapes and all, and ends in ``sign``."""
    text = 'let x = "a plain sentence of a program";\n'
    line = json.loads(next(talk(1)))
    line["message"]["content"] = [{"type": "text", "text": text * (size // len(json.dumps(text))) + sign}]
    return json.dumps(line, separators=(",", ":"), ensure_ascii=False)


def the_end() -> str:
    """The result that ends the last turn; a program that reads stops here."""
    return json.dumps(
        {
            "type": "result", "subtype": "success", "is_error": False, "result": END, "session_id": SESSION,
            "uuid": SESSION, "num_turns": 1, "duration_ms": 1, "duration_api_ms": 1, "total_cost_usd": 0,
        },
        separators=(",", ":"),
    )  # fmt: skip
