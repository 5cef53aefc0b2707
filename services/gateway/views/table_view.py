"""What everybody may know of one table: the shape of the public view. No unseen card stands in it."""

from typing import Any, Literal

import msgspec

from libs.contracts.configurations import AnyConfiguration, flat
from services.gateway.views.baccarat_view import Coup, Shoe, shown_coup, shown_shoe
from services.gateway.views.no_draw_view import NoDrawRound, shown_round

SeatStatus = Literal["reserved", "playing", "sitting_out"]
TableStatus = Literal["open", "paused", "closing", "closed"]


class Seat(msgspec.Struct, frozen=True):
    """One taken seat. `stack` in minor units; `until` is when a reservation or a break ends."""

    seat: int
    player: str
    reservation: str
    status: SeatStatus
    stack: int
    leaving: bool = False
    until: int | None = None
    notice: str | None = None
    """`invited` or `warned`, with the reason: `warned: absent` (pt-811-2015 70, 71)."""
    topping_up: int = 0


class Decision(msgspec.Struct, frozen=True):
    """Whose turn it is; `turn` is what an act may name, `legal` what the table offers."""

    seat: int
    player: str
    turn: int
    street: str
    legal: dict[str, Any]
    until: int
    bank_until: int


class InHand(msgspec.Struct, frozen=True):
    """A seat in the hand: `bet` lies before it in this round, `staked` in the whole hand (less what was returned)."""

    seat: int
    player: str
    bet: int = 0
    staked: int = 0
    folded: bool = False
    all_in: bool = False
    dealt: bool = False
    shown: tuple[str, ...] = ()
    category: str | None = None
    dead: int = 0
    """Of `staked` what is no claim: missed blinds, an ante for everybody (pt-217-2007 90)."""
    best: tuple[str, ...] = ()
    """At showdown: the name of the combination and its five cards (pt-811-2015 61)."""


class Award(msgspec.Struct, frozen=True):
    pot: str
    amount: int
    winners: tuple[int, ...]
    rake: int


class Hand(msgspec.Struct, frozen=True):
    """The hand on the table; it stays until the next one starts, `over` once it is paid out or void."""

    hand: int
    button: int
    small_blind: int
    big_blind: int
    deck_root: str
    started: int
    street: str
    board: tuple[str, ...]
    seats: dict[int, InHand]
    lead: int | None = None
    """The lead seat with its marker, where there is one (pt-217-2007 29)."""
    decision: Decision | None = None
    awards: tuple[Award, ...] = ()
    over: bool = False
    void: bool = False
    awaits: str | None = None
    """What a live hand waits for of its dealer: cards, or the delivery of the pot."""
    incidents: tuple[dict[str, Any], ...] = ()
    """Errors on record in this hand, and what followed (pt-217-2007 69 to 71)."""


class TableView(msgspec.Struct, frozen=True):
    """The fold of one table's public events; `version` is the last one folded."""

    table: str
    version: int = 0
    name: str = ""
    status: TableStatus = "open"
    suspended: bool = False
    reason: str | None = None
    configuration: dict[str, Any] = {}
    rulebook_hash: str = ""
    announced: dict[str, Any] | None = None
    """A newer configuration, in force when the running hand is over (pt-811-2015 17)."""
    button: int | None = None
    hands_played: int = 0
    seats: dict[int, Seat] = {}
    waiting: tuple[dict[str, Any], ...] = ()
    """The list for seats, in its order (pt-217-2007 8.a)."""
    offered: dict[int, str] = {}
    """Seats that are kept, and for whom."""
    dealer: str | None = None
    hand: Hand | None = None
    """At tables of poker; `round` and `shoe` at those against the house."""
    round: NoDrawRound | Coup | None = None
    shoe: Shoe | None = None

    @property
    def game(self) -> str:
        """`poker`, `no_draw_poker`, `baccarat`: tables opened before there were others play poker."""
        return str(self.configuration.get("game", "poker"))

    @property
    def rules(self) -> dict[str, Any]:
        """The configuration's values by the names that its rulebook has for them; empty before the table is known."""
        return flat(msgspec.convert(self.configuration, AnyConfiguration)) if self.configuration else {}

    @property
    def demo(self) -> bool:
        """Play money, which is worth nothing and stays so (pt-811-2015 75, pt-803-2015-no-draw 44)."""
        return self.configuration.get("kind") == "demo"

    @property
    def tournament(self) -> str | None:
        """Whose chips the stacks are, at a tournament table; they are no money (mo-97-2010 4.2)."""
        return self.configuration.get("tournament") or None

    def staked_by(self, player: str) -> int:
        """What the player has in the running hand or round, minor units."""
        if self.round is not None:
            return self.round.staked_by(player)
        if self.hand is None or self.hand.over:
            return 0
        return sum(seat.staked for seat in self.hand.seats.values() if seat.player == player)


def pots(hand: Hand) -> list[dict[str, Any]]:
    """Main and side pots as they would stand if the hand were called down now (pt-811-2015 4.e).

    Every level at which a player is all in closes a pot; folded chips stay in the pots that they had reached.
    """
    alive = [seat for seat in hand.seats.values() if not seat.folded]
    claims = {seat.seat: seat.staked - seat.dead for seat in hand.seats.values()}
    caps = sorted({claims[seat.seat] for seat in alive if seat.all_in} | {max(claims.values(), default=0)})
    layers: list[dict[str, Any]] = []
    floor, dead = 0, sum(seat.dead for seat in hand.seats.values())
    for cap in caps:
        amount = dead + sum(min(claim, cap) - min(claim, floor) for claim in claims.values())
        eligible = [seat.seat for seat in alive if claims[seat.seat] > floor]
        if amount > 0:
            layers.append({"pot": f"side_{len(layers)}" if layers else "main", "amount": amount, "eligible": eligible})
        floor, dead = cap, 0
    return layers


def dealt_to(view: TableView, player: str) -> int | None:
    """Number of the hand or round on the table in which the player has cards of their own; None without any."""
    if isinstance(view.round, NoDrawRound):
        in_round = any(seat.player == player and seat.ante for seat in view.round.seats.values())
        return view.round.round if view.round.deck_root and in_round else None
    dealt = view.hand is not None and any(s.player == player and s.dealt for s in view.hand.seats.values())
    return view.hand.hand if view.hand is not None and dealt else None


def shown_to(view: TableView, player: str, own: tuple[str, ...], now: int | None = None) -> dict[str, Any]:
    """The view as one player sees it: public things, and `own`, that player's own cards in the running hand or round.

    `now` (ms) gives the time that is left in `left_ms`, so that nobody's clock matters but the house's.
    """
    hand = view.hand
    document = msgspec.to_builtins(view, str_keys=True)
    document |= {"game": view.game, "demo": view.demo, "tournament": view.tournament, "now": now}
    document["seats"] = [msgspec.to_builtins(seat) for _, seat in sorted(view.seats.items())]
    if hand is not None:
        document["hand"]["seats"] = [msgspec.to_builtins(seat) for _, seat in sorted(hand.seats.items())]
        document["hand"]["pots"] = [] if hand.over else pots(hand)
    if isinstance(view.round, NoDrawRound):
        document["round"] = shown_round(view.round, now)
    elif view.round is not None:
        document["round"] = shown_coup(view.round, bool(view.rules.get("pair_bets")), now)
    document["shoe"] = shown_shoe(view.shoe) if view.shoe else None
    mine = next((seat for seat in view.seats.values() if seat.player == player), None)
    document["own"] = {"seat": mine.seat if mine else None, "cards": list(own)}
    return dict(document)
