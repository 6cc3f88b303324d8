"""What happens around each program of the pages that needs a CLI: who its model is, what is typed, what it prints."""

import os
from contextlib import ExitStack
from pathlib import Path
from typing import Final, NamedTuple

from bascule.demo.model import ScriptedModel
from bascule.demo.script import Script, Step, Turn, call, case, choose, respond, say, turn, when
from bascule.demo.tour import QUESTION, TESTS
from bascule.demo.workspace import BASKET, make_workspace
from tests.docs.pages import block
from tests.docs.running import Ran, believe, install_cli, run


class Scene(NamedTuple):
    """One program with its surroundings. The workspace is the demo's."""

    page: str
    program: str
    script: Script | None
    """None: the program brings its own model."""
    prints: tuple[str, ...]
    """Texts that stand in what it prints, in this order."""
    complains: tuple[str, ...] = ()
    """The lines that it writes to stderr."""
    typed: str = ""
    files: tuple[tuple[str, str], ...] = ()
    """Names and texts of files that are in the workspace afterwards."""
    brings: tuple[tuple[str, str], ...] = ()
    """Names and texts of files that the reader has in the workspace."""
    smoke: bool = False
    fake: bool = True
    """The fake CLI plays it as well."""
    proves: bool = False
    """The CLI was not used before."""


def refusable(*steps: Step) -> Step:
    """What follows a call: its reason when it was refused, else `steps`."""
    told = respond(lambda asked: say(f"You said: {next(result.text for result in asked.results if result.refused)}"))
    return choose(case(told, when=when(refused=True)), case(*steps))


def scripted(*turns: Turn | Step) -> Script:
    """The turns, and what the model says when uncommitted work is held up to it before it stops."""
    return Script(*turns, turn(say("It stays uncommitted."), when=when(note="Stop hook")))


MEND: Final = call(
    "Edit", file_path="basket.py", old_string="amount * percent / 10\n", new_string="amount * percent / 100\n"
)
READ: Final = call("Read", file_path="basket.py")
RUN_TESTS: Final = call("Bash", command=TESTS, description="Run the tests")
MENDED: Final = BASKET.replace("/ 10\n", "/ 100\n")
ASK: Final = {
    "question": QUESTION,
    "header": "Coupons",
    "multiSelect": False,
    "options": [{"label": "Yes", "description": "Both."}, {"label": "No", "description": "One."}],
}

SCENES: Final = (
    Scene(
        "README.md",
        "review.py",
        scripted(turn(say("I look first."), READ, MEND, refusable(RUN_TESTS, refusable(say("All pass."))))),
        ("I look first.", "Edit basket.py: allow? [y/N]", f"{TESTS}: allow? [y/N]", "All pass.", "success, 0.0"),
        typed="y\ny\n",
        files=(("basket.py", MENDED),),
        smoke=True,
    ),
    Scene(
        "tutorial/first-session.md",
        "hello.py",
        scripted(say("A basket of goods.")),
        ("A basket of goods.", "success 0.0", "USD"),
        proves=True,
    ),
    Scene(
        "tutorial/first-session.md",
        "watch.py",
        scripted(turn(READ, say("The longest is basket.py."))),
        ("mode default", "[ReadFile: complete]", "The longest is basket.py."),
    ),
    Scene(
        "tutorial/first-session.md",
        "decide.py",
        scripted(turn(call("Write", file_path="haiku.txt", content="old pond\n"), refusable(say("It is written.")))),
        ("haiku.txt", "old pond", "Allow? [y/N]", "-> Taken", "allowed", "It stays uncommitted."),
        typed="y\n",
        files=(("haiku.txt", "old pond\n"),),
    ),
    Scene(
        "how-to/approve-by-hand.md",
        "callback.py",
        scripted(turn(call("Bash", command="rm -rf build"), refusable(say("Deleted.")))),
        ("You said: Only tests may be run here.", "['Bash']"),
    ),
    Scene(
        "how-to/approve-by-hand.md",
        "desk.py",
        scripted(
            turn(
                call("AskUserQuestion", questions=[ASK]),
                respond(lambda asked: say("No, then." if '"No"' in asked.results[0].text else "What?")),
                RUN_TESTS,
                refusable(respond(lambda asked: say("They fail." if "FAILED" in asked.results[0].text else "What?"))),
            )
        ),
        (QUESTION, f"{TESTS}: [y]es, [a]lways Bash({TESTS})", "They fail."),
        typed="No\na\n",
    ),
    Scene(
        "how-to/add-hooks.md",
        "hooked.py",
        scripted(
            turn(
                call("Bash", command="ls | wc -l"),
                call("Bash", command="git push"),
                choose(case(say("Not pushed."), when=when(result="Nothing is pushed from here."))),
            )
        ),
        ("Bash took ", " ms", "Not pushed."),
    ),
    Scene(
        "how-to/ci.md",
        "ci.py",
        scripted(turn(READ, MEND, RUN_TESTS, call("Bash", command="git push"), refusable(say("Pushed.")))),
        ("It stays uncommitted.",),
        complains=("denied: nobody is watching: no rule covers it",),
        fake=False,
        files=(("basket.py", MENDED),),
    ),
    Scene(
        "how-to/resume.md",
        "resume.py",
        scripted(
            say("Remembered."), turn(respond(lambda asked: say(f"It was {'12' if '12' in str(asked.body) else '?'}.")))
        ),
        ("It was 12.", "there is no such conversation"),
    ),
    Scene("how-to/test-your-own-code.md", "test_live.py", None, ("1 passed",)),
    Scene(
        "reference/script-language.md",
        "gate.py",
        None,
        ("It waits. It was asked: Hello?", "Here I am.", "turns left: 0"),
        fake=False,
    ),
)


class Played(NamedTuple):
    """A scene when it is over."""

    ran: Ran
    project: Path
    turns_left: int


def play(scene: Scene, cli: Path, folder: Path) -> Played:
    """Run the scene's program as a reader would: `claude` is on PATH, somebody types."""
    workspace = make_workspace(folder)
    for name, text in scene.brings:
        (workspace.project / name).write_text(text)
    with ExitStack() as running:
        model = running.enter_context(ScriptedModel(scene.script)) if scene.script else None
        starter = install_cli(cli, folder / "bin", given=workspace.environment(model.url) if model else {})
        if not scene.proves:
            believe(starter, workspace.home)
        env = {"PATH": f"{folder / 'bin'}:{os.defpath}", "HOME": str(workspace.home)}
        ran = run(block(scene.page, scene.program), workspace.project, env, typed=scene.typed)
        return Played(ran, workspace.project, model.left if model else 0)


def check_scene(scene: Scene, played: Played) -> None:
    """The program did what its page says."""
    ran = played.ran
    at = 0
    for text in scene.prints:
        at = ran.out.find(text, at)
        assert at >= 0, f"{text!r} is not in what follows:\n{ran.out}\n{ran.err}"
    assert (ran.code, tuple(ran.err.splitlines())) == (0, scene.complains)
    assert [(name, (played.project / name).read_text()) for name, _ in scene.files] == list(scene.files)
    assert played.turns_left == 0
