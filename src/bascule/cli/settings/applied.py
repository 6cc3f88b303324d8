"""What follows from a configuration: options of sessions, settings of a hub and of its server, projects, the store.

Nothing is read here. Each key of `sections` is obeyed by a line of this file.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec

from bascule.cli.settings.sections import Config, Key
from bascule.policy import policies
from bascule.session.watch import Limits
from bascule.store.rows import ProjectRow
from bascule.transport.folders import state_folder

if TYPE_CHECKING:
    from bascule.hub.retention import Limits as PastLimits
    from bascule.hub.settings import Settings as HubSettings
    from bascule.session.options import Options
    from bascule.store.grants import Grants
    from bascule.web.settings import Settings as WebSettings

OPTIONS: Final[Mapping[Key, str]] = {
    ("claude", "cli"): "cli",
    ("claude", "model"): "model",
    ("claude", "permission_mode"): "mode",
    ("claude", "effort"): "effort",
    ("claude", "allowed_tools"): "allowed_tools",
    ("claude", "disallowed_tools"): "disallowed_tools",
    ("claude", "setting_sources"): "setting_sources",
    ("claude", "extra_args"): "extra_args",
    ("claude", "env"): "pass_env",
    ("claude", "use_api_billing"): "use_api_key",
    ("claude", "include_hook_events"): "include_hook_events",
    ("claude", "preamble"): "append_system_prompt",
    ("policy", "default"): "policy",
    ("policy", "auto_approve_plan"): "auto_approve_plan",
    ("policy", "rearm_plan"): "rearm_plan",
    ("policy", "ask_timeout_s"): "ask_timeout_s",
    ("policy", "outline_min_chars"): "outline_min_chars",
    ("policy", "stop_git_check"): "stop_git_check",
}
"""What a key is called among the options of a session."""

STORE: Final = "bascule.db"
"""The store, in bascule's own folder."""


def session_options(config: Config) -> dict[str, Any]:
    """What ``Options`` is made with: as it stands there, but for what counts only where the CLI governs."""
    said = {option: _said(config, key) for key, option in OPTIONS.items()}
    said["cli"] = None if config.claude.cli is None else _path(config.claude.cli)
    said["limits"] = Limits(turn_s=config.sessions.turn_cap_s)
    if policies.named(config.policy.default).governs:
        said["mode"] = None
    elif config.claude.dangerously_skip_permissions:
        said |= {"policy": "autonomous", "mode": None}
    return said


def _said(config: Config, key: Key) -> Any:
    section, name = key
    return getattr(getattr(config, section), name)


def _path(given: str) -> str:
    return str(Path(given).expanduser()) if given.startswith("~") else given


def hub_settings(config: Config, options: Options, grants: Grants | None) -> HubSettings:
    """How a hub is run. ``options``: what its sessions are opened with, made of ``session_options`` by the caller."""
    from bascule.hub.settings import Settings

    said = config.sessions
    return Settings(
        options=options,
        grants=grants,
        idle_sleep_s=said.idle_sleep_s or None,
        max_live=said.max_live,
        memory_reserve_mb=said.memory_reserve_mb,
        queue_limit=said.queue_limit,
        silence_warn_s=said.silence_warn_s,
        limits=limits(config),
    )


def limits(config: Config) -> PastLimits:
    """How much of the past a hub keeps."""
    from bascule.hub.retention import Limits

    return Limits(keep_days=config.store.keep_days or None, recordings_mb=config.store.keep_recordings_mb or None)


def web_settings(config: Config) -> WebSettings:
    """Where its server listens. Raises ``OptionError`` for what does not go together."""
    from bascule.web.settings import Settings, checked

    said = {name: value for name, value in msgspec.structs.asdict(config.hub).items() if name != "open_browser"}
    files = {name: _path(said[name]) for name in ("tls_cert", "tls_key") if said[name] is not None}
    return checked(Settings(**{**said, **files}))


def project_rows(config: Config, *, now_ms: int) -> tuple[ProjectRow, ...]:
    """The projects as a store keeps them, in order of their names; ``now_ms``: UTC."""
    rows = []
    for name, project in sorted(config.projects.items()):
        said = {key: value for key, value in msgspec.structs.asdict(project).items() if value is not None}
        path = _path(said.pop("path"))
        if "worktrees" in said:
            said["worktrees"] = _path(said["worktrees"])
        rows.append(ProjectRow(name=name, path=path, body=said, created_at=now_ms))
    return tuple(rows)


def store_path(config: Config, env: Mapping[str, str]) -> Path:
    """The file of the store."""
    return Path(_path(config.store.path)) if config.store.path is not None else state_folder(env) / STORE
