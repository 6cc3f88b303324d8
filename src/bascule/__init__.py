"""Drives Claude Code and puts a person in front of every decision.

The public names, and nothing else: each is loaded when it is first used, so that ``bascule --version``, or a program
that only reads recordings, pays for nothing that it does not need. Vocabularies are modules: ``events.Complete``.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from bascule import blocking, commands, errors, events, history, payload, recording
    from bascule.conversation import Conversation
    from bascule.ids import CliSessionId, CommandId, PendingId, PromptId, SessionId
    from bascule.mcp.content import Image
    from bascule.mcp.schema import schema_of
    from bascule.mcp.server import ToolServer
    from bascule.mcp.tool import CallContext, Tool, tool
    from bascule.policy.config import rules_of
    from bascule.policy.grants import Grant
    from bascule.policy.rules import Rule
    from bascule.protocol.handshake import Welcome
    from bascule.proven import open_session, query, run
    from bascule.session.hooks import KeptGrants, OnAsk, UserHook
    from bascule.session.opening import session_over
    from bascule.session.options import Options
    from bascule.session.prompts import PromptHandle
    from bascule.session.query import Query
    from bascule.session.requests import Cli
    from bascule.session.session import Session
    from bascule.session.watch import Limits
    from bascule.store.grants import Grants, GrantsHere
    from bascule.transcript.fold import Fold
    from bascule.transport.pipe import Pipe
    from bascule.transport.replay import ReplayPipe
    from bascule.wire import answers, hook_outputs, hooks
    from bascule.wire.initialize import Agent

__all__ = [
    "Agent",
    "CallContext",
    "Cli",
    "CliSessionId",
    "CommandId",
    "Conversation",
    "Fold",
    "Grant",
    "Grants",
    "GrantsHere",
    "Image",
    "KeptGrants",
    "Limits",
    "OnAsk",
    "Options",
    "PendingId",
    "Pipe",
    "PromptHandle",
    "PromptId",
    "Query",
    "ReplayPipe",
    "Rule",
    "Session",
    "SessionId",
    "Tool",
    "ToolServer",
    "UserHook",
    "Welcome",
    "answers",
    "blocking",
    "commands",
    "errors",
    "events",
    "history",
    "hook_outputs",
    "hooks",
    "open_session",
    "payload",
    "query",
    "recording",
    "rules_of",
    "run",
    "schema_of",
    "session_over",
    "tool",
]

_OWNERS: Final = {
    "conversation": ("Conversation",),
    "ids": ("CliSessionId", "CommandId", "PendingId", "PromptId", "SessionId"),
    "mcp.content": ("Image",),
    "mcp.schema": ("schema_of",),
    "mcp.server": ("ToolServer",),
    "mcp.tool": ("CallContext", "Tool", "tool"),
    "policy.config": ("rules_of",),
    "policy.grants": ("Grant",),
    "policy.rules": ("Rule",),
    "protocol.handshake": ("Welcome",),
    "proven": ("open_session", "query", "run"),
    "session.hooks": ("KeptGrants", "OnAsk", "UserHook"),
    "session.opening": ("session_over",),
    "session.options": ("Options",),
    "session.prompts": ("PromptHandle",),
    "session.requests": ("Cli",),
    "session.query": ("Query",),
    "session.session": ("Session",),
    "session.watch": ("Limits",),
    "store.grants": ("Grants", "GrantsHere"),
    "transcript.fold": ("Fold",),
    "transport.pipe": ("Pipe",),
    "transport.replay": ("ReplayPipe",),
    "wire.initialize": ("Agent",),
}
_MODULES: Final = {
    "answers": "wire.answers",
    "blocking": "blocking",
    "commands": "commands",
    "errors": "errors",
    "events": "events",
    "history": "history",
    "hook_outputs": "wire.hook_outputs",
    "hooks": "wire.hooks",
    "payload": "payload",
    "recording": "recording",
}


if not TYPE_CHECKING:  # A type checker that saw this would believe any name.

    def __getattr__(name: str) -> Any:
        """A public name, from the module that owns it; asked for once."""
        if name in _MODULES:
            found = import_module(f"bascule.{_MODULES[name]}")
        elif owner := next((module for module, names in _OWNERS.items() if name in names), None):
            found = getattr(import_module(f"bascule.{owner}"), name)
        else:
            raise AttributeError(f"module 'bascule' has no attribute {name!r}")
        globals()[name] = found
        return found


def __dir__() -> list[str]:
    return sorted(__all__)
