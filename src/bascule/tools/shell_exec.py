"""Shell commands run, watched and stopped: Bash, PowerShell, Monitor, BashOutput, KillShell, TaskStop."""

from __future__ import annotations

import re
from typing import Final

import msgspec

from bascule.payload import ShellExec, ShellOutput
from bascule.tools.fields import Fields
from bascule.tools.outcome import Outcome, untagged

_EXIT_CODE: Final = re.compile(r"Exit code (\d{1,3})(?:\n|$)")
_NO_OUTPUT: Final = "(Bash completed with no output)"
_PERSISTED: Final = "<persisted-output>"
_REJECTED: Final = "User rejected tool use"
"""The result of a command that an interrupt cut (15_interrupt_with_bg_agent)."""


def run(call: Fields) -> ShellExec:
    """A command in the foreground or, as it asks, in the background. No command where the input was not read."""
    return ShellExec(
        command=call.text("command"),
        description=call.text_or_none("description"),
        timeout_ms=call.whole("timeout"),
        background=call.flag("run_in_background"),
    )


def monitor(call: Fields) -> ShellExec:
    """A command in the background whose lines wake the model."""
    return ShellExec(
        command=call.text("command"),
        description=call.text_or_none("description"),
        timeout_ms=call.whole("timeout_ms"),
        background=True,
    )


def background(call: Fields) -> ShellExec:
    """A background command that is read or stopped."""
    task_id = call.text_or_none("shell_id") or call.text_or_none("bash_id") or call.text_or_none("task_id")
    return ShellExec(command="", background=True, task_id=task_id)


def has_run(payload: ShellExec, outcome: Outcome) -> ShellExec:
    """``payload`` with what the command printed (17_edit_write, 15_bg_bash, CLI 2.1.332)."""
    told = outcome.fields
    output = _failed(outcome) if outcome.is_error else _ended(told, outcome)
    command = payload.command or told.text("command")
    in_background = payload.background or output.background_id is not None
    return msgspec.structs.replace(payload, command=command, background=in_background, output=output)


def _failed(outcome: Outcome) -> ShellOutput:
    """The exit code stands in the text; a text without one is the CLI's, and the command may not have run at all."""
    text = untagged(outcome.text)
    exit_code = _EXIT_CODE.match(text)
    if exit_code is None:
        return ShellOutput(stderr=text, interrupted=outcome.result == _REJECTED)
    return ShellOutput(exit_code=int(exit_code[1]), stdout=text[exit_code.end() :])


def _ended(told: Fields, outcome: Outcome) -> ShellOutput:
    if "stdout" not in told:
        return _from_text(told, outcome.text)
    image = told.flag("isImage")
    return ShellOutput(
        stdout="" if image else told.text("stdout"),
        stderr="\n".join(filter(None, [told.text("stderr"), *_notes(told, outcome.text)])),
        interrupted=told.flag("interrupted"),
        truncated=image or "persistedOutputPath" in told,
        background_id=told.text_or_none("backgroundTaskId"),
    )


def _from_text(told: Fields, text: str) -> ShellOutput:
    """Without a structured result, as in subagents (15_env_nobg), there is what the model was told."""
    return ShellOutput(
        stdout="" if text == _NO_OUTPUT else text,
        truncated=text.startswith(_PERSISTED),
        background_id=told.text_or_none("taskId"),
    )


def _notes(told: Fields, text: str) -> list[str]:
    """What the CLI says beside the output, in its own words where it has some."""
    notes = []
    if told.flag("isImage"):
        notes.append("[image]")
    if "persistedOutputPath" in told:
        notes.append(f"Whole output: {told.text('persistedOutputPath')}")
    if "returnCodeInterpretation" in told:
        notes.append(told.text("returnCodeInterpretation"))
    if "backgroundTaskId" in told:
        notes.append(text)
    return notes
