"""What the environment tells the audit service, and the names that its database and whoever rebuilds it know it by."""

from pathlib import Path

from pydantic import Field

from libs.broker import BrokerSettings
from libs.edge.cash import CashSettings
from libs.edge.limits import EdgeSettings
from libs.identity.settings import LoginSettings

SCHEMA = "audit"
ROLE = "croupier_audit"
"""Role that the service acts as; made by the first of its migrations about roles."""
PROJECTOR = "audit"
MOST_PROMISED = 50_000_000
"""Minor units: 500,000.00 a day where the house sets nothing else."""
MIGRATIONS = Path(__file__).parent / "migrations"


class AuditSettings(CashSettings, EdgeSettings, LoginSettings, BrokerSettings):
    """Addresses, keys and pace. Key files hold 32 bytes as hex; nothing secret stands in the environment itself."""

    database_url: str = Field(alias="DATABASE_URL")
    marks_file: Path
    """Keys of the marks of everybody: the auditor reads every topic."""
    http_port: int = Field(default=8083, ge=0, le=65535)
    inner_port: int = Field(default=9083, ge=0, le=65535)
    instance: str = "audit"
    """Name of this process among its likes; stays the same over a restart, so that it finds its partitions again."""
    group_session_ms: int = 6_000
    """How long the group waits for a silent process before its partitions go to another."""
    topic_prefix: str = ""
    kek_file: Path | None = None
    """Key-encryption keys of the table service; without them decks are proved from what is public only."""
    checkpoint_key_file: Path | None = None
    """Ed25519 private key; without it no checkpoints are taken."""
    checkpoint_file: Path | None = None
    """Where checkpoints are kept outside the log and the database; appended to, never rewritten. Of several processes
    whichever looks at the whole house writes to its own, which may be the same file."""
    checkpoint_every_s: float = Field(default=60.0, gt=0)
    alarms_every_s: float = Field(default=5.0, gt=0)
    most_guaranteed_a_day: int = Field(default=MOST_PROMISED, ge=0)
    """Of the house's own money, by guarantees and freerolls' tickets, to all tournaments announced on one day (UTC), in
    minor units of each currency; above it an incident."""
    integrity_every_s: float = Field(default=3600.0, gt=0)
    """How often hands are searched for collusion, dumped chips and decisions by program."""
    forbidden_programs_file: Path | None = None
    """The operator's list of forbidden programs (YAML: version, programs); without it the one that ships."""
    database_logins: tuple[str, ...] = ()
    """Further ones that may have rights in the database: an administrator's, an owner of another name."""
    broker_logins: tuple[str, ...] = ()
    """Further ones that may have a password, rules and bounds at the broker: an administrator's of another name, an
    operator's."""
    ledger_schema: str = "wallet"
    """Where the wallet keeps its books; read only."""
