"""Commands that the wallet takes. Amounts are minor units of the account's currency, above zero."""

from enum import StrEnum
from typing import Annotated, ClassVar, Literal
from zlib import crc32

import msgspec

from libs.contracts.commands import MAX_AMOUNT, POLICY, STAFF, Amount, WalletCommand
from libs.contracts.facts import MAX_NUMBER, When
from libs.contracts.messages import Principal, PrincipalKind
from libs.contracts.people import person_of
from libs.contracts.roles import Role, Scope
from libs.contracts.texts import Currency, Id, Reference, Words, line, name
from libs.contracts.wallet_events import CashPurpose, SignalKind, TournamentCredit

Book = Literal["real", "demo"]


class OpenAccount(WalletCommand):
    """An account in one currency."""

    may_ask = STAFF
    example = {"player": "alice", "currency": "EUR", "kind": "real"}
    player: Id
    currency: Currency
    kind: Book = "real"
    """Money, or play money, which is worth nothing and stays so."""


MAX_DEPOSIT = 10**12
"""Minor units, for one deposit: 10,000,000,000.00, above what any bank transfers at once."""

Deposit = Annotated[int, msgspec.Meta(ge=1, le=MAX_DEPOSIT, description="minor units of the currency (cents)")]


class DepositFunds(WalletCommand):
    """Money in. The same reference with other content is a conflict."""

    may_ask = STAFF
    example = {"reference": "bank-20260102-17", "amount": 10_000}
    reference: Reference
    """The operator's own; it counts once, for ever."""
    amount: Deposit


Purpose = Literal["deposit", "withdrawal", "signal"]
REFERENCES = "references-"
"""What the streams begin with that hold operators' references; no account's does."""
_SHARES = 4096


class ClaimReference(WalletCommand):
    """Before anything is done under an operator's reference: it counts once, whatever the account."""

    may_ask = STAFF
    example = {
        "reference": "bank-20260102-17",
        "player": "alice",
        "currency": "EUR",
        "purpose": "deposit",
        "amount": 10_000,
    }
    reference: Reference
    """The operator's own."""
    player: Id
    currency: Currency
    kind: Book = "real"
    purpose: Purpose
    """What is done under it."""
    amount: Annotated[int, msgspec.Meta(ge=0, le=MAX_AMOUNT, description="minor units of the currency (cents)")] = 0
    """Minor units; 0 where no money moves."""


def claimant(by: Principal | str) -> str:
    """Whose references count once together: each platform's, and those of all cashiers. Also of `by` as events tell."""
    kind = by.kind if isinstance(by, Principal) else by.partition(":")[0]
    return kind if kind == "staff" else str(by)


def is_of_staff(by: str) -> bool:
    """Whether a person did it, as events tell `by`."""
    return by.startswith("staff:")


def references_of(by: str, reference: str) -> str:
    """The stream that knows whether this principal has used the reference; a fixed number of them share all."""
    share = crc32(f"{by}\x1f{reference}".encode()) % _SHARES
    return f"{REFERENCES}{share:04d}"


PEOPLE: tuple[PrincipalKind, ...] = ("staff",)
"""People alone, so that two who agree are two."""
CASH = "cash-"
"""What the streams begin with that count what a person moves alone; no account's does."""


def cash_of(staff: str) -> str:
    """The stream that counts what this person moves alone, whatever spelling they came with."""
    return CASH + person_of(staff)


class CountCash(WalletCommand):
    """Before a person moves money alone: counted with what the same person has moved on that day, or refused."""

    may_ask = PEOPLE
    example = {
        "reference": "cage-20260102-17",
        "player": "alice",
        "currency": "EUR",
        "purpose": "deposit",
        "amount": 10_000,
    }
    reference: Reference
    player: Id
    currency: Currency
    purpose: CashPurpose
    amount: Amount


class RequestCash(WalletCommand):
    """A deposit or withdrawal that one person may not move alone: it waits for another one."""

    may_ask = PEOPLE
    example = {"reference": "cage-20260102-17", "purpose": "deposit", "amount": 5_000_000}
    reference: Reference
    purpose: CashPurpose
    amount: Amount


class CashCommand(WalletCommand):
    """Answers a deposit or withdrawal that waits."""

    may_ask = PEOPLE
    roles = ("cashier", "supervisor")
    scope = None


class ApproveCash(CashCommand):
    """By another person than the one who asked: the money moves."""

    example = {"reference": "cage-20260102-17", "purpose": "deposit", "amount": 5_000_000}
    reference: Reference
    purpose: CashPurpose
    amount: Amount
    """What is approved, as whoever approves has seen it: a request that says something else stays."""


class DeclineCash(CashCommand):
    """Nothing moves, and the reference is used up. Also by the one who asked."""

    example = {"reference": "cage-20260102-17", "reason": "not today"}
    reference: Reference
    reason: Words


class WithdrawFunds(WalletCommand):
    """Money out. What is not there is refused, and another attempt needs a new reference."""

    may_ask = STAFF
    example = {"reference": "bank-20260102-18", "amount": 10_000}
    reference: Reference
    """The operator's own; it counts once, for ever."""
    amount: Amount


