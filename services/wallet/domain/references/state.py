"""What operators' references were used for: each counts once, whatever the account. A stream holds a share of them."""

import msgspec

from services.wallet.domain.account.state import Digests, Memory


class References(msgspec.Struct, frozen=True, tag="references", gc=False):
    stream: str
    claimed: Digests = Memory()
    """Digest of operator and reference to digest of what was asked under it."""
