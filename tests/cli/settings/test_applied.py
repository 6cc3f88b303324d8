"""Every key is obeyed: a configuration that says it makes something of a room below another than one that does not."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from bascule.cli.main import parser
from bascule.cli.serve import Served, served_by
from bascule.cli.settings.applied import (
    OPTIONS,
    hub_settings,
    project_rows,
    session_options,
    web_settings,
)
from bascule.cli.settings.sections import Config, Key, Project
from bascule.cli.settings.values import known, settings_of
from bascule.errors import OptionError
from bascule.session.options import Options

SAMPLES: dict[Key, Any] = {
    ("claude", "cli"): "~/claude",
    ("claude", "model"): "opus",
    ("claude", "permission_mode"): "plan",
    ("claude", "effort"): "high",
    ("claude", "allowed_tools"): ["WebFetch"],
    ("claude", "disallowed_tools"): ["WebFetch"],
    ("claude", "setting_sources"): ["user"],
    ("claude", "extra_args"): ["--brief"],
    ("claude", "env"): ["GH_TOKEN"],
    ("claude", "use_api_billing"): True,
    ("claude", "dangerously_skip_permissions"): True,
    ("claude", "include_hook_events"): True,
    ("claude", "preamble"): "Be brief.",
    ("policy", "default"): "plan",
    ("policy", "auto_approve_plan"): True,
    ("policy", "rearm_plan"): True,
    ("policy", "ask_timeout_s"): 5,
    ("policy", "outline_min_chars"): 5,
    ("policy", "stop_git_check"): "pushed",
    ("sessions", "idle_sleep_s"): 5,
    ("sessions", "max_live"): 5,
    ("sessions", "memory_reserve_mb"): 5,
    ("sessions", "queue_limit"): 5,
    ("sessions", "turn_cap_s"): 5,
    ("sessions", "silence_warn_s"): 5,
    ("hub", "host"): "127.0.0.2",
    ("hub", "port"): 5,
    ("hub", "public_url"): "https://bascule.example",
    ("hub", "tls_cert"): "/cert",
    ("hub", "tls_key"): "/key",
    ("hub", "allowed_hosts"): ["box.lan"],
    ("hub", "allowed_origins"): ["https://panel.example"],
    ("hub", "open_browser"): True,
    ("store", "path"): "~/bascule.db",
    ("store", "keep_days"): 5,
    ("store", "keep_recordings_mb"): 5,
    ("projects", "worktrees"): "/trees",
    ("projects", "base"): "main",
    ("projects", "policy"): "plan",
    ("projects", "model"): "opus",
    ("projects", "path"): "/other",
}
"""One value for each key, another one than its default."""

BESIDE: dict[Key, dict[str, Any]] = {
    ("claude", "permission_mode"): {"policy": {"default": "manual"}},
    ("claude", "dangerously_skip_permissions"): {"policy": {"default": "manual"}},
    ("claude", "allowed_tools"): {"policy": {"default": "manual"}},
    ("hub", "tls_cert"): {"hub": {"tls_key": "/key"}},
    ("hub", "tls_key"): {"hub": {"tls_cert": "/cert"}},
}
"""What must be said as well, for a key to count."""


def config(key: Key | None = None, beside: dict[str, Any] | None = None) -> Config:
    tables: dict[str, Any] = msgspec.to_builtins(beside or {})
    tables["projects"] = {"app": {"path": "/app"}}
    if key is not None:
        table = tables["projects"]["app"] if key[0] == "projects" else tables.setdefault(key[0], {})
        table[key[-1]] = SAMPLES[key]
    return msgspec.convert(tables, Config)


def obeyed(made: Config) -> tuple[Options, Served | None]:
    """All that a configuration comes to; None: it does not go together."""
    options = Options(**session_options(made))
    try:
        told = served_by(made, parser().parse_args(["serve"]), {})
    except OptionError:
        return options, None
    hub = msgspec.structs.replace(told.hub, grants=None, local=None)
    return options, told._replace(hub=hub, projects=project_rows(made, now_ms=0))


@pytest.mark.parametrize("key", SAMPLES, ids=".".join)
def test_every_key_is_obeyed(key: Key) -> None:
    beside = BESIDE.get(key)
    assert obeyed(config(key, beside)) != obeyed(config(beside=beside))


def test_no_key_is_left_out_of_that() -> None:
    assert set(SAMPLES) == {*known(), *(("projects", key) for key in settings_of(Project))}


def test_what_nothing_is_said_about_is_as_the_rooms_have_it() -> None:
    assert Options(**session_options(Config())) == Options()


def test_every_option_of_a_session_that_is_named_is_there() -> None:
    assert set(OPTIONS.values()) <= set(Options.__struct_fields__)
    assert len(set(OPTIONS.values())) == len(OPTIONS)


def test_L42_what_would_go_past_a_person_does_not_count_where_bascule_governs() -> None:
    said = {"permission_mode": "bypassPermissions", "dangerously_skip_permissions": True, "allowed_tools": ["Bash"]}
    made = Options(**session_options(msgspec.convert({"claude": said}, Config)))
    assert (made.policy, made.mode) == ("supervised", None)


def test_nothing_is_asked_where_the_cli_governs_and_its_user_wants_so() -> None:
    said = {"claude": {"dangerously_skip_permissions": True}, "policy": {"default": "acceptEdits"}}
    made = Options(**session_options(msgspec.convert(said, Config)))
    assert (made.policy, made.mode) == ("autonomous", None)


def test_a_session_that_shall_not_fall_asleep_stays_awake() -> None:
    made = msgspec.convert({"sessions": {"idle_sleep_s": 0}}, Config)
    assert hub_settings(made, Options(), None).idle_sleep_s is None


def test_a_home_is_found_and_a_name_stays_a_name() -> None:
    made = msgspec.convert({"claude": {"cli": "claude"}, "projects": {"a": {"path": "~/a"}}}, Config)
    assert session_options(made)["cli"] == "claude"
    assert [row.path for row in project_rows(made, now_ms=7)] == [str(Path.home() / "a")]


def test_what_does_not_go_together_is_refused() -> None:
    with pytest.raises(OptionError, match="belong together"):
        web_settings(msgspec.convert({"hub": {"tls_cert": "/cert"}}, Config))
