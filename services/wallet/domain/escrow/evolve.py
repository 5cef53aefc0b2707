"""What an event makes of an escrow."""

from msgspec.structs import replace

from libs.contracts import escrow_events as events
from libs.contracts.facts import WalletEvent
from services.wallet.domain.account.state import key_of
from services.wallet.domain.escrow.state import Escrow, Held, name_of


def evolve(state: Escrow, event: WalletEvent) -> Escrow:
    assert isinstance(event, events.EscrowEvent), f"{type(event).__name__} is no event of an escrow"
    after = replace(state, left={**state.left, event.currency: event.left})
    match event:
        case events.ReserveNoted():
            return after
        case events.RiskNoted():
            up_to = event.alone_up_to
            return replace(after, bank=event.currency, at_risk=event.amount, alone_up_to=up_to, alone_left=up_to)
        case events.CoverNoted():
            return replace(after, at_risk=max(0, state.at_risk - event.amount))
        case events.BankReturned():
            return replace(after, returned=True, at_risk=0)
        case events.BankNoted():
            changes = state.changes.insert(key_of(event.change), key_of(event.direction, str(event.amount)))
            left = state.alone_left - (event.amount if event.direction == "top_up" else 0)
            return replace(after, changes=changes, alone_left=left if event.alone else state.alone_up_to)
        case events.HomeHeld():
            return replace(after, held={**state.held, name_of(event.claim): Held(event.claim, event.since)})
        case events.HomeCovered() | events.HomeStruck():
            name = name_of(event.claim)
            return replace(after, held={each: held for each, held in state.held.items() if each != name})
        case _:
            raise AssertionError(f"{type(event).__name__} is no event of an escrow")
