"""Who may not raise, or is bound to one act, in a hand that is dealt by hand (pt-217-2007 70.h, 71.c, 71.f, 71.i)."""

from collections.abc import Mapping
from enum import StrEnum

from libs.contracts.facts import taken
from libs.contracts.live_commands import LiveReason as Reason
from libs.contracts.live_events import HeldAct, Limit
from libs.contracts.poker_commands import Act
from libs.contracts.poker_commands import PokerReason as AtPoker
from libs.contracts.poker_events import BetPlaced, LegalActs, PlayerChecked, PlayerFolded
from services.table.domain.games.live_poker.recording import left_at_its_turn
from services.table.domain.games.live_poker.state import LiveStory, LiveTable, live_of
from services.table.domain.games.poker.evolve import running
from services.table.domain.games.poker.limits import raise_range
from services.table.domain.games.poker.state import Hand, InHand, PokerTable

_BARS: Mapping[Limit, Reason] = {
    "exposure": Reason.CALL_ONLY_AFTER_EXPOSURE,
    "skipped": Reason.SKIPPED_PLAYER_CALL_ONLY,
    "bound": Reason.BET_BINDING,
}


def bar_of(table: LiveTable, player: InHand) -> Reason | None:
    """Why this player may only match what is bet, or None."""
    limit = live_of(table).limited.get(player.seat)
    return _BARS[limit] if limit is not None else None


def held_of(table: PokerTable, seat: int) -> HeldAct | None:
    """What the seat is bound to at its turn, or None."""
    return live_of(table).held.get(seat)


def legal_when_held(held: HeldAct, owed: int, call: int | None) -> LegalActs:
    """Only what was announced or put down before (71.d, 71.f)."""
    match held.act:
        case "bet" | "raise":
            return LegalActs(False, None, held.to, held.to)
        case "call":
            return LegalActs(False, call, None, None)
        case _:
            return LegalActs(owed == 0, call, None, None)  # a check holds only while nobody bets


def does_as_held(table: LiveTable, hand: Hand, seat: int, act: str, to: int | None) -> bool:
    """71.f: what was done out of turn can't be increased, taken back or changed."""
    held = held_of(table, seat)
    if held is None:
        return True
    if held.act in ("bet", "raise"):
        return act in ("bet", "raise") and to == held.to
    if held.act == "check" and hand.bet > hand.players[seat].in_round:
        return act in ("call", "fold")
    return act == held.act


def refuse_act(table: LiveTable, command: Act, in_person: bool) -> StrEnum | None:
    """Why this act is refused: the hand waits for something else, or the seat is bound or barred."""
    live, turn = live_of(table), running(table).turn
    if live.pending is not None and not (in_person and turn is not None and turn.stands and turn.seat == command.seat):
        return Reason.SUPERVISOR_DECISION
    if turn is None:
        return AtPoker.NOT_YOUR_TURN
    if turn.seat != command.seat:
        return None
    if command.seat in live.unposted:
        return Reason.BLIND_NOT_POSTED
    if not does_as_held(table, running(table), command.seat, command.act, command.to):
        return Reason.OUT_OF_TURN_LOCKED
    # Something may have happened since the decision was awaited that bars a raise.
    return bar_of(table, running(table).players[command.seat]) if command.act in ("bet", "raise") else None


def settle_held(story: LiveStory, seat: int) -> bool:
    """True when the betting has moved on by it; False: the seat's decision is awaited, bound or free."""
    hand = running(story.state)
    held = held_of(story.state, seat)
    if held is None:
        return False
    player = hand.players[seat]
    if held.act == "fold" and seat not in live_of(story.state).stood and left_at_its_turn(story, held):
        return True
    if held.act == "fold" or (held.act == "check" and player.in_round == hand.bet):
        kind = PlayerFolded if held.act == "fold" else PlayerChecked
        bank = story.state.seats[seat].time_bank
        story.tell(taken(kind, player, actor="player", time_bank_left=bank, entered_by=held.by))
        return True
    if held.act == "check" or held.to == hand.bet or _still_a_raise(story, hand, seat, held.to):
        return False
    # A bet before it was higher: the chips stay, and more may only be called.
    put_in(story, seat, min(held.chips, max(0, hand.bet - player.in_round)), held.by)
    return True


def _still_a_raise(story: LiveStory, hand: Hand, seat: int, to: int) -> bool:
    player = hand.players[seat]
    lowest, highest = raise_range(hand, player, story.state.seats[seat].stack, story.rules)
    return story.game.why_no_raise(story.state, player) is None and lowest <= to <= highest


def put_in(story: LiveStory, seat: int, chips: int, by: str) -> None:
    """Chips of an act that is not finished: less than the call, and they stay. `by`: the dealer who says so."""
    hand, sitter = running(story.state), story.state.seats[seat]
    chips = min(chips, sitter.stack)
    to, stack = hand.players[seat].in_round + chips, sitter.stack - chips
    sums = {"amount": chips, "to": to, "stack": stack, "all_in": stack == 0, "time_bank_left": sitter.time_bank}
    story.tell(taken(BetPlaced, sitter, story.rules, act="call", unfinished=True, entered_by=by, **sums))
