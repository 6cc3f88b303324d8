"""What `bascule serve` is told: by configuration, by variables, on the command line."""

from pathlib import Path

import pytest

from bascule.cli.keyring import Keyring
from bascule.cli.main import parser
from bascule.cli.serve import Served, keep_projects, served
from bascule.errors import OptionError
from bascule.hub.retention import Limits
from bascule.store.memory import MemoryStore
from bascule.store.rows import ProjectRow
from bascule.web.keys import Deed, Key


def told(home: Path, *argv: str, **env: str) -> Served:
    around = {f"BASCULE_{name.upper()}": text for name, text in env.items()}
    return served(parser().parse_args(["serve", *argv]), {"HOME": str(home), **around})


def test_the_command_line_goes_before_a_variable_and_that_before_the_file(tmp_path: Path) -> None:
    assert told(tmp_path).web.port == 7440
    configure(tmp_path, "[hub]\nport = 1\n")
    assert told(tmp_path).web.port == 1
    assert told(tmp_path, hub_port="99").web.port == 99
    assert told(tmp_path, "--port", "0", hub_port="99").web.port == 0


def configure(home: Path, text: str) -> None:
    path = home / ".config" / "bascule" / "config.toml"
    path.parent.mkdir(parents=True)
    path.write_text(text)


def test_names_that_are_given_add_to_those_that_are_configured(tmp_path: Path) -> None:
    assert told(tmp_path, hub_allowed_hosts="box.lan, box").web.allowed_hosts == ("box.lan", "box")
    assert told(tmp_path, "--allowed-host", "a", "--allowed-host", "b", hub_allowed_hosts="c").web.allowed_hosts == (
        "c",
        "a",
        "b",
    )


def test_how_the_hub_is_run(tmp_path: Path) -> None:
    made = told(tmp_path, "--policy", "plan", "--max-live", "3", "--turn-seconds", "60")
    settings = made.hub
    assert (settings.options.policy, settings.max_live, settings.options.limits.turn_s) == ("plan", 3, 60.0)
    assert (settings.idle_sleep_s, settings.queue_limit, settings.options.unproven) == (600.0, 20, False)
    assert (made.store, made.opens, made.prove is None) == (tmp_path / ".local/state/bascule/bascule.db", False, False)
    assert settings.options.trust == "known"
    assert settings.limits == Limits(keep_days=90, recordings_mb=2048)


def test_what_is_given_is_obeyed(tmp_path: Path) -> None:
    made = told(tmp_path, "--idle-seconds", "never", "--unproven", "--open", "--store", "/s.db", "--trust", "none")
    assert (made.hub.idle_sleep_s, made.hub.options.unproven, made.prove) == (None, True, None)
    assert (made.opens, made.store, made.hub.options.trust) == (True, Path("/s.db"), "none")
    assert told(tmp_path, sessions_idle_sleep_s="5").hub.idle_sleep_s == 5.0
    with pytest.raises(OptionError, match=r"--idle-seconds: sessions\.idle_sleep_s is 'soon'"):
        told(tmp_path, "--idle-seconds", "soon")


def test_the_past_is_kept_for_ever_where_that_is_wanted(tmp_path: Path) -> None:
    assert told(tmp_path, store_keep_days="0", store_keep_recordings_mb="0").hub.limits == Limits()
    assert told(tmp_path, store_keep_days="7").hub.limits == Limits(keep_days=7, recordings_mb=2048)


async def test_the_projects_of_a_server_are_those_that_are_configured(tmp_path: Path) -> None:
    store = MemoryStore()
    await store.put_project(ProjectRow(name="old", path="/old", created_at=1))
    await store.put_project(ProjectRow(name="app", path="/was", created_at=2))
    configure(tmp_path, '[projects.app]\npath = "/app"\nmodel = "opus"\n[projects.new]\npath = "/new"\n')
    projects = told(tmp_path).projects
    await keep_projects(store, projects)
    assert await store.projects() == (
        ProjectRow(name="app", path="/app", body={"model": "opus"}, created_at=2),
        projects[1],
    )


async def test_the_store_keeps_the_keys_of_the_server() -> None:
    store = MemoryStore()
    keys = Keyring(store)
    key = Key(id="k1", hash="h", role="owner", label="Anna", created_at=1)
    await keys.put(key)
    assert await keys.find("h") == key
    assert await keys.find("other") is None
    assert await keys.revoke("k1", 5)
    assert await keys.revoke("k1", 9)
    assert not await keys.revoke("k2", 5)
    assert [one.revoked_at for one in await keys.list()] == [5]
    await keys.record(Deed(at=1, what="login", who="Anna"))
    assert [(row.what, row.who) for row in await store.audit()] == [("login", "Anna")]
