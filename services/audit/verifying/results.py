"""What tournaments of few players brought each of them, for the search for chips that are lost on purpose (11.e).

Kept by itself: of a large field nothing is, for nobody loses to anybody there.
"""

from dataclasses import dataclass, field

from libs.contracts import tournament_ticket_events as k
from libs.contracts import tournaments_events as t
from libs.contracts.facts import Fact
from libs.contracts.messages import PublicEvent
from libs.contracts.tournament_play_events import TournamentCompleted

MOST_KEPT = 100
"""Players with money in it at one time; the row is written at each batch."""


@dataclass(slots=True)
class Results:
    """Of one tournament: what each player won, less what it cost, minor units, the house's fees left out.

    Who has everything back is not in it.
    """

    currency: str = ""
    buy_in: int = 0
    """Of an entry, minor units, without the fee."""
    nets: dict[str, int] = field(default_factory=dict)
    many: bool = False
    """More than were kept: there are no results."""
    ended_at: int = 0
    """Milliseconds since the epoch; 0: it runs, was cancelled, or had begun before this was kept."""


def note_results(results: Results, event: PublicEvent, fact: Fact) -> None:
    """Folds one event of one tournament."""
    match fact:
        case t.TournamentProposed():
            price = fact.definition.buy_in
            results.currency, results.buy_in = fact.definition.currency, price.prize + price.bounty
        case t.PaymentTaken():
            _add(results, fact.player, -fact.prize - fact.bounty)
        case k.TicketRestored():
            _add(results, fact.player, fact.prize + fact.bounty)
        case t.CreditsDue():
            for credit in fact.credits:
                _add(results, credit.player, credit.prize + credit.bounty)
        case k.TicketsAwarded():
            for won in fact.tickets:
                _add(results, won.player, fact.value)
        case TournamentCompleted() if results.currency and not results.many:
            results.ended_at = event.time
        case _:
            pass


def _add(results: Results, player: str, amount: int) -> None:
    net = results.nets.pop(player, 0) + amount
    if net:
        results.nets[player] = net
    if len(results.nets) > MOST_KEPT:
        results.many = True
    if results.many:
        results.nets.clear()
