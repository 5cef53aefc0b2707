"""What a table's escrow knows: by the wallet's own word what was reserved there, by people's what its bank has, and
how much of that may still come home (adr/0022)."""

import msgspec

from libs.contracts.escrow_events import HomeClaim
from services.wallet.domain.account.state import Digests, Memory


class Escrow(msgspec.Struct, frozen=True, tag="escrow", gc=False):
    stream: str
    currency: str = ""
    """Of all that lies there; empty: nothing was ever noted."""
    left: int = 0
    """What may still come home, minor units."""
    at_risk: bool = False
    """Whether it is noted what the house accepts to lose beyond the bank."""
    changes: Digests = Memory()
    """By digest of its name, each change of the bank that was noted: people make a few a day, and each counts once. Of
    reserves and of what goes home the journal remembers the commands, whose ids are the events' (journal 13)."""
    held: dict[str, HomeClaim] = {}
    """By sitting and settlement, or reserve: what is not covered yet, the oldest first."""


def name_of(claim: HomeClaim) -> str:
    return f"{claim.sitting}/{claim.reserve or claim.settlement}"
