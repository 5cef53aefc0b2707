"""A player's decision: in time, in turn, and within what the table offers (pt-811-2015 23, 24, 34 to 40, 43)."""

from libs.contracts.poker_events import BetPlaced, PlayerChecked, PlayerFolded
from libs.decider import Rejected
from services.table.domain.games.poker.commands import Act
from services.table.domain.games.poker.limits import why_no_raise
from services.table.domain.games.poker.live.limiting import does_as_held, why_not_now
from services.table.domain.games.poker.live.rejections import Reason as AtLive
from services.table.domain.games.poker.progress import go_on
from services.table.domain.games.poker.rejections import Reason
from services.table.domain.games.poker.state import Hand, PokerSitter, Turn
from services.table.domain.games.poker.story import PokerStory
from services.table.domain.table.after_round import after_round
from services.table.domain.table.rejections import rejected


def act(command: Act, story: PokerStory) -> Rejected | None:
    hand = story.state.hand
    if hand is None:
        return rejected(Reason.NO_HAND, story.rules)
    if command.hand != hand.number:
        return rejected(Reason.WRONG_HAND, story.rules)
    sitter = story.state.seats.get(command.seat)
    if sitter is None or not _may_act(command, story, sitter) or not story.state.is_bound(sitter):
        return rejected(Reason.NOT_YOUR_SEAT, story.rules)
    refused_by_dealer = why_not_now(hand, command.seat)
    if refused_by_dealer is not None:
        return rejected(refused_by_dealer, story.rules)
    turn = hand.turn
    assert turn is not None, "a running hand waits for somebody, or for its dealer"
    if command.turn is not None and command.turn != turn.version:
        return rejected(Reason.STALE_TURN, story.rules)
    if command.seat != turn.seat:
        return rejected(Reason.NOT_YOUR_TURN, story.rules)
    if story.now > turn.bank_until and story.rules.acts_for_the_absent:
        return rejected(Reason.TOO_LATE, story.rules)  # pt-811-2015 43: exactly at the deadline still counts
    refused = _refused(command, story, hand, turn)
    if refused is not None:
        return rejected(refused, story.rules, _detail(refused, turn))

    # From here on the act stands.
    _tell(command, story, hand, turn)
    go_on(story)
    after_round(story)
    return None


_REASONS: dict[str, Reason | AtLive] = {str(reason): reason for kind in (Reason, AtLive) for reason in kind}


def _may_act(command: Act, story: PokerStory, sitter: PokerSitter) -> bool:
    """The player and nobody in the player's place (pt-217-2007 14.l); at a live table the dealer may enter it."""
    if command.principal_kind == "player":
        return sitter.player == command.principal_id
    return story.rules.dealing == "live" and command.principal_id == story.state.desk.dealer


def _refused(command: Act, story: PokerStory, hand: Hand, turn: Turn) -> Reason | AtLive | None:
    if not does_as_held(hand, turn.seat, command.act, command.to):
        return AtLive.OUT_OF_TURN_LOCKED
    match command.act:
        case "fold":
            return Reason.AMOUNT_NOT_ASKED if command.to is not None else None
        case "check":
            if not turn.legal.check:
                return Reason.CANNOT_CHECK
            return Reason.AMOUNT_NOT_ASKED if command.to is not None else None
        case "call":
            if turn.legal.call is None:
                return Reason.NOTHING_TO_CALL
            total = hand.players[turn.seat].in_round + turn.legal.call
            return Reason.AMOUNT_NOT_ASKED if command.to not in (None, total) else None
        case "bet" | "raise":
            return _raise_refused(command.to, story, hand, turn)


def _raise_refused(to: int | None, story: PokerStory, hand: Hand, turn: Turn) -> Reason | AtLive | None:
    if to is None:
        return Reason.AMOUNT_MISSING
    bar = why_no_raise(story.state, hand.players[turn.seat])
    if bar is not None:
        return _REASONS[bar]
    lowest, highest = turn.legal.min_to, turn.legal.max_to
    assert lowest is not None
    assert highest is not None
    if to > highest:
        return Reason.ABOVE_MAX
    if to < lowest:
        return Reason.BELOW_MIN
    return None


def _detail(reason: Reason | AtLive, turn: Turn) -> str:
    legal = turn.legal
    if reason in (Reason.ABOVE_MAX, Reason.BELOW_MIN):
        return f"a round total of {legal.min_to} to {legal.max_to} is possible"
    return f"{legal.call} to call" if reason is Reason.CANNOT_CHECK else ""


def time_bank_after(turn: Turn, now: int) -> int:
    """What is left of the time bank when the decision comes at `now` (pt-811-2015 44)."""
    return max(0, turn.bank_until - max(now, turn.until))


def _tell(command: Act, story: PokerStory, hand: Hand, turn: Turn) -> None:
    player = hand.players[turn.seat]
    bank = time_bank_after(turn, story.now)
    match command.act:
        case "fold":
            story.tell(
                PlayerFolded(
                    seat=turn.seat,
                    player=player.player,
                    actor="player",
                    time_bank_left=bank,
                )
            )
        case "check":
            story.tell(
                PlayerChecked(
                    seat=turn.seat,
                    player=player.player,
                    actor="player",
                    time_bank_left=bank,
                )
            )
        case "call" | "bet" | "raise":
            _tell_bet(command, story, hand, turn, bank)


def _tell_bet(command: Act, story: PokerStory, hand: Hand, turn: Turn, bank: int) -> None:
    player = hand.players[turn.seat]
    to = player.in_round + turn.legal.call if command.act == "call" and turn.legal.call else command.to
    assert to is not None
    amount = to - player.in_round
    stack = story.state.seats[turn.seat].stack - amount
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
            currency=story.rules.currency,
            time_bank_left=bank,
        )
    )
