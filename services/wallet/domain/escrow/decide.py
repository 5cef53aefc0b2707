"""A table's escrow: no more goes home from a table than players and the house have brought there (adr/0022)."""

from typing import Any

from msgspec.structs import force_setattr, replace

from libs.contracts import escrow_commands as commands
from libs.contracts import escrow_events as events
from libs.contracts.commands import WalletCommand
from libs.contracts.escrow_events import HomeClaim, HomeLack
from libs.contracts.facts import WalletEvent, taken
from libs.contracts.wallet_commands import AccountReason as Reason
from libs.decider import Decided, Given, Rejected
from services.wallet.domain.account.rejections import rejected
from services.wallet.domain.account.state import key_of
from services.wallet.domain.escrow.evolve import evolve
from services.wallet.domain.escrow.state import Escrow, name_of

LASTS_MS = 4 * 86_400_000
"""What answers an older event is refused, milliseconds: the journal remembers ids for three days (`HORIZON_MS`), so
what comes later under an id of today may have been counted."""
MOST_HELD = 1_000
"""Claims that wait at one table: above what all who ever sit there at once may take home."""
MOST_RELEASED = 200
"""Claims that one decision lets go, so that it fits into a record; others go with the next one (`ReviewEscrow`)."""


def decide(state: Escrow, command: WalletCommand, given: Given[None]) -> Decided[Escrow, WalletEvent] | Rejected:
    if given.by.kind not in command.may_ask:
        return rejected(Reason.NOT_ALLOWED)
    if not isinstance(command, commands.EscrowCommand) or commands.escrow_of(command.table) != state.stream:
        return rejected(Reason.WRONG_ACCOUNT)
    if state.currency and getattr(command, "currency", state.currency) != state.currency:
        return rejected(Reason.WRONG_CURRENCY)
    if isinstance(command, commands.TimedEscrowCommand) and command.told_at < given.now - LASTS_MS:
        return rejected(Reason.FORGOTTEN)
    told = _told(state, command)
    if isinstance(told, Rejected):
        return told
    found: list[WalletEvent] = []
    states: list[Escrow] = []
    after = state
    for event in told:
        after = _recorded(after, event, found, states)
    noted = told and not isinstance(command, commands.ClaimHome)
    if noted or isinstance(command, commands.ReviewEscrow):
        for event in _released(after):
            after = _recorded(after, event, found, states)
    return Decided(found, states)


def _recorded(state: Escrow, event: events.EscrowEvent, found: list[WalletEvent], states: list[Escrow]) -> Escrow:
    force_setattr(event, "account", state.stream)
    after = evolve(state, event)
    assert after.left >= 0, "no more goes home than lies there"
    found.append(event)
    states.append(after)
    return after


def _told(state: Escrow, command: commands.EscrowCommand) -> list[events.EscrowEvent] | Rejected:
    match command:
        case commands.NoteReserve():
            return [taken(events.ReserveNoted, command, left=state.left + command.amount)]
        case commands.NoteRisk():
            return [] if state.at_risk else [taken(events.RiskNoted, command, left=state.left + command.amount)]
        case commands.NoteBank():
            return _bank(state, command)
        case commands.NoteHome():
            # Where it was brought longer ago than an event counts, that was never noted: not below zero.
            return [taken(events.HomeNoted, command, left=max(0, state.left - command.amount))]
        case commands.ReviewEscrow():
            return []
        case commands.ClaimHome():
            return _claimed(state, command)
        case _:
            return rejected(Reason.WRONG_ACCOUNT)


def _bank(state: Escrow, command: commands.NoteBank) -> list[events.EscrowEvent] | Rejected:
    if (known := state.changes.get(key_of(command.change))) is not None:
        same = known == key_of(command.direction, str(command.amount))
        return [] if same else rejected(Reason.REFERENCE_CONFLICT)
    change = command.amount if command.direction == "top_up" else -command.amount
    return [taken(events.BankNoted, command, left=max(0, state.left + change))]


def _claimed(state: Escrow, command: commands.ClaimHome) -> list[events.EscrowEvent] | Rejected:
    claim = command.claim
    of: dict[str, Any] = {"table": command.table, "claim": claim, "player": claim.player, "currency": claim.currency}
    if (lack := _lacks(state, claim)) is None:
        return [events.HomeCovered(**of, left=state.left - claim.amount)]
    if state.held.get(name_of(claim)) == claim:
        return []
    if len(state.held) >= MOST_HELD:
        return rejected(Reason.TOO_MANY_WAITING)
    return [events.HomeHeld(**of, lacks=lack, left=state.left)]


def _lacks(state: Escrow, claim: HomeClaim) -> HomeLack | None:
    """None: it is covered."""
    if state.currency and claim.currency != state.currency:
        return "currency"
    return None if claim.amount <= state.left else "funds"


def _released(state: Escrow) -> list[events.EscrowEvent]:
    """What was held and is covered by now; each is judged by what is left after the one before."""
    found: list[events.HomeCovered] = []
    left = state.left
    table = state.stream.removeprefix(commands.ESCROW)
    for claim in state.held.values():
        if len(found) == MOST_RELEASED:
            found[-1] = replace(found[-1], more=True)
            break
        if claim.currency == state.currency and claim.amount <= left:
            left -= claim.amount
            found.append(taken(events.HomeCovered, claim, table=table, claim=claim, left=left))
    return list(found)
