"""What a table's escrow knows: by the wallet's own word what was reserved there, by people's what its bank has, and
how much of that may still come home (adr/0022)."""

import msgspec

from libs.contracts.escrow_events import HomeClaim
from services.wallet.domain.account.state import Digests, Memory


class Held(msgspec.Struct, frozen=True, array_like=True):
    """What is not covered yet."""

    claim: HomeClaim
    since: int
    """Milliseconds since the epoch."""


class Escrow(msgspec.Struct, frozen=True, tag="escrow", gc=False):
    stream: str
    left: dict[str, int] = {}
    """By currency, minor units: what may still come home. A table is played in one; a lie about it gets its own."""
    bank: str = ""
    """The bank's currency; empty: none was opened."""
    at_risk: int = 0
    """What the house accepts to lose in a round beyond it, and has not lost, minor units."""
    returned: bool = False
    """Whether the bank is closed."""
    alone_up_to: int = 0
    """What one of the staff may add to the bank alone until two have agreed again, minor units."""
    alone_left: int = 0
    """Of that, what is left."""
    changes: Digests = Memory()
    """By digest of its name, each change of the bank that was noted: people make a few a day, and each counts once. Of
    reserves and of what goes home the journal remembers the commands, whose ids are the events' (journal 13)."""
    held: dict[str, Held] = {}
    """By `name_of`, the oldest first."""


def name_of(claim: HomeClaim) -> str:
    what = f"reserve/{claim.reserve}" if claim.reserve else claim.settlement
    return f"{claim.player}/{claim.currency}/{claim.sitting}/{what}"
