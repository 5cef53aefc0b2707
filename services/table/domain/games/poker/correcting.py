"""A wrong deal is put right at once, while nobody has decided on it (mo-97-2010 9.1); later it is void (9.2)."""

from libs.cards.games import GAMES
from libs.contracts.poker_commands import CorrectDeal
from libs.contracts.poker_commands import PokerReason as Reason
from libs.contracts.poker_events import Deal, DealCorrected
from libs.decider import Rejected
from services.table.domain.games.poker.cards import deals_of, shown
from services.table.domain.games.poker.progress import await_decision
from services.table.domain.games.poker.state import Hand
from services.table.domain.games.poker.story import PokerStory
from services.table.domain.table.rejections import rejected


def correct_deal(command: CorrectDeal, story: PokerStory) -> Rejected | None:
    """Staff say that something is wrong; the sealed deck and the dealing rule say what is right."""
    hand = story.state.hand
    if hand is None:
        return rejected(Reason.NO_HAND, story.rules)
    if command.hand != hand.number:
        return rejected(Reason.WRONG_HAND, story.rules)
    deals = [deal for deal in deals_of(hand, story.rules) if tuple(deal.positions) != hand.players[deal.seat].hole]
    board = _board_of(hand, story)
    wrong = [place for place, position in enumerate(hand.board) if position != board[place]]
    if story.rules.live or not (deals or wrong):
        return rejected(Reason.NOTHING_TO_CORRECT, story.rules)
    if any(player.answered is not None for player in hand.players.values()):
        return rejected(Reason.TOO_LATE_TO_CORRECT, story.rules)

    turn = hand.turn
    story.tell(
        DealCorrected(
            deals=[Deal(deal.seat, list(deal.positions)) for deal in deals],
            withdrawn=[hand.board[place] for place in wrong],
            cards=shown(hand, board) if wrong else [],
            cause=command.cause,
            by=story.by,
        )
    )
    if turn is not None:
        await_decision(story, turn.seat)
    return None


def _board_of(hand: Hand, story: PokerStory) -> list[int]:
    """Positions of the common cards by the dealing rule, as many as lie on the table."""
    at = len(hand.order) * GAMES[story.rules.variant].hole_cards
    positions: list[int] = []
    for _, cards in GAMES[story.rules.variant].board:
        at += int(story.rules.dealing.burn_before_board)
        positions += range(at, at + cards)
        at += cards
    return positions[: len(hand.board)]
