"""`bascule policy replay`: what a policy would have decided over the calls of past sessions, and what would change."""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from bascule.cli.exits import SUCCESS
from bascule.cli.policy import policy_of, reason_of, word_of
from bascule.cli.policy_recorded import Recorded, RecordedCall, recorded
from bascule.cli.printing import say
from bascule.policy import chain, verdict
from bascule.policy.policies import Policy
from bascule.terminal.clean import plain

_WORDS: Final = ("allow", "ask", "deny", "pass")
_TITLE: Final = 72
"""Characters of a call's title that are shown."""


class Ruling(NamedTuple):
    """What a policy says over a recorded call."""

    call: RecordedCall
    word: str
    rule: str | None
    reason: str


def run(args: argparse.Namespace) -> int:
    """Judge every call as if somebody watched."""
    policy = policy_of(args.policy, args.rules, Path.cwd())
    found = recorded(args.recordings)
    rulings = [ruling(policy, call, int(time.time() * 1000)) for call in found.calls]
    for why in found.left_out:
        say(f"{plain(why)}; left out")
    if args.json:
        print(json.dumps(_told(policy, found, rulings), ensure_ascii=False))
    else:
        print(*map(plain, _lines(policy, found, rulings)), sep="\n")
    return SUCCESS


def ruling(policy: Policy, call: RecordedCall, now: int) -> Ruling:
    """What ``policy`` says, with what a person had allowed for longer by then."""
    said = chain.judge(policy, call.call, mode=call.mode, attended=True, grants=call.grants, now=now)
    rule = None if isinstance(said, verdict.Pass) else said.rule
    return Ruling(call, word_of(said), rule, reason_of(said))


def _changed(rulings: Sequence[Ruling]) -> list[Ruling]:
    return [ruling for ruling in rulings if ruling.word not in (ruling.call.was, "pass")]


def _told(policy: Policy, found: Recorded, rulings: Sequence[Ruling]) -> dict[str, Any]:
    counts = Counter(ruling.word for ruling in rulings)
    return {
        "policy": policy.name,
        "recordings": found.files,
        "calls": len(rulings),
        "verdicts": {word: counts[word] for word in _WORDS if word != "pass" or counts[word]},
        "changes": [
            {
                "recording": one.call.recording,
                "tool_call_id": one.call.id,
                "tool": one.call.call.facts.tool,
                "title": one.call.title,
                "was": one.call.was,
                "verdict": one.word,
                "rule": one.rule,
                "reason": one.reason,
            }
            for one in _changed(rulings)
        ],
        "left_out": list(found.left_out),
    }


def _lines(policy: Policy, found: Recorded, rulings: Sequence[Ruling]) -> Iterator[str]:
    """The counts, then the calls that would be decided otherwise, those that are alike as one."""
    counts = Counter(ruling.word for ruling in rulings)
    yield f"{len(rulings)} calls in {found.files} recordings, by the policy {policy.name}"
    for word in _WORDS:
        if counts[word] or word != "pass":
            yield f"{counts[word]:>6}  {word}"
    changed = _changed(rulings)
    if not changed:
        yield "none would be decided otherwise than it was"
        return
    yield f"\n{len(changed)} would be decided otherwise:"
    alike: dict[tuple[str, str, str, str], list[Ruling]] = {}
    for one in changed:
        alike.setdefault((one.call.was, one.word, one.call.title, one.rule or one.reason), []).append(one)
    for (was, word, title, why), group in sorted(alike.items()):
        others = f" and {len(group) - 1} more" if len(group) > 1 else ""
        yield f"  {was} → {word}  {_cut(title)}\n      {why}\n      {group[0].call.recording}{others}"


def _cut(title: str) -> str:
    line = " ".join(title.split())
    return line if len(line) <= _TITLE else line[: _TITLE - 1] + "…"
