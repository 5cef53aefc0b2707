"""A player's decision: in time, in turn, and within what the table offers (pt-811-2015 23, 24, 34 to 40, 43)."""

from enum import StrEnum

from libs.contracts.poker_commands import Act, CancelAct
from libs.contracts.poker_commands import PokerReason as Reason
from libs.contracts.poker_events import BetPlaced, LegalActs, PlayerChecked, PlayerFolded
from libs.decider import Rejected
from services.table.domain.games.poker.progress import go_on
from services.table.domain.games.poker.state import InHand, Turn
from services.table.domain.games.poker.story import PokerStory
from services.table.domain.table.after_round import after_round
from services.table.domain.table.rejections import rejected


def act(command: Act, story: PokerStory) -> Rejected | None:
    state, rules = story.state, story.rules
    hand = state.hand
    if hand is None:
        return rejected(Reason.NO_HAND, rules)
    if command.hand != hand.number:
        return rejected(Reason.WRONG_HAND, rules)
    sitter = state.seats.get(command.seat)
    if sitter is None or not story.game.may_act(story, sitter) or not state.is_bound(sitter):
        return rejected(Reason.NOT_YOUR_SEAT, rules)
    not_taken = story.game.refuse_act(state, command)
    if not_taken is not None:
        return rejected(not_taken, rules)
    turn = hand.turn
    assert turn is not None, "a running hand waits for somebody, or for its dealer"
    if command.turn is not None and command.turn != turn.version:
        return rejected(Reason.STALE_TURN, rules)
    if command.seat != turn.seat:
        return rejected(Reason.NOT_YOUR_TURN, rules)
    if story.now > turn.bank_until and rules.acts_for_the_absent:
        return rejected(Reason.TOO_LATE, rules)  # pt-811-2015 43: exactly at the deadline still counts
    player, legal = hand.players[turn.seat], turn.legal
    refused = _refused(command, story, player, legal)
    if refused is not None:
        return rejected(refused, rules, _detail(refused, legal))

    # From here on the act stands.
    bank = time_bank_after(turn, story.now)
    if command.act == "fold" or command.act == "check":
        kind = PlayerFolded if command.act == "fold" else PlayerChecked
        story.tell(kind(seat=turn.seat, player=player.player, actor="player", time_bank_left=bank))
    else:
        to = player.in_round + legal.call if command.act == "call" and legal.call else command.to
        assert to is not None
        amount = to - player.in_round
        stack = sitter.stack - amount
        story.tell(
            BetPlaced(
                seat=turn.seat,
                player=player.player,
                # pt-811-2015 34: betting when nobody has bet is raising from zero; the event is called a bet.
                act="call" if command.act == "call" else "bet" if hand.bet == 0 else "raise",
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


def _refused(command: Act, story: PokerStory, player: InHand, legal: LegalActs) -> StrEnum | None:
    match command.act:
        case "fold":
            return Reason.AMOUNT_NOT_ASKED if command.to is not None else None
        case "check":
            if not legal.check:
                return Reason.CANNOT_CHECK
            return Reason.AMOUNT_NOT_ASKED if command.to is not None else None
        case "call":
            if legal.call is None:
                return Reason.NOTHING_TO_CALL
            return Reason.AMOUNT_NOT_ASKED if command.to not in (None, player.in_round + legal.call) else None
        case "bet" | "raise":
            return _raise_refused(command.to, story, player, legal)


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
    used = now - turn.until
    bank = turn.bank_until - turn.until
    return bank if used <= 0 else max(0, bank - used)
