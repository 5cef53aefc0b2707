"""What an event makes of an account. Takes any event that ever happened."""

from msgspec.structs import replace

from libs.contracts import wallet_events as events
from libs.contracts.facts import WalletEvent
from libs.contracts.wallet_commands import claimant
from services.wallet.domain.account.state import (
    Account,
    Amounts,
    Ended,
    Home,
    Key,
    Memory,
    NoAccount,
    Reserve,
    State,
    Timed,
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
            asked = _asked(account, _key(event), key_of("deposit", str(event.amount)))
            return _answered(replace(asked, available=event.available, reserved=event.reserved), event)
        case events.FundsWithdrawn():
            asked = _asked(account, _key(event), key_of("withdrawal", str(event.amount)))
            return _answered(replace(asked, available=event.available, reserved=event.reserved), event)
        case events.WithdrawalRefused():
            return _answered(_asked(account, _key(event), key_of("refused", str(event.amount))), event)
        case events.CashRequested():
            waits = Waiting(event.reference, event.purpose, event.amount, event.by)
            return replace(account, waiting={**account.waiting, _key(event): waits})
        case events.CashDeclined():
            return _answered(_asked(account, _key(event), key_of("declined", str(event.amount))), event)
        case events.FundsReserved():
            reserves = {**account.reserves, key_of(event.reserve): Reserve(event.sitting, event.table, event.amount)}
            return replace(account, available=event.available, reserved=event.reserved, reserves=reserves)
        case events.ReserveRefused():
            return _ended(account, {key_of(event.reserve): Reserve(event.sitting, event.table, event.amount)})
        case events.FundsReleased():
            released = {key_of(event.reserve): Reserve(event.sitting, event.table, event.amount)}
            asked_home = _without_key(account.asked_home, home_key(event.sitting, "", event.reserve))
            return replace(
                _ended(account, released), available=event.available, reserved=event.reserved, asked_home=asked_home
            )
        case events.HomeAsked():
            key = home_key(event.sitting, event.settlement, event.reserve)
            return replace(account, asked_home={**account.asked_home, key: Home(event.table, event.amount)})
        case events.SittingSettled():
            return _settled(account, event)
        case events.SittingsForgotten():
            return _forgotten(account, event)
        case events.ReferencesForgotten():
            turned = replace(account, timed=Timed(), former_timed=account.timed)
            return replace(turned, timed_since=event.at, timed_forgotten=event.before)
        case events.SignalReported():
            key = key_of("report", claimant(event.by), event.report)
            return _asked(account, key, key_of(event.kind, event.value))
        case events.FeeCharged():
            charged = _asked(account, fee_key(event.fee), key_of("fee", str(event.amount)), event.told_at)
            return replace(charged, available=event.available, reserved=event.reserved)
        case events.FeeRefused():
            return _asked(account, fee_key(event.fee), key_of("fee", str(event.amount)), event.told_at)
        case events.TournamentPaid():
            asked = _asked(account, _payment(event), paid_as(event.amount), event.told_at)
            return replace(_paid(asked, event), available=event.available, reserved=event.reserved)
        case events.TournamentPaymentRefused():
            return _asked(account, _payment(event), unpaid_as(event.amount), event.told_at)
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
        asked_home=_without_key(account.asked_home, home_key(event.sitting, event.settlement, "")),
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


def _without_key(held: dict[Key, Home], gone: Key) -> dict[Key, Home]:
    return {key: home for key, home in held.items() if key != gone} if gone in held else held


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
    name = credit_key(event.tournament, event.credit)
    credited = _asked(account, name, key_of("credit", str(event.amount)), event.told_at)
    payment = refunded_by(event.credit) or event.credit
    if account.is_asked_for(event.tournament, payment):
        credited = _came_back(credited, event.tournament, payment, event.amount)
    return replace(credited, available=event.available, reserved=event.reserved)


def _paid(account: Account, event: events.TournamentPaid) -> Account:
    """Whatever generation held what this tournament was paid so: as a whole it is as young as its last payment."""
    key = tournament_key(event.tournament)
    if not event.told_at:
        return replace(account, paid=account.paid.insert(key, account.paid.get(key, 0) + event.amount))
    timed, former = account.timed, account.former_timed
    paid = timed.paid.get(key, 0) + former.paid.get(key, 0) + event.amount
    return replace(
        account,
        timed=replace(timed, paid=timed.paid.insert(key, paid)),
        former_timed=replace(former, paid=former.paid.discard(key)),
    )


def _came_back(account: Account, tournament: str, payment: str, amount: int) -> Account:
    """`amount`, minor units, out of what was paid as this payment was, and else of the rest: rebuys may come back with
    the entry. Older builds gave back without looking: never below zero."""
    key = tournament_key(tournament)
    of_timed, of_former, of_others = account.timed.paid, account.former_timed.paid, account.paid
    if payment_key(tournament, payment) in account.references:
        of_others, amount = _less(of_others, key, amount)
    of_timed, amount = _less(of_timed, key, amount)
    of_former, amount = _less(of_former, key, amount)
    of_others, _ = _less(of_others, key, amount)
    return replace(
        account,
        paid=of_others,
        timed=replace(account.timed, paid=of_timed),
        former_timed=replace(account.former_timed, paid=of_former),
    )


def _less(paid: Amounts, key: Key, amount: int) -> tuple[Amounts, int]:
    """Without so much, and how much it lacks for that. What has all come back is as if nothing was ever paid."""
    before = paid.get(key, 0)
    left = max(0, before - amount)
    return (paid.insert(key, left) if left else paid.discard(key)), amount - (before - left)


def _asked(account: Account, key: Key, content: Key, told_at: int = 0) -> Account:
    """`told_at`: of the event that asked it, milliseconds since the epoch; 0: the name is remembered for ever."""
    if not told_at:
        return replace(account, references=account.references.insert(key, content))
    references = account.timed.references.insert(key, content)
    return replace(account, timed=replace(account.timed, references=references))
