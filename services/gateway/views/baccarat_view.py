"""A coup of baccarat and the history of its shoe as everybody may see them (pt-812-2015-baccarat)."""

from typing import Any, Literal

import msgspec

from services.gateway.views.calls import PLACE_YOUR_BETS

CHANCES = ("empate", "banca", "ponto")
"""Every seat's areas (6.a)."""
PAIRS = ("par_ponto", "par_banca")
"""Areas where the operator allows bets on pairs (10)."""
Phase = Literal["betting", "dealing", "over", "void", "lapsed"]


class SeatAtCoup(msgspec.Struct, frozen=True):
    """A seat that may stake, and what lies on each of its chances."""

    seat: int
    player: str
    stakes: dict[str, int] = {}
    result: dict[str, Any] | None = None


class SideView(msgspec.Struct, frozen=True):
    """One side's open cards: two initial ones, and the third apart from them (21)."""

    initial: tuple[str, ...] = ()
    third: str | None = None
    score: int | None = None
    natural: bool = False


class Coup(msgspec.Struct, frozen=True):
    """The coup on the table; it stays until the next one opens. `until` is when the betting closes, None for never."""

    round: int
    shoe: int
    started: int
    currency: str
    commission_mode: str
    min_bet: int
    phase: Phase = "betting"
    call: str = PLACE_YOUR_BETS
    until: int | None = None
    totals: dict[str, int] = {}
    ponto: SideView = SideView()
    banca: SideView = SideView()
    winner: str | None = None
    seats: dict[int, SeatAtCoup] = {}
    kind: Literal["baccarat"] = "baccarat"

    @property
    def over(self) -> bool:
        return self.phase in ("over", "void", "lapsed")

    def staked_by(self, player: str) -> int:
        """Minor units that the player has in a coup that still runs."""
        return 0 if self.over else sum(sum(s.stakes.values()) for s in self.seats.values() if s.player == player)


class Mark(msgspec.Struct, frozen=True):
    """One coup of the shoe and its places on both roads; columns and rows from 1, top left."""

    round: int
    winner: str
    natural: bool
    ponto_pair: bool
    banca_pair: bool
    bead: dict[str, int]
    big: dict[str, int]


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


def shown_coup(view: Coup, pair_bets: bool, now: int | None = None) -> dict[str, Any]:
    """The coup as a document, with the areas that a seat has."""
    document: dict[str, Any] = msgspec.to_builtins(view, str_keys=True)
    document["areas"] = [*CHANCES, *(PAIRS if pair_bets else ())]
    document["left_ms"] = None if view.until is None or now is None else max(0, view.until - now)
    document["seats"] = [msgspec.to_builtins(seat) for _, seat in sorted(view.seats.items())]
    return document


def shown_shoe(shoe: Shoe) -> dict[str, Any]:
    """The shoe's history as the two roads that players read."""
    document: dict[str, Any] = msgspec.to_builtins(shoe)
    marks = document.pop("marks")
    document["bead_road"] = [_cell(mark, "bead") for mark in marks]
    document["big_road"] = [_cell(mark, "big") for mark in marks]
    return document


def _cell(mark: dict[str, Any], road: str) -> dict[str, Any]:
    told = {name: mark[name] for name in ("round", "winner", "natural", "ponto_pair", "banca_pair")}
    return {**mark[road], **told}
