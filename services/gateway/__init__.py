"""The public edge: HTTP and WebSocket to commands, public events to views. It decides nothing."""
