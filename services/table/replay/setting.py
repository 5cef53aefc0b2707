"""The table as it stood before a recorded hand, and a deck that gives everybody the recorded cards."""

from typing import Any

from msgspec.structs import replace

from libs.cards.card import DECK, Card, parse_all
from libs.decider import Given, Rejected
from libs.sealing.deck import Deck
from libs.sealing.shuffle import MAX_SEATS, Shuffle
from services.table.domain.table.commands import ConfirmSeat, OpenTable, TableCommand, TakeSeat
from services.table.domain.table.decide import decide
from services.table.domain.table.evolve import evolve
from services.table.domain.table.state import Table
from services.table.replay.record import NotARecord, Ruleset, WorkedHand

OPENED_AT = 0
DECISION_MS = 20_000
_NO_SECRET = bytes(32)
"""A replay hides nothing: its cards stand in the record."""


def table_before(hand: WorkedHand, ruleset: Ruleset) -> Table:
    """Opened and seated by commands; then the last button is put one place behind the recorded one."""
    state = _told(
        Table(table=f"replay-{hand.id}"),
        OpenTable(
            principal_kind="staff",
            principal_id="replay",
            name=hand.title[:80],
            rulebook=_rulebook(ruleset),
            configuration=configuration_of(hand, ruleset),
        ),
    )
    for player in hand.players:
        sitting = f"{hand.id}-{player.seat}"
        take = TakeSeat(
            principal_kind="player",
            principal_id=player.name,
            reservation=sitting,
            seat=player.seat,
            amount=player.stack,
        )
        state = _told(state, take)
        state = _told(state, ConfirmSeat(principal_kind="policy", principal_id="replay", reservation=sitting))
    seats = sorted(state.seats)
    return replace(state, running=True, button=seats[seats.index(hand.positions.button) - 1])


def _told(state: Table, command: TableCommand) -> Table:
    events = decide(state, command, Given(OPENED_AT, None))
    if isinstance(events, Rejected):
        raise NotARecord(f"the record's table is refused: {events.reason} {events.detail}")
    for event in events:
        state = evolve(state, event)
    return state


def _rulebook(ruleset: Ruleset) -> str:
    return ruleset.regulation.removesuffix("-omaha-online").removesuffix("-omaha") + "-omaha"


def configuration_of(hand: WorkedHand, ruleset: Ruleset) -> dict[str, Any]:
    """The operator's configuration behind a rule set of the file; buy-in bounds are made to fit the stacks."""
    stacks = [player.stack for player in hand.players]
    switches = ruleset.model_dump(exclude={"regulation", "rake"})
    return {
        **switches,
        "mode": "continuous",
        "version": 1,
        "approval": "worked hands",
        "seats": max(player.seat for player in hand.players),
        "small_blind": hand.blinds.small,
        "small_blind_reason": "as recorded",
        "big_blind": hand.blinds.big,
        "buy_in_min": min(stacks),
        "buy_in_max": max(stacks),
        "top_up_to": max(stacks),
        "rake_mode": ruleset.rake.mode,
        "rake_bp": ruleset.rake.rate_bp,
        "rake_cap_big_blinds": ruleset.rake.cap_big_blinds,
        "decision_ms": DECISION_MS,
        "between_hands_ms": 0,
    }


def shuffle_for(hand: WorkedHand, ruleset: Ruleset) -> Shuffle:
    """A deck in which the recorded cards come out at their places; the other cards fill it in order."""
    places = _recorded_places(hand, ruleset)
    if len(set(places.values())) != len(places):
        raise NotARecord(f"{hand.id}: a card stands in two places")
    rest = iter([card for card in DECK if card not in places.values()])
    cards = tuple(places[position] if position in places else next(rest) for position in DECK)
    return Shuffle(Deck.of(cards, _NO_SECRET, _NO_SECRET), tuple(range(1, MAX_SEATS + 1)))


def _recorded_places(hand: WorkedHand, ruleset: Ruleset) -> dict[int, Card]:
    """Deck position to card: laps of hole cards (pt-811-2015 49, 50; mo-97-2010 3.2, 6.1), then the board."""
    seats = sorted(player.seat for player in hand.players)
    portugal = ruleset.regulation.startswith("pt-")
    start = seats.index(hand.positions.small_blind) if portugal else seats.index(hand.positions.button) + 1
    order = seats[start:] + seats[:start]
    holes = {player.seat: parse_all(player.hole) for player in hand.players}
    places = {lap * len(order) + n: holes[seat][lap] for n, seat in enumerate(order) for lap in range(4)}
    position = 4 * len(order)
    board = parse_all(hand.board.cards)
    for street in (board[:3], board[3:4], board[4:5]):
        position += ruleset.burn_before_board
        for card in street:
            places[position] = card
            position += 1
    return places
