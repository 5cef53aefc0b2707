"""Who may have one more command remembered by a stream: a quota for each, and room kept for some (journal 13).

Nothing of this is in the rule: `busy` is no verdict and leaves no record. Only who decides counts.
"""

from functools import lru_cache
from hashlib import sha256
from typing import Literal

from libs.contracts.commands import AnyReason
from libs.contracts.messages import Principal, PrincipalKind

Standing = Literal["guest", "party", "staff", "policy", "house"]
"""Who has nothing to do with the stream, who has a part in it, staff and operators, the house's policies and the rest
of its own machinery."""
_SHARED: dict[Standing, int] = {"guest": 30, "party": 40, "staff": 92, "policy": 170, "house": 170}
"""Percent of the ring: what of it each may fill with more than the least of everybody; one alone, half of that. A
policy of the house speaks for everybody and may fill most of it; the last 15 are kept for timers and other policies."""
_ROOM: dict[Standing, int] = {"guest": 62, "party": 84, "staff": 92, "policy": 97, "house": 100}
"""Percent of the ring: how full it may be when a command of each is still let in. What players in seats can fill of it,
40 and the least of nine more, leaves room to newcomers; what newcomers can fill leaves the least to eleven seats.
Policies' commands wait for room and take what comes free: the last 3 are the timers'."""
_LEAST = 2
"""Percent of the ring that everybody may have in that room: what is kept for players suffices for eleven seats."""
_BY_KIND: dict[PrincipalKind, Standing] = {
    "player": "party",
    "staff": "staff",
    "operator": "staff",
    "timer": "house",
    "policy": "policy",
    "tournament": "house",
}


def standing_of(by: Principal) -> Standing:
    """By the kind of principal alone; what else makes a guest the machine knows."""
    return _BY_KIND[by.kind]


def has_room_for_anybody(remembered: int, cap: int) -> bool:
    """Whether not even a guest who sent all that is remembered would be turned away."""
    return why_no_room(remembered, remembered, "guest", cap) is None


def why_no_room(own: int, remembered: int, standing: Standing, cap: int) -> AnyReason | None:
    """None: there is room. `own` of the ids `remembered` by a ring of `cap` are of who asks.

    Beyond the least, a principal gets in while fewer of its commands are remembered than are still free to its
    standing. So one alone gets half of that, and of some that flood one after the other each gets half of the rest.
    """
    if 100 * (remembered + 1) > _ROOM[standing] * cap:
        return AnyReason.TOO_MANY_COMMANDS
    if 100 * own < _LEAST * cap or 100 * (own + remembered) < _SHARED[standing] * cap:
        return None
    return AnyReason.OVER_QUOTA


@lru_cache(maxsize=4096)
def mark_of(principal: str) -> int:
    """By what a ring counts a principal: 64 bits, so that a long name takes no more of a snapshot than a short one."""
    return int.from_bytes(sha256(principal.encode()).digest()[:8], "big")
