"""Prometheus figures of the audit service. None of them can hold a card: labels are kinds and places."""

from prometheus_client import Counter, Gauge

FINDINGS = Counter("croupier_audit_findings", "New findings, by kind and severity", ("kind", "severity"))
JOURNAL_RECORDS = Counter("croupier_audit_journal_records", "Journal records judged", ("topic", "partition"))
JOURNAL_LAG = Gauge("croupier_audit_journal_lag_records", "Journal records not judged yet", ("topic", "partition"))
CHAIN_FAILURES = Counter(
    "croupier_audit_chain_failures", "Journals that are not the ones folded", ("topic", "partition")
)
PROJECTION_LAG = Gauge("croupier_audit_projection_lag_ms", "Age of the last event taken into the histories")
SET_ASIDE = Gauge("croupier_audit_set_aside", "Events that could not be projected")
EVENTS = Counter("croupier_audit_events", "Public events taken into the histories")
CHECKPOINTS = Counter("croupier_audit_checkpoints", "Times that what moved was signed, or nothing had moved")
DECKS = Counter("croupier_audit_decks", "Sealed decks opened and held against their published root")
CASES = Counter("croupier_audit_cases", "Cases opened by the integrity checks", ("kind",))
