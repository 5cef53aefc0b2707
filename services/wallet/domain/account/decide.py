"""The rules of an account: who may move what, once each, and never below zero (GAM-4)."""

import sys
from collections.abc import Sequence

from msgspec.structs import force_setattr

from libs.contracts import wallet_commands as commands
from libs.contracts import wallet_events as events
from libs.contracts.commands import WalletCommand
from libs.contracts.escrow_commands import EscrowCommand
from libs.contracts.facts import WalletEvent, taken
from libs.contracts.messages import Principal
from libs.contracts.people import same_person
from libs.contracts.pool_commands import PoolCommand
from libs.contracts.wallet_commands import AccountReason as Reason
from libs.contracts.wallet_commands import claimant, is_of_staff
from libs.decider import Decided, Given, Rejected
from libs.decider.handlers import handlers_in
from libs.money.cash import BOUNDS, CashBounds
from libs.money.play import fits
from services.wallet.domain.account.evolve import evolve
from services.wallet.domain.account.forgetting import (
    KEPT,
    Kept,
    forgettings,
    is_forgotten_payment,
    may_be_over,
    without_a_time_ahead,
)
from services.wallet.domain.account.rejections import rejected
from services.wallet.domain.account.state import (
    Account,
    NoAccount,
    Reserve,
    State,
    Waiting,
    content_of,
    credit_key,
    fee_key,
    home_key,
    key_of,
    paid_as,
    payment_key,
    reference_key,
    refunded_by,
    unpaid_as,
)  # fmt: skip

MAX_BALANCE = 10**17
"""Minor units. Above any honest account and far below what a snapshot can hold (2^63).

The books sum up many accounts, without end."""

Decision = Sequence[WalletEvent] | Rejected
MOST_WAITING = 20
"""Deposits and withdrawals of an account that wait for a second person, each of which stays until it gets an answer;
and what is on its way home from one table, or was never covered there."""


class AccountDecider:
    """The account as libs.decider wants it. No entropy: `fresh` is None."""

    def __init__(self, kept: Kept = KEPT, cash: CashBounds = BOUNDS) -> None:
        self._kept = kept
        self._cash = cash

    def initial(self, stream: str) -> State:
        return NoAccount(stream)

    def decide(
        self, state: State, command: WalletCommand, given: Given[None]
    ) -> Decided[State, WalletEvent] | Rejected:
        decision = decide(state, without_a_time_ahead(command, given.now, self._kept), given.by)
        allowed = given.by.kind in command.may_ask
        if allowed and isinstance(state, Account) and may_be_over(state, command, given.now, self._kept):
            return rejected(Reason.FORGOTTEN)
        if isinstance(decision, Rejected):
            return decision
        if isinstance(state, Account) and any(self._is_too_much_alone(state, event) for event in decision):
            return rejected(Reason.NEEDS_ANOTHER)
        decided = _recorded(state, decision)
        return self._forgetting(decided, given.now) if decided.states else decided

    def _is_too_much_alone(self, account: Account, event: WalletEvent) -> bool:
        """More than a person may move at once. What the same person moves on a day `domain/cash` counts."""
        return (
            isinstance(event, events.FundsDeposited | events.FundsWithdrawn)
            and is_of_staff(event.by)
            and not event.requested_by
            and not account.demo
            and event.amount > self._cash.alone_up_to
        )

    def _forgetting(self, decided: Decided[State, WalletEvent], now: int) -> Decided[State, WalletEvent]:
        """With what is forgotten by now, behind what was decided."""
        account = decided.states[-1]
        if not isinstance(account, Account) or not (told := forgettings(account, now, self._kept)):
            return decided
        turned = _recorded(account, told)
        return Decided([*decided.events, *turned.events], [*decided.states, *turned.states])

    def evolve(self, state: State, event: WalletEvent) -> State:
        return evolve(state, event)


def decide(state: State, command: WalletCommand, by: Principal) -> Decision:
    if by.kind not in command.may_ask:
        return rejected(Reason.NOT_ALLOWED)
    if isinstance(command, commands.ClaimReference | commands.CountCash | PoolCommand | EscrowCommand):
        return rejected(Reason.WRONG_ACCOUNT)
    if isinstance(command, commands.OpenAccount):
        return _open(state, command, str(by))
    if isinstance(state, NoAccount):
        return rejected(Reason.UNKNOWN_ACCOUNT)
    decision: Decision = _HANDLERS[type(command)](command, state, str(by))
    return decision


