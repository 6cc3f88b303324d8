"""The figures of a hub for Prometheus, and for whatever reads its text. Names and labels stay what they are: dashboards
and alarms are made of them. No label tells a session, a person or a path."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Final, get_args

from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, ProcessCollector, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from bascule.conversation import Figures, Part, Status

CONTENT_TYPE: Final = CONTENT_TYPE_LATEST


def exposition(figures: Figures) -> bytes:
    """The text, with figures of the process beside those of the hub. Reads ``/proc``."""
    registry = CollectorRegistry(auto_describe=False)
    registry.register(_OfHub(figures))
    ProcessCollector(registry=registry)
    return generate_latest(registry)


class _OfHub(Collector):
    def __init__(self, figures: Figures) -> None:
        self._figures = figures

    def collect(self) -> Iterable[Metric]:
        """As ``prometheus_client`` asks for them."""
        yield from _now(self._figures)
        yield from _health(self._figures)
        yield from _since(self._figures)


def _now(figures: Figures) -> Iterator[Metric]:
    status: Counter[str] = Counter(facts.status for facts in figures.sessions if not facts.archived)
    sessions = GaugeMetricFamily("bascule_sessions", "Sessions by status, without archived ones.", labels=["status"])
    for word in get_args(Status):
        sessions.add_metric([word], status[word])
    yield sessions
    queued = sum(facts.queued for facts in figures.sessions)
    yield GaugeMetricFamily("bascule_processes", "Sessions that have a process.", figures.processes)
    yield GaugeMetricFamily("bascule_asks_open", "Asks that wait for a person.", figures.open_asks)
    yield GaugeMetricFamily("bascule_prompts_queued", "Prompts that wait for their turn.", queued)
    yield GaugeMetricFamily("bascule_readers", "Streams of events that somebody reads.", figures.readers)
    yield GaugeMetricFamily("bascule_start_time_seconds", "When the hub began.", figures.began_at / 1000)


def _health(figures: Figures) -> Iterator[Metric]:
    health = figures.health
    healthy = GaugeMetricFamily("bascule_healthy", "1 as long as that part of it can work.", labels=["part"])
    for part in get_args(Part):
        healthy.add_metric([part], part not in health.failing)
    yield healthy
    if health.store_ms is not None:
        took_s = health.store_ms / 1000
        yield GaugeMetricFamily("bascule_store_write_seconds", "What a write to the store took just now.", took_s)
    if health.room is not None:
        yield GaugeMetricFamily("bascule_disk_free_bytes", "Room for recordings.", health.room)


def _since(figures: Figures) -> Iterator[Metric]:
    """What was counted since the hub began, as counters are; what was spent before is in ``/api/usage``."""
    yield _counter("bascule_events", "Events that were stored.", "type", figures.events)
    yield _counter("bascule_turns", "Turns that ended.", "outcome", figures.turns)
    yield _counter("bascule_asks", "Asks that were settled.", "outcome", figures.asks)
    yield _counter("bascule_cost_usd", "Money, as Claude Code reports it.", "model", figures.cost_usd)
    tokens = CounterMetricFamily("bascule_tokens", "Tokens, as Claude Code reports them.", labels=["model", "kind"])
    for (model, kind), number in sorted(figures.tokens.items()):
        tokens.add_metric([model, kind], number)
    yield tokens


def _counter(name: str, about: str, label: str, values: Mapping[str, float]) -> Metric:
    counter = CounterMetricFamily(name, about, labels=[label])
    for value, number in sorted(values.items()):
        counter.add_metric([value], number)
    return counter
