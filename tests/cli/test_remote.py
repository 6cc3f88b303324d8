"""A server from the shell: listed, asked, decided, followed through lost connections."""

import asyncio
import json
import os
import subprocess
import sys
from argparse import Namespace
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from websockets.asyncio.server import ServerConnection, serve

from bascule.cli.api import Api, address_of
from bascule.cli.attach import meant
from bascule.cli.main import main
from bascule.cli.remote import Remote
from bascule.commands import End, Interrupt, Prompt, Refused, Rename, Taken
from bascule.conversation import PastConversation
from bascule.errors import OptionError
from bascule.events import AnyEvent, Notice, PermissionRequest, SessionEnded
from bascule.ids import CliSessionId, CommandId, SessionId
from bascule.web.address import FILE, Address, announced, find
from bascule.web.serving import address_of as address_for
from bascule.web.serving import owner
from tests.web.conftest import Served, Server, certificate, make, served, until, workspace
from tests.web.double import ask

__all__ = ["certificate", "make", "served", "workspace"]

Shell = Callable[..., Any]
FIRST, SECOND = CliSessionId("11aa"), CliSessionId("11bb")
SRC = Path(__file__).parents[2] / "src"


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shell:
    """`bascule` in another thread, beside the server: exit code, standard output, standard error."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.delenv("BASCULE_URL", raising=False)
    monkeypatch.delenv("BASCULE_TOKEN", raising=False)

    async def run(*words: str) -> tuple[int, str, str]:
        code = await asyncio.to_thread(main, words)
        told = capsys.readouterr()
        return code, told.out, told.err

    return run


@pytest.fixture
def running(served: Served, tmp_path: Path) -> Served:
    """A server that its owner's programs find."""

    @asynccontextmanager
    async def run(**options: Any) -> AsyncIterator[Server]:
        async with served(**options) as server:
            with announced(tmp_path / "state" / "bascule", address_for(server.settings, server.door)):
                yield server

    return run


# The address.


def test_an_address_is_for_its_owner_alone_and_goes_with_the_server(tmp_path: Path) -> None:
    address = Address(url="http://127.0.0.1:7440", token="t", pid=1)
    with announced(tmp_path / "state", address):
        assert find(tmp_path / "state") == address
        assert (tmp_path / "state" / FILE).stat().st_mode & 0o777 == 0o600
    assert find(tmp_path / "state") is None


def test_the_word_of_a_later_server_stays(tmp_path: Path) -> None:
    first, second = (Address(url="http://127.0.0.1:7440", token=name, pid=1) for name in "ab")
    with announced(tmp_path, first):
        later = announced(tmp_path, second)
        later.__enter__()
    assert find(tmp_path) == second


def given(tmp_path: Path, env: dict[str, str], **options: str | None) -> Address:
    args = Namespace(**{"url": None, "token_file": None, **options})
    return address_of(args, {"XDG_STATE_HOME": str(tmp_path), **env})


def test_a_key_is_never_sent_to_another_server(tmp_path: Path) -> None:
    here = Address(url="http://127.0.0.1:7440", token="ours", pid=1)
    (tmp_path / "key").write_text("theirs\n")
    with announced(tmp_path / "bascule", here):
        assert given(tmp_path, {}) == here
        assert given(tmp_path, {}, url="http://127.0.0.1:7440/").token == "ours"
        with pytest.raises(OptionError, match="is needed: --token-file"):
            given(tmp_path, {}, url="http://127.0.0.1:9")
        there = given(tmp_path, {"BASCULE_URL": "https://box"}, token_file=str(tmp_path / "key"))
        assert (there.url, there.token, there.certificate) == ("https://box", "theirs", None)
        assert given(tmp_path, {"BASCULE_TOKEN": "mine"}).token == "mine"
    with pytest.raises(OptionError, match="no server runs here"):
        given(tmp_path, {})
    with pytest.raises(OptionError, match="cannot be read"):
        given(tmp_path, {}, token_file=str(tmp_path / "none"))


