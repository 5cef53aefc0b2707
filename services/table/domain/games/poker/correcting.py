"""A hand that went wrong: put right at once while nobody has decided on it (mo-97-2010 9.1), later void with every bet
returned and the button where it was (9.2; pt-811-2015 72), and a player's objection, which the house decides
(pt-217-2007 8.c).
"""

from libs.cards.variants import VARIANTS
from libs.contracts.facts import taken
from libs.contracts.people import same_person
from libs.contracts.poker_commands import CorrectDeal, OpenDispute, ResolveDispute, VoidHand
from libs.contracts.poker_commands import PokerReason as Reason
from libs.contracts.poker_events import (
    Deal,
    DealCorrected,
    DealCorrectionRequested,
    DisputeOpened,
    DisputeResolved,
    HandVoided,
)
from libs.contracts.table_commands import TableReason
from libs.contracts.table_events import Refund, RefundSent
from libs.decider import Rejected
from services.table.domain.games.poker.cards import deals_of, shown
from services.table.domain.games.poker.evolve import running
from services.table.domain.games.poker.progress import await_decision
from services.table.domain.games.poker.state import Hand
from services.table.domain.games.poker.story import PokerStory
from services.table.domain.table.after_round import after_round
from services.table.domain.table.handlers import unless
from services.table.domain.table.rejections import rejected
from services.table.domain.table.voiding import void_by_staff


def no_such_hand(command: CorrectDeal | VoidHand, story: PokerStory) -> Rejected | None:
    hand = story.state.hand
    if hand is not None and command.hand == hand.number:
        return None
    return rejected(Reason.NO_HAND if hand is None else Reason.WRONG_HAND, story.rules)


@unless(no_such_hand)
def correct_deal(command: CorrectDeal, story: PokerStory) -> Rejected | None:
    """Two of the staff say that something is wrong; the sealed deck and the dealing rule say what is right."""
    hand = running(story.state)
    deals = [deal for deal in deals_of(hand, story.rules) if tuple(deal.positions) != hand.players[deal.seat].hole]
    board = _board_of(hand, story)
    wrong = [place for place, position in enumerate(hand.board) if position != board[place]]
    if story.rules.live or not (deals or wrong):
        return rejected(Reason.NOTHING_TO_CORRECT, story.rules)
    if any(player.answered is not None for player in hand.players.values()):
        return rejected(Reason.TOO_LATE_TO_CORRECT, story.rules)
    if not hand.correction_by:
        story.tell(DealCorrectionRequested(cause=command.cause, by=story.by))
        return None
    if same_person(hand.correction_by, story.by):
        return rejected(TableReason.OWN_REQUEST, story.rules)

    turn = hand.turn
    story.tell(
        DealCorrected(
            deals=[Deal(deal.seat, list(deal.positions)) for deal in deals],
            withdrawn=[hand.board[place] for place in wrong],
            cards=shown(hand, board) if wrong else [],
            cause=command.cause,
            by=story.by,
            requested_by=hand.correction_by,
        )
    )
    if turn is not None:
        await_decision(story, turn.seat)
    return None


def _board_of(hand: Hand, story: PokerStory) -> list[int]:
    """Positions of the common cards by the dealing rule, as many as lie on the table."""
    at = len(hand.order) * VARIANTS[story.rules.variant].hole_cards
    positions: list[int] = []
    for _, cards in VARIANTS[story.rules.variant].board:
        at += int(story.rules.dealing.burn_before_board)
        positions += range(at, at + cards)
        at += cards
    return positions[: len(hand.board)]


@unless(no_such_hand)
def void_hand(command: VoidHand, story: PokerStory) -> Rejected | None:
    return void_by_staff(story, command.hand, command.cause, void_running)


def void_running(story: PokerStory, cause: str, by: str, requested_by: str = "") -> None:
    """Every bet of the running hand goes back; its cards do not count."""
    hand = running(story.state)
    refunds = [_refund(story, hand, seat) for seat in sorted(hand.order)]
    gone = [refund for refund in refunds if refund.amount and not _still_there(story, hand, refund.seat)]
    currency = story.rules.currency
    story.tell(HandVoided(cause=cause, by=by, refunds=refunds, currency=currency, requested_by=requested_by))
    for refund in gone:
        _send_after(story, hand, refund)
    after_round(story)


def _still_there(story: PokerStory, hand: Hand, seat: int) -> bool:
    sitter = story.state.seats.get(seat)
    return sitter is not None and sitter.reservation == hand.players[seat].reservation


def _refund(story: PokerStory, hand: Hand, seat: int) -> Refund:
    player = hand.players[seat]
    stack = story.state.seats[seat].stack if _still_there(story, hand, seat) else 0
    return Refund(seat, player.player, player.reservation, player.staked, stack + player.staked)


def _send_after(story: PokerStory, hand: Hand, refund: Refund) -> None:
    """Who left during the hand has no stack any more: the refund goes home on its own."""
    gone = hand.players[refund.seat]
    story.tell(taken(RefundSent, gone, story.rules, amount=refund.amount))


def open_dispute(command: OpenDispute, story: PokerStory) -> Rejected | None:
    """8.c: at any table; what is not delivered waits for the house's decision."""
    sitter = story.state.sitter_of(story.by)
    if sitter is None:
        return rejected(Reason.NOT_YOUR_SEAT, story.rules)
    if not 0 < command.hand <= story.state.hands:
        return rejected(Reason.WRONG_HAND, story.rules)
    disputes = story.state.disputes
    if any(sitter.player == each.player or (not each.player and sitter.seat == each.seat) for each in disputes):
        return rejected(Reason.ALREADY_DISPUTED, story.rules)
    lately = story.state.disputed_lately(sitter.player, story.now)
    nth = 1 if lately is None else lately.opened + 1
    story.tell(taken(DisputeOpened, command, sitter, dispute=story.state.disputed + 1, nth=nth))
    return None


def resolve_dispute(command: ResolveDispute, story: PokerStory) -> Rejected | None:
    if (command.dispute, command.hand) not in [(each.id, each.hand) for each in story.state.disputes]:
        return rejected(Reason.NO_SUCH_DISPUTE, story.rules)
    story.tell(taken(DisputeResolved, command, decided_by=story.by))
    return None
