"""Prometheus figures of the gateway. No label ever holds a player, a card or a key."""

from prometheus_client import Counter, Gauge, Histogram

COMMANDS = Counter("croupier_gateway_commands", "Commands sent on, by outcome", ("type", "outcome"))
COMMAND_SECONDS = Histogram(
    "croupier_gateway_command_seconds",
    "From the request to the reply",
    ("service",),
    buckets=(0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0),
)
REFUSED = Counter("croupier_gateway_refused", "Requests and messages refused at the door, by problem", ("problem",))
CONNECTIONS = Gauge("croupier_gateway_websocket_connections", "Open WebSocket connections")
FRAMES = Counter("croupier_gateway_frames", "Frames queued for WebSocket connections, by kind", ("kind",))
EVENTS = Counter("croupier_gateway_events", "Public events read, by what became of them", ("result",))
RESYNCS = Counter("croupier_gateway_resyncs", "Slow connections that were given a fresh view")
GAPS = Gauge("croupier_gateway_view_gaps", "Tables whose view waits for an event that is missing")
PRIVATE_DEALS = Counter("croupier_gateway_private_deals", "Private deals read, by what became of them", ("result",))
