"""The command lines of those that speak to a server: `ps`, `past`, `import`, `asks`, `decide`, `attach`, `token`."""

from __future__ import annotations

import argparse
from typing import Any, Final

from bascule.cli.policy_arguments import JSON, Commands

ROLES: Final = ("viewer", "approver", "owner")
WORDS: Final = ("allow", "always", "deny", "stop", "approve", "outline", "discuss", "answer")
PAST: Final = 300
"""Events of the past that an attached terminal shows first."""


def of_servers(commands: Any, add: Commands) -> None:
    """Add them."""
    _ps(add(commands, "ps", "the sessions of a server: what each does, and whom it waits for"))
    _past(add(commands, "past", "conversations that Claude Code keeps on a server's machine, whoever began them"))
    _import(add(commands, "import", "have a server go on with such a conversation"))
    _asks(add(commands, "asks", "what waits for a person, in all sessions of a server"))
    _decide(add(commands, "decide", "answer an ask of a server's session, from any shell or script"))
    _attach(add(commands, "attach", "a session of a server in this terminal; leaving it, the session goes on"))
    _token(add(commands, "token", "keys to a server: add, list, revoke; pair lets a phone in"), add)


def _ps(ps: argparse.ArgumentParser) -> None:
    ps.add_argument("--all", action="store_true", help="those that are archived too")
    ps.add_argument("--json", action="store_true", help=JSON)
    _server(ps)


def _past(past: argparse.ArgumentParser) -> None:
    past.add_argument("words", nargs="*", metavar="WORD", help="what its title, first prompt, folder or branch has")
    past.add_argument("--limit", type=int, default=20, metavar="N", help="how many, at most 1000 (default: 20)")
    past.add_argument("--after", metavar="PLACE", help="go on where a list before this one stopped, as it told")
    past.add_argument("--json", action="store_true", help=JSON)
    _server(past)


def _import(taken: argparse.ArgumentParser) -> None:
    taken.add_argument(
        "conversation", metavar="ID", help="as bascule past names it; its beginning will do, or the path of its file"
    )
    taken.add_argument("--cwd", metavar="DIR", help="go on in this folder, or project (default: its own)")
    taken.epilog = "exit codes:\n    0  a session has it, whose id is printed\n    1  it was refused"
    _server(taken)


def _asks(asks: argparse.ArgumentParser) -> None:
    asks.add_argument("--json", action="store_true", help=JSON)
    _server(asks)


def _decide(decide: argparse.ArgumentParser) -> None:
    decide.add_argument("ask", metavar="ID", help="the ask, as bascule asks names it; its beginning will do")
    decide.add_argument("answer", choices=WORDS, metavar="ANSWER", help=", ".join(WORDS))
    decide.add_argument("--reason", metavar="TEXT", help="of deny and stop: what Claude reads")
    decide.add_argument("--rule", metavar="RULE", help="of always: which rule (default: the first one suggested)")
    decide.add_argument("--scope", choices=("session", "project", "user"), help="of always: how long it holds")
    decide.add_argument("--then", choices=("ask", "accept_edits", "auto"), help="of approve: how to go on")
    decide.add_argument("--text", metavar="TEXT", help="of answer: an option's number, 1+3 for several, or text")
    decide.epilog = "exit codes:\n    0  it is answered\n    1  somebody or something was first, or it was refused"
    _server(decide)


def _attach(attach: argparse.ArgumentParser) -> None:
    attach.add_argument("session", nargs="?", metavar="ID", help="which session (default: the one that is there)")
    attach.add_argument("--past", type=int, default=PAST, metavar="N", help=f"events to begin with (default: {PAST})")
    _server(attach)


def _token(token: argparse.ArgumentParser, add: Commands) -> None:
    actions = token.add_subparsers(dest="action", metavar="ACTION", required=True, parser_class=type(token))
    made = add(actions, "add", "make a key for a program or a person; its secret is printed this once")
    made.add_argument("--role", choices=ROLES, required=True, help="what it may do")
    made.add_argument("--label", default="", metavar="NAME", help="who holds it: decisions carry the name")
    made.add_argument("--days", type=float, metavar="N", help="how long it opens (default: until it is revoked)")
    _server(made)
    listed = add(actions, "list", "the keys that open, with those of browsers")
    listed.add_argument("--all", action="store_true", help="those that open nothing any more too")
    listed.add_argument("--json", action="store_true", help=JSON)
    _server(listed)
    revoke = add(actions, "revoke", "take a key back, with what came in by it; open connections are closed")
    revoke.add_argument("key", metavar="ID", help="the key, as bascule token list names it")
    _server(revoke)
    pair = add(actions, "pair", "a code, and a picture of it, that lets a phone in once within two minutes")
    pair.add_argument("--role", choices=ROLES, default="approver", help="what it may do (default: approver)")
    pair.add_argument("--label", default="phone", metavar="NAME", help="what it is called (default: phone)")
    _server(pair)


def _server(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--url", metavar="URL", help="the server (default: $BASCULE_URL, else the one of this machine)"
    )
    command.add_argument("--token-file", metavar="FILE", help="the key to it (default: $BASCULE_TOKEN)")
