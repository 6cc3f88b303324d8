"""Each line of what is promised about security, as an attack that fails."""

import asyncio
import re
import ssl
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from litestar.routes import HTTPRoute, WebSocketRoute
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.typing import Origin

from bascule.errors import OptionError
from bascule.web.auth import LOGIN_MS, OPEN
from bascule.web.keys import Role, hash_of
from bascule.web.security import HEADERS
from bascule.web.serving import url_of
from bascule.web.settings import Settings, checked, warnings
from tests.web.conftest import Make, Served, Server
from tests.web.double import ask

PROMPT = {"type": "prompt", "command_id": "c1", "session": "s1", "text": "hi"}


# Where it listens.


def test_it_listens_on_the_loopback_unless_told_otherwise() -> None:
    assert Settings().host == "127.0.0.1"
    assert Settings().is_loopback
    assert warnings(Settings()) == ()


@pytest.mark.parametrize(
    ("settings", "warned"),
    [
        (Settings(host="192.168.1.5"), True),
        (Settings(host="192.168.1.5", tls_cert="c", tls_key="k"), False),
        (Settings(host="0.0.0.0", public_url="https://box.lan"), False),
        (Settings(host="0.0.0.0", public_url="http://box.lan"), True),
        (Settings(host="localhost"), False),
        (Settings(host="::1"), False),
    ],
)
def test_L116_others_who_can_reach_it_without_tls_are_warned_of(settings: Settings, warned: bool) -> None:
    assert bool(warnings(checked(settings))) is warned


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "", "*"])
def test_every_address_is_refused_without_a_name_for_clients(host: str) -> None:
    with pytest.raises(OptionError, match="public-url"):
        checked(Settings(host=host))


# Nothing without a key.


def routes(server: Server) -> Iterator[tuple[str, str, Any]]:
    for route in server.application.routes:
        path = route.path_format.replace("{session}", "s1").replace("{pending}", "p1").replace("{key_id}", "k1")
        match route:
            case HTTPRoute():
                for handler in route.route_handlers:
                    yield from ((method, path, handler) for method in handler.http_methods if method != "OPTIONS")
            case WebSocketRoute():
                yield "WEBSOCKET", path, route.route_handler


async def test_every_route_but_four_is_closed_without_a_key(server: Server) -> None:
    server.hub.add()
    opened = set()
    async with server.client() as client:
        for method, path, handler in routes(server):
            if handler.opt.get("role") == OPEN:
                opened.add(path)
            elif method != "WEBSOCKET":
                answer = await client.request(method, path)
                assert (answer.status_code, answer.json()["kind"]) == (401, "unauthenticated"), (method, path)
    assert opened == {"/api/health", "/login", "/", "/{path}"}


async def test_a_socket_without_a_key_is_refused(served: Served) -> None:
    async with served() as server:
        for headers in ({}, {"Authorization": "Bearer nonsense"}, {"Origin": server.origin}):
            with pytest.raises(InvalidStatus):
                async with connect(f"ws://127.0.0.1:{server.settings.port}/ws", additional_headers=headers, proxy=None):
                    pytest.fail("it was let in")


async def test_the_url_bears_the_token_behind_the_hash_and_a_login_takes_it(server: Server) -> None:
    url = httpx.URL(url_of(server.settings, server.door))
    assert str(url.copy_with(fragment=None)) == "http://127.0.0.1:7440/"
    async with server.client() as client:
        answer = await client.post("/login", json={"token": url.fragment.removeprefix("token=")})
        assert answer.status_code == 200
        assert answer.json()["role"] == "owner"
        assert (await client.get("/api/sessions")).status_code == 200
        assert url.fragment.removeprefix("token=") not in answer.headers["set-cookie"]


async def test_a_token_in_the_query_opens_nothing(server: Server) -> None:
    async with server.client() as client:
        assert (await client.get("/api/sessions", params={"token": await server.token()})).status_code == 401


