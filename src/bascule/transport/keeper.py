"""Keepers from outside: started, found, spoken to, and what a dead one left.

A keeper is a small process that owns one CLI, records it, and outlives us (``bascule.keeper``, and
docs/explanation/keeper.md for what is said at its socket). ``attach`` gives its pipe; leaving it leaves the CLI
running.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import fcntl
import json
import os
import secrets
import signal
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec

from bascule.aio.finish import finish
from bascule.errors import BasculeError, OptionError, ProcessLost, SessionInUse, StartFailed
from bascule.ids import SessionId
from bascule.recording import Exit
from bascule.transport.argv import masked
from bascule.transport.census import MARK, SYSTEM
from bascule.transport.ends import TERM_S, Limits
from bascule.transport.folders import make_private
from bascule.transport.keeperpipe import ANSWER_S, KeeperPipe
from bascule.transport.launch import Launch, refusal
from bascule.transport.pipe import GRACE_S
from bascule.transport.tree import KILL_S, LOOK_EVERY_S, Family

PROGRAM: Final = Path(__file__).parents[1] / "keeper" / "__main__.py"
START_S: Final = 30.0
"""A keeper starts in some 60 ms; on a machine that is out of memory it may take long."""
SMALL: Final = {"MALLOC_MMAP_THRESHOLD_": "65536", "MALLOC_TRIM_THRESHOLD_": "131072"}
"""All that a keeper has for an environment: what a long line took of the memory goes back to the system (glibc)."""
NOBODY: Final = 0
"""The number of no process: of a dead keeper's CLI the mark is known, which it carries itself."""
ADDRESS_BYTES: Final = 103
"""What the address of a socket holds on every system."""


class KeeperAddress(msgspec.Struct, frozen=True, kw_only=True):
    """What ``keeper.json`` tells of the last keeper in a folder. There is no secret in it."""

    version: int
    pid: int
    born: int
    """Tells the keeper from a later process of its number."""
    cli: int
    session: SessionId
    socket: str
    mark: str
    """The value of the variable that the CLI's processes carry."""
    exit: Exit | None = None
    """How the CLI ended, when the keeper ended properly."""
    folder: str = ""


class Keepers(NamedTuple):
    """Those that were found."""

    living: tuple[KeeperAddress, ...]
    dead: tuple[KeeperAddress, ...]
    """Their recordings are complete where ``exit`` tells; of the others the CLI may still be ending."""


async def spawn_keeper(
    launch: Launch,
    folder: Path,
    *,
    session_id: SessionId,
    began_at: float | None = None,
    conversation_lock: Path | None = None,
    limits: Limits | None = None,
) -> KeeperAddress:
    """Start a keeper that starts ``launch`` and records it in ``folder``; both outlive us.

    ``folder`` is made for its owner only, and its recording is gone on with when there is one. The
    socket is made in ``run``, two folders up. ``began_at``: UTC seconds of the recording's ``t = 0``, by
    default now. ``conversation_lock``: a file to hold a ``flock`` on as long as the keeper lives. Raises as
    ``open_process`` does, and ``SessionInUse`` when the folder has a living keeper, or the lock another owner.

    Cancelled, it starts nothing, or ends what it started.
    """
    folder, sockets = await asyncio.to_thread(_made, folder)
    bounds = limits or Limits()
    order = _Order(
        argv=launch.argv,
        env={**launch.env, MARK: secrets.token_hex(16)},
        cwd=launch.cwd,
        shown=masked(launch.argv),
        folder=str(folder),
        socket=str(sockets / f"{secrets.token_hex(4)}.sock"),
        session=session_id,
        locks=[str(lock) for lock in (folder / "lock", conversation_lock) if lock],
        began_at=time.time() if began_at is None else began_at,
        limits={name: getattr(bounds, name) for name in ("term_s", "kill_s", "orphans_s", "linger_s")},
    )
    started = False
    try:
        answer = await finish(_start(order))
        started = True
    finally:
        if not started:
            await asyncio.to_thread(_dismiss, order)
    if "refused" in answer:
        raise _refused(answer["refused"], launch, session_id)
    return msgspec.structs.replace(msgspec.convert(answer["ready"], KeeperAddress), folder=order.folder)


