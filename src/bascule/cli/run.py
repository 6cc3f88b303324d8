"""`bascule run`: prompts to a live session, at a terminal with a person, elsewhere without waiting for one."""

from __future__ import annotations

import argparse
import asyncio
import os
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import msgspec

from bascule.cli.config import left_out_line
from bascule.cli.exits import code_of
from bascule.cli.printing import Conversation, JsonLines, Printer, report, say
from bascule.cli.prompts import prompts_of
from bascule.cli.settings.applied import session_options
from bascule.cli.settings.command_line import given
from bascule.cli.settings.sections import Config
from bascule.cli.settings.snapshot import Snapshot, snapshot
from bascule.cli.trust import settled
from bascule.errors import BasculeError, OptionError
from bascule.session.opening import open_session
from bascule.session.options import SANDBOX, Options, arguments, environment_of, policy_of, refuse_root
from bascule.store.grants import Grants, GrantsHere
from bascule.terminal.answers import Given, Script, parse
from bascule.terminal.clean import plain
from bascule.terminal.desk import Desk
from bascule.terminal.dialogue import SESSION, Scope
from bascule.terminal.inbox import new_id
from bascule.terminal.loop import attend, play
from bascule.terminal.screen import LiveScreen, ink_for, is_live
from bascule.terminal.tally import Tally
from bascule.transport.folders import state_folder
from bascule.transport.locate import find_cli, here

CLI_SCOPES: Final[tuple[Scope, ...]] = ("session", "local", "project", "user")
"""How long a rule may hold where Claude Code governs: it has a file for each."""
OUR_SCOPES: Final[tuple[Scope, ...]] = ("session", "project", "user")
"""How long a grant may hold where bascule governs."""


def run(args: argparse.Namespace) -> int:
    """Run what the command line asks for."""
    if args.json:
        return _as_json(args)
    prompts = prompts_of(args.prompts, args.file)
    answers = answers_of(args.answers)
    watched = answers is None and is_live(sys.stdin, sys.stdout, os.environ)
    options = prepared(args, attended=watched or answers is not None, person=watched)
    if watched:
        tally = asyncio.run(watch(proven(options, args), prompts, limit_s=args.max_seconds))
    else:
        _need(prompts)
        shown = Conversation()
        tally = asyncio.run(go_through(proven(options, args), prompts, answers, shown, limit_s=args.max_seconds))
    tell_the_end(tally)
    return code_of(tally, strict=args.strict)


def _as_json(args: argparse.Namespace) -> int:
    """The same for a program: what goes wrong is in the last line too."""
    printer = JsonLines()
    try:
        answers = answers_of(args.answers)
        options = prepared(args, attended=answers is not None, person=False)
        prompts = prompts_of(args.prompts, args.file)
        _need(prompts)
        tally = asyncio.run(go_through(proven(options, args), prompts, answers, printer, limit_s=args.max_seconds))
    except BasculeError as exc:
        report(exc)
        printer.end(exc.exit_code, error=str(exc))
        return exc.exit_code
    code = code_of(tally, strict=args.strict)
    printer.end(code, error=tally.problem, unanswered=tally.unanswered, cli_session_id=tally.cli_session_id)
    return code


def _need(prompts: Sequence[str]) -> None:
    """Without a person to be asked, a run needs something to say."""
    if not prompts:
        raise OptionError('there is no prompt: bascule run "What is in this project?", or pipe one in')


def answers_of(lists: Sequence[str] | None) -> tuple[Given, ...] | None:
    """The answers of all `--answers`, in order; None when none were given."""
    return None if lists is None else tuple(answer for text in lists for answer in parse(text))


def prepared(args: argparse.Namespace, *, attended: bool, person: bool) -> Options:
    """The options of a run, whose configuration was read and whose workspace was looked at.

    What a ``person`` accepts of the workspace's configuration counts at once, and holds for the whole run as it was
    when he did. Raises as `options_of` and `settled` do.
    """
    found = _configured(args)
    waits = any(one.why == "not accepted" for one in found.left_out)
    options = settled(options_of(args, found.config, attended=attended), person=person, config_counts=person and waits)
    if waits and person:
        found = _configured(args)
        options = msgspec.structs.replace(options_of(args, found.config, attended=attended), trust=options.trust)
    if (line := left_out_line(found)) is not None:
        say(plain(line))
    return options


def _configured(args: argparse.Namespace) -> Snapshot:
    return snapshot(args.cwd, env=os.environ, given=given(args), trust=args.trust)


