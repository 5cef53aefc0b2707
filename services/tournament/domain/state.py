"""What a tournament remembers: its rules, where it is in its life, who is in, and what its accounts hold."""

from collections.abc import Mapping
from typing import Literal

import msgspec

from libs.contracts.tournament_ticket_events import TargetAsked
from libs.contracts.tournaments import Bought, Definition, Origin
from libs.contracts.tournaments_events import CancellationProposed, Credit, Held
from services.tournament.domain.play.memory import Play

Phase = Literal["none", "proposed", "declined", "announced", "registering", "running", "completed", "cancelled"]
"""FP-20; there is no way back."""
OVER: frozenset[Phase] = frozenset({"declined", "completed", "cancelled"})
SECRET: frozenset[Phase] = frozenset({"none", "proposed", "declined"})
"""Nobody but the staff knows of it."""


class Payment(msgspec.Struct, frozen=True):
    """Asked of the wallet, which has not answered."""

    payment: str
    bought: Bought
    entry: str
    player: str
    amount: int
    prize: int
    fee: int
    bounty: int
    chips: int
    asked_at: int


class Wish(msgspec.Struct, frozen=True):
    """A rebuy or add-on asked while a hand runs at the entry's table."""

    payment: str
    bought: Literal["rebuy", "add_on"]
    entry: str
    player: str


class More(msgspec.Struct, frozen=True):
    """A rebuy or an add-on, minor units."""

    bought: Bought
    prize: int
    fee: int


class Entry(msgspec.Struct, frozen=True):
    """One entry of one player; who re-enters has several, one of them alive."""

    entry: str
    player: str
    number: int
    """In the order of registration."""
    prize: int
    """What was paid for it, minor units; rebuys and add-ons are not in it."""
    fee: int
    bounty: int
    status: Literal["in", "out", "gone"] = "in"
    """Still in, eliminated, or taken back before the start."""
    with_ticket: str = ""
    """That it was paid with."""
    more: tuple[More, ...] = ()


class Ticket(msgspec.Struct, frozen=True):
    """A won registration for this tournament; its value lies on the ticket account while it is held or restored."""

    ticket: str
    player: str
    amount: int
    origin: Origin
    won_at: int
    status: Literal["held", "used", "restored", "cashed", "lapsed"] = "held"
    """`restored`: it has paid for a registration that was taken back."""

    @property
    def unused(self) -> bool:
        return self.status in ("held", "restored")


class Complaint(msgspec.Struct, frozen=True):
    player: str
    decided: bool = False


class Reads(msgspec.Struct, frozen=True):
    """In which language a player reads the rules, and since when (milliseconds since the epoch)."""

    language: str = "pt"
    since: int = 0


class Tournament(msgspec.Struct, frozen=True):
    tournament: str
    phase: Phase = "none"
    name: str = ""
    definition: Definition | None = None
    proposed_by: str = ""
    asked: TargetAsked | None = None
    """Approved, and waiting for the tournament that its tickets are for."""
    pending: Mapping[str, Payment] = {}
    """By payment."""
    late: Mapping[str, Payment] = {}
    """Given up, but the wallet may have paid all the same: then it goes back."""
    wishes: Mapping[str, Wish] = {}
    """By payment."""
    used: frozenset[str] = frozenset()
    """Every payment and credit that there ever was: none counts twice."""
    entries: Mapping[str, Entry] = {}
    tickets: Mapping[str, Ticket] = {}
    """All that were ever won for it."""
    held: Held = Held()
    play: Play = Play()
    """From the start on."""
    sheet: CancellationProposed | None = None
    """A cancellation that waits for a second person."""
    sheets: int = 0
    """How many were ever proposed."""
    notices: int = 0
    """Given by the staff."""
    notices_by: Mapping[str, int] = {}
    """The same by person (`person_behind`)."""
    complaints: Mapping[str, Complaint] = {}
    reads: Mapping[str, Reads] = {}
    """By player who has chosen a language."""
    taken_back: Mapping[str, int] = {}
    """By player: registrations taken back."""
    excluded: frozenset[str] = frozenset()
    """Players whom the house has taken out, or bars from buying anything: they do not come back."""
    exclusions: Mapping[str, str] = {}
    """By excluded player about whom no second person has spoken: who excluded them."""
    withheld: Mapping[str, Credit] = {}
    """By credit: what stays in the accounts while `held_up`."""
    settled: Mapping[str, Literal["final", "released"]] = {}
    """By disqualified entry: what a second person has decided."""

    @property
    def rules(self) -> Definition:
        assert self.definition is not None, "a tournament that was proposed has rules"
        return self.definition

    @property
    def undecided(self) -> dict[str, str]:
        """Entries whose disqualification waits for a second person: by whom they were disqualified."""
        return {entry: by for entry, by in self.play.disqualified.items() if entry not in self.settled}

    @property
    def held_up(self) -> bool:
        """A second person is waited for: nobody is credited what is won, and it does not end (FP-16)."""
        return bool(self.undecided or self.exclusions)

    @property
    def refused(self) -> list[str]:
        """Entries that are disqualified for good."""
        return [entry for entry, how in self.settled.items() if how == "final"]

    @property
    def alive(self) -> list[Entry]:
        """In the order of registration, which is that of `entries`."""
        return [entry for entry in self.entries.values() if entry.status == "in"]

    @property
    def unused_tickets(self) -> list[Ticket]:
        """In the order in which they were won."""
        unused = (ticket for ticket in self.tickets.values() if ticket.unused)
        return sorted(unused, key=lambda ticket: (ticket.won_at, ticket.ticket))

    def entry_of(self, player: str) -> Entry | None:
        """The one that is alive."""
        return next((entry for entry in self.alive if entry.player == player), None)

    def being_paid(self, player: str) -> Payment | None:
        """An entry of the player's that is not paid yet."""
        entering = ("entry", "re_entry")
        return next((p for p in self.pending.values() if p.player == player and p.bought in entering), None)

    def is_buying(self, entry: str) -> bool:
        """A rebuy or an add-on that is not decided."""
        paying = any(payment.entry == entry for payment in self.pending.values())
        return paying or any(wish.entry == entry for wish in self.wishes.values())

    def bought_by(self, player: str, bought: Bought) -> int:
        return sum(m.bought == bought for e in self.entries.values() if e.player == player for m in e.more)

    @property
    def entering(self) -> int:
        """Who is in, and who is paying for it."""
        return len(self.alive) + sum(p.bought in ("entry", "re_entry") for p in self.pending.values())

    @property
    def places_taken(self) -> int:
        """Theirs, and those of the owners of tickets who have not come yet."""
        here = {entry.player for entry in self.alive} | self.excluded
        coming = {ticket.player for ticket in self.tickets.values() if ticket.status == "held"} - here
        return self.entering + len(coming)
