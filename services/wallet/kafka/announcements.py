"""Looks up whether people have asked for a tournament: in what it tells, and in the commands behind that."""

import asyncio
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from typing import Protocol

from libs.contracts.commands import Command
from libs.contracts.facts import Fact
from libs.contracts.messages import PublicEvent, time_of
from libs.contracts.people import same_person
from libs.contracts.registry import wire_name
from libs.contracts.topics import partition_of, topic
from libs.contracts.tournaments_events import (
    CancellationProposed,
    TournamentAnnounced,
    TournamentCancelled,
    TournamentProposed,
)
from libs.journal.interest import Interest
from libs.journal.log import Fetched, LogUnavailable, OffsetOutOfRange
from libs.journal.machine import MAX_SKEW_MS
from libs.journal.marks import Marking
from libs.policies.handler import read_event
from services.wallet.kafka.wishes import Reader
from services.wallet.machine import HORIZON_MS
from services.wallet.policies.announcements import (
    ASKED,
    FRESH_MS,
    TOLD,
    Saying,
    Word,
    Words,
    asked_by,
    command_of,
    of_tournament,
    saying,
)

_REMEMBERED = 20_000
_PAGE = 500
_WAIT_MS = 50
_STEP = 100_000
"""Records that are read at once on the way back to a tournament's announcement; what is read is read once."""
_MOST = 100_000
"""Commands in one stretch that an event makes us look through."""
_PATIENCE_S = 120.0
_SLACK_MS = 5_000
_HOUR_MS = 3_600_000
_NAMES = frozenset(map(wire_name, TOLD))
_TRIED = 8
"""Words of a kind that are looked up until one is somebody's."""
_KNOWN = 100_000
"""Tournaments whose words are held, some 1.1 kB each; then all are read anew as they are asked for. Not fewer: who has
the tournament's login can make it read a whole partition, which it does once, and not for each that is made up."""
_AGAIN_MS = 10_000
"""So long nobody's word is taken for nobody's, and not looked up again."""


class Log(Protocol):
    async def reader(self, topic: str, partition: int, interest: Interest | None = None) -> Reader: ...


