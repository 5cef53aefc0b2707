"""A decision: the player's own, in time, in turn and within what the table offers (pt-811-2015 23, 24, 34 to 40, 43);
a fold by leaving (10, 35); and the house's, when the clock has run out (45).
"""

from enum import StrEnum
from typing import Any

from libs.contracts.facts import taken
from libs.contracts.poker_commands import Act, CancelAct, Deed
from libs.contracts.poker_commands import PokerReason as Reason
from libs.contracts.poker_events import BetPlaced, LegalActs, PlayerChecked, PlayerFolded
from libs.contracts.table_events import STANDSTILL, LeaveRequested
from libs.decider import Rejected
from services.table.domain.games.poker.correcting import void_running
from services.table.domain.games.poker.evolve import running
from services.table.domain.games.poker.progress import await_decision, go_home, go_on
from services.table.domain.games.poker.state import InHand, PokerSitter, PokerTable, Turn
from services.table.domain.games.poker.story import PokerStory
from services.table.domain.table.after_round import after_round
from services.table.domain.table.conduct import warn_slow_play
from services.table.domain.table.rejections import rejected
from services.table.domain.table.standstill import interrupted, ran_out


def act(command: Act, story: PokerStory) -> Rejected | None:
    state, rules = story.state, story.rules
    hand = state.hand
    if hand is None:
        return rejected(Reason.NO_HAND, rules)
    if command.hand != hand.number:
        return rejected(Reason.WRONG_HAND, rules)
    seat, turn = command.seat, hand.turn
    sitter = state.seats.get(seat)
    in_turn = turn is not None and turn.seat == seat
    if sitter is None or not story.game.may_act(story, sitter) or not (in_turn or state.is_bound(sitter)):
        return rejected(Reason.NOT_YOUR_SEAT, rules)
    not_taken = story.game.refuse_act(story, command)
    if not_taken is not None:
        return rejected(not_taken, rules)
    assert turn is not None, "a running hand waits for somebody, or for its dealer"
    if command.turn is not None and command.turn != turn.version:
        return rejected(Reason.STALE_TURN, rules)
    if not in_turn:
        return rejected(Reason.NOT_YOUR_TURN, rules)
    if story.is_due(late_at(state)) and rules.acts_for_the_absent:
        return rejected(Reason.TOO_LATE, rules)
    act, player, legal = command.act, hand.players[seat], turn.legal
    refused = _refused(act, command.to, story, player, legal)
    if refused is not None:
        return rejected(refused, rules, _detail(refused, legal))

    to = player.in_round + legal.call if act == "call" and legal.call else command.to or player.in_round
    if not story.game.asks_first(story, command, to):
        carry_out(story, seat, act, to, story.game.entered_by(story))
    return None


def carry_out(story: PokerStory, seat: int, act: Deed, to: int, entered_by: str = "") -> None:
    """The act of who is asked stands. `to`: what the seat has in the round afterwards."""
    hand, turn = running(story.state), awaited(story.state)
    player, sitter = hand.players[seat], story.state.seats[seat]
    warn_if_late(story)
    bank = time_bank_after(turn, story.now)
    if act == "fold" or act == "check":
        kind = PlayerFolded if act == "fold" else PlayerChecked
        told = kind(seat=seat, player=player.player, actor="player", time_bank_left=bank, entered_by=entered_by)
        story.tell(told)
    else:
        amount = to - player.in_round
        stack = sitter.stack - amount
        story.tell(
            BetPlaced(
                seat=seat,
                player=player.player,
                # pt-811-2015 34: betting when nobody has bet is raising from zero; the event is called a bet.
                act="call" if act == "call" else "bet" if hand.bet == 0 else "raise",
                amount=amount,
                to=to,
                stack=stack,
                all_in=stack == 0,
                currency=story.rules.currency,
                time_bank_left=bank,
                entered_by=entered_by,
            )
        )
    go_on(story)
    after_round(story)


def cancel_act(command: CancelAct, story: PokerStory) -> Rejected | None:
    """Always refused: an accepted act stands, and chips on the table stay there (pt-217-2007 53, 71.c)."""
    hand = story.state.hand
    there = hand is not None and hand.number == command.hand
    return rejected(Reason.ACTION_FINAL if there else Reason.WRONG_HAND, story.rules)


def _refused(act: str, to: int | None, story: PokerStory, player: InHand, legal: LegalActs) -> StrEnum | None:
    if act == "bet" or act == "raise":
        return _raise_refused(to, story, player, legal)
    if act == "check" and not legal.check:
        return Reason.CANNOT_CHECK
    if act == "call" and legal.call is None:
        return Reason.NOTHING_TO_CALL
    if to is None or (act == "call" and legal.call is not None and to == player.in_round + legal.call):
        return None
    return Reason.AMOUNT_NOT_ASKED


def _raise_refused(to: int | None, story: PokerStory, player: InHand, legal: LegalActs) -> StrEnum | None:
    if to is None:
        return Reason.AMOUNT_MISSING
    lowest, highest = legal.min_to, legal.max_to
    if lowest is None or highest is None:
        bar = story.game.why_no_raise(story.state, player)
        assert bar is not None, "a raise is on offer unless something bars it"
        return bar
    if to > highest:
        return Reason.ABOVE_MAX
    return Reason.BELOW_MIN if to < lowest else None


