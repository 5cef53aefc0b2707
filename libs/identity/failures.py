"""Failed logins by address: counted, told, answered ever more slowly, and after too many of them locked for a while."""

from asyncio import sleep as wait
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field

from libs.edge.problems import Problem
from libs.telemetry import get_logger
from libs.telemetry.figures import counter

FAILED = counter("croupier_failed_logins")
LOCKED = counter("croupier_login_locks")
FREE = 3
"""Failures that are answered at once."""
SLOWEST_S = 2.0
MAX_ADDRESSES = 50_000
_log = get_logger(__name__)


@dataclass(slots=True)
class _Failures:
    count: int = 0
    last: float = 0.0
    locked_until: float = 0.0


@dataclass(slots=True)
class Attempts:
    """`clock` gives seconds that never go back.

    Whose token is true comes in from a locked address, too: nobody guesses a signature or 256 random bits, and any page
    in a browser can send ten wrong ones from where a whole hotel, or a platform's server, comes from. Guessed passwords
    are the matter of who takes passwords, the OpenID provider.
    """

    most: int
    """Failures after which an address is locked."""
    lock_s: float
    clock: Callable[[], float]
    _failed: OrderedDict[str, _Failures] = field(default_factory=OrderedDict, repr=False)

    async def failed(self, address: str, kind: str) -> None:
        """Counts and waits; `Problem` 429 where the address is locked by now."""
        now = self.clock()
        told = self._failed.pop(address, None) or _Failures()
        if now - told.last > self.lock_s:
            told = _Failures()
        told.count, told.last = told.count + 1, now
        self._failed[address] = told
        if len(self._failed) > MAX_ADDRESSES:
            self._failed.popitem(last=False)
        FAILED.labels(kind).inc()
        if told.count <= FREE:  # one address can't hide another's first ones
            _log.warning("login failed", address=address, kind=kind, failures=told.count)
        if told.count >= self.most and told.locked_until <= now:
            told.locked_until = now + self.lock_s
            LOCKED.inc()
            _log.error("logins locked", address=address, failures=told.count, seconds=self.lock_s)
        await wait(min(SLOWEST_S, 0.1 * 2 ** min(told.count - FREE, 10)) if told.count > FREE else 0)
        if told.locked_until > now:
            raise _locked(told.locked_until - now)


def _locked(seconds: float) -> Problem:
    return Problem(
        429,
        "logins-locked",
        "Too many tokens from this address were wrong; come back with a true one.",
        headers={"retry-after": str(max(1, round(seconds)))},
    )
