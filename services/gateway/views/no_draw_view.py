"""A round of no-draw poker as everybody may see it (pt-803-2015-no-draw). No face-down card stands in it."""

from typing import Any, Literal

import msgspec

from libs.money.words import in_words
from services.gateway.views.calls import PLACE_YOUR_BETS

AREAS = ("ante", "bet")
"""The two marked areas of a seat, and there is no third (6.a, FP-3)."""
Phase = Literal["betting", "dealing", "deciding", "extra_time", "showdown", "over", "void", "lapsed"]


class SeatInRound(msgspec.Struct, frozen=True):
    """A seat that may stake, and what lies on its two areas. `decision` is `fold` or `continue`, once taken."""

    seat: int
    player: str
    ante: int = 0
    bet: int = 0
    short_of: int = 0
    """What the stack lacks for the second bet (20.b)."""
    decides: bool = False
    decision: str | None = None
    cause: str | None = None
    shown: tuple[str, ...] = ()
    category: str | None = None
    result: dict[str, Any] | None = None


class Dealer(msgspec.Struct, frozen=True):
    """The dealer's hand as far as it lies open: the last card first, the other four when all have decided."""

    up: str | None = None
    cards: tuple[str, ...] = ()
    category: str | None = None
    plays: bool | None = None


class NoDrawRound(msgspec.Struct, frozen=True):
    """The round on the table; it stays until the next one opens. `until` is the deadline of the phase, if any."""

    round: int
    started: int
    currency: str
    phase: Phase = "betting"
    call: str = PLACE_YOUR_BETS
    until: int | None = None
    deck_root: str | None = None
    dealer: Dealer = Dealer()
    seats: dict[int, SeatInRound] = {}
    kind: Literal["no_draw_poker"] = "no_draw_poker"

    @property
    def over(self) -> bool:
        return self.phase in ("over", "void", "lapsed")

    def staked_by(self, player: str) -> int:
        """Minor units that the player has in a round that still runs."""
        return 0 if self.over else sum(s.ante + s.bet for s in self.seats.values() if s.player == player)


def shown_round(view: NoDrawRound, now: int | None = None) -> dict[str, Any]:
    """The round as a document: each seat with its two areas and, while it has to decide, every choice open to it."""
    document: dict[str, Any] = msgspec.to_builtins(view, str_keys=True)
    document["areas"] = list(AREAS)
    document["left_ms"] = None if view.until is None or now is None else max(0, view.until - now)
    document["seats"] = [
        {**msgspec.to_builtins(seat), "choices": choices_of(seat, view.currency) if seat.decides else []}
        for _, seat in sorted(view.seats.items())
    ]
    return document


def choices_of(seat: SeatInRound, currency: str) -> list[dict[str, Any]]:
    """Exactly two: fold, or continue, which is shown as unavailable with the reason when it can't be paid (30)."""
    lacking = seat.short_of > 0
    return [
        {"decision": "fold", "words": f"fold (lose {in_words(seat.ante, currency)})", "stake": 0, "available": True,
         "reason": None},
        {"decision": "continue", "words": f"continue (stake {in_words(2 * seat.ante, currency)})",
         "stake": 2 * seat.ante, "available": not lacking,
         "reason": f"your stack lacks {in_words(seat.short_of, currency)}" if lacking else None},
    ]  # fmt: skip
