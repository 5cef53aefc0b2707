"""What an account forgets, and what it refuses because it may have forgotten it (adr/0016).

Only who decides needs any of it: what is forgotten, events say.
"""

from collections.abc import Iterator
from typing import NamedTuple

from msgspec.structs import replace

from libs.contracts import wallet_commands as commands
from libs.contracts import wallet_events as events
from libs.contracts.commands import WalletCommand
from libs.contracts.facts import WalletEvent
from libs.contracts.messages import time_in_id
from services.wallet.domain.account.state import Account, Key, credit_key, fee_key, key_of, payment_key

_DAY_MS = 86_400_000


class Kept(NamedTuple):
    """How long an account remembers sittings that are over, and what it was asked by events.

    `for_ms`, `references_for_ms` and `many_for_ms` have to be longer than `ahead_ms` and the journal's horizon
    together, or what is new might be older than what is forgotten.
    """

    for_ms: int = 90 * _DAY_MS
    """At least so long after its end a sitting is remembered, milliseconds."""
    least: int = 64
    """Nothing is forgotten before so many reserves have ended: an account of few sittings says nothing of it."""
    many: int = 40_000
    """When so many reserves have ended,"""
    many_for_ms: int = 8 * _DAY_MS
    """so long is enough: nobody plays like that, and an account is one record (16 MB)."""
    ahead_ms: int = _DAY_MS
    """An id's time, or an event's, may be so far ahead of the command's; beyond, it tells none. Milliseconds."""
    references_for_ms: int = 400 * _DAY_MS
    """At least so long after it was decided a fee, a payment or a credit is remembered, milliseconds; and what was
    never decided is taken for so long less a day: a house that was away for a year still pays what it owes."""
    references_least: int = 256
    """As `least`."""
    references_many: int = 60_000
    """As `many`. Two generations of both, with the journal's memory of commands, fit into a record."""


KEPT = Kept()


def forgettings(account: Account, now: int, kept: Kept) -> list[WalletEvent]:
    """Turns the generations that are old and large enough. `now`: milliseconds since the epoch."""
    told: list[WalletEvent] = []
    long = kept.for_ms if len(account.ended) < kept.many else kept.many_for_ms
    if len(account.ended) >= kept.least and now - account.since >= long:
        told.append(events.SittingsForgotten(at=now, before=_before(account.since, kept)))
    asked = len(account.timed.references)
    long = kept.references_for_ms if asked < kept.references_many else kept.many_for_ms
    if asked >= kept.references_least and now - account.timed_since >= long:
        told.append(events.ReferencesForgotten(at=now, before=_before(account.timed_since, kept)))
    return told


def _before(since: int, kept: Kept) -> int:
    """Behind all that the former generation was told by; that came to its end at `since`."""
    return since + kept.ahead_ms + 1 if since else 0


def without_a_time_ahead(command: WalletCommand, now: int, kept: Kept) -> WalletCommand:
    """What says a time that has not come is remembered for ever: else it could be forgotten before its time comes."""
    if isinstance(command, commands.Answering) and command.told_at > now + kept.ahead_ms:
        return replace(command, told_at=0)
    return command


def may_be_over(account: Account, command: WalletCommand, now: int, kept: Kept) -> bool:
    """Whether it names a sitting, a reserve or what an event has asked, and that may have been forgotten: nothing moves
    money under it again."""
    for name in _unknown_in(command, account):
        at = time_in_id(name)
        if at is None and account.forgotten:
            return True
        if at is not None and not account.forgotten <= at <= now + kept.ahead_ms:
            return True
    return _answers_long_ago(account, command)


def _unknown_in(command: WalletCommand, account: Account) -> Iterator[str]:
    """The reserve and the sitting that it names, where the account does not remember them: new, or forgotten."""
    if isinstance(command, commands.ReserveFunds | commands.ReleaseFunds):
        key = key_of(command.reserve)
        if key not in account.reserves and account.ended_as(key) is None:
            yield command.reserve
    if isinstance(command, commands.ReserveFunds | commands.SettleSitting):
        key = key_of(command.sitting)
        over = account.table_of(key) is not None or account.ended_as(key) is not None
        if not over and not account.reserves_of(command.sitting):
            yield command.sitting


def _answers_long_ago(account: Account, command: WalletCommand) -> bool:
    """Of what is not remembered. A payment has the name of its player's command: it is no younger than that."""
    if not isinstance(command, commands.Answering) or account.asked_as(_name_of(command)) is not None:
        return False
    at = command.told_at
    if isinstance(command, commands.PayTournament) and (wished := time_in_id(command.payment)) is not None:
        at = min(at, wished)
    return at < account.timed_forgotten


def _name_of(command: commands.Answering) -> Key:
    match command:
        case commands.ChargeFee():
            return fee_key(command.fee)
        case commands.PayTournament():
            return payment_key(command.tournament, command.payment)
        case commands.CreditTournament():
            return credit_key(command.tournament, command.credit)
        case commands.ReturnPayment():
            return credit_key(command.tournament, command.payment)
        case _:
            raise AssertionError(f"{type(command).__name__} answers no event")


def is_forgotten_payment(account: Account, command: commands.ReturnPayment) -> bool:
    """Whether the account can't say any more what it has paid so. The tournament's pool can: it covers what this
    account told it as paid, once (adr/0021), and a tournament may last for longer than an account remembers."""
    if not command.covered or account.is_asked_for(command.tournament, command.payment):
        return False
    at = time_in_id(command.payment)
    return at is not None and at < account.timed_forgotten
