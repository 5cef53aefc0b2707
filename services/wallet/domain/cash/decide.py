"""A person's cash is counted before it moves: one stream decides for all accounts and gateways, so that nobody moves
more by asking many at once.

What was counted stays counted when the account then refuses it: the bound errs against whoever moves.
"""

from msgspec.structs import replace

from libs.contracts.commands import WalletCommand
from libs.contracts.facts import WalletEvent, taken
from libs.contracts.messages import Principal
from libs.contracts.wallet_commands import AccountReason as Reason
from libs.contracts.wallet_commands import CountCash, account_id, cash_of
from libs.contracts.wallet_events import CashCounted
from libs.decider import Decided, Given, Rejected
from libs.money.cash import CashBounds
from services.wallet.domain.account.rejections import rejected
from services.wallet.domain.account.state import Memory, key_of
from services.wallet.domain.cash.state import Cash

DAY_MS = 86_400_000
MOST_COUNTED = 10_000
"""Of one person on one day; each is remembered until the next day. Nobody at a cage counts out more."""


def decide(
    state: Cash, command: WalletCommand, given: Given[None], bounds: CashBounds
) -> Decided[Cash, WalletEvent] | Rejected:
    if given.by.kind not in command.may_ask:
        return rejected(Reason.NOT_ALLOWED)
    if not isinstance(command, CountCash) or not _is_of(state, given.by):
        return rejected(Reason.WRONG_ACCOUNT)
    today = _on(state, given.now)
    event = taken(
        CashCounted,
        command,
        account=account_id(command.player, command.currency),
        moved=today.moved.get(command.currency, 0) + command.amount,
        at=given.now,
        by=str(given.by),
    )
    key, content = _entry(event)
    if (known := today.counted.get(key)) is not None:
        return Decided() if known == content else rejected(Reason.REFERENCE_CONFLICT)
    moved = sum(today.moved.values()) + command.amount  # as they are counted, not changed: no person has 150 bounds
    if command.amount > bounds.alone_up_to or moved > bounds.a_day or len(today.counted) >= MOST_COUNTED:
        return rejected(Reason.NEEDS_ANOTHER)
    return Decided([event], [evolve(state, event)])


def evolve(state: Cash, event: WalletEvent) -> Cash:
    assert isinstance(event, CashCounted), "nothing else happens to a person's cash"
    today = _on(state, event.at)
    key, content = _entry(event)
    return replace(
        today, moved={**today.moved, event.currency: event.moved}, counted=today.counted.insert(key, content)
    )


def _is_of(state: Cash, by: Principal) -> bool:
    return cash_of(by.id) == state.stream


def _on(state: Cash, now: int) -> Cash:
    """As of this day: a clock that goes back begins no day anew."""
    day = now // DAY_MS
    return state if day <= state.day else Cash(state.stream, day, {}, Memory())


def _entry(event: CashCounted) -> tuple[bytes, bytes]:
    return key_of(event.reference), key_of(event.account, event.purpose, str(event.amount))
