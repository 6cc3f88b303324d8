"""The command line: what may be given, and what a failure looks like.

Each command is a module beside this one with `run(args) -> int`, imported when it is asked for.
"""

from __future__ import annotations

import argparse
import difflib
import importlib
import io
import logging
import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, NoReturn

from bascule.cli.config_arguments import config
from bascule.cli.exits import FAILED, INTERRUPTED, MEANINGS, SUCCESS, USAGE
from bascule.cli.hub_arguments import of_servers
from bascule.cli.policy_arguments import policy, trust
from bascule.cli.serve_arguments import serve

if TYPE_CHECKING:
    from bascule.errors import BasculeError

log = logging.getLogger("bascule.cli")

DEBUG: Final = "BASCULE_DEBUG"

MODULES: Final = {"import": "importing"}
"""Of commands whose name can be no module's."""

NEAR: Final = 0.75
"""How alike an option must be to be proposed, from 0 to 1: a slip of the finger, and no other word."""

ANSWERS: Final = (
    "answers for where nobody is at the keyboard, one per ask in order: allow, always[:RULE], deny[:REASON],"
    " stop[:REASON], approve[:ask|accept_edits|auto], outline, discuss, answer:1, answer:1+3, answer:TEXT, skip."
    " When none is left, the ask is denied"
)


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        from bascule.errors import OptionError

        raise OptionError(f"{message}. See: {self.prog} --help")


class _Version(argparse.Action):
    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> NoReturn:
        from importlib.metadata import version

        print(f"bascule {version('bascule')}")
        parser.exit(SUCCESS)