def options_of(args: argparse.Namespace, config: Config, *, attended: bool) -> Options:
    """The options of a session; the library checks them. Raises `OptionError` with what is wrong."""
    configured = session_options(config)
    configured["limits"] = msgspec.structs.replace(configured["limits"], silence_s=args.silence_seconds)
    if args.mode is not None:
        configured["mode"] = args.mode
    kept = GrantsHere(Grants(state_folder(os.environ)), args.cwd, surface="terminal")
    options = Options(
        cwd=args.cwd,
        attended=attended,
        allow=tuple(args.allow),
        keep_grant=kept.keep,
        kept_grants=kept,
        trust=args.trust,
        resume=args.resume,
        max_turns=args.max_turns,
        max_budget_usd=args.max_budget,
        mcp_servers=mcp_servers(args.mcp_config) if args.mcp_config else {},
        record=args.record,
        redact=True,
        **configured,
    )
    refuse_root_in_words(options, euid=os.geteuid())
    return options


def refuse_root_in_words(options: Options, *, euid: int) -> None:
    """As the library refuses, in words of the command line."""
    try:
        refuse_root(arguments(options), environment_of(options), euid=euid)
    except OptionError:
        raise OptionError(
            "as root Claude Code does not skip permissions: be another user, choose --policy supervised,"
            f" or, inside a sandbox only: {SANDBOX}=1 bascule run --pass-env {SANDBOX} …"
        ) from None


def mcp_servers(name: str) -> dict[str, dict[str, Any]]:
    """The servers of a file in Claude Code's form. Raises `OptionError` with the place that is wrong."""
    try:
        return msgspec.json.decode(Path(name).read_bytes(), type=_McpFile).servers
    except OSError as exc:
        raise OptionError(f"--mcp-config: {name} cannot be read ({exc.strerror}): name another file") from exc
    except msgspec.DecodeError as exc:
        form = '{"mcpServers": {"NAME": {"command": "…"}}}'
        raise OptionError(f"--mcp-config: {name} is not of the form {form}: {exc}") from exc


class _McpFile(msgspec.Struct):
    servers: dict[str, dict[str, Any]] = msgspec.field(name="mcpServers")


def proven(options: Options, args: argparse.Namespace) -> Options:
    """The options with their CLI, which was shown to ask before it writes where bascule governs; see `doctor.proof`.

    Takes a second for a CLI that was not seen before, and 0.1 s for any other. Without a workspace nothing is proven,
    since nothing will start. Raises `CliVersionRefused` with what the CLI did instead; with `--unproven` what could not
    be tested is said and passes.
    """
    if not policy_of(options).governs or not Path(options.cwd).is_dir():
        return options
    from bascule.doctor.proof import ensure_proven
    from bascule.doctor.receipts import Receipts

    cli = find_cli(here(), explicit=None if options.cli is None else str(options.cli))
    receipts = Receipts(state_folder(os.environ))
    proof = asyncio.run(
        ensure_proven(cli, environment_of(options), receipts, cwd=options.cwd, doubt_passes=args.unproven)
    )
    if proof.verdict == "unknown":
        say(f"nobody knows whether this Claude Code asks before it writes: it {proof.why}")
    return msgspec.structs.replace(options, cli=cli)


async def watch(
    options: Options,
    prompts: Sequence[str],
    *,
    limit_s: float | None = None,
    suggestions: Sequence[str] = (),
    greeting: str = "",
) -> Tally:
    """A session at this terminal, with its person."""
    screen = LiveScreen(sys.stdout, ink_for(sys.stdout, os.environ))
    scopes = CLI_SCOPES if not policy_of(options).governs else SESSION if options.keep_grant is None else OUR_SCOPES
    desk = Desk(new_id=new_id, prompts=prompts, suggestions=suggestions, greeting=greeting, scopes=scopes)
    async with open_session(options) as session:
        return await attend(session, desk, screen=screen, keyboard_fd=sys.stdin.fileno(), limit_s=limit_s)


async def go_through(
    options: Options,
    prompts: Sequence[str],
    answers: Sequence[Given] | None,
    printer: Printer,
    *,
    limit_s: float | None = None,
) -> Tally:
    """A session without a person: the prompts one after the other, each ask answered at once."""
    async with open_session(options) as session:
        return await play(session, prompts=prompts, script=Script(answers), show=printer.show, limit_s=limit_s)


def tell_the_end(tally: Tally) -> None:
    """Where to go on, and what nobody answered."""
    if tally.unanswered:
        calls = "1 ask was" if tally.unanswered == 1 else f"{tally.unanswered} asks were"
        say(f"{calls} denied since nobody could answer; --answers or --allow RULE would (--strict makes it exit 5)")
    if tally.cli_session_id is not None and tally.complete is not None:
        folder = "" if tally.cwd in (None, str(Path.cwd())) else f"cd {_pasted(tally.cwd or '')} && "
        print(f"To go on: {folder}claude --resume {_pasted(tally.cli_session_id)}", file=sys.stderr)


def _pasted(word: str) -> str:
    """A word for a person to paste into a shell: one word there, whatever the CLI made of it."""
    return shlex.quote(plain(word))