class _Order(msgspec.Struct, frozen=True, kw_only=True):
    """What ``bascule.keeper.keeper.Order`` reads."""

    argv: tuple[str, ...]
    env: dict[str, str]
    cwd: str
    shown: tuple[str, ...]
    folder: str
    socket: str
    session: SessionId
    locks: list[str]
    began_at: float
    limits: dict[str, float]


def _made(folder: Path) -> tuple[Path, Path]:
    """Both folders, for their owner alone."""
    folder = folder.absolute()
    run = folder.parent.parent / "run"
    for needed in (folder, run):
        try:
            make_private(needed)
            needed.chmod(0o700)
        except OSError as exc:
            raise OptionError(f"{needed} cannot be made ({exc.strerror}): set XDG_STATE_HOME") from exc
    return folder, run


async def _start(order: _Order) -> dict[str, Any]:
    """What the keeper answers. It is nobody's child, and holds no pipe of ours once it has answered."""
    argv = (sys.executable, "-I", "-S", "-X", "utf8", str(PROGRAM), order.session)
    told = json.dumps(msgspec.to_builtins(order)).encode("ascii")
    try:
        process = await asyncio.create_subprocess_exec(
            *argv, stdin=-1, stdout=-1, stderr=-1, env=SMALL, cwd="/", start_new_session=True
        )
    except OSError as exc:
        raise refusal(Launch(argv, SMALL, "/"), exc) from exc
    try:
        async with asyncio.timeout(START_S):
            said, complaint = await process.communicate(told)
    except TimeoutError as exc:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        raise StartFailed(f"the keeper did not start within {START_S:g} s: look at the machine's load") from exc
    try:
        answer: dict[str, Any] = json.loads(said)
    except ValueError as exc:
        words = complaint.decode("utf-8", "replace")
        raise StartFailed("the keeper did not start: look at what it wrote", argv=argv, stderr_tail=words) from exc
    return answer


def _refused(why: list[Any], launch: Launch, session_id: SessionId) -> BasculeError:
    number, text, filename = why
    if number is None:
        return refusal(launch, ValueError(text))
    if number == errno.EWOULDBLOCK:
        told = f"{filename} is locked: this session has a keeper, or its conversation another owner"
        return SessionInUse(told, session=session_id)
    if filename in (launch.argv[0], launch.cwd):
        return refusal(launch, OSError(number, text, filename))
    return StartFailed(f"the keeper cannot begin ({filename or 'system'}: {text}): look at the disk and its rights")


def _dismiss(order: _Order) -> None:
    """End the keeper that was started for somebody who does not want it any more, and no other in that folder."""
    with contextlib.suppress(ProcessLost, ProcessLookupError):
        address = address_of(Path(order.folder))
        if address.socket == order.socket and lives(address):
            os.kill(address.pid, signal.SIGTERM)


@asynccontextmanager
async def attach(
    folder: Path, *, after: int = 0, limits: Limits | None = None, within_s: float = ANSWER_S
) -> AsyncIterator[KeeperPipe]:
    """The pipe to the CLI whose keeper lives in ``folder``, with every entry after line ``after`` of the recording.

    When the block is left, the CLI goes on: ``close`` ends it. Any number may be attached. ``limits``: what the keeper
    was given. Raises ``ProcessLost`` when no keeper lives there, or none that answers ``within_s``, and
    ``RecordingError`` when the recording has no such line.
    """
    address = await asyncio.to_thread(address_of, folder)
    pipe = KeeperPipe(after, limits or Limits(), within_s=within_s, bury=lambda: _bury(address))
    try:
        await _connect(pipe, address)
        yield pipe
    finally:
        pipe.detach()


