"""A table's escrow: no more goes home from a table than players and the house have brought there (adr/0022)."""

from typing import Any

from msgspec.structs import replace

from libs.contracts import escrow_commands as commands
from libs.contracts import escrow_events as events
from libs.contracts.commands import WalletCommand
from libs.contracts.facts import MAX_NUMBER, WalletEvent, taken
from libs.contracts.wallet_commands import AccountReason as Reason
from libs.decider import Decided, Given, Rejected
from services.wallet.domain.account.rejections import rejected
from services.wallet.domain.account.state import key_of
from services.wallet.domain.escrow.evolve import evolve
from services.wallet.domain.escrow.state import Escrow, name_of
from services.wallet.domain.told import Told

LASTS_MS = 4 * 86_400_000
"""What answers an older event is refused, milliseconds: the journal remembers ids for three days (`HORIZON_MS`), so
what comes later under an id of today may have been counted."""
HELD_MS = 86_400_000
"""So long a claim waits, milliseconds; then people look, and what they pay must not come a second time."""
MOST_HELD = 1_000
"""Claims that wait at one table: above what all who ever sit there at once may take home."""
MOST_RELEASED = 200
"""Claims that one decision lets go, so that it fits into a record; others go with the next one (`ReviewEscrow`)."""
MOST_LEFT = MAX_NUMBER
"""Minor units."""


def decide(state: Escrow, command: WalletCommand, given: Given[None]) -> Decided[Escrow, WalletEvent] | Rejected:
    if given.by.kind not in command.may_ask:
        return rejected(Reason.NOT_ALLOWED)
    if not isinstance(command, commands.EscrowCommand) or commands.escrow_of(command.table) != state.stream:
        return rejected(Reason.WRONG_ACCOUNT)
    if isinstance(command, commands.TimedEscrowCommand) and command.told_at < given.now - LASTS_MS:
        return rejected(Reason.FORGOTTEN)
    answer = _answer(state, command, given.now)
    if isinstance(answer, Rejected):
        return answer
    told = Told(state, evolve)
    told.tell(answer)
    if answer or isinstance(command, commands.ReviewEscrow):
        told.tell(_let_go(told.state, given.now, isinstance(command, commands.ClaimHome)))
    covered = [event for event in told.decided.events if isinstance(event, events.HomeCovered)]
    assert all(event.left >= 0 for event in covered), "no more goes home than lies there"
    return told.decided


def _answer(state: Escrow, command: commands.EscrowCommand, now: int) -> list[events.EscrowEvent] | Rejected:
    match command:
        case commands.NoteReserve():
            left = _left(state, command.currency) + command.amount
            return [taken(events.ReserveNoted, command, left=left)] if left <= MOST_LEFT else _TOO_MUCH
        case commands.NoteRisk():
            left = _left(state, command.currency) + command.amount
            return [] if state.bank else [taken(events.RiskNoted, command, left=left)]
        case commands.NoteBank():
            return _bank(state, command)
        case commands.NoteCover():
            return _of_bank(state, command, events.CoverNoted, 0)
        case commands.ReturnBank():
            # Only what was added to it, and what no round can cost any more: the last to leave may claim after it.
            return _of_bank(state, command, events.BankReturned, -command.amount - state.at_risk)
        case commands.ReviewEscrow():
            return []
        case commands.ClaimHome():
            return _claimed(state, command, now)
        case _:
            return rejected(Reason.WRONG_ACCOUNT)


_TOO_MUCH = rejected(Reason.BALANCE_LIMIT)


def _left(state: Escrow, currency: str) -> int:
    return state.left.get(currency, 0)


def _of_bank(
    state: Escrow,
    command: commands.NoteCover | commands.ReturnBank,
    kind: type[events.CoverNoted] | type[events.BankReturned],
    change: int,
) -> list[events.EscrowEvent] | Rejected:
    if state.bank != command.currency:
        return rejected(Reason.WRONG_CURRENCY)
    return [] if state.returned else [taken(kind, command, left=_left(state, command.currency) + change)]


def _bank(state: Escrow, command: commands.NoteBank) -> list[events.EscrowEvent] | Rejected:
    if state.bank != command.currency or state.returned:
        return rejected(Reason.WRONG_CURRENCY)
    if (known := state.changes.get(key_of(command.change))) is not None:
        same = known == key_of(command.direction, str(command.amount))
        return [] if same else rejected(Reason.REFERENCE_CONFLICT)
    if command.direction == "drop":
        return [taken(events.BankNoted, command, left=_left(state, command.currency) - command.amount)]
    if command.alone and command.amount > state.alone_left:
        return rejected(Reason.NEEDS_ANOTHER)
    left = _left(state, command.currency) + command.amount
    return [taken(events.BankNoted, command, left=left)] if left <= MOST_LEFT else _TOO_MUCH


def _claimed(state: Escrow, command: commands.ClaimHome, now: int) -> list[events.EscrowEvent] | Rejected:
    claim = command.claim
    of: dict[str, Any] = {"table": command.table, "claim": claim, "player": claim.player, "currency": claim.currency}
    if (held := state.held.get(name_of(claim))) is not None:
        return [] if held.claim == claim else rejected(Reason.SETTLEMENT_CONFLICT)
    left = _left(state, claim.currency)
    if claim.amount <= left:
        return [events.HomeCovered(**of, left=left - claim.amount)]
    if len(state.held) >= MOST_HELD:
        return [events.HomeStruck(**of, left=left)]
    return [events.HomeHeld(**of, since=now, left=left)]


def _let_go(state: Escrow, now: int, claimed: bool) -> list[events.EscrowEvent]:
    """What was held and is covered by now, each by what is left after the one before, and what has waited too long.
    After a claim (`claimed`) there is no more than before it."""
    found: list[events.HomeCovered | events.HomeStruck] = []
    left = dict(state.left)
    table = state.stream.removeprefix(commands.ESCROW)
    for held in state.held.values():
        claim = held.claim
        over = held.since + HELD_MS <= now
        if not over and (claimed or claim.amount > left.get(claim.currency, 0)):
            continue
        if len(found) == MOST_RELEASED:
            found[-1] = replace(found[-1], more=True)
            break
        left[claim.currency] = left.get(claim.currency, 0) - (0 if over else claim.amount)
        of: dict[str, Any] = {"table": table, "claim": claim, "left": left[claim.currency]}
        found.append(taken(events.HomeStruck, claim, **of) if over else taken(events.HomeCovered, claim, **of))
    return list(found)
