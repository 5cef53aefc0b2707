"""The state of one replay of casino poker: the table as it is, and as it was right after the line in hand."""

from typing import Any

from libs.contracts.facts import TableEvent
from libs.contracts.live_events import IncidentRecorded, StubReshuffled
from libs.contracts.messages import Principal
from libs.contracts.poker_events import (
    BetPlaced,
    BlindPosted,
    CardsShown,
    HandVoided,
    HoleCardsDealt,
    Payment,
    PlayerChecked,
    PlayerFolded,
    PotAwarded,
    StreetDealt,
    UncalledBetReturned,
)
from libs.contracts.table_commands import WakeTable
from libs.sealing.shuffle import Shuffle
from services.cli.replaying.casino.record import CasinoHand, Line
from services.cli.replaying.casino.setting import rulebook_of
from services.cli.replaying.play import Outcome, Replay
from services.table.domain.games.poker.state import Hand, PokerTable

HAS_A_LINE = (
    BlindPosted, HoleCardsDealt, BetPlaced, PlayerFolded, PlayerChecked, StreetDealt, CardsShown, UncalledBetReturned,
    PotAwarded, HandVoided, IncidentRecorded, StubReshuffled,
)  # fmt: skip


class LineByLine(Replay):
    """`seen` is the table after the last event that a line has been held against."""

    state: PokerTable

    def __init__(self, hand: CasinoHand, state: PokerTable, fresh: Shuffle) -> None:
        super().__init__(state, Outcome(hand.id, hand.title, rulebook_of(hand)))
        self.hand = hand
        self.fresh = fresh
        self.seen: PokerTable = state
        self.payments: list[tuple[str, Payment]] = []
        self.incidents: list[IncidentRecorded] = []
        """Recorded by themselves while cards were dealt; their lines come after that of the deal."""

    def next(self) -> TableEvent | None:
        """The next event that the record has a line for."""
        while self.pending:
            event, self.seen = self.pending.popleft(), self.afters.popleft()
            if isinstance(event, HAS_A_LINE):
                return event
        return None

    def peek(self) -> TableEvent | None:
        return next((event for event in self.pending if isinstance(event, HAS_A_LINE)), None)

    def next_but_incidents(self) -> TableEvent | None:
        while isinstance(event := self.next(), IncidentRecorded):
            self.incidents.append(event)
        return event

    def next_incident(self) -> TableEvent | None:
        return self.incidents.pop(0) if self.incidents else self.next()

    def catch_up(self) -> None:
        """What was told without a line of its own, such as a card scanned, is behind us."""
        while self.pending and not isinstance(self.pending[0], HAS_A_LINE):
            self.pending.popleft()
            self.seen = self.afters.popleft()

    def compare(self, line: Line, what: str, expected: Any, got: Any) -> None:
        self.outcome.compare(f"seq {line.seq} {what}", expected, got)

    def wake(self) -> None:
        self.send(Principal("timer", "replay"), WakeTable(due=self.now), self.fresh)


def running(state: PokerTable) -> Hand:
    assert state.hand is not None, "lines of a hand come while it runs"
    return state.hand
