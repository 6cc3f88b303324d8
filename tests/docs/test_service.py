"""The unit and the container of `docs/how-to/service` start a server that there is, and keep what they promise."""

import configparser
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]

from bascule.cli.exits import MEANINGS
from bascule.cli.main import parser
from bascule.cli.serve import served
from bascule.web.settings import allowed_hosts, warnings

SERVICE = Path(__file__).parents[2] / "docs" / "how-to" / "service"
UNIT = SERVICE / "bascule.service"
CONTAINER = (SERVICE / "Containerfile").read_text()


def section(name: str) -> dict[str, str]:
    read = configparser.ConfigParser(interpolation=None, strict=True)
    read.optionxform = str  # type: ignore[assignment,method-assign]
    read.read(UNIT)
    return dict(read[name])


def instructions(name: str) -> list[str]:
    """What stands behind each instruction of that name."""
    joined = CONTAINER.replace("\\\n", " ")
    return [line.split(maxsplit=1)[1] for line in joined.splitlines() if line.startswith(f"{name} ")]


def test_the_unit_starts_a_server_with_options_that_it_takes() -> None:
    program, *argv = shlex.split(section("Service")["ExecStart"])
    assert program == "%h/.local/bin/bascule"
    assert parser().parse_args(argv).command == "serve"


def test_a_restart_by_the_unit_ends_the_server_alone() -> None:
    service = section("Service")
    assert (service["KillMode"], service["OOMPolicy"], service["Restart"]) == ("process", "continue", "on-failure")
    assert MEANINGS[int(service["RestartPreventExitStatus"])].startswith("wrong usage")


def test_the_key_in_the_url_is_not_for_the_journal() -> None:
    assert section("Service")["StandardOutput"] == "null"
    assert ">/dev/null" in instructions("CMD")[-1]


def test_nothing_gives_the_server_other_files_than_its_keepers() -> None:
    named = section("Service").keys()
    assert not [name for name in named if name.startswith(("Private", "Protect", "RestrictNamespaces", "ReadOnly"))]


def complaints(unit: str, folder: Path) -> list[str]:
    """What systemd says of a unit, whose program is there."""
    (folder / UNIT.name).write_text(unit.replace("%h/.local/bin/bascule", sys.executable))
    ran = subprocess.run(
        ["systemd-analyze", "verify", "--user", "--man=no", str(folder / UNIT.name)],
        env={"PATH": os.environ["PATH"], "HOME": str(folder), "XDG_RUNTIME_DIR": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )
    return [*ran.stderr.splitlines(), *([f"exit {ran.returncode}"] if ran.returncode else [])]


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd is not installed")
def test_systemd_takes_the_unit(tmp_path: Path) -> None:
    unit = UNIT.read_text()
    assert complaints(unit, tmp_path) == []
    assert complaints(unit.replace("KillMode=process", "KillMode=proces"), tmp_path) != []


def test_the_container_starts_a_server_that_its_machine_alone_can_reach(tmp_path: Path) -> None:
    shell, flag, command = json.loads(instructions("CMD")[-1])
    assert (shell, flag) == ("sh", "-c")
    words = [word for word in shlex.split(command) if word not in ("exec", ">/dev/null")]
    assert words[0] == "bascule"
    env = dict(re.findall(r"(\w+)=(\S+)", instructions("ENV")[0]))
    told = served(parser().parse_args(words[1:]), {**env, "HOME": str(tmp_path)})
    assert told.web.host == "0.0.0.0"
    assert {"127.0.0.1:7440", "localhost:7440"} <= allowed_hosts(told.web)
    assert warnings(told.web) != ()
    (published,) = compose()["ports"]
    assert published == f"127.0.0.1:{told.web.port}:{told.web.port}"
    assert instructions("EXPOSE") == [str(told.web.port)]
    assert f"http://127.0.0.1:{told.web.port}/api/health" in instructions("HEALTHCHECK")[0]


def compose() -> dict[str, Any]:
    """Its one service."""
    told = yaml.safe_load((SERVICE / "compose.yaml").read_text())
    assert set(told["volumes"]) == {"state", "claude"}
    service: dict[str, Any] = told["services"]["bascule"]
    return service


def test_the_container_is_nobodys_root_and_keeps_what_a_session_needs() -> None:
    assert instructions("USER") == ["bascule"]
    assert CONTAINER.index("\nUSER ") < CONTAINER.index("\nENTRYPOINT ")
    assert (compose()["cap_drop"], compose()["security_opt"]) == (["ALL"], ["no-new-privileges:true"])
    kept = set(json.loads(instructions("VOLUME")[0]))
    mounted = {volume.split(":")[1] for volume in compose()["volumes"] if volume.startswith(("state:", "claude:"))}
    assert kept == mounted == {"/home/bascule/.local/state/bascule", "/home/bascule/.claude"}
    assert all(path in instructions("RUN")[0] for path in kept)


def test_the_container_brings_no_claude_code() -> None:
    assert not re.search(r"claude-code|npm|curl|COPY|ADD ", "\n".join(instructions("RUN")))
    assert any(volume.endswith(":/usr/local/bin/claude:ro") for volume in compose()["volumes"])
