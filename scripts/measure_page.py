"""How smoothly ten thousand items of a transcript scroll and stream, in frames: figures to look at, not a test.

``python -m scripts.measure_page`` prints them; docs/reference/benchmarks.md says what they were.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from bascule import events as told
from bascule.events import AnyEvent
from bascule.ids import PromptId, SessionId
from bascule.payload import ModifyFile, Mutation, ReadFile, ReadOutput, ShellExec, ShellOutput
from tests.e2e.chromium import Tab, chromium, new_tab
from tests.e2e.stage import ANSWER, HUNK, Stage, ran, stage

TURNS: Final = 500
ITEMS: Final = 20
"""Of each turn."""
NAME: Final = SessionId("audit")

PAINT: Final = "performance.getEntriesByName('first-contentful-paint')[0].startTime"
ALL_THERE: Final = (
    "(document.querySelector('.bs-scroll').scrollTop = 0, document.body.innerText.includes('Prompt 0\\n'))"
)
FRAMES: Final = """new Promise((done) => {
    const box = document.querySelector('.bs-scroll');
    const took = [];
    let last = performance.now();
    const frame = (now) => {
        took.push(now - last);
        last = now;
        BEFORE
        if (took.length < COUNT) requestAnimationFrame(frame);
        else done(took.slice(5).sort((a, b) => a - b));
    };
    requestAnimationFrame(frame);
})"""


def items() -> Iterator[AnyEvent]:
    """What a long session is made of: prompts, reading, commands, changes, answers."""
    for turn in range(TURNS):
        prompt = PromptId(f"p{turn}")
        yield told.PromptAccepted(prompt_id=prompt, text=f"Prompt {turn}", by="Anna", turn=turn + 1)
        yield told.TurnStarted(cause="prompt", prompt_ids=(prompt,), turn=turn + 1)
        for number in range((ITEMS - 4) // 4):
            name = f"{turn}-{number}"
            yield from ran(f"r{name}", ReadFile(file_path=f"src/{name}.py", output=ReadOutput(content="x = 1")))
            output = ShellOutput(exit_code=0, stdout="ok\n" * 20)
            yield from ran(f"s{name}", ShellExec(command=f"pytest tests/test_{name}.py", output=output))
            change = (Mutation(type="patch", hunks=(HUNK,)),)
            yield from ran(f"e{name}", ModifyFile(file_path=f"src/{name}.py", mutations=change, added=3, removed=2))
            yield told.Reasoning(item=f"t{name}", reasoning_text="It is written twice.", turn=turn + 1)
        yield told.MessageChunk(item=f"m{turn}", text=ANSWER, turn=turn + 1)
        yield told.Notice(level="info", text=f"Notice {turn}")
        yield told.Complete(outcome="success", turn=turn + 1, prompt_ids=(prompt,), cost_usd=0.1)


async def frames(tab: Tab, count: int, before: str) -> str:
    """Of so many frames: the median, the 99th percentile and the longest, and what the page's thread worked for each,
    in ms. The last does not hang on what else the machine does."""
    worked = await work(tab)
    took: list[float] = await tab.js(FRAMES.replace("COUNT", str(count)).replace("BEFORE", before))
    each = (await work(tab) - worked) / count * 1000
    return f"{took[len(took) // 2]:5.1f} {took[len(took) * 99 // 100]:5.1f} {took[-1]:5.1f}   {each:5.1f}"


async def work(tab: Tab) -> float:
    """Seconds that the page's thread has worked."""
    told_of = (await tab.ask("Performance.getMetrics"))["metrics"]
    return float(next(one["value"] for one in told_of if one["name"] == "TaskDuration"))


async def measured(served: Stage, tab: Tab) -> Iterator[tuple[str, Any]]:
    """What was done, and the figures of it."""
    session = served.hub.all[NAME]
    await session.tell(*items())
    await tab.ask("Performance.enable", timeDomain="threadTicks")
    await tab.size(1280, 900)
    await tab.open(served.url)
    await tab.shows("Nightly audit")
    found: list[tuple[str, Any]] = []
    await tab.open(served.url.split("#", maxsplit=1)[0] + f"s/{NAME}")
    await tab.shows(f"Notice {TURNS - 1}")
    found.append(("first paint of the session", f"{await tab.js(PAINT):5.0f} ms"))
    while not await tab.js(ALL_THERE):
        await tab.js("new Promise((done) => setTimeout(done, 50))")
    found.append(("rows drawn of all", await tab.js("document.querySelectorAll('.bs-cell').length")))
    found.append(("nothing happens", await frames(tab, 120, "")))
    found.append(("down by 100 px a frame, a quick wheel", await frames(tab, 300, "box.scrollTop += 100;")))
    found.append(("down by 400 px a frame", await frames(tab, 300, "box.scrollTop += 400;")))
    found.append(("up by 4,000 px a frame", await frames(tab, 300, "box.scrollTop -= 4000;")))
    found.append(
        ("to anywhere in each frame", await frames(tab, 120, "box.scrollTop = Math.random() * box.scrollHeight;"))
    )
    await tab.js("document.querySelector('.bs-pill')?.click()")
    streaming = asyncio.create_task(stream(served))
    await tab.shows("word 1 ")
    found.append(("at the end while text streams", await frames(tab, 240, "")))
    await streaming
    return iter(found)


async def stream(served: Stage) -> None:
    """Fifty deltas a second, for six."""
    for number in range(300):
        chunk = told.MessageChunk(item="live", text=f"word {number} ", partial=True, turn=TURNS)
        await served.hub.all[NAME].tell(chunk)
        await asyncio.sleep(0.02)


async def main() -> None:
    """Once, and print it."""
    with tempfile.TemporaryDirectory() as home, tempfile.TemporaryDirectory() as work, chromium(Path(home)) as browser:
        async with stage(Path(work)) as served, new_tab(browser) as tab:
            print(f"{TURNS * ITEMS} items; frames in ms: median, 99 of 100, longest; work for each")
            for what, figures in await measured(served, tab):
                print(f"{what:38} {figures}")


if __name__ == "__main__":
    asyncio.run(main())
