"""Figures for Prometheus: its own parser reads them, and they name nobody."""

from typing import get_args

from prometheus_client.parser import text_string_to_metric_families

from bascule.conversation import Health, Status
from tests.web.conftest import Server
from tests.web.double import ask


def read(text: str) -> dict[tuple[str, ...], float]:
    """Each sample by its name and the values of its labels."""
    return {
        (sample.name, *sample.labels.values()): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


async def scraped(server: Server) -> str:
    async with server.client(await server.token("viewer")) as client:
        answer = await client.get("/metrics")
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"].startswith("text/plain; version=")
    return answer.text


async def test_a_hub_is_told_in_figures(server: Server) -> None:
    session = server.hub.add("s1", status="waiting", queued=2)
    server.hub.add("s2", status="asleep", archived=True)
    await session.tell(ask("p1"))
    told = read(await scraped(server))
    assert told["bascule_sessions", "waiting"] == 1
    assert {key[1] for key in told if key[0] == "bascule_sessions"} == set(get_args(Status))
    assert sum(value for key, value in told.items() if key[0] == "bascule_sessions") == 1
    expected = {
        ("bascule_asks_open",): 1,
        ("bascule_processes",): 1,
        ("bascule_prompts_queued",): 2,
        ("bascule_readers",): 0,
        ("bascule_start_time_seconds",): 1_790_000_000,
        ("bascule_healthy", "store"): 1,
        ("bascule_healthy", "disk"): 1,
        ("bascule_store_write_seconds",): 0.002,
        ("bascule_disk_free_bytes",): 1e9,
        ("bascule_events_total", "complete"): 3,
        ("bascule_turns_total", "error"): 1,
        ("bascule_asks_total", "allowed"): 4,
        ("bascule_cost_usd_total", "opus"): 0.5,
        ("bascule_tokens_total", "input", "opus"): 7,
    }
    assert {key: told.get(key) for key in expected} == expected


async def test_what_fails_is_told_and_what_nobody_knows_is_not(server: Server) -> None:
    server.hub.found = Health(failing=("store",))
    told = read(await scraped(server))
    assert (told["bascule_healthy", "store"], told["bascule_healthy", "disk"]) == (0, 1)
    assert not {"bascule_store_write_seconds", "bascule_disk_free_bytes"} & {key[0] for key in told}


async def test_no_label_tells_a_session_a_title_or_a_path(server: Server) -> None:
    server.hub.add("secret-session", title="Secret plan")
    text = await scraped(server)
    assert not [word for word in ("secret", "Secret", str(server.hub.workspace)) if word in text]


async def test_figures_are_for_who_has_a_key(server: Server) -> None:
    async with server.client() as client:
        answer = await client.get("/metrics")
    assert (answer.status_code, answer.json()["kind"]) == (401, "unauthenticated")
