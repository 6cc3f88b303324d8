"""The control channel: requests and answers of both sides, in the one envelope that works.

::

    {"type": "control_request",  "request_id": R, "request": {"subtype": ..., ...}}
    {"type": "control_response", "response": {"subtype": "success", "request_id": R, "response": {...}}}
    {"type": "control_response", "response": {"subtype": "error", "request_id": R, "error": "..."}}
    {"type": "control_cancel_request", "request_id": R}

With the id outside, a request stays pending for ever; with ``result`` for the inner ``response``, a hook's deny lets
the tool run (07_shape_*, 07_hook_*, both versions). ``succeeded`` and ``failed`` are the way to answer; with them
neither can be written.

Requests run concurrently, both ways. Ids of the CLI are unique; the same request comes again in the pending lists of
an ``initialize`` answer. Answers to unknown ids are ignored on both sides; with ``--replay-user-messages`` the CLI
echoes ours.
"""

from typing import Any, ClassVar, Final, TypeAlias

from msgspec import field

from bascule.errors import LocalProtocolError
from bascule.wire.hook_outputs import HookOutput
from bascule.wire.initialize import Initialize
from bascule.wire.permissions import Allow, Deny, PermissionUpdate
from bascule.wire.requests import CliRequest
from bascule.wire.shape import UNREAD, Message, Shape, Unread

_UNSUPPORTED: Final = "unsupported_request"
_UNSUPPORTED_WORDS: Final = "Unsupported control request subtype"


class Provenance(Shape, frozen=True):
    """The MCP server that a tool belongs to, and where its configuration came from."""

    name: str | None = None
    source: str | None = None


class MatchedRule(Shape, frozen=True):
    source: str | None = None
    tool_name: str | None = None
    rule_content: str | None = None


class CanUseTool(Shape, frozen=True, tag_field="subtype", tag="can_use_tool"):
    """May this tool run? Never times out (09_never_answered_perm). Answer: ``Allow`` or ``Deny``.

    Also the form of a plan's approval and of a question to the user, which come even where all is allowed
    (14_bypass). A call without a name or an input is none: such a line becomes an ``UnknownRequest``.
    """

    tool_name: str
    input: dict[str, Any]
    tool_use_id: str | None = None
    agent_id: str | None = None
    """Set when a subagent asks."""
    permission_suggestions: tuple[PermissionUpdate, ...] = ()
    """What "always" could mean; none after a hook's ``ask``."""
    display_name: str | None = None
    title: str | None = None
    description: str | None = None
    """The model's own words."""
    decision_reason: str | None = None
    decision_reason_type: str | None = None
    """``rule``, ``mode``, ``hook``, ``workingDir``, ``safetyCheck``, ``classifier``, ``other``, ..."""
    decision_reason_code: str | None = None
    decision_reason_hook_event: str | None = None
    decision_reason_hook_source: str | None = None
    blocked_path: str | None = None
    mcp_server: Provenance | None = None
    matched_ask_rule: MatchedRule | None = None
    requires_user_interaction: bool | None = None
    """True: only a person can answer (a plan, a question)."""
    classifier_approvable: bool | None = None
    suppress_always_allow_rule: bool | None = None
    default_to_no: bool | None = None
    server_policy_ask_only: bool | None = None


class HookCallback(Shape, frozen=True, tag_field="subtype", tag="hook_callback"):
    """A hook fired. Answer: a ``HookOutput``; an error, or a shape that is not understood, lets the tool run."""

    callback_id: str
    input: dict[str, Any] = field(default_factory=dict)
    """For ``hooks.decode_hook_input``."""
    tool_use_id: str | None = None
    """Always there; a made-up uuid for events without a tool."""


class McpMessage(Shape, frozen=True, tag_field="subtype", tag="mcp_message"):
    """One JSON-RPC message for an in-process server, or from it. Answer: ``McpAnswer``, to notifications too."""

    server_name: str
    message: dict[str, Any]


class Elicitation(Shape, frozen=True, tag_field="subtype", tag="elicitation"):
    """An MCP server asks the person. Answer: ``ElicitationAnswer``; no time limit was seen (22_elicit_accept)."""

    mcp_server_name: str
    message: str | None = None
    mode: str | None = None
    """``form`` or ``url``."""
    url: str | None = None
    elicitation_id: str | None = None
    requested_schema: dict[str, Any] = field(default_factory=dict)
    property_order: tuple[str, ...] = ()
    title: str | None = None
    display_name: str | None = None
    description: str | None = None


