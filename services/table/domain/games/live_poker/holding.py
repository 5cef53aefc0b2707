"""When the turn comes to a seat that acted before it: what was done then is settled now (pt-217-2007 71.f)."""

from libs.contracts.poker_events import BetPlaced, PlayerChecked, PlayerFolded
from services.table.domain.games.live_poker.limiting import held_of
from services.table.domain.games.live_poker.state import LiveStory
from services.table.domain.games.poker.limits import raise_range
from services.table.domain.games.poker.state import Hand


def settle_held(story: LiveStory, seat: int) -> bool:
    """True when the betting has moved on by it; False: the seat's decision is awaited, bound or free."""
    hand = story.state.hand
    assert hand is not None
    held = held_of(story.state, seat)
    if held is None:
        return False
    player = hand.players[seat]
    if held.act == "fold" or (held.act == "check" and player.in_round == hand.bet):
        _tell(story, hand, seat, PlayerFolded if held.act == "fold" else PlayerChecked)
        return True
    if held.act == "check" or held.to == hand.bet or _still_a_raise(story, hand, seat, held.to):
        return False
    # A bet before it was higher: the chips stay, and more may only be called.
    put_in(story, seat, min(held.chips, max(0, hand.bet - player.in_round)))
    return True


def _still_a_raise(story: LiveStory, hand: Hand, seat: int, to: int) -> bool:
    player = hand.players[seat]
    lowest, highest = raise_range(hand, player, story.state.seats[seat].stack, story.rules)
    return story.game.why_no_raise(story.state, player) is None and lowest <= to <= highest


def put_in(story: LiveStory, seat: int, chips: int) -> None:
    """Chips of an act that is not finished: less than the call, and they stay."""
    hand, sitter = story.state.hand, story.state.seats[seat]
    assert hand is not None
    story.tell(
        BetPlaced(
            seat=seat,
            player=sitter.player,
            act="call",
            amount=chips,
            to=hand.players[seat].in_round + chips,
            stack=sitter.stack - chips,
            all_in=sitter.stack == chips,
            currency=story.rules.currency,
            time_bank_left=sitter.time_bank,
            unfinished=True,
        )
    )


def _tell(story: LiveStory, hand: Hand, seat: int, kind: type[PlayerFolded] | type[PlayerChecked]) -> None:
    story.tell(
        kind(
            seat=seat,
            player=hand.players[seat].player,
            actor="player",
            time_bank_left=story.state.seats[seat].time_bank,
        )
    )