class ReserveFunds(WalletCommand):
    """After `SeatReserved` or `TopUpDue`."""

    may_ask = POLICY
    example = {"reserve": "reservation-41", "sitting": "reservation-41", "table": "table-1", "amount": 10_000}
    reserve: Id
    """A buy-in's reserve has the id of its sitting."""
    sitting: Id
    """The reservation."""
    table: Id
    amount: Amount


class ReleaseFunds(WalletCommand):
    """The seat or top-up came to nothing. Of real money nothing is free again before the table's escrow covers it."""

    may_ask = POLICY
    example = {"reserve": "top_up-17", "table": "table-1", "reason": "left"}
    reserve: Id
    table: Id
    """At which it came to nothing: no other one's reserve is released."""
    reason: Annotated[str, line(64, 0)]
    covered: bool = False
    """By what lies at the table; false of what a table says, and of play money."""


class SettleSitting(WalletCommand):
    """After `PlayerLeft`: every reserve of the sitting ends and `returned` comes home, of real money once the table's
    escrow covers it. Each settlement counts once, for ever; with other content it is a conflict."""

    may_ask = POLICY
    example = {"sitting": "reservation-41", "table": "table-1", "returned": 12_500}
    sitting: Id
    table: Id
    """Where the player sat; of a sitting elsewhere nothing is settled."""
    returned: Annotated[int, msgspec.Meta(ge=0, le=MAX_NUMBER, description="minor units of the currency (cents)")]
    settlement: Annotated[str, name(128, 0)] = ""
    """Tells a sitting's settlements apart: a void hand may send a refund after a player who had gone
    (pt-811-2015 72)."""
    covered: bool = False
    """By what lies at the table; false of what a table says, and of play money."""


class Answering(WalletCommand):
    """Asked by a policy, because of an event; what it names counts once, for ever."""

    may_ask = POLICY
    told_at: When = 0
    """When that event was told: by it is refused what is older than what the account remembers. 0: older builds did not
    say so."""


class ChargeFee(Answering):
    """After `SessionFeeDue` (pt-217-2007 7.b): out of free money, once for ever."""

    example = {"fee": "table-1-1-alice", "table": "table-1", "rulebook": "pt-217-2007-holdem", "amount": 2_000}
    fee: Annotated[str, name(200)]
    table: Id
    rulebook: Id
    amount: Amount


class PayTournament(Answering):
    """After `PaymentDue` (pt-810-2015 21, 22): out of free money, once for ever."""

    example = {"payment": "entry-41", "tournament": "sunday-1", "amount": 2_200}
    payment: Id
    tournament: Id
    amount: Amount


class CreditTournament(Answering):
    """After `CreditCovered`: each credit once, for ever."""

    example = {"credit": "entry-41.refund", "tournament": "sunday-1", "amount": 2_200, "why": "refund"}
    credit: Annotated[str, name(128)]
    tournament: Id
    amount: Amount
    why: TournamentCredit
    covered: bool = False
    """By what the tournament's pool knows; false only of what was on its way when there was none."""


class ReturnPayment(Answering):
    """After `CreditCovered` of a payment: what this account has paid so goes back as it came, once for ever."""

    example = {"payment": "entry-41", "tournament": "sunday-1", "amount": 2_200}
    payment: Id
    tournament: Id
    amount: Amount
    """All of it, no more and no less."""
    covered: bool = False
    """As in `CreditTournament`."""


class ReportSignal(WalletCommand):
    """A device, an address, a means of payment or a program that was seen with an account (pt-811-2015 11)."""

    may_ask = STAFF
    roles: ClassVar[tuple[Role, ...]] = ("security", "support")
    scope: ClassVar[Scope | None] = "signals"
    example = {"report": "login-8841", "kind": "device", "value": "9a7c31f0"}
    report: Reference
    """Counts once, for ever."""
    kind: SignalKind
    value: Annotated[str, line(128)]
    """A keyed digest, save of a program, which has its name."""


def account_id(player: str, currency: str, kind: str = "real") -> str:
    return f"account-{player}-{currency}" + ("-demo" if kind == "demo" else "")


class AccountReason(StrEnum):
    UNKNOWN_ACCOUNT = "unknown_account"
    NOT_ALLOWED = "not_allowed"
    WRONG_ACCOUNT = "wrong_account"
    WRONG_CURRENCY = "wrong_currency"
    DEMO_MONEY = "demo_money"
    REFERENCE_CONFLICT = "reference_conflict"
    REFUSED_BEFORE = "refused_before"
    BALANCE_LIMIT = "balance_limit"
    RESERVE_CONFLICT = "reserve_conflict"
    SITTING_IS_OVER = "sitting_is_over"
    UNKNOWN_RESERVE = "unknown_reserve"
    UNKNOWN_SITTING = "unknown_sitting"
    SETTLEMENT_CONFLICT = "settlement_conflict"
    FORGOTTEN = "forgotten"
    NEEDS_ANOTHER = "needs_another"
    WAITS_FOR_ANOTHER = "waits_for_another"
    NOTHING_WAITS = "nothing_waits"
    OWN_REQUEST = "own_request"
    REQUEST_DIFFERS = "request_differs"
    TOO_MANY_WAITING = "too_many_waiting"
    NOT_PAID = "not_paid"
