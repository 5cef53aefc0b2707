"""What every replay shares: the table before, a deck that deals the record's cards, the play, and the comparison."""

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar, cast

from libs.cards.card import DECK, Card, parse, parse_all
from libs.cards.ranking import five_strength
from libs.contracts.bank_commands import ApproveBankChange
from libs.contracts.bank_events import OPENING
from libs.contracts.commands import TableCommand
from libs.contracts.facts import TableEvent
from libs.contracts.messages import Principal, PublicEvent
from libs.contracts.poker_commands import Act
from libs.contracts.poker_events import CardsShown, HandStarted, StreetDealt
from libs.contracts.registry import encode_fact
from libs.contracts.table_commands import ConfirmSeat, OpenTable, TakeSeat, WakeTable
from libs.contracts.table_events import DeckCard
from libs.decider import Given, Rejected
from libs.sealing.deck import Deck
from libs.sealing.merkle import verify_card
from libs.sealing.shuffle import MAX_SEATS, Shuffle
from services.audit.verifying.pot_rules import terms_of
from services.audit.verifying.pots import Pots, check_pots
from services.cli.replaying.record import NotARecord
from services.table.domain.games.game import Fresh
from services.table.domain.table.decide import decide
from services.table.domain.table.evolve import TableT

Told = TypeVar("Told", bound=TableEvent)
TIMER = Principal("timer", "replay")
STAFF = Principal("staff", "replay")
_SECOND = Principal("staff", "replay-2")
SECOND = Principal("staff", "replay-2")
STEP_MS = 1_000
DECISION_MS = 20_000
NO_SECRET = bytes(32)
"""A replay hides nothing: its cards stand in the record."""
_NOTHING = type("Nothing", (), {"__repr__": lambda _: "nothing"})()
"""Equal to no claim."""
BANK = 10**12
"""A bank that pays whatever a record asks; records say nothing of one."""


@dataclass(slots=True)
class Outcome:
    """What the replay of one hand found; no differences means that the record and the rules agree."""

    id: str
    title: str
    ruleset: str
    differences: list[str] = field(default_factory=list)
    legal_ranges: int = 0
    refusals: int = 0
    events: int = 0
    variant: str = ""
    """PHH's code of the game; empty for worked hands."""
    scale: int = 1
    """What the record's amounts were multiplied by to be whole."""
    not_dealt: str | None = None
    """Why the house does not deal this hand."""
    no_record: str | None = None
    """Why it can't be read, and where."""

    @property
    def agrees(self) -> bool:
        return not self.differences and self.not_dealt is None and self.no_record is None

    def compare(self, what: str, expected: Any, got: Any) -> None:
        """Of fields by name only those that the record has; maps by seat and lists have to be complete."""
        by_name = isinstance(expected, dict) and expected and all(isinstance(name, str) for name in expected)
        if by_name and isinstance(got, dict):
            for name, value in expected.items():
                self.compare(f"{what} {name}".lstrip(), value, got.get(name, _NOTHING))
        elif isinstance(expected, list) and isinstance(got, list) and len(expected) == len(got):
            for number, (value, other) in enumerate(zip(expected, got, strict=True), 1):
                self.compare(f"{what} {number}", value, other)
        elif expected != got:
            self.differences.append(f"{what}: expected {expected}, got {got}")


class Replay:
    """The state of one replay: the table, the clock, and the events not yet accounted for.

    `lined` are the events that the record has a line for; `fresh` is the deck or shoe of the hand.
    """

    def __init__(self, state: Any, outcome: Outcome, fresh: Fresh, lined: tuple[type[TableEvent], ...] = ()) -> None:
        self.state = self.seen = state
        """The table as it is, and as it was after the last event that a line has been compared with."""
        self.outcome = outcome
        self.fresh = fresh
        self.lined = lined
        self.now = 0
        self.told: list[TableEvent] = []
        self.pending: deque[tuple[TableEvent, Any]] = deque()
        """With the table after each."""

    def send(self, by: Principal, command: TableCommand) -> Rejected | None:
        answer = decide(self.state, command, Given(self.now, self.fresh, by))
        if isinstance(answer, Rejected):
            return answer
        self.told += answer.events
        self.pending += zip(answer.events, answer.states, strict=True)
        self.state = answer.states[-1] if answer.states else self.state
        return None

    def wake(self) -> None:
        self.send(TIMER, WakeTable(due=self.now))

    def demand(self, what: str, by: Principal, command: TableCommand) -> None:
        """A refusal is a difference."""
        refused = self.send(by, command)
        self.outcome.compare(f"{what} is refused as", None, refused.reason if refused is not None else None)

    def demand_void(self, command: TableCommand) -> None:
        """Once cards are out two of the staff have to say so."""
        for by in (STAFF, _SECOND):
            if self.state.in_round:
                self.demand("void", by, command)

    def act(self, seat: int, act: Any, to: int | None) -> Rejected | None:
        """What the player in the seat says; only a bet or raise has an amount."""
        return self.send(
            self.player(seat),
            Act(hand=self.state.hands, seat=seat, act=act, to=to if act in ("bet", "raise") else None),
        )

    def player(self, seat: int) -> Principal:
        sitter = self.state.seats.get(seat)
        return Principal("player", sitter.player if sitter is not None else "nobody")

    def catch_up(self) -> None:
        """What was told without a line of its own, such as a card scanned, is behind us."""
        while self.pending and not isinstance(self.pending[0][0], self.lined):
            _, self.seen = self.pending.popleft()

    def peek(self) -> TableEvent | None:
        return next((event for event, _ in self.pending if isinstance(event, self.lined)), None)

    def next(self) -> TableEvent | None:
        """The next event that the record has a line for."""
        self.catch_up()
        if not self.pending:
            return None
        event, self.seen = self.pending.popleft()
        return event

    def all(self, kind: type[Told]) -> list[Told]:
        return [event for event in self.told if isinstance(event, kind)]

    def end(self) -> None:
        """Nothing that needs a line may be left without one."""
        left = [type(event).__name__ for event, _ in self.pending if isinstance(event, self.lined)]
        self.outcome.compare("events without a line in the record", [], left)
        self.outcome.events = len(self.told)

    def compare_proofs(self, what: str, root: tuple[str, int], cards: Iterable[DeckCard]) -> None:
        """Every card in the open was committed to before the first card; `root` comes with its number of leaves."""
        for card in cards:
            proof, salt = [bytes.fromhex(step) for step in card.proof], bytes.fromhex(card.salt)
            proved = verify_card(bytes.fromhex(root[0]), card.position, parse(card.card), salt, proof, root[1])
            self.outcome.compare(f"{what} {card.card} is proved", True, proved)


