"""The end of a live hand: all cards on the table, the dealer announces, the cards decide, the pot is delivered."""

from libs.contracts.live_events import DisputeOpened, DisputeResolved, WinnerAnnounced
from libs.decider import Rejected
from services.table.domain.games.poker.live.asking import no_such_hand, not_the_dealer
from services.table.domain.games.poker.live.commands import CancelAct, DeliverPot, OpenDispute, ResolveDispute
from services.table.domain.games.poker.live.recording import tell_incident
from services.table.domain.games.poker.live.rejections import Reason
from services.table.domain.games.poker.live.stages import live_of
from services.table.domain.games.poker.rejections import Reason as AtPoker
from services.table.domain.games.poker.showdown import pay_by_the_cards, winners_by_the_cards
from services.table.domain.games.poker.story import PokerStory
from services.table.domain.table.after_round import after_round
from services.table.domain.table.rejections import rejected


def deliver_pot(command: DeliverPot, story: PokerStory) -> Rejected | None:
    """A wrong announcement is rectified before money moves, unless the chips were pushed already (70.a)."""
    refused = not_the_dealer(command, story) or no_such_hand(command.hand, story)
    if refused is not None:
        return refused
    hand = story.state.hand
    assert hand is not None
    if live_of(hand).stage != "paying":
        return rejected(Reason.NOT_SHOWDOWN, story.rules)
    if any(dispute.hand == hand.number for dispute in story.state.desk.disputes):
        return rejected(Reason.DISPUTE_OPEN, story.rules)
    winners = winners_by_the_cards(story)
    wrong = command.winner is not None and command.winner not in winners
    if wrong and command.winner not in hand.players:
        return rejected(AtPoker.NOT_YOUR_SEAT, story.rules)
    if command.winner is not None:
        story.tell(
            WinnerAnnounced(
                seat=command.winner,
                by_the_cards=sorted(winners),
                pushed=command.pushed,
                by=command.principal_id,
            )
        )
    if wrong and not command.pushed:
        assert command.winner is not None
        tell_incident(story, command, "DE-70a", outcome="rectified", seats=[command.winner, *sorted(winners)])
    pay_by_the_cards(story, command.winner if wrong and command.pushed else None)
    after_round(story)
    return None


def cancel_act(command: CancelAct, story: PokerStory) -> Rejected | None:
    """Never: what was taken stands, and chips on the table stay there (53, 71.c)."""
    hand = story.state.hand
    if hand is None or hand.number != command.hand:
        return rejected(AtPoker.WRONG_HAND, story.rules)
    bound = hand.live is not None and hand.live.limited.get(command.seat) == "bound"
    return rejected(Reason.BET_BINDING if bound else Reason.ACTION_FINAL, story.rules)


def open_dispute(command: OpenDispute, story: PokerStory) -> Rejected | None:
    """8.c: at any table; what is not delivered waits for the house's decision."""
    sitter = story.state.sitter_of(command.principal_id)
    if sitter is None:
        return rejected(AtPoker.NOT_YOUR_SEAT, story.rules)
    if not 0 < command.hand <= story.state.hands:
        return rejected(AtPoker.WRONG_HAND, story.rules)
    story.tell(
        DisputeOpened(
            hand=command.hand,
            dispute=story.state.desk.disputed + 1,
            seat=sitter.seat,
            player=sitter.player,
            text=command.text,
        )
    )
    return None


def resolve_dispute(command: ResolveDispute, story: PokerStory) -> Rejected | None:
    if story.rules.dealing == "live" and command.principal_id == story.state.desk.dealer:
        return rejected(Reason.NOT_A_SUPERVISOR, story.rules)
    known = [d for d in story.state.desk.disputes if (d.id, d.hand) == (command.dispute, command.hand)]
    if not known:
        return rejected(Reason.NO_SUCH_DISPUTE, story.rules)
    story.tell(
        DisputeResolved(
            hand=command.hand,
            dispute=command.dispute,
            decision=command.decision,
            reason=command.reason,
            decided_by=command.principal_id,
        )
    )
    return None
