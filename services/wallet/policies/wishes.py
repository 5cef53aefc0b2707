"""Money leaves a player's account for a table or tournament only where that player has asked for it (ADR 13), and a
table's bank has only what people have given it (adr/0022).

A table's event is believed in what a table decides. What a player wants it can't say: for that the command itself is
looked at, which carries the gateway's own mark. The gateway has made the name of what is wished out of the command's
id, so an event names the command that it follows from, whatever happened in between.
"""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple
from uuid import UUID

import msgspec

from libs.contracts.bank_commands import ApproveBankChange, RequestBankChange
from libs.contracts.bank_events import BankDropped, BankOpened, BankToppedUp
from libs.contracts.commands import Command
from libs.contracts.facts import Fact
from libs.contracts.messages import CommandMessage, PublicEvent
from libs.contracts.table_commands import OpenTable, RequestTopUp, TakeSeat
from libs.contracts.table_events import SeatReserved, TopUpDue
from libs.contracts.tournaments_commands import RegisterPlayer, RequestAddOn, RequestRebuy
from libs.contracts.tournaments_events import PaymentDue
from libs.rulebooks.library import find_rulebook
from services.wallet.policies.escrows import is_alone


class Wished(NamedTuple):
    """As much of a wish as an event has to repeat."""

    player: str
    stream: str
    named: str
    amount: int | None
    """Minor units. None: a purchase without a price, which no event repeats: it covers nothing."""
    change: str = ""
    """Of a bank: whether by one alone, in which direction, name of the change; of its opening: in which money."""


_NAMED: Mapping[str, str] = {
    each.__name__: field
    for each, field in dict[type[Command], str]({
        TakeSeat: "reservation", RequestTopUp: "top_up", RegisterPlayer: "entry", RequestRebuy: "payment",
        RequestAddOn: "payment",
    }).items()
}  # fmt: skip
"""The field of each wish that the gateway mints."""
_FOLLOWS: Mapping[type[Fact], Callable[[Any], tuple[str, int | None]]] = {
    SeatReserved: lambda e: (e.reservation, e.amount),
    TopUpDue: lambda e: (e.top_up, e.amount),
    PaymentDue: lambda e: (e.payment, e.amount),
}


_BANK = "bank-"
"""Before the id of a command about a bank; no gateway mints such a name."""


def wish_behind(event: PublicEvent, fact: Any) -> Wished | None:
    """What a player, or one of the staff, must have asked for; None where nobody has to."""
    if isinstance(fact, BankOpened):
        opens = f"{fact.kind} {fact.currency} {fact.alone_up_to}"
        return Wished(fact.by, event.stream, _BANK + event.causation, fact.risk_limit, opens)
    if isinstance(fact, BankToppedUp | BankDropped):
        direction = "top_up" if isinstance(fact, BankToppedUp) else "drop"
        change = f"{'alone ' if is_alone(fact) else ''}{direction} {fact.change}"
        return Wished(fact.by, event.stream, _BANK + event.causation, fact.amount, change)
    follows = _FOLLOWS.get(type(fact))
    return Wished(fact.player, event.stream, *follows(fact)) if follows is not None else None


def id_in(named: str) -> UUID | None:
    """Of the command whose wish has this name."""
    try:
        return UUID(named.partition("-")[2])
    except ValueError:
        return None


def wish_in(value: bytes) -> Wished | None:
    """Of a record of commands; None for all that moves no money."""
    if not any(name in value for name in _TYPES):
        return None
    try:
        message = CommandMessage.decoded(value)
    except msgspec.MsgspecError:
        return None
    if message.type in _OF_BANKS:
        return _of_bank(message)
    field = _NAMED.get(message.type)
    if field is None or message.principal.kind != "player":
        return None
    return Wished(message.principal.id, message.stream, f"{field}-{message.id}", _amount_in(message.body))


def _of_bank(message: CommandMessage) -> Wished | None:
    """What is opened says how much is at risk, and in which money; a change is named by who approves it, or by who
    asks for it and may move that much alone, which the escrow counts."""
    if message.principal.kind != "staff":
        return None
    body, named = message.body, f"{_BANK}{message.id}"
    if message.type == OpenTable.__name__:
        at_risk = body.get("risk_limit")
        amount = body.get("bank", 0) if at_risk is None else at_risk
        return Wished(message.principal.id, message.stream, named, amount, _opens(body))
    alone = "alone " if message.type == RequestBankChange.__name__ else ""
    change = f"{alone}{body.get('direction')} {body.get('change')}"
    return Wished(message.principal.id, message.stream, named, body.get("amount"), change)


def _opens(body: Mapping[str, Any]) -> str:
    """Kind and currency of the table that is asked for, and what one may move of its bank alone."""
    values, rulebook = body.get("configuration"), find_rulebook(str(body.get("rulebook")))
    if not isinstance(values, Mapping) or rulebook is None:
        return ""
    filled = {**{name: field.default for name, field in rulebook.fields.items()}, **values}
    kind, currency = filled.get("kind"), filled.get("currency")
    return f"{kind} {currency} {body.get('alone_up_to', 0)}"


def _amount_in(body: Mapping[str, Any]) -> int | None:
    """Minor units. A registration with a ticket is paid for already: whatever price stands beside it, no money leaves
    the account (pt-810-2015 FP-17)."""
    return 0 if body.get("ticket") is not None else body.get("amount", body.get("price"))


_OF_BANKS = frozenset(each.__name__ for each in (OpenTable, RequestBankChange, ApproveBankChange))
_TYPES = tuple(name.encode() for name in (*_NAMED, *sorted(_OF_BANKS)))
