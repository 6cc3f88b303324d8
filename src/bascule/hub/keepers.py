"""The processes of a hub, each behind a keeper: begun, found again, joined, and closed where a keeper died."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import shutil
import sys
from collections.abc import AsyncIterator, Generator
from contextlib import AsyncExitStack, asynccontextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from bascule.errors import BasculeError, OptionError, ProcessLost, RecordingError, RecordingGone
from bascule.hub import recorded
from bascule.hub.journal import HubJournal
from bascule.hub.settings import Local, Settings
from bascule.hub.spec import local_of, options_of
from bascule.ids import SessionId
from bascule.recording import Entry, Note
from bascule.session.admission import admitted
from bascule.session.files import look, settings_content
from bascule.session.keeping import Kept, restored
from bascule.session.line import Line
from bascule.session.mcp import config_content
from bascule.session.opening import session_over
from bascule.session.options import Options, arguments, environment_of, refuse_root
from bascule.session.ownership import owners_folder
from bascule.session.past import Past
from bascule.session.proving import Prove, compare, proven
from bascule.session.rejoining import rejoin
from bascule.session.resuming import conversation, settled
from bascule.session.session import Session
from bascule.session.starts import STARTS
from bascule.store.rows import Checkpoint, SessionRow
from bascule.store.store import Store
from bascule.transcript.fold import Fold
from bascule.transport.argv import argv
from bascule.transport.folders import make_private
from bascule.transport.keeper import address_of as keeper_of
from bascule.transport.keeper import attach, end_orphans, end_unreachable, find_keepers, lives, spawn_keeper
from bascule.transport.launch import Launch
from bascule.transport.locate import find_cli, here

log = logging.getLogger("bascule.hub")

MADE_BY: Final = f"bascule {version('bascule')}, Python {sys.version_info[0]}.{sys.version_info[1]}"
"""Who can read a checkpoint."""
GRACE_S: Final = 5.0
"""What a process gets whose session could not begin, and a keeper to end after its CLI."""
LOOK_EVERY_S: Final = 0.02


class _Ready(NamedTuple):
    """All that a process is begun with."""

    options: Options
    cli: Path
    version: str | None
    launch: Launch
    notice: str | None


class Keepers:
    """As ``Processes``: the folder of each session below ``state/sessions`` holds its recording and its keeper."""

    def __init__(self, store: Store, state: Path, settings: Settings, *, prove: Prove | None = None) -> None:
        """``prove`` shows that a CLI asks before it writes, where that matters."""
        self._store = store
        self._state = state
        self._settings = settings
        self._prove = prove

    def _folder(self, session: SessionId) -> Path:
        return self._state / "sessions" / session

    def recording(self, session: SessionId) -> Path:
        """As ``Processes.recording``."""
        return self._folder(session) / recorded.NAME

    async def living(self) -> frozenset[SessionId]:
        """As ``Processes.living``. What dead keepers left is ended."""
        found = await asyncio.to_thread(find_keepers, self._state)
        for address in found.dead:
            if address.exit is None:
                await end_orphans(address)
        return frozenset(SessionId(Path(address.folder).name) for address in found.living)

    @asynccontextmanager
    async def open(self, row: SessionRow, journal: HubJournal) -> AsyncIterator[Session]:
        """As ``Processes.open``."""
        lives = await asyncio.to_thread(self._lives, row.id)
        ended = not lives  # one that cannot begin is ended
        try:
            async with (self._joined if lives else self._begun)(row, journal) as session:
                ended = False
                yield session
                ended = session.ended
        except (BasculeError, OSError):
            if ended:
                await self._gone(row.id)
            raise
        if ended:
            await self._gone(row.id)

    async def _gone(self, session: SessionId) -> None:
        """Returns when the keeper of an ended process is gone, which it is at once unless somebody else listens. Who
        has something to add to its recording could not do so before. What the CLI of a killed one left is ended."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(GRACE_S):
                while await asyncio.to_thread(self._lives, session):  # noqa: ASYNC110
                    await asyncio.sleep(LOOK_EVERY_S)
        with contextlib.suppress(ProcessLost):
            address = await asyncio.to_thread(keeper_of, self._folder(session))
            if address.exit is None:
                await end_orphans(address)

    async def keep(self, session: Session) -> None:
        """As ``Processes.keep``."""
        body = await session.checkpoint()
        await self._store.put_checkpoint(session.id, Checkpoint(await self._store.last_line(session.id), MADE_BY, body))

    def _lives(self, session: SessionId) -> bool:
        try:
            return lives(keeper_of(self._folder(session)))
        except ProcessLost:
            return False

    @asynccontextmanager
    async def _joined(self, row: SessionRow, journal: HubJournal) -> AsyncIterator[Session]:
        folder, options = self._folder(row.id), await asyncio.to_thread(self._options_now, row)
        async with AsyncExitStack() as stack:
            kept = await self._kept(row.id)
            try:
                pipe = await stack.enter_async_context(attach(folder, after=kept.line if kept else 0))
            except RecordingError:  # a full disk cost it lines that the checkpoint had seen
                kept = None
                pipe = await stack.enter_async_context(attach(folder))
            except ProcessLost:
                await end_unreachable(keeper_of(folder))
                raise
            began_at = row.created_at / 1000
            whole = recorded.ToTheEnd(pipe, folder, began_at)
            yield await stack.enter_async_context(rejoin(whole, options, kept=kept, journal=journal, began_at=began_at))

    async def _kept(self, session: SessionId) -> Kept | None:
        found = await self._store.checkpoint(session)
        if found is None or found.made_by != MADE_BY:
            return None
        try:
            return await asyncio.to_thread(restored, found.body)
        except ValueError as exc:
            log.info("the recording of %s is read from its beginning: %s", session, exc)
            return None

    @asynccontextmanager
    async def _begun(self, row: SessionRow, journal: HubJournal) -> AsyncIterator[Session]:
        folder, began_at = self._folder(row.id), row.created_at / 1000
        kept = await self._past(row, journal) if await self._has_past(row) else None
        ready = await self._ready(await asyncio.to_thread(local_of, row, self._settings), folder)
        async with AsyncExitStack() as stack:
            started = await stack.enter_async_context(STARTS.place())
            await spawn_keeper(
                ready.launch,
                folder,
                session_id=row.id,
                began_at=began_at,
                conversation_lock=await asyncio.to_thread(_lock_of, ready.options),
            )
            pipe = await stack.enter_async_context(attach(folder, after=kept.line if kept else 0))
            over = session_over(
                recorded.ToTheEnd(pipe, folder, began_at),
                ready.options,
                began_at=began_at,
                cli=str(ready.cli),
                notice=ready.notice,
                kept=kept,
                journal=journal,
                leaves=True,
            )
            try:
                session = await stack.enter_async_context(over)
                compare(ready.version, session.welcome.version)
            except BasculeError:
                await pipe.close(grace_s=GRACE_S)
                raise
            started()
            yield session

    def _options_now(self, row: SessionRow) -> Options:
        """Of a process that runs: its workspace's configuration may be broken by now, and its asks are served all the
        same. Then the user's own holds, under which nothing passes that a person was to see."""
        try:
            return options_of(row, self._settings)
        except OptionError as exc:
            log.warning("%s is joined without its workspace's configuration: %s", row.id, exc)
            own = options_of(row, msgspec.structs.replace(self._settings, local=None))
            return msgspec.structs.replace(own, auto_approve_plan=False)

    async def _ready(self, local: Local, folder: Path) -> _Ready:
        """Raises as ``open_session`` does before anything is started."""
        options = local.options
        if not await asyncio.to_thread(Path(options.cwd).is_dir):
            raise OptionError(f"the workspace {options.cwd} is gone: put it back where it was")
        look(options)
        admission = await asyncio.to_thread(admitted, options, environment_of(options))
        env = environment_of(admission.options)
        options = await asyncio.to_thread(settled, admission.options, env)
        refuse_root(arguments(options), env, euid=os.geteuid())
        cli = find_cli(here(), explicit=None if options.cli is None else str(options.cli))
        version = await proven(self._prove, options, cli, env, Path(options.cwd))
        configs, settings = await asyncio.to_thread(_files, options, folder)
        asked = arguments(options, mcp_configs=configs, settings=settings)
        launch = Launch((str(cli), *argv(asked)), env, str(options.cwd))
        notice = "\n".join(filter(None, (local.notice, admission.notice))) or None
        return _Ready(options, cli, version, launch, notice)

    async def _past(self, row: SessionRow, journal: HubJournal, *notes: Note) -> Kept:
        """What the recording tells, up to the end of its last process and with ``notes`` behind it."""
        folder, began_at = self._folder(row.id), row.created_at / 1000
        await asyncio.to_thread(recorded.add, folder, began_at, notes)
        kept = await self._kept(row.id) or Kept(0, Fold(row.id, began_at=row.created_at), Past())
        with recorded.at_rest(folder, after=kept.line) as pipe:
            line = Line(pipe, kept.fold, row.id, past=kept.past, journal=journal)
            await line.recall(pipe)
            return Kept(pipe.line, line.fold, line.past)

    async def _has_past(self, row: SessionRow) -> bool:
        """Whether there is a recording. Raises ``RecordingGone`` when there was one: who began anew would give numbers
        twice."""
        path = self.recording(row.id)
        if await asyncio.to_thread(path.exists):
            return True
        if await self._store.last_line(row.id):
            raise RecordingGone(f"{path} is gone: fork the session to go on with its conversation", str(path))
        return False

    async def recorded(self) -> dict[SessionId, int]:
        """As ``Processes.recorded``."""
        found = await asyncio.to_thread(recorded.sizes, self._state / "sessions")
        return {SessionId(name): size for name, size in found.items()}

    async def room(self) -> int:
        """As ``Processes.room``."""
        return (await asyncio.to_thread(shutil.disk_usage, self._state)).free

    async def discard(self, session: SessionId) -> None:
        """As ``Processes.discard``."""
        await asyncio.to_thread(recorded.discard, self._folder(session))

    async def record(self, session: SessionId, entries: Generator[Entry, None, None]) -> None:
        """As ``Processes.record``."""
        await asyncio.to_thread(recorded.begin, self._folder(session), entries)

    async def settle(self, row: SessionRow, journal: HubJournal) -> None:
        """As ``Processes.settle``."""
        if self.recording(row.id).exists():
            await self._past(row, journal)

    async def note(self, row: SessionRow, journal: HubJournal, *notes: Note) -> None:
        """As ``Processes.note``."""
        await self._has_past(row)
        await self._past(row, journal, *notes)


def _lock_of(options: Options) -> Path | None:
    """What the keeper holds as long as it owns the conversation: the lock of ``session.ownership``."""
    owned = conversation(options)
    if owned is None:
        return None
    folder = owners_folder()
    make_private(folder)
    return folder / f"{owned.lower()}.lock"


def _files(options: Options, folder: Path) -> tuple[tuple[str, ...], str | None]:
    """The files for ``--mcp-config`` and ``--settings``, beside the recording: they hold secrets, and the CLI may read
    them as long as it lives."""
    config = config_content(options.mcp_servers)
    settings = settings_content(options)
    named = [_written(folder / name, content) for name, content in (("mcp.json", config), ("settings.json", settings))]
    return tuple(filter(None, named[:1])), named[1]


def _written(path: Path, content: bytes | None) -> str | None:
    if content is None:
        path.unlink(missing_ok=True)
        return None
    make_private(path.parent)
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    with os.fdopen(file, "wb") as stream:
        stream.write(content)
    return str(path)
