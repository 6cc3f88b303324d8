"""What happens around the programs of `how-to/sessions-on-disk.md`: those that need no CLI find files of a real one."""

from typing import Final

from bascule.demo.script import respond, say, turn
from tests.docs.scenes import Scene, scripted

PAGE: Final = "how-to/sessions-on-disk.md"

SCENES: Final = (
    Scene(
        PAGE,
        "again.py",
        scripted(
            say("Remembered."),
            say("Forgotten."),
            turn(respond(lambda asked: say("12." if "Forget it." not in str(asked.messages) else "Which?"))),
        ),
        ("12.", "Unforgotten, Remember the number 12."),
        fake=False,
    ),
)

WITHOUT_CLI: Final = {"shelf.py", "story.py", "mend.py"}
