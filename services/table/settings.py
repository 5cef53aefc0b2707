"""What the environment tells the table service."""

from pathlib import Path

from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict


class TableSettings(BaseSettings):
    """Addresses, keys and pace. Key files hold 32 bytes as hex; nothing secret stands in the environment itself."""

    model_config = SettingsConfigDict(env_prefix="CROUPIER_", extra="ignore", populate_by_name=True)

    bootstrap: str = Field(alias="KAFKA_BOOTSTRAP_SERVERS")
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
