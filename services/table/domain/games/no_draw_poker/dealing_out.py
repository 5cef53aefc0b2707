"""Handing out the cards of a round and asking every seat at once (pt-803-2015 19 to 21, 30)."""

from libs.contracts.no_draw_poker_events import Choice, HandsAwaited, RoundDeal, RoundDealt
from libs.sealing.merkle import deck_tree
from libs.sealing.shuffle import Shuffle
from services.table.domain.games.no_draw_poker.dealing import BURN_POSITION, dealer_positions, player_positions
from services.table.domain.games.no_draw_poker.evolve import running
from services.table.domain.games.no_draw_poker.finishing import finish_if_decided
from services.table.domain.games.no_draw_poker.leaving import fold_leavers
from services.table.domain.games.no_draw_poker.state import NoDrawTable, Stakes
from services.table.domain.games.no_draw_poker.story import NoDrawStory
from services.table.domain.games.open_cards import open_cards


def deal_round(story: NoDrawStory, fresh: Shuffle) -> None:
    """A fresh deck of 52 for every round (FP-1); nobody, the house included, knew it while bets were open."""
    closed = running(story.state)
    hands = player_positions(sorted(closed.stakes))
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
    deciding = running(story.state)
    story.tell(
        HandsAwaited(
            choices=[_choice(story.state, stakes) for stakes in deciding.undecided],
            until=story.now + story.rules.timing.decision_ms,
            currency=story.rules.currency,
            again=again,
        )
    )


def _choice(state: NoDrawTable, stakes: Stakes) -> Choice:
    bet = state.rules.bet_of(stakes.ante)
    short_of = max(0, bet - state.seats[stakes.seat].stack)
    return Choice(stakes.seat, stakes.player, stakes.reservation, stakes.ante, bet, short_of)
