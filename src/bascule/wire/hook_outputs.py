"""What a hook may answer. Every mistake in its form lets the tool run, so the form is made here and nowhere else.

``HookOutput`` is the answer; what is special to an event goes into its ``specific``::

    HookOutput(specific=PreToolUseOutput(permission_decision="deny", reason="not on main"))
    HookOutput(decision="block", reason="tests fail")        # a Stop hook that keeps the model going
    HookOutput()                                             # no opinion

Of several hooks: deny > defer > ask > allow. ``ask`` goes to ``can_use_tool``, under ``bypassPermissions`` too
(06_bypass_ask). An unknown ``permissionDecision`` lets the tool run (07_hook_garbage), hence the checks.
"""

from typing import Any, Final, Literal, TypeAlias

from msgspec import field

from bascule.errors import LocalProtocolError
from bascule.wire.permissions import Allow, Deny
from bascule.wire.shape import Shape

PermissionWord: TypeAlias = Literal["allow", "deny", "ask", "defer"]

_WORDS: Final = ("allow", "deny", "ask", "defer")


class _Specific(Shape, frozen=True, kw_only=True, rename="camel", tag_field="hookEventName"):
    pass


class _Context(_Specific, frozen=True, kw_only=True):
    additional_context: str | None = None
    """Text for the model."""


class _Permission(_Specific, frozen=True, kw_only=True):
    permission_decision: PermissionWord | None = None
    """``defer`` is known to PreToolUse: it ends the turn with ``deferred_tool_use`` (07_hook_defer). None: no
    opinion."""
    reason: str | None = field(name="permissionDecisionReason", default=None)
    """Read by the model on a deny, shown to the person on an ask."""

    def __post_init__(self) -> None:
        word = self.permission_decision
        if word is not None and word not in _WORDS:
            told = ", ".join(_WORDS)
            raise LocalProtocolError(f"permission decision {word!r} would let the tool run; use one of {told}")


class PreToolUseOutput(_Permission, frozen=True, kw_only=True, tag="PreToolUse"):
    """May the call go on, and with which input?"""

    updated_input: dict[str, Any] | None = None
    """Replaces the input (07_hook_updatedInput)."""
    additional_context: str | None = None
    """Text for the model."""


class PreSkillShellCommandOutput(_Permission, frozen=True, kw_only=True, tag="PreSkillShellCommand"):
    """May the ``!cmd`` line run?"""

    updated_input: dict[str, Any] | None = None


class PreModelSwitchOutput(_Permission, frozen=True, kw_only=True, tag="PreModelSwitch"):
    """May the model be changed?"""


class PostToolUseOutput(_Context, frozen=True, kw_only=True, tag="PostToolUse"):
    classifier_context: str | None = None
    updated_tool_output: Any = None


class PostToolUseFailureOutput(_Context, frozen=True, kw_only=True, tag="PostToolUseFailure"):
    pass


class PostToolBatchOutput(_Context, frozen=True, kw_only=True, tag="PostToolBatch"):
    pass


class NotificationOutput(_Context, frozen=True, kw_only=True, tag="Notification"):
    pass


class UserPromptSubmitOutput(_Context, frozen=True, kw_only=True, tag="UserPromptSubmit"):
    session_title: str | None = None
    suppress_original_prompt: bool | None = None


class UserPromptExpansionOutput(_Context, frozen=True, kw_only=True, tag="UserPromptExpansion"):
    suppress_original_prompt: bool | None = None


class SessionStartOutput(_Context, frozen=True, kw_only=True, tag="SessionStart"):
    initial_user_message: str | None = None
    session_title: str | None = None
    watch_paths: tuple[str, ...] = ()
    reload_skills: bool | None = None


class SetupOutput(_Context, frozen=True, kw_only=True, tag="Setup"):
    pass


class StopOutput(_Context, frozen=True, kw_only=True, tag="Stop"):
    pass


class SubagentStartOutput(_Context, frozen=True, kw_only=True, tag="SubagentStart"):
    pass


class SubagentStopOutput(_Context, frozen=True, kw_only=True, tag="SubagentStop"):
    pass


class PostModelSwitchOutput(_Context, frozen=True, kw_only=True, tag="PostModelSwitch"):
    pass


class PermissionRequestOutput(_Specific, frozen=True, kw_only=True, tag="PermissionRequest"):
    decision: Allow | Deny


class PermissionDeniedOutput(_Specific, frozen=True, kw_only=True, tag="PermissionDenied"):
    retry: bool | None = None


class ElicitationOutput(_Specific, frozen=True, kw_only=True, tag="Elicitation"):
    action: str | None = None
    content: dict[str, Any] = field(default_factory=dict)


class ElicitationResultOutput(_Specific, frozen=True, kw_only=True, tag="ElicitationResult"):
    action: str | None = None
    content: dict[str, Any] = field(default_factory=dict)


class WorktreeCreateOutput(_Specific, frozen=True, kw_only=True, tag="WorktreeCreate"):
    worktree_path: str
    """Must be given."""


class CwdChangedOutput(_Specific, frozen=True, kw_only=True, tag="CwdChanged"):
    watch_paths: tuple[str, ...] = ()


class FileChangedOutput(_Specific, frozen=True, kw_only=True, tag="FileChanged"):
    watch_paths: tuple[str, ...] = ()


class MessageDisplayOutput(_Specific, frozen=True, kw_only=True, tag="MessageDisplay"):
    display_content: str | None = None


Specific: TypeAlias = (
    PreToolUseOutput
    | PreSkillShellCommandOutput
    | PreModelSwitchOutput
    | PostToolUseOutput
    | PostToolUseFailureOutput
    | PostToolBatchOutput
    | NotificationOutput
    | UserPromptSubmitOutput
    | UserPromptExpansionOutput
    | SessionStartOutput
    | SetupOutput
    | StopOutput
    | SubagentStartOutput
    | SubagentStopOutput
    | PostModelSwitchOutput
    | PermissionRequestOutput
    | PermissionDeniedOutput
    | ElicitationOutput
    | ElicitationResultOutput
    | WorktreeCreateOutput
    | CwdChangedOutput
    | FileChangedOutput
    | MessageDisplayOutput
)


class HookOutput(Shape, frozen=True, kw_only=True, rename="camel"):
    """The answer to a ``hook_callback``; with nothing set it has no opinion."""

    specific: Specific | None = field(name="hookSpecificOutput", default=None)
    """Of the event that fired: with another event's the tool does not run (07_hook_wrong_event)."""
    decision: str | None = None
    """``block`` drops a prompt, refuses a tool, keeps the model going at Stop; ``approve`` is the same as nothing."""
    reason: str | None = None
    """To the model, with ``block``."""
    system_message: str | None = None
    """Shown to the person as an ``Informational`` (2.1.332; nothing on 2.1.197)."""
    go_on: bool | None = field(name="continue", default=None)
    """False ends the turn *after* the tool ran (07_hook_continue_false): no way to stop a tool."""
    stop_reason: str | None = None
    suppress_output: bool | None = None

    def __post_init__(self) -> None:
        if self.decision not in (None, "block", "approve"):
            raise LocalProtocolError(f"a hook's decision is 'block' or 'approve', not {self.decision!r}")
