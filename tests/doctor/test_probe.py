"""A probe of a CLI that does not behave: it is told, and nothing raises."""

from pathlib import Path
from typing import Final

import pytest

from bascule.demo.script import Script
from bascule.doctor.findings import Findings
from bascule.doctor.probe import SCENES, Played, help_of, probe
from bascule.doctor.stage import Scene, Stage
from bascule.testing.fake_cli import install
from tests.doctor.broken import asks_nobody
from tests.doctor.programs import program

SHORT_S: Final = 1.0


async def played(cli: Path, *names: str, scene_s: float = SHORT_S) -> Findings:
    return await probe(cli, scenes=[each for each in SCENES if each.name in names], scene_s=scene_s)


async def test_a_cli_that_ends_at_once_is_trouble(tmp_path: Path) -> None:
    found = await played(program(tmp_path, "exit 1"), "conversation", "servers", "late", scene_s=10)
    assert len(found.trouble) == 3
    assert "the CLI ended while the probe waited for the answer to initialize" in found.trouble[0]
    assert (found.ways, found.keys, found.flags) == ({}, {}, frozenset())


async def test_a_cli_that_says_nothing_is_trouble_in_time(tmp_path: Path) -> None:
    found = await played(program(tmp_path, "cat >/dev/null"), "conversation", scene_s=0.2)
    assert found.trouble == ("scene conversation: waited 0.2 s in vain for the answer to initialize",)


async def test_a_file_that_is_no_program_is_trouble(tmp_path: Path) -> None:
    found = await played(tmp_path / "claude", "plan")
    assert "there is no program" in found.trouble[0]


async def test_what_was_seen_before_a_scene_broke_off_is_kept(tmp_path: Path) -> None:
    """The fake has no background commands: the scene waits for one in vain."""
    kept: list[Played] = []
    cli = install(tmp_path)
    found = await probe(cli, scenes=[each for each in SCENES if each.name == "background"], scene_s=2, seen=kept.append)
    assert found.trouble == ("scene background: waited 2 s in vain for a command to run in the background",)
    assert "result" in found.keys
    assert [(one.scene.name, one.trouble) for one in kept] == [("background", found.trouble[0])]


async def test_a_subagent_that_there_is_not_is_no_trouble(tmp_path: Path) -> None:
    found = await played(install(tmp_path), "agent", scene_s=10)
    assert found.trouble == ()
    assert found.ways == {"agent.default": "foreground"}


async def test_the_help_is_asked_for(tmp_path: Path) -> None:
    cli = program(tmp_path, 'echo "  --sing <song>  Sing"; echo oh >&2; test "$1" = --help')
    assert (await played(cli)).flags == {"--sing"}
    assert await help_of(tmp_path / "nothing") == ""


async def test_a_scene_that_fails_is_trouble_and_the_others_are_played(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def stumble(stage: Stage) -> None:
        stage.saw("agent.default", "foreground")
        raise ValueError("no such key")

    async def go_well(stage: Stage) -> None:
        stage.saw("ask.command", "asks")

    scenes = [Scene("first", lambda project: Script(), stumble), Scene("second", lambda project: Script(), go_well)]
    found = await probe(program(tmp_path, "exit 1"), scenes=scenes)
    assert found.trouble == ("scene first broke off: ValueError('no such key')",)
    assert found.ways == {"agent.default": "foreground", "ask.command": "asks"}
    assert [record.exc_info is not None for record in caplog.records if record.name == "bascule.doctor"] == [True]


@pytest.mark.timeout(60)
async def test_a_broken_cli_breaks_promises(tmp_path: Path) -> None:
    """A CLI that takes hooks and never calls them, and asks nobody."""
    found = await played(asks_nobody(tmp_path), "conversation", "bypass", scene_s=30)
    assert found.ways["ask.command"] == "runs unasked"
    assert found.ways["hook.deny"] == "runs all the same"
    assert found.ways["bypass.hook_ask"] == "runs unasked"