async def _connect(pipe: KeeperPipe, address: KeeperAddress) -> None:
    try:
        with _short(address.socket) as path:
            await pipe.connect(path, address.folder)
    except (FileNotFoundError, ConnectionError) as exc:
        raise ProcessLost(f"the keeper in {address.folder} is gone: its recording tells what happened") from exc


@contextmanager
def _short(socket: str) -> Iterator[str]:
    """The same socket by a path that an address can hold; where the system has no such path, the socket's own."""
    if len(os.fsencode(socket)) <= ADDRESS_BYTES or sys.platform != "linux":
        yield socket
        return
    folder, name = os.path.split(socket)
    file = os.open(folder, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield f"/proc/self/fd/{file}/{name}"
    finally:
        os.close(file)


def address_of(folder: Path) -> KeeperAddress:
    """Of the last keeper in ``folder``, which may be dead. Raises ``ProcessLost`` when there was none."""
    try:
        told = msgspec.json.decode((folder / "keeper.json").read_bytes(), type=KeeperAddress)
    except (OSError, msgspec.DecodeError) as exc:
        raise ProcessLost(f"no keeper was ever in {folder}: {exc}") from exc
    return msgspec.structs.replace(told, folder=str(folder.absolute()))


def find_keepers(state: Path) -> Keepers:
    """The keepers of all sessions below ``state``, one for each folder in ``sessions``; reads ``/proc`` and files."""
    living: list[KeeperAddress] = []
    dead: list[KeeperAddress] = []
    for file in sorted((state / "sessions").glob("*/keeper.json")):
        with contextlib.suppress(ProcessLost):
            address = address_of(file.parent)
            (living if lives(address) else dead).append(address)
    return Keepers(tuple(living), tuple(dead))


def lives(address: KeeperAddress) -> bool:
    """Whether that very keeper lives: its number means the process that it meant, and that holds the folder's lock."""
    row = SYSTEM.row(address.pid)
    return row is not None and row.born == address.born and _is_locked(Path(address.folder) / "lock")


def _is_locked(path: Path) -> bool:
    try:
        file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(file)
    return False


async def end_orphans(address: KeeperAddress, *, term_s: float = TERM_S) -> None:
    """End what a dead keeper's CLI left, the CLI too, and remove the socket; nothing while the keeper lives.

    The CLI sees its stdin close when its keeper dies, and mostly ends by itself. ``term_s``: what it may take after
    SIGTERM.
    """
    if await asyncio.to_thread(lives, address):
        return
    await finish(_end_marked(address.mark, term_s))
    await asyncio.to_thread(Path(address.socket).unlink, missing_ok=True)


async def end_unreachable(address: KeeperAddress, *, within_s: float = 3 * GRACE_S) -> None:
    """End a keeper that lives and whose socket is gone: nobody will ever speak to it again. Else nothing happens.

    It is asked to end, so that it can give its CLI the usual time and record the end; after ``within_s`` it is killed.
    """
    if await asyncio.to_thread(_can_be_reached, address):
        return
    await finish(_dismissed(address, within_s))


def _can_be_reached(address: KeeperAddress) -> bool:
    return Path(address.socket).exists() or not lives(address)


async def _dismissed(address: KeeperAddress, within_s: float) -> None:
    with contextlib.suppress(TimeoutError, ProcessLookupError):
        async with asyncio.timeout(within_s):
            os.kill(address.pid, signal.SIGTERM)
            while await asyncio.to_thread(lives, address):  # noqa: ASYNC110
                await asyncio.sleep(LOOK_EVERY_S)
    await _bury(address)


async def _end_marked(mark: str, term_s: float) -> None:
    await Family(NOBODY, mark).end(term_s=term_s)


async def _bury(address: KeeperAddress) -> None:
    """A keeper that did not do as it was told is stopped or hangs: then it is no use to its CLI."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(KILL_S):
            while await asyncio.to_thread(lives, address):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(address.pid, signal.SIGKILL)
                await asyncio.sleep(LOOK_EVERY_S)
    await end_orphans(address)
