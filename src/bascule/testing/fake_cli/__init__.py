"""A stand-in for the Claude Code CLI: a program that speaks its wire, without its model, its account or its size.

It starts in a fifth of a second, plays the scripts of ``bascule.demo.script``, runs Bash, Read, Write and Edit for real
in its working directory, and is strict: what the CLI refuses, ignores or dies of, it refuses, ignores and dies of too.
Two versions of the CLI, which differ, can be had. That it does not share its author's mistakes is checked by tests that
drive it and the real CLI through the same scenarios.

    cli = install(tmp_path)
    with ScriptedModel(Script(say("hello"))) as model:
        env = {"ANTHROPIC_BASE_URL": model.url}
        async with open_session(Options(cwd=workspace, cli=cli, env=env, unproven=True)) as session: ...

Played: turns and their prompts (waiting, folded, merged, taken back), partial messages, tool calls beside and behind
each other, permission requests and *always*, hooks (UserPromptSubmit, PreToolUse, PostToolUse, Stop), plans and
questions, interrupts, API errors and repetition, resumed and forked sessions, bad lines, signals, exit codes.
Not played, and refused in words: subagents, background commands, MCP servers, slash commands, compaction, limits of
money, structured output.
"""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

from bascule.testing.fake_cli.versions import NEWEST, VERSIONS

__all__ = ["NEWEST", "VERSIONS", "install"]


def install(folder: Path, *, version: str = NEWEST, script: Path | None = None) -> Path:
    """Writes an executable ``claude`` into ``folder`` and returns its path.

    It runs the fake of that ``version`` with this Python. With ``script``, a file, it plays that; else it asks the
    model at ``ANTHROPIC_BASE_URL``, which may be a ``ScriptedModel``.
    """
    program = __name__ if script is None else f"{__name__}.scripted"
    settings = {"BASCULE_FAKE_VERSION": version, **({} if script is None else {"BASCULE_FAKE_SCRIPT": str(script)})}
    lines = [
        "#!/bin/sh",
        *(f"export {name}={shlex.quote(value)}" for name, value in settings.items()),
        f'exec {shlex.quote(sys.executable)} -m {program} "$@"',
    ]
    path = folder / "claude"
    path.write_text("\n".join(lines) + "\n")
    path.chmod(0o755)
    return path
