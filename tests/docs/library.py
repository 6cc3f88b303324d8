"""The scenes of the pages on the library's shorter ways: one-shot use, scripts and notebooks, tools, output, rewind."""

from typing import Final

from bascule.demo.script import call, respond, say, turn
from tests.docs.scenes import MEND, READ, RUN_TESTS, Scene, refusable, scripted

FINDING: Final = {"file": "basket.py", "what": "a discount of 15 % takes 150 %", "severity": "high"}

SCENES: Final = (
    Scene(
        "how-to/one-shot.md",
        "ask.py",
        scripted(turn(READ, say("It adds prices up."))),
        ("success It adds prices up.", "USD"),
    ),
    Scene(
        "how-to/one-shot.md",
        "first_call.py",
        scripted(turn(say("I look first."), READ, say("never said"))),
        ("I look first.", "It begins with: Read"),
    ),
    Scene(
        "how-to/notebooks.md",
        "plain_script.py",
        scripted(
            turn(say("I run them."), RUN_TESTS, refusable(say("One fails."))),
            say("They are right: the discount is wrong."),
        ),
        ("I run them.", ": allowed", "One fails.", "They are right"),
    ),
    Scene(
        "how-to/notebooks.md",
        "cells.py",
        scripted(say("It is test_basket.py.")),
        ("It is test_basket.py.",),
    ),
    Scene(
        "how-to/your-own-tools.md",
        "shop.py",
        scripted(
            turn(
                call("mcp__shop__in_stock", name="plum"),
                call("mcp__shop__in_stock", name="pear"),
                respond(lambda asked: say(f"Plums: {asked.results[0].text}. Pears: {asked.results[1].text}.")),
            )
        ),
        ("Plums: there is no article 'plum'; there are apple, pear. Pears: 0.",),
        fake=False,
    ),
    Scene(
        "how-to/your-own-tools.md",
        "counted.py",
        scripted(
            turn(call("mcp__dice__roll", sides=6), respond(lambda asked: say(f"It shows {asked.results[0].text}.")))
        ),
        ("It shows 6.", "rolled 1"),
        fake=False,
    ),
    Scene(
        "how-to/structured-output.md",
        "report.py",
        scripted(turn(READ, call("StructuredOutput", findings=[FINDING]))),
        ("high basket.py a discount of 15 % takes 150 %",),
        fake=False,
    ),
    Scene(
        "how-to/rules.md",
        "kept_grants.py",
        scripted(turn(RUN_TESTS, say("One fails.")), turn(RUN_TESTS, say("Still one."))),
        ("asked about: ", "Bash(python3 -m unittest -q) (project), used 1 times"),
    ),
    Scene(
        "how-to/rewind.md",
        "take_back.py",
        scripted(turn(READ, MEND, say("Mended."))),
        ("to put back: ['basket.py']", "+1 -1", "True"),
        fake=False,
    ),
)
