"""Permissions in the CLI's words: what an ask suggests, and what an answer may say.

An answer is an ``Allow`` or a ``Deny``. Neither can be built in a form that the CLI refuses: an allow always carries
``updatedInput`` (L15: 2.1.197 fails without it), a deny always has a message (07_shape_deny_no_message, both versions).
"""

from typing import Any, Final, TypeAlias

from msgspec import field

from bascule.errors import LocalProtocolError
from bascule.wire.fitting import Misfit, fit
from bascule.wire.shape import UNREAD, Shape, Unread

DESTINATIONS: Final = ("userSettings", "projectSettings", "localSettings", "session", "cliArg")
"""Where an update goes. ``session`` and ``cliArg`` stay in memory; the others are files. ``projectSettings`` is written
but has no effect in an untrusted workspace, and an unknown word is ignored without a sign (08_always_*)."""

ACCEPT_EDITS: Final = "acceptEdits"
MODES: Final = ("default", "acceptEdits", "bypassPermissions", "plan", "dontAsk", "auto")
"""The words of ``set_permission_mode``. The command line also knows ``manual`` for ``default`` (2.1.332)."""


class Rule(Shape, frozen=True):
    """Which calls a permission covers."""

    tool_name: str = field(name="toolName")
    rule_content: str | None = field(name="ruleContent", default=None)
    """None: every call of the tool. The text form is ``Tool(content)``."""

    def __str__(self) -> str:
        return self.tool_name if self.rule_content is None else f"{self.tool_name}({self.rule_content})"


class _Rules(Shape, frozen=True, tag_field="type"):
    rules: tuple[Rule, ...] = ()
    behavior: str | None = None
    """``allow``, ``deny``, ``ask``."""
    destination: str | None = None


class AddRules(_Rules, frozen=True, tag="addRules"):
    pass


class ReplaceRules(_Rules, frozen=True, tag="replaceRules"):
    pass


class RemoveRules(_Rules, frozen=True, tag="removeRules"):
    pass


class SetMode(Shape, frozen=True, tag_field="type", tag="setMode"):
    mode: str
    destination: str | None = None


class _Directories(Shape, frozen=True, tag_field="type"):
    directories: tuple[str, ...] = ()
    destination: str | None = None


class AddDirectories(_Directories, frozen=True, tag="addDirectories"):
    pass


class RemoveDirectories(_Directories, frozen=True, tag="removeDirectories"):
    pass


class UnknownUpdate(Unread, frozen=True, tag_field="type", tag=UNREAD):
    pass


PermissionUpdate: TypeAlias = (
    AddRules | ReplaceRules | RemoveRules | SetMode | AddDirectories | RemoveDirectories | UnknownUpdate
)


class Allow(Shape, frozen=True, tag_field="behavior", tag="allow"):
    """The call may run, with ``updated_input``: the ask's own input, or an edited one (08_*)."""

    updated_input: dict[str, Any] = field(name="updatedInput")
    """Never left out, even if empty. Keys that the tool does not know are ignored; a wrong type fails the tool."""
    updated_permissions: tuple[PermissionUpdate, ...] = field(name="updatedPermissions", default=())
    tool_use_id: str | None = field(name="toolUseID", default=None)
    decision_classification: str | None = field(name="decisionClassification", default=None)
    """``user_temporary``, ``user_permanent``, ``user_reject``."""

    def __post_init__(self) -> None:
        if not isinstance(self.updated_input, dict):
            raise LocalProtocolError(f"an allow carries the tool's input as a dict, not {self.updated_input!r}")


class Deny(Shape, frozen=True, tag_field="behavior", tag="deny"):
    """The call may not run; the model reads ``message`` word for word, but for ``interrupt`` (08_deny_*)."""

    message: str
    interrupt: bool = False
    """True: the turn ends as interrupted, and the model gets a fixed text instead of the message."""
    tool_use_id: str | None = field(name="toolUseID", default=None)
    decision_classification: str | None = field(name="decisionClassification", default=None)

    def __post_init__(self) -> None:
        if not isinstance(self.message, str) or not self.message:
            raise LocalProtocolError("a deny says why: its message must not be empty")


def decision_of(answer: Any) -> Allow | Deny | None:
    """The decision in the answer to ``can_use_tool``, as recorded; None for what the CLI would not accept either."""
    behavior = answer.get("behavior") if isinstance(answer, dict) else None
    try:
        match behavior:
            case "allow":
                return fit({"updatedInput": {}, **answer}, Allow)
            case "deny":
                return fit(answer, Deny)
    except Misfit:
        pass
    return None
