"""Where a live hand stands, who may go on with it, and what its dealer does next."""

from collections.abc import Sequence
from typing import Any

from libs.cards.variants import VARIANTS, Street, Variant
from libs.contracts.commands import TableCommand
from libs.contracts.live_commands import LiveReason as Reason
from libs.contracts.live_events import Awaited, CardsAwaited, HandState, StubReshuffled
from libs.contracts.people import same_person
from libs.contracts.poker_commands import PokerReason as AtPoker
from libs.decider import Rejected
from services.table.domain.games.live_poker.state import ROUNDS, LiveStory, LiveTable, live_of
from services.table.domain.games.poker.evolve import running
from services.table.domain.games.poker.order import clockwise_after
from services.table.domain.games.poker.state import Hand
from services.table.domain.table.rejections import rejected


def next_street(street: Street, variant: Variant) -> tuple[Street, int]:
    """What comes after a betting round and how many cards it turns up; asked only where something comes."""
    board = VARIANTS[variant].board
    at = next((place for place, (name, _) in enumerate(board) if name == street), -1)
    return board[at + 1]


def taken_back_before(street: Street) -> bool:
    """Whether withdrawn cards go back before this street: the turn of 70.e waits for the river (70.d to 70.f, S.12)."""
    return street != "turn"


def by_the_dealer(story: LiveStory) -> bool:
    return story.role != "player" and story.by == story.state.desk.dealer


def someone_remote(story: LiveStory, seats: Sequence[int]) -> Rejected | None:
    """Nothing is done for, or held against, a player who does not sit there: the screen asks him (71.a)."""
    remote = any(map(story.state.is_remote, seats))
    return rejected(Reason.PLAYER_IS_REMOTE, story.rules) if remote else None


def state_of(table: LiveTable) -> HandState:
    """The name of the hand's state as incidents record it."""
    hand = table.hand
    live = table.live
    if hand is None or live is None:
        ready = any(pack.shuffled for pack in table.desk.packs.values())
        return "DECK_READY" if ready else "CLOSED"
    if live.pending is not None:
        return "SUPERVISOR_DECISION"
    if live.stage == "dealing":
        return "DEALING"
    return "PAYING" if live.stage == "paying" else ROUNDS[hand.street]


def betting_begun(hand: Hand) -> bool:
    """Whether anybody has acted in round 1: from then on a dealing error has to be lived with (71.h)."""
    return hand.street != "preflop" or any(player.decided for player in hand.players.values())


def hole_order(table: LiveTable, first: int, cards: int) -> list[int]:
    """Seats in the order in which hole cards are dealt; who had one turned over is completed at the end (70.c)."""
    lap = [first, *clockwise_after(running(table).order, first)[:-1]]
    return lap * cards + [seat for seat, _ in live_of(table).turned]


def predecessor(hand: Hand, seat: int) -> int:
    """The seat after which the betting has to go on so that `seat` is next."""
    return clockwise_after(hand.order, seat)[-2] if len(hand.order) > 1 else seat


def after_turn(hand: Hand, out: tuple[int, ...] = ()) -> int | None:
    """Where the betting goes on when it was interrupted: with whose turn it was, unless that seat is `out`."""
    if hand.turn is None:
        return None
    return hand.turn.seat if hand.turn.seat in out else predecessor(hand, hand.turn.seat)


def await_street(story: LiveStory, street: Street) -> None:
    """The round is closed: withdrawn cards go back where the rules want it, then the dealer burns and turns."""
    live = live_of(story.state)
    no_burn = not story.rules.dealing.burn_before_board
    if live.aside and taken_back_before(street):
        # 70.d and 70.f at once; the turn of 70.e comes back when the river is due.
        story.tell(StubReshuffled(returned=list(live.aside), stub=live.stub + len(live.aside), street=street))
        no_burn = True
    tell_awaited(story, street, burn=not no_burn and not live.burnt)


def tell_awaited(story: LiveStory, what: Awaited, burn: bool = False) -> None:
    story.tell(CardsAwaited(what=what, burn=burn))


def not_the_dealer(command: TableCommand, story: LiveStory) -> Rejected | None:
    dealer = story.by == story.state.desk.dealer
    return None if dealer else rejected(Reason.NOT_THE_DEALER, story.rules)


def dealt_in(story: LiveStory, hand: int) -> bool:
    """Whether who asks is the table's dealer, or did something as the dealer of that hand (8.c)."""
    desk = story.state.desk
    return any(same_person(story.by, dealer) for dealer in (desk.dealer, *desk.dealt.get(hand, ())))


def no_such_hand(command: Any, story: LiveStory) -> Rejected | None:
    """The running hand, dealt by hand, is meant; one that is over can't be changed any more (69)."""
    hand = story.state.hand
    if hand is None or hand.number != command.hand:
        over = 0 < command.hand <= story.state.hands
        return rejected(Reason.HAND_CLOSED if over else AtPoker.WRONG_HAND, story.rules)
    return None


def waits_for_supervisor(command: Any, story: LiveStory) -> Rejected | None:
    return rejected(Reason.SUPERVISOR_DECISION, story.rules) if live_of(story.state).pending is not None else None
