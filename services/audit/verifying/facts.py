"""All checks on facts, per stream: give it the events of every service in order, ask at the end for what spans two.

What spans two is kept on disk, for it grows with history; folds of streams go with their partition.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from libs.contracts.facts import Fact, TableEvent, TournamentEvent, WalletEvent
from libs.contracts.messages import PublicEvent
from libs.contracts.versions import Accepted, accepts
from libs.sealing.deck import ShuffledCards
from services.audit.verifying.accounts import Account, check_account
from services.audit.verifying.chips import Chips, check_chips
from services.audit.verifying.dealt import Decks
from services.audit.verifying.decks import check_deck
from services.audit.verifying.findings import Finding, Kind
from services.audit.verifying.kept import Kept, KeptSet
from services.audit.verifying.sittings import GRACE_MS, Sitting, check_sitting, note, sitting_of
from services.audit.verifying.tournaments import (
    Passage,
    TournamentMoney,
    check_end,
    check_passage,
    check_tournament,
    note_passages,
)


@dataclass(slots=True)
class FactChecks:
    """The folds of every stream."""

    chips: dict[str, Chips] = field(default_factory=dict)
    decks: dict[str, Decks] = field(default_factory=dict)
    accounts: dict[str, Account] = field(default_factory=dict)
    versions: dict[tuple[str, str], int] = field(default_factory=dict)
    """By service and stream: two services may have a stream of one name."""
    sittings: Kept[str, Sitting] = field(default_factory=lambda: Kept(Sitting))
    tournaments: dict[str, TournamentMoney] = field(default_factory=dict)
    passages: Kept[str, Passage] = field(default_factory=lambda: Kept(Passage))
    references: KeptSet[str] = field(default_factory=KeptSet)

    def take(self, event: PublicEvent, fact: Fact, deck: ShuffledCards | None = None) -> Iterator[Finding]:
        """`deck` is the one that came sealed with a hand, round or shoe."""
        yield from self._version(event)
        if name := sitting_of(fact):
            sitting = self.sittings.get(name) or Sitting()
            note(sitting, event, fact)
            self.sittings[name] = sitting
        if isinstance(fact, TableEvent):
            yield from check_chips(self.chips.setdefault(event.stream, Chips()), event, fact)
            yield from check_deck(self.decks.setdefault(event.stream, Decks()), event, fact, deck)
        if isinstance(fact, WalletEvent):
            account = self.accounts.setdefault(event.stream, Account())
            yield from check_account(account, event, fact, self.references)
        if isinstance(fact, TournamentEvent):
            yield from check_tournament(self.tournaments.setdefault(event.stream, TournamentMoney()), event, fact)
        note_passages(self.passages, event, fact)

    def partition_over(self) -> Iterator[Finding]:
        """Once a partition of a service has been read: nothing more comes of its streams, and they are forgotten."""
        yield from self._tournaments()
        for folds in (self.chips, self.decks, self.accounts, self.versions, self.tournaments):
            folds.clear()

    def end(self, now: int, grace_ms: int = GRACE_MS) -> Iterator[Finding]:
        """Once everything has been read. What is younger than `grace_ms` at `now` may still be on its way."""
        for name, sitting in self.sittings.items():
            yield from check_sitting(name, sitting, now, grace_ms)
        for name, passage in self.passages.items():
            yield from check_passage(name, passage, now, grace_ms)
        yield from self._tournaments()

    def _tournaments(self) -> Iterator[Finding]:
        for stream, money in self.tournaments.items():
            yield from check_end(stream, money)

    def _version(self, event: PublicEvent) -> Iterator[Finding]:
        stream = event.service, event.stream
        last = self.versions.get(stream, 0)
        self.versions[stream] = event.version
        if accepts(last, event.version) is not Accepted.YES:
            yield Finding(Kind.VERSION_BROKEN, event.stream, f"version {event.version} follows {last}", event.version)