def compare_results(replay: Replay) -> None:
    """Of a hand of poker: the auditor, who has rules of its own, finds the same winners, payments and charges."""
    pots = Pots(terms=terms_of(replay.state.rules))
    for version, fact in enumerate(replay.told, 1):
        name, data = encode_fact(fact)
        event = PublicEvent(stream=fact.table, version=version, type=name, time=fact.at, causation="replay", data=data)
        replay.outcome.differences += [f"auditor: {finding.detail}" for finding in check_pots(pots, event, fact)]


def compare_shown_cards(replay: Replay) -> None:
    """Of a hand of poker: board and showdown were committed to."""
    for event in replay.told:
        if isinstance(event, StreetDealt | CardsShown):
            started = replay.all(HandStarted)[0]
            replay.compare_proofs(type(event).__name__, (started.deck_root, started.deck_leaves), event.cards)


def as_strong(said: Sequence[str], used: Sequence[str]) -> bool:
    """Whether five cards of the record are as good as the five that the rules took."""
    return len(set(said)) == len(used) and five_strength(parse_all(said)) == five_strength(parse_all(used))


def seated(table: TableT, opening: OpenTable, stacks: Mapping[int, tuple[str, int]]) -> TableT:
    """Opened and seated by commands: by seat the player and what they bring."""
    state = told(table, STAFF, opening)
    if opening.bank:
        state = told(state, SECOND, ApproveBankChange(change=OPENING, direction="top_up", amount=opening.bank))
    for seat, (player, amount) in stacks.items():
        sitting = f"{table.table}-{seat}"
        state = told(state, Principal("player", player), TakeSeat(reservation=sitting, seat=seat, amount=amount))
        state = told(state, Principal("policy", "replay"), ConfirmSeat(reservation=sitting))
    return state


def told(state: TableT, by: Principal, command: TableCommand) -> TableT:
    """The state after the command; NotARecord with the reason of a refusal."""
    answer = decide(state, command, Given(0, None, by))
    if isinstance(answer, Rejected):
        raise NotARecord(f"the record's table is refused: {answer.reason} {answer.detail}")
    return cast(TableT, answer.states[-1]) if answer.states else state


def bounds(stacks: Sequence[int]) -> dict[str, Any]:
    """Buy-in bounds made to fit the stacks, and no waiting between hands."""
    most = max(stacks)
    return {"buy_in_min": min(stacks), "buy_in_max": most, "top_up_to": most, "between_hands_ms": 0}


def stacked(holes: Sequence[Sequence[Card | None]], streets: Sequence[Sequence[Card | None]], burn: bool) -> Shuffle:
    """Laps of hole cards in order of dealing (pt-811-2015 49, 50; mo-97-2010 3.2, 6.1), then the board.

    None is a card that nobody knows. NotARecord when a card stands in two places, or the deck is too small.
    """
    places: dict[int, Card | None] = {
        lap * len(holes) + n: card for n, hole in enumerate(holes) for lap, card in enumerate(hole)
    }
    position = len(places)
    for street in streets:
        position += burn
        for card in street:
            places[position] = card
            position += 1
    known = [card for card in places.values() if card is not None]
    if len(set(known)) != len(known):
        raise NotARecord("a card stands in two places")
    if max(places, default=0) >= len(DECK):
        raise NotARecord("there are more cards than in a deck")
    rest = iter([card for card in DECK if card not in known])
    cards = tuple(next(rest) if (given := places.get(position)) is None else given for position in DECK)
    return Shuffle(Deck.of(cards, NO_SECRET, NO_SECRET), tuple(range(1, MAX_SEATS + 1)))
