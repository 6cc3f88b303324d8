"""Work handed to a subagent: Agent, which ``init.tools`` and older calls name Task."""

from __future__ import annotations

from typing import Final

import msgspec

from bascule.payload import SubagentOutput, SubagentTask
from bascule.tools.fields import Fields
from bascule.tools.outcome import Outcome, content_text

_LAUNCHED: Final = frozenset({"async_launched", "remote_launched"})


def delegate(call: Fields) -> SubagentTask:
    """The work, and who does it. Where it runs is not known when the call does not say (15_env_nobg, 15_bg_agent)."""
    return SubagentTask(
        description=call.text("description"),
        prompt=call.text("prompt"),
        subagent_type=call.text_or_none("subagent_type"),
        model=call.text_or_none("model"),
        background=call.flag_or_none("run_in_background"),
    )


def has_delegated(payload: SubagentTask, outcome: Outcome) -> SubagentTask:
    """``payload`` with the report, or with the id of an agent that has just set out (15_env_nobg, 15_bg_agent)."""
    told = outcome.fields
    status = told.text("status")
    if outcome.error is not None or not status:
        output = SubagentOutput(status="failed" if outcome.is_error else "", text=outcome.error or outcome.text)
        return msgspec.structs.replace(payload, output=output)
    launched = status in _LAUNCHED
    output = SubagentOutput(
        status=status,
        agent_id=told.text_or_none("agentId") or told.text_or_none("taskId"),
        duration_ms=told.whole("totalDurationMs"),
        tokens=told.whole("totalTokens"),
        tool_uses=told.whole("totalToolUseCount"),
        text="" if launched else _report(told),
    )
    model = payload.model or told.text_or_none("resolvedModel")
    return msgspec.structs.replace(payload, model=model, background=launched, output=output)


def _report(told: Fields) -> str:
    """The agent's own words: the CLI puts notes for the model around them and counts them (15_env_nobg)."""
    content = told.items("content")
    last = len(content) - (told.whole("harnessTailCount") or 0)
    return content_text(content[told.whole("harnessNoteCount") or 0 : last])
