"""One CLI process, its recording, and the socket through which it is spoken to: a loop, and what is done in each turn.

What is said at the socket, JSON a line (docs/explanation/keeper.md tells the whole of it):

    client → keeper   attach: N          lines after the Nth, ``live``, then lines as they come
                      write: [[dir, line], ...], key: K     ``in`` and ``note``; K once and never again
                      signal: n          to the CLI alone
                      end: true          close stdin
                      close: s           end it all, signals after s seconds
                      status: true
    keeper → client   {"t", "dir", "line"}    a line of the recording
                      hello, attached, live, written, refused, room, shut, lost, unkept, closed, status
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
import selectors
import signal
import socket
import sys
import time
from collections.abc import Sequence
from functools import partial

from bascule.keeper.child import DEAF, HEEDED, Child
from bascule.keeper.client import Client
from bascule.keeper.ending import Ending, Limits, adopt_orphans, born
from bascule.keeper.record import Record, encoded

VERSION = 1
"""Of what is said at the socket."""
MARK = "BASCULE_PROCESS"
"""The variable by whose value the processes of one CLI are told (``bascule.transport.census``)."""
GRACE_S = 5.0
"""What the CLI gets when the system asks the keeper to end."""
LINGER_S = 600.0
"""How long a client may take to read the rest once the CLI has ended; the recording stays in any case."""
FULL = 64 * 1024 * 1024
"""Bytes that may wait for a CLI which does not read its stdin."""
MUCH = 64 * 1024
"""Bytes in wait above which a client had better wait too; it is told when there is room."""
UNKEPT = 1000
"""Entries that found no room on the disk and are held for a client that is slow."""


class Order:
    """What to start and where, as JSON on stdin, so that no secret stands on a command line."""

    def __init__(
        self,
        *,
        argv: list[str],
        env: dict[str, str],
        cwd: str,
        shown: list[str],
        folder: str,
        socket: str,
        session: str,
        locks: list[str],
        began_at: float,
        limits: dict[str, float],
    ) -> None:
        self.argv, self.env, self.cwd = argv, env, cwd
        self.shown = shown
        """``argv`` without secrets, for the recording."""
        self.folder = folder
        self.socket = socket
        self.session = session
        self.mark = env[MARK]
        self.locks = locks
        """Files to be locked as long as the keeper lives, the folder's own first."""
        self.began_at = began_at
        self.limits = Limits(**limits)


