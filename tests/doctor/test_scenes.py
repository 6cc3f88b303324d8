"""The scenes of the probe, with the fake CLI of each version at the far end: what they see is what the tables say."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

import pytest

from bascule.doctor.catalogue import TESTED, TRAITS
from bascule.doctor.probe import SCENES, probe
from bascule.testing.fake_cli import install

PLAYED: Final = frozenset("conversation resume bypass late plan nonsense queue".split())
"""The scenes that the fake can be in: without subagents, MCP servers, background commands, and prompts of 20 MB."""

NOT_PLAYED: Final[Mapping[str, frozenset[str]]] = {
    "2.1.332": frozenset(("start.session_hooks", "plan.command", "plan.launched", "clear.line", "clear.cost")),
    "2.1.197": frozenset(("plan.command", "model.effect", "command.unknown", "retry.delay")),
}
"""What the fake does not play as its version does it: command hooks, slash commands, the mode plan."""


@pytest.mark.timeout(60)
@pytest.mark.parametrize("version", TESTED)
async def test_the_scenes_see_what_the_tables_say(version: str, tmp_path: Path) -> None:
    found = await probe(install(tmp_path, version=version), scenes=[each for each in SCENES if each.name in PLAYED])
    assert found.trouble == ()
    assert found.version == version
    expected = {name: way.way for name, trait in TRAITS.items() if (way := trait.of(version)) and name in found.ways}
    other = {name for name in found.ways if found.ways[name] != expected[name]}
    assert other <= NOT_PLAYED[version]
    assert len(found.ways) > 35


async def test_a_command_that_outlives_the_cli_is_seen(tmp_path: Path) -> None:
    """The newer fake ends its commands, but not one that is just starting: so only the older one is sure here."""
    found = await probe(install(tmp_path, version="2.1.197"), scenes=[each for each in SCENES if each.name == "signal"])
    assert (found.ways, found.trouble) == ({"end.term": "orphans"}, ())


def test_every_scene_has_a_name_of_its_own() -> None:
    names = [scene.name for scene in SCENES]
    assert sorted(set(names)) == sorted(names)
    assert set(names) > PLAYED
