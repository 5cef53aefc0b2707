"""Failed logins by address: counted, told, answered ever more slowly, and after too many of them locked for a while."""

from asyncio import sleep as wait
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field

from prometheus_client import Counter

from libs.edge.problems import Problem
from libs.telemetry import get_logger

FAILED = Counter("croupier_failed_logins", "Tokens that were forged, unknown or malformed", ("kind",))
LOCKED = Counter("croupier_login_locks", "Addresses locked for too many failed logins")
FREE = 3
"""Failures that are answered at once."""
SLOWEST_S = 2.0
MAX_ADDRESSES = 50_000
MAX_KNOWN = 100_000
_log = get_logger(__name__)


@dataclass(slots=True)
class _Failures:
    count: int = 0
    last: float = 0.0
    locked_until: float = 0.0


@dataclass(slots=True)
class Attempts:
    """`clock` gives seconds that never go back.

    Who came in from an address before it was locked goes on there; nobody new does, with whatever token.
    """

    most: int
    """Failures after which an address is locked."""
    lock_s: float
    clock: Callable[[], float]
    _failed: OrderedDict[str, _Failures] = field(default_factory=OrderedDict, repr=False)
    _known: OrderedDict[tuple[str, str], None] = field(default_factory=OrderedDict, repr=False)

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
        _log.warning("login failed", address=address, kind=kind, failures=told.count)
        if told.count >= self.most and told.locked_until <= now:
            told.locked_until = now + self.lock_s
            LOCKED.inc()
            _log.error("logins locked", address=address, failures=told.count, seconds=self.lock_s)
        await wait(min(SLOWEST_S, 0.1 * 2 ** (told.count - FREE)) if told.count > FREE else 0)
        if told.locked_until > now:
            raise _locked(told.locked_until - now)

    def came_in(self, address: str, who: str) -> None:
        """`Problem` 429 where the address is locked and this one was never let in from there before."""
        known = (address, who)
        failures = self._failed.get(address)
        if known not in self._known and failures is not None and failures.locked_until > self.clock():
            raise _locked(failures.locked_until - self.clock())
        self._known[known] = None
        self._known.move_to_end(known)
        if len(self._known) > MAX_KNOWN:
            self._known.popitem(last=False)


def _locked(seconds: float) -> Problem:
    return Problem(
        429,
        "logins-locked",
        "Too many failed logins came from this address; nobody new is let in from there for a while.",
        headers={"retry-after": str(max(1, round(seconds)))},
    )