class UserDialog(Shape, frozen=True, tag_field="subtype", tag="request_user_dialog"):
    """A dialog of a kind that ``Initialize.supported_dialog_kinds`` names. Answer: ``DialogAnswer``."""

    dialog_kind: str
    payload: dict[str, Any] = field(default_factory=dict)
    tool_use_id: str | None = None


class UnknownRequest(Unread, frozen=True, tag_field="subtype", tag=UNREAD):
    """A request that is not here, or lacks what it needs. Answer: ``failed``, so that nobody waits in vain."""

    tag_key: ClassVar[str] = "subtype"


HostRequest: TypeAlias = CanUseTool | HookCallback | McpMessage | Elicitation | UserDialog
"""What the CLI asks of the host."""

OurRequest: TypeAlias = CliRequest | Initialize | McpMessage | UnknownRequest
"""What the host asks of the CLI; with an ``McpMessage`` an in-process server speaks unasked, and an ``UnknownRequest``
is one that is made in the CLI's own words."""

Request: TypeAlias = HostRequest | Initialize | CliRequest | UnknownRequest


class ControlRequest(Message, frozen=True, tag_field="type", tag="control_request"):
    request_id: str
    request: Request


class Succeeded(Shape, frozen=True, tag_field="subtype", tag="success"):
    request_id: str
    response: Any = None
    """The answer as JSON (read it with ``fitting.fit``), or one of our answers. None: acknowledged, nothing to say."""
    pending_permission_requests: tuple[ControlRequest, ...] = ()
    pending_user_dialog_requests: tuple[ControlRequest, ...] = ()
    pending_elicitation_requests: tuple[ControlRequest, ...] = ()
    """What is still open, in answers to ``initialize``; may repeat what came before."""


class Failed(Shape, frozen=True, tag_field="subtype", tag="error"):
    """A refusal. Of ours to a hook it lets the tool run; see ``failed``."""

    request_id: str
    error: str | None = None
    error_code: str | None = None
    """``unsupported_request``, ``invalid_mode``, ``bypass_not_launched``, ... (2.1.332)."""
    pending_permission_requests: tuple[ControlRequest, ...] = ()
    pending_user_dialog_requests: tuple[ControlRequest, ...] = ()
    pending_elicitation_requests: tuple[ControlRequest, ...] = ()

    @property
    def unsupported(self) -> bool:
        """Whether the CLI does not know the request at all; 2.1.197 says so in words alone."""
        return self.error_code == _UNSUPPORTED or (self.error or "").startswith(_UNSUPPORTED_WORDS)


class ControlResponse(Message, frozen=True, tag_field="type", tag="control_response"):
    response: Succeeded | Failed


class ControlCancel(Message, frozen=True, tag_field="type", tag="control_cancel_request"):
    """The asker needs no answer any more, and none may be sent."""

    request_id: str


class McpAnswer(Shape, frozen=True):
    mcp_response: dict[str, Any]
    """A JSON-RPC response; to a notification ``{"jsonrpc": "2.0", "result": {}, "id": 0}``."""


class ElicitationAnswer(Shape, frozen=True):
    """What the person said to an MCP server's question."""

    action: str
    """``accept``, ``decline``, ``cancel``."""
    content: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.action not in ("accept", "decline", "cancel"):
            raise LocalProtocolError(f"an elicitation is accepted, declined or cancelled, not {self.action!r}")


class Completed(Shape, frozen=True, tag_field="behavior", tag="completed"):
    result: Any = field()


class Cancelled(Shape, frozen=True, tag_field="behavior", tag="cancelled"):
    pass


DialogAnswer: TypeAlias = Completed | Cancelled

Answer: TypeAlias = Allow | Deny | HookOutput | McpAnswer | ElicitationAnswer | DialogAnswer


def succeeded(request_id: str, answer: Answer | None = None) -> ControlResponse:
    """The answer to the CLI's request ``request_id``. None acknowledges without a body."""
    return ControlResponse(Succeeded(request_id, answer))


def failed(request_id: str, error: str) -> ControlResponse:
    """The refusal of a request, with what was wrong.

    Of a permission it fails the tool, with the text for the model; of a hook IT LETS THE TOOL RUN, unless the matcher
    says ``block``: deny a hook with a ``HookOutput`` instead.
    """
    return ControlResponse(Failed(request_id, error or "no reason given"))
