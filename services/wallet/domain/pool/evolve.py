"""What an event makes of a pool."""

from msgspec.structs import replace

from libs.contracts import pool_events as events
from libs.contracts.facts import WalletEvent
from libs.contracts.pool_events import Claim
from services.wallet.domain.account.state import Amounts, key_of
from services.wallet.domain.pool.bounds import (
    ENTRY,
    MORE,
    Named,
    by_ticket,
    entered_by,
    named,
    payment_key,
    player_key,
    prize_key,
    ticket_key,
    without_one,
)  # fmt: skip
from services.wallet.domain.pool.state import Parts, Pool

BEFORE = b""
"""Instead of a digest: paid before there were pools."""


def evolve(state: Pool, event: WalletEvent) -> Pool:
    match event:
        case events.TermsNoted():
            return replace(state, terms=event.terms)
        case events.CancellationNoted():
            return replace(state, cancelled=True)
        case events.PaymentNoted():
            return _paid(state, event)
        case events.TicketNoted():
            key = ticket_key(event.ticket)
            return replace(
                _brought(state, event.player, event.amount), names=state.names.insert(key, event.player),
                amounts=state.amounts.insert(key, event.amount), tickets=state.tickets + 1,
                ticketed=_moved(state.ticketed, player_key(event.player), 1),
                worth=state.worth + event.amount, unsure=state.unsure + 1,
            )  # fmt: skip
        case events.CreditNoted():
            return _noted(state, event)
        case events.CreditHeld():
            return replace(state, held={**state.held, event.claim.name: event.claim})
        case events.CreditCovered():
            name = event.claim.name
            held = {each: claim for each, claim in state.held.items() if each != name}
            after = replace(state, held=held, covered=state.covered.insert(key_of(name), content_of(event.claim)))
            found = named(event.claim)
            assert found is not None, "what means nothing is held"
            return _given(after, event.claim, found)
        case _:
            raise AssertionError(f"{type(event).__name__} is no event of a pool")


def content_of(claim: Claim) -> bytes:
    return key_of(claim.player, claim.why, str(claim.amount))


def _paid(state: Pool, event: events.PaymentNoted) -> Pool:
    key, entries, unsure = payment_key(event.payment), *_counted(event.payment)
    return replace(
        _brought(state, event.player, event.amount), names=state.names.insert(key, event.player),
        amounts=state.amounts.insert(key, event.amount),
        prices={**state.prices, event.amount: state.prices.get(event.amount, 0) + 1},
        entries=state.entries + entries, unsure=state.unsure + unsure,
    )  # fmt: skip


def _counted(payment: str) -> tuple[int, int]:
    """Whether it is an entry, and whether that is unsure."""
    if payment.startswith(ENTRY):
        return 1, 0
    return 0, 0 if payment.startswith(MORE) else 1


def _given(state: Pool, claim: Claim, found: Named) -> Pool:
    after = replace(state, out=state.out.plus(claim))
    if found.kind != "cash" and by_ticket(state, claim):
        names = state.names.insert(payment_key(claim.entry), claim.player)
        after = replace(after, names=names, ticketed=_moved(state.ticketed, player_key(claim.player), -1))
    match found.kind:
        case "return":
            return _left(_brought(after, claim.player, -claim.amount), claim.name, claim.amount)
        case "refund":
            payer = entered_by(state, found.entry) or claim.player if found.inherited else claim.player
            after = _brought(after, payer, -claim.amount)
            return after if state.cancelled else _taken_back(after, found.entry, claim.prize)
        case "cash":
            after = replace(after, ticketed=_moved(state.ticketed, player_key(claim.player), -1))
            return _brought(after, claim.player, -claim.amount)
        case "prize" | "ticket":
            key = prize_key(found.entry)
            return replace(after, won=after.won.insert(key, after.won.get(key, 0) + claim.amount))
        case _:
            return after


def _left(state: Pool, payment: str, amount: int) -> Pool:
    """It goes back as it came: as if it had never come, but that its name is not taken again."""
    entries, unsure = _counted(payment)
    prices = without_one(state.prices, amount)
    return replace(state, prices=prices, entries=max(0, state.entries - entries), unsure=max(0, state.unsure - unsure))


def _taken_back(state: Pool, entry: str, prize: int) -> Pool:
    """Before the start: one entry less shares the prizes, which are less by what it had brought."""
    entries, unsure = _counted(entry)
    after = replace(state, taken_back=state.taken_back + prize, entries=max(0, state.entries - entries))
    return replace(after, unsure=max(0, after.unsure - unsure))


def _noted(state: Pool, event: events.CreditNoted) -> Pool:
    """The wallet of before knew no parts: they are those of what was paid so, or else what the name says."""
    after = replace(state, covered=state.covered.insert(key_of(event.credit), BEFORE))
    if state.amounts.get(payment_key(event.credit)) == event.amount:
        given = Parts(whole=event.amount)
        after = _left(_brought(after, event.player, -event.amount), event.credit, event.amount)
        return replace(after, out=after.out.plus(given))
    head, _, last = event.credit.rpartition(".")
    if last == "refund":
        prices = [state.terms.entry, *state.terms.others] if state.terms is not None else []
        same = next((price for price in prices if price.amount == event.amount), None)
        given = Parts(same.prize, same.fee, same.bounty) if same is not None else Parts(event.amount)
        after = _brought(after, event.player, -event.amount)
        after = after if state.cancelled else _taken_back(after, head, given.prize)
    elif last == "cash":
        given, after = Parts(ticket=event.amount), _brought(after, event.player, -event.amount)
    elif last in ("prize", "share"):
        key = prize_key(head)
        given = Parts(event.amount)
        after = replace(after, won=after.won.insert(key, after.won.get(key, 0) + event.amount * (last == "prize")))
    else:
        given = Parts(bounty=event.amount) if ".bounty." in event.credit else Parts(event.amount)
    return replace(after, out=after.out.plus(given))


def _brought(state: Pool, player: str, amount: int) -> Pool:
    """`amount`: minor units, below zero for what comes back."""
    return replace(state, brought=_moved(state.brought, player_key(player), amount))


def _moved(held: Amounts, key: bytes, amount: int) -> Amounts:
    left = held.get(key, 0) + amount
    return held.insert(key, left) if left > 0 else held.discard(key)
