"""What can be configured: a struct for each section, with what holds where nothing is said.

`docs/reference/config.md` is made from this file (`python -m scripts.write_config_reference`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Final, Literal, TypeAlias

import msgspec

from bascule.hub.admission import RESERVE_MB
from bascule.hub.watching import SILENCE_S
from bascule.policy import policies

Key: TypeAlias = tuple[str, ...]
"""``("claude", "model")``, ``("projects", "app", "path")``."""

Seconds: TypeAlias = Annotated[float, msgspec.Meta(gt=0)]
OrNever: TypeAlias = Annotated[float, msgspec.Meta(ge=0)]
Count: TypeAlias = Annotated[int, msgspec.Meta(ge=1)]
Amount: TypeAlias = Annotated[int, msgspec.Meta(ge=0)]
Chars: TypeAlias = Annotated[int, msgspec.Meta(ge=0)]
Port: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=65535)]
FilePath: TypeAlias = Annotated[str, msgspec.Meta(pattern=r"^[/~]")]
"""A path that means the same wherever bascule is started: it begins with ``/`` or ``~``."""


class Claude(msgspec.Struct, frozen=True, kw_only=True):
    """How Claude Code is started."""

    cli: str | None = None
    """Its path or name; unset: it is looked for. In the file of a workspace it never counts."""
    model: str | None = None
    """``haiku``, ``opus``, a whole id, …; unset: the account's default."""
    permission_mode: str | None = None
    """Its permission mode at the start, where a policy leaves the decisions to it; unset: the policy's."""
    effort: str | None = None
    """``low``, ``medium``, ``high``, ``xhigh``, ``max``; unset: the model's default."""
    allowed_tools: tuple[str, ...] = ()
    """What it allows by itself, in its own rules. Where bascule governs this is not sent: it would go past you."""
    disallowed_tools: tuple[str, ...] = ()
    """What it refuses by itself, in its own rules: ``WebFetch``, ``Bash(curl *)``. A workspace may add to it."""
    setting_sources: tuple[Literal["user", "project", "local"], ...] | None = None
    """Whose settings of its own it reads; unset: all, those of a workspace once that is accepted."""
    extra_args: tuple[str, ...] = ()
    """Flags for it that bascule has no word for, ``--flag=value``; those that would widen what runs are refused."""
    env: tuple[str, ...] = ()
    """Names of variables that pass beside the few that pass by themselves; ``--pass-env`` adds to them."""
    use_api_billing: bool = False
    """Pass ``ANTHROPIC_API_KEY``, which is billed then in place of your login."""
    dangerously_skip_permissions: bool = False
    """Nothing is asked, where a policy leaves the decisions to Claude Code. Where bascule governs it does not count."""
    include_hook_events: bool = False
    """Tell of the command hooks in its settings, as events."""
    preamble: str | None = None
    """Appended to its system prompt."""


class Policy(msgspec.Struct, frozen=True, kw_only=True):
    """Who decides, and how long that may take. [Policies](policies.md)"""

    default: str = policies.DEFAULT
    """``supervised``, ``plan``, ``rules``, ``autonomous``, or a mode of Claude Code's."""
    auto_approve_plan: bool | None = None
    """Approve a plan without a person; unset: only under ``plan-auto``."""
    rearm_plan: bool | None = None
    """After the turn of an approved plan the mode is plan again; unset: under ``plan``."""
    ask_timeout_s: Seconds | None = None
    """An ask that nobody answered in this time is denied; unset: it waits."""
    outline_min_chars: Chars = policies.OUTLINE_CHARS
    """Visible characters that a plan must have once you want it written out; a shorter one is sent back unasked."""
    stop_git_check: bool | Literal["pushed"] | None = None
    """Hold uncommitted work up to the agent before it stops, with ``"pushed"`` unpushed commits too; unset: under
    ``supervised`` and ``plan``."""


class Sessions(msgspec.Struct, frozen=True, kw_only=True):
    """How long sessions run, and how many at once."""

    idle_sleep_s: OrNever = 600
    """The process of a session at rest is ended after so long, and the next prompt wakes it; 0: it stays. In a hub."""
    max_live: Count | None = None
    """Sessions that may have a process at once; unset: as many as the memory allows. In a hub."""
    memory_reserve_mb: Count = RESERVE_MB
    """Memory that a session is expected to need. In a hub."""
    queue_limit: Count = 20
    """Prompts that may wait in one session. In a hub."""
    turn_cap_s: Seconds | None = None
    """A turn that takes longer is stopped; unset: none is."""
    silence_warn_s: Seconds = SILENCE_S
    """A turn that says nothing for so long, and nobody knows why, is told of. In a hub."""


class Hub(msgspec.Struct, frozen=True, kw_only=True):
    """Where the hub listens, and by which names it is known."""

    host: str = "127.0.0.1"
    """An address of this machine."""
    port: Port = 7440
    """0: one that is free."""
    public_url: str | None = None
    """How clients reach it, where that is not by host and port: ``https://bascule.example``."""
    tls_cert: FilePath | None = None
    """The certificate's file; together with ``tls_key``."""
    tls_key: FilePath | None = None
    """The file of its key."""
    allowed_hosts: tuple[str, ...] = ()
    """More names that clients may use: ``box.lan``, at any port, or ``box.lan:7440``."""
    allowed_origins: tuple[str, ...] = ()
    """More pages that may speak to it: ``https://panel.example``."""
    open_browser: bool = False
    """Open its page in a browser when it starts."""


class Store(msgspec.Struct, frozen=True, kw_only=True):
    """Where a hub keeps what happened."""

    path: FilePath | None = None
    """The file; unset: ``bascule.db`` in bascule's own folder."""
    keep_days: Amount = 90
    """A session in which nothing happened for so long, and that is not in use, is forgotten; 0: none is."""
    keep_recordings_mb: Amount = 2048
    """Recordings together; beyond that the oldest go, and what happened in their sessions stays; 0: none goes."""


class Project(msgspec.Struct, frozen=True, kw_only=True):
    """A folder that sessions of a hub begin in, by a name."""

    path: FilePath
    """The folder."""
    worktrees: FilePath | None = None
    """Where worktrees of its branches are made; unset: in a folder beside it, whose name ends in ``.worktrees``."""
    base: str | None = None
    """What a new branch begins at; unset: at what is checked out."""
    policy: str | None = None
    """The policy of its sessions; unset: that of ``[policy]``."""
    model: str | None = None
    """Their model; unset: that of ``[claude]``."""


class Config(msgspec.Struct, frozen=True, kw_only=True):
    """All of it."""

    claude: Claude = Claude()
    policy: Policy = Policy()
    sessions: Sessions = Sessions()
    hub: Hub = Hub()
    store: Store = Store()
    projects: Mapping[str, Project] = {}


SECTIONS: Final[Mapping[str, type[msgspec.Struct]]] = {
    "claude": Claude,
    "policy": Policy,
    "sessions": Sessions,
    "hub": Hub,
    "store": Store,
}
"""Those of one table each."""

PROJECTS: Final = "projects"

LATER: Final[Mapping[str, frozenset[str]]] = {
    "sessions": frozenset(("starts_at_once", "turn_warn_s")),
    "store": frozenset(("backup",)),
}
"""Keys that have their meaning, and that nothing obeys in this version."""

LATER_SECTIONS: Final = frozenset("budget telegram schedules webhook_in webhook_out otel metrics debug".split())
"""The same of whole sections."""
