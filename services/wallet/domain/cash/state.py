"""What one of the staff has moved alone on one day: a stream for each person, whatever account the money went to."""

import msgspec

from services.wallet.domain.account.state import Digests, Memory


class Cash(msgspec.Struct, frozen=True, tag="cash", gc=False):
    stream: str
    day: int = 0
    """Days since the epoch (UTC); what follows is of this one alone."""
    moved: dict[str, int] = {}
    """By currency, minor units."""
    counted: Digests = Memory()
    """Digest of a reference to digest of what was counted under it."""
