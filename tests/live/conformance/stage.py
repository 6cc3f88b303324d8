"""What every scenario needs: a CLI, a workspace, and a model that plays a script."""

import os
from pathlib import Path
from typing import Any, Final

from bascule.demo.model import ScriptedModel
from bascule.demo.script import Script, Step, Turn, call
from tests.testing.driven import Driven, Line, shapes

ID: Final = "11111111-1111-4111-8111-11111111111{}"
NOISE: Final = "prompt/ system/status system/session_state_changed system/thinking_tokens system/task_ stream/"
"""Lines that some flags and versions add, for `shapes(…, without=NOISE)`."""

MAKE: Final = call("Bash", command="touch made.txt", description="make")

QUESTION: Final = {
    "question": "Which one?",
    "header": "Choice",
    "multiSelect": False,
    "options": [{"label": "A", "description": "a"}, {"label": "B", "description": "b"}],
}


class Stage:
    """A CLI, a workspace, and a model that plays a script."""

    def __init__(self, cli: Path, env: dict[str, str], workspace: Path) -> None:
        self.cli = cli
        self.env = env
        self.workspace = workspace
        self.models: list[ScriptedModel] = []

    def play(self, *turns: Turn | Step) -> ScriptedModel:
        """Runs a model with this script; from now on the CLI asks it."""
        model = ScriptedModel(Script(*turns))
        model.start()
        self.models.append(model)
        self.env["ANTHROPIC_BASE_URL"] = model.url
        return model

    def running(self, command: str) -> Step:
        """A call of a command that says when it runs."""
        os.mkfifo(self.workspace / "runs")
        return call("Bash", command=f"echo > runs; {command}")

    def runs(self) -> None:
        """Waits until that command runs."""
        assert (self.workspace / "runs").read_text() == "\n"

    def start(self, *flags: str, mode: str | None = "default", cwd: Path | None = None, **env: str) -> Driven:
        return Driven(self.cli, {**self.env, **env}, cwd or self.workspace, *flags, mode=mode)

    def made(self) -> bool:
        """Whether `MAKE` has run."""
        return (self.workspace / "made.txt").exists()


def content(line: Line) -> Any:
    """What the model reads of a tool's end."""
    return line["message"]["content"][0]["content"]


def texts(lines: list[Line]) -> list[str]:
    """The assistant's texts."""
    blocks = [line["message"]["content"][0] for line in lines if line["type"] == "assistant"]
    return [block["text"] for block in blocks if block["type"] == "text"]


def inits(lines: list[Line]) -> list[Line]:
    """The lines at the start of turns."""
    return [line for line in lines if shapes([line]) == ["system/init"]]