def parser() -> argparse.ArgumentParser:
    """The whole command line."""
    top = _Parser(
        prog="bascule",
        description="Drives Claude Code and puts a person in front of every decision.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    top.add_argument("--version", action=_Version, nargs=0, help="print the version and exit")
    commands = top.add_subparsers(dest="command", metavar="COMMAND", parser_class=_Parser)
    _run(_command(commands, "run", "talk to Claude Code; every call that no rule covers is put before you"))
    _replay(_command(commands, "replay", "show a recording as a conversation, or as events"))
    _demo(_command(commands, "demo", "the real Claude Code on a scripted model: no account, no network"))
    policy(_command(commands, "policy", "rules: check, explain, replay, suggest; grants: list, revoke"), _command)
    trust(_command(commands, "trust", "what a workspace brings that runs or widens something: list it, accept it"))
    config(_command(commands, "config", "what is configured: what holds, who said so, what is wrong"), _command)
    _store(_command(commands, "store", "what a hub keeps: check it, copy it, see what is too old"))
    serve(commands, _command)
    of_servers(commands, _command)
    _doctor(_command(commands, "doctor", "whether the installed Claude Code is fit for use, and what differs in it"))
    return top


def _command(commands: Any, name: str, about: str) -> argparse.ArgumentParser:
    made: argparse.ArgumentParser = commands.add_parser(
        name,
        help=about,
        description=f"{about[0].upper()}{about[1:]}.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    return made


def _run(run: argparse.ArgumentParser) -> None:
    run.add_argument("prompts", nargs="*", metavar="PROMPT", help="what to say, one turn each; - is standard input")
    run.add_argument("--file", action="append", default=[], metavar="FILE", help="a file that holds a prompt")
    run.add_argument("--cwd", default=".", metavar="DIR", help="the workspace (default: here)")
    run.add_argument("--policy", default=None, metavar="NAME", help="who decides: supervised (default), plan, rules, …")
    run.add_argument("--mode", metavar="MODE", help="Claude Code's permission mode at the start")
    run.add_argument("--model", metavar="NAME", help="the model")
    run.add_argument("--resume", metavar="ID", help="go on with a conversation")
    run.add_argument(
        "--allow", action="append", default=[], metavar="RULE", help="allow what a rule covers: 'Bash(pytest *)'"
    )
    run.add_argument(
        "--trust",
        choices=("known", "all", "none"),
        default="known",
        help="what the workspace brings: taken if it was accepted (known), always, or never; see bascule trust",
    )
    run.add_argument("--mcp-config", metavar="FILE", help="MCP servers, in Claude Code's own JSON form")
    run.add_argument("--max-turns", type=_positive(int), metavar="N", help="rounds with the model, at most")
    run.add_argument("--max-budget", type=_positive(float), metavar="USD", help="money, at most")
    run.add_argument("--max-seconds", type=_positive(float), metavar="S", help="time for the whole run, at most")
    run.add_argument("--turn-seconds", type=_positive(float), metavar="S", help="time for each turn, at most")
    run.add_argument(
        "--silence-seconds",
        type=_positive(float),
        metavar="S",
        help="time without a word, at most; not while tools run, people are asked or the API asks for patience",
    )
    run.add_argument("--use-api-key", action="store_true", help="pass ANTHROPIC_API_KEY, which is billed then")
    run.add_argument(
        "--pass-env",
        action="append",
        default=[],
        metavar="NAME",
        help="pass a variable that Claude Code does not get by itself, such as ANTHROPIC_BASE_URL",
    )
    _shared(run)
    run.add_argument("--unproven", action="store_true", help="start though it cannot be tested that Claude Code asks")
    run.add_argument("--strict", action="store_true", help="exit 5 if a call was denied since nobody could answer")
    run.epilog = "exit codes:\n" + "\n".join(f"  {code:>3}  {meaning}" for code, meaning in MEANINGS.items())


def _replay(replay: argparse.ArgumentParser) -> None:
    replay.add_argument("file", metavar="FILE", help="a recording, also one that is cut off; - is standard input")
    replay.add_argument("--json", action="store_true", help="events as JSON lines")


def _demo(demo: argparse.ArgumentParser) -> None:
    demo.add_argument("prompts", nargs="*", metavar="PROMPT", help="what to say instead of the tour")
    demo.add_argument("--web", action="store_true", help="sessions of it in a browser: prints where, until Ctrl-C")
    _shared(demo)


def _store(store: argparse.ArgumentParser) -> None:
    actions = store.add_subparsers(dest="action", metavar="ACTION", required=True, parser_class=_Parser)
    check = _command(actions, "check", "whether what is kept is whole; exit 1 where it is not")
    check.add_argument("--json", action="store_true", help="problems as one JSON list")
    backup = _command(actions, "backup", "a whole copy, which only you can read")
    backup.add_argument("file", metavar="FILE", help="the new file")
    old = _command(actions, "old", "what a hub here would remove now as past keep_days or keep_recordings_mb")
    old.add_argument("--json", action="store_true", help="that as one JSON list")
    for action in (check, backup, old):
        action.add_argument("--store", metavar="FILE", help="which store (default: that of the hub here)")


def _doctor(doctor: argparse.ArgumentParser) -> None:
    doctor.add_argument("--cli", metavar="PATH", help="which Claude Code (default: the one on PATH or near by)")
    doctor.add_argument("--quick", action="store_true", help="only the checks, and the proof that it asks: 2 s, not 20")
    doctor.add_argument("--json", action="store_true", help="the whole report as one JSON object")
    doctor.epilog = "exit codes:\n    0  fit for use\n    1  a check failed, or a difference breaks a promise"


def _shared(command: argparse.ArgumentParser) -> None:
    command.add_argument("--cli", metavar="PATH", help="which Claude Code (default: the one on PATH or near by)")
    command.add_argument("--answers", action="append", metavar="LIST", help=ANSWERS)
    command.add_argument("--json", action="store_true", help="events as JSON lines; the last one has the exit code")
    command.add_argument("--record", metavar="FILE", help="keep the conversation, but for what looks like a secret")


def _positive(kind: type[int] | type[float]) -> Any:
    def read(text: str) -> int | float:
        value = kind(text)
        if not value > 0:
            raise argparse.ArgumentTypeError(f"{text} is not above 0")
        return value

    read.__name__ = kind.__name__
    return read


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command line; the exit code. Nothing it does ends in a traceback."""
    from bascule.errors import BasculeError, OptionError

    _prepare()
    given = list(sys.argv[1:] if argv is None else argv)
    try:
        args = _parsed(given)
    except OptionError as exc:
        return _misused(given, exc)
    if args.command is None:
        parser().print_help()
        return USAGE
    try:
        code: int = importlib.import_module(f"bascule.cli.{MODULES.get(args.command, args.command)}").run(args)
    except KeyboardInterrupt:
        code = INTERRUPTED
    except BrokenPipeError:  # who read it, such as `head`, has enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = INTERRUPTED
    except BasculeError as exc:
        code = _told(exc)
    except Exception as exc:
        log.exception("bascule failed")
        print(f"bascule: a bug in bascule: {type(exc).__name__}: {exc} ({DEBUG}=1 shows where)", file=sys.stderr)
        code = FAILED
    return code


def _prepare() -> None:
    """Output never fails on a character that it cannot say, and what is logged stays quiet unless asked for."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    if os.environ.get(DEBUG):
        logging.basicConfig(level=logging.DEBUG)
    else:
        logging.getLogger("bascule").addHandler(logging.NullHandler())


def _parsed(given: Sequence[str]) -> argparse.Namespace:
    from bascule.errors import OptionError

    args, unknown = parser().parse_known_args(given)
    if unknown:
        command = " ".join(filter(None, (args.command, getattr(args, "action", None))))
        raise OptionError(_unknown(command, unknown[0]))
    return args


def _misused(given: Sequence[str], error: BasculeError) -> int:
    """A command line that cannot be read; a program that asked for JSON lines gets its last one all the same."""
    code = _told(error)
    options = given[: given.index("--")] if "--" in given else given
    if given[:1] in (["run"], ["demo"]) and "--json" in options:
        from bascule.cli.printing import JsonLines

        JsonLines().end(code, error=str(error))
    return code


def _unknown(command: str, given: str) -> str:
    """What to do about an argument that does not fit ``command``, which is `run` or `policy check`."""
    if not command:
        return f"there is no option {given}: see bascule --help"
    if not given.startswith("-"):
        what = "the prompts side by side, each" if command in ("run", "demo") else "what belongs together"
        return f"{given!r} stands alone: put {what} in quotes. See: bascule {command} --help"
    known = [name for action in _options_of(command) for name in action.option_strings]
    near = difflib.get_close_matches(given.partition("=")[0], known, 1, NEAR)
    hint = f"did you mean {near[0]}?" if near else f"see bascule {command} --help, or put -- before a prompt"
    return f"there is no option {given}: {hint}"


def _options_of(command: str) -> Sequence[argparse.Action]:
    found = parser()
    for word in command.split():
        commands = next(action for action in found._actions if isinstance(action, argparse._SubParsersAction))
        found = commands.choices[word]
    actions: Sequence[argparse.Action] = found._actions
    return actions


def _told(error: BasculeError) -> int:
    from bascule.cli.printing import report

    report(error)
    return error.exit_code


if __name__ == "__main__":
    sys.exit(main())