def _open(state: State, command: commands.OpenAccount, by: str) -> Decision:
    if commands.account_id(command.player, command.currency, command.kind) != state.stream:
        return rejected(Reason.WRONG_ACCOUNT)
    if isinstance(state, Account):
        return []  # the name says it all: the content is the same
    if not fits(command.kind, command.currency):
        return rejected(Reason.WRONG_CURRENCY)
    return [taken(events.AccountOpened, command, by=by)]


def deposit_funds(command: commands.DepositFunds, account: Account, by: str) -> Decision:
    if (asked := account.references.get(reference_key(by, command.reference))) is not None:
        return [] if asked == key_of("deposit", str(command.amount)) else rejected(Reason.REFERENCE_CONFLICT)
    if reference_key(by, command.reference) in account.waiting:
        return rejected(Reason.WAITS_FOR_ANOTHER)
    return _moved(account, Waiting(command.reference, "deposit", command.amount, by), by)


def withdraw_funds(command: commands.WithdrawFunds, account: Account, by: str) -> Decision:
    if account.demo:
        return rejected(Reason.DEMO_MONEY)
    if (asked := account.references.get(reference_key(by, command.reference))) is not None:
        if asked == key_of("refused", str(command.amount)):
            return rejected(Reason.REFUSED_BEFORE)
        return [] if asked == key_of("withdrawal", str(command.amount)) else rejected(Reason.REFERENCE_CONFLICT)
    if reference_key(by, command.reference) in account.waiting:
        return rejected(Reason.WAITS_FOR_ANOTHER)
    return _moved(account, Waiting(command.reference, "withdrawal", command.amount, by), by)


def request_cash(command: commands.RequestCash, account: Account, by: str) -> Decision:
    if account.demo:
        return rejected(Reason.DEMO_MONEY)
    key = reference_key(by, command.reference)
    if (asked := account.references.get(key)) is not None:
        if asked == key_of("refused", str(command.amount)):
            return rejected(Reason.REFUSED_BEFORE)
        return [] if asked == key_of(command.purpose, str(command.amount)) else rejected(Reason.REFERENCE_CONFLICT)
    if (waits := account.waiting.get(key)) is not None:
        same = (waits.purpose, waits.amount) == (command.purpose, command.amount)
        return rejected(Reason.WAITS_FOR_ANOTHER if same else Reason.REFERENCE_CONFLICT)
    if len(account.waiting) >= MOST_WAITING:
        return rejected(Reason.TOO_MANY_WAITING)
    wish = Waiting(command.reference, command.purpose, command.amount, by)
    moved = _moved(account, wish, by)
    if isinstance(moved, Rejected) or not isinstance(moved[0], events.FundsDeposited | events.FundsWithdrawn):
        return moved  # what can't be had now does not wait either
    return [taken(events.CashRequested, wish)]


def approve_cash(command: commands.ApproveCash, account: Account, by: str) -> Decision:
    waits = account.waiting.get(reference_key(by, command.reference))
    if waits is None:
        return rejected(Reason.NOTHING_WAITS)
    if same_person(*(each.partition(":")[2] for each in (waits.by, by))):
        return rejected(Reason.OWN_REQUEST)
    if (waits.purpose, waits.amount) != (command.purpose, command.amount):
        return rejected(Reason.REQUEST_DIFFERS)
    return _moved(account, waits, by, requested_by=waits.by)


def decline_cash(command: commands.DeclineCash, account: Account, by: str) -> Decision:
    waits = account.waiting.get(reference_key(by, command.reference))
    if waits is None:
        return rejected(Reason.NOTHING_WAITS)
    return [taken(events.CashDeclined, command, waits, requested_by=waits.by, by=by)]


