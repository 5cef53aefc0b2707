"""The clock has run out: the house checks where that is possible and folds otherwise (pt-811-2015 45)."""

from libs.contracts.poker_events import PlayerChecked, PlayerFolded
from services.table.domain.games.poker.evolve import running
from services.table.domain.games.poker.progress import await_decision, go_on
from services.table.domain.games.poker.story import PokerStory
from services.table.domain.table.after_round import after_round
from services.table.domain.table.conduct import warn_slow_play


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
    _act_for(story, hand.turn.seat)
    go_on(story)
    after_round(story)


def _act_for(story: PokerStory, seat: int) -> None:
    hand = running(story.state)
    assert hand.turn is not None
    kind = PlayerChecked if hand.turn.legal.check else PlayerFolded
    story.tell(
        kind(
            seat=seat,
            player=hand.players[seat].player,
            actor="house",
            reason="timeout",
            time_bank_left=0,
        )
    )
