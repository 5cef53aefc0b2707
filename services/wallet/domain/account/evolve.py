"""What an event makes of an account. Takes any event that ever happened."""

from typing import assert_never

import msgspec

from services.wallet.domain.account import events
from services.wallet.domain.account.state import Account, Hold, Key, NoAccount, State, key_of


def evolve(state: State, event: events.Event) -> State:
    if isinstance(event, events.AccountOpened):
        return Account(state.stream, event.player, event.currency, event.demo)
    assert not isinstance(state, NoAccount), "an account's first event is AccountOpened"
    return _evolve(state, event)


def _evolve(account: Account, event: events.Event) -> Account:
    match event:
        case events.AccountOpened():
            return account
        case events.FundsDeposited():
            return _replace(
                account,
                event.available,
                event.held,
                references=_asked(account, event.reference, "deposit", event.amount),
            )
        case events.FundsWithdrawn():
            return _replace(
                account,
                event.available,
                event.held,
                references=_asked(account, event.reference, "withdrawal", event.amount),
            )
        case events.WithdrawalRefused():
            return _replace(
                account,
                account.available,
                account.held,
                references=_asked(account, event.reference, "withdrawal", event.amount),
            )
        case events.FundsHeld():
            hold = Hold(event.sitting, event.table, event.amount, "open")
            return _replace(account, event.available, event.held, holds={**account.holds, key_of(event.hold): hold})
        case events.HoldRefused():
            hold = Hold(event.sitting, event.table, event.amount, "refused")
            return _replace(account, account.available, account.held, holds={**account.holds, key_of(event.hold): hold})
        case events.HoldReleased():
            hold = Hold(event.sitting, event.table, event.amount, "released")
            return _replace(account, event.available, event.held, holds={**account.holds, key_of(event.hold): hold})
        case events.HoldSettled():
            return msgspec.structs.replace(
                account,
                available=event.available,
                held=event.held,
                holds={key: _ended(hold, event.sitting) for key, hold in account.holds.items()},
                over={**account.over, key_of(event.sitting): event.table},
                settled={**account.settled, key_of(event.sitting, event.settlement): event.returned},
            )
        case _:
            assert_never(event)


def _ended(hold: Hold, sitting: str) -> Hold:
    if hold.sitting != sitting or hold.status != "open":
        return hold
    return Hold(hold.sitting, hold.table, hold.amount, "settled")


def _asked(account: Account, reference: str, kind: str, amount: int) -> dict[Key, Key]:
    return {**account.references, key_of(reference): key_of(kind, str(amount))}


def _replace(
    account: Account,
    available: int,
    held: int,
    *,
    references: dict[Key, Key] | None = None,
    holds: dict[Key, Hold] | None = None,
) -> Account:
    return msgspec.structs.replace(
        account,
        available=available,
        held=held,
        references=account.references if references is None else references,
        holds=account.holds if holds is None else holds,
    )
