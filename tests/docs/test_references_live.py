"""What `explanation/references.md` says of the CLI and no recording can show, asked of the CLI itself."""

import os
import subprocess
from pathlib import Path

from tests.testing.driven import FLAGS, Driven, shape


def test_a_terminal_as_stdin_is_refused(claude_cli: Path, clean_env: dict[str, str], tmp_path: Path) -> None:
    leader, follower = os.openpty()
    try:
        done = subprocess.run(
            [claude_cli, *FLAGS],
            stdin=follower,
            cwd=tmp_path,
            env=clean_env,
            capture_output=True,
            text=True,
            check=False,
        )
    finally:
        os.close(follower)
        os.close(leader)
    assert (done.returncode, done.stdout) == (1, "")
    assert "Input must be provided" in done.stderr


def test_what_the_help_says_of_the_flags_we_need(claude_cli: Path, clean_env: dict[str, str], tmp_path: Path) -> None:
    told = subprocess.run(
        [claude_cli, "--help"], cwd=tmp_path, env=clean_env, capture_output=True, text=True, check=True
    ).stdout
    options = {line.split()[0] for line in told.splitlines() if line.strip().startswith("--")}
    assert "--include-hook-events" in options
    assert "--permission-prompt-tool" not in options


def test_skipping_permissions_beats_the_mode(claude_cli: Path, clean_env: dict[str, str], tmp_path: Path) -> None:
    with Driven(claude_cli, clean_env, tmp_path, "--dangerously-skip-permissions", mode="default") as cli:
        cli.prompt("/cost")
        init = cli.next(lambda line: shape(line) == "system/init")
    assert init["permissionMode"] == "bypassPermissions"


def test_a_line_of_eleven_megabytes_comes_whole(claude_cli: Path, clean_env: dict[str, str], tmp_path: Path) -> None:
    text = "ten letters " * 950_000
    with Driven(claude_cli, clean_env, tmp_path, "--replay-user-messages") as cli:
        cli.prompt(text, shouldQuery=False)
        echo = cli.next(lambda line: shape(line) == "user/replay")
    assert echo["message"]["content"] == [{"type": "text", "text": text}]
