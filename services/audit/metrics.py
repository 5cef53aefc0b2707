"""Prometheus figures of the audit service. None of them can hold a card: labels are kinds and places."""

from libs.telemetry.figures import counter, gauge

FINDINGS = counter("croupier_audit_findings")
JOURNAL_RECORDS = counter("croupier_audit_journal_records")
JOURNAL_LAG = gauge("croupier_audit_journal_lag_records")
CHAIN_FAILURES = counter("croupier_audit_chain_failures")
PROJECTION_LAG = gauge("croupier_audit_projection_lag_ms")
SET_ASIDE = gauge("croupier_audit_set_aside")
EVENTS = counter("croupier_audit_events")
CHECKPOINTS = counter("croupier_audit_checkpoints")
DECKS = counter("croupier_audit_decks")
ROUNDS = counter("croupier_audit_rounds")
PAID, VOID_BY_HOUSE, VOID_BY_STAFF = (ROUNDS.labels(end) for end in ("paid", "void_by_house", "void_by_staff"))
"""Made at once: an alert can tell the first one from a counter that was not there."""
SEARCHES_FAILED = counter("croupier_audit_searches_failed")
CASES = counter("croupier_audit_cases")
