"""What a pool covers: no more than came in, each part of it for what it is for, and to whom it may belong.

The tournament alone knows who has won. So this bounds what its word can do: nobody is refunded more than that player
paid, the prizes lie within the payout table, and nothing is won before it can have begun. Where the wallet can't know
something exactly (whether a ticket was used, which of two purchases of one price it was), the bound is the wider one: a
true credit is never held.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from libs.contracts.pool_commands import POOL
from libs.contracts.pool_events import Claim, Lack, Terms
from libs.contracts.tournaments import Price
from services.wallet.domain.account.state import key_of
from services.wallet.domain.pool.state import Parts, Pool

_TO = ".to."
"""In the name of a part of what a disqualified player is refused: between its own name and whose it is."""
ENTRY, MORE = "entry-", "payment-"
"""How the gateway names what is asked of a tournament (`services/wallet/policies/wishes.py`)."""
_KINDS = ("refund", "share", "cash", "prize", "bounty")


class Named(NamedTuple):
    """What a credit's name says (pt-810-2015 FP-6, FP-16)."""

    kind: str
    entry: str
    """By whom it was paid or won; of `cash` the ticket."""
    of: str = ""
    """Of a bounty: `held`, `own`, `last`, or a number."""
    inherited: bool = False


def named(claim: Claim) -> Named | None:
    """None: it means nothing."""
    if claim.why in ("ticket", "return"):
        return Named(claim.why, claim.entry)
    whole = claim.name.removesuffix(_TO + claim.entry)  # an id may itself have these signs
    inherited = whole != claim.name
    head, _, last = whole.rpartition(".")
    entry, _, kind = head.rpartition(".")
    if kind == "bounty" and entry and (last in ("held", "own", "last") or last.isdigit()):
        found = Named("bounty", entry, last, inherited)
    elif head and last in _KINDS and last != "bounty":
        found = Named(last, head, "", inherited)
    else:
        return None
    if inherited:
        known = found.kind in ("prize", "refund") or found.of == "held"
        return found if known else None
    return found if found.entry == claim.entry else None


def lacks(pool: Pool, claim: Claim, now: int) -> Lack | None:
    """What a credit lacks to be paid; None: it is covered. `now`: milliseconds since the epoch."""
    terms, found = pool.terms, named(claim)
    if found is None:
        return "name"
    if not claim.amount or claim.amount != _of_its_account(claim, found):
        return "funds"
    if terms is None:
        return "terms"
    if claim.currency != terms.currency:
        return "currency"
    if found.kind == "return":
        return _returned(pool, terms, claim)
    if not _has_entered(pool, terms, claim, found):
        return "not_paid"
    if not _fits(pool.out.plus(claim), came(pool, terms), pool, terms):
        return "funds"
    match found.kind:
        case "refund" | "cash":
            return _given_back(pool, claim, found)
        case "ticket":
            if (claim.amount, claim.target) != (terms.ticket, terms.target) or not _is_its_own(pool, claim.name):
                return "name"
    if (found.kind == "share" or found.of == "last") and not pool.cancelled:
        return "not_cancelled"
    if not _may_have_begun(pool, terms, now):
        return "too_early"
    if found.kind in ("prize", "ticket") and not _within_places(pool, terms, found.entry, claim.amount):
        return "share"
    return None


def _of_its_account(claim: Claim, found: Named) -> int:
    """What of it is out of an account that credits of this kind come out of, minor units."""
    match found.kind:
        case "return":
            return claim.whole
        case "refund":
            return claim.prize + claim.fee + claim.bounty
        case "cash":
            return claim.ticket
        case "bounty":
            return claim.bounty
        case _:
            return claim.prize


def _returned(pool: Pool, terms: Terms, claim: Claim) -> Lack | None:
    key = payment_key(claim.name)
    if (pool.names.get(key), pool.amounts.get(key)) != (claim.player, claim.amount):
        return "not_paid"
    left = replace(pool, prices=without_one(pool.prices, claim.amount))
    covered = _fits(pool.out, came(left, terms), left, terms)
    return None if covered and claim.amount <= brought_by(pool, claim.player) else "funds"


def _has_entered(pool: Pool, terms: Terms, claim: Claim, found: Named) -> bool:
    """Whether who gets it has paid the entry that is named, with money or a ticket, and has it still. Of free entries
    the pool is not told."""
    if not terms.entry.amount or found.kind == "cash":
        return True
    entry = claim.entry
    if entry.startswith(MORE) or key_of(entry) in pool.covered:
        return False
    if pool.names.get(payment_key(entry)) != claim.player and not by_ticket(pool, claim):
        return False
    taken_back = key_of(f"{entry}.refund") in pool.covered and not pool.cancelled
    return not taken_back and (not found.inherited or bool(pool.tickets or entered_by(pool, found.entry)))


def by_ticket(pool: Pool, claim: Claim) -> bool:
    """Whether one of the player's tickets may have paid the entry: what that is called only its credits tell. Some are
    called as their ticket."""
    named = pool.names.get(payment_key(claim.entry)), pool.names.get(ticket_key(claim.entry), claim.player)
    return named == (None, claim.player) and player_key(claim.player) in pool.ticketed


