"""All checks on facts, per stream: give it the events of every service in order, ask at the end for what spans two.

What spans two is kept on disk, for it grows with history; folds of streams go with their partition.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, fields
from typing import Any, TypeVar

from libs.contracts.facts import Fact, TableEvent, TournamentEvent, WalletEvent
from libs.contracts.messages import PublicEvent
from libs.contracts.versions import Accepted, accepts
from libs.sealing.deck import ShuffledCards
from services.audit.verifying.accounts import Account, check_account
from services.audit.verifying.chips import Chips, check_chips
from services.audit.verifying.dealt import Decks, PublicDecks
from services.audit.verifying.decks import check_deck
from services.audit.verifying.fees import Fee, check_fee, fee_of, is_answered, note_fee
from services.audit.verifying.findings import Finding, Kind
from services.audit.verifying.kept import Kept, KeptSet, Store
from services.audit.verifying.pots import Pots, check_pots
from services.audit.verifying.sittings import GRACE_MS, Sitting, check_sitting, is_over, note, sitting_of
from services.audit.verifying.tournaments import (
    Passage,
    TournamentMoney,
    check_end,
    check_passage,
    check_tournament,
    note_passages,
)

FoldT = TypeVar("FoldT")
_COUNTS = ("hands", "cards_proved", "decks_opened", "hands_ended", "hands_voided", "rounds_settled", "rounds_voided")
"""What is counted for the report: of this walk alone."""


class Folds(dict[str, FoldT]):
    """Of a partition's streams. With a store, what an earlier walk left of a stream is there when it is asked for."""

    def __init__(self, kind: Any = None, store: Store | None = None, name: str = "") -> None:
        super().__init__()
        self._kept: Kept[str, Any] | None = Kept(kind, store, name) if store is not None else None

    def setdefault(self, stream: str, fresh: FoldT) -> FoldT:
        if stream not in self:
            self[stream] = fresh
            if self._kept is not None and (left := self._kept.get(stream)) is not None:
                for each in fields(left):
                    setattr(fresh, each.name, 0 if each.name in _COUNTS else getattr(left, each.name))
        return self[stream]

    def over(self, as_kept: Callable[[FoldT], Any] = lambda fold: fold) -> None:
        """Nothing more comes of these streams in this walk."""
        if self._kept is not None:
            self._kept.update((stream, as_kept(fold)) for stream, fold in self.items())
        self.clear()


def _public(decks: Decks) -> PublicDecks:
    """Without the cards: they lie sealed in the table's own state, and nowhere else."""
    return PublicDecks(**{each.name: getattr(decks, each.name) for each in fields(PublicDecks)})


@dataclass(slots=True)
class FactChecks:
    """The folds of every stream."""

    chips: Folds[Chips] = field(default_factory=Folds)
    decks: Folds[Decks] = field(default_factory=Folds)
    pots: Folds[Pots] = field(default_factory=Folds)
    accounts: Folds[Account] = field(default_factory=Folds)
    versions: dict[tuple[str, str], int] = field(default_factory=dict)
    """By service and stream: two services may have a stream of one name."""
    sittings: Kept[str, Sitting] = field(default_factory=lambda: Kept(Sitting))
    fees: Kept[str, Fee] = field(default_factory=lambda: Kept(Fee))
    tournaments: Folds[TournamentMoney] = field(default_factory=Folds)
    passages: Kept[str, Passage] = field(default_factory=lambda: Kept(Passage))
    references: KeptSet[str] = field(default_factory=KeptSet)

    @classmethod
    def going_on(cls, store: Store) -> "FactChecks":
        """With what an earlier walk left in the store, and leaving there what this one knows."""
        return cls(
            Folds(Chips, store, "chips"),
            Folds(PublicDecks, store, "decks"),
            Folds(Pots, store, "pots"),
            Folds(Account, store, "accounts"),
            sittings=Kept(Sitting, store, "sittings"),
            fees=Kept(Fee, store, "fees"),
            tournaments=Folds(TournamentMoney, store, "tournaments"),
            passages=Kept(Passage, store, "passages"),
            references=KeptSet(store, "references"),
        )

    def wake(self, service: str, stream: str, version: int, deck: ShuffledCards | None) -> None:
        """A stream that an earlier walk has left at this version, and with these cards in play, goes on."""
        self.versions.setdefault((service, stream), version)
        if deck is not None and stream not in self.decks:
            self.decks.setdefault(stream, Decks()).deck = deck

    def take(self, event: PublicEvent, fact: Fact, deck: ShuffledCards | None = None) -> Iterator[Finding]:
        """`deck` is the one that came sealed with a hand, round or shoe."""
        yield from self._version(event)
        if name := sitting_of(fact):
            sitting = self.sittings.get(name) or Sitting()
            note(sitting, event, fact)
            self.sittings[name] = sitting
        if name := fee_of(fact):
            fee = self.fees.get(name) or Fee()
            note_fee(fee, event, fact)
            self.fees[name] = fee
        if isinstance(fact, TableEvent):
            yield from check_chips(self.chips.setdefault(event.stream, Chips()), event, fact)
            yield from check_deck(self.decks.setdefault(event.stream, Decks()), event, fact, deck)
            yield from check_pots(self.pots.setdefault(event.stream, Pots()), event, fact)
        if isinstance(fact, WalletEvent):
            account = self.accounts.setdefault(event.stream, Account())
            yield from check_account(account, event, fact, self.references)
        if isinstance(fact, TournamentEvent):
            yield from check_tournament(self.tournaments.setdefault(event.stream, TournamentMoney()), event, fact)
        note_passages(self.passages, event, fact)

    def partition_over(self) -> Iterator[Finding]:
        """Once a partition of a service has been read: nothing more comes of its streams, and they are forgotten."""
        yield from self._tournaments()
        self.decks.over(_public)
        for folds in (self.chips, self.pots, self.accounts, self.tournaments):
            folds.over()
        self.versions.clear()

    def forget_what_is_over(self) -> None:
        """Of what spans two: an earlier walk has seen both sides, and they agreed."""
        for sitting in [name for name, each in self.sittings.items() if is_over(each)]:
            del self.sittings[sitting]
        for fee in [name for name, each in self.fees.items() if is_answered(each)]:
            del self.fees[fee]
        for passage in [name for name, each in self.passages.items() if each.left == each.came]:
            del self.passages[passage]

    def end(self, now: int, grace_ms: int = GRACE_MS) -> Iterator[Finding]:
        """Once everything has been read. What is younger than `grace_ms` at `now` may still be on its way."""
        for name, sitting in self.sittings.items():
            yield from check_sitting(name, sitting, now, grace_ms)
        for name, fee in self.fees.items():
            yield from check_fee(name, fee, now, grace_ms)
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
