"""A plan that a person wants written out first: when the model asks too early, and what the person chooses meanwhile.

The model is asked to write its plan as visible text, and often asks for approval again without having done so. That
request is denied at once, for there is still nothing to read (L27), but not for ever: a model that does not listen is a
person's to deal with. Its choices stay on the surfaces: one that is made while nothing is asked answers the next
request, in the same turn or in the one after it, whatever that plan says: so an approval means *ask for each edit*.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from msgspec.structs import replace

from bascule.commands import ApprovePlan, Decision, Deny, DenyAndStop, DiscussPlan, Receipt, Refused, Taken, TooLate
from bascule.events import AnyEvent, Complete, PermissionRequest
from bascule.ids import PendingId
from bascule.payload import ShowPlan
from bascule.policy.policies import OUTLINE_CHARS

TURNS: Final = 2
"""How long a choice holds that was made while nothing was asked: the turn of the denial, and the next one."""

EARLY: Final = 3
"""Requests that are sent back unasked, since somebody wanted the plan written; a model that was told so three times is
not going to write it."""

RULE: Final = "outline first"
NARROWED: Final = "the plan was not there to be read, so its approval holds with *ask for each edit*"
NOT_WRITTEN: Final = "the plan was to be written out first, and is not"
WRITE_IT: Final = (
    "Not yet: the user cannot read the plan, because you did not write it. Write the whole plan now as visible text in"
    " your reply, in numbered steps that name the files you would touch. Only then ask for approval again."
)


class Choice(NamedTuple):
    """What a person decided while nothing was asked."""

    decision: Decision
    by: str | None
    surface: str | None


class Outline:
    """The requests that came too early, and the choice that stands for the next one."""

    def __init__(self, min_chars: int = OUTLINE_CHARS) -> None:
        self._min_chars = min_chars
        self._early: set[PendingId] = set()
        self._turns_left = 0
        self._choice: Choice | None = None

    def is_missing(self, asked: PermissionRequest, written: str | None, refusals: int) -> bool:
        """Whether this request for approval comes too early. ``written``: since the outline was wanted; None: it was
        not. ``refusals``: how often it came too early since then. A plan in the request itself, or in its file, is as
        good as one in the reply."""
        if asked.ask != "plan" or written is None or refusals >= EARLY:
            return False
        plan = asked.normalized.plan if isinstance(asked.normalized, ShowPlan) else ""
        return max(len(written), len(plan)) < self._min_chars

    def came_early(self, pending_id: PendingId) -> None:
        """The request was denied at once; its choices stay."""
        self._early.add(pending_id)
        self._turns_left = TURNS

    def take(self, asked: PermissionRequest) -> Choice | None:
        """The choice that answers this request, which ends the waiting for one."""
        if asked.ask != "plan":
            return None
        choice, self._choice = self._choice, None
        self._turns_left = 0
        return choice

    def choose(self, pending_id: PendingId, choice: Choice) -> Receipt | None:
        """A person decides on a request that was denied at once; None for any other request."""
        if pending_id not in self._early:
            return None
        if not isinstance(choice.decision, ApprovePlan | DiscussPlan | Deny | DenyAndStop):
            return Refused(reason="the model was told to write the plan out: approve, discuss or deny it, or wait")
        if self._choice is not None:
            return TooLate(winner=f"decided by {self._choice.by or 'the user'}, for the next request")
        if not self._turns_left:
            return TooLate(winner=f"denied: {NOT_WRITTEN}")
        self._choice = choice._replace(decision=narrowed(choice.decision))
        return Taken()

    def goes_on(self, other: Outline) -> None:
        """With what another host saw; a choice that was made there is not in the recording, and is to be made again."""
        self._early = set(other._early)
        self._turns_left = other._turns_left

    def happened(self, event: AnyEvent) -> None:
        """An event was published."""
        if isinstance(event, Complete) and self._turns_left:
            self._turns_left -= 1
            if not self._turns_left:
                self._choice = None


def narrowed(decision: Decision) -> Decision:
    """What counts of a decision on a plan that nobody could read: no mode in which less is asked."""
    return replace(decision, then="ask") if isinstance(decision, ApprovePlan) else decision
