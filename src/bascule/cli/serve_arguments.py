"""The command line of `bascule serve`. What most options say can be configured as well: see `settings.command_line`."""

from __future__ import annotations

from typing import Any, Final

from bascule.cli.policy_arguments import Commands

NEVER: Final = "never"


def serve(commands: Any, add: Commands) -> None:
    """Add it."""
    made = add(commands, "serve", "many sessions that outlive this terminal, for browsers, phones and scripts")
    made.add_argument("--host", metavar="ADDRESS", help="where to listen (default: 127.0.0.1, this machine alone)")
    made.add_argument("--port", type=int, metavar="N", help="where to listen (default: 7440); 0: one that is free")
    made.add_argument("--public-url", metavar="URL", help="what clients open, where that is a proxy or a tunnel")
    made.add_argument("--tls-cert", metavar="FILE", help="a certificate, for https")
    made.add_argument("--tls-key", metavar="FILE", help="its key")
    made.add_argument("--allowed-host", action="append", metavar="NAME", help="another name that clients may use")
    made.add_argument("--allowed-origin", action="append", metavar="URL", help="another page that may speak to it")
    made.add_argument("--open", action="store_true", help="open a browser")
    made.add_argument("--store", metavar="FILE", help="what it keeps (default: in bascule's own folder)")
    made.add_argument("--cli", metavar="PATH", help="which Claude Code (default: the one on PATH or near by)")
    made.add_argument("--policy", metavar="NAME", help="who decides in new sessions: supervised (default), plan, …")
    made.add_argument("--model", metavar="NAME", help="the model of new sessions")
    made.add_argument("--trust", choices=("known", "all", "none"), help="what workspaces bring; see bascule trust")
    made.add_argument("--idle-seconds", metavar="S", help=f"when a session falls asleep (default: 600); {NEVER}")
    made.add_argument("--turn-seconds", type=float, metavar="S", help="time for a turn, at most; then it is stopped")
    made.add_argument("--max-live", type=int, metavar="N", help="processes at once (default: as memory allows)")
    made.add_argument("--queue-limit", type=int, metavar="N", help="prompts that may wait in a session (default: 20)")
    made.add_argument("--use-api-key", action="store_true", help="pass ANTHROPIC_API_KEY: it is billed")
    made.add_argument("--pass-env", action="append", metavar="NAME", help="a variable that Claude Code gets as well")
    made.add_argument("--unproven", action="store_true", help="start though it cannot be tested that Claude Code asks")
