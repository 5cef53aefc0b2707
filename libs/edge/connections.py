"""Every open connection of a port: how many there may be, in all and of one address, and who is over time."""

import asyncio
import ipaddress
import time
from collections import Counter
from collections.abc import Callable
from functools import lru_cache
from typing import Protocol

from libs.edge import metrics
from libs.edge.limits import Limits
from libs.edge.problems import Problem
from libs.edge.shares import Buckets, Share

CLOSING_S = 10.0
"""How long a connection that was closed may keep what its peer does not take."""
LINGERING = 64
"""Connections beyond all that there may be: who was refused and reads why. A quarter of `RESERVE`, on which also keys,
logs and the broker live."""
_ORDER_S = 1.0
"""So long the order of neighbourhoods by their connections holds, once it was looked at."""
_NOBODY_S = 0.1
"""So long nobody looks again once nobody gave way: to look through ten thousand that are at work takes nine
milliseconds."""
_LOOKED_AT = 8
"""Neighbourhoods that are asked to give way, those with most connections first."""


class Line(Protocol):
    """One connection, of HTTP or of a WebSocket."""

    transport: asyncio.Transport

    def look(self, now: float) -> None:
        """Ends what is over time; `now` is the loop's."""

    def is_idle(self) -> bool:
        """Whether nobody loses anything by its end: nothing was asked whole, and no player is welcome there."""


class Connections:
    """Counts by address; of a trusted proxy connections are not counted, for they are everybody's. `clock` gives
    seconds that never go back."""

    def __init__(self, limits: Limits, clock: Callable[[], float] = time.monotonic) -> None:
        self.limits = limits
        self.requests = Buckets("address", limits.address_requests, clock)
        self._bytes = Buckets("address_bytes", limits.address_bytes, clock)
        self._parts = Buckets("connection_bytes", _part(limits), clock)
        self._proxies = tuple(ipaddress.ip_network(each) for each in limits.trusted_proxies)
        self._of: Counter[str] = Counter()
        self._held: dict[Line, str] = {}
        self._closing: dict[Line, float] = {}
        self._around: dict[str, dict[Line, None]] = {}
        """By neighbourhood, the oldest first."""
        self._order: list[str] = []
        self._order_until = 0.0
        self._nobody_above, self._nobody_until = 0, 0.0
        """Who comes from where at least half as many are had nobody give way, until then."""
        self._clock = clock

    def enter(self, line: Line, peer: str) -> Problem | None:
        """Counts the connection; the reason where it is one too many: whoever gets it still has to `leave`."""
        address = "" if self.is_proxy(peer) else network_of(peer)
        self._held[line] = address
        metrics.CONNECTIONS.inc()
        if not self._admitted(line, address):
            return _too_many()
        if len(self._held) > self.limits.connections and not self._made_room(address):
            return Problem(503, "too-many-connections", "The house is full.", headers={"retry-after": "5"})
        return None

    @property
    def is_crowded(self) -> bool:
        """Whether so many are here that who is refused has no time to read why: each is a file descriptor."""
        return len(self._held) > self.limits.connections + LINGERING

    def leave(self, line: Line) -> None:
        address = self._held.pop(line, None)
        self._parts.forget(line)
        if address is not None:
            self._closing.pop(line, None)
            metrics.CONNECTIONS.dec()
        if address:
            self._of[address] -= 1
            if not self._of[address]:
                del self._of[address]
            around = self._around[neighbourhood_of(address)]
            del around[line]
            if not around:
                del self._around[neighbourhood_of(address)]

    def came_through(self, line: Line, address: str) -> Problem | None:
        """Counts a proxy's connection as its client's from now on."""
        self._held[line] = address
        return None if self._admitted(line, address) else _too_many()

    def _admitted(self, line: Line, address: str) -> bool:
        """One more of this address; counted either way, until its connection leaves."""
        if not address:
            return True
        self._of[address] += 1
        self._around.setdefault(neighbourhood_of(address), {})[line] = None
        return self._of[address] <= self.limits.address_connections

    def _made_room(self, address: str) -> bool:
        """Ends an idle connection of a neighbourhood that has more than twice as many as the newcomer's: a few
        addresses with all that they may hold keep nobody out, and who comes gets half of what others have at most."""
        most = 2 * len(self._around[neighbourhood_of(address)]) if address else 2
        now = self._clock()
        if most >= self._nobody_above and now < self._nobody_until:
            return False
        if now >= self._order_until:
            by_size = sorted(self._around, key=lambda each: len(self._around[each]), reverse=True)
            self._order, self._order_until = by_size[:_LOOKED_AT], now + _ORDER_S
        for each in self._order:
            held = self._around.get(each, {})
            if len(held) <= most:
                continue
            line = next((each for each in held if each.is_idle() and not each.transport.is_closing()), None)
            if line is not None:
                line.transport.close()
                metrics.GAVE_WAY.inc()
                return True
        self._nobody_above, self._nobody_until = most, now + _NOBODY_S
        return False

    def spend(self, line: Line, size: int) -> float:
        """Charges the connection and its address; seconds for which nothing more is read of it.

        An address is a hall or half a city as well as one person. Where it owes, a connection waits for no more than
        what it has sent above its own equal part: those who flood wait, who says little beside them does not, and who
        has just come in neither. The parts of all connections that stay are the address's share, so that they send no
        more than that. Each new one begins with a full part: what an address opens anew is not bounded by bytes (adr
        11 says why).
        """
        address = self._held.get(line)
        if not address:
            return 0.0
        return min(self._bytes.spend(address, size), self._parts.spend(line, size))

    def is_proxy(self, peer: str) -> bool:
        return bool(self._proxies) and _is_in(peer, self._proxies)

    async def sweep(self) -> None:
        """Until cancelled."""
        loop = asyncio.get_running_loop()
        while True:
            await asyncio.sleep(self.limits.sweep_s)
            now = loop.time()
            for line in list(self._held):
                self._look(line, now)

    def _look(self, line: Line, now: float) -> None:
        if line.transport.is_closing() and now - self._closing.setdefault(line, now) > CLOSING_S:
            line.transport.abort()
        else:
            line.look(now)


def _part(limits: Limits) -> Share:
    """Of an address's bytes: what each connection has where it holds as many as it may."""
    per_second, at_once = limits.address_bytes
    return Share(per_second / limits.address_connections, at_once / limits.address_connections)


def _too_many() -> Problem:
    return Problem(429, "too-many-connections", "More connections of one address than it may have.")


@lru_cache(maxsize=4096)
def network_of(peer: str) -> str:
    """Whose connections are counted together: one IPv4 address, one /64 of IPv6; what is neither, as it is."""
    try:
        address = ipaddress.ip_address(peer)
    except ValueError:
        return peer[:64]
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped is not None:
            return str(address.ipv4_mapped)
        return str(ipaddress.ip_network((int(address) >> 64 << 64, 64)))
    return str(address)


@lru_cache(maxsize=4096)
def neighbourhood_of(network: str) -> str:
    """Whose connections one person may well have all of: 256 addresses of IPv4, a /48 of IPv6 (RFC 6177); what is
    neither, as it is."""
    try:
        address = ipaddress.ip_network(network)
    except ValueError:
        return network
    return str(address.supernet(new_prefix=48 if address.version == 6 else 24))


@lru_cache(maxsize=4096)
def _is_in(peer: str, networks: tuple[ipaddress.IPv4Network | ipaddress.IPv6Network, ...]) -> bool:
    try:
        address = ipaddress.ip_address(peer)
    except ValueError:
        return False
    return any(address in network for network in networks)