def _detail(reason: StrEnum, legal: LegalActs) -> str:
    if reason in (Reason.ABOVE_MAX, Reason.BELOW_MIN):
        return f"a round total of {legal.min_to} to {legal.max_to} is possible"
    return f"{legal.call} to call" if reason is Reason.CANNOT_CHECK else ""


def time_bank_after(turn: Turn, now: int) -> int:
    """What is left of the time bank when the decision comes at `now` (pt-811-2015 44): where the clock stands, what was
    left when it stopped."""
    now = turn.stood_at if turn.stands else now
    left = turn.bank_until - max(now, turn.until)
    return left if left > 0 else 0


def leave_hand(story: PokerStory, sitter: PokerSitter) -> None:
    turn = running(story.state).turn
    if turn is not None and turn.seat == sitter.seat:
        _fold_and_go(story, sitter, turn)
    else:
        story.tell(LeaveRequested(player=sitter.player, seat=sitter.seat))


def _fold_and_go(story: PokerStory, sitter: PokerSitter, turn: Turn) -> None:
    left = time_bank_after(turn, story.now)
    story.tell(taken(PlayerFolded, sitter, actor="player", reason="left", time_bank_left=left))
    go_home(story, sitter.seat)
    go_on(story)
    after_round(story)


def fold_for(story: PokerStory, sitter: PokerSitter) -> None:
    """Who is disqualified gives the hand up, also where a check would be free (pt-810-2015 FP-16)."""
    story.tell(taken(PlayerFolded, sitter, actor="house", reason="barred", time_bank_left=sitter.time_bank))
    go_on(story)
    after_round(story)


def late_at(state: PokerTable) -> int | None:
    """First millisecond too late; whether that is the deadline itself is the rulebook's matter (43; pt-217-2007 71.a).

    None: nobody is asked, the clock stands, or where nobody acts for a player, the one who is asked has been warned.
    """
    turn = state.hand.turn if state.hand is not None else None
    if turn is None or turn.stands or (turn.warned and not state.rules.acts_for_the_absent):
        return None
    return turn.bank_until + state.rules.timing.deadline_counts


def asked_at(state: PokerTable) -> int | None:
    """When the decision that is awaited was asked for."""
    turn = state.hand.turn if state.hand is not None else None
    return turn.until - state.rules.timing.decision_ms if turn is not None else None


def void_if_interrupted(story: PokerStory) -> bool:
    """72; pt-217-2007 FP-4. Who was warned and is still asked shows that the deadline was seen to."""
    turn = story.state.hand.turn if story.state.hand is not None else None
    over = interrupted(story, None if turn is not None and turn.warned else late_at(story.state))
    if over:
        void_running(story, STANDSTILL, "house")
    return over


def time_out(story: PokerStory, outage: bool) -> None:
    """Nothing while the player still has time. After an outage of ours the clock starts anew, once (45), or, where it
    was too long to go on, the hand is void.
    """
    late = late_at(story.state)
    if void_if_interrupted(story) or not story.is_due(late):
        return
    turn = awaited(story.state)
    if not ran_out(story, late, outage):
        await_decision(story, turn.seat)
    elif story.rules.acts_for_the_absent and turn.warned:
        await_decision(story, turn.seat)  # of before 2026-11-29: the clock was not to act, and does from now on
    elif story.rules.acts_for_the_absent:
        warn_slow_play(story, story.state.seats[turn.seat])
        act_for(story, turn, time_bank_left=0)
    elif not warn_slow_play(story, story.state.seats[turn.seat], whoever=True):
        await_decision(story, turn.seat)


def warn_if_late(story: PokerStory) -> None:
    """Where nobody acts for a player the act counts however late, and the warning with it (pt-217-2007 71.a)."""
    if story.is_due(late_at(story.state)):
        warn_slow_play(story, story.state.seats[awaited(story.state).seat], whoever=True)


def awaited(state: PokerTable) -> Turn:
    turn = running(state).turn
    assert turn is not None, "somebody is asked"
    return turn


def act_for(story: PokerStory, turn: Turn, time_bank_left: int) -> None:
    """The house checks where that is possible and folds otherwise (pt-811-2015 45), or counts the hand as all-in: a few
    times, or nobody could ever be bet off a hand by keeping quiet.
    """
    player, timing = running(story.state).players[turn.seat], story.rules.timing
    protects = timing.timer_action == "all_in" and story.state.seats[turn.seat].protected < timing.protections
    stands = not turn.legal.check and protects and player.committed > 0
    common: dict[str, Any] = {"seat": turn.seat, "player": player.player, "actor": "house", "reason": "timeout"}
    common["time_bank_left"] = time_bank_left
    if turn.legal.check or stands:
        story.tell(PlayerChecked(**common, all_in=stands))
    else:
        story.tell(PlayerFolded(**common))
    go_on(story)
    after_round(story)