async def test_the_cookie_is_for_this_site_and_for_no_script(server: Server) -> None:
    async with server.client() as client:
        answer = await client.post("/login", json={"token": await server.token()})
    cookie = answer.headers["set-cookie"]
    assert cookie.startswith("bascule-7440=")
    assert {"HttpOnly", "Path=/", "SameSite=strict", f"Max-Age={LOGIN_MS // 1000}"} <= set(cookie.split("; "))
    assert "Secure" not in cookie
    assert "Domain" not in cookie


async def test_with_tls_the_cookie_is_bound_to_it_and_to_the_host(make: Make) -> None:
    server = make(Settings(public_url="https://box.example"))
    async with server.client() as client:
        headers = {"Host": "box.example", "Origin": "https://box.example"}
        answer = await client.post("/login", json={"token": await server.token()}, headers=headers)
    assert answer.headers["set-cookie"].startswith("__Host-bascule-7440=")
    assert "Secure" in answer.headers["set-cookie"]


async def test_tokens_are_kept_as_hashes(server: Server) -> None:
    secret = await server.token()
    async with server.browser() as browser:
        cookie = next(iter(browser.cookies.values()))
        listed = await browser.get("/api/tokens")
    assert {hash_of(secret), hash_of(cookie)} <= {key.hash for key in server.keys.kept.values()}
    for hidden in (secret, cookie, hash_of(secret)):
        assert hidden not in listed.text
    for hidden in (secret, cookie):
        assert hidden not in repr((server.keys.kept, server.keys.deeds))


# F59: names, pages, and a browser that is made to send things.


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:7440",
        "127.0.0.1.evil.example:7440",
        "127.0.0.1",
        "localhost:9999",
        "127.0.0.1:7440@evil",
    ],
)
async def test_F59_a_name_that_is_not_ours_is_refused(server: Server, host: str) -> None:
    async with server.client(await server.token()) as client:
        for path in ("/", "/api/health", "/api/nothing", "/login"):
            answer = await client.get(path, headers={"Host": host})
            assert (answer.status_code, answer.json()["kind"]) == (421, "host")


@pytest.mark.parametrize("host", ["127.0.0.1:7440", "localhost:7440", "LOCALHOST:7440", "[::1]:7440"])
async def test_our_own_names_are_known(server: Server, host: str) -> None:
    async with server.client() as client:
        assert (await client.get("/api/health", headers={"Host": host})).status_code == 200


async def test_two_hosts_are_none(server: Server) -> None:
    async with server.client() as client:
        headers = [("Host", "127.0.0.1:7440"), ("Host", "evil.example")]
        assert (await client.get("/api/health", headers=headers)).status_code == 421


ORIGINS = [
    "http://evil.example", "http://127.0.0.1:8000", "https://127.0.0.1:7440", "null", "http://127.0.0.1:7440.evil.example"
]  # fmt: skip


@pytest.mark.parametrize("origin", ORIGINS)
async def test_F59_a_page_that_is_not_ours_is_refused(server: Server, origin: str) -> None:
    server.hub.add()
    async with server.browser() as browser:
        for method, path in (("POST", "/api/commands"), ("GET", "/api/sessions"), ("POST", "/login")):
            answer = await browser.request(method, path, json=PROMPT, headers={"Origin": origin})
            assert (answer.status_code, answer.json()["kind"]) == (403, "origin")
    assert server.hub.sent == []


@pytest.mark.parametrize("origin", [*ORIGINS, None])
async def test_F59_a_socket_from_another_page_is_refused_though_the_cookie_comes_along(
    served: Served, origin: str | None
) -> None:
    async with served() as server:
        async with server.browser() as browser:
            cookie = "; ".join(f"{name}={value}" for name, value in browser.cookies.items())
        url = f"ws://127.0.0.1:{server.settings.port}/ws"
        with pytest.raises(InvalidStatus):
            async with connect(
                url,
                additional_headers={"Cookie": cookie},
                origin=None if origin is None else Origin(origin),
                proxy=None,
            ):
                pytest.fail("it was let in")
        async with connect(url, additional_headers={"Cookie": cookie}, origin=server.origin, proxy=None) as wire:
            await wire.send('{"type":"hello","session":"all"}')
            assert "welcome" in str(await wire.recv())


