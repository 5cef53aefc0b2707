"""Every figure that a process shows on `/metrics`, declared once: registered from here, and `croupier watching`
makes docs/metrics.md, the rules for Prometheus and the dashboard of it. No label holds a player, card, key or address.
"""

from dataclasses import dataclass
from typing import Literal

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from prometheus_client.registry import REGISTRY

from libs.journal.observer import COUNTED, STANDING

ALL = ("table", "tournament", "wallet", "audit", "gateway")
DECIDERS = ("table", "tournament", "wallet")
PORTS = ("wallet", "audit", "gateway")
_COMMIT_S = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
_ANSWER_S = (0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)


@dataclass(frozen=True, slots=True)
class Figure:
    """`name` without the `_total` that a counter gets when it is scraped; `unit` is what one of it is."""

    name: str
    kind: Literal["counter", "gauge", "histogram"]
    services: tuple[str, ...]
    labels: tuple[str, ...]
    unit: str
    words: str
    buckets: tuple[float, ...] = ()

    @property
    def scraped(self) -> str:
        return f"{self.name}_total" if self.kind == "counter" else self.name


def _counts(name: str, services: tuple[str, ...], words: str, *labels: str, unit: str = "times") -> Figure:
    return Figure(f"croupier_{name}", "counter", services, labels, unit, words)


def _stands(name: str, services: tuple[str, ...], words: str, *labels: str, unit: str) -> Figure:
    return Figure(f"croupier_{name}", "gauge", services, labels, unit, words)


def _lasts(name: str, services: tuple[str, ...], words: str, buckets: tuple[float, ...], *labels: str) -> Figure:
    return Figure(f"croupier_{name}", "histogram", services, labels, "seconds", words, buckets)