def entered_by(pool: Pool, entry: str) -> str | None:
    """Whose this payment or ticket is."""
    return pool.names.get(payment_key(entry)) or pool.names.get(ticket_key(entry))


def _is_its_own(pool: Pool, ticket: str) -> bool:
    """A satellite names its tickets after itself, so that none names another one's."""
    own, _, number = ticket.rpartition(".")
    return POOL + own == pool.stream and number.isdigit()


def without_one(prices: dict[int, int], amount: int) -> dict[int, int]:
    """One payment of it less."""
    left = prices.get(amount, 0) - 1
    return {each: count for each, count in {**prices, amount: left}.items() if count > 0}


def _given_back(pool: Pool, claim: Claim, found: Named) -> Lack | None:
    """At most what the player has brought and not got back. Rebuys and add-ons may come back with the entry (36.a)."""
    payer = claim.player
    if found.kind == "cash":
        key = ticket_key(found.entry)
        if (pool.names.get(key), pool.amounts.get(key)) != (claim.player, claim.amount):
            return "not_paid"
    elif found.inherited:
        if not pool.cancelled:
            return "not_cancelled"
        payer = entered_by(pool, found.entry) or payer
    return None if claim.amount <= brought_by(pool, payer) else "not_paid"


def came(pool: Pool, terms: Terms) -> Parts:
    """The most that can lie in each of the tournament's accounts, minor units; what the house adds is not in it. A
    ticket may have been used, paid out or lapsed, so it counts in each."""
    prize, fee, bounty = pool.worth, pool.tickets * terms.entry.fee, pool.tickets * terms.entry.bounty
    for amount, count in pool.prices.items():
        same = [offer for offer in _offers(terms) if offer.amount == amount]
        prize += count * max((offer.prize for offer in same), default=0)
        fee += count * max((offer.fee for offer in same), default=0)
        bounty += count * max((offer.bounty for offer in same), default=0)
    return Parts(prize, fee, bounty, pool.worth)


def total_in(pool: Pool) -> int:
    """What was really paid and has not gone back as it came, minor units."""
    return sum(amount * count for amount, count in pool.prices.items()) + pool.worth


def added(pool: Pool, terms: Terms, prize: int) -> int:
    """What the house may have added to the prizes, up to what it has promised, minor units."""
    return max(0, terms.promised - (prize - pool.worth - pool.taken_back))


def _fits(out: Parts, most: Parts, pool: Pool, terms: Terms) -> bool:
    more = added(pool, terms, most.prize)
    in_each = (
        out.prize <= most.prize + more and out.fee <= most.fee and out.bounty <= most.bounty
        and out.ticket <= most.ticket
    )  # fmt: skip
    return in_each and out.total - out.whole <= total_in(pool) + more


def _offers(terms: Terms) -> list[Price]:
    return [terms.entry, *terms.others]


def _may_have_begun(pool: Pool, terms: Terms, now: int) -> bool:
    if pool.cancelled or (terms.starts_at is not None and terms.starts_at <= now):
        return True
    full = not terms.entry.amount or pool.entries + pool.unsure >= terms.seats
    return terms.starts_at is None and full


def _within_places(pool: Pool, terms: Terms, entry: str, amount: int) -> bool:
    won = {**pool.won, prize_key(entry): pool.won.get(prize_key(entry), 0) + amount}
    most = max(came(pool, terms).prize - pool.taken_back, terms.promised)
    return any(_dominated(won.values(), *ladder) for ladder in ladders(pool, terms, most))


def ladders(pool: Pool, terms: Terms, most: int) -> Iterator[tuple[Sequence[int], int]]:
    """By place, minor units, and how much more the first of them may be: by each row of the payout table that may hold
    for so many entries. `most`: in the prizes."""
    fewest = pool.entries if terms.entry.amount else 0
    many = pool.entries + pool.unsure if terms.entry.amount else None
    if terms.ticket:
        tickets = most // terms.ticket if many is None else min(most // terms.ticket, many)
        rest = most - tickets * terms.ticket
        yield [*[terms.ticket] * tickets, rest], rest
        return
    for place, row in enumerate(terms.payouts):
        later = terms.payouts[place + 1].entries if place + 1 < len(terms.payouts) else None
        if (later is None or fewest < later) and (many is None or row.entries <= many):
            # Down to the cent, the rest to the first place (34); so much may the cents of a smaller pool differ.
            yield [most * share // sum(row.shares) for share in row.shares], len(row.shares)


def _dominated(won: Iterable[int], ladder: Sequence[int], slack: int) -> bool:
    """Whether so many places pay so much: each is paid once, and who is tied shares what these places pay (51)."""
    rest, places = slack, sorted(ladder, reverse=True)
    for place, amount in enumerate(sorted(won, reverse=True)):
        rest += (places[place] if place < len(places) else 0) - amount
        if rest < 0:
            return False
    return True


def brought_by(pool: Pool, player: str) -> int:
    """Paid by this player and not got back, minor units."""
    return pool.brought.get(player_key(player), 0)


def payment_key(payment: str) -> bytes:
    return key_of("payment", payment)


def ticket_key(ticket: str) -> bytes:
    return key_of("ticket", ticket)


def player_key(player: str) -> bytes:
    return key_of("player", player)


def prize_key(entry: str) -> bytes:
    return key_of("prize", entry)