async def test_F59_a_rebound_name_is_refused_on_the_socket_too(served: Served) -> None:
    async with served() as server:
        headers = {
            "Host": "evil.example",
            "Origin": "http://evil.example",
            "Authorization": f"Bearer {await server.token()}",
        }
        reader, writer = await asyncio.open_connection("127.0.0.1", server.settings.port)
        head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        upgrade = "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
        writer.write(f"GET /ws HTTP/1.1\r\n{head}{upgrade}Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n".encode())
        assert (await reader.read(12)).decode().endswith("403")
        writer.close()
        await writer.wait_closed()


@pytest.mark.parametrize("header", [None, "", "0" * 32])
async def test_a_command_with_a_cookie_needs_the_csrf_header(server: Server, header: str | None) -> None:
    server.hub.add()
    async with server.browser() as browser:
        if header is None:
            del browser.headers["X-Bascule-CSRF"]
        else:
            browser.headers["X-Bascule-CSRF"] = header
        answer = await browser.post("/api/commands", json=PROMPT)
        assert (answer.status_code, answer.json()["kind"]) == (403, "csrf")
        assert (await browser.get("/api/sessions")).status_code == 200
        browser.headers["X-Bascule-CSRF"] = (await browser.get("/api/me")).json()["csrf"]
        assert (await browser.post("/api/commands", json=PROMPT)).status_code == 200
    assert len(server.hub.sent) == 1


async def test_a_form_of_another_site_is_no_command(server: Server) -> None:
    server.hub.add()
    async with server.client(await server.token()) as client:
        answer = await client.post("/api/commands", data={"type": "prompt"})
        assert answer.status_code == 400


# Roles.

TAKES: list[tuple[Role, dict[str, Any]]] = [
    ("approver", PROMPT),
    ("approver", {"type": "interrupt"}),
    ("approver", {"type": "decide", "pending_id": "p1", "decision": {"verb": "deny"}}),
    ("approver", {"type": "decide", "pending_id": "p1", "decision": {"verb": "allow_always", "rule": "r"}}),
    (
        "owner",
        {"type": "decide", "pending_id": "p1", "decision": {"verb": "allow_always", "rule": "r", "scope": "user"}},
    ),
    ("owner", {"type": "decide", "pending_id": "p1", "decision": {"verb": "approve_plan", "then": "auto"}}),
    ("approver", {"type": "trust"}),
    ("approver", {"type": "grant", "rule": "r"}),
    ("owner", {"type": "grant", "rule": "r", "scope": "project"}),
    ("approver", {"type": "drop_queued", "queued": 1}),
    ("owner", {"type": "set_mode", "mode": "bypassPermissions"}),
    ("approver", {"type": "compact"}),
    ("approver", {"type": "stop_task", "task_id": "t1"}),
    ("approver", {"type": "rewind", "at": "p", "dry_run": True}),
    ("owner", {"type": "rewind", "at": "p"}),
    ("owner", {"type": "set_policy", "policy": "rules"}),
    ("owner", {"type": "start", "cwd": "/"}),
    ("owner", {"type": "import", "cli_session_id": "c1"}),
    ("owner", {"type": "fork"}),
    ("owner", {"type": "end"}),
    ("owner", {"type": "archive"}),
]


