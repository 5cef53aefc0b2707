"""The edge of every service: problem documents, bounded bodies, health and metrics routes, and the HTTP server."""
