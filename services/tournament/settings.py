"""What the environment tells the tournament service."""

from pathlib import Path

from pydantic import Field

from libs.broker import BrokerSettings
from libs.edge.limits import InnerSettings
from services.tournament.domain.decide import MOST_GUARANTEED


class TournamentSettings(InnerSettings, BrokerSettings):
    """Addresses and pace."""

    marks_file: Path
    """Keys of the marks that it makes and knows."""
    seal_file: Path
    """Keys that its snapshots are known by; nobody else has them."""
    idle_folder: Path | None = None
    """Of this process alone: what is idle lies there, and the next start on this machine finds it. Without one it lies
    in files without a name, and each start reads everything anew."""
    inner_port: int = Field(default=9084, ge=0, le=65535)
    instance: str = "tournament"
    """Name of this process among its likes; stays the same over a restart, so that it finds its partitions again."""
    topic_prefix: str = ""
    most_guaranteed: int = Field(default=MOST_GUARANTEED, ge=0)
    """What the house may add to the prizes of one tournament, minor units; a proposal of more is refused."""
    group_session_ms: int = 6_000
    """How long the group waits for a silent owner before its partitions go to another."""
