"""What the environment tells the table service."""

from pathlib import Path

from pydantic import Field

from libs.broker import BrokerSettings
from libs.edge.limits import InnerSettings


class TableSettings(InnerSettings, BrokerSettings):
    """Addresses, keys and pace. Key files hold 32 bytes as hex; nothing secret stands in the environment itself."""

    kek_file: Path
    """Key-encryption keys, which wrap each hand's data key: one or several versions, read again when replaced."""
    gateway_key_file: Path
    """Shared with the gateway: seals a seat's own cards on their way to it."""
    marks_file: Path
    """Keys of the marks that it makes and knows."""
    seal_file: Path
    """Keys that its snapshots are known by; nobody else has them."""
    idle_folder: Path | None = None
    """Of this process alone: what is idle lies there, and the next start on this machine finds it. Without one it lies
    in files without a name, and each start reads everything anew."""
    inner_port: int = Field(default=9081, ge=0, le=65535)
    instance: str = "table"
    """Name of this process among its likes; stays the same over a restart, so that it finds its partitions again."""
    topic_prefix: str = ""
    group_session_ms: int = 6_000
    """How long the group waits for a silent owner before its partitions go to another."""
