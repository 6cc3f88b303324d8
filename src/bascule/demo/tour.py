"""The script that `bascule demo` plays: four turns in the workspace, one for each kind of decision.

A look around (streamed Markdown, reading without asking), a fix (a diff to approve, then a command to approve), a
question to answer, a plan to approve. The model reacts to what the person decides: a denial is respected and its
reason repeated, an answer is taken up. Any other prompt gets a list of what can be tried. Order does not matter, and
each turn can be had again.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from bascule.demo.asked import Asked
from bascule.demo.script import Script, Step, call, case, choose, respond, say, think, turn, when

PROMPTS: Final = (
    "What is in this project?",
    "Fix the bug and run the tests",
    "Add coupons to the basket",
    "Plan the coupons first",
)
"""What a person may type, in an order that makes sense."""

TIDY: Final = "Tidy up before I commit"
"""One more, which asks for a command that deletes: for where sessions stand side by side."""

CHUNK: Final = 9
DELAY_S: Final = 0.012
"""Text comes at about 750 characters a second: quick to read along, slow enough to be seen streaming."""

CLEAN: Final = "rm -rf __pycache__ .pytest_cache && git add --all && git status --short"
TESTS: Final = "python3 -m unittest -q"
QUESTION: Final = "A coupon and a discount in one basket: what happens?"
OPTIONS: Final = {
    "The better one": "The customer gets whichever takes more off.",
    "One after the other": "First the discount, then the coupon on what is left.",
    "No coupons": "A basket with a discount takes no coupon.",
}

OVERVIEW: Final = """\
## basket

A small package that adds prices up and takes a discount off.

| file | what it holds |
|---|---|
| `basket.py` | `total` and `discounted` |
| `test_basket.py` | two tests, **one of them fails** |

The failure comes from one line:

```python
return amount - amount * percent / 10
```

A percentage is divided by **100**. With 10, a discount of 15 % on 200 gives -100 and not 170.

Say *fix the bug* and I will: you will see the change as a diff before it is made.
"""

WHAT_TO_TRY: Final = "This is a scripted model: it plays a part, and knows no more than these prompts:\n\n" + "\n".join(
    f"{number}. *{prompt}*" for number, prompt in enumerate(PROMPTS, 1)
)

AFTER_TOTAL: Final = """\
    return sum(prices, Decimal(0))


def discounted"""

COUPON: Final = '''\
    return sum(prices, Decimal(0))


def with_coupon(amount: Decimal, value: Decimal) -> Decimal:
    """The amount, less a coupon; never below zero."""
    return max(amount - value, Decimal(0))


def discounted'''

PLAN: Final = """\
# Coupons in the basket

1. Add `with_coupon(amount, value)` to `basket.py`; a coupon never takes a basket below zero.
2. A coupon and a discount: {rule}
3. Run the tests.

Nothing else changes: `total` and `discounted` stay as they are.
"""

PLAN_FILE: Final = re.compile(r'/[^\s"\\]+/plans/[^\s"\\]+?\.md')
"""Where the CLI wants the plan written: it says so in a message of its own (2.1.332, 2.1.197)."""

ANSWER: Final = re.compile(rf'"{re.escape(QUESTION)}"="(.*?)"(?=[.,]| notes: )')
"""What the CLI tells of the answer: an option's label, or the person's own words (14_answers_free)."""

HOOK_DENIES: Final = re.compile(r"^PreToolUse:\w+ hook error: ")
"""What CLI 2.1.332 puts before the reason of a hook's denial."""


def tour(project: Path) -> Script:
    """The demo's script for a workspace's `project` folder."""
    return Script(
        turn(*_tidy(), when=when(pattern=r"\btidy\b")),
        turn(*_plan(project), when=when(pattern=r"\bplan")),
        turn(*_question(), when=when(pattern=r"\bcoupons?\b")),
        turn(*_fix(project), when=when(pattern=r"\b(fix|bug|repair|tests?)\b")),
        turn(*_overview(project), when=when(pattern=r"\b(what|show|look|explain|overview|hello|hi|project)\b")),
        turn(say("The change stays uncommitted for now: look at it first, it is yours."), when=when(note="Stop hook")),
        otherwise=(say(WHAT_TO_TRY),),
        chunk=CHUNK,
        delay_s=DELAY_S,
    )


def _overview(project: Path) -> Sequence[Step]:
    return (
        think("Three files. I read them all at once before I say anything about them."),
        say("I read the project first."),
        *(_read(project, name) for name in ("README.md", "basket.py", "test_basket.py")),
        say(OVERVIEW),
    )