@pytest.mark.parametrize("url", ["ftp://box", "nonsense", "http://"])
def test_what_is_no_address_is_said(url: str) -> None:
    with pytest.raises(OptionError, match="no address of a server"):
        Api(Address(url=url, token="t", pid=0)).get("/api/me", dict)


def test_a_server_that_is_not_there_is_said() -> None:
    with pytest.raises(OptionError, match="is bascule serve running"):
        Api(Address(url="http://127.0.0.1:9", token="t", pid=0)).get("/api/me", dict)


# The small commands.


async def test_sessions_and_asks_are_listed(running: Served, shell: Shell) -> None:
    async with running() as server:
        assert (await shell("asks"))[1] == "nobody waits for you\n"
        assert "no session" in (await shell("ps"))[1]
        session = server.hub.add(title="Mend \x1b[31mit", waits_for=("tool",), status="waiting", turns=2, cost_usd=1.5)
        await session.tell(ask("p1-abc", "rm -rf build"))
        code, out, _ = await shell("ps")
        assert code == 0
        assert out.startswith("s1  waiting (tool) ")
        assert "2 turns, $1.50  Mend it" in out
        assert "\x1b" not in out
        code, out, _ = await shell("asks")
        assert out.startswith("p1-abc  ")
        assert "tool: rm -rf build" in out
        assert json.loads((await shell("asks", "--json"))[1])["asks"][0]["session"] == "s1"
        assert json.loads((await shell("ps", "--json"))[1])["sessions"][0]["turns"] == 2


async def test_conversations_of_before_are_listed(running: Served, shell: Shell) -> None:
    async with running() as server:
        assert (await shell("past"))[1] == "no conversation here\n"
        server.hub.elsewhere = [
            PastConversation(id=FIRST, title="Mend \x1b[31mit", cwd="/w", changed_at=1, bytes=5, messages=12, pid=7),
            PastConversation(id=SECOND, first_prompt="Paint " * 20, changed_at=1, bytes=5, damaged=True),
            PastConversation(id=CliSessionId("c3"), title="It", changed_at=1, bytes=5, session=SessionId("s1"), pid=8),
        ]
        code, out, _ = await shell("past")
        assert code == 0
        first, second, third = out.splitlines()
        assert first.startswith(f"{FIRST}  ")
        assert ":00, 12 messages  open in process 7  Mend it" in first
        assert "\x1b" not in out
        assert "damaged" in second
        assert second.endswith(" Paint…  ?")
        assert "session s1" in third
        assert (await shell("past", "Mend"))[1].count("\n") == 1
        code, out, _ = await shell("past", "--limit", "2")
        assert out.splitlines()[2:] == ["there may be more: --after 0001"]
        assert (await shell("past", "--after", "0001"))[1].startswith("c3  ")
        as_json = json.loads((await shell("past", "--json"))[1])
        assert [one["id"] for one in as_json["conversations"]] == [FIRST, SECOND, "c3"]


async def test_a_conversation_is_taken_over_from_the_shell(running: Served, shell: Shell, tmp_path: Path) -> None:
    async with running() as server:
        server.hub.elsewhere = [PastConversation(id=one, changed_at=1, bytes=5) for one in (FIRST, SECOND)]
        told = "bascule: bascule attach s1 goes on with it\n"
        assert await shell("import", FIRST[:4].upper(), "--cwd", "shop") == (0, "s1\n", told)
        assert (await shell("import", str(tmp_path / "x.jsonl"), "--cwd", "."))[:2] == (0, "s2\n")
        sent: Any = server.hub.sent
        assert [(one.cli_session_id, one.path, one.cwd, one.surface) for one in sent] == [
            (FIRST, None, "shop", "terminal"),
            (None, str(tmp_path / "x.jsonl"), str(Path.cwd()), "terminal"),
        ]
        code, _, err = await shell("import", "1")
        assert (code, err) == (2, "bascule: 2 have ids that begin with '1': see bascule past\n")
        assert "no conversation has an id that begins" in (await shell("import", "zz"))[2]
        server.hub.receipts.clear()
        server.hub.refuses = Refused(reason="it is open \x1b[31melsewhere")
        assert await shell("import", FIRST) == (1, "", "bascule: refused: it is open elsewhere\n")


