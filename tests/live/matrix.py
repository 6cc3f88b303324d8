"""Policy × tool × answer: which cells there are, what each must do, and how one is played.

What must happen is computed from `WORD`, which was written by hand after the rules of who decides; what does happen is
read off the files, and off what the model is told. All cells of a policy share a session: each is a prompt of its own,
about things that no other cell touches.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from bascule.commands import AllowAlways, AllowOnce, Answers, ApprovePlan, Decision, Deny, DenyAndStop, Taken
from bascule.demo.model import ScriptedModel
from bascule.demo.script import Script, Step, Turn, call, say, turn, when
from bascule.events import Complete, PermissionRequest
from bascule.session.session import Session

Word: TypeAlias = Literal["runs", "asks", "never"]
Answer: TypeAlias = Literal["once", "always", "edited", "deny", "stop", "nobody"]
Effect: TypeAlias = Literal["as asked", "as edited", "nothing"]

POLICIES: Final = (
    "supervised", "plan", "plan-auto", "rules", "autonomous", "bypassPermissions", "acceptEdits", "manual", "dontAsk"
)  # fmt: skip
ANSWERS: Final[tuple[Answer, ...]] = ("once", "always", "edited", "deny", "stop")

WORD: Final = {
    #                     supervised plan plan-auto rules autonomous bypass acceptEdits manual dontAsk
    "reading":            "runs  runs  runs  asks  runs  runs  runs  runs  runs",
    "reading outside":    "asks  asks  asks  asks  runs  runs  asks  asks  never",
    "a command":          "asks  never never asks  runs  runs  runs  asks  never",
    "a program":          "asks  asks  asks  asks  runs  runs  asks  asks  never",
    "writing":            "asks  never never asks  runs  runs  runs  asks  never",
    "editing":            "asks  never never asks  runs  runs  runs  asks  never",
    "fetching":           "asks  asks  asks  asks  runs  runs  asks  asks  never",
    "an MCP tool":        "asks  asks  asks  asks  runs  runs  asks  asks  never",
    "an agent's command": "asks  never never asks  runs  runs  runs  asks  never",
    "a question":         "asks  asks  asks  asks  asks  asks  asks  asks  never",
    "a plan":             "never asks  runs  never never never never never never",
}  # fmt: skip
"""What the policy says where no rule of the user's and no grant has a say."""


class Ground(NamedTuple):
    """Where the cells have their effects."""

    workspace: Path
    outside: Path


class Cell(NamedTuple):
    """One call under one policy, with one answer should it ask."""

    policy: str
    tool: str
    answer: Answer
    number: int

    @property
    def name(self) -> str:
        """Unique in its session; also the prompt."""
        return f"cell {self.number}: {self.tool}, {self.answer}"

    @property
    def word(self) -> Word:
        words: list[Any] = WORD[self.tool].split()
        found: Word = words[POLICIES.index(self.policy)]
        return found


class Seen(NamedTuple):
    """What came of a cell."""

    asks: int
    effect: Effect
    stopped: bool = False
    """The turn was ended."""
    again: int = 0
    """How often the same call asked that followed an *always*."""


def expected(cell: Cell) -> Seen:
    """What must come of it."""
    match cell.word, cell.answer:
        case "runs", _:
            return Seen(0, "as asked")
        case ("never", _) | ("asks", "nobody"):
            return Seen(0, "nothing")
        case _, "once" | "always":
            return Seen(1, "as asked")
        case _, "edited":
            return Seen(1, "as edited")
        case _, answer:
            return Seen(1, "nothing", stopped=answer == "stop")


class Probe(NamedTuple):
    """How a tool is called, and edited, so that what it did can be seen."""

    steps: Callable[[Ground, int], Step]
    edit: Callable[[dict[str, Any]], dict[str, Any]] | None = None
    """None: an edit of it could not be told from what was asked."""
    faked: bool = True
    """The fake CLI plays the tool."""
    answers: tuple[Answer, ...] = ANSWERS


def _file(ground: Ground, number: int) -> str:
    return str(ground.workspace / f"{number}-asked")


def _outside(ground: Ground, number: int) -> str:
    for how in ("asked", "edited"):
        (ground.outside / f"{number}-{how}").write_text(f"the file {number}-{how}")
    return str(ground.outside / f"{number}-asked")


def _inside(ground: Ground, number: int) -> str:
    path = ground.workspace / f"{number}-read"
    path.write_text(f"the file {number}-asked")
    return str(path)


def _edited(tool_input: dict[str, Any]) -> dict[str, Any]:
    """Every text that says what is asked says what is edited."""
    edited: dict[str, Any] = json.loads(json.dumps(tool_input).replace("-asked", "-edited"))
    return edited


def _touch(number: int) -> Step:
    return call("Bash", command=f"touch {number}-asked", description="a test")


QUESTION: Final = {
    "question": "Which one?",
    "header": "Which",
    "multiSelect": False,
    "options": [{"label": label, "description": label} for label in ("A", "B")],
}

