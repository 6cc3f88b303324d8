"""The CLI that `make setup` brought is the one that is pinned."""

import subprocess
from pathlib import Path

import pytest


@pytest.mark.smoke
def test_the_pinned_cli_says_its_version(claude_cli: Path, cli_version: str, clean_env: dict[str, str]) -> None:
    done = subprocess.run([claude_cli, "--version"], env=clean_env, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == f"{cli_version} (Claude Code)"