async def test_an_ask_is_decided_from_the_shell_once(running: Served, shell: Shell) -> None:
    async with running() as server:
        session = server.hub.add()
        await session.tell(ask("p1-abc"), ask("p2-def"))
        assert await shell("decide", "p1", "allow") == (0, "", "")
        code, _, err = await shell("decide", "p2", "deny", "--reason", "too much")
        assert (code, err) == (0, "")
        sent: Any = server.hub.sent
        assert [(one.pending_id, one.by, one.surface, one.input_hash) for one in sent] == [
            ("p1-abc", owner(), "terminal", "hash of make"),
            ("p2-def", owner(), "terminal", "hash of make"),
        ]
        assert sent[1].decision.reason == "too much"
        code, _, err = await shell("decide", "p1", "allow")
        assert (code, err) == (2, "bascule: no ask has an id that begins with 'p1': see bascule asks\n")


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["p", "allow"], "2 asks have ids that begin"),
        (["p1", "approve"], "approve does not answer this tool"),
        (["p1", "allow", "--rule", "x"], "--rule belongs to always"),
        (["p1", "deny", "--scope", "user"], "--scope belongs to always"),
        (["p1", "answer"], "answer needs --text"),
        (["p1", "dance"], "invalid choice"),
        (["p1", "always"], "always does not answer this tool"),
    ],
)
async def test_what_does_not_answer_the_ask_is_said_and_not_sent(
    running: Served, shell: Shell, words: list[str], complaint: str
) -> None:
    async with running() as server:
        await server.hub.add().tell(ask("p1"), ask("p2"))
        code, _, err = await shell("decide", *words)
        assert code == 2
        assert complaint in err
        assert server.hub.sent == []


async def test_an_always_bears_its_rule_and_scope(running: Served, shell: Shell) -> None:
    async with running() as server:
        await server.hub.add().tell(ask("p1"))
        assert (await shell("decide", "p1", "always", "--rule", "Shell(make)", "--scope", "project"))[0] == 0
        sent: Any = server.hub.sent[0]
        assert (sent.decision.rule, sent.decision.scope) == ("Shell(make)", "project")


async def test_keys_are_made_listed_and_revoked(running: Served, shell: Shell, tmp_path: Path) -> None:
    async with running():
        code, secret, err = await shell("token", "add", "--role", "viewer", "--label", "wall", "--days", "1")
        key = err.split()[2].rstrip(",")
        (tmp_path / "key").write_text(secret)
        assert (await shell("ps", "--token-file", str(tmp_path / "key")))[0] == 0
        refused = await shell("token", "list", "--token-file", str(tmp_path / "key"))
        assert (refused[0], "takes the role owner" in refused[2]) == (2, True)
        code, out, _ = await shell("token", "list")
        assert (code, out.split()[:2], out.split()[-1]) == (0, [key, "viewer"], "wall")
        assert (await shell("token", "revoke", key))[0] == 0
        assert (await shell("token", "list"))[1] == "\n"
        assert "revoked" in (await shell("token", "list", "--all"))[1]
        assert (await shell("ps", "--token-file", str(tmp_path / "key")))[0] == 2
        assert json.loads((await shell("token", "list", "--all", "--json"))[1])["keys"][0]["id"] == key


async def test_a_phone_is_let_in_by_a_picture_or_a_code(running: Served, shell: Shell) -> None:
    async with running() as server:
        code, out, _ = await shell("token", "pair")
        picture, url, typed = out.rsplit("\n", 3)[:3]
        assert "█" in picture
        assert url.startswith(f"http://127.0.0.1:{server.settings.port}/#code=")
        async with server.client() as phone:
            answer = await phone.post("/login", json={"code": typed.partition(",")[0]})
        assert (code, answer.json()["role"]) == (0, "approver")


