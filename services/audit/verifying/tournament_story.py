"""Whether a tournament was announced before anything else came of it, and what it may then promise and pay: the house
adds what the definition says that two people have asked for, and a prize is of somebody who is in (pt-810-2015 FP-12,
FP-18).
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from libs.contracts import tournament_ticket_events as k
from libs.contracts import tournaments_events as t
from libs.contracts.facts import Fact
from libs.contracts.messages import PublicEvent
from libs.contracts.people import same_person
from libs.contracts.tournament_play_events import PrizesFixed
from services.audit.verifying.findings import Finding, Kind
from services.audit.verifying.tournament_credits import Owed, check_owed, owed_by

_WITHIN = (t.ProposalDeclined, t.TournamentAnnounced, k.TargetAsked, k.ApprovalFailed)
"""What comes of a proposal before it is announced; an approval that fails leaves it as it was."""


@dataclass(slots=True)
class Story:
    """Fold of one tournament, minor units."""

    stage: Literal["", "unknown", "none", "proposed", "declined", "announced"] = ""
    """Empty: nothing is read. Unknown: its beginning was not, or is told as wrong, and nothing more is said of it."""
    proposed_by: str = ""
    promised: int = 0
    """Of the house's own money, by the definition."""
    ticket: int = 0
    """What a won ticket is worth."""
    best: int | None = None
    """The highest prize of one place; None: the prizes are not fixed."""
    holders: dict[str, str] = field(default_factory=dict)
    """Whose each entry is, and each ticket for this tournament."""
    all_held: bool = True
    """False: some of them are forgotten."""
    owed: Owed | None = None
    """None: it was proposed before this was looked at."""

    def forget(self) -> None:
        """What is kept by entry."""
        self.holders.clear()
        self.all_held = False
        if self.owed is not None:
            self.owed.forget()


def check_story(story: Story, event: PublicEvent, fact: Fact, prize: int) -> Iterator[Finding]:
    """Folds one event and yields what does not follow from what was announced. `prize`: in that account before it."""
    if not story.stage:
        story.stage = "none" if event.version <= 1 else "unknown"
    if story.stage == "unknown":
        return
    if (why := _announcing(story, fact)) is not None:
        story.stage = "unknown"
        yield Finding(Kind.NOT_ANNOUNCED, event.stream, why, event.version)
        return
    owed = check_owed(story.owed, fact, prize) if story.owed is not None else ()
    for why in (*owed, *_paying(story, fact, prize)):
        yield Finding(Kind.ACCOUNT, event.stream, why, event.version)


def _announcing(story: Story, fact: Fact) -> str | None:
    name = type(fact).__name__
    if isinstance(fact, t.TournamentProposed):
        if story.stage != "none":
            return f"{name}, and it was {story.stage} before"
        story.stage, story.proposed_by = "proposed", fact.by
        story.promised, story.owed = fact.definition.promised, owed_by(fact.definition)
        story.ticket = fact.definition.tickets.value if fact.definition.tickets is not None else 0
        return None
    if not isinstance(fact, _WITHIN):
        return None if story.stage == "announced" else f"{name} of a tournament that was not announced: {story.stage}"
    if story.stage != "proposed":
        return f"{name} of a tournament that is no proposal: {story.stage}"
    if isinstance(fact, t.ProposalDeclined):
        story.stage = "declined"
    if isinstance(fact, t.TournamentAnnounced):
        if same_person(fact.by, story.proposed_by):
            return f"announced by {fact.by}, who has proposed it"
        story.stage = "announced"
    return None


def _paying(story: Story, fact: Fact, prize: int) -> Iterator[str]:
    match fact:
        case t.EntryPaid():
            story.holders[fact.entry] = fact.player
        case k.TicketIssued():
            story.holders[fact.ticket] = fact.player
        case PrizesFixed():
            if story.best is not None:
                yield "the prizes are fixed twice"
            due = max(0, story.promised - prize)
            if fact.amount > due:
                yield f"the house adds {fact.amount} to the prizes, of what it promised {due} is due"
            story.best = max(fact.prizes, default=0) + story.ticket
        case k.TicketsAwarded():
            yield from (f"a ticket of {won.entry}, which is not in" for won in fact.tickets if _is_not_in(story, won))
        case t.CreditsDue():
            for each in fact.credits:
                if _is_not_in(story, each):
                    yield f"credit {each.credit} of {each.amount} to {each.player}, whose it can't be"
                elif each.credit == f"{each.entry}.prize" and each.amount > (story.best or 0):
                    yield f"credit {each.credit} of {each.amount}, and the highest prize is {story.best or 0}"
        case _:
            return


def _is_not_in(story: Story, each: t.Credit | k.TicketWon) -> bool:
    return story.all_held and story.holders.get(each.entry) != each.player
