"""Who is put out of a tournament by one person, with a claim to the pot of a running hand (pt-810-2015 FP-16).

Who is disqualified is folded, and others win what lies there: the word of one decides about a pot, and who it was for
is seen before the hand is forgotten. Prizes wait for a second person in any case.
"""

from collections.abc import Iterator

from libs.contracts.facts import Fact
from libs.contracts.messages import PublicEvent
from libs.contracts.tournament_events import EntrantBarred
from services.audit.verifying.findings import Finding, Kind
from services.audit.verifying.pot_state import Pots


def check_barred(pots: Pots, event: PublicEvent, fact: Fact) -> Iterator[Finding]:
    """Of one table; `pots` remembers who has put what into its running hand. Each time, also the first."""
    if not isinstance(fact, EntrantBarred) or pots.hand is None:
        return
    put = pots.puts.get(fact.seat)
    if put is None or put.folded:
        return
    pot = sum(each.live + each.dead for each in pots.puts.values())
    follows = "plays the hand to its end" if fact.after_hand is not None else "decides no more in it"
    detail = f"{fact.player} was {fact.why} from {fact.tournament} in hand {pots.hand} of seat {fact.seat}, with"
    detail += f" {put.live + put.dead} in a pot of {pot}, and {follows}"
    yield Finding(Kind.BARRED, event.stream, detail, event.version)
