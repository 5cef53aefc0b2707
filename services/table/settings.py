"""What the environment tells the table service."""

from pathlib import Path

from libs.broker import BrokerSettings


class TableSettings(BrokerSettings):
    """Addresses, keys and pace. Key files hold 32 bytes as hex; nothing secret stands in the environment itself."""

    kek_file: Path
    """Key-encryption key that wraps each hand's data key."""
    gateway_key_file: Path
    """Shared with the gateway: seals a seat's own cards on their way to it."""
    http_port: int = 8081
    http_host: str = "127.0.0.1"
    instance: str = "table"
    """Name of this process among its likes; stays the same over a restart, so that it finds its partitions again."""
    topic_prefix: str = ""
    group_session_ms: int = 6_000
    """How long the group waits for a silent owner before its partitions go to another."""
