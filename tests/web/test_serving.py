"""A server that listens: where it cannot, what it says, and how it ends."""

import asyncio
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest
import uvloop

from bascule.errors import OptionError
from bascule.web.serving import listen, qr, run, serving, url_of
from bascule.web.settings import Settings
from tests.web.conftest import Make, Served


def test_a_port_in_use_is_said() -> None:
    listening, settings = listen(Settings(port=0))
    try:
        assert settings.port > 0
        with pytest.raises(OptionError, match=f"127.0.0.1:{settings.port} is in use"):
            listen(settings)
    finally:
        listening.close()


@pytest.mark.parametrize("host", ["203.0.113.1", "no.such.host.invalid"])
def test_an_address_of_others_is_said(host: str) -> None:
    with pytest.raises(OptionError, match="nobody can listen at"):
        listen(Settings(host=host, port=0))


async def test_a_certificate_that_is_none_is_said(make: Make, tmp_path: Path) -> None:
    (tmp_path / "none.pem").write_text("no certificate")
    path = str(tmp_path / "none.pem")
    for cert in (path, str(tmp_path / "missing.pem")):
        listening, settings = listen(Settings(port=0, tls_cert=cert, tls_key=path))
        server = make(settings)
        with pytest.raises(OptionError, match="--tls-cert and --tls-key cannot be used"):
            async with serving(server.application, settings, listening):
                pytest.fail("it was served")


async def test_what_is_under_way_is_answered_when_the_server_ends(served: Served) -> None:
    async with served() as server, asyncio.TaskGroup() as tasks:
        server.hub.add()
        server.hub.held = asyncio.Event()
        token = await server.token()
        url = f"{server.origin}/api/commands"
        sent = {"type": "rename", "command_id": "c", "session": "s1", "title": "New"}
        held = server.hub.held

        async def ask() -> int:
            async with httpx.AsyncClient(trust_env=False, headers={"Authorization": f"Bearer {token}"}) as client:
                answering = tasks.create_task(client.post(url, json=sent), name="request")
                while not server.keys.kept or next(iter(server.keys.kept.values())).used_at is None:
                    await client.get(f"{server.origin}/api/health")
                held.set()
                return (await answering).status_code

        asked = tasks.create_task(ask(), name="ask")
    assert asked.result() == 200


def test_the_url_fits_into_a_picture_for_a_terminal(make: Make) -> None:
    server = make(Settings(public_url="https://box.example"))
    url = url_of(server.settings, server.door)
    assert urlsplit(url).hostname == "box.example"
    lines = qr(url).splitlines()
    assert 15 <= len(lines) <= 30
    assert len({len(line) for line in lines}) == 1


def test_servers_run_on_their_own_loop() -> None:
    async def loop() -> str:
        return type(asyncio.get_running_loop()).__module__

    assert run(loop()) == uvloop.Loop.__module__
