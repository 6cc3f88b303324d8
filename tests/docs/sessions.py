"""What happens around the programs of the pages about limits, and about the CLI itself."""

from typing import Final

from bascule.demo.script import say, turn, wait
from tests.docs.scenes import Scene, scripted

SCENES: Final = (
    Scene(
        "how-to/limits.md",
        "patient.py",
        scripted(turn(say("One, two, "), wait("a million")), turn(say("One, two, three."))),
        ("turn: interrupted", "One, two, three."),
    ),
    Scene(
        "how-to/ask-the-cli.md",
        "about.py",
        scripted(say("Hello.")),
        ("models: default, ", "context: ", " tokens"),
        fake=False,
    ),
)
