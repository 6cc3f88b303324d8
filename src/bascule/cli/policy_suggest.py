"""`bascule policy suggest`: rules from what people allowed in past sessions, as TOML to be looked through."""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from bascule.cli.exits import SUCCESS
from bascule.cli.policy import policy_of
from bascule.cli.policy_recorded import RecordedCall, recorded
from bascule.cli.policy_replay import ruling
from bascule.cli.printing import say
from bascule.policy.proposing import Answered, Proposal, covers, propose
from bascule.policy.rules import Rule
from bascule.terminal.clean import plain

_ANSWERS: Final = {"allowed": True, "allowed_always": True, "denied": False, "denied_stop": False}


class Suggested(NamedTuple):
    """A rule, and what of the recordings it covers."""

    proposal: Proposal
    calls: int
    """All calls, those too that nobody was asked about."""
    examples: tuple[str, ...]


def run(args: argparse.Namespace) -> int:
    """Print the rules; those that the policy has by now are not among them."""
    policy = policy_of(args.policy, args.rules, Path.cwd())
    found = recorded(args.recordings)
    for why in found.left_out:
        say(f"{plain(why)}; left out")
    now = int(time.time() * 1000)
    asked = [call for call in found.calls if ruling(policy, call, now).word == "ask"]
    proposals = propose(_answered(asked), least=args.least)
    suggested = [_suggested(proposal, found.calls) for proposal in proposals]
    print(_json(suggested) if args.json else "\n\n".join(_texts(suggested)))
    return SUCCESS


def _answered(calls: Sequence[RecordedCall]) -> Iterator[Answered]:
    """What people said; a call that was edited was not allowed as it was."""
    for call in calls:
        if call.answer is not None and call.answer.outcome in _ANSWERS and call.asked is not None:
            allowed = _ANSWERS[call.answer.outcome] and not call.answer.edited
            yield Answered(call.call, allowed, call.recording)


def _suggested(proposal: Proposal, calls: Sequence[RecordedCall]) -> Suggested:
    covered = [call.title for call in calls if covers(proposal.rule, call.call)]
    return Suggested(proposal, len(covered), tuple(dict.fromkeys(covered))[:3])


def _json(suggested: Sequence[Suggested]) -> str:
    rows = [
        {
            "rule": str(one.proposal.rule),
            "toml": _toml(one.proposal.rule, _reason(one)),
            "asks": one.proposal.asks,
            "sessions": one.proposal.sessions,
            "calls": one.calls,
            "examples": one.examples,
        }
        for one in suggested
    ]
    return json.dumps({"suggestions": rows}, ensure_ascii=False)


def _texts(suggested: Sequence[Suggested]) -> Iterator[str]:
    """TOML, with what each rule would have covered above it."""
    if not suggested:
        yield "# nothing that people allowed more than once could be a rule that is narrow enough"
    for one in suggested:
        yield f"# {_would(one)}\n# {plain('; '.join(' '.join(title.split()) for title in one.examples))}\n" + _toml(
            one.proposal.rule, _reason(one)
        )


def _would(one: Suggested) -> str:
    sessions = "1 session" if one.proposal.sessions == 1 else f"{one.proposal.sessions} sessions"
    return f"would have spared {one.proposal.asks} asks in {sessions}, and covered {one.calls} calls in all:"


def _reason(one: Suggested) -> str:
    return f"allowed {one.proposal.asks} times"


def _toml(rule: Rule, reason: str) -> str:
    said = {"action": rule.action, "tool": rule.tool, "match": rule.match, "reason": reason}
    rows = (f"{key} = {_quoted(value)}" for key, value in said.items() if value is not None)
    return "\n".join(("[[rule]]", *rows))


def _quoted(text: str) -> str:
    """A string of TOML is one of JSON, but for this character."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
