"""The programs of the pages that need a CLI, run as a reader would run them: `claude` is on PATH, somebody types."""

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from bascule.demo.model import ScriptedModel
from bascule.demo.workspace import make_workspace
from tests.docs.pages import block
from tests.docs.running import Ran, install_cli, run
from tests.docs.scenes import SCENES, Scene


def marked(scene: Scene) -> object:
    return pytest.param(scene, id=f"{scene.page}:{scene.program}", marks=[pytest.mark.smoke] if scene.smoke else [])


@contextmanager
def played(scene: Scene, cli: Path, folder: Path) -> Iterator[tuple[Ran, Path]]:
    """The scene, when it is over, and its workspace."""
    workspace = make_workspace(folder)
    with ExitStack() as running:
        model = running.enter_context(ScriptedModel(scene.script)) if scene.script else None
        install_cli(cli, folder / "bin", given=workspace.environment(model.url) if model else {})
        env = {"PATH": f"{folder / 'bin'}:{os.defpath}", "HOME": str(workspace.home)}
        yield run(block(scene.page, scene.program), workspace.project, env, typed=scene.typed), workspace.project
        assert model is None or model.left == 0


@pytest.mark.parametrize("scene", [marked(scene) for scene in SCENES])
def test_a_program_of_the_pages_does_what_it_says(scene: Scene, claude_cli: Path, tmp_path: Path) -> None:
    with played(scene, claude_cli, tmp_path) as (ran, project):
        at = 0
        for text in scene.prints:
            at = ran.out.find(text, at)
            assert at >= 0, f"{text!r} is not in what follows:\n{ran.out}\n{ran.err}"
        assert (ran.code, tuple(ran.err.splitlines())) == (0, scene.complains)
        assert [(name, (project / name).read_text()) for name, _ in scene.files] == list(scene.files)
