"""What follows of itself once nothing stands in the way: next turn, next street, the end of the hand."""

from services.table.domain.games.poker.cards import shown
from services.table.domain.games.poker.events import (
    DecisionAwaited,
    PlayerFolded,
    Street,
    StreetDealt,
    UncalledBetReturned,
)
from services.table.domain.games.poker.evolve import running
from services.table.domain.games.poker.limits import legal_acts
from services.table.domain.games.poker.order import next_to_decide
from services.table.domain.games.poker.pots import uncalled
from services.table.domain.games.poker.showdown import pay_the_last, show_and_pay
from services.table.domain.table.departing import send_home
from services.table.domain.table.story import Story

_NEXT: dict[Street, Street] = {"preflop": "flop", "flop": "turn", "turn": "river"}


def go_on(story: Story) -> None:
    """Tells the hand on to the next decision of a player, or to its end."""
    while story.state.hand is not None:
        hand = story.state.hand
        if len(hand.alive) == 1:
            _return_uncalled(story)
            pay_the_last(story)
            return
        seat = next_to_decide(hand)
        if seat is None:
            _close_round(story)
        elif story.state.seats[seat].leaving == "player":
            fold_leaver(story, seat)
        else:
            await_decision(story, seat)
            return


def await_decision(story: Story, seat: int) -> None:
    """The clock starts: basic time, then the player's time bank (pt-811-2015 43, 44)."""
    hand = running(story.state)
    until = story.now + story.rules.decision_ms
    story.tell(
        DecisionAwaited(
            at=story.now,
            table=story.table,
            hand=hand.number,
            seat=seat,
            player=hand.players[seat].player,
            street=hand.street,
            legal=legal_acts(story.state, hand.players[seat]),
            until=until,
            bank_until=until + story.state.seats[seat].time_bank,
        )
    )


def fold_leaver(story: Story, seat: int) -> None:
    """Leaving is a fold at the player's turn; the stack goes home at once (pt-811-2015 10, 35)."""
    hand = running(story.state)
    sitter = story.state.seats[seat]
    story.tell(
        PlayerFolded(
            at=story.now,
            table=story.table,
            hand=hand.number,
            seat=seat,
            player=sitter.player,
            actor="house",
            reason="left",
            time_bank_left=sitter.time_bank,
        )
    )
    send_home(story, seat, "player")


def _close_round(story: Story) -> None:
    _return_uncalled(story)
    if running(story.state).street == "river":
        show_and_pay(story)
    else:
        _deal_street(story)


def _return_uncalled(story: Story) -> None:
    """A bet nobody matched is not in dispute (pt-811-2015 2.o)."""
    hand = running(story.state)
    returned = uncalled(hand)
    if returned is None:
        return
    seat, amount = returned
    story.tell(
        UncalledBetReturned(
            at=story.now,
            table=story.table,
            hand=hand.number,
            seat=seat,
            player=hand.players[seat].player,
            amount=amount,
            stack=story.state.seats[seat].stack + amount,
            currency=story.rules.currency,
        )
    )


def _deal_street(story: Story) -> None:
    hand = running(story.state)
    street = _NEXT[hand.street]
    first = hand.next_position
    burned = [first] if story.rules.burn_before_board else []  # mo-97-2010 7.1, 8.1, 8.3; Portugal burns nothing
    first += len(burned)
    positions = list(range(first, first + (3 if street == "flop" else 1)))
    story.tell(
        StreetDealt(
            at=story.now,
            table=story.table,
            hand=hand.number,
            street=street,
            cards=shown(hand, positions),
            burned=burned,
        )
    )
