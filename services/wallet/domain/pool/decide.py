"""A tournament's pool: of what it says is due, that is paid which its players and the house have brought (adr/0021)."""

from msgspec.structs import replace

from libs.contracts import pool_commands as commands
from libs.contracts import pool_events as events
from libs.contracts.commands import WalletCommand
from libs.contracts.facts import WalletEvent, taken
from libs.contracts.pool_events import Claim
from libs.contracts.wallet_commands import AccountReason as Reason
from libs.decider import Decided, Given, Rejected
from services.wallet.domain.account.rejections import rejected
from services.wallet.domain.account.state import key_of
from services.wallet.domain.pool.bounds import lacks, payment_key, ticket_key
from services.wallet.domain.pool.evolve import BEFORE, content_of, evolve
from services.wallet.domain.pool.state import Pool
from services.wallet.domain.told import Told

MOST_HELD = 4_000
"""Credits that wait in one pool: above what a tournament of 2,500 players owes at once. With the longest of names they
fit into a snapshot."""
MOST_RELEASED = 200
"""Credits that one decision lets go, so that it fits into a record; others go with the next one (`ReviewPool`)."""
MOST_LOOKED_AT = 200
"""Credits that one decision judges anew, of who has just paid, and as many of others: each takes up to a tenth of a
millisecond, and as long all other accounts of the partition wait."""


def decide(state: Pool, command: WalletCommand, given: Given[None]) -> Decided[Pool, WalletEvent] | Rejected:
    if given.by.kind not in command.may_ask:
        return rejected(Reason.NOT_ALLOWED)
    if not isinstance(command, commands.PoolCommand) or commands.pool_of(command.tournament) != state.stream:
        return rejected(Reason.WRONG_ACCOUNT)
    answer = _answer(state, command, given.now)
    if isinstance(answer, Rejected):
        return answer
    told = Told(state, evolve)
    told.tell(answer)
    if isinstance(command, commands.ReviewPool) or (answer and not isinstance(answer[0], events.CreditHeld)):
        told.tell(_released(told.state, given.now, getattr(command, "player", "")))
    return told.decided


def _answer(state: Pool, command: commands.PoolCommand, now: int) -> list[events.PoolEvent] | Rejected:
    match command:
        case commands.NoteTerms():
            told = taken(events.TermsNoted, command, currency=command.terms.currency)
            return [told] if state.terms is None else []
        case commands.NoteCancellation():
            currency = state.terms.currency if state.terms is not None else ""
            return [] if state.cancelled else [taken(events.CancellationNoted, command, currency=currency)]
        case commands.NotePayment():
            known = payment_key(command.payment) in state.amounts
            return [] if known or not _is_of(state, command.currency) else [taken(events.PaymentNoted, command)]
        case commands.NoteTicket():
            known = ticket_key(command.ticket) in state.amounts
            return [] if known or not _is_of(state, command.currency) else [taken(events.TicketNoted, command)]
        case commands.NoteCredit():
            known = key_of(command.credit) in state.covered
            return [] if known or not _is_of(state, command.currency) else [taken(events.CreditNoted, command)]
        case commands.ReviewPool():
            return []
        case commands.ClaimCredit():
            return _claimed(state, command, now)
        case _:
            return rejected(Reason.WRONG_ACCOUNT)


def _is_of(state: Pool, currency: str) -> bool:
    """Money of another currency is none of this tournament's."""
    return state.terms is None or state.terms.currency == currency


def _claimed(state: Pool, command: commands.ClaimCredit, now: int) -> list[events.PoolEvent] | Rejected:
    claim = command.claim
    if (known := state.covered.get(key_of(claim.name))) is not None:
        return [] if known in (content_of(claim), BEFORE) else rejected(Reason.REFERENCE_CONFLICT)
    lack = lacks(state, claim, now)
    if lack is None:
        return [taken(events.CreditCovered, command, claim)]
    if state.held.get(claim.name) == claim:
        return []
    if len(state.held) >= MOST_HELD:
        return rejected(Reason.TOO_MANY_WAITING)
    return [taken(events.CreditHeld, command, claim, lacks=lack)]


def _released(state: Pool, now: int, player: str) -> list[events.CreditCovered]:
    """What was held and is covered by now, of `player` first; each is judged by what is left after the one before."""
    after, found = state, list[events.CreditCovered]()
    looked_at = _looked_at(state, player)
    for claim in looked_at:
        if lacks(after, claim, now) is not None:
            continue
        found.append(
            taken(events.CreditCovered, claim, tournament=state.stream.removeprefix(commands.POOL), claim=claim)
        )
        if len(found) == MOST_RELEASED:
            break
        after = evolve(after, found[-1])
    if found and (len(found) == MOST_RELEASED or len(looked_at) < len(state.held)):
        found[-1] = replace(found[-1], more=True)
    return found


def _looked_at(state: Pool, player: str) -> list[Claim]:
    """All that waits for this player, and some of the others: where those are many, others at each change."""
    own = [claim for claim in state.held.values() if claim.player == player]
    others = [claim for claim in state.held.values() if claim.player != player]
    first = (len(state.amounts) + len(state.covered)) * MOST_LOOKED_AT % max(1, len(others))
    return own[:MOST_LOOKED_AT] + (others[first:] + others[:first])[:MOST_LOOKED_AT]
