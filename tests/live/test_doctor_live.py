"""The doctor and the real CLI: it finds in each tested version what is known of it, and nothing else."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from bascule.doctor.catalogue import TESTED, TRAITS
from bascule.doctor.compare import compared
from bascule.doctor.probe import probe
from bascule.doctor.proof import prove
from bascule.doctor.variants import VARIANTS


@pytest.mark.timeout(180)
async def test_the_probe_finds_what_is_known_of_the_version(claude_cli: Path, cli_version: str) -> None:
    found = await probe(claude_cli)
    assert found.trouble == ()
    assert found.version == cli_version
    assert found.ways == {name: way.way for name, trait in TRAITS.items() if (way := trait.of(cli_version))}
    told = compared(found)
    if cli_version == TESTED[0]:
        assert told == ()
    else:
        assert {each.names[0] for each in told if each.about == "behaviour"} == {trait.name for trait in VARIANTS}
        assert [each for each in told if each.like != (cli_version,)] == []
        assert [each for each in told if each.weight == "breaking"] == []


@pytest.mark.smoke
async def test_the_cli_is_proven_to_ask(claude_cli: Path) -> None:
    proof = await prove(claude_cli)
    assert proof.verdict == "holds", proof.why


@pytest.mark.timeout(180)
def test_the_command_names_what_differs(claude_cli: Path, cli_version: str, clean_env: dict[str, str]) -> None:
    command = [sys.executable, "-m", "bascule.cli.main", "doctor", "--json", "--cli", str(claude_cli)]
    env = {"PATH": os.environ["PATH"], "HOME": clean_env["HOME"]}
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    report = json.loads(done.stdout)
    assert (report["code"], report["version"], report["against"]) == (0, cli_version, TESTED[0])
    assert {check["name"]: check["verdict"] for check in report["checks"]}.items() >= {
        "found": "good",
        "version": "good",
        "asks": "good",
        "hooks": "good",
        "probe": "good",
        "config": "good",
    }.items()
    behaviours = {name for each in report["differences"] if each["about"] == "behaviour" for name in each["names"]}
    assert behaviours == (set() if cli_version == TESTED[0] else {trait.name for trait in VARIANTS})
