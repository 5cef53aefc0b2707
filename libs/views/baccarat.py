"""A coup of baccarat and the history of its shoe as everybody may see them (pt-812-2015-baccarat)."""

import msgspec
from msgspec.structs import replace

from libs.contracts import baccarat_events as e
from libs.contracts.banked_rounds import BankedRoundEvent
from libs.contracts.facts import taken
from libs.views.banked import BankedRound, SeatAtBets, fold_banked

CHANCES = ("empate", "banca", "ponto")
"""Every seat's areas (6.a)."""
PAIRS = ("par_ponto", "par_banca")
"""Areas where the operator allows bets on pairs (10)."""


class SideView(msgspec.Struct, frozen=True):
    """One side's open cards: two initial ones, and the third apart from them (21)."""

    initial: tuple[str, ...] = ()
    third: str | None = None
    score: int | None = None
    natural: bool = False


class Coup(BankedRound, frozen=True, kw_only=True, tag="baccarat"):
    shoe: int
    commission_mode: str
    min_bet: int
    ponto: SideView = SideView()
    banca: SideView = SideView()
    winner: str | None = None
    seats: dict[int, SeatAtBets] = {}

    @property
    def totals(self) -> dict[str, int]:
        """What lies on each chance at all seats."""
        areas = {area for seat in self.seats.values() for area in seat.stakes}
        return {area: sum(seat.stakes.get(area, 0) for seat in self.seats.values()) for area in sorted(areas)}


class Mark(msgspec.Struct, frozen=True):
    """One coup of the shoe and its places on both roads; columns and rows from 1, top left."""

    round: int
    winner: str
    natural: bool
    ponto_pair: bool
    banca_pair: bool
    bead: e.RoadPlace
    big: e.RoadPlace


class Shoe(msgspec.Struct, frozen=True):
    """The shoe in use: what it is committed to, and the history of its coups."""

    shoe: int
    decks: int
    cards: int
    cut: int
    deck_root: str
    cut_card_reached: bool = False
    cards_left: int | None = None
    marks: tuple[Mark, ...] = ()


def fold_coup(coup: Coup, event: BankedRoundEvent) -> Coup:
    coup = fold_banked(coup, event)
    match event:
        case e.BettingClosed():
            return replace(coup, phase="dealing", until=None)
        case e.SideShown():
            initial = tuple(card.card for card in event.cards)
            return replace(coup, **{event.side: SideView(initial, score=event.score, natural=event.natural)})
        case e.ThirdCardDealt():
            side = coup.ponto if event.side == "ponto" else coup.banca
            return replace(coup, **{event.side: replace(side, third=event.card.card, score=event.score)})
        case e.CoupSettled():
            return replace(coup, winner=event.winner)
        case _:
            return coup


def fold_shoe(shoe: Shoe | None, event: object) -> Shoe | None:
    """The shoe in use after `event` of its table."""
    if isinstance(event, e.ShoeStarted):
        return taken(Shoe, event)
    if shoe is None:
        return None
    if isinstance(event, e.CutCardReached):
        return replace(shoe, cut_card_reached=True)
    if isinstance(event, e.CoupSettled):
        return replace(shoe, marks=(*shoe.marks, taken(Mark, event)), cards_left=event.cards_left)
    return shoe
