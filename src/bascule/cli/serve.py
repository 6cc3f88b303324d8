"""`bascule serve`: a hub, its store and its keepers, and the server through which they are reached."""

from __future__ import annotations

import argparse
import asyncio
import logging
import os
import signal
import sys
import time
import webbrowser
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec

from bascule.cli.config import left_out_line
from bascule.cli.exits import SUCCESS
from bascule.cli.printing import say
from bascule.cli.settings.applied import hub_settings, project_rows, session_options, store_path, web_settings
from bascule.cli.settings.command_line import given
from bascule.cli.settings.said import Said
from bascule.cli.settings.sections import Config
from bascule.cli.settings.snapshot import snapshot
from bascule.errors import MissingExtra
from bascule.hub.hub import open_hub
from bascule.hub.keepers import Keepers
from bascule.hub.projects import Place
from bascule.hub.settings import Local, Settings
from bascule.proven import prove
from bascule.session.options import Options
from bascule.session.proving import Prove
from bascule.store.grants import Grants
from bascule.store.rows import ProjectRow
from bascule.store.sqlite import open_store
from bascule.store.store import Store
from bascule.transport.folders import state_folder

if TYPE_CHECKING:
    from bascule.web.settings import Settings as WebSettings


STORED: Final = ("", "-wal", "-shm", ".lock")
"""How the files end that a store is made of."""


class Served(NamedTuple):
    """All that a server is told."""

    hub: Settings
    web: WebSettings
    store: Path
    projects: tuple[ProjectRow, ...]
    opens: bool
    """A browser is opened."""
    prove: Prove | None


def run(args: argparse.Namespace) -> int:
    """Serve until Ctrl-C or SIGTERM; sessions go on without us."""
    try:
        from bascule.web import serving
    except ImportError as exc:
        raise MissingExtra("hub", "bascule serve") from exc

    _tell_what_is_lost()
    state = state_folder(os.environ)
    serving.run(_serve(served(args, os.environ), state))
    return SUCCESS


def _tell_what_is_lost() -> None:
    """Warnings and errors to standard error, for a terminal and for a service's journal, unless all is logged there."""
    if not logging.getLogger().handlers:
        handler = logging.StreamHandler()
        handler.setLevel(logging.WARNING)
        handler.setFormatter(logging.Formatter("bascule: %(message)s"))
        logging.getLogger("bascule").addHandler(handler)


def served(args: argparse.Namespace, env: Mapping[str, str]) -> Served:
    """What is configured and given, for no workspace: that has its say in its own sessions. Raises `OptionError`."""
    return served_by(snapshot(None, env=env, given=given(args)).config, args, env)


def served_by(config: Config, args: argparse.Namespace, env: Mapping[str, str]) -> Served:
    """The same of a configuration, with what only the command line can say."""
    closed = _closed(config, env)
    hub = hub_settings(config, _options(config, args, closed), Grants(state_folder(env)))
    return Served(
        hub=msgspec.structs.replace(hub, local=partial(local, args, env, closed)),
        web=web_settings(config),
        store=store_path(config, env),
        projects=project_rows(config, now_ms=int(time.time() * 1000)),
        opens=config.hub.open_browser,
        prove=None if args.unproven else prove,
    )


def _closed(config: Config, env: Mapping[str, str]) -> tuple[Path, ...]:
    """What is this server's own, wherever it lies: a session that wrote there could decide for itself."""
    store = store_path(config, env)
    key = config.hub.tls_key
    return (*(store.with_name(f"{store.name}{end}") for end in STORED), *([Path(key).expanduser()] if key else ()))


def _options(config: Config, args: argparse.Namespace, closed: tuple[Path, ...]) -> Options:
    return Options(**session_options(config), trust=args.trust or "known", unproven=args.unproven, closed=closed)


def local(
    args: argparse.Namespace, env: Mapping[str, str], closed: tuple[Path, ...], place: Place, policy: str | None
) -> Local:
    """What holds in a workspace, as `bascule run` would have it there. Who begins a session with a ``policy`` has the
    last word. Reads files. Raises `OptionError`."""
    last = () if policy is None else (Said(("policy", "default"), policy, "command line", ""),)
    of_project = ((("policy", "default"), place.policy), (("claude", "model"), place.model))
    found = snapshot(
        place.cwd,
        env=env,
        given=(*given(args), *last),
        trust=args.trust or "known",
        project=[Said(key, value, "user", f"projects.{place.project}") for key, value in of_project if value],
    )
    return Local(_options(found.config, args, closed), left_out_line(found))


async def _serve(told: Served, state: Path) -> None:
    from bascule.cli.keyring import Keyring
    from bascule.web import serving
    from bascule.web.address import announced
    from bascule.web.app import app
    from bascule.web.settings import warnings

    listening, web = serving.listen(told.web)
    store = await open_store(told.store)
    try:
        await keep_projects(store, told.projects)
        async with open_hub(store, Keepers(store, state, told.hub, prove=told.prove), told.hub) as hub:
            made = app(hub, web, Keyring(store))
            async with serving.serving(made, web, listening):
                url = serving.url_of(web, made.state.door)
                with announced(state, serving.address_of(web, made.state.door)):
                    _welcome(url, serving.qr(url), warnings(web), opens=told.opens)
                    await until_told_to_end()
    finally:
        await store.close()


async def keep_projects(store: Store, projects: Sequence[ProjectRow]) -> None:
    """The projects of a server are those that are configured; one that was there is as old as it was."""
    before = {row.name: row for row in await store.projects()}
    for row in projects:
        known = before.pop(row.name, row)
        await store.put_project(msgspec.structs.replace(row, created_at=known.created_at))
    for name in before:
        await store.forget_project(name)


def _welcome(url: str, picture: str, warnings: tuple[str, ...], *, opens: bool) -> None:
    """The way in, for a person; the token in it is good as long as this server runs."""
    for warning in warnings:
        say(warning)
    if sys.stdout.isatty():
        print(picture)
    print(url, flush=True)
    if opens:
        webbrowser.open(url)


async def until_told_to_end() -> None:
    """Returns on Ctrl-C and on SIGTERM."""
    ended, loop = asyncio.Event(), asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, ended.set)
    await ended.wait()
