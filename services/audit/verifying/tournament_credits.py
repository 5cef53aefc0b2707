"""What a tournament owes, by its definition and by what was paid: its prizes, worked out once more, and each credit by
its name, which says what it is for and out of which account (pt-810-2015 FP-6, FP-16, FP-18).

A tournament's own login says of every credit what it likes, and the wallet pays it: the name alone bounds it.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from libs.contracts import tournament_ticket_events as k
from libs.contracts import tournaments_events as t
from libs.contracts.facts import Fact
from libs.contracts.tournament_play_events import EntryEliminated, PrizesFixed
from libs.contracts.tournaments import Definition, Payout

_TO = ".to."
"""In the name of a part of what a disqualified player is refused: between its own name and whose it is."""
_WINNINGS = ("prize", "bounty.held", "refund")
"""What can be refused."""


@dataclass(slots=True)
class Owed:
    """Of one tournament that was read from its beginning, minor units. Entries are named by their ids."""

    prices: dict[str, tuple[int, ...]] = field(default_factory=dict)
    """By what is bought: the whole, and what of it is for prizes, fee and bounty."""
    payouts: list[Payout] = field(default_factory=list)
    ticket: int = 0
    """What a won ticket is worth."""
    ends_with_one: bool = True
    """Nobody has won before one alone is left."""
    pending: dict[str, tuple[str, int]] = field(default_factory=dict)
    """By payment that the wallet was asked for: of whom, and how much."""
    late: dict[str, tuple[str, int]] = field(default_factory=dict)
    """Likewise: not waited for any more, and it may have been paid."""
    paid: dict[str, tuple[int, int, int]] = field(default_factory=dict)
    """By entry: to prizes, fee and bounty, rebuys and add-ons included."""
    tickets: dict[str, int] = field(default_factory=dict)
    players: dict[str, str] = field(default_factory=dict)
    entered: int = 0
    gone: set[str] = field(default_factory=set)
    """Taken back before the start."""
    out: int = 0
    places: dict[str, tuple[int, int, int]] = field(default_factory=dict)
    """By entry that is out: the first and the last one that it is tied in, of so many entries as there were by then."""
    heads: int = 0
    """Bounties of those who are out."""
    won_heads: int = 0
    refused: set[str] = field(default_factory=set)
    """Players who are disqualified for good."""
    cancelled: bool = False
    ladder: list[int] = field(default_factory=list)
    """By place: prize and ticket."""
    won: dict[str, int] = field(default_factory=dict)
    """By entry: credited of its prize, to whomever."""
    forgotten: bool = False
    """Some of what is kept by entry or payment: nothing is said by it any more."""

    def forget(self) -> None:
        for each in (self.pending, self.late, self.paid, self.tickets, self.players, self.gone, self.places, self.won):
            each.clear()
        self.forgotten = True


def owed_by(rules: Definition) -> Owed:
    offered = {"entry": rules.buy_in, "re_entry": rules.buy_in}
    offered |= {"rebuy": rules.rebuy.price} if rules.rebuy is not None else {}
    offered |= {"add_on": rules.add_on.price} if rules.add_on is not None else {}
    return Owed(
        prices={name: (each.amount, each.prize, each.fee, each.bounty) for name, each in offered.items()},
        payouts=rules.payouts,
        ticket=rules.tickets.value if rules.tickets is not None else 0,
        ends_with_one=not rules.timed and rules.tickets is None,
    )


def check_owed(owed: Owed, fact: Fact, prize: int) -> Iterator[str]:
    """Folds one event, and what is wrong with it. `prize`: in that account before it."""
    match fact:
        case t.Purchase():
            yield from _bought(owed, fact)
        case t.PaymentFailed():
            due = owed.pending.pop(fact.payment, None)
            if due is not None and fact.reason != "insufficient_funds":  # else the wallet has said that nothing is paid
                owed.late[fact.payment] = due
        case t.PaymentReturned():
            due = owed.late.pop(fact.payment, None)
            if due != (fact.player, fact.amount) and not owed.forgotten:
                what = f"{due[1]} of {due[0]} was late" if due is not None else "nothing was late"
                yield f"payment {fact.payment} of {fact.amount} goes back to {fact.player}, and {what}"
        case k.TicketIssued():
            owed.tickets[fact.ticket], owed.players[fact.ticket] = fact.amount, fact.player
        case t.PlayerUnregistered():
            owed.gone.add(fact.entry)
            owed.entered -= 1
        case EntryEliminated():
            owed.out += 1
            owed.places[fact.entry] = fact.first, fact.last, owed.entered
            owed.heads += owed.paid.get(fact.entry, (0, 0, 0))[2]
        case t.TournamentCancelled():
            owed.cancelled = True
        case t.DisqualificationFinal():
            owed.refused.add(fact.player)
        case PrizesFixed():
            yield from _fixed(owed, fact, prize)
        case t.CreditsDue():
            for each in fact.credits:
                if why := _wrong(owed, each):
                    yield f"credit {each.credit} of {each.amount} to {each.player}: {why}"
        case _:
            return


def _bought(owed: Owed, fact: t.Purchase) -> Iterator[str]:
    price = owed.prices.get(fact.bought)
    if price != (fact.amount, fact.prize, fact.fee, fact.bounty):
        yield f"{type(fact).__name__} {fact.payment} of {fact.amount} is not the price of what is bought: {fact.bought}"
    if not isinstance(fact, t.PaymentTaken):
        owed.pending[fact.payment] = fact.player, fact.amount
        return
    owed.pending.pop(fact.payment, None)
    before = owed.paid.get(fact.entry, (0, 0, 0))
    owed.paid[fact.entry] = before[0] + fact.prize, before[1] + fact.fee, before[2] + fact.bounty
    if isinstance(fact, t.EntryPaid):
        owed.players[fact.entry] = fact.player
        owed.entered += 1


def _fixed(owed: Owed, fact: PrizesFixed, prize: int) -> Iterator[str]:
    pool = prize + fact.amount
    if fact.entries != owed.entered:
        yield f"the prizes are fixed for {fact.entries} entries, of {owed.entered}"
    if fact.pool != pool:
        yield f"the prizes are fixed of a pool of {fact.pool}, which is {pool}"
    prizes, tickets = prizes_of(owed, pool, owed.entered)
    if (fact.prizes, fact.tickets) != (prizes, tickets):
        told = f"{fact.prizes[:20]} and {fact.tickets} tickets"
        yield f"the prizes are fixed as {told}, by the definition they are {prizes[:20]} and {tickets} tickets"
    ladder = (each + owed.ticket * (place < tickets) for place, each in enumerate(prizes))
    owed.ladder = sorted(ladder, reverse=True)


def prizes_of(owed: Owed, pool: int, entries: int) -> tuple[list[int], int]:
    """By place, the first one first, minor units; and how many of the first places win a ticket (32, 34, FP-11)."""
    if owed.ticket:
        tickets = min(pool // owed.ticket, entries)
        rest = pool - tickets * owed.ticket
        if tickets and tickets == entries:
            return [rest] + [0] * (tickets - 1), tickets
        return [0] * tickets + [rest] * (rest > 0), tickets
    rows = [row for row in owed.payouts if row.entries <= entries]
    if not rows:
        return [], 0
    shares = rows[-1].shares
    amounts = [pool * share // sum(shares) for share in shares]
    return [amounts[0] + pool - sum(amounts), *amounts[1:]], 0


def _wrong(owed: Owed, each: t.Credit) -> str | None:
    """Why nobody is owed that; None: it may be owed."""
    name, whose = each.credit, each.entry
    base = name.removesuffix(_TO + whose)  # an id may itself have these signs
    if inherited := base != name:
        entry, kind = next(((base[: -len(of) - 1], of) for of in _WINNINGS if base.endswith(f".{of}")), ("", ""))
        if not owed.forgotten and owed.players.get(entry) not in owed.refused:
            return "nothing of that name was refused to anybody"
    else:
        entry, kind = whose, name.removeprefix(f"{whose}.") if name.startswith(f"{whose}.") else ""
    return _bound(owed, each, entry, kind, inherited=inherited)


def _bound(owed: Owed, each: t.Credit, entry: str, kind: str, *, inherited: bool) -> str | None:
    paid = owed.paid.get(entry, (0, 0, 0))
    out_of = {name for name in ("prize", "fee", "bounty", "ticket") if getattr(each, name)}
    known = not owed.forgotten
    match kind.split("."):
        case ["refund"]:
            if out_of - {"prize", "fee", "bounty"}:
                return "a refund is out of what was paid"
            if known and not (owed.cancelled or entry in owed.gone):
                return "neither was the entry taken back, nor is the tournament cancelled"
            if known and any(back > put for back, put in zip((each.prize, each.fee, each.bounty), paid, strict=True)):
                return f"{sum(paid)} was paid for the entry"
        case ["share"]:
            if out_of - {"prize"} or not owed.cancelled:
                return "the prizes are shared when the tournament is cancelled"
        case ["cash"]:
            if out_of - {"ticket"} or (known and each.amount != owed.tickets.get(entry)):
                return "that is not what the ticket is worth"
        case ["prize"]:
            if out_of - {"prize"}:
                return "a prize is out of the prizes"
            owed.won[entry] = owed.won.get(entry, 0) + each.amount
            return _placed(owed, entry)
        case ["bounty", "held"]:
            if out_of - {"bounty"} or (known and each.bounty > paid[2]):
                return f"{paid[2]} was the bounty"
        case ["bounty", of] if not inherited and (of in ("own", "last") or of.isdigit()):
            return _bounty(owed, each, of, out_of)
        case _:
            return "there is no credit of that name"
    return None


def _bounty(owed: Owed, each: t.Credit, of: str, out_of: set[str]) -> str | None:
    """`of`: won with others' places, of a tournament that was cancelled, or at the end, the own one included."""
    if out_of - {"bounty"}:
        return "a bounty is out of the bounties"
    if of == "last":
        return None if owed.cancelled else "the tournament is not cancelled"
    if of == "own":
        return "others are still in" if owed.ends_with_one and owed.entered - owed.out > 1 else None
    owed.won_heads += each.bounty
    return "nobody is out with such a bounty" if not owed.forgotten and owed.won_heads > owed.heads else None


def _placed(owed: Owed, entry: str) -> str | None:
    if not _within(owed.won.values(), owed.ladder):
        return "that is more than the places pay"
    if owed.forgotten or owed.cancelled:  # who went out in a hand for hand that is void has a place that nobody told
        return None
    if (place := owed.places.get(entry)) is None:
        return "others are still in" if owed.ends_with_one and owed.entered - owed.out > 1 else None
    first, last, entries = place
    later = owed.entered - entries  # each entry that came later pushes it down by one
    tied = owed.ladder[first + later - 1 : last + later]
    most = -(-sum(tied) // (last - first + 1))
    return f"its place pays {most}" if owed.won[entry] > most else None


def _within(won: Iterable[int], ladder: list[int]) -> bool:
    """Whether so many places pay so much: each is paid once, and who is tied shares what these places pay (51)."""
    rest = 0
    for place, amount in enumerate(sorted(won, reverse=True)):
        rest += (ladder[place] if place < len(ladder) else 0) - amount
        if rest < 0:
            return False
    return True
