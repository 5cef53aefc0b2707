"""The journals of every service as facts: the one rule, then each service's own fold.

Only the composition root can do this: what stands in a journal is private to its service.
"""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec

from libs.contracts.facts import Fact
from libs.contracts.messages import PublicEvent
from libs.contracts.topics import topic
from libs.journal.commit import Commit
from libs.journal.fold import evolved
from libs.journal.log import Log, LogRecord
from libs.journal.machine import AnyMachine
from libs.journal.ours import check_ours
from libs.journal.publishing import public_events
from libs.journal.tail import Tail, end_of
from libs.projecting import Partition
from libs.sealing.deck import ShuffledCards
from libs.sealing.sealed import Wrapping, sealed_under
from services.audit.verifying.chain import ChainCheck
from services.audit.verifying.findings import Finding, Kind
from services.table.domain.games.registry import game_of
from services.table.machine import table_machine
from services.tournament.machine import tournament_machine
from services.wallet.machine import wallet_machine

_WAIT_MS = 500


class Unreadable(Exception):
    """A valid commit whose events can't be read: another format, changed bytes."""


@dataclass(frozen=True, slots=True)
class Told:
    """One event as it was published, with its body; for a new hand, round or shoe also its cards, unsealed."""

    event: PublicEvent
    fact: Fact
    deck: ShuffledCards | None = field(default=None, repr=False)


class Decks(msgspec.Struct):
    """Decks and shoes that one version of the key-encryption key has sealed."""

    sealed: int = 0
    lost: int = 0
    """Of these, what does not open."""
    in_play: int = 0
    """Of these, what a table was still dealing from where the journal ended."""


@dataclass(slots=True)
class Book:
    """One service's journal; keeps the states of streams it has told of, until somebody puts them by."""

    service: str
    machine: AnyMachine
    partitions: int
    """Of the house."""
    states: dict[str, Any] = field(default_factory=dict)
    broken: set[str] = field(default_factory=set)
    """Streams with an unreadable commit: what comes after it can't be told."""
    streams: int = 0
    """Of the partitions that were walked to their end."""
    decks: dict[str, Decks] = field(default_factory=dict)
    """By key id."""
    last_sealed: dict[str, str] = field(default_factory=dict)
    """Key id of the last deck of a stream, as long as its partition is walked."""

    def journal(self, prefix: str = "") -> list[Partition]:
        return [(prefix + topic(self.service, "journal").name, partition) for partition in range(self.partitions)]

    def events(self, prefix: str = "") -> list[Partition]:
        return [(prefix + topic(self.service, "events").name, partition) for partition in range(self.partitions)]

    def over(self, stream: str, state: Any) -> None:
        """Nothing more comes of a stream that has dealt: it is in this state."""
        key = self.last_sealed.pop(stream)
        if state is not None and state.configuration is not None:
            self.decks[key].in_play += game_of(state.configuration).deck_of(state) is not None

    def partition_over(self) -> None:
        """Nothing more comes of the streams that were told of."""
        self.states.clear()
        self.broken.clear()

    def tell(self, commit: Commit) -> list[Told]:
        """What a valid commit says; they must come in the order of the journal. Raises Unreadable, once per stream."""
        if commit.stream in self.broken:
            return []
        before = self.states.get(commit.stream) or self.machine.decider.initial(commit.stream)
        try:
            steps = evolved(self.machine, before, commit)
            deck = self.machine.unseal(commit.stream, commit.base, commit.sealed) if commit.sealed else None
        except Exception as wrong:  # bytes that were changed may break decoding and evolving in any way
            self.broken.add(commit.stream)
            raise Unreadable(type(wrong).__name__) from None
        if steps:
            self.states[commit.stream] = steps[-1].state
        if commit.sealed and self.service == "table":
            self._count(commit, deck)
        return [
            Told(event, step.event, deck if hasattr(step.event, "deck_root") else None)
            for event, step in zip(public_events(commit), steps, strict=True)
        ]

    def _count(self, commit: Commit, deck: ShuffledCards | None) -> None:
        key = sealed_under(commit.sealed)
        self.last_sealed[commit.stream] = key
        decks = self.decks.setdefault(key, Decks())
        decks.sealed += 1
        decks.lost += deck is None


def books(keyring: Wrapping, partitions: int) -> tuple[Book, ...]:
    """Every journal of a house of so many partitions, fresh. The keyring opens the decks."""
    return (
        Book("table", table_machine(keyring), partitions),
        Book("wallet", wallet_machine(), partitions),
        Book("tournament", tournament_machine(), partitions),
    )


async def records(
    log: Log, name: str, partition: int, end: int | None = None, start: int = 0
) -> AsyncIterator[LogRecord]:
    """Every record below `end`, from `start`; without it, all that the partition holds when this is called."""
    tail = await Tail.open(log, name, partition)
    try:
        end, position = await tail.end() if end is None else end, start
        while position < end:
            fetched = await tail.read(position, _WAIT_MS)
            for record in fetched.records:
                if record.offset >= end:
                    return
                yield record
            position = fetched.position
    finally:
        await tail.close()


async def first_since(log: Log, place: Partition, at: int) -> int:
    """Offset of the first record that the broker took in at this time (milliseconds) or later."""
    if not at:
        return 0
    reader = await log.reader(*place)
    try:
        return await reader.since(at)
    finally:
        await reader.close()


@dataclass(frozen=True, slots=True)
class Met:
    """One journal record and what it comes to; `told` is empty for void ones and rejections."""

    book: Book
    check: ChainCheck
    record: LogRecord
    commit: Commit | None
    """None: it is void, or no commit."""
    findings: Sequence[Finding]
    told: Sequence[Told] = field(repr=False)
    stream_time: int = 0
    """Of a valid one: its stream's before it (journal 13), milliseconds since the epoch."""

    @property
    def valid(self) -> bool:
        return self.commit is not None


async def journal_ends(log: Log, books: Sequence[Book], prefix: str = "") -> dict[Partition, int]:
    """How far each journal is to be read: learnt of all at once, so that on a house at play none is read up to much
    later than another. Raises `NotOurs`."""
    places = [place for book in books for place in book.journal(prefix)]
    await check_ours(log, places, prefix)
    return {place: await end_of(log, *place) for place in places}


def met(book: Book, check: ChainCheck, record: LogRecord) -> Met:
    """Judges one record and lets the service tell what it says."""
    folded, findings = check.take(record)
    told: Sequence[Told] = ()
    if folded.valid and folded.commit is not None:
        try:
            told = book.tell(folded.commit)
            lost = told and folded.commit.sealed and not any(each.deck for each in told)
            under = sealed_under(folded.commit.sealed) or "nothing"
            detail = f"the sealed cards do not open, they are under {under}" if lost else ""
        except Unreadable as wrong:
            detail = f"a valid commit that can't be read: {wrong}"
        if detail:
            place = (folded.commit.base, check.topic, check.fold.partition, folded.offset)
            findings = [*findings, Finding(Kind.DECK_UNREADABLE, folded.commit.stream, detail, *place)]
    return Met(book, check, record, folded.commit if folded.valid else None, findings, told, folded.stream_time)
