"""Who and where the session is: what ``init``, the handshake and the status frames tell, and which of it is news."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from msgspec.structs import replace

from bascule.events import (
    AvailableCommand,
    AvailableCommands,
    McpServer,
    ModeChanged,
    ModelChanged,
    SessionStatus,
)
from bascule.ids import CliSessionId
from bascule.wire import system


class Standing:
    """The facts of the session as last told. ``init`` comes with every turn: most of it is no news (02_multi_turn)."""

    def __init__(self) -> None:
        self.requested_mode: str | None = None
        self.cwd: str | None = None
        self._told: SessionStatus | None = None
        self._opening: Literal["new", "resumed", "forked"] = "new"
        self._first_init = True
        self._commands: tuple[AvailableCommand, ...] = ()
        self._described = False
        self._mode: str | None = None
        self._model: str | None = None

    @property
    def mode(self) -> str | None:
        """The mode in force; None before the CLI has told it."""
        return self._mode

    def asked_for(self, *, mode: str | None, cwd: str | None) -> None:
        """What the recording says was wanted, before the CLI says anything."""
        self.requested_mode = mode
        self.cwd = cwd

    def process_began(self, opening: Literal["new", "resumed", "forked"], mode: str | None) -> None:
        """A process was started with these arguments."""
        self._opening = opening
        self._first_init = True
        self.requested_mode = mode or self.requested_mode

    @property
    def cli_session_id(self) -> CliSessionId | None:
        """As the newest ``init`` told it; never from a result without one (12_resume_stale)."""
        return self._told.cli_session_id if self._told else None

    @property
    def initialised(self) -> bool:
        """Whether this process has sent an ``init``."""
        return not self._first_init

    def init(self, message: system.Init) -> SessionStatus | None:
        """The facts of a turn's start; None when nothing is new."""
        told = SessionStatus(
            cli_session_id=CliSessionId(message.session_id or ""),
            session_status=self._opening if self._first_init else "changed",
            model=message.model,
            cwd=message.cwd,
            permission_mode=message.permission_mode,
            requested_mode=self.requested_mode,
            tools=message.tools,
            mcp_servers=tuple(McpServer(s.name or "", s.status or "") for s in message.mcp_servers),
            cli_version=message.claude_code_version,
            capabilities=message.capabilities or (),
            api_key_source=message.api_key_source,
        )
        before = self._told
        self._told = told
        self._model = message.model
        self.cwd = message.cwd or self.cwd
        first, self._first_init = self._first_init, False
        if not first and before is not None and replace(before, session_status="changed") == told:
            return None
        return told

    def mode_at_init(self, mode: str | None) -> ModeChanged | None:
        """An ``init`` told the mode: the first one tells what is, and one that tells another than was in force, a
        change that nothing else told (a new process begins in the mode of its arguments)."""
        known = self._mode is not None
        changed = self.mode_is(mode)
        return changed if known else None

    def mode_is(self, mode: str | None, by: str | None = None) -> ModeChanged | None:
        """The mode in force was told; None when it was that before."""
        if mode is None or mode == self._mode:
            return None
        self._mode = mode
        if self._told is not None:
            self._told = replace(self._told, permission_mode=mode)
        return ModeChanged(mode=mode, by=by)

    def model_is(self, model: str | None, by: str | None = None) -> ModelChanged | None:
        """The model in force was told; None when it was that before."""
        if model is None or model == self._model:
            return None
        self._model = model
        if self._told is not None:
            self._told = replace(self._told, model=model)
        return ModelChanged(model=model, by=by)

    def commands_are(self, commands: Iterable[system.SlashCommand]) -> AvailableCommands | None:
        """The list with descriptions, from the handshake or ``commands_changed``; None when it is the old one."""
        self._described = True
        return self._list(
            AvailableCommand(c.name or "", c.description or "", c.argument_hint or "") for c in commands if c.name
        )

    def command_names_are(self, names: Iterable[str]) -> AvailableCommands | None:
        """The names alone, from ``init``: of use only where no handshake described them."""
        if self._described:
            return None
        return self._list(AvailableCommand(name) for name in names)

    def _list(self, commands: Iterable[AvailableCommand]) -> AvailableCommands | None:
        listed = tuple(commands)
        if listed == self._commands:
            return None
        self._commands = listed
        return AvailableCommands(available_commands=listed)