def _fix(project: Path) -> Sequence[Step]:
    edit = call(
        "Edit",
        file_path=str(project / "basket.py"),
        old_string="amount * percent / 10\n",
        new_string="amount * percent / 100\n",
    )
    return (
        say("The discount must be divided by 100. I look at the line once more."),
        _read(project, "basket.py"),
        say("This is the change:"),
        edit,
        choose(
            case(respond(lambda asked: say(f"I leave `basket.py` as it is.{_reason(asked)}")), when=when(refused=True)),
            case(say("The line is mended already, so only the tests are left."), *_tests(), when=when(failed=True)),
            case(say("Changed. Now the tests, to be sure:"), *_tests()),
        ),
    )


def _tidy() -> Sequence[Step]:
    return (
        say("What Python left behind goes, then I look what is to be committed."),
        call("Bash", command=CLEAN, description="Remove bytecode and show what changed"),
        choose(
            case(respond(lambda asked: say(f"Everything stays where it is.{_reason(asked)}")), when=when(refused=True)),
            case(say("Tidy. The change to `basket.py` is yours to commit.")),
        ),
    )


def _question() -> Sequence[Step]:
    options = [{"label": label, "description": text} for label, text in OPTIONS.items()]
    question = {"question": QUESTION, "header": "Coupons", "multiSelect": False, "options": options}
    return (
        say("There is one thing I cannot know:"),
        call("AskUserQuestion", questions=[question]),
        respond(lambda asked: say(f"{_decided(asked)} Say *plan the coupons first* and I write down how.")),
    )


def _plan(project: Path) -> Sequence[Step]:
    return (
        say("I plan before I touch anything."),
        call("EnterPlanMode"),
        choose(
            case(respond(lambda asked: say(f"In a few words, then:\n\n{_plan_text(asked)}")), when=when(refused=True)),
            case(respond(_write_plan), respond(lambda asked: call("ExitPlanMode", plan=_plan_text(asked)))),
        ),
        choose(
            case(respond(lambda asked: say(f"Not like this.{_reason(asked)} I stop.")), when=when(refused=True)),
            case(say("There is no plan to approve, so I change nothing."), when=when(failed=True)),
            case(say("Approved. I start with the function."), *_add_coupon(project)),
        ),
    )


def _add_coupon(project: Path) -> Sequence[Step]:
    return (
        _read(project, "basket.py"),
        say("It goes below `total`:"),
        call("Edit", file_path=str(project / "basket.py"), old_string=AFTER_TOTAL, new_string=COUPON),
        choose(
            case(respond(lambda asked: say(f"I leave `basket.py` alone.{_reason(asked)}")), when=when(refused=True)),
            case(say("It is there already. The tests, to be sure:"), *_tests(), when=when(failed=True)),
            case(say("Written. The tests once more:"), *_tests()),
        ),
    )


def _tests() -> Sequence[Step]:
    return (
        call("Bash", command=TESTS, description="Run the tests"),
        choose(
            case(respond(lambda asked: say(f"The tests were not run.{_reason(asked)}")), when=when(refused=True)),
            case(respond(lambda asked: say(f"A test fails:\n\n```\n{_outcome(asked)}\n```")), when=when(failed=True)),
            case(say("**All tests pass.**")),
        ),
    )


def _read(project: Path, name: str) -> Step:
    return call("Read", file_path=str(project / name))


def _write_plan(asked: Asked) -> Sequence[Step]:
    """The plan into the CLI's plan file, which is where it takes the plan to show from; without one, nothing."""
    found = PLAN_FILE.search(json.dumps(asked.messages[-3:]))
    return (call("Write", file_path=found[0], content=_plan_text(asked)),) if found else ()


def _plan_text(asked: Asked) -> str:
    answer = _answer(asked) or "The better one"
    return PLAN.format(rule=OPTIONS.get(answer) or f"as you said, “{answer}”.")


def _answer(asked: Asked) -> str:
    """The last answer to the question in this conversation; empty if there was none."""
    words = json.dumps(asked.messages, ensure_ascii=False).replace('\\"', '"').replace("\\n", " ")
    answered = ANSWER.findall(words)
    return answered[-1].rstrip(".") if answered else ""


def _decided(asked: Asked) -> str:
    answer = _answer(asked)
    if answer in OPTIONS:
        return f"*{answer}* it is. {OPTIONS[answer]}"
    if answer:
        return f"You say: “{answer}”. I only play a part and cannot weigh that, so the plan will quote you."
    return "No answer is fine too: I would give whichever takes more off."


def _reason(asked: Asked) -> str:
    """What the person said with a denial, as a quotation."""
    words = next((result.text for result in asked.results if result.refused), "").strip().partition("\n")[0]
    words = HOOK_DENIES.sub("", words).rstrip(".")
    return f" You said: “{words}”." if words else ""


def _outcome(asked: Asked) -> str:
    return "\n".join(result.text for result in asked.results).strip()