async def test_the_certificate_of_this_machines_server_is_held_to(
    running: Served, shell: Shell, certificate: tuple[Path, Path]
) -> None:
    cert, key = map(str, certificate)
    async with running(tls_cert=cert, tls_key=key) as server:
        server.hub.add()
        assert (await shell("ps"))[1].startswith("s1")
        address = replace(address_for(server.settings, server.door), certificate=None)
        with pytest.raises(OptionError, match="CERTIFICATE_VERIFY_FAILED"):
            await asyncio.to_thread(Api(address).get, "/api/me", dict)


def test_attach_is_for_a_terminal_and_names_one_session(shell: Shell) -> None:
    assert main(["attach"]) == 2
    sessions: Any = [Namespace(id="s1"), Namespace(id="s10"), Namespace(id="t2")]
    assert meant("s1", sessions).id == "s1"
    assert meant("t", sessions).id == "t2"
    for wrong in (None, "s", "x"):
        with pytest.raises(OptionError, match="bascule ps"):
            meant(wrong, sessions)


def without_extras(*words: str, state: Path) -> tuple[int, str]:
    """`bascule` where nothing but msgspec is installed: exit code and standard error."""
    program = (
        "import sys\n"
        "for name in ('litestar', 'uvicorn', 'uvloop', 'websockets', 'segno'): sys.modules[name] = None\n"
        "from bascule.cli.main import main\n"
        "sys.exit(main(sys.argv[1:]))"
    )
    env = {"PATH": os.defpath, "HOME": str(state), "XDG_STATE_HOME": str(state), "PYTHONPATH": str(SRC)}
    command = [sys.executable, "-c", program, *words]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    return done.returncode, done.stderr


@pytest.mark.parametrize("words", [["ps"], ["asks"], ["decide", "x", "allow"], ["token", "list"], ["token", "pair"]])
def test_the_small_commands_need_no_extra(tmp_path: Path, words: list[str]) -> None:
    code, err = without_extras(*words, state=tmp_path)
    assert (code, err.count("\n"), "no server runs here" in err) == (2, 1, True)


@pytest.mark.parametrize("command", ["attach", "serve"])
def test_what_needs_an_extra_says_so_in_a_line(tmp_path: Path, command: str) -> None:
    assert without_extras(command, state=tmp_path) == (
        2,
        f"bascule: bascule {command} needs the extra 'hub': pip install 'bascule[hub]'\n",
    )


# A session from elsewhere.


def notice(text: object) -> Notice:
    return Notice(level="info", text=str(text))


def remote(server: Server, **options: Any) -> Remote:
    return Remote(address_for(server.settings, server.door), SessionId("s1"), **options)


async def test_a_session_is_followed_and_spoken_to(served: Served) -> None:
    async with served() as server:
        session = server.hub.add()
        await session.tell(notice(1))
        async with remote(server).connected() as here:
            events = here.events()
            assert (await anext(events)).seq == 1
            prompt = Prompt(command_id=CommandId("c1"), text="hi", surface="terminal")
            assert isinstance(await here.send(prompt), Taken)
            assert isinstance(await here.send(Interrupt(command_id=CommandId("c2"))), Refused)
            assert [(await anext(events)).seq for _ in range(4)] == [2, 3, 4, 5]
            assert (server.hub.sent[0].by, server.hub.sent[0].surface) == (owner(), "terminal")
            await session.tell(SessionEnded(cause="ended"))
            assert [event async for event in events] == [session.kept[-1]]


async def test_to_end_it_is_to_leave_it(served: Served) -> None:
    async with served() as server:
        server.hub.add()
        async with remote(server).connected() as here:
            assert isinstance(await here.send(End(command_id=CommandId("c1"))), Taken)
            assert [event async for event in here.events()] == []
        assert server.hub.sent == []


