"""The table before a recorded coup, and a shoe that gives it the recorded cards."""

from typing import Any

from libs.cards.card import DECK, parse_all
from libs.contracts.messages import Principal
from libs.contracts.table_commands import ConfirmSeat, OpenTable, TakeSeat
from libs.sealing.deck import Shoe
from libs.sealing.shuffle import ShoeShuffle
from services.cli.replaying.baccarat.record import WorkedCoup, WorkedRound
from services.cli.replaying.record import NotARecord
from services.cli.replaying.setting import told
from services.table.domain.table.state import Table

BETTING_MS = 20_000
STACK = 10_000_000
_RULEBOOKS = {"ponto-e-banca": "pt-812-2015-baccarat", "macau": "pt-812-2015-baccarat-macau"}
_NO_SECRET = bytes(32)
"""A replay hides nothing: its cards stand in the record."""
BANK = 10**12
"""A bank that pays whatever a record asks; records say nothing of one."""


def rulebook_of(worked: WorkedRound) -> str:
    return _RULEBOOKS[worked.table.variant]


def table_before(worked: WorkedRound, coup: WorkedCoup) -> Table:
    """Opened and seated by commands; every seat that bets has more than it needs."""
    state = told(
        Table(table=f"replay-{worked.id}-{coup.id}"),
        Principal("staff", "replay"),
        OpenTable(
            name=worked.title[:80],
            rulebook=rulebook_of(worked),
            configuration=configuration_of(worked, coup),
            bank=BANK,
        ),
    )
    for seat in sorted({request.seat for request in coup.requests}):
        sitting = f"{worked.id}-{coup.id}-{seat}"
        take = TakeSeat(reservation=sitting, seat=seat, amount=STACK)
        state = told(state, Principal("player", player_at(seat)), take)
        state = told(state, Principal("policy", "replay"), ConfirmSeat(reservation=sitting))
    return state


def player_at(seat: int) -> str:
    return f"player-{seat}"


def configuration_of(worked: WorkedRound, coup: WorkedCoup) -> dict[str, Any]:
    """The operator's configuration behind the recorded table; what it does not say is left to the rulebook."""
    said = worked.table.model_dump(exclude={"variant"}, exclude_none=True)
    return {
        **said,
        "mode": "multi",
        "approval": "worked rounds",
        "approved_on": "2015-11-26",
        "seats": 9,
        "commission_mode": coup.commission_mode,
        "betting_ms": BETTING_MS,
        "between_rounds_ms": 0,
        "buy_in_min": STACK,
    }


def shoe_for(worked: WorkedRound, coup: WorkedCoup) -> ShoeShuffle:
    """The recorded cards first, the rest as new decks lie. NotARecord when a card comes oftener than it can."""
    rest = list(DECK * worked.table.decks)
    top = parse_all(coup.shoe)
    for card in top:
        if card not in rest:
            raise NotARecord(f"{worked.id} {coup.id}: a card comes oftener than the shoe has it")
        rest.remove(card)
    return ShoeShuffle(Shoe.of((*top, *rest), _NO_SECRET, _NO_SECRET))