def _moved(account: Account, cash: Waiting, by: str, requested_by: str = "") -> Decision:
    told = {"by": by, "requested_by": requested_by}
    if cash.purpose == "deposit":
        if account.available + account.reserved + cash.amount > MAX_BALANCE:
            return rejected(Reason.BALANCE_LIMIT)
        return [taken(events.FundsDeposited, cash, **told, **_figures(account, cash.amount))]
    if cash.amount > account.available:
        return [taken(events.WithdrawalRefused, cash, account, **told, reason=events.INSUFFICIENT_FUNDS)]
    return [taken(events.FundsWithdrawn, cash, **told, **_figures(account, -cash.amount))]


def reserve_funds(command: commands.ReserveFunds, account: Account, by: str) -> Decision:
    key, asked_for = key_of(command.reserve), Reserve(command.sitting, command.table, command.amount)
    if key in account.reserves:
        return [] if account.reserves[key] == asked_for else rejected(Reason.RESERVE_CONFLICT)
    if (ended := account.ended_as(key)) is not None:
        return [] if ended == content_of(asked_for) else rejected(Reason.RESERVE_CONFLICT)
    if account.table_of(key_of(command.sitting)) is not None:
        return rejected(Reason.SITTING_IS_OVER)
    if command.reserve != command.sitting:  # a top-up: of who bought in at that very table
        buy_in = account.reserves.get(key_of(command.sitting))
        if buy_in is None or buy_in.table != command.table:
            return rejected(Reason.UNKNOWN_SITTING)
    if command.amount > account.available:  # pt-811-2015 8
        return [taken(events.ReserveRefused, command, account, reason=events.INSUFFICIENT_FUNDS)]
    return [taken(events.FundsReserved, command, account, **_figures(account, -command.amount, command.amount))]


def release_funds(command: commands.ReleaseFunds, account: Account, by: str) -> Decision:
    key = key_of(command.reserve)
    # A top-up settled with its sitting, and then said to have failed, was never in the stack: it comes home, too.
    reserve = account.reserves.get(key) or account.settled_top_up(key)
    if reserve is None:
        return [] if account.ended_as(key) is not None else rejected(Reason.UNKNOWN_RESERVE)
    if reserve.table != command.table:
        return rejected(Reason.RESERVE_CONFLICT)
    if not (command.covered or account.demo):
        asked = taken(events.HomeAsked, command, reserve)
        return _asked_home(account, asked, rejected(Reason.RESERVE_CONFLICT))
    freed = reserve.amount if key in account.reserves else 0
    return [taken(events.FundsReleased, command, reserve, **_figures(account, reserve.amount, -freed))]


def settle_sitting(command: commands.SettleSitting, account: Account, by: str) -> Decision:
    if (before := account.returned_by(key_of(command.sitting, command.settlement))) is not None:
        return [] if before == command.returned else rejected(Reason.SETTLEMENT_CONFLICT)
    reserves = list(account.reserves_of(command.sitting).values())
    table = reserves[0].table if reserves else account.table_of(key_of(command.sitting))
    if table is None or table != command.table:
        return rejected(Reason.UNKNOWN_SITTING)
    if command.returned and not (command.covered or account.demo):
        asked = taken(events.HomeAsked, command, table=table, amount=command.returned)
        return _asked_home(account, asked, rejected(Reason.SETTLEMENT_CONFLICT))
    brought = sum(reserve.amount for reserve in reserves)
    figures = _figures(account, command.returned, -brought)
    return [taken(events.SittingSettled, command, table=table, brought=brought, **figures)]


def _asked_home(account: Account, asked: events.HomeAsked, conflict: Rejected) -> Decision:
    """Once: what is asked for a second time would be taken off the table's escrow a second time (adr/0022)."""
    known = account.asked_home.get(home_key(asked.sitting, asked.settlement, asked.reserve))
    if known is not None:
        return [] if known.amount == asked.amount else conflict
    of_table = sum(home.table == asked.table for home in account.asked_home.values())
    return [asked] if of_table < MOST_WAITING else rejected(Reason.TOO_MANY_WAITING)


def charge_fee(command: commands.ChargeFee, account: Account, by: str) -> Decision:
    if (known := account.asked_as(fee_key(command.fee))) is not None:
        return [] if known == key_of("fee", str(command.amount)) else rejected(Reason.REFERENCE_CONFLICT)
    if command.amount > account.available:
        return [taken(events.FeeRefused, command, account, reason=events.INSUFFICIENT_FUNDS)]
    # A table asks who sits there, and says that one has left after it: what was brought is still reserved (ADR 13).
    if all(reserve.table != command.table for reserve in account.reserves.values()):
        return rejected(Reason.UNKNOWN_SITTING)
    return [taken(events.FeeCharged, command, **_figures(account, -command.amount))]


