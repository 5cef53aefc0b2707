"""The table of a recorded round, opened and seated by commands, and a deck in the recorded order."""

from typing import Any

from libs.cards.card import DECK, parse_all
from libs.contracts.messages import Principal
from libs.contracts.table_commands import ConfirmSeat, OpenTable, TakeSeat
from libs.sealing.deck import Deck
from libs.sealing.shuffle import Shuffle
from services.cli.replaying.no_draw.record import WorkedRound
from services.cli.replaying.setting import told
from services.table.domain.table.state import Table

RULEBOOK = "pt-803-2015-no-draw"
BETTING_MS = 20_000
_NO_SECRET = bytes(32)
"""A replay hides nothing: its cards stand in the record."""
BANK = 10**12
"""A bank that pays whatever a record asks; records say nothing of one."""


def table_before(worked: WorkedRound) -> Table:
    """Everybody brings three of the highest antes: enough for any ante with its second bet."""
    state = told(
        Table(table=f"replay-{worked.id}"),
        Principal("staff", "replay"),
        OpenTable(name=worked.title[:80], rulebook=RULEBOOK, configuration=configuration_of(worked), bank=BANK),
    )
    for seat in worked.seats:
        sitting = f"{worked.id}-{seat.seat}"
        player = Principal("player", player_at(seat.seat))
        state = told(state, player, TakeSeat(reservation=sitting, seat=seat.seat, amount=stack_of(worked)))
        state = told(state, Principal("policy", "replay"), ConfirmSeat(reservation=sitting))
    return state


def player_at(seat: int) -> str:
    return f"seat-{seat}"


def stack_of(worked: WorkedRound) -> int:
    return 3 * worked.table.max_ante


def configuration_of(worked: WorkedRound) -> dict[str, Any]:
    return {
        "version": 1,
        "approval": "worked rounds",
        "mode": worked.table.mode,
        "seats": 1 if worked.table.mode == "single" else 7,
        "min_ante": worked.table.min_ante,
        "max_ante": worked.table.max_ante,
        "buy_in": stack_of(worked),
        "top_up_to": stack_of(worked),
        "betting_ms": BETTING_MS,
        "decision_ms": worked.timing.decision_ms,
        "extra_ms": worked.timing.extra_ms,
        "between_rounds_ms": 0,
    }


def deck_for(worked: WorkedRound) -> Shuffle:
    """The recorded cards in the order in which they leave the deck, the others behind them."""
    top = parse_all(worked.deck_order)
    rest = [card for card in DECK if card not in top]
    return Shuffle(Deck.of((*top, *rest), _NO_SECRET, _NO_SECRET), ())
