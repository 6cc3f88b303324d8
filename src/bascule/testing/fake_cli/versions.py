"""In what the versions of the CLI differ, as far as the fake plays it.

A difference is a field, with the recordings that show it; nothing else in this package looks at a version's number.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import msgspec

_MODES: Final = ("acceptEdits", "auto", "bypassPermissions", "default", "dontAsk", "plan")


class Version(msgspec.Struct, frozen=True, kw_only=True):
    """One version of the CLI."""

    number: str
    model: str
    """What is run without ``--model``."""
    shown_model: str
    """What ``init`` calls it."""
    modes: tuple[str, ...] = _MODES
    """What ``--permission-mode`` takes."""
    offered_modes: tuple[str, ...] = _MODES
    """What the error about a wrong mode lists (26_mode_manual)."""
    unknown_flags: frozenset[str] = frozenset()
    """Flags of other versions that this one refuses."""
    capabilities: tuple[str, ...] = ()
    """Of ``init``."""

    tells_prompts: bool = True
    """``command_lifecycle``, ``user_message_uuids``, ``result_index`` and the like (02_multi_turn)."""
    names_queued: bool = True
    """The receipt of an interrupt says ``still_queued``; ``cancel_queued`` is known (11_interrupt_cancel_queued)."""
    input_optional: bool = True
    """An allow may come without ``updatedInput`` (08_allow_no_updatedInput)."""
    forgives_answers: bool = True
    """A ``control_response`` without a response is ignored and does not kill (07_shape_no_response_key)."""
    forgives_blanks: bool = True
    """A line of blanks, or with a byte order mark, is ignored or read and does not kill (24_bom, 24_spaces)."""
    late_hooks: bool = True
    """An ``initialize`` that comes second, or after a prompt, registers its hooks (21_init_twice)."""
    blocks_on_failure: bool = True
    """A hook may say ``onFailure: block`` (07_hook_err_block)."""
    names_hook: bool = True
    """The model reads which hook denied (06_bypass_deny)."""
    checks_modes: bool = True
    """``set_permission_mode`` refuses a mode that there is not (21_control_requests)."""
    closes_streams: bool = True
    """A stream that is cut or aborted gets its closing events (10_stream_text_partial, 18_midstream_cut)."""
    streams_tried: int = 2
    """Streams that may break before the answer is asked for in one piece (18_midstream_cut)."""
    errors_end_in: str = "api_error"
    """``terminal_reason`` after an API error (18_400_generic)."""
    cost_goes_on: bool = True
    """A resumed session adds to the cost it had (12_resume_good)."""
    resumes_anywhere: bool = True
    """A session can be resumed from another folder (12_resume_other_cwd)."""
    takes_inline_plan: bool = False
    """``ExitPlanMode`` may carry the plan in its input (13_plan_deny)."""
    term_kills_tools: bool = True
    """SIGTERM ends a command that runs in the foreground (25_sigterm_tool)."""


_NEWEST: Final = Version(
    number="2.1.332",
    model="claude-opus-5-5",
    shown_model="claude-opus-5-5",
    modes=(*_MODES, "manual"),
    offered_modes=("acceptEdits", "auto", "bypassPermissions", "manual", "dontAsk", "plan"),
    capabilities=("interrupt_receipt_v1", "interrupt_cancel_queued_v1", "msg_lifecycle_v1", "request_marker_lists_v1"),
)

_OLDEST: Final = Version(
    number="2.1.197",
    model="claude-opus-4-8",
    shown_model="claude-opus-4-8[1m]",
    unknown_flags=frozenset(("--await-initialize", "--autocompact", "--forward-subagent-text", "--permission-prompts")),
    tells_prompts=False,
    names_queued=False,
    input_optional=False,
    forgives_answers=False,
    forgives_blanks=False,
    late_hooks=False,
    blocks_on_failure=False,
    names_hook=False,
    checks_modes=False,
    closes_streams=False,
    streams_tried=1,
    errors_end_in="completed",
    cost_goes_on=False,
    resumes_anywhere=False,
    takes_inline_plan=True,
    term_kills_tools=False,
)

VERSIONS: Final[Mapping[str, Version]] = {version.number: version for version in (_NEWEST, _OLDEST)}
"""The versions that the fake can be, the newest first."""

NEWEST: Final = _NEWEST.number
