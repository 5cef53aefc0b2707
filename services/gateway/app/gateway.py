"""Everything the two doors of the gateway, HTTP and WebSocket, have in common."""

import hmac
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from libs.contracts.messages import Principal
from libs.edge.problems import Problem
from libs.sealing.secret import SecretBytes
from services.gateway.app.commands import CommandDesk
from services.gateway.app.floor import Floor
from services.gateway.app.presence import Presence
from services.gateway.app.sessions import Sessions
from services.gateway.app.wallet_reads import WalletReads
from services.gateway.views.messages import text_of
from services.gateway.ws.fan_out import FanOut
from services.gateway.ws.outbox import Outbox

OPERATOR = Principal("operator", "operator")
STAFF = Principal("staff", "operator")
"""The operator platform speaks for its staff; its own users and roles are its own matter."""


@dataclass(slots=True)
class Gateway:
    """The parts, chosen in `wiring.py`."""

    sessions: Sessions
    desk: CommandDesk
    floor: Floor
    fan_out: FanOut
    wallet: WalletReads
    complaints: str = ""
    """How to complain, in the operator's words (pt-811-2015 66)."""
    key: SecretBytes = field(default_factory=lambda: SecretBytes(b""), repr=False)
    """Shared with the table's follower: opens private deals, seals what players write and dealers scan."""
    presence: Presence = field(init=False)
    outbox: Outbox = field(default_factory=Outbox)
    now: Callable[[], int] = field(default=lambda: time.time_ns() // 1_000_000)

    def __post_init__(self) -> None:
        self.presence = Presence(self.desk, self.floor)

    def digest_of(self, kind: str, value: str) -> str:
        """A keyed digest that stands for a device or address in the log: equal for equal values, not reversible."""
        key = hmac.digest(self.key.reveal(), b"signal", "sha256")
        return hmac.digest(key, f"{kind}\x1f{value}".encode(), "sha256").hex()[:32]

    def messages(self, table: str) -> list[dict[str, Any]]:
        """What players wrote at a table, opened; only what was delivered."""
        found = []
        for sent in self.floor.tables.messages(table):
            text = text_of(self.key.reveal(), sent)
            if text is not None:
                found.append({"message": sent.message, "player": sent.player, "text": text, "at": sent.at})
        return found

    def known_table(self, table: str) -> str:
        """The table's id; `Problem` 404 for one that was never opened: no stream is made up by a typing error."""
        if not self.floor.knows(table):
            raise Problem(404, "unknown-table", "There is no such table.")
        return table
