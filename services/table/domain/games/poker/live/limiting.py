"""Who may not raise, or is bound to one act, in a hand that is dealt by hand (pt-217-2007 70.h, 71.c, 71.f, 71.i)."""

from typing import Literal

from libs.contracts.live_events import HeldAct, Limit
from libs.contracts.poker_events import LegalActs
from services.table.domain.games.poker.live.rejections import Reason
from services.table.domain.games.poker.rejections import Reason as AtPoker
from services.table.domain.games.poker.state import Hand, InHand

Bar = Literal["call_only_after_exposure", "skipped_player_call_only", "bet_binding"]
_BARS: dict[Limit, Bar] = {
    "exposure": "call_only_after_exposure",
    "skipped": "skipped_player_call_only",
    "bound": "bet_binding",
}


def bar_of(hand: Hand, player: InHand) -> Bar | None:
    """Why this player may only match what is bet, or None."""
    limit = hand.live.limited.get(player.seat) if hand.live is not None else None
    return _BARS[limit] if limit is not None else None


def held_of(hand: Hand, seat: int) -> HeldAct | None:
    """What the seat is bound to at its turn, or None."""
    return hand.live.held.get(seat) if hand.live is not None else None


def legal_when_held(held: HeldAct, owed: int, call: int | None) -> LegalActs:
    """Only what was announced or put down before (71.d, 71.f)."""
    match held.act:
        case "bet" | "raise":
            return LegalActs(False, None, held.to, held.to)
        case "call":
            return LegalActs(False, call, None, None)
        case _:
            return LegalActs(owed == 0, call, None, None)  # a check holds only while nobody bets


def does_as_held(hand: Hand, seat: int, act: str, to: int | None) -> bool:
    """71.f: what was done out of turn can't be increased, taken back or changed."""
    held = held_of(hand, seat)
    if held is None:
        return True
    if held.act in ("bet", "raise"):
        return act in ("bet", "raise") and to == held.to
    if held.act == "check" and hand.bet > hand.players[seat].in_round:
        return act in ("call", "fold")
    return act == held.act


def why_not_now(hand: Hand, seat: int) -> Reason | AtPoker | None:
    """Why no act is taken from this seat while the hand waits for something else than its decision."""
    live = hand.live
    if live is None:
        return None
    if live.pending is not None:
        return Reason.SUPERVISOR_DECISION
    if hand.turn is None:
        return AtPoker.NOT_YOUR_TURN
    return Reason.BLIND_NOT_POSTED if seat in live.unposted and hand.turn.seat == seat else None
