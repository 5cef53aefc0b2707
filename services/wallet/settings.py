"""What the environment tells the wallet service."""

from pathlib import Path

from pydantic import Field

from libs.broker import BrokerSettings
from libs.edge.cash import CashSettings
from libs.edge.limits import EdgeSettings
from libs.identity.settings import LoginSettings


class WalletSettings(CashSettings, EdgeSettings, LoginSettings, BrokerSettings):
    """Addresses and pace. The database user has to be a member of the role `croupier_wallet`."""

    database_url: str = Field(alias="DATABASE_URL")
    database_schema: str = "wallet"
    marks_file: Path
    """Keys of the marks that it makes and knows."""
    seal_file: Path
    """Keys that its snapshots are known by; nobody else has them."""
    idle_folder: Path | None = None
    """Of this process alone: what is idle lies there, and the next start on this machine finds it. Without one it lies
    in files without a name, and each start reads everything anew."""
    http_port: int = Field(default=8082, ge=0, le=65535)
    inner_port: int = Field(default=9082, ge=0, le=65535)
    instance: str = "wallet"
    """Name of this process among its likes; stays the same over a restart, so that it finds its partitions again."""
    topic_prefix: str = ""
    group_session_ms: int = 6_000
    """How long a group waits for a silent member before its partitions go to another."""
    ready_lag: int = 5_000
    """Records that the books may lie behind the log and the service still call itself ready."""
