"""`bascule serve`: a hub, its store and its keepers, and the server through which they are reached."""

from __future__ import annotations

import argparse
import asyncio
import os
import signal
import sys
import webbrowser
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from bascule.cli.exits import SUCCESS
from bascule.cli.printing import say
from bascule.cli.serve_arguments import NEVER, told
from bascule.cli.store import NAME
from bascule.errors import MissingExtra, OptionError
from bascule.hub.hub import open_hub
from bascule.hub.keepers import Keepers
from bascule.hub.settings import Settings
from bascule.proven import prove
from bascule.session.options import Options
from bascule.session.watch import Limits
from bascule.store.grants import Grants
from bascule.store.sqlite import open_store
from bascule.transport.folders import state_folder

IDLE_S: Final = 600.0


def run(args: argparse.Namespace) -> int:
    """Serve until Ctrl-C or SIGTERM; sessions go on without us."""
    try:
        from bascule.web import serving
    except ImportError as exc:
        raise MissingExtra("hub", "bascule serve") from exc

    given = told(args)
    state = state_folder(os.environ)
    serving.run(_serve(given, state, hub_settings(given, state)))
    return SUCCESS


async def _serve(given: Mapping[str, Any], state: Path, settings: Settings) -> None:
    from bascule.cli.keyring import Keyring
    from bascule.web import serving
    from bascule.web.address import announced
    from bascule.web.app import app
    from bascule.web.settings import warnings

    listening, web = serving.listen(web_settings(given))
    store = await open_store(Path(given.get("store") or state / NAME))
    try:
        async with open_hub(store, Keepers(store, state, settings, prove=_prove(given)), settings) as hub:
            made = app(hub, web, Keyring(store))
            async with serving.serving(made, web, listening):
                url = serving.url_of(web, made.state.door)
                with announced(state, serving.address_of(web, made.state.door)):
                    _welcome(url, serving.qr(url), warnings(web), opens=bool(given.get("open")))
                    await _told_to_end()
    finally:
        await store.close()


def _prove(given: Mapping[str, Any]) -> Any:
    return None if given.get("unproven") else prove


def web_settings(given: Mapping[str, Any]) -> Any:
    """Where it listens, as given."""
    from bascule.web.settings import Settings as WebSettings

    named = {name: given[name] for name in ("host", "port", "public_url", "tls_cert", "tls_key") if name in given}
    return WebSettings(
        allowed_hosts=tuple(given.get("allowed_host", ())),
        allowed_origins=tuple(given.get("allowed_origin", ())),
        **named,
    )


def hub_settings(given: Mapping[str, Any], state: Path) -> Settings:
    """How the hub is run, as given. Raises `OptionError`."""
    named = {
        name: given[name] for name in ("cli", "policy", "model", "trust", "use_api_key", "unproven") if name in given
    }
    options = Options(
        limits=Limits(turn_s=given.get("turn_seconds")), pass_env=tuple(given.get("pass_env", ())), **named
    )
    more = {name: given[name] for name in ("max_live", "queue_limit") if name in given}
    return Settings(options=options, grants=Grants(state), idle_sleep_s=_idle_s(given.get("idle_seconds")), **more)


def _idle_s(text: str | None) -> float | None:
    if text is None:
        return IDLE_S
    if text == NEVER:
        return None
    try:
        return float(text)
    except ValueError:
        raise OptionError(f"--idle-seconds is {text!r}: give a number of seconds, or {NEVER}") from None


def _welcome(url: str, picture: str, warnings: tuple[str, ...], *, opens: bool) -> None:
    """The way in, for a person; the token in it is good as long as this server runs."""
    for warning in warnings:
        say(warning)
    if sys.stdout.isatty():
        print(picture)
    print(url, flush=True)
    if opens:
        webbrowser.open(url)


async def _told_to_end() -> None:
    ended, loop = asyncio.Event(), asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, ended.set)
    await ended.wait()
