"""Prometheus figures of the edge. No label ever holds an address or a name."""

from prometheus_client import Counter, Gauge

CONNECTIONS = Gauge("croupier_edge_connections", "Open connections, WebSockets among them")
REFUSED = Counter("croupier_edge_refused", "Connections and requests refused before any route", ("problem",))
TOO_MANY = Counter("croupier_edge_too_many_requests", "Requests and messages above a fair share", ("share",))