_PLACE = ("service", "partition")
_AT = ("topic", "partition")
FIGURES = (
    _stands("not_ready", ALL, "Whether this check keeps the process from being ready: 1, or 0", "check", unit="0 or 1"),
    _counts("commands", DECIDERS, "Commands answered, by verdict and reason", "service", "verdict", "reason",
            unit="commands"),
    _lasts("commit_seconds", DECIDERS, "From reading a command to its folded verdict", _COMMIT_S, "service"),
    *(_counts(name, DECIDERS, words, *_PLACE) for name, words in COUNTED.items()),
    *(_stands(name, DECIDERS, words, *_PLACE, unit="records") for name, words in STANDING.items()),
    _counts("entropy_unhealthy", ("table", "tournament"),
            "Decisions that nothing could be drawn for: the random source failed its health test", unit="decisions"),
    _counts("cards_lost", ("table",),
            "Sealed decks and shoes that no key of this process opens: their rounds are void", unit="decks"),
    _stands("kek_newest", ("table", "audit"),
            "Newest version of the key-encryption key that this process opens with", unit="version"),
    _counts("foreign_records", ALL,
            "Records passed by because their mark is not true, by topic and by who they say wrote them",
            "topic", "writer", unit="records"),
    _counts("positions_moved", DECIDERS,
            "Times that a group's offset was not the house's own, and its owner began elsewhere", "group"),
    _stands("partitions_unowned", (*DECIDERS, "audit"),
            "Partitions of a group that no process of the house has owned for 15 s", "group", unit="partitions"),
    _counts("policy_commands", DECIDERS, "Commands that policies sent, repetitions included", "group", "type",
            unit="commands"),
    _counts("policy_parked", DECIDERS, "Records that policies set aside, by reason", "group", "reason",
            unit="records"),
    _counts("policy_batches_failed", DECIDERS, "Batches that were read again", "group", unit="batches"),
    _counts("projected_events", ("wallet",), "Public events that the books took in", "projection", unit="events"),
    _counts("projected_duplicates", ("wallet",), "Public events met again and skipped", "projection", unit="events"),
    _counts("projection_gaps", ("wallet",), "Versions that came before the one expected", "projection"),
    _counts("projection_parked", ("wallet",), "Records that are no event, set aside", "projection", unit="records"),
    _lasts("projection_batch_seconds", ("wallet",), "One batch's transaction", Histogram.DEFAULT_BUCKETS, "projection"),
    _stands("projection_event_age_seconds", ("wallet",), "Age of the newest event when it was projected", "projection",
            unit="seconds"),
    _stands("projection_behind_seconds", ("wallet",),
            "For how long the books have not had everything that is public; told also while they stand still",
            "projection", unit="seconds"),
    _stands("projection_lag_records", ("wallet",), "Records not read yet", "projection", *_AT, unit="records"),
    _stands("projection_set_aside", ("wallet",), "Events that could not be projected", "projection", unit="events"),
    _counts("audit_findings", ("audit",), "New findings, by kind and severity", "kind", "severity", unit="findings"),
    _counts("audit_chain_failures", ("audit",), "Journals that are not the ones folded", *_AT),
    _stands("audit_journal_lag_records", ("audit",), "Journal records not judged yet", *_AT, unit="records"),
    _stands("audit_projection_lag_ms", ("audit",),
            "Age of the last event taken into the histories, and how long the step under way has taken",
            unit="milliseconds"),
    _counts("audit_journal_records", ("audit",), "Journal records judged", *_AT, unit="records"),
    _counts("audit_events", ("audit",), "Public events taken into the histories", unit="events"),
    _counts("audit_rounds", ("audit",),
            "Hands, rounds and coups that ended, paid or void (who voided: the house by itself, or one of the staff)",
             "end", unit="rounds"),
    _stands("audit_set_aside", ("audit",), "Events that could not be projected", unit="events"),
    _counts("audit_decks", ("audit",), "Sealed decks opened and held against their published root", unit="decks"),
    _counts("audit_checkpoints", ("audit",), "Times that what moved was signed, or nothing had moved"),
    _counts("audit_searches_failed", ("audit",), "Searches for collusion that a fault ended"),
    _counts("audit_cases", ("audit",), "Cases opened by the integrity checks", "kind", unit="cases"),
    _counts("gateway_commands", ("gateway",), "Commands sent on, by outcome", "type", "outcome", unit="commands"),
    _lasts("gateway_command_seconds", ("gateway",), "From the request to the reply", _ANSWER_S, "service"),
    _counts("gateway_refused", ("gateway",), "Requests and messages refused at the door, by problem", "problem",
            unit="requests"),
    _counts("gateway_session_notices", ("gateway",), "Notices about sessions read, by what became of them", "result",
            unit="notices"),
    _stands("gateway_websocket_connections", ("gateway",), "Open WebSocket connections", unit="connections"),
    _counts("gateway_frames", ("gateway",), "Frames queued for WebSocket connections, by kind", "kind", unit="frames"),
    _counts("gateway_events", ("gateway",), "Public events read, by what became of them", "result", unit="events"),
    _counts("gateway_replies", ("gateway",), "Replies read, and whether anybody here awaited them", "whose",
            unit="replies"),
    _counts("gateway_resyncs", ("gateway",), "Slow connections that were given a fresh view"),
    _stands("gateway_view_gaps", ("gateway",), "Tables whose view waits for an event that is missing", unit="tables"),
    _counts("gateway_private_deals", ("gateway",), "Private deals read, by what became of them", "result",
            unit="deals"),
    _counts("failed_logins", PORTS, "Tokens that were forged, unknown or malformed", "kind", unit="tokens"),
    _counts("login_locks", PORTS, "Addresses locked for too many failed logins", unit="addresses"),
    _stands("edge_connections", ALL, "Open connections, WebSockets among them", unit="connections"),
    _counts("edge_failed", ALL, "Requests that broke on our side (500)", unit="requests"),
    _counts("edge_gave_way", ALL, "Idle connections ended for a newcomer where the house was full", unit="connections"),
    _counts("edge_refused", ALL, "Connections and requests refused before any route", "problem", unit="requests"),
    _counts("edge_too_many_requests", PORTS, "Requests and messages above a fair share", "share", unit="requests"),
    _stands("door_connections", ("door",), "Open connections of operators' platforms that are logged in",
            unit="connections"),
    _stands("door_waiting", ("door",), "Connections whose login the broker has not called good, 64 for each broker",
            unit="connections"),
    _counts("door_slowed", ("door",), "Commits, joins and syncs that waited, for their login had made too many",
            unit="requests"),
    _counts("door_refused", ("door",), "Connections of platforms ended or not taken by the door, by reason",
            "reason", unit="connections"),
    _stands("program_altered", ALL, "Files that differ from the build, are missing or were added", unit="files"),
)  # fmt: skip
_KNOWN = {each.name: each for each in FIGURES}


def counter(name: str, registry: CollectorRegistry = REGISTRY) -> Counter:
    figure = _KNOWN[name]
    return Counter(name, figure.words, figure.labels, registry=registry)


def gauge(name: str, registry: CollectorRegistry = REGISTRY) -> Gauge:
    figure = _KNOWN[name]
    return Gauge(name, figure.words, figure.labels, registry=registry)


def histogram(name: str, registry: CollectorRegistry = REGISTRY) -> Histogram:
    figure = _KNOWN[name]
    return Histogram(name, figure.words, figure.labels, buckets=figure.buckets, registry=registry)