@pytest.mark.parametrize(("least", "command"), TAKES, ids=[f"{row[1]['type']} {row[0]}" for row in TAKES])
async def test_a_role_sends_what_it_may(server: Server, least: Role, command: dict[str, Any]) -> None:
    await server.hub.add().tell(ask("p1"))
    roles: tuple[Role, ...] = ("viewer", "approver", "owner")
    for role in roles:
        async with server.client(await server.token(role)) as client:
            answer = await client.post("/api/commands", json={"session": "s1", **command, "command_id": role})
        assert (answer.status_code == 200) is (roles.index(role) >= roles.index(least)), answer.text
    assert {sent.command_id for sent in server.hub.sent} == set(roles[roles.index(least) :])
    assert len(server.keys.told(command["type"])) == 3


@pytest.mark.parametrize(
    ("least", "method", "path"),
    [
        ("owner", "GET", "/api/tokens"),
        ("owner", "POST", "/api/tokens"),
        ("owner", "DELETE", "/api/tokens/k1"),
        ("owner", "POST", "/api/pairing"),
        ("owner", "POST", "/api/sessions"),
        ("owner", "GET", "/api/past"),
        ("owner", "GET", "/api/sessions/s1/recording?raw=true"),
        ("approver", "GET", "/api/sessions/s1/file?path=a.txt"),
        ("approver", "GET", "/api/sessions/s1/files"),
        ("approver", "GET", "/api/sessions/s1/git"),
        ("approver", "POST", "/api/sessions/s1/asks/p1"),
        ("viewer", "GET", "/api/sessions/s1/view"),
        ("viewer", "GET", "/api/asks"),
    ],
)
async def test_a_route_is_for_its_role(server: Server, least: Role, method: str, path: str) -> None:
    server.hub.add()
    roles: tuple[Role, ...] = ("viewer", "approver", "owner")
    for role in roles:
        async with server.client(await server.token(role)) as client:
            answer = await client.request(method, path, json={})
        assert (answer.status_code == 403) is (roles.index(role) < roles.index(least)), (role, answer.text)


async def test_nobody_says_that_he_is_another(server: Server) -> None:
    server.hub.add()
    async with server.client(await server.token("approver", "Ben")) as client:
        for surface in ("web", "terminal"):
            sent = {**PROMPT, "command_id": surface, "by": "Anna", "surface": surface}
            assert (await client.post("/api/commands", json=sent)).status_code == 200
    assert [(sent.by, sent.surface) for sent in server.hub.sent] == [("Ben", "api"), ("Ben", "terminal")]


# Keys end.


async def test_a_revoked_key_opens_nothing_nor_does_what_came_from_it(server: Server) -> None:
    async with server.browser() as browser, server.client(await server.token()) as owner:
        first = next(iter(server.keys.kept))
        assert (await browser.get("/api/me")).status_code == 200
        assert (await owner.delete(f"/api/tokens/{first}")).status_code == 204
        assert (await browser.get("/api/me")).status_code == 401
        assert (await owner.get("/api/me")).status_code == 200
        assert (await owner.delete(f"/api/tokens/{first}")).status_code == 404


async def test_a_use_does_not_undo_a_revocation(server: Server) -> None:
    async with server.client(await server.token()) as client:
        server.clock.now += 120_000
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(client.get("/api/me"), name="use")
            tasks.create_task(server.door.revoke(next(iter(server.keys.kept))), name="revoke")
        assert (await client.get("/api/me")).status_code == 401


async def test_a_key_that_ran_out_opens_nothing(server: Server) -> None:
    _, secret = await server.door.make_key("owner", "", expires_at=server.clock.now + 1_000)
    async with server.client(secret) as client:
        assert (await client.get("/api/me")).status_code == 200
        server.clock.now += 1_000
        assert (await client.get("/api/me")).status_code == 401


