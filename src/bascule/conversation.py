"""The ports that a surface speaks to: events out, commands in, and what can be asked beside them.

A session implements ``Conversation`` for itself, the hub ``Conversations`` for many. A surface that knows this file
needs to know neither.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any, Literal, Protocol, TypeAlias

import msgspec

from bascule.commands import AnyCommand, HubCommand, Prompt, Receipt
from bascule.events import AnyEvent, Complete, PermissionRequest
from bascule.ids import CliSessionId, CommandId, PendingId, SessionId


class Conversation(Protocol):
    """One conversation with the CLI, live or replayed."""

    def events(self, after: int = 0) -> AsyncIterator[AnyEvent]:
        """All lasting events with ``seq > after`` in order, then what happens, passing events included.

        Ends when the session has ended. Any number of readers, each at its own pace: one that is too slow loses passing
        events only, and nobody waits for it.
        """
        ...

    async def send(self, command: AnyCommand) -> Receipt:
        """Carry ``command`` out. The same ``command_id`` again gives the same receipt and does nothing."""
        ...


Status: TypeAlias = Literal[
    "starting", "running", "waiting", "retrying", "compacting", "limited", "idle", "asleep", "ended", "lost",
    "quarantined",
]  # fmt: skip
"""What a session does now, in one word. ``waiting``: for a person; ``limited``: by the account, until a time;
``quarantined``: its conversation came back empty, and a person says how to go on."""


class SessionFacts(msgspec.Struct, frozen=True, kw_only=True):
    """A session as a list shows it. Times are UTC ms."""

    id: SessionId
    cli_session_id: CliSessionId | None = None
    title: str
    """A person's name for it, else the beginning of its first prompt."""
    cwd: str
    project: str | None = None
    branch: str | None = None
    status: Status
    since: int
    """When that began."""
    until: int | None = None
    """Of ``limited`` and ``retrying``: when it goes on by itself."""
    waits_for: tuple[Literal["tool", "plan", "question", "elicitation", "dialog"], ...] = ()
    """What a person is asked, the oldest first."""
    policy: str
    mode: str | None = None
    model: str | None = None
    cost_usd: float | None = None
    turns: int = 0
    queued: int = 0
    holds_queue: bool = False
    background: int = 0
    """Tasks that run beside the turn."""
    last_seq: int = 0
    created_at: int
    updated_at: int
    archived: bool = False
    recording_gone: bool = False
    """It was removed, as too old: what happened can be read, and a fork goes on."""


class OpenAsk(msgspec.Struct, frozen=True, kw_only=True):
    """An ask that waits, in whichever session."""

    session: SessionId
    title: str
    request: PermissionRequest
    claimed_by: str | None = None
    """Somebody is answering it, and may still take that back."""
    claimed_until: int | None = None


class Queued(msgspec.Struct, frozen=True, kw_only=True):
    """A prompt that waits for its turn."""

    id: int
    client_id: CommandId
    prompt: Prompt
    created_at: int


class Placed(msgspec.Struct, frozen=True):
    """An event and its position over all sessions, which only grows; null for one that passes."""

    position: int | None
    event: AnyEvent


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """A place that a search found."""

    session: SessionId
    title: str
    seq: int
    at: int
    kind: Literal["prompt", "answer", "call"]
    snippet: str
    """Around the words, which stand between U+0002 and U+0003."""


class PastConversation(msgspec.Struct, frozen=True, kw_only=True):
    """A conversation of the CLI's on this machine, whoever began it. Times are UTC ms."""

    id: CliSessionId
    title: str | None = None
    """What a person called it, else what the CLI did; null: nobody did."""
    first_prompt: str | None = None
    """Its beginning; null when there is none in what a list reads of a file."""
    cwd: str | None = None
    """The workspace that it belongs to; null: its file does not say."""
    branch: str | None = None
    model: str | None = None
    started_at: int | None = None
    changed_at: int
    messages: int | None = None
    """Those of the person and of the model; null for a file that is too large to be read whole for a list."""
    bytes: int
    damaged: bool = False
    """A line cannot be read: an import tells which."""
    session: SessionId | None = None
    """The session here that goes on with it: an import gives this one."""
    pid: int | None = None
    """The process that has it open; of another's an import is refused."""


class PastPage(msgspec.Struct, frozen=True, kw_only=True):
    """Some of them, the newest change first."""

    conversations: tuple[PastConversation, ...]
    after: str | None = None
    """What the next page begins after; null: there is none. A page of a search may be short, or empty."""


class Spent(msgspec.Struct, frozen=True, kw_only=True):
    """What one turn cost."""

    session: SessionId
    title: str
    project: str | None
    turn: int
    started_at: int
    ended_at: int | None
    by: str | None
    surface: str | None
    complete: Complete | None


class RulePreview(msgspec.Struct, frozen=True, kw_only=True):
    """What a rule would mean, before anybody makes it."""

    rule: str
    """As it would be kept."""
    also: tuple[str, ...] = ()
    """Calls of the past that it would have covered, the newest first, each once."""
    asked: int = 0
    """How many times a person was asked about these."""
    never: tuple[str, ...] = ()
    """What it does not cover, though one might think so."""


