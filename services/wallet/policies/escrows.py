"""What a table's escrow gets to know, and what follows once it has covered what goes home (adr/0022).

What players have brought, and what they ask home, is the wallet's own word. What a bank has is that of people:
`wishes.py` has looked their commands up before it counts. Play money has no escrow: nobody gets richer by it.
"""

from typing import Any

from libs.contracts.bank_events import BankChanged, BankClosed, BankCovered, BankDropped, BankOpened, BankToppedUp
from libs.contracts.escrow_commands import (
    ClaimHome,
    EscrowCommand,
    NoteBank,
    NoteCover,
    NoteReserve,
    NoteRisk,
    ReturnBank,
    ReviewEscrow,
    escrow_of,
)
from libs.contracts.escrow_events import HomeClaim, HomeCovered, HomeStruck
from libs.contracts.facts import taken
from libs.contracts.messages import CommandMessage, PublicEvent
from libs.contracts.people import same_person
from libs.contracts.wallet_commands import ReleaseFunds, SettleSitting, account_id
from libs.contracts.wallet_events import FundsReserved, HomeAsked
from libs.money.play import kind_of
from libs.policies import Reactions
from services.wallet.policies.asking import asked_when


def when_bank_opened(event: PublicEvent, fact: BankOpened) -> list[CommandMessage]:
    """It is empty; what the house accepts to lose in one round, the treasury may have to add."""
    if fact.kind != "real":
        return []
    return [_asked(event, fact, taken(NoteRisk, fact, amount=fact.risk_limit))]


def when_bank_topped_up(event: PublicEvent, fact: BankToppedUp) -> list[CommandMessage]:
    return _bank(event, fact, "top_up")


def when_bank_dropped(event: PublicEvent, fact: BankDropped) -> list[CommandMessage]:
    return _bank(event, fact, "drop")


def _bank(event: PublicEvent, fact: BankChanged, direction: Any) -> list[CommandMessage]:
    if fact.kind != "real":
        return []
    return [_asked(event, fact, taken(NoteBank, fact, direction=direction, alone=is_alone(fact)))]


def when_bank_covered(event: PublicEvent, fact: BankCovered) -> list[CommandMessage]:
    """Out of what the house accepts to lose: it adds nothing."""
    return [_asked(event, fact, taken(NoteCover, fact, told_at=event.time))] if fact.kind == "real" else []


def when_bank_closed(event: PublicEvent, fact: BankClosed) -> list[CommandMessage]:
    return [_asked(event, fact, taken(ReturnBank, fact))] if fact.kind == "real" else []


def is_alone(fact: BankChanged) -> bool:
    """Whether one person has moved it, within what one may."""
    return same_person(fact.requested_by, fact.by)


def when_funds_reserved(event: PublicEvent, fact: FundsReserved) -> list[CommandMessage]:
    if kind_of(fact.currency) != "real":
        return []
    return [_asked(event, fact, taken(NoteReserve, fact, told_at=event.time))]


def when_home_asked(event: PublicEvent, fact: HomeAsked) -> list[CommandMessage]:
    """Behind the reserves of the same account, which were told before it."""
    claim = taken(HomeClaim, fact)
    return [_asked(event, fact, ClaimHome(table=fact.table, claim=claim, told_at=event.time))]


def when_home_covered(event: PublicEvent, fact: HomeCovered) -> list[CommandMessage]:
    """The account takes it: chips settle their sitting, what never became chips is free again."""
    claim = fact.claim
    asked: SettleSitting | ReleaseFunds
    if claim.reserve:
        asked = ReleaseFunds(reserve=claim.reserve, table=fact.table, reason=claim.reason, covered=True)
    else:
        asked = SettleSitting(
            sitting=claim.sitting, table=fact.table, returned=claim.amount, settlement=claim.settlement, covered=True
        )
    return [asked_when(event, fact, account_id(claim.player, claim.currency), asked), *_more(event, fact)]


def when_home_struck(event: PublicEvent, fact: HomeStruck) -> list[CommandMessage]:
    """The account is asked nothing."""
    return _more(event, fact)


def _more(event: PublicEvent, fact: HomeCovered | HomeStruck) -> list[CommandMessage]:
    return [_asked(event, fact, ReviewEscrow(table=fact.table))] if fact.more else []


def _asked(event: PublicEvent, fact: Any, command: EscrowCommand) -> CommandMessage:
    return asked_when(event, fact, escrow_of(command.table), command)


BANKS: Reactions = {
    BankOpened: when_bank_opened,
    BankToppedUp: when_bank_topped_up,
    BankDropped: when_bank_dropped,
    BankCovered: when_bank_covered,
    BankClosed: when_bank_closed,
}
"""To events of tables."""
TO_ESCROWS: Reactions = {
    FundsReserved: when_funds_reserved,
    HomeAsked: when_home_asked,
}
"""To the wallet's own events, in their order: what a reserve brought is noted before it can go home."""
GOES_HOME: Reactions = {HomeCovered: when_home_covered, HomeStruck: when_home_struck}
"""To the wallet's own events, however old: the account knows each settlement and each reserve."""