async def test_a_logout_ends_the_cookie_and_its_sockets(served: Served) -> None:
    async with served() as server, server.browser() as browser:
        cookie = "; ".join(f"{name}={value}" for name, value in browser.cookies.items())
        url = f"ws://127.0.0.1:{server.settings.port}/ws"
        async with connect(url, additional_headers={"Cookie": cookie}, origin=server.origin, proxy=None) as wire:
            await wire.send('{"type":"hello","session":"all"}')
            await wire.recv()
            assert (await browser.post("/api/logout")).status_code == 200
            with pytest.raises(ConnectionClosed):
                await wire.recv()
        assert not browser.cookies
        assert (await browser.get("/api/me", headers={"Cookie": cookie})).status_code == 401


# Guesses.


async def test_L90_who_guesses_is_slowed_down_before_he_is_right(server: Server) -> None:
    token = await server.token()
    async with server.client() as client:
        tried = [(await client.post("/login", json={"token": f"guess {n}"})).status_code for n in range(7)]
        assert tried == [401] * 5 + [429] * 2
        right = await client.post("/login", json={"token": token})
        assert (right.status_code, right.headers["retry-after"], right.json()["kind"]) == (429, "60", "too_many")
        server.clock.now += 60_000
        assert (await client.post("/login", json={"token": token})).status_code == 200
    assert len(server.keys.told("login_failed")) == 5


async def test_guesses_in_headers_count_and_a_right_key_is_not_locked_out_by_them(server: Server) -> None:
    token = await server.token()
    async with server.client() as client:
        for _ in range(5):
            assert (await client.get("/api/me", headers={"Authorization": "Bearer no"})).status_code == 401
        assert (await client.get("/api/me", headers={"Authorization": "Bearer no"})).status_code == 429
        assert (await client.get("/api/me", headers={"Authorization": f"Bearer {token}"})).status_code == 200


async def paired(server: Server, **what: Any) -> Any:
    async with server.client(await server.token()) as client:
        return (await client.post("/api/pairing", json=what)).json()


async def test_a_pairing_code_lets_one_phone_in_once(server: Server) -> None:
    pairing = await paired(server, role="approver", label="Anna's phone")
    assert pairing["url"] == f"http://127.0.0.1:7440/#code={pairing['code'].replace('-', '')}"
    async with server.client() as phone, server.client() as other:
        answer = await phone.post("/login", json={"code": f" {pairing['code'].lower()} "})
        assert (answer.json()["role"], answer.json()["label"]) == ("approver", "Anna's phone")
        assert (await phone.get("/api/asks")).status_code == 200
        assert (await other.post("/login", json={"code": pairing["code"]})).status_code == 401


async def test_a_pairing_code_is_over_after_two_minutes(server: Server) -> None:
    pairing = await paired(server)
    server.clock.now += 120_000
    async with server.client() as phone:
        assert (await phone.post("/login", json={"code": pairing["code"]})).status_code == 401


async def test_codes_are_not_to_be_guessed(server: Server) -> None:
    pairing = await paired(server)
    async with server.client() as phone:
        tried = [(await phone.post("/login", json={"code": f"AAAA-AAA{n}"})).status_code for n in range(2, 9)]
        assert tried == [401] * 5 + [429] * 2
        assert (await phone.post("/login", json={"code": pairing["code"]})).status_code == 429


# What answers bear.


def test_the_page_has_no_script_but_in_files_of_its_own() -> None:
    """It is what the build makes the served page of; the policy that every answer bears would stop any other."""
    page = (Path(__file__).parents[2] / "ui" / "index.html").read_text()
    scripts = re.findall(r"<script\b([^>]*)>(.*?)</script>", page, re.DOTALL)
    assert scripts
    assert all(re.search(r'\bsrc="/[^/]', given) and not inner.strip() for given, inner in scripts)
    assert not re.search(r"<style|\sstyle=|\son\w+=|javascript:|https?://", page)


