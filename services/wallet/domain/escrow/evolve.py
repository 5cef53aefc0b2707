"""What an event makes of an escrow."""

from msgspec.structs import replace

from libs.contracts import escrow_events as events
from libs.contracts.facts import WalletEvent
from services.wallet.domain.account.state import key_of
from services.wallet.domain.escrow.state import Escrow, name_of


def evolve(state: Escrow, event: WalletEvent) -> Escrow:
    assert isinstance(event, events.EscrowEvent), f"{type(event).__name__} is no event of an escrow"
    after = replace(state, left=event.left)
    match event:
        case events.ReserveNoted() | events.HomeNoted():
            return replace(after, currency=event.currency)
        case events.RiskNoted():
            return replace(after, currency=event.currency, at_risk=True)
        case events.BankNoted():
            changes = state.changes.insert(key_of(event.change), key_of(event.direction, str(event.amount)))
            return replace(after, currency=event.currency, changes=changes)
        case events.HomeHeld():
            return replace(after, held={**state.held, name_of(event.claim): event.claim})
        case events.HomeCovered():
            name = name_of(event.claim)
            return replace(after, held={each: claim for each, claim in state.held.items() if each != name})
        case _:
            raise AssertionError(f"{type(event).__name__} is no event of an escrow")
