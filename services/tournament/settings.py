"""What the environment tells the tournament service."""

from pathlib import Path

from pydantic import Field

from libs.broker import BrokerSettings
from libs.edge.limits import InnerSettings


class TournamentSettings(InnerSettings, BrokerSettings):
    """Addresses and pace."""

    marks_file: Path
    """Keys of the marks that it makes and knows."""
    inner_port: int = Field(default=9084, ge=0, le=65535)
    instance: str = "tournament"
    """Name of this process among its likes; stays the same over a restart, so that it finds its partitions again."""
    topic_prefix: str = ""
    group_session_ms: int = 6_000
    """How long the group waits for a silent owner before its partitions go to another."""
