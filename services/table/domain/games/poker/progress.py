"""What a hand does without a command of its own: next turn, next street, the end of the hand."""

from libs.cards.variants import VARIANTS, Street, Variant
from libs.contracts.facts import taken
from libs.contracts.poker_events import DecisionAwaited, PlayerFolded, StreetDealt, UncalledBetReturned
from services.table.domain.games.poker.cards import shown
from services.table.domain.games.poker.evolve import running
from services.table.domain.games.poker.order import is_even, next_to_decide
from services.table.domain.games.poker.pots import uncalled
from services.table.domain.games.poker.showdown import pay_the_last, show_and_pay
from services.table.domain.games.poker.story import PokerStory
from services.table.domain.table.departing import send_home

_NEXT: dict[Variant, dict[Street, tuple[Street, int]]] = {
    variant: dict(zip(("preflop", *(street for street, _ in game.board)), game.board, strict=False))
    for variant, game in VARIANTS.items()
}
"""The street after a street, and how many cards it turns up; none after the last."""


def begin(story: PokerStory) -> None:
    """From the hole cards on: a round of betting, or the first common card where none stands before it."""
    if not VARIANTS[story.rules.variant].bets_before_board:
        _close_round(story)
    go_on(story)


def go_on(story: PokerStory) -> None:
    """Tells the hand on to the next decision of a player, or to its end."""
    while (hand := story.state.hand) is not None:
        if story.game.waits(story.state):
            return
        if hand.left == 1:
            _return_uncalled(story)
            pay_the_last(story)
            return
        player = next_to_decide(hand)
        if player is None:
            _close_round(story)
        elif story.state.seats[player.seat].leaving == "player":
            fold_leaver(story, player.seat)
        elif not story.game.acted_before(story, player.seat):
            await_decision(story, player.seat)
            return


def await_decision(story: PokerStory, seat: int) -> None:
    """The clock starts: basic time, then the player's time bank (pt-811-2015 43, 44)."""
    state = story.state
    assert not story.game.waits(state), "nobody is asked while the hand waits for somebody else"
    hand = running(state)
    player = hand.players[seat]
    until = story.now + state.rules.timing.decision_ms
    story.tell(
        DecisionAwaited(
            seat=seat,
            player=player.player,
            street=hand.street,
            legal=story.game.legal_acts(state, player),
            until=until,
            bank_until=until + state.seats[seat].time_bank,
        )
    )


def fold_leaver(story: PokerStory, seat: int) -> None:
    """Leaving is a fold at the player's turn; the stack goes home at once (pt-811-2015 10, 35)."""
    sitter = story.state.seats[seat]
    story.tell(
        PlayerFolded(seat=seat, player=sitter.player, actor="house", reason="left", time_bank_left=sitter.time_bank)
    )
    go_home(story, seat)


def go_home(story: PokerStory, seat: int) -> None:
    """Who has folded to leave goes at once, with what nobody can match any more."""
    if running(story.state).left == 1:
        _return_uncalled(story)
    send_home(story, seat, "player")


def _close_round(story: PokerStory) -> None:
    _return_uncalled(story)
    assert is_even(running(story.state)), "a round closes when everybody has put in the same"
    following = _NEXT[story.rules.variant].get(running(story.state).street)
    if following is None:
        show_and_pay(story)
    else:
        story.game.open_street(story, *following)


def _return_uncalled(story: PokerStory) -> None:
    """Returns the part of a bet that nobody matched (pt-811-2015 2.o), also of a hand that is out.

    Who has left the table while somebody could still match it has left it in the pot, as in pt-217-2007 71.g.
    """
    hand = running(story.state)
    returned = uncalled(hand)
    if returned is None:
        return
    seat, amount = returned
    sitter = story.state.seats.get(seat)
    if sitter is None or sitter.reservation != hand.players[seat].reservation:
        return
    story.tell(taken(UncalledBetReturned, sitter, story.rules, amount=amount, stack=sitter.stack + amount))


def deal_street(story: PokerStory, street: Street, cards: int) -> None:
    hand = running(story.state)
    first = hand.next_position
    # mo-97-2010 7.1, pt-217-2007 41; not online in Portugal
    burned = [first] if story.rules.dealing.burn_before_board else []
    first += len(burned)
    positions = list(range(first, first + cards))
    story.tell(StreetDealt(street=street, cards=shown(hand, positions), burned=burned))