def pay_tournament(command: commands.PayTournament, account: Account, by: str) -> Decision:
    if (known := account.asked_as(payment_key(command.tournament, command.payment))) is not None:
        asked = paid_as(command.amount), unpaid_as(command.amount)
        return [] if known in asked else rejected(Reason.REFERENCE_CONFLICT)
    if command.amount > account.available:  # pt-810-2015 21
        return [taken(events.TournamentPaymentRefused, command, account, reason=events.INSUFFICIENT_FUNDS)]
    return [taken(events.TournamentPaid, command, **_figures(account, -command.amount))]


def credit_tournament(command: commands.CreditTournament, account: Account, by: str) -> Decision:
    if (before := _credited_before(account, command.tournament, command.credit, command.amount)) is not None:
        return before
    if account.is_asked_for(command.tournament, command.credit):  # as builds of before returned a payment
        back = taken(commands.ReturnPayment, command, payment=command.credit)
        return return_payment(back, account, by) if command.why == "refund" else rejected(Reason.NOT_PAID)
    entry = refunded_by(command.credit)
    # Rebuys and add-ons may come back with the entry (36.a), so it is held against all that was paid. An entry that
    # this account was never asked for was paid with a ticket, or nothing: what that is worth the account can't say.
    of_own = entry is not None and account.is_asked_for(command.tournament, entry)
    if of_own and command.amount > account.paid_to(command.tournament):
        return rejected(Reason.NOT_PAID)
    return [taken(events.TournamentCredited, command, **_figures(account, command.amount))]


def return_payment(command: commands.ReturnPayment, account: Account, by: str) -> Decision:
    if (before := _credited_before(account, command.tournament, command.payment, command.amount)) is not None:
        return before
    if not is_forgotten_payment(account, command):
        paid = account.asked_as(payment_key(command.tournament, command.payment)) == paid_as(command.amount)
        if not paid or command.amount > account.paid_to(command.tournament):  # the latter: refunded with its entry
            return rejected(Reason.NOT_PAID)
    figures = _figures(account, command.amount)
    return [taken(events.TournamentCredited, command, credit=command.payment, why="refund", **figures)]


def _credited_before(account: Account, tournament: str, credit: str, amount: int) -> Decision | None:
    """The answer to one that has come home, under whatever command; None: it has not."""
    if (known := account.asked_as(credit_key(tournament, credit))) is not None:
        return [] if known == key_of("credit", str(amount)) else rejected(Reason.REFERENCE_CONFLICT)
    return None


def report_signal(command: commands.ReportSignal, account: Account, by: str) -> Decision:
    if (known := account.references.get(key_of("report", claimant(by), command.report))) is not None:
        same = known == key_of(command.kind, command.value)
        return [] if same else rejected(Reason.REFERENCE_CONFLICT)
    return [taken(events.SignalReported, command, by=by)]


def _figures(account: Account, available: int, reserved: int = 0) -> dict[str, int]:
    """What the account holds after these changes, minor units."""
    return {"available": account.available + available, "reserved": account.reserved + reserved}


_HANDLERS = handlers_in(sys.modules[__name__])


def _recorded(state: State, decision: Sequence[WalletEvent]) -> Decided[State, WalletEvent]:
    """Stamps account, player and currency, folds, and checks what can only be our own mistake."""
    states: list[State] = []
    for event in decision:
        force_setattr(event, "account", state.stream)
        if isinstance(state, Account):
            force_setattr(event, "player", state.player)
            force_setattr(event, "currency", state.currency)
        state = evolve(state, event)
        assert isinstance(state, Account), "an event leaves an account"
        assert min(state.available, state.reserved) >= 0, "no figure is below zero"
        assert state.reserved == sum(reserve.amount for reserve in state.reserves.values()), (
            "what is reserved is the sum of the reserves"
        )
        assert getattr(event, "available", state.available) == state.available, "events carry the figures after them"
        states.append(state)
    return Decided(decision, states)
