"""Plans: ExitPlanMode, EnterPlanMode."""

from __future__ import annotations

import msgspec

from bascule.payload import ShowPlan
from bascule.tools.fields import Fields
from bascule.tools.outcome import Outcome


def show(call: Fields) -> ShowPlan:
    """A plan. Of an ask's input it is the one that counts; the call's may be stripped later (13_enter_plan)."""
    return ShowPlan(plan=call.text("plan"), file_path=call.text_or_none("planFilePath"))


def enter(_call: Fields) -> ShowPlan:
    """Plan mode is entered; there is no plan yet (13_enter_plan)."""
    return ShowPlan(entering=True)


def has_shown(payload: ShowPlan, outcome: Outcome) -> ShowPlan:
    """``payload`` with the plan as approved (13_planfile_edited)."""
    told = outcome.fields
    return msgspec.structs.replace(
        payload,
        plan=told.text("plan") or payload.plan,
        file_path=told.text_or_none("filePath") or payload.file_path,
        edited=told.flag("planWasEdited"),
        error=outcome.error,
    )
