"""Who is in the groups of the house and is no process of it: told within seconds, by every auditor.

Who has a service's login at the broker may join its groups, send true members away and share partitions out as he
likes.
"""

import asyncio
import time
from collections import deque
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from aiokafka.errors import (
    GroupCoordinatorNotAvailableError,
    GroupLoadInProgressError,
    KafkaError,
    NoError,
    NotCoordinatorForGroupError,
    for_code,
)

from libs.broker.protocol import describe_groups
from libs.contracts.groups import GROUPS, Group
from libs.contracts.texts import is_clean
from libs.journal.kafka_log import KafkaLog
from libs.journal.marks import Marking
from libs.journal.members import PROTOCOL, Said, hear
from libs.projecting import Part, Pool
from services.audit.incidents import record
from services.audit.supervisor import looking_at
from services.audit.verifying.findings import Finding, Kind

EVERY_S = 2.0
FRESH_MS = 60_000
"""A mark that was made so long before the group was last seen whole is not a new member's; clocks may differ by it."""
STALL_S = 30.0
"""Who has not looked for so long does not know which marks are new."""
OFTEN, OFTEN_S = 4, 20.0
"""More joins of one instance in so many seconds are no restarts: somebody sends it away, or takes its name."""
TOLD_S = 3_600.0
"""The same of one address is told again after so long."""
_SHARES = ("consumer", PROTOCOL)
_ELSEWHERE = (NotCoordinatorForGroupError, GroupCoordinatorNotAvailableError, GroupLoadInProgressError)
_MOST_CHARACTERS = 200


class Member(NamedTuple):
    """As the broker describes it."""

    id: str
    instance: str
    """Empty: it has none."""
    host: str
    metadata: bytes
    """Shown in a stable group only."""


class Described(NamedTuple):
    """A group as the broker describes it."""

    state: str
    shares: tuple[str, str]
    """Type and name of the protocol by which its members share partitions out."""
    members: tuple[Member, ...]


class Strangers:
    """Of one group. Holds what its members have shown."""

    def __init__(self, group: Group, name: str, marks: Marking, patience_s: float) -> None:
        """`name`: with a test's prefix. `patience_s`: so long members may be joining, as where one of them has died."""
        self._group = group
        self._name = name
        self._marks = marks
        self._patience_s = patience_s
        self._looked = self._stable = float("-inf")
        self._oldest = 0
        """Marks made before this (ms) are not new."""
        self._known: set[str] = set()
        """Members there that have shown a mark of their own."""
        self._marked: dict[tuple[str, int], str] = {}
        """Which member a mark belongs to, by instance and time."""
        self._joined: dict[str, deque[float]] = {}

    def look(self, there: Described, now: float, clock: int) -> list[tuple[Member, str]]:
        """Strangers, and why each is one. `now`: seconds, of a clock that nobody sets; `clock`: ms since the epoch."""
        is_first = now - self._looked > STALL_S
        self._looked = now
        if is_first or there.state == "Stable" or not there.members:
            self._stable = now
        if there.state == "Stable":
            found = [(each, why) for each in there.members if (why := self._why(each, there.shares, is_first, now))]
            self._oldest = clock - FRESH_MS
        elif now - self._stable > self._patience_s:
            why = f"it has shown no mark, and for {self._patience_s:.0f} s the group is not shared out"
            found = [(each, why) for each in there.members if each.id not in self._known]
        else:
            found = []
        self._forget({each.id for each in there.members}, now)
        return found

    def _why(self, member: Member, shares: tuple[str, str], is_first: bool, now: float) -> str | None:
        if shares != _SHARES:
            return f"it shares out by {_shown('/'.join(shares))}, as nobody of the house does"
        said = hear(self._marks, self._group.service, self._name, member.instance, member.metadata)
        if said is None:
            return "it has no mark of this house"
        owner = self._marked.get((member.instance, said.at))
        if owner is None:
            if not is_first and (why := self._why_not_new(member, said)) is not None:
                return why
            self._marked[member.instance, said.at] = member.id
            if member.id not in self._known:
                self._joined.setdefault(member.instance, deque(maxlen=OFTEN + 1)).append(now)
        elif owner != member.id:
            return "it has the mark of another member"
        self._known.add(member.id)
        joined = self._joined.get(member.instance)
        if joined is not None and len(joined) > OFTEN and now - joined[0] < OFTEN_S:
            return f"its instance has joined more than {OFTEN} times in {OFTEN_S:.0f} s"
        return None

    def _why_not_new(self, member: Member, said: Said) -> str | None:
        if said.at < self._oldest:
            return "it has a mark of before"
        if said.is_retired and member.id not in self._known:
            return "its mark is of a retired key"
        return None

    def _forget(self, there: set[str], now: float) -> None:
        self._known &= there
        for mark, owner in list(self._marked.items()):
            if owner not in there and mark[1] < self._oldest:
                del self._marked[mark]
        for instance, joined in list(self._joined.items()):
            if now - joined[-1] > OFTEN_S:
                del self._joined[instance]


class GroupWatch:
    """`prefix` stands before the names in the table."""

    def __init__(
        self,
        log: KafkaLog,
        pool: Pool,
        prefix: str,
        patience_s: float,
        on_finding: Callable[[Finding], None] = lambda finding: None,
    ) -> None:
        self._cluster, self._marks = log.cluster, log.marks
        self._pool = pool
        named = {prefix + each.name: each for each in GROUPS}
        self._groups = {name: Strangers(each, name, log.marks, patience_s) for name, each in named.items()}
        self._reads = {name: prefix + each.reads.name for name, each in named.items()}
        self._on_finding = on_finding
        self._told: dict[tuple[str, str, str], float] = {}

    async def run(self, part: Part) -> None:
        """As `TopicWatch` does."""
        await looking_at(self._cluster, self.look, EVERY_S, part)

    async def look(self) -> None:
        now, clock = asyncio.get_running_loop().time(), int(time.time() * 1000)
        found = [
            (name, *stranger)
            for answer in await self._cluster.everywhere(describe_groups(self._groups))
            for name, there in _described(answer)
            for stranger in self._groups[name].look(there, now, clock)
        ]
        self._told = {each: at for each, at in self._told.items() if now - at < TOLD_S}
        new: dict[tuple[str, str, str], Finding] = {}
        for name, member, why in found:
            place = (name, member.host, why)
            if place not in self._told:
                new.setdefault(place, self._finding(name, member, why))
        if new:
            async with self._pool.acquire() as connection, connection.transaction():
                told = await record(connection, list(new.values()), clock, self._marks)
            self._told |= dict.fromkeys(new, now)
            for finding in told:
                self._on_finding(finding)

    def _finding(self, name: str, member: Member, why: str) -> Finding:
        who = f"member {_shown(member.id)}, instance {_shown(member.instance) or 'none'}, at {_shown(member.host)}"
        return Finding(Kind.STRANGERS, name, f"{who} is no process of the house: {why}", None, self._reads[name])


def _described(answer: Any) -> Iterable[tuple[str, Described]]:
    """Those of the groups that this node coordinates."""
    for code, name, state, kind, protocol, members, _ in answer.groups:
        error: type[KafkaError] = for_code(code)
        if error in _ELSEWHERE:
            continue
        if error is not NoError:
            raise error(name)
        there = (Member(id_, instance or "", host, metadata or b"") for id_, instance, _, host, metadata, _ in members)
        yield name, Described(state, (kind or "", protocol or ""), tuple(there))


def _shown(text: str) -> str:
    return text[:_MOST_CHARACTERS] if is_clean(text) else "?"
