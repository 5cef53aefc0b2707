"""A round of no-draw poker as everybody may see it (pt-803-2015-no-draw). No face-down card stands in it."""

from typing import Any, ClassVar

import msgspec
from msgspec.structs import replace

from libs.contracts import no_draw_poker_events as e
from libs.contracts.banked_rounds import BankedRoundEvent
from libs.money.words import in_words
from libs.views.banked import BankedRound, SeatAtBets, change_bettor, fold_banked

AREAS = ("ante", "bet")
"""The two marked areas of a seat, and there is no third (6.a, FP-3)."""


class SeatInRound(SeatAtBets, frozen=True, kw_only=True):
    """`decision` is `fold` or `continue`, once taken; `cause` says what took it."""

    short_of: int = 0
    """What the stack lacks for the second bet (20.b)."""
    decides: bool = False
    decision: str | None = None
    cause: str | None = None
    shown: tuple[str, ...] = ()
    category: str | None = None


class Dealer(msgspec.Struct, frozen=True):
    """The dealer's hand as far as it lies open: the last card first, the other four when all have decided."""

    up: str | None = None
    cards: tuple[str, ...] = ()
    category: str | None = None
    plays: bool | None = None


class NoDrawRound(BankedRound, frozen=True, kw_only=True, tag="no_draw_poker"):
    takes_seat: ClassVar[type[SeatAtBets]] = SeatInRound
    deck_root: str | None = None
    dealer: Dealer = Dealer()
    seats: dict[int, SeatInRound] = {}


def fold_no_draw(round: NoDrawRound, event: BankedRoundEvent) -> NoDrawRound:
    round = fold_banked(round, event)
    match event:
        case e.AntesExtended():
            return replace(round, until=event.until)
        case e.AntePlaced():
            return change_bettor(round, event, short_of=event.short_of)
        case e.AntesClosed():
            return replace(round, phase="dealing", until=None)
        case e.RoundDealt():
            return replace(round, deck_root=event.deck_root, dealer=Dealer(up=event.dealer_up.card))
        case e.HandsAwaited():
            for choice in event.choices:
                round = change_bettor(round, choice, decides=True, short_of=choice.short_of)
            return replace(round, phase="deciding", until=event.until)
        case e.HandsWarned():
            return replace(round, phase="extra_time", until=event.until)
        case e.SecondBetPlaced():
            return change_bettor(round, event, decides=False, decision="continue", cause="player")
        case e.HandSurrendered():
            return change_bettor(round, event, decides=False, decision="fold", cause=event.cause)
        case e.DealerShown():
            cards = tuple(card.card for card in event.cards)
            dealer = replace(round.dealer, cards=cards, category=event.category, plays=event.plays)
            return replace(round, phase="showdown", until=None, dealer=dealer)
        case e.RoundHandShown():
            shown = tuple(card.card for card in event.cards)
            return change_bettor(round, event, shown=shown, category=event.category)
        case e.RoundSettled() | e.RoundVoided():
            return replace(round, seats={n: replace(seat, decides=False) for n, seat in round.seats.items()})
        case _:
            return round


def choices_of(seat: SeatInRound, currency: str) -> list[dict[str, Any]]:
    """Exactly two: fold, or continue, which is shown as unavailable with the reason when it can't be paid (30)."""
    ante, lacking = seat.stakes.get("ante", 0), seat.short_of > 0
    return [
        {"decision": "fold", "words": f"fold (lose {in_words(ante, currency)})", "stake": 0, "available": True,
         "reason": None},
        {"decision": "continue", "words": f"continue (stake {in_words(2 * ante, currency)})",
         "stake": 2 * ante, "available": not lacking,
         "reason": f"your stack lacks {in_words(seat.short_of, currency)}" if lacking else None},
    ]  # fmt: skip
