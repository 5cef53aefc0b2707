"""What the environment tells the gateway."""

from pathlib import Path

from pydantic import Field
from pydantic_settings import SettingsConfigDict

from libs.broker import BrokerSettings
from libs.edge.limits import EdgeSettings
from libs.edge.shares import Share
from libs.identity.settings import LoginSettings

SECOND = 1_000
HOUR = 3_600 * SECOND
COMPLAINTS = (
    "Complain to the operator where you have your account, and name the table and the number of the hand. "
    "If the answer does not satisfy you, complain to the regulator named with the rules."
)


class Settings(EdgeSettings, LoginSettings, BrokerSettings):
    """`KAFKA_BOOTSTRAP_SERVERS`, `CROUPIER_…`. Durations in milliseconds, sizes in records. Keys come as files."""

    model_config = SettingsConfigDict(frozen=True)

    topic_prefix: str = ""
    http_port: int = Field(default=8080, ge=0, le=65535)
    inner_port: int = Field(default=9080, ge=0, le=65535)
    wallet_url: str = "http://127.0.0.1:8082"
    audit_url: str | None = None
    """Where the trail of blocks is asked at the start, in case the sessions topic has lost them; None: it is not."""

    gateway_key_file: Path
    """Hex of the 32 bytes that open private deals."""
    session_key_file: Path
    """What signs session tokens: at least 32 bytes."""
    wallet_token_file: Path
    """The gateway's own credential, with which it reads the wallet for those who ask it."""

    marks_file: Path
    """Keys of the marks that it makes and knows."""

    floor: str | None = None
    """Partitions whose tables this gateway serves, as `0-7,12`; None: all."""
    floors_file: Path | None = None
    """Where which tables are served: a JSON object of partitions to base addresses, read again when it changes. None:
    there are no floors, and every gateway serves every table."""
    reconnect_url: str | None = None
    """Where players are sent when this gateway ends, as they reach it (`wss://…`); None: where they came from."""
    complaints: str = COMPLAINTS
    """How to complain, told to players at every table (pt-811-2015 66)."""
    session_ms: int = 12 * HOUR
    session_idle_ms: int = Field(default=HOUR // 2, ge=1)
    """A session that nobody uses for so long is over."""
    one_place: bool = False
    """Whether a new session of a player ends those that are open."""
    reply_timeout_ms: int = Field(default=10 * SECOND, ge=1)
    idempotency_ms: int = 24 * HOUR
    idempotency_records: int = Field(default=100_000, ge=1)
    table_horizon_ms: int = 10 * 60 * SECOND
    """H of journal 13 for tables; a UUIDv7 key older than this would be answered `expired`."""
    wallet_horizon_ms: int = 72 * HOUR
    tournament_horizon_ms: int = 24 * HOUR

    player_requests: Share = Share(100, 1_000)
    """Requests and messages of one player, over all connections: a person sends one or two a second."""
    player_bytes: Share = Share(64_000, 512_000)
    """What one player says over all WebSockets; above it they are read more slowly."""
    player_sockets: int = Field(default=10, ge=1)
    """WebSockets of one player; with one more the oldest is closed."""
    operator_requests: Share = Share(2_000, 20_000)
    """Of one operator's platform, and of each of the staff."""
    proposals: Share = Share(0.5, 50)
    """How often one of the staff, or one platform, proposes or approves tournaments, each of which has their rules
    judged, or asks for a refund sheet, which is kept for ever."""
    table_commands: Share = Share(500, 2_000)
    """What those at one table who send much send together; whoever sends little is let in beside it."""
    seat_commands: Share = Share(10, 2_000)
    """What one player sends to a table at which they have a seat: in ten minutes less than a table remembers."""
    seat_wishes: Share = Share(0.2, 100)
    """How often one player asks for another place, tops up or writes to the table: each is kept for ever, and no hand
    needs more."""
    seat_presence: Share = Share(1 / 30, 60)
    """How often one player sits out or in, or says to sit at the dealer's table: likewise, and all who watch are told.
    Whose time runs out in every hand of a tournament may come back in each."""
    connection_reports: Share = Share(1 / 30, 60)
    """How often a table is told that one player's line is lost or back: one loss a minute for ever, and thirty at once.
    What holds is told as soon as there is a report again."""
    guest_commands: Share = Share(0.5, 50)
    """What one player sends to a table at which they have none."""
    strangers_commands: Share = Share(5, 100)
    """What all who have no seat at a table send to it together; what the gateway answers itself does not count."""
    entrants_commands: Share = Share(1, 5_000)
    """What all who ask to enter one tournament and have the money, or a ticket, send together: the rush of a
    registration, and then a little."""
    entered_commands: Share = Share(0.01, 50)
    """What one who takes part sends to a tournament, which remembers it for a day."""
    penniless_commands: Share = Share(0.2, 10)
    """How often one player who has not the money may ask for seats, at all tables together."""
    all_penniless_commands: Share = Share(20, 200)
    """The same of all such players together; who has not asked for a while pays nothing of it.
    Each costs the wallet two look-ups."""
    subscriptions: Share = Share(0.5, 50)
    """How often one player begins to watch the same table; each may be reported to it."""