PROBES: Final[Mapping[str, Probe]] = {
    "reading": Probe(lambda ground, n: call("Read", file_path=_inside(ground, n)), answers=("once", "deny")),
    "reading outside": Probe(lambda ground, n: call("Read", file_path=_outside(ground, n)), _edited),
    "a command": Probe(lambda _, n: _touch(n), _edited),
    "a program": Probe(lambda _, n: call("Bash", command=f"sh -c 'touch {n}-asked'"), _edited),
    "writing": Probe(lambda ground, n: call("Write", file_path=_file(ground, n), content="x"), _edited),
    "editing": Probe(
        lambda ground, n: call("Edit", file_path=_file(ground, n), old_string="", new_string="x"), _edited
    ),
    "fetching": Probe(
        lambda _, n: call("WebFetch", url=f"http://127.0.0.{n % 250 + 2}:9/{n}-asked", prompt="What is it?"),
        faked=False,
        answers=("once", "always", "deny", "stop"),
    ),
    "an MCP tool": Probe(lambda _, n: call(f"mcp__toy__put{n}", name=f"{n}-asked"), _edited, faked=False),
    "an agent's command": Probe(
        lambda _, n: call(
            "Agent", description="work", prompt=f"agent {n}.", subagent_type="general-purpose", run_in_background=False
        ),
        _edited,
        faked=False,
    ),
    "a question": Probe(lambda *_: call("AskUserQuestion", questions=[QUESTION]), answers=("once", "deny", "stop")),
    "a plan": Probe(lambda *_: call("ExitPlanMode", plan="1. as asked"), answers=("once", "deny", "stop")),
}


def cells(policy: str, *, attended: bool, fake: bool) -> list[Cell]:
    """All cells of a policy that the CLI can play."""
    asked = [
        (tool, answer)
        for tool, probe in PROBES.items()
        if probe.faked or not fake
        for answer in (probe.answers if attended else ("nobody",))
        if probe.edit is not None or answer != "edited"
    ]
    found = [Cell(policy, tool, answer, number) for number, (tool, answer) in enumerate(asked, 10)]
    # Where nothing is asked, one answer is like another.
    return [cell for cell in found if cell.word == "asks" or cell.answer in ("once", "nobody")]


def script(cells: list[Cell], ground: Ground) -> Script:
    """What the model does for them: a turn for each prompt, and for each agent."""
    return Script(*(one for cell in cells for one in _turns(cell, ground)))


def _turns(cell: Cell, ground: Ground) -> Iterator[Turn]:
    step = PROBES[cell.tool].steps(ground, cell.number)
    for _ in prompts(cell):
        yield turn(step, say("Well."))
        if cell.tool == "an agent's command":
            yield turn(_touch(cell.number), say("Well."), when=when(agent=True, prompt=f"agent {cell.number}."))


def prompts(cell: Cell) -> list[str]:
    """What a person says; the same thing again after an *always*."""
    again = [f"{cell.name}, again"] if cell.answer == "always" and cell.word == "asks" else []
    return [cell.name, *again]


async def play(session: Session, model: ScriptedModel, cell: Cell, ground: Ground) -> Seen:
    """What comes of a cell. Raises ``AssertionError`` where a denial's reason does not reach the model."""
    before = len(model.asked)
    first, *more = prompts(cell)
    asks, complete = await _prompted(session, first, cell)
    told = "\n".join(result.text for asked in model.asked[before:] for result in asked.results)
    if asks and cell.answer == "deny":
        assert f"no to {cell.number}" in told
    seen = Seen(asks, _effect(cell, ground, told), stopped=complete.outcome == "interrupted")
    for text in more:
        again, _ = await _prompted(session, text, cell)
        seen = seen._replace(again=seen.again + again)
    return seen


async def _prompted(session: Session, text: str, cell: Cell) -> tuple[int, Complete]:
    asks = 0
    handle = await session.prompt(text)
    async for event in handle.events():
        if isinstance(event, PermissionRequest):
            wanted = asks == 0 and text == cell.name
            decision = _decision(cell, event) if wanted else Deny(reason="once was enough")
            receipt = await session.decide(event.pending_id, decision, input_hash=event.input_hash)
            asks += receipt == Taken()  # where nobody watches the policy has answered by then
    complete = await handle
    await session.idle()
    return asks, complete


def _decision(cell: Cell, ask: PermissionRequest) -> Decision:
    match cell.answer, ask.ask:
        case "deny", _:
            return Deny(reason=f"no to {cell.number}")
        case "stop", _:
            return DenyAndStop(reason=f"no to {cell.number}")
        case _, "question":
            return Answers(answers={"Which one?": "B"})
        case _, "plan":
            return ApprovePlan()
        case "always", _:
            return AllowAlways(rule=ask.suggestions[0].rule)
        case "edited", _:
            return AllowOnce(input=_edited(ask.input))
    return AllowOnce()


def _effect(cell: Cell, ground: Ground, told: str) -> Effect:
    """Read off the files, or off what the model was told where a tool changes none."""
    match cell.tool:
        case "reading" | "reading outside":
            found = [how for how in ("asked", "edited") if f"the file {cell.number}-{how}" in told]
        case "fetching":
            found = ["asked"] if "Unable to verify if domain" in told else []  # as far as it comes without a network
        case "a question":
            found = ["asked"] if '"Which one?"="B"' in told else []
        case "a plan":
            found = ["asked"] if "User has approved" in told else []
        case _:
            found = [how for how in ("asked", "edited") if (ground.workspace / f"{cell.number}-{how}").exists()]
    assert len(found) < 2, f"{cell.name} did both"
    effects: dict[str, Effect] = {"asked": "as asked", "edited": "as edited"}
    return effects[found[0]] if found else "nothing"