class Announcements:
    """Of the tournaments in the partitions whose events this process answers."""

    def __init__(
        self, log: Log, marks: Marking, partitions: int, prefix: str = "",
        now: Callable[[], int] = lambda: time.time_ns() // 1_000_000, lasts_ms: int = HORIZON_MS,
    ) -> None:  # fmt: skip
        """`lasts_ms`: how old an event may be and the wallet decides what follows from it."""
        self._log = log
        self._marks = marks
        self._partitions = partitions
        self._events = prefix + topic("tournament", "events").name
        self._commands = prefix + topic("tournament", "commands").name
        self._now = now
        self._lasts_ms = lasts_ms
        self._told: dict[str, Words] = {}
        self._read_from: dict[int, int] = {}
        """By partition, and to where: what was read of the events, without a gap."""
        self._read_to: dict[int, int] = {}
        self._judged: OrderedDict[str, tuple[str | None, int]] = OrderedDict()
        """By tournament: why not, and when that was found."""

    async def why_not(self, event: PublicEvent, fact: Fact) -> str | None:
        """Why nothing may follow from this event, in a few words; None: nobody has to be asked, or people have.

        What is so old that the wallet decides it no more is left to the wallet. Raises `LogUnavailable`, and
        `TimeoutError` where much had to be read, which then goes on from there.
        """
        try:
            tournament = of_tournament(event, fact)
        except ValueError:
            return "it speaks of another tournament"
        if tournament is None or event.time < self._now() - self._lasts_ms - _HOUR_MS:
            return None
        async with asyncio.timeout(_PATIENCE_S):
            if isinstance(fact, TournamentProposed):
                return await self._why_not_proposed(tournament, saying(fact, event))
            why = await self._why_not_announced(tournament)
            if why is None and isinstance(fact, TournamentCancelled) and fact.confirmed_by:
                why = await self._why_not_cancelled(tournament, saying(fact, event))
        return why

    async def _why_not_proposed(self, tournament: str, said: Saying) -> str | None:
        """Its own word has to be somebody's, and the first that is: judged as it is heard, for once its command is gone
        nobody can tell. What was told before that was judged as it was heard, too, and the pool has its terms."""
        await self._find(tournament, since=self._now() - FRESH_MS - HORIZON_MS)
        if said not in self._words(tournament):
            await self._find(tournament, whole=True)
        first = await self._first(tournament, self._words(tournament).of(TournamentProposed), TournamentProposed)
        if first is None:
            return "no gateway has brought its proposal"
        return None if first == self._words(tournament).get(said) else "another proposal was there before"

    async def _why_not_announced(self, tournament: str) -> str | None:
        """What is told last may be told by who has the login alone: before that is believed to be nobody's wish, all is
        read that was told before."""
        if (judged := self._judged.get(tournament)) is not None:
            why, at = judged
            if why is None or at > self._now() - _AGAIN_MS:
                return why
        await self._find(tournament)
        why = await self._judge(tournament)
        if why is not None and self._words(tournament).whole:
            await self._find(tournament, whole=True)
            why = await self._judge(tournament)
        if self._words(tournament).whole:  # else it may be told yet
            self._judged[tournament] = why, self._now()
        while len(self._judged) > _REMEMBERED:
            self._judged.popitem(last=False)
        return why

    async def _judge(self, tournament: str) -> str | None:
        """The second person has named the rules of the first one's word."""
        words = self._words(tournament)
        proposed, approved = words.of(TournamentProposed), words.of(TournamentAnnounced)
        if not proposed or not approved:
            return f"nobody has {'approved' if proposed else 'proposed'} this tournament"
        why = "no gateway has brought its proposal"
        for word in proposed[:_TRIED]:
            if await self._is_nobodys(tournament, word, TournamentProposed):
                continue
            others = [each._replace(rules=word.rules) for each in approved if not same_person(each.by, word.by)]
            if await self._first(tournament, others, TournamentAnnounced) is not None:
                return None
            why = "no gateway has brought its approval" if others else "one person alone has announced this tournament"
        return why

    async def _why_not_cancelled(self, tournament: str, said: Saying) -> str | None:
        """Two people: the confirmation alone may be one that was refused, for nothing was proposed."""
        if said not in self._words(tournament):
            await self._find(tournament)
        words = self._words(tournament)
        confirmed = words.get(said)
        if confirmed is None or await self._is_nobodys(tournament, confirmed, TournamentCancelled):
            return "no gateway has brought its cancellation"
        proposed = [word for word in words.of(CancellationProposed) if word < confirmed]
        others = [word for word in reversed(proposed) if not same_person(word.by, confirmed.by)]
        first = await self._first(tournament, others, CancellationProposed)
        return None if first is not None else "no gateway has brought the proposal of its cancellation"

    async def _first(self, tournament: str, words: Sequence[Word], kind: type[Fact]) -> Word | None:
        """The first that somebody has asked, of the first few."""
        for word in words[:_TRIED]:
            if not await self._is_nobodys(tournament, word, kind):
                return word
        return None

    def _words(self, tournament: str) -> Words:
        return self._told.get(tournament, Words())

    async def _find(self, tournament: str, *, whole: bool = False, since: int | None = None) -> None:
        """As it is told: in what is new, or, step by step, in what was told before; `whole`: in all of it. No further
        back than `since`, milliseconds since the epoch by the broker's clock."""
        partition = partition_of(tournament, self._partitions)
        if len(self._told) > _KNOWN:
            for each in (self._told, self._read_from, self._read_to):
                each.clear()
        reader = await self._log.reader(self._events, partition, Interest(_NAMES))
        try:
            end, bottom = await reader.end(), 0 if since is None else await reader.since(since)
            start = self._read_to.setdefault(partition, end)
            self._read_from.setdefault(partition, end)
            async for page in _pages(reader, start, end):
                self._note(page)
                self._read_to[partition] = page.position
            while self._read_from[partition] > bottom and (whole or not self._words(tournament).whole):
                begin = max(bottom, self._read_from[partition] - _STEP)
                async for page in _pages(reader, begin, self._read_from[partition]):
                    self._note(page)
                self._read_from[partition] = begin
        finally:
            await reader.close()

    def _note(self, page: Fetched) -> None:
        for record in page.records:
            if isinstance(read := read_event(record, _NAMES), tuple):
                event, fact = read
                self._told.setdefault(event.stream, Words()).note(fact, event, record.offset, record.timestamp)

    async def _is_nobodys(self, tournament: str, word: Word, kind: type[Fact]) -> bool:
        if word.taken_at < self._now() - FRESH_MS:
            return False
        return await self._asked(tournament, word, ASKED[kind]) != word.by

    async def _asked(self, tournament: str, word: Word, wanted: type[Command]) -> str | None:
        """By whom. It says itself when it was made, and lies near there; one whose key is older, near its event."""
        if (command := command_of(word)) is None:
            return None
        place = self._commands, partition_of(tournament, self._partitions)
        reader = await self._log.reader(*place)
        try:
            begin = await reader.since(min(time_of(command), word.taken_at) - MAX_SKEW_MS)
            end = await reader.since(word.taken_at + _SLACK_MS)
            for start, stop in _stretches(begin, end):
                async for page in _pages(reader, start, stop):
                    for record in page.records:
                        by = asked_by(record.value or b"", word, tournament, wanted)
                        if by is not None and self._marks.why_not_asked(place, record) is None:
                            return by
            return None
        finally:
            await reader.close()


def _stretches(begin: int, end: int) -> Iterator[tuple[int, int]]:
    near = min(begin + _MOST, end)
    yield begin, near
    yield max(near, end - _MOST), end


async def _pages(reader: Reader, start: int, end: int) -> AsyncIterator[Fetched]:
    position = start
    while position < end:
        try:
            fetched = await reader.read(position, _PAGE, _WAIT_MS)
        except OffsetOutOfRange:
            raise LogUnavailable("retention was faster") from None
        position = fetched.position
        yield fetched
