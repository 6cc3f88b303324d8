"""What `bascule serve` is told: by configuration, by variables, on the command line."""

from collections.abc import Callable
from pathlib import Path

import pytest

from bascule.cli.config import left_out_line
from bascule.cli.keyring import Keyring
from bascule.cli.main import parser
from bascule.cli.run import options_of
from bascule.cli.serve import Served, keep_projects, served
from bascule.cli.settings.applied import OPTIONS
from bascule.cli.settings.snapshot import snapshot
from bascule.errors import OptionError
from bascule.hub.projects import Place
from bascule.hub.retention import Limits
from bascule.hub.settings import Local
from bascule.session.admission import acceptances, own_places
from bascule.session.brought import brought
from bascule.session.facts import ground
from bascule.session.trust import Trust
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


def test_what_is_the_servers_own_is_closed_wherever_it_lies(tmp_path: Path) -> None:
    made = told(
        tmp_path, "--store", "/work/app/hub.db", "--tls-cert", "/work/app/c.pem", "--tls-key", "/work/app/k.pem"
    )
    ours = {
        "/work/app/hub.db",
        "/work/app/hub.db-wal",
        "/work/app/hub.db-shm",
        "/work/app/hub.db.lock",
        "/work/app/k.pem",
    }
    assert made.hub.local is not None
    for options in (made.hub.options, made.hub.local(Place("/work/app"), None).options):
        assert {str(path) for path in options.closed} == ours
        closed = ground(options.cwd, {"HOME": str(tmp_path)}, own_places(options)).protected
        assert ours <= set(closed)


def test_the_past_is_kept_for_ever_where_that_is_wanted(tmp_path: Path) -> None:
    assert told(tmp_path, store_keep_days="0", store_keep_recordings_mb="0").hub.limits == Limits()
    assert told(tmp_path, store_keep_days="7").hub.limits == Limits(keep_days=7, recordings_mb=2048)


THEIRS = """\
[claude]
model = "haiku"
env = ["AWS_SECRET_ACCESS_KEY"]
disallowed_tools = ["WebFetch"]

[policy]
default = "plan"
ask_timeout_s = 60
"""


def local(home: Path, *argv: str) -> Callable[[Place, str | None], Local]:
    """What a hub would open a session with in ``home/work``, which brings a configuration of its own."""
    folder = home / "work" / ".bascule"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.toml").write_text(THEIRS)
    made = told(home, *argv).hub.local
    assert made is not None
    return made


@pytest.mark.parametrize(
    ("trust", "disallowed"),
    [("known", ("WebSearch", "WebFetch")), ("none", ("WebSearch", "WebFetch")), ("all", ("WebFetch",))],
)
def test_a_workspace_says_in_a_hub_what_it_says_to_a_run(
    tmp_path: Path, trust: Trust, disallowed: tuple[str, ...]
) -> None:
    configure(tmp_path, '[claude]\ndisallowed_tools = ["WebSearch"]\n')
    work = str(tmp_path / "work")
    found = local(tmp_path, "--trust", trust)(Place(work), None)
    alone = snapshot(work, env={"HOME": str(tmp_path)}, trust=trust)
    run = options_of(parser().parse_args(["run", "--cwd", work, "--trust", trust]), alone.config, attended=True)
    assert {key: getattr(found.options, key) for key in (*OPTIONS.values(), "trust")} == {
        key: getattr(run, key) for key in (*OPTIONS.values(), "trust")
    }
    assert found.notice == left_out_line(alone)
    assert found.options.disallowed_tools == disallowed


def test_a_workspace_only_tightens_until_it_is_accepted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    holds, work = local(tmp_path), tmp_path / "work"
    options, notice = holds(Place(str(work)), None)
    assert (options.policy, options.ask_timeout_s, options.disallowed_tools) == ("plan", 60, ("WebFetch",))
    assert (options.model, options.pass_env) == (None, ())
    assert notice is not None
    assert "claude.model, claude.env (counts once it is accepted" in notice
    acceptances().accept(work, brought(work, config=tmp_path / "none"))
    assert holds(Place(str(work)), None).options.model == "haiku"


def test_a_policy_is_said_by_who_begins_before_the_workspace_and_by_that_before_the_project(tmp_path: Path) -> None:
    holds = local(tmp_path)
    place = Place(str(tmp_path / "work"), "p", None, "autonomous", "opus")
    assert holds(place, "rules").options.policy == "rules"
    assert (holds(place, None).options.policy, holds(place, None).options.model) == ("plan", "opus")
    (tmp_path / "work" / ".bascule" / "config.toml").unlink()
    assert holds(place, None).options.policy == "autonomous"


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