class Keeper:
    """The CLI, the recording, the clients, and one loop for all. Raises ``OSError`` when it cannot begin."""

    def __init__(self, order: Order, umask: int) -> None:
        self._order = order
        self._locks = [_locked(path) for path in order.locks]
        self._record = Record(os.path.join(order.folder, "recording.jsonl"), order.began_at)
        self._listener = _listening(order.socket)
        self._signals = _signals()
        self._clients: list[Client] = []
        self._keys: dict[str, int | None] = {}
        """What was written under a key, and on which line."""
        self._exit: dict[str, object] | None = None
        self._until = 0.0
        """How long we go on after the CLI's death: for its output until the exit is told, then for slow clients."""
        adopt_orphans()
        self._child = Child(order.argv, order.env, order.cwd, umask)
        self._ending = Ending(self._child, order.limits)
        self._keep(("argv", _json(order.shown)), ("env", _json(sorted(order.env))))
        self._full = False
        """So much waits for the CLI that clients wait for ``room``."""
        self._watches_stdin = False
        self._shut = False
        self._closed = False
        """These two were told."""
        self._selector = selectors.DefaultSelector()
        for file in self._child.streams:
            self._selector.register(file, selectors.EVENT_READ, partial(self._hear, file))
        self._selector.register(self._listener, selectors.EVENT_READ, self._welcome)
        self._selector.register(self._signals, selectors.EVENT_READ, self._heed_signals)

    def run(self) -> None:
        """Serve until the CLI and all that it started is gone, and whoever is attached has read it to the end."""
        while not self._is_over():
            for key, _ in self._selector.select(self._patience_s()):
                key.data()
            self._reap()
            self._ending.act()
            self._mind_stdin()
            self._tell_end()
            for client in self._clients[:]:
                self._pump(client)

    def address(self) -> dict[str, object]:
        """What is to be known of this keeper, for ``keeper.json`` and for whoever connects: no secret is in it."""
        return {
            "version": VERSION,
            "pid": os.getpid(),
            "born": born(os.getpid()),
            "cli": self._child.pid,
            "session": self._order.session,
            "socket": self._order.socket,
            "mark": self._order.mark,
            "exit": self._exit,
        }

    def note_down(self) -> None:
        """Write ``keeper.json``, whole or not at all."""
        path = os.path.join(self._order.folder, "keeper.json")
        file = os.open(f"{path}.new", os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        with os.fdopen(file, "w") as written:
            json.dump(self.address(), written)
        os.replace(f"{path}.new", path)

    def leave(self) -> None:
        """Note down how it ended, and take away what is of no use without us; the folder's lock is used again."""
        try:
            self.note_down()
            for path in (self._order.socket, *self._order.locks[1:]):
                os.unlink(path)
        except OSError as exc:
            print(f"something was left lying about: {exc}", file=sys.stderr)

    def kill(self) -> None:
        """End the CLI at once, since this keeper will not serve it."""
        self._child.signal(signal.SIGKILL)

    # What the CLI says, and how it ends.

    def _hear(self, file: int) -> None:
        entries, more = self._child.hear(file)
        self._keep(*entries)
        if not more:
            self._stop_hearing(file)

    def _stop_hearing(self, file: int) -> None:
        self._selector.unregister(file)
        self._keep(*self._child.leave(file))

    def _reap(self) -> None:
        """Take note of the dead: orphans of the CLI are our children too."""
        try:
            while (died := os.waitpid(-1, os.WNOHANG))[0]:
                if died[0] == self._child.pid:
                    self._child.died(died[1])
                    self._until = time.monotonic() + self._order.limits.linger_s
        except ChildProcessError:
            return

    def _tell_end(self) -> None:
        """The last entry, once the CLI is dead and silent, or will not die; ``closed`` once nothing is left of it."""
        how, streams = self._child.how, self._child.streams
        silent = how is not None and (not streams or time.monotonic() >= self._until)
        if self._exit is None and (silent or self._ending.over):
            for file in list(streams):
                self._stop_hearing(file)
            self._exit = how or {"code": None, "signal": None}
            self._keep(("exit", _json({**self._exit, "stderr": self._child.last_words})))
            self._until = time.monotonic() + LINGER_S
        if self._ending.over and not self._closed:
            self._closed = True
            self._tell(closed=self._exit)

    def _is_over(self) -> bool:
        read = all(client.has_all for client in self._clients) or time.monotonic() >= self._until
        return self._closed and read

    def _patience_s(self) -> float | None:
        waits = [self._ending.due_s()]
        if self._child.how is not None:
            waits.append(max(0.0, self._until - time.monotonic()))
        return min((wait for wait in waits if wait is not None), default=None)

    def _heed_signals(self) -> None:
        """A child died, which the loop looks for anyway, or the system wants us to end."""
        if signal.SIGTERM in self._signals.recv(4096):
            self._ending.close(GRACE_S)

    # What is recorded.

    def _keep(self, *entries: tuple[str, str]) -> int | None:
        """Record ``entries``; the number of the first. What finds no room is told to whoever is here, and counted."""
        t = self._record.now
        self._mind_cut()
        first = self._record.append(t, entries) if entries else None
        if entries and first is None:
            for client in filter(lambda client: client.attached, self._clients):
                if self._record.lost <= UNKEPT:
                    client.say_line(b"".join([_unkept(t, *entry) for entry in entries]))
                client.say(lost=self._record.lost)
        return first

    def _mind_cut(self) -> None:
        if self._record.was_cut():
            for client in self._clients:
                client.begin_anew()

    # What clients want.

    def _welcome(self) -> None:
        try:
            connection, _ = self._listener.accept()
        except OSError:
            return
        client = Client(connection, self._record)
        self._clients.append(client)
        self._selector.register(connection, selectors.EVENT_READ, partial(self._listen, client))
        client.say(hello=self.address(), shut=self._shut)

    def _listen(self, client: Client) -> None:
        for wish in client.hear():
            self._obey(client, wish)

    def _obey(self, client: Client, wish: object) -> None:
        self._mind_cut()
        match wish:
            case {"attach": int(known)} if 0 <= known <= self._record.lines and not client.attached:
                client.attach(known)
            case {"attach": _}:
                client.say(refused="attach", lines=self._record.lines)
            case {"write": [*entries], **rest}:
                client.say(**self._write(entries, rest.get("key")), key=rest.get("key"))
            case {"signal": int(number)}:
                self._child.signal(number)
            case {"end": True}:
                self._child.end()
            case {"close": int() | float() as grace_s}:
                self._ending.close(grace_s)
            case {"status": True}:
                client.say(status=self._status())
            case _:
                client.say(refused="malformed")

    def _write(self, entries: Sequence[object], key: object) -> dict[str, object]:
        """Record, then forward: what the CLI was told is in the recording, whoever dies in between."""
        ours = _ours(entries)
        data = _stdin_bytes(ours)
        if data is None or len(ours) < len(entries) or not isinstance(key, str | None):
            return {"refused": "malformed"}
        if key in self._keys:
            return {"refused": "duplicate", "at": self._keys[key]}
        if self._exit is not None or (data and not self._child.takes_lines):
            return {"refused": "closed"}
        if data and self._child.waiting > FULL:
            return {"refused": "full"}
        first = self._keep(*ours)
        if key is not None:
            self._keys[key] = first
        self._child.send(data)
        self._full = self._full or self._child.waiting > MUCH
        return {"written": first, "room": not self._full}

    def _mind_stdin(self) -> None:
        """Wake when the CLI has room for what waits; close its stdin once nothing more will come; tell of both."""
        waiting = self._child.waiting > 0
        if waiting and not self._watches_stdin:
            self._selector.register(self._child.stdin, selectors.EVENT_WRITE, self._child.flush)
        elif self._watches_stdin and not waiting:
            self._selector.unregister(self._child.stdin)
        self._watches_stdin = waiting
        if self._full and not waiting:
            self._full = False
            self._tell(room=True)
        if not self._shut and not self._child.takes_lines:
            self._shut = True
            self._tell(shut=True)
        if not self._child.takes_lines and not waiting:
            self._child.close_stdin()

    def _tell(self, **message: object) -> None:
        for client in self._clients:
            client.say(**message)

    def _pump(self, client: Client) -> None:
        """Send what it takes; wake for the rest when it takes more."""
        blocked = client.pump()
        if client.gone:
            self._clients.remove(client)
            self._selector.unregister(client.socket)
            client.socket.close()
        elif blocked != client.blocked:
            client.blocked = blocked
            events = selectors.EVENT_READ | (selectors.EVENT_WRITE if blocked else 0)
            self._selector.modify(client.socket, events, partial(self._listen, client))

    def _status(self) -> dict[str, object]:
        return {
            "lines": self._record.lines,
            "bytes": self._record.size,
            "lost": self._record.lost,
            "clients": len(self._clients),
            "waiting": self._child.waiting,
        }


def main() -> None:
    """Become a keeper, in a process that is nobody's child; tell on stdout which, or why not."""
    order = Order(**json.load(sys.stdin))
    os.closerange(3, os.sysconf("SC_OPEN_MAX"))  # a loop such as uvloop's leaves us its ends of our pipes
    if os.fork():
        os._exit(0)
    umask = os.umask(0o077)
    os.chdir("/")
    try:
        keeper = _begun(order, umask)
    except (OSError, ValueError) as exc:
        why = [exc.errno, exc.strerror, exc.filename] if isinstance(exc, OSError) else [None, str(exc), None]
        if os.path.exists(order.socket):
            os.unlink(order.socket)
        _answer(order.folder, refused=why)
        return
    _answer(order.folder, ready=keeper.address())
    order.argv.clear()
    order.env.clear()
    keeper.run()
    keeper.leave()


def _begun(order: Order, umask: int) -> Keeper:
    keeper = Keeper(order, umask)
    try:
        keeper.note_down()
    except OSError:
        keeper.kill()
        raise
    return keeper


def _answer(folder: str, **answer: object) -> None:
    """The only word to who started us; from then on what goes wrong with us is in a file."""
    print(json.dumps(answer), flush=True)
    try:
        log = os.open(os.path.join(folder, "keeper.log"), os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW, 0o600)
    except OSError:
        log = os.open(os.devnull, os.O_WRONLY)
    nothing = os.open(os.devnull, os.O_RDWR)
    for target, file in enumerate((nothing, nothing, log)):
        os.dup2(file, target)


def _locked(path: str) -> int:
    """The open file. One that its last owner removed meanwhile is opened anew."""
    while True:
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.path.exists(path) and os.path.samestat(os.fstat(file), os.stat(path)):
                return file
        except BlockingIOError as exc:
            os.close(file)
            raise BlockingIOError(errno.EWOULDBLOCK, "another has it", path) from exc
        os.close(file)


def _listening(path: str) -> socket.socket:
    """Bound by its name alone, from inside its folder: a whole path may be longer than an address can be."""
    listener = socket.socket(socket.AF_UNIX)
    listener.setblocking(False)
    os.chdir(os.path.dirname(path))
    listener.bind(os.path.basename(path))
    os.chmod(os.path.basename(path), 0o600)
    os.chdir("/")
    listener.listen()
    return listener


def _signals() -> socket.socket:
    """Where the numbers of signals that came can be read."""
    ours, theirs = socket.socketpair()
    for end in (ours, theirs):
        end.setblocking(False)
    signal.set_wakeup_fd(theirs.detach(), warn_on_full_buffer=False)
    for number in DEAF:
        signal.signal(number, signal.SIG_IGN)
    for number in HEEDED:
        signal.signal(number, lambda *_: None)
    return ours


def _ours(entries: Sequence[object]) -> list[tuple[str, str]]:
    """Those of ``entries`` that a client may write: one line each."""
    ours = []
    for entry in entries:
        match entry:
            case ["in" | "note" as direction, str(line)] if "\n" not in line:
                ours.append((str(direction), line))
    return ours


def _stdin_bytes(entries: Sequence[tuple[str, str]]) -> bytes | None:
    """What goes to stdin; None for text that cannot be written."""
    text = "".join([f"{line}\n" for direction, line in entries if direction == "in"])
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return None


def _json(value: object) -> str:
    return json.dumps(value, separators=(",", ":"))


def _unkept(t: float, direction: str, line: str) -> bytes:
    return b'{"unkept":' + encoded(t, direction, line).removesuffix(b"\n") + b"}\n"
