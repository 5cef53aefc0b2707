"""What a cancelled tournament owes to whom, to the cent (pt-810-2015 36.a to 36.c, 37, 38)."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Literal

import msgspec

from services.tournament.domain.play.prizes import in_proportion

EMPTY: Mapping[str, int] = {}
Rule = Literal["36.a", "36.b", "36.c", "own"]
WITHOUT_POT: tuple[Rule, Rule] = ("36.a", "own")


class Paid(msgspec.Struct, frozen=True):
    """One payment in its parts, cents; a ticket counts as what it is worth (37)."""

    prize: int
    fee: int = 0
    bounty: int = 0

    @property
    def total(self) -> int:
        return self.prize + self.fee + self.bounty


class Entry(msgspec.Struct, frozen=True):
    """One entry, as it stands when the tournament is cancelled. A re-entry is an entry of its own."""

    id: str
    player: str
    paid: Paid
    more: Sequence[Paid] = ()
    """Rebuys and add-ons."""
    chips: int = 0
    """After the last finished hand; none: eliminated, or thinking about a rebuy."""


class Pot(msgspec.Struct, frozen=True):
    """What is shared among those still in, cents. Money that the operator added is not in it."""

    eliminated_entries: int
    rebuys: int
    """And add-ons, everybody's."""
    decided: int
    """Prizes that stay with their winners."""
    lapsed: int = 0
    """Tickets that lapsed into the prizes (FP-17)."""

    @property
    def total(self) -> int:
        return max(0, self.eliminated_entries + self.rebuys + self.lapsed - self.decided)


class RefundSheet(msgspec.Struct, frozen=True):
    rule: Rule
    """That was applied."""
    pot: Pot
    refunds: dict[str, int]
    """By entry: what was paid for the registration."""
    shares: dict[str, int]
    """By entry: of the pot."""
    prizes: dict[str, int]
    """By entry: decided before, credited now where that has not been done (54)."""
    bounties: dict[str, int]
    """By entry: won before, likewise; those of eliminated entries are no part of the pot (reading of 36.b)."""
    tickets: dict[str, int]
    """By player: the value of tickets never used (37)."""
    collected: int

    @property
    def refunds_more(self) -> bool:
        """Rebuys and add-ons come back with the entry, where there is no pot that they are in."""
        return self.rule in WITHOUT_POT

    @property
    def total_paid(self) -> int:
        return sum(sum(part.values()) for part in self._parts)

    @property
    def operator_keeps(self) -> int:
        """Fees that nobody gets back. Tickets never used lie on an account of their own and are not in it."""
        return max(0, self.collected - self.total_paid)

    @property
    def operator_adds(self) -> int:
        """Prizes decided above what was collected: a guarantee that has fallen due."""
        return max(0, self.total_paid - self.collected)

    def credits(self, entries: Sequence[Entry]) -> dict[str, int]:
        """By player, all together; 0 for who gets nothing."""
        total: Counter[str] = Counter({entry.player: 0 for entry in entries})
        for entry in entries:
            total[entry.player] += sum(part.get(entry.id, 0) for part in self._parts)
        total.update(self.tickets)
        return dict(total)

    @property
    def _parts(self) -> tuple[dict[str, int], ...]:
        return self.refunds, self.shares, self.prizes, self.bounties


def refund_sheet(
    entries: Sequence[Entry],
    *,
    dealt: bool,
    in_the_money: bool,
    decided: Mapping[str, int] = EMPTY,
    bounties: Mapping[str, int] = EMPTY,
    tickets: Mapping[str, int] = EMPTY,
    own: bool = False,
    lapsed: int = 0,
) -> RefundSheet:
    """`entries` in order of registration. 36.a holds until the first hand is dealt (reading of 36.a).

    `decided`, `bounties`: won before, by entry. `tickets`: value of those never used, by player. `own`: its own rules
    give everybody the full buy-in back, eliminated or not (36).
    """
    still_in = {entry.id: entry.chips for entry in entries if entry.chips}
    nothing = Pot(0, 0, 0)
    rule: Rule = "own" if own else "36.a" if not dealt else "36.c" if in_the_money else "36.b"
    refunded, pot, shares, prizes = list(entries), nothing, {}, dict(decided)
    if rule not in WITHOUT_POT:
        refunded = [entry for entry in entries if entry.id in still_in]
        pot = Pot(
            sum(entry.paid.prize for entry in entries if entry.id not in still_in),
            sum(paid.prize for entry in entries for paid in entry.more),
            sum(prizes.values()),
            lapsed,
        )
        shares = in_proportion(pot.total, still_in, list(still_in)) if still_in else {}
    return RefundSheet(
        rule=rule,
        pot=pot,
        refunds={entry.id: sum(paid.total for paid in _back(entry, rule)) for entry in refunded},
        shares=shares,
        prizes=prizes,
        bounties=dict(bounties),
        tickets=dict(tickets),
        collected=sum(paid.total for entry in entries for paid in (entry.paid, *entry.more)),
    )


def _back(entry: Entry, rule: Rule) -> Sequence[Paid]:
    return (entry.paid, *entry.more) if rule in WITHOUT_POT else (entry.paid,)
