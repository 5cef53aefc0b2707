"""Prometheus figures of the edge. No label ever holds an address or a name."""

from libs.telemetry.figures import counter, gauge

CONNECTIONS = gauge("croupier_edge_connections")
FAILED = counter("croupier_edge_failed")
GAVE_WAY = counter("croupier_edge_gave_way")
REFUSED = counter("croupier_edge_refused")
TOO_MANY = counter("croupier_edge_too_many_requests")
