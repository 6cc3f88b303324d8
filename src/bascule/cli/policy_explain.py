"""`bascule policy explain`: what would be decided over a call, by which rule, and what each part of it lacks."""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from bascule.cli.exits import SUCCESS
from bascule.cli.policy import policy_of, reason_of, word_of
from bascule.errors import OptionError
from bascule.payload import Mark
from bascule.policy import chain, verdict
from bascule.policy.call import Call
from bascule.policy.explaining import Part, explain
from bascule.policy.policies import Policy
from bascule.session.facts import ground
from bascule.store.grants import Grants, GrantsHere
from bascule.terminal.clean import plain
from bascule.tools.names import SHELL
from bascule.tools.risks import marks, parts
from bascule.tools.shell import AVAILABLE
from bascule.transport.folders import state_folder


def run(args: argparse.Namespace) -> int:
    """Judge the call as a session would that somebody watches, and say how it came to it."""
    workspace = _workspace(args.cwd)
    policy = policy_of(args.policy, args.rules, workspace)
    call = ground(workspace, os.environ).call(*_call(args), cwd=None)
    now = int(time.time() * 1000)
    grants = () if args.rules else GrantsHere(Grants(state_folder(os.environ)), workspace).holding()
    said = chain.judge(policy, call, mode=policy.mode, attended=True, grants=grants, now=now)
    allowing = [*(grant.rule for grant in grants), *(rule for rule in policy.rules if rule.action == "allow")]
    found = explain([*allowing, *policy.safe], call, now)
    if args.json:
        print(json.dumps(_told(said, found, call), ensure_ascii=False))
    else:
        print(*(plain(line) for line in _lines(said, found, call, policy)), sep="\n")
    return SUCCESS


def _workspace(cwd: str) -> Path:
    path = Path(cwd).absolute()
    if not path.is_dir():
        raise OptionError(f"--cwd is {path}, which is no folder: name another")
    return path


def _call(args: argparse.Namespace) -> tuple[str, Any]:
    """The tool and its input."""
    line: str | None = args.line
    if line is not None and line.strip() and args.tool is None and args.input is None:
        return SHELL, {"command": line}
    if line is not None or args.tool is None:
        raise OptionError("explain takes a command line, or --tool NAME and --input JSON")
    try:
        tool_input = json.loads(args.input or "{}")
    except ValueError as exc:
        raise OptionError(f"--input is no JSON: {exc}") from None
    if not isinstance(tool_input, dict):
        raise OptionError(f"--input is {args.input}; it must be a JSON object, as the tool would get it")
    return args.tool, tool_input


def _told(said: verdict.Verdict, found: Sequence[Part], call: Call) -> dict[str, Any]:
    """What a program reads."""
    return {
        "verdict": word_of(said),
        "rule": None if isinstance(said, verdict.Pass) else said.rule,
        "reason": reason_of(said),
        "commands": [
            {
                "text": part.text,
                "rule": part.rule and part.rule.named,
                "near": part.near and part.near.named,
                "why": part.why,
                "would": part.would,
                "marks": [mark.mark for mark in of_part],
            }
            for part, of_part in zip(found, _marks(found, call), strict=True)
        ],
    }


def _marks(found: Sequence[Part], call: Call) -> list[Sequence[Mark]]:
    """The risks of each part."""
    of_commands = parts(call.facts, call.ground.workspace)
    if len(of_commands) == len(found):
        return [part.marks for part in of_commands]
    return [marks(call.facts, call.ground.workspace) for _ in found]


def _lines(said: verdict.Verdict, found: Sequence[Part], call: Call, policy: Policy) -> Iterator[str]:
    """What a person reads."""
    word = word_of(said)
    by = None if isinstance(said, verdict.Pass) else said.rule
    yield f"{word}: {by} — {reason_of(said)}" if by else f"{word}: {reason_of(said)}"
    yield f"policy {policy.name}, workspace {call.ground.workspace}"
    for part, of_part in zip(found, _marks(found, call), strict=True):
        risks = ", ".join(dict.fromkeys(mark.mark for mark in of_part))
        yield ""
        yield f"  {part.text}" + (f"   [{risks}]" if risks else "")
        yield from (f"    {line}" for line in _why(part, denied=isinstance(said, verdict.Deny)))
    if not AVAILABLE and call.runs:
        yield "\nwithout the extra shell only rules to the letter cover commands: pip install 'bascule[shell]'"


def _why(part: Part, *, denied: bool) -> Iterator[str]:
    if part.rule is not None:
        yield f"✓ {part.rule.named}: {part.why}"
    elif part.near is not None:
        yield f"✗ {part.near.named}: {part.why}"
    else:
        yield f"✗ {part.why}"
    if part.would and not denied:
        yield f"  would be covered by {' or '.join(part.would)}"
