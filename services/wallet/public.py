"""What others may know of an account's events: one public event for each, under the wire names of libs/contracts."""

from typing import Any, assert_never

import msgspec

from libs.contracts import wallet_events as public
from libs.contracts.wallet_events import WalletEvent
from services.wallet.domain.account import events
from services.wallet.domain.account.state import Account


def public_event(account: Account, event: events.Event) -> WalletEvent:
    """`account` is the state after the event; it gives player and currency."""
    fields: dict[str, Any] = msgspec.structs.asdict(event)
    for private in ("by", "settlement"):  # who moved it, and on which word, stays in the journal for the auditor
        fields.pop(private, None)
    fields |= {"account": account.stream, "player": account.player, "currency": account.currency}
    match event:
        case events.AccountOpened():
            del fields["demo"]
            return public.AccountOpened(**fields, kind="demo" if event.demo else "real")
        case events.FundsDeposited():
            return public.FundsDeposited(**fields)
        case events.FundsWithdrawn():
            return public.FundsWithdrawn(**fields)
        case events.WithdrawalRefused():
            return public.WithdrawalRefused(**fields)
        case events.FundsHeld():
            return public.FundsHeld(**fields)
        case events.HoldRefused():
            return public.HoldRefused(**fields)
        case events.HoldReleased():
            return public.HoldReleased(**fields)
        case events.HoldSettled():
            return public.HoldSettled(**fields)
        case events.SignalReported():
            return public.SignalReported(**fields)
        case events.FeeCharged():
            return public.FeeCharged(**fields)
        case events.FeeRefused():
            return public.FeeRefused(**fields)
        case _:
            assert_never(event)


__all__ = ["WalletEvent", "public_event"]