async def test_asks_from_before_the_beginning_are_told(served: Served) -> None:
    async with served() as server:
        await server.hub.add().tell(ask("p1"), notice(2), notice(3))
        async with remote(server, after=2).connected() as here:
            events = here.events()
            first, second = await anext(events), await anext(events)
            assert isinstance(first, PermissionRequest)
            assert (first.pending_id, second.seq) == ("p1", 3)


class Relay:
    """Stands between client and server, and can cut what goes through it."""

    def __init__(self, port: int) -> None:
        self.cuts = 0
        self.port = 0
        self._to = port
        self._writers: set[asyncio.StreamWriter] = set()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there, here = await asyncio.open_connection("127.0.0.1", self._to)
        self._writers |= {writer, here}
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._carry(reader, here), name="there")
            tasks.create_task(self._carry(there, writer), name="back")

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError):
            while data := await reader.read(65_536):
                writer.write(data)
                await writer.drain()
        writer.close()

    def cut(self) -> None:
        """All that goes through is lost, without a word."""
        self.cuts += 1
        for writer in self._writers:
            writer.transport.abort()
        self._writers.clear()


@asynccontextmanager
async def relayed(port: int) -> AsyncIterator[Relay]:
    relay = Relay(port)
    server = await asyncio.start_server(relay.serve, "127.0.0.1", 0)
    async with server:
        relay.port = server.sockets[0].getsockname()[1]
        yield relay
        relay.cut()


async def test_F1_a_lost_connection_loses_neither_event_nor_command(served: Served) -> None:
    async with served(allowed_hosts=("127.0.0.1",)) as server, relayed(server.settings.port) as relay:
        session = server.hub.add()
        heard: list[AnyEvent] = []
        address = replace(address_for(server.settings, server.door), url=f"http://127.0.0.1:{relay.port}")
        server.hub.held = asyncio.Event()
        async with Remote(address, SessionId("s1")).connected() as here, asyncio.TaskGroup() as tasks:

            async def listen() -> None:
                async for event in here.events():
                    heard.append(event)  # noqa: PERF401 - it is read while it grows

            listening = tasks.create_task(listen(), name="listen")
            await session.tell(*(notice(n) for n in range(5)))
            await until(lambda: len(heard) == 5)
            told = tasks.create_task(
                here.send(Rename(command_id=CommandId("c1"), title="New")),  # type: ignore[arg-type]
                name="command",
            )
            for lost in range(1, 4):
                await until(lambda: session.readers == 1)
                relay.cut()
                await until(lambda lost=lost: relay.cuts == lost and session.readers == 0)  # type: ignore[misc]
                await session.tell(notice(f"unheard {lost}"))
            server.hub.held.set()
            assert isinstance(await told, Taken)
            await until(lambda: len(heard) == 8)
            listening.cancel()
        assert [event.seq for event in heard] == list(range(1, 9))
        assert len(server.hub.sent) == 1


async def test_a_key_that_was_revoked_is_the_end(served: Served) -> None:
    async with served() as server:
        server.hub.add()
        key, secret = await server.door.make_key("viewer", "", expires_at=None)
        address = replace(address_for(server.settings, server.door), token=secret)
        async with Remote(address, SessionId("s1")).connected() as here:
            await until(lambda: bool(server.door._present))
            await server.door.revoke(key.id)
            with pytest.raises(OptionError, match="is the key still good"):
                await anext(here.events())


async def test_a_server_of_another_version_is_the_end() -> None:
    async def speak(connection: ServerConnection) -> None:
        await connection.recv()
        await connection.send('{"type": "news"}')
        await connection.wait_closed()

    async with serve(speak, "127.0.0.1", 0) as other:
        port = next(iter(other.sockets)).getsockname()[1]
        address = Address(url=f"http://127.0.0.1:{port}", token="t", pid=0)
        async with Remote(address, SessionId("s1")).connected() as here:
            with pytest.raises(OptionError, match="of another version"):
                await anext(here.events())


async def test_a_session_that_is_not_there_is_the_end(served: Served) -> None:
    async with served() as server, remote(server).connected() as here:
        with pytest.raises(OptionError, match="there is no session s1"):
            await anext(here.events())
