"""What an event makes of an account. Takes any event that ever happened."""

from msgspec.structs import replace

from libs.contracts import wallet_events as events
from libs.contracts.facts import WalletEvent
from libs.contracts.wallet_commands import claimant
from services.wallet.domain.account.state import (
    Account,
    Amounts,
    Digests,
    Ended,
    Key,
    Memory,
    NoAccount,
    Reserve,
    State,
    Waiting,
    content_of,
    key_of,
    paid_as,
    payment_key,
    reference_key,
    refunded_by,
    tournament_key,
    unpaid_as,
)  # fmt: skip

_Cash = events.FundsMoved | events.CashRequested | events.CashDeclined


def evolve(state: State, event: WalletEvent) -> State:
    if isinstance(event, events.AccountOpened):
        return Account(state.stream, event.player, event.currency, event.kind == "demo")
    assert not isinstance(state, NoAccount), "an account's first event is AccountOpened"
    return _evolve(state, event)


def _evolve(account: Account, event: WalletEvent) -> Account:
    match event:
        case events.AccountOpened():
            return account
        case events.FundsDeposited():
            asked = _asked(account, _key(event), "deposit", event.amount)
            moved = replace(account, available=event.available, reserved=event.reserved, references=asked)
            return _answered(moved, event)
        case events.FundsWithdrawn():
            asked = _asked(account, _key(event), "withdrawal", event.amount)
            moved = replace(account, available=event.available, reserved=event.reserved, references=asked)
            return _answered(moved, event)
        case events.WithdrawalRefused():
            refused = replace(account, references=_asked(account, _key(event), "refused", event.amount))
            return _answered(refused, event)
        case events.CashRequested():
            waits = Waiting(event.reference, event.purpose, event.amount, event.by)
            return replace(account, waiting={**account.waiting, _key(event): waits})
        case events.CashDeclined():
            declined = replace(account, references=_asked(account, _key(event), "declined", event.amount))
            return _answered(declined, event)
        case events.FundsReserved():
            reserves = {**account.reserves, key_of(event.reserve): Reserve(event.sitting, event.table, event.amount)}
            return replace(account, available=event.available, reserved=event.reserved, reserves=reserves)
        case events.ReserveRefused():
            return _ended(account, {key_of(event.reserve): Reserve(event.sitting, event.table, event.amount)})
        case events.FundsReleased():
            released = {key_of(event.reserve): Reserve(event.sitting, event.table, event.amount)}
            return replace(_ended(account, released), available=event.available, reserved=event.reserved)
        case events.SittingSettled():
            return _settled(account, event)
        case events.SittingsForgotten():
            return _forgotten(account, event)
        case events.SignalReported():
            key = key_of("report", claimant(event.by), event.report)
            return replace(account, references=account.references.insert(key, key_of(event.kind, event.value)))
        case events.FeeCharged():
            charged = _asked(account, key_of("fee", event.fee), "fee", event.amount)
            return replace(account, available=event.available, reserved=event.reserved, references=charged)
        case events.FeeRefused():
            return replace(account, references=_asked(account, key_of("fee", event.fee), "fee", event.amount))
        case events.TournamentPaid():
            asked = account.references.insert(_payment(event), paid_as(event.amount))
            paid = _with_paid(account, event.tournament, event.amount)
            return replace(account, available=event.available, reserved=event.reserved, references=asked, paid=paid)
        case events.TournamentPaymentRefused():
            return replace(account, references=account.references.insert(_payment(event), unpaid_as(event.amount)))
        case events.TournamentCredited():
            return _credited(account, event)
        case _:
            raise AssertionError(f"{type(event).__name__} is no event of an account")


def _settled(account: Account, event: events.SittingSettled) -> Account:
    reserves = account.reserves_of(event.sitting)
    sitting = key_of(event.sitting)
    # The buy-in's reserve has the sitting's own id; the others were for top-ups.
    top_ups = {key: reserve for key, reserve in reserves.items() if key != sitting}
    # A refund that comes later makes the sitting no younger: it is forgotten together with what it was settled with.
    former = sitting in account.former.over
    return replace(
        _ended(account, reserves),
        available=event.available,
        reserved=event.reserved,
        settled_top_ups={**account.settled_top_ups, **top_ups},
        over=account.over if former else account.over.insert(sitting, event.table),
        settled=account.settled.insert(key_of(event.sitting, event.settlement), event.returned),
    )


def _forgotten(account: Account, event: events.SittingsForgotten) -> Account:
    now_former = Ended(account.settled_top_ups, account.ended, account.over, account.settled)
    return replace(
        account,
        settled_top_ups={},
        ended=Memory(),
        over=Memory(),
        settled=Memory(),
        former=now_former,
        since=event.at,
        forgotten=event.before,
    )


def _ended(account: Account, reserves: dict[Key, Reserve]) -> Account:
    return replace(
        account,
        reserves=_without(account.reserves, reserves),
        settled_top_ups=_without(account.settled_top_ups, reserves),
        former=replace(account.former, settled_top_ups=_without(account.former.settled_top_ups, reserves)),
        ended=account.ended.update({key: content_of(reserve) for key, reserve in reserves.items()}),
    )


def _without(held: dict[Key, Reserve], gone: dict[Key, Reserve]) -> dict[Key, Reserve]:
    return {key: reserve for key, reserve in held.items() if key not in gone}


def _answered(account: Account, event: _Cash) -> Account:
    """Nothing waits under this reference any more."""
    key = _key(event)
    if key not in account.waiting:
        return account
    return replace(account, waiting={each: waits for each, waits in account.waiting.items() if each != key})


def _key(event: _Cash) -> Key:
    return reference_key(event.by, event.reference)


def _payment(event: events.TournamentPaymentEvent) -> Key:
    return payment_key(event.tournament, event.payment)


def _credited(account: Account, event: events.TournamentCredited) -> Account:
    credited = _asked(account, key_of("credit", event.tournament, event.credit), "credit", event.amount)
    payment = refunded_by(event.credit) or event.credit
    back = event.amount if account.is_asked_for(event.tournament, payment) else 0
    paid = _with_paid(account, event.tournament, -back)
    return replace(account, available=event.available, reserved=event.reserved, references=credited, paid=paid)


def _with_paid(account: Account, tournament: str, amount: int) -> Amounts:
    """`amount`: minor units, below zero for what comes back. Older builds gave back without looking: never below zero.
    What has all come back is as if nothing was ever paid."""
    if not amount:
        return account.paid
    key, left = tournament_key(tournament), max(0, account.paid_to(tournament) + amount)
    return account.paid.insert(key, left) if left else account.paid.discard(key)


def _asked(account: Account, key: Key, kind: str, amount: int) -> Digests:
    return account.references.insert(key, key_of(kind, str(amount)))
