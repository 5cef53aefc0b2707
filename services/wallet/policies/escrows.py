"""What a table's escrow gets to know, and what follows once it has covered what goes home (adr/0022).

What players have brought is the wallet's own word. What a bank has is that of people: `wishes.py` has looked their
commands up before it counts. Play money has no escrow: a table of it can make nobody richer.
"""

from typing import Any

from libs.contracts.bank_events import BankChanged, BankDropped, BankOpened, BankToppedUp
from libs.contracts.escrow_commands import (
    ClaimHome,
    EscrowCommand,
    NoteBank,
    NoteHome,
    NoteReserve,
    NoteRisk,
    ReviewEscrow,
    escrow_of,
)
from libs.contracts.escrow_events import HomeClaim, HomeCovered
from libs.contracts.facts import taken
from libs.contracts.messages import CommandMessage, PublicEvent
from libs.contracts.registry import snake
from libs.contracts.table_events import PlayerLeft, RefundSent
from libs.contracts.wallet_commands import ReleaseFunds, SettleSitting, account_id
from libs.contracts.wallet_events import FundsReleased, FundsReserved, ReserveUnplayed, SittingSettled
from libs.money.play import kind_of
from libs.policies import Reactions, policy_command


def when_bank_opened(event: PublicEvent, fact: BankOpened) -> list[CommandMessage]:
    """It is empty; what the house accepts to lose in one round, the treasury may have to add."""
    if fact.kind != "real" or not fact.risk_limit:
        return []
    return [_asked(event, fact, NoteRisk(table=fact.table, currency=fact.currency, amount=fact.risk_limit))]


def when_bank_topped_up(event: PublicEvent, fact: BankToppedUp) -> list[CommandMessage]:
    return _bank(event, fact, "top_up")


def when_bank_dropped(event: PublicEvent, fact: BankDropped) -> list[CommandMessage]:
    return _bank(event, fact, "drop")


def _bank(event: PublicEvent, fact: BankChanged, direction: Any) -> list[CommandMessage]:
    return [_asked(event, fact, taken(NoteBank, fact, direction=direction))] if fact.kind == "real" else []


def when_funds_reserved(event: PublicEvent, fact: FundsReserved) -> list[CommandMessage]:
    return [_asked(event, fact, taken(NoteReserve, fact, told_at=event.time))] if _counts(fact) else []


def when_reserve_unplayed(event: PublicEvent, fact: ReserveUnplayed) -> list[CommandMessage]:
    """Behind the reserve itself, which was told before it: so it is covered."""
    return [_claimed(event, fact, taken(HomeClaim, fact))]


def when_sitting_settled(event: PublicEvent, fact: SittingSettled) -> list[CommandMessage]:
    if fact.covered or not fact.returned or not _counts(fact):
        return []
    return [_asked(event, fact, taken(NoteHome, fact, amount=fact.returned, told_at=event.time))]


def when_funds_released(event: PublicEvent, fact: FundsReleased) -> list[CommandMessage]:
    if fact.covered or not _counts(fact):
        return []
    return [_asked(event, fact, taken(NoteHome, fact, told_at=event.time))]


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
    home = policy_command(event, account_id(claim.player, claim.currency), asked, _name(fact))
    return [home, _asked(event, fact, ReviewEscrow(table=fact.table))] if fact.more else [home]


def claimed_home(event: PublicEvent, fact: PlayerLeft | RefundSent, amount: int) -> CommandMessage:
    """Chips, minor units. `amount` is above zero."""
    chips = HomeClaim(fact.player, fact.currency, fact.reservation, amount, settlement=event.id)
    return _claimed(event, fact, chips)


def _claimed(event: PublicEvent, fact: PlayerLeft | RefundSent | ReserveUnplayed, claim: HomeClaim) -> CommandMessage:
    return _asked(event, fact, ClaimHome(table=fact.table, claim=claim, told_at=event.time))


def _counts(fact: FundsReserved | SittingSettled | FundsReleased) -> bool:
    return kind_of(fact.currency) == "real"


def _asked(event: PublicEvent, fact: Any, command: EscrowCommand) -> CommandMessage:
    return policy_command(event, escrow_of(command.table), command, _name(fact))


def _name(fact: Any) -> str:
    return f"wallet.when_{snake(type(fact).__name__)}"


BANKS: Reactions = {
    BankOpened: when_bank_opened,
    BankToppedUp: when_bank_topped_up,
    BankDropped: when_bank_dropped,
}
"""To events of tables."""
TO_ESCROWS: Reactions = {
    FundsReserved: when_funds_reserved,
    ReserveUnplayed: when_reserve_unplayed,
    SittingSettled: when_sitting_settled,
    FundsReleased: when_funds_released,
}
"""To the wallet's own events, in their order: what a reserve brought is noted before it can go home."""
GOES_HOME: Reactions = {HomeCovered: when_home_covered}
"""To the wallet's own events, however old: the account knows each settlement and each reserve."""
