"""The content of messages: blocks, and the usage that comes with them. Messages API shapes, as they pass on the wire.

A block of a kind that is not here becomes an ``UnknownBlock``; it never costs the line (three lessons of the field: an
unknown server tool, a tool result that was one object, an image in a user message each lost whole turns).
"""

from typing import Any, TypeAlias

from msgspec import field

from bascule.wire.shape import UNREAD, Shape, Unread


class Text(Shape, frozen=True, tag_field="type", tag="text"):
    text: str
    citations: Any = None
    cache_control: Any = None


class Thinking(Shape, frozen=True, tag_field="type", tag="thinking"):
    thinking: str
    signature: str | None = None


class RedactedThinking(Shape, frozen=True, tag_field="type", tag="redacted_thinking"):
    data: str


class ToolUse(Shape, frozen=True, tag_field="type", tag="tool_use"):
    """A call by the model. ``input`` is normalised by the CLI: defaults added, keys reordered (17_edit_write)."""

    id: str
    name: str
    input: dict[str, Any] = field(default_factory=dict)
    """Of unparsable JSON: ``{"__unparsedToolInput": {"raw", "len"}}``."""
    caller: Any = None


class ServerToolUse(Shape, frozen=True, tag_field="type", tag="server_tool_use"):
    """A call that Anthropic's servers run themselves; its result is a ``ServerResult``."""

    id: str
    name: str
    input: dict[str, Any] = field(default_factory=dict)
    caller: Any = None


class McpToolUse(Shape, frozen=True, tag_field="type", tag="mcp_tool_use"):
    """A call of an MCP server that the API reaches by itself (not one of the CLI's servers: those are ``ToolUse``)."""

    id: str
    name: str
    server_name: str | None = None
    input: dict[str, Any] = field(default_factory=dict)


class ToolResult(Shape, frozen=True, tag_field="type", tag="tool_result"):
    tool_use_id: str
    content: Any = None
    """Text, a list of blocks as JSON, or any other JSON (L2)."""
    is_error: bool | None = None
    """Missing on the success of most tools; Bash writes false."""
    cache_control: Any = None


class Source(Shape, frozen=True):
    """Where the bytes of an image or a document are."""

    type: str
    """``base64``, ``url``, ``text``, ``content``, ``file``."""
    media_type: str | None = None
    data: str | None = None
    url: str | None = None
    file_id: str | None = None
    content: Any = None


class Image(Shape, frozen=True, tag_field="type", tag="image"):
    source: Source
    cache_control: Any = None


class Document(Shape, frozen=True, tag_field="type", tag="document"):
    source: Source
    title: str | None = None
    context: str | None = None
    citations: Any = None
    cache_control: Any = None


class ServerResult(Shape, frozen=True):
    """What a tool on Anthropic's servers gave; the classes below differ in the tool alone."""

    tool_use_id: str
    content: Any = None
    is_error: bool | None = None
    caller: Any = None


class WebSearchResult(ServerResult, frozen=True, tag_field="type", tag="web_search_tool_result"):
    pass


class WebFetchResult(ServerResult, frozen=True, tag_field="type", tag="web_fetch_tool_result"):
    pass


class CodeExecutionResult(ServerResult, frozen=True, tag_field="type", tag="code_execution_tool_result"):
    pass


class BashExecutionResult(ServerResult, frozen=True, tag_field="type", tag="bash_code_execution_tool_result"):
    pass


class EditorExecutionResult(ServerResult, frozen=True, tag_field="type", tag="text_editor_code_execution_tool_result"):
    pass


class ToolSearchResult(ServerResult, frozen=True, tag_field="type", tag="tool_search_tool_result"):
    pass


class McpToolResult(ServerResult, frozen=True, tag_field="type", tag="mcp_tool_result"):
    pass


class AdvisorResult(ServerResult, frozen=True, tag_field="type", tag="advisor_tool_result"):
    pass


class UnknownBlock(Unread, frozen=True, tag_field="type", tag=UNREAD):
    """A block of a kind that is not here, or one that lacks what its kind needs."""


Block: TypeAlias = (
    Text
    | Thinking
    | RedactedThinking
    | ToolUse
    | ServerToolUse
    | McpToolUse
    | ToolResult
    | Image
    | Document
    | WebSearchResult
    | WebFetchResult
    | CodeExecutionResult
    | BashExecutionResult
    | EditorExecutionResult
    | ToolSearchResult
    | McpToolResult
    | AdvisorResult
    | UnknownBlock
)


class CacheCreation(Shape, frozen=True):
    ephemeral_5m_input_tokens: int | None = None
    ephemeral_1h_input_tokens: int | None = None


class ServerToolCounts(Shape, frozen=True):
    web_search_requests: int | None = None
    web_fetch_requests: int | None = None


class OutputDetails(Shape, frozen=True):
    thinking_tokens: int | None = None


class Usage(Shape, frozen=True):
    """Tokens of one API message, or of one turn in a result.

    An assistant line repeats what stood in ``message_start``, where ``output_tokens`` is 1 or so; the true figure is in
    ``message_delta`` and in the result (28_usage_split).
    """

    input_tokens: int | None = None
    """Without what came from or went to the cache."""
    output_tokens: int | None = None
    cache_read_input_tokens: int | None = None
    cache_creation_input_tokens: int | None = None
    cache_creation: CacheCreation | None = None
    server_tool_use: ServerToolCounts | None = None
    output_tokens_details: OutputDetails | None = None
    service_tier: str | None = None
    inference_geo: str | None = None
    speed: str | None = None
    iterations: Any = None
    fallback_credit: Any = None


class ApiMessage(Shape, frozen=True):
    """A message of the Messages API, or one finished block of it: lines of one message share ``id``."""

    id: str | None = None
    type: str | None = None
    role: str | None = None
    model: str | None = None
    """``<synthetic>`` when the CLI made the message itself."""
    content: str | tuple[Block, ...] = ()
    stop_reason: str | None = None
    """Null on the lines of a streamed message; set on one that came without streaming (18_midstream_cut)."""
    stop_sequence: str | None = None
    stop_details: Any = None
    usage: Usage | None = None
    context_management: Any = None
    container: Any = None
    diagnostics: Any = None