class Explained(msgspec.Struct, frozen=True, kw_only=True):
    """How a policy came to its word about a call."""

    verdict: Literal["allow", "ask", "deny", "pass"]
    rule: str | None
    reason: str
    trail: tuple[dict[str, Any], ...]


Part: TypeAlias = Literal["store", "disk"]
"""What a hub cannot do without. ``store``: something can be written to it; ``disk``: there is room for recordings."""


class Health(msgspec.Struct, frozen=True, kw_only=True):
    """Whether a hub can work."""

    failing: tuple[Part, ...] = ()
    store_ms: float | None = None
    """What a write to the store took; null when it failed."""
    room: int | None = None
    """Bytes that are free for recordings; null when nobody can tell."""


class Figures(msgspec.Struct, frozen=True, kw_only=True):
    """What a hub does now, and, in the dictionaries, what it has done since it began."""

    began_at: int
    """UTC ms."""
    sessions: tuple[SessionFacts, ...]
    processes: int
    open_asks: int
    readers: int
    health: Health
    events: dict[str, int]
    """Stored, by type."""
    turns: dict[str, int]
    """Ended, by outcome."""
    asks: dict[str, int]
    """Settled, by outcome; of those that nobody answered by cause."""
    cost_usd: dict[str, float]
    """By model; ``unknown`` where the CLI does not tell which."""
    tokens: dict[tuple[str, str], int]
    """By model and kind: ``input``, ``output``, ``cache_read``, ``cache_creation``."""


class GitState(msgspec.Struct, frozen=True, kw_only=True):
    """A workspace as git sees it."""

    branch: str | None = None
    files: tuple[str, ...] = ()
    """Changed or new."""
    diff: str = ""
    """Unified, bounded."""
    problem: str | None = None


class Conversations(Protocol):
    """Many sessions, which outlive whoever looks at them. Raises ``BasculeError`` of a kind that says what to do."""

    @property
    def epoch(self) -> str:
        """Positions and numbers of another epoch mean nothing here."""
        ...

    async def sessions(self, *, archived: bool = False) -> tuple[SessionFacts, ...]:
        """All, the newest change first."""
        ...

    async def session(self, session: SessionId) -> SessionFacts | None:
        """One of them."""
        ...

    def conversation(self, session: SessionId) -> Conversation:
        """One session's events and commands. Raises ``OptionError`` when there is none."""
        ...

    def all_events(self, after: int | None = None) -> AsyncIterator[Placed]:
        """Lasting events of all sessions with ``position > after`` in order, then what happens; None: from now on."""
        ...

    async def window(self, session: SessionId, *, before: int | None = None, limit: int = 500) -> tuple[AnyEvent, ...]:
        """The last ``limit`` lasting events with ``seq < before``, in order: what a reader begins with."""
        ...

    async def asks(self) -> tuple[OpenAsk, ...]:
        """All that wait, the oldest first."""
        ...

    async def queue(self, session: SessionId) -> tuple[Queued, ...]:
        """What waits, in order."""
        ...

    async def send(self, command: HubCommand) -> Receipt:
        """Carry ``command`` out. The same ``command_id`` again gives the same receipt, after a restart too."""
        ...

    async def search(self, words: str, *, session: SessionId | None = None, limit: int = 50) -> tuple[Found, ...]:
        """Where all these words stand, the newest first."""
        ...

    async def past(self, *, words: str = "", after: str | None = None, limit: int = 50) -> PastPage:
        """Conversations of the CLI's, of all folders, subagents' left out; those with all ``words`` in their title,
        first prompt, folder or branch."""
        ...

    async def spent(
        self, *, session: SessionId | None = None, since: int = 0, until: int | None = None
    ) -> tuple[Spent, ...]:
        """What turns cost that began in that time (UTC ms)."""
        ...

    async def preview(self, session: SessionId, pending_id: PendingId | None, rule: str) -> RulePreview:
        """What ``rule`` would have covered. Raises ``OptionError`` for what is no rule."""
        ...

    async def explain(self, session: SessionId, pending_id: PendingId) -> Explained:
        """Why this is asked."""
        ...

    async def git(self, session: SessionId) -> GitState:
        """The workspace now."""
        ...

    async def files(self, session: SessionId, beginning: str, *, limit: int = 50) -> tuple[str, ...]:
        """Files of the workspace whose path, or name, begins so; what git ignores is left out."""
        ...

    async def file(self, session: SessionId, path: str) -> str:
        """Where a file of the workspace lies, links resolved. Raises ``OptionError`` for one outside of it."""
        ...

    async def health(self) -> Health:
        """Whether it can work; looked at once a second at most."""
        ...

    async def figures(self) -> Figures:
        """For whoever watches the hub."""
        ...

    async def recording(self, session: SessionId) -> str:
        """The file of its recording, raw. Raises ``OptionError`` when there is none."""
        ...
