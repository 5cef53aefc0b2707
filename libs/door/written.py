"""How much each login may have the broker write down, by whatever connections it comes."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

from libs.telemetry import get_logger
from libs.telemetry.figures import counter

BYTES_S, BYTES_AT_ONCE = 8 * 1024, 64 * 1024
"""Of one login's commits, joins and syncs, which wait beyond it: the broker writes seven times as much, and no quota
counts it. Eight groups that commit all of 3 × 64 partitions every five seconds come to 6 kB a second."""
_SLOWED = counter("croupier_door_slowed")
_log = get_logger(__name__)


@dataclass(slots=True)
class _Share:
    paid_at: float
    """When all that has passed so far will have had its time (the loop's clock, seconds)."""
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)


class Written:
    """Of one door. It remembers logins that the broker has called good, each no longer than it has to."""

    def __init__(self) -> None:
        self._shares: dict[str, _Share] = {}

    async def turn(self, login: str, size: int, is_gone: Callable[[], bool]) -> bool:
        """Waits until so many bytes of this login may pass, first come, first served. False: who sent them is gone
        meanwhile, and they are not counted, or a client that gives up and comes again would wait behind itself."""
        now = asyncio.get_running_loop().time
        share = self._share(login, now())
        waits = share.turn.locked()
        async with share.turn:
            if waits and is_gone():
                return False
            paid_at = max(share.paid_at, now() - BYTES_AT_ONCE / BYTES_S) + size / BYTES_S
            if waits or paid_at > now():
                _SLOWED.inc()
                _log.warning("platform slowed: its login commits or joins too much", login=login, bytes=size)
                await asyncio.sleep(paid_at - now())
                if is_gone():
                    return False
            share.paid_at = paid_at
        return True

    def _share(self, login: str, now: float) -> _Share:
        if login not in self._shares:
            whole = now - BYTES_AT_ONCE / BYTES_S
            for name, each in list(self._shares.items()):
                if each.paid_at <= whole and not each.turn.locked():  # as if it had never come
                    del self._shares[name]
            self._shares[login] = _Share(whole)
        return self._shares[login]
