"""All checks on facts, per stream: give it the events of every service in order, ask at the end for what spans two.

What spans two is kept on disk, for it grows with history; folds of streams go with their partition.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import fields
from typing import Any, TypeVar

from libs.contracts.escrow_events import EscrowEvent
from libs.contracts.facts import Fact, TableEvent, TournamentEvent, WalletEvent
from libs.contracts.messages import PublicEvent
from libs.contracts.pool_events import PoolEvent
from libs.contracts.versions import Accepted, accepts
from libs.sealing.deck import ShuffledCards
from services.audit.verifying.accounts import Account, check_account
from services.audit.verifying.chips import Chips, check_chips
from services.audit.verifying.covering import Covering, check_pool
from services.audit.verifying.dealt import Decks, PublicDecks
from services.audit.verifying.decks import check_deck
from services.audit.verifying.escrowed import Escrowed, check_escrow
from services.audit.verifying.fees import Fee, check_fee, fee_of, is_answered, note_fee
from services.audit.verifying.findings import Finding, Kind
from services.audit.verifying.kept import Kept, KeptSet, Store
from services.audit.verifying.pots import Pots, check_pots
from services.audit.verifying.sittings import GRACE_MS, NEVER, Sitting, check_sitting, is_over, note, sitting_of
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
    """Of a partition's streams, those that are at hand. What was put by, also by an earlier walk that left it in the
    store, is there when it is asked for."""

    def __init__(self, kind: Any, store: Store, name: str, as_kept: Callable[[FoldT], Any] = lambda fold: fold) -> None:
        super().__init__()
        self._kept: Kept[str, Any] = Kept(kind, store, name)
        self._as_kept = as_kept
        self._counted: Counter[str] = Counter()
        self._met: KeptSet[str] = KeptSet(store, f"met {name}")

    def setdefault(self, stream: str, fresh: FoldT) -> FoldT:
        if stream not in self:
            self[stream] = fresh
            if (left := self._kept.get(stream)) is not None:
                for each in fields(left):
                    setattr(fresh, each.name, 0 if each.name in _COUNTS else getattr(left, each.name))
        return self[stream]

    def put_by(self, stream: str) -> None:
        """Nothing comes of this stream for a while."""
        if (fold := self.pop(stream, None)) is not None:
            for name in _COUNTS:
                self._counted[name] += getattr(fold, name, 0)
            self._met.add(stream)
            self._kept[stream] = self._as_kept(fold)

    def counted(self, name: str) -> int:
        """What this walk has counted in all streams."""
        at_hand: int = sum(getattr(each, name) for each in self.values())
        return self._counted[name] + at_hand

    def met(self) -> int:
        """How many streams this walk has met."""
        return len(self._met) + sum(stream not in self._met for stream in self)

    def over(self) -> None:
        """Nothing more comes of these streams in this walk."""
        for stream in list(self):
            self.put_by(stream)
        self._met.clear()
        self._counted.clear()


def _public(decks: Decks) -> PublicDecks:
    """Without the cards: they lie sealed in the table's own state, and nowhere else."""
    return PublicDecks(**{each.name: getattr(decks, each.name) for each in fields(PublicDecks)})


class FactChecks:
    """The folds of every stream."""

    def __init__(self, store: Store | None = None) -> None:
        """With what an earlier walk has left in the store, which this one leaves there, too."""
        folds = store or Store()
        self.chips: Folds[Chips] = Folds(Chips, folds, "chips")
        self.decks: Folds[Decks] = Folds(PublicDecks, folds, "decks", _public)
        self.pots: Folds[Pots] = Folds(Pots, folds, "pots")
        self.accounts: Folds[Account] = Folds(Account, folds, "accounts")
        self.pools: Folds[Covering] = Folds(Covering, folds, "pools")
        self.escrows: Folds[Escrowed] = Folds(Escrowed, folds, "escrows")
        self.tournaments: Folds[TournamentMoney] = Folds(TournamentMoney, folds, "tournaments")
        self.versions: dict[tuple[str, str], int] = {}
        """By service and stream: two services may have a stream of one name."""
        self.sittings: Kept[str, Sitting] = Kept(Sitting, store, "sittings")
        self.fees: Kept[str, Fee] = Kept(Fee, store, "fees")
        self.passages: Kept[str, Passage] = Kept(Passage, store, "passages")
        self.references: KeptSet[str] = KeptSet(store, "references")

    def wake(self, service: str, stream: str, version: int, deck: ShuffledCards | None) -> None:
        """A stream that was put by, also by an earlier walk, goes on at this version, and with these cards in play."""
        self.versions.setdefault((service, stream), version)
        if deck is not None and stream not in self.decks:
            self.decks.setdefault(stream, Decks()).deck = deck

    def put_by(self, service: str, stream: str) -> None:
        """Nothing comes of this stream for a while."""
        self.versions.pop((service, stream), None)
        if service == "table":
            for folds in (self.chips, self.decks, self.pots):
                folds.put_by(stream)
        elif service == "wallet":
            self.accounts.put_by(stream)
            self.pools.put_by(stream)
            self.escrows.put_by(stream)
        elif (money := self.tournaments.get(stream)) is not None and money.over and not [*check_end(stream, money)]:
            self.tournaments.put_by(stream)

    def take(
        self, event: PublicEvent, fact: Fact, deck: ShuffledCards | None = None, taken_at: int = NEVER
    ) -> Iterator[Finding]:
        """`deck` is the one that came sealed with a hand, round or shoe. `taken_at`: when the broker took its commit
        in, milliseconds since the epoch."""
        yield from self._version(event)
        if name := sitting_of(fact):
            sitting = self.sittings.get(name) or Sitting()
            note(sitting, event, fact, taken_at)
            self.sittings[name] = sitting
        if name := fee_of(fact):
            fee = self.fees.get(name) or Fee()
            note_fee(fee, event, fact)
            self.fees[name] = fee
        if isinstance(fact, TableEvent):
            yield from check_chips(self.chips.setdefault(event.stream, Chips()), event, fact)
            yield from check_deck(self.decks.setdefault(event.stream, Decks()), event, fact, deck)
            yield from check_pots(self.pots.setdefault(event.stream, Pots()), event, fact)
        if isinstance(fact, PoolEvent):
            yield from check_pool(self.pools.setdefault(event.stream, Covering()), event, fact)
        elif isinstance(fact, EscrowEvent):
            yield from check_escrow(self.escrows.setdefault(event.stream, Escrowed()), event, fact)
        elif isinstance(fact, WalletEvent):
            account = self.accounts.setdefault(event.stream, Account())
            yield from check_account(account, event, fact, self.references)
        if isinstance(fact, TournamentEvent):
            yield from check_tournament(self.tournaments.setdefault(event.stream, TournamentMoney()), event, fact)
        yield from note_passages(self.passages, event, fact, taken_at)

    def partition_over(self) -> Iterator[Finding]:
        """Once a partition of a service has been read: nothing more comes of its streams, and they are forgotten."""
        yield from self._tournaments()
        for folds in (self.chips, self.decks, self.pots, self.accounts, self.pools, self.escrows, self.tournaments):
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
