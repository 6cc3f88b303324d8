"""The programs of the pages that need a CLI, with the real one."""

from pathlib import Path

import pytest

from tests.docs import disk, library, moves, scenes, sessions
from tests.docs.scenes import Scene, check_scene, play


def marked(scene: Scene) -> object:
    return pytest.param(scene, id=f"{scene.page}:{scene.program}", marks=[pytest.mark.smoke] if scene.smoke else [])


SCENES = (*scenes.SCENES, *moves.SCENES, *disk.SCENES, *library.SCENES, *sessions.SCENES)


@pytest.mark.parametrize("scene", [marked(scene) for scene in SCENES])
def test_a_program_of_the_pages_does_what_it_says(scene: Scene, claude_cli: Path, tmp_path: Path) -> None:
    check_scene(scene, play(scene, claude_cli, tmp_path))
