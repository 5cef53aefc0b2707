"""Handing out the cards of a round and asking every seat at once (pt-803-2015 19 to 21, 30)."""

from collections.abc import Sequence

from libs.contracts.no_draw_poker_events import Choice, HandsAwaited, RoundDeal, RoundDealt
from libs.sealing.merkle import deck_tree
from libs.sealing.shuffle import Shuffle
from services.table.domain.games.game import open_cards
from services.table.domain.games.no_draw_poker.antes import fold_leavers
from services.table.domain.games.no_draw_poker.finishing import finish_if_decided
from services.table.domain.games.no_draw_poker.state import NoDrawStory, NoDrawTable, Stakes

HAND_SIZE = 5
BURN_POSITION = 0
"""The first card goes to the discard corner, face down (19.a)."""
_FIRST = BURN_POSITION + 1


def deal_out(story: NoDrawStory, fresh: Shuffle) -> None:
    """A fresh deck of 52 for every round (FP-1); nobody, the house included, knew it while bets were open."""
    hands = player_positions(sorted(story.state.running.stakes))
    dealer = dealer_positions(len(hands))
    story.tell(
        RoundDealt(
            deck_root=deck_tree(fresh.deck).root.hex(),
            burned=[BURN_POSITION],
            deals=[RoundDeal(seat=seat, positions=positions) for seat, positions in hands.items()],
            dealer=dealer,
            dealer_up=open_cards(fresh.deck, dealer[-1:])[0],
            generator=fresh.generator,
        ),
        deck=fresh.deck,
    )
    ask(story)
    fold_leavers(story)
    finish_if_decided(story)


def ask(story: NoDrawStory, again: bool = False) -> None:
    """The decision time begins, with one deadline for all who have to decide."""
    choices = [_choice(story.state, stakes) for stakes in story.state.running.undecided]
    until = story.now + story.rules.timing.decision_ms
    story.tell(HandsAwaited(choices=choices, until=until, currency=story.rules.currency, again=again))


def _choice(state: NoDrawTable, stakes: Stakes) -> Choice:
    bet = state.rules.bet_of(stakes.ante)
    short_of = max(0, bet - state.seats[stakes.seat].stack)
    return Choice(stakes.seat, stakes.player, stakes.reservation, stakes.ante, bet, short_of)


def player_positions(seats: Sequence[int]) -> dict[int, list[int]]:
    """Deck positions of each seat's five cards: one to each seat clockwise, one to the dealer, five times (19.b).

    `seats` are those with an ante, ascending: the lowest number is dealt first.
    """
    return {seat: _laps(place, len(seats)) for place, seat in enumerate(seats)}


def dealer_positions(players: int) -> list[int]:
    """The dealer's five; the last of them lies open (19.c)."""
    return _laps(players, players)


def _laps(place: int, players: int) -> list[int]:
    return [_FIRST + place + lap * (players + 1) for lap in range(HAND_SIZE)]
