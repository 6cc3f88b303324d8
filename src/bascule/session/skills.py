"""The ``!command`` lines in skills and slash commands, which the CLI runs while it loads their text.

They are no calls: no PreToolUse hook sees them and no person is asked (what the skill's own ``allowed-tools`` names
runs, and so does what the settings allow). 2.1.332 has a hook of their own, which can only let them run or not; in
2.1.197 they can only be switched off as a whole (tests/live/test_gaps_live.py).
"""

from __future__ import annotations

from typing import Final

from bascule.errors import RequestFailed, StartFailed
from bascule.policy.verdict import Ask, Deny, Verdict
from bascule.session.line import Line
from bascule.transport.version import Version, parsed
from bascule.wire.requests import ApplyFlagSettings

ASKS_SINCE: Final = Version(2, 1, 332)
"""The first tested version that has the hook."""

NOT_NOW: Final = (
    "A command in the text of a skill runs while the text is loaded, and nobody can be asked then. A rule can allow it;"
    " or run it as a call of your own."
)


def settled(said: Verdict) -> Verdict:
    """``said`` without the wait for a person, which these commands do not bear."""
    return Deny(rule=said.rule or "nobody can be asked", reason=NOT_NOW) if isinstance(said, Ask) else said


SWITCHED_OFF: Final = ApplyFlagSettings(settings={"disableSkillShellExecution": True})
"""The request that has the CLI run none of them."""


def are_asked_about(version: str | None) -> bool:
    """Whether the CLI has the hook; ``version`` is what it told, None where it does not."""
    told = parsed(version or "")
    return told is not None and told >= ASKS_SINCE


async def hold_back(line: Line, version: str | None) -> None:
    """Switch them off where the CLI asks nobody about them. Raises ``StartFailed`` where that cannot be."""
    if are_asked_about(version):
        return
    try:
        await line.request(SWITCHED_OFF)
    except RequestFailed as exc:
        raise StartFailed(
            "the CLI runs the shell commands of skills past the policy, and cannot switch them off: use a version that"
            " bascule was tested with",
            **line.last_words(),
        ) from exc
