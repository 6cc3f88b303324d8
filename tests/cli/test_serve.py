"""What `bascule serve` is told: on the command line, else in variables."""

import argparse
from pathlib import Path
from typing import Any

import pytest

from bascule.cli.keyring import Keyring
from bascule.cli.main import parser
from bascule.cli.serve import hub_settings, web_settings
from bascule.cli.serve_arguments import told
from bascule.errors import OptionError
from bascule.store.memory import MemoryStore
from bascule.web.keys import Deed, Key


def given(*argv: str, **env: str) -> dict[str, Any]:
    args: argparse.Namespace = parser().parse_args(["serve", *argv])
    return told(args, {f"BASCULE_{name.upper()}": text for name, text in env.items()})


def test_the_command_line_goes_before_a_variable() -> None:
    assert web_settings(given("--port", "0", port="99")).port == 0
    assert web_settings(given(port="99")).port == 99
    assert web_settings(given()).port == 7440


def test_a_variable_holds_a_list_with_commas() -> None:
    assert web_settings(given(allowed_host="box.lan, box")).allowed_hosts == ("box.lan", "box")
    assert web_settings(given("--allowed-host", "a", "--allowed-host", "b")).allowed_hosts == ("a", "b")


def test_a_variable_that_is_no_number_is_refused() -> None:
    with pytest.raises(OptionError, match="BASCULE_PORT is 'x'"):
        given(port="x")


def test_how_the_hub_is_run(tmp_path: Path) -> None:
    settings = hub_settings(given("--policy", "plan", "--max-live", "3", "--turn-seconds", "60"), tmp_path)
    assert (settings.options.policy, settings.max_live, settings.options.limits.turn_s) == ("plan", 3, 60.0)
    assert (settings.idle_sleep_s, settings.queue_limit, settings.options.unproven) == (600.0, 20, False)
    assert hub_settings(given("--idle-seconds", "never", "--unproven"), tmp_path).idle_sleep_s is None
    assert hub_settings(given(idle_seconds="5", unproven="1"), tmp_path).idle_sleep_s == 5.0
    with pytest.raises(OptionError, match="--idle-seconds is 'soon'"):
        hub_settings(given("--idle-seconds", "soon"), tmp_path)


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
