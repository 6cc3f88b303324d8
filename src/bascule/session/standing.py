"""What stands outside of a session and decides in it: rules in files, grants that outlive sessions.

Both are looked at for each call that is judged, so that what a person writes, gives or takes back holds from the next
call on. What cannot be read allows nothing, and somebody is told.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import msgspec

from bascule.errors import BasculeError
from bascule.policy.grants import Grant
from bascule.policy.matching import Cover
from bascule.policy.policies import Policy
from bascule.recording import Noticed
from bascule.session.hooks import KeptGrants, tell_used
from bascule.session.rulebook import Rulebook


class Standing:
    """The policy and the grants of one session, as they are now."""

    def __init__(
        self, policy: Policy, book: Rulebook, kept: KeptGrants | None, note: Callable[[Noticed], object]
    ) -> None:
        self._policy = policy
        self._book = book
        self._kept = kept
        self._note = note
        self._told = ""

    def policy(self) -> Policy:
        """With the rules that stand in the files."""
        for said in self._book.look():
            self._note(Noticed(level=said.level, text=said.text))
        rules = self._book.rules
        return msgspec.structs.replace(self._policy, rules=(*self._policy.rules, *rules)) if rules else self._policy

    def grants(self, held: tuple[Grant, ...]) -> tuple[Grant, ...]:
        """Those of the session, without what was kept for longer and taken back elsewhere, and those from before."""
        if self._kept is None:
            return held
        kept = self._holding(self._kept)
        known = set(map(_said, kept))
        return (*(grant for grant in held if grant.scope == "session" or _said(grant) in known), *kept)

    def _holding(self, kept: KeptGrants) -> Sequence[Grant]:
        try:
            return kept.holding()
        except BasculeError as exc:
            if str(exc) != self._told:
                self._told = str(exc)
                self._note(Noticed(level="warning", text=f"{exc}; until then no grant from before this session holds"))
            return ()

    def lasting(self, covers: Iterable[Cover], grants: Sequence[Grant]) -> list[Grant]:
        """Of the ``grants`` those that cover a part of a call, and outlive the session."""
        used = {id(cover.rule) for cover in covers}
        return [grant for grant in grants if grant.scope != "session" and id(grant.rule) in used]

    async def used(self, grants: Sequence[Grant]) -> None:
        """A call runs since ``grants`` cover it: who keeps them is told."""
        if self._kept is not None:
            await tell_used(self._kept, grants)

    async def revoke(self, grant: Grant) -> None:
        """Take a grant back from whoever keeps it."""
        if self._kept is not None and grant.scope != "session":
            await self._kept.revoke(grant)


def _said(grant: Grant) -> tuple[str, str, int | None]:
    """What makes two grants the same: one that is kept with an end is not the one that was given here without."""
    return str(grant.rule), grant.scope, grant.rule.until
