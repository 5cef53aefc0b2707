"""The WebSocket: its messages, its connections, and the fan-out of tables to them."""
