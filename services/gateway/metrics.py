"""Prometheus figures of the gateway. No label ever holds a player, a card or a key."""

from libs.telemetry.figures import counter, gauge, histogram

COMMANDS = counter("croupier_gateway_commands")
COMMAND_SECONDS = histogram("croupier_gateway_command_seconds")
REFUSED = counter("croupier_gateway_refused")
CONNECTIONS = gauge("croupier_gateway_websocket_connections")
FRAMES = counter("croupier_gateway_frames")
EVENTS = counter("croupier_gateway_events")
REPLIES = counter("croupier_gateway_replies")
RESYNCS = counter("croupier_gateway_resyncs")
GAPS = gauge("croupier_gateway_view_gaps")
PRIVATE_DEALS = counter("croupier_gateway_private_deals")
