"""A decision: the player's own, in time, in turn and within what the table offers (pt-811-2015 23, 24, 34 to 40, 43);
a fold by leaving (10, 35); and the house's, when the clock has run out (45).
"""

from enum import StrEnum

from libs.contracts.facts import taken
from libs.contracts.poker_commands import Act, CancelAct
from libs.contracts.poker_commands import PokerReason as Reason
from libs.contracts.poker_events import BetPlaced, LegalActs, PlayerChecked, PlayerFolded
from libs.contracts.table_events import LeaveRequested
from libs.decider import Rejected
from services.table.domain.games.poker.evolve import running
from services.table.domain.games.poker.progress import await_decision, go_on
from services.table.domain.games.poker.state import InHand, PokerSitter, Turn
from services.table.domain.games.poker.story import PokerStory
from services.table.domain.table.after_round import after_round
from services.table.domain.table.conduct import warn_slow_play
from services.table.domain.table.departing import send_home
from services.table.domain.table.rejections import rejected


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
    not_taken = story.game.refuse_act(state, command)
    if not_taken is not None:
        return rejected(not_taken, rules)
    assert turn is not None, "a running hand waits for somebody, or for its dealer"
    if command.turn is not None and command.turn != turn.version:
        return rejected(Reason.STALE_TURN, rules)
    if not in_turn:
        return rejected(Reason.NOT_YOUR_TURN, rules)
    if story.now > turn.bank_until and rules.acts_for_the_absent:
        return rejected(Reason.TOO_LATE, rules)  # pt-811-2015 43: exactly at the deadline still counts
    act, player, legal = command.act, hand.players[seat], turn.legal
    refused = _refused(act, command.to, story, player, legal)
    if refused is not None:
        return rejected(refused, rules, _detail(refused, legal))

    # From here on the act stands.
    bank = time_bank_after(turn, story.now)
    if act == "fold" or act == "check":
        kind = PlayerFolded if act == "fold" else PlayerChecked
        story.tell(kind(seat=seat, player=player.player, actor="player", time_bank_left=bank))
    else:
        to = player.in_round + legal.call if act == "call" and legal.call else command.to
        assert to is not None
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
                currency=rules.currency,
                time_bank_left=bank,
            )
        )
    go_on(story)
    after_round(story)
    return None


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
    """What is left of the time bank when the decision comes at `now` (pt-811-2015 44)."""
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
    send_home(story, sitter.seat, "player")
    go_on(story)
    after_round(story)


def time_out(story: PokerStory, outage: bool) -> None:
    """Nothing while the player still has time. After an outage of ours the clock starts anew, once (45)."""
    hand = story.state.hand
    if hand is None or hand.turn is None or story.now <= hand.turn.bank_until:
        return
    if outage:
        await_decision(story, hand.turn.seat)
        return
    if hand.turn.warned and not story.rules.acts_for_the_absent:
        return
    warned = warn_slow_play(story, story.state.seats[hand.turn.seat])
    if not story.rules.acts_for_the_absent:
        if not warned:
            await_decision(story, hand.turn.seat)
        return
    act_for(story, hand.turn, time_bank_left=0)


def act_for(story: PokerStory, turn: Turn, time_bank_left: int) -> None:
    """The house checks where that is possible and folds otherwise (pt-811-2015 45)."""
    kind = PlayerChecked if turn.legal.check else PlayerFolded
    player = running(story.state).players[turn.seat].player
    story.tell(kind(seat=turn.seat, player=player, actor="house", reason="timeout", time_bank_left=time_bank_left))
    go_on(story)
    after_round(story)
