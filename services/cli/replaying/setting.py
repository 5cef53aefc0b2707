"""The table as it stood before a recorded hand, and a deck that gives everybody the recorded cards."""

from collections.abc import Sequence
from typing import Any, cast

from msgspec.structs import replace

from libs.cards.card import DECK, Card, parse_all
from libs.contracts.commands import TableCommand
from libs.contracts.messages import Principal
from libs.contracts.table_commands import ConfirmSeat, OpenTable, TakeSeat
from libs.decider import Given, Rejected
from libs.sealing.deck import Deck
from libs.sealing.shuffle import MAX_SEATS, Shuffle
from services.cli.replaying.record import NotARecord, Ruleset, WorkedHand
from services.table.domain.games.poker.state import PokerTable
from services.table.domain.table.decide import decide
from services.table.domain.table.evolve import TableT

OPENED_AT = 0
DECISION_MS = 20_000
_NO_SECRET = bytes(32)
"""A replay hides nothing: its cards stand in the record."""


def table_before(hand: WorkedHand, ruleset: Ruleset) -> PokerTable:
    """Opened and seated by commands; then the last button is put one place behind the recorded one."""
    state = told(
        PokerTable(table=f"replay-{hand.id}"),
        Principal("staff", "replay"),
        OpenTable(name=hand.title[:80], rulebook=_rulebook(ruleset), configuration=configuration_of(hand, ruleset)),
    )
    for player in hand.players:
        sitting = f"{hand.id}-{player.seat}"
        take = TakeSeat(reservation=sitting, seat=player.seat, amount=player.stack)
        state = told(state, Principal("player", player.name), take)
        state = told(state, Principal("policy", "replay"), ConfirmSeat(reservation=sitting))
    seats = sorted(state.seats)
    return replace(state, running=True, button=seats[seats.index(hand.positions.button) - 1])


def told(state: TableT, by: Principal, command: TableCommand) -> TableT:
    """The state after the command; NotARecord with the reason of a refusal."""
    answer = decide(state, command, Given(OPENED_AT, None, by))
    if isinstance(answer, Rejected):
        raise NotARecord(f"the record's table is refused: {answer.reason} {answer.detail}")
    return cast(TableT, answer.states[-1]) if answer.states else state


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
    seats = sorted(player.seat for player in hand.players)
    portugal = ruleset.regulation.startswith("pt-")
    start = seats.index(hand.positions.small_blind) if portugal else seats.index(hand.positions.button) + 1
    holes = {player.seat: parse_all(player.hole) for player in hand.players}
    board = parse_all(hand.board.cards)
    streets = (board[:3], board[3:4], board[4:5])
    return stacked([holes[seat] for seat in seats[start:] + seats[:start]], streets, ruleset.burn_before_board, hand.id)


def stacked(
    holes: Sequence[Sequence[Card | None]], streets: Sequence[Sequence[Card]], burn: bool, what: str
) -> Shuffle:
    """Laps of hole cards in order of dealing (pt-811-2015 49, 50; mo-97-2010 3.2, 6.1), then the board.

    None is a card that nobody knows. NotARecord, naming `what`, when a card stands in two places.
    """
    places = {lap * len(holes) + n: card for n, hole in enumerate(holes) for lap, card in enumerate(hole)}
    position = len(places)
    for street in streets:
        position += burn
        for card in street:
            places[position] = card
            position += 1
    known = [card for card in places.values() if card is not None]
    if len(set(known)) != len(known):
        raise NotARecord(f"{what}: a card stands in two places")
    rest = iter([card for card in DECK if card not in known])
    cards = tuple(next(rest) if (given := places.get(position)) is None else given for position in DECK)
    return Shuffle(Deck.of(cards, _NO_SECRET, _NO_SECRET), tuple(range(1, MAX_SEATS + 1)))
