"""What can be asked about a hub's sessions beside their events: what a rule would mean, and why somebody is asked."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Final, Literal

import msgspec
from msgspec.structs import replace

from bascule.conversation import Explained, RulePreview, Spent
from bascule.errors import OptionError
from bascule.events import PermissionRequest
from bascule.hub.live import Live, now_ms
from bascule.hub.settings import Settings
from bascule.hub.spec import options_of
from bascule.ids import PendingId, SessionId
from bascule.policy import matching
from bascule.policy.call import Call
from bascule.policy.chain import judge
from bascule.policy.explaining import explain as parts_of
from bascule.policy.grants import Grant
from bascule.policy.rules import Rule, parse
from bascule.policy.verdict import Allow, Ask, Deny, Pass, Verdict
from bascule.session.admission import own_places, rule_files
from bascule.session.facts import Ground, ground
from bascule.session.options import Options, environment_of, policy_of
from bascule.session.rulebook import Rulebook
from bascule.store.rows import AskRow, TurnRow
from bascule.store.store import Store

ALSO: Final = 20
"""Calls of the past that a preview names."""
ASKS: Final = 2000
"""Asks of the past that it looks at, the newest."""

_WORDS: Final[Mapping[type[Verdict], Literal["allow", "ask", "deny", "pass"]]] = {
    Allow: "allow",
    Ask: "ask",
    Deny: "deny",
    Pass: "pass",
}


async def preview(store: Store, live: Live, settings: Settings, pending_id: PendingId | None, text: str) -> RulePreview:
    """What a rule would have covered of what this session, and others in its workspace, asked."""
    rule = parse(text, "allow", source="preview")
    here = _ground(await asyncio.to_thread(options_of, live.row, settings))
    rows = (await store.asks(live.id, waiting=False))[-ASKS:]
    covered = [row for row in reversed(rows) if _covers(rule, row.request, here)]
    titles = dict.fromkeys(row.request.title for row in covered if row.pending_id != pending_id)
    asked = None if pending_id is None else next((row for row in rows if row.pending_id == pending_id), None)
    return RulePreview(
        rule=str(rule),
        also=tuple(titles)[:ALSO],
        asked=len(covered),
        never=() if asked is None else _never(rule, _call(asked.request, here)),
    )


def _covers(rule: Rule, request: PermissionRequest, here: Ground) -> bool:
    if request.ask != "tool":
        return False
    cover = matching.coverage([rule], _call(request, here), now_ms())
    return all(part.rule is not None for part in cover)


def _never(rule: Rule, call: Call) -> tuple[str, ...]:
    """Which parts of the call it leaves open, and why."""
    parts = parts_of([rule], call, now_ms())
    return tuple(f"{part.text}: {part.why}" for part in parts if part.rule is None)


def _call(request: PermissionRequest, here: Ground) -> Call:
    return here.call(request.tool_name, request.input, cwd=None)


def _ground(options: Options) -> Ground:
    return ground(options.cwd, environment_of(options), own_places(options))


def explain(row: AskRow, live: Live, settings: Settings) -> Explained:
    """How the policy of now comes to its word about a call. Reads files of rules: call it in a thread."""
    options = options_of(live.row, settings)
    policy = policy_of(options)
    book = Rulebook(rule_files(options))
    said = judge(
        replace(policy, rules=(*policy.rules, *book.rules)),
        _call(row.request, _ground(options)),
        mode=live.sketch.mode,
        attended=options.attended,
        grants=_grants(live, options),
        now=now_ms(),
    )
    return Explained(
        verdict=_WORDS[type(said)],
        rule=None if isinstance(said, Pass) else said.rule,
        reason=said.reason,
        trail=tuple(msgspec.to_builtins(step) for step in said.trail),
    )


def _grants(live: Live, options: Options) -> Sequence[Grant]:
    held = [grant for one in (live.session.grants if live.session else ()) for grant in one.grants]
    return [*held, *(options.kept_grants.holding() if options.kept_grants is not None else ())]


async def asked(store: Store, session: SessionId, pending_id: PendingId) -> AskRow:
    """The ask. Raises ``OptionError`` when there is none."""
    row = await store.ask(session, pending_id)
    if row is None:
        raise OptionError(f"there is no ask {pending_id} in {session}")
    return row


def spent(rows: Sequence[TurnRow], lives: dict[SessionId, Live]) -> tuple[Spent, ...]:
    """Turns with the titles and projects of their sessions."""
    return tuple(
        Spent(
            session=row.session,
            title=lives[row.session].facts().title,
            project=lives[row.session].row.project,
            turn=row.turn,
            started_at=row.started_at,
            ended_at=row.ended_at,
            by=row.by,
            surface=row.surface,
            complete=row.complete,
        )
        for row in rows
        if row.session in lives
    )


async def environment_here(live: Live, settings: Settings) -> dict[str, str]:
    """What git is run with for a session."""
    options = await asyncio.to_thread(options_of, live.row, settings)
    return {**environment_of(options), "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C.UTF-8"}