@pytest.mark.parametrize("path", ["/", "/api/health", "/api/nothing", "/assets/none.js", "/api/sessions"])
async def test_every_answer_bears_the_headers(server: Server, path: str) -> None:
    async with server.client() as client:
        answer = await client.get(path)
    for name, value in HEADERS:
        assert answer.headers[name.decode()] == value.decode()
    policy = answer.headers["content-security-policy"]
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["referrer-policy"] == "no-referrer"
    assert "access-control-allow-origin" not in answer.headers
    assert answer.headers["cache-control"] in ("no-store", "no-cache")


# Files.


@pytest.mark.parametrize(
    "path", ["../secret.txt", "out", "/etc/passwd", "src/../../secret.txt", "..%2fsecret.txt", "", "src", "none.txt"]
)
async def test_no_file_outside_the_workspace_is_given(server: Server, path: str) -> None:
    server.hub.add()
    async with server.client(await server.token()) as client:
        answer = await client.get("/api/sessions/s1/file", params={"path": path})
    assert answer.status_code in (404, 422)
    assert answer.headers["content-type"] == "application/problem+json"
    assert "secret" not in answer.text.replace(path, "")


async def test_a_file_is_saved_and_never_shown(server: Server) -> None:
    server.hub.add()
    async with server.client(await server.token()) as client:
        answer = await client.get("/api/sessions/s1/file", params={"path": "a.txt"})
    assert answer.text == "<script>alert(1)</script>"
    assert answer.headers["content-type"] == "application/octet-stream"
    assert answer.headers["content-disposition"] == "attachment; filename*=UTF-8''a.txt"


@pytest.mark.parametrize("size", [1_000, 1_001])
async def test_L115_a_file_over_the_limit_is_refused(make: Make, workspace: Path, size: int) -> None:
    server = make(Settings(file_bytes=1_000))
    server.hub.add()
    (workspace / "large").write_bytes(b"x" * size)
    async with server.client(await server.token()) as client:
        answer = await client.get("/api/sessions/s1/file", params={"path": "large"})
    assert answer.status_code == (200 if size == 1_000 else 413)


async def test_an_upload_over_the_limit_is_refused(make: Make) -> None:
    server = make(Settings(upload_bytes=1_000))
    server.hub.add()

    async def drip() -> Any:
        for _ in range(3):
            yield b"x" * 500

    async with server.client(await server.token()) as client:
        for answer in (
            await client.post("/api/commands", json={**PROMPT, "text": "x" * 1_000}),
            await client.post("/api/commands", content=drip()),
        ):
            assert (answer.status_code, answer.json()["kind"]) == (413, "too_large")
    async with server.client() as client:
        assert (await client.post("/login", content=b"x" * 70_000)).status_code == 413


# The audit.


async def test_logins_decisions_and_keys_are_on_record(server: Server) -> None:
    await server.hub.add().tell(ask("p1"))
    async with server.browser() as browser:
        decision = {"command_id": "c1", "decision": {"verb": "allow_once"}}
        await browser.post("/api/sessions/s1/asks/p1", json=decision)
        await browser.post("/api/tokens", json={"role": "viewer", "label": "wall"})
        await browser.post("/api/logout")
    told = [(deed.what, deed.who, deed.surface, deed.session) for deed in server.keys.deeds]
    assert told == [
        ("login", "Anna", "web", None),
        ("decide", "Anna", "web", "s1"),
        ("key_made", "Anna", "web", None),
        ("logout", "Anna", "web", None),
    ]
    assert server.keys.told("decide")[0].detail == "p1 allow_once: taken"


# TLS.


async def test_it_speaks_tls(served: Served, certificate: tuple[Path, Path]) -> None:
    cert, key = certificate
    async with served(tls_cert=str(cert), tls_key=str(key)) as server:
        context = ssl.create_default_context(cafile=str(cert))
        async with httpx.AsyncClient(verify=context, trust_env=False) as client:
            answer = await client.post(f"{server.settings.url}/login", json={"token": await server.token()})
        assert "Secure" in answer.headers["set-cookie"]
