"""Writes `docs/reference/cli.md` from the command line itself: `python -m scripts.write_cli_reference`."""

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from bascule.cli.main import parser

PAGE: Final = Path(__file__).parents[1] / "docs" / "reference" / "cli.md"

MADE: Final = "<!-- Made by `python -m scripts.write_cli_reference` from `bascule --help`: change it there. -->"
INTRODUCTION: Final = (
    "Each command says the same with `--help`. [Exit codes](exit-codes.md) ·"
    " [a first session](../tutorial/terminal.md) · [in CI](../how-to/ci.md) ·"
    " [check your Claude Code](../how-to/check-your-cli.md)"
)
WAITING: Final = (
    "At a terminal `bascule run` and `bascule demo` put asks before you and go on with the next prompt. Where input or"
    " output is no terminal, with `--json`, and with `--answers`, they never wait for a person: each prompt is said in"
    " turn, each ask is answered at once. `NO_COLOR` leaves colours out; `BASCULE_DEBUG=1` logs to standard error."
)

_FORMS: Final[dict[object, str]] = {"*": "[{} ...]", "+": "{0} [{0} ...]", "?": "[{}]"}
"""How often a word may be given, by what `argparse` calls it."""


def page() -> str:
    """The whole page."""
    parts = [MADE, "# The command line", INTRODUCTION, WAITING]
    for name, command in _commands(parser()):
        about = (command.description or "").rstrip(".")
        parts += [f"## bascule {name}", f"{about}.", f"```\n{_usage(command)}\n```", "\n".join(_rows(command))]
    return "\n\n".join(parts) + "\n"


def _commands(top: argparse.ArgumentParser) -> Iterator[tuple[str, argparse.ArgumentParser]]:
    for action in top._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, command in action.choices.items():
                inner = list(_commands(command))
                yield from [(f"{name} {action}", found) for action, found in inner] or [(name, command)]


def _usage(command: argparse.ArgumentParser) -> str:
    """`bascule run [options] [PROMPT ...]`."""
    given = [action for action in command._actions if not action.option_strings]
    names = [_FORMS.get(action.nargs, "{}").format(action.metavar) for action in given]
    return " ".join([command.prog, "[options]", *names])


def _rows(command: argparse.ArgumentParser) -> Iterator[str]:
    yield "| | |"
    yield "|---|---|"
    for action in command._actions:
        if action.dest != "help":
            yield f"| `{_name(action)}` | {_escaped(action.help or '')} |"


def _name(action: argparse.Action) -> str:
    words = f"{{{','.join(action.choices)}}}" if action.choices else ""
    metavar = "" if action.nargs == 0 else str(action.metavar or words)
    return " ".join(filter(None, [", ".join(action.option_strings), metavar]))


def _escaped(text: str) -> str:
    return text.replace("|", "\\|")


if __name__ == "__main__":
    PAGE.write_text(page())
