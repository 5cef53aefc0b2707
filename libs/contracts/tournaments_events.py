"""Public events of a tournament as a whole; what happens at its tables is told by the tables.

Who decides leaves `at`, `tournament` and `currency` out; the decision's story stamps them.
"""

from typing import Annotated, Literal

import msgspec

from libs.contracts.facts import Moment, Part, TournamentEvent
from libs.contracts.tournaments import Bought, Cause, Chips, Definition, Money
from libs.contracts.wallet_events import TournamentCredit


class Held(Part):
    """What a tournament's accounts hold, minor units; never below zero, and zero in the end."""

    prize: Money = 0
    fee: Money = 0
    bounty: Money = 0
    ticket: Money = 0
    """Won registrations that are not used yet (FP-17)."""

    @property
    def total(self) -> int:
        return self.prize + self.fee + self.bounty + self.ticket


class TournamentMoney(TournamentEvent):
    """Of money. The story stamps `currency` and `held`."""

    currency: str = ""
    held: Held = Held()
    """In the tournament's accounts after it."""


class Credit(Part):
    """What one player gets of each of the tournament's accounts; the wallet pays the sum, once for each `credit`."""

    credit: str
    entry: str
    """Or the ticket that is paid out."""
    player: str
    prize: Money = 0
    """Out of the prize account."""
    fee: Money = 0
    """Out of the fees."""
    bounty: Money = 0
    """Out of the bounties."""
    ticket: Money = 0
    """Out of the tickets, the whole value of one."""

    @property
    def amount(self) -> int:
        return self.prize + self.fee + self.bounty + self.ticket

    @property
    def refusable(self) -> bool:
        """What a disqualification that is final takes: a prize, the own bounty, and what a cancellation gives back.
        A bounty that was won in a pot stays the winner's."""
        return self.credit in {f"{self.entry}.{of}" for of in ("prize", "bounty.held", "refund", "share")}


class TournamentProposed(TournamentEvent):
    """Somebody of the staff has laid its rules down; they keep to the regulation."""

    name: str
    definition: Definition
    by: str


class ProposalDeclined(TournamentEvent):
    """It will not take place."""

    reason: str
    by: str


class TournamentAnnounced(TournamentEvent):
    """A second person has approved the rules: they are public, and fixed from now on (FP-12)."""

    by: str


class RegistrationOpened(TournamentEvent):
    """Players may register from now on."""


class Purchase(TournamentMoney):
    """Of a registration, rebuy or add-on: what it costs, and what is for what."""

    payment: str
    bought: Bought
    entry: str
    player: str
    amount: Money
    prize: Money
    fee: Money
    bounty: Money
    chips: Chips


class PaymentDue(Purchase):
    """Asked of the player's account; it counts once it is paid (21, 22)."""


class PurchaseNoted(TournamentEvent):
    """A rebuy or add-on, asked in time and while a hand runs there: carried out, or refused, when it is over (FP-2)."""

    payment: str
    bought: Literal["rebuy", "add_on"]
    entry: str
    player: str


class PaymentTaken(Purchase):
    """Paid, and in the tournament's accounts."""


class EntryPaid(PaymentTaken):
    """`number` counts entries in the order of registration, which places leftover cents (FP-11)."""

    number: Annotated[int, msgspec.Meta(ge=1)]
    with_ticket: str = ""
    """That it was paid with, out of the ticket account; empty: with money."""


class PlayerRegistered(EntryPaid):
    """An entry, paid."""


class PlayerReentered(EntryPaid):
    """Another entry of a player who was eliminated (FP-4)."""


class RebuyMade(PaymentTaken):
    """More chips, from between two hands on (FP-2)."""


class AddOnMade(PaymentTaken):
    """More chips, in the add-on's break (FP-3)."""


class PaymentFailed(TournamentEvent):
    """It came to nothing: the account has too little, or did not answer in time, or the stack had grown above the limit
    of a rebuy by the end of the hand (FP-2). Nothing is bought."""

    payment: str
    bought: Bought
    player: str
    reason: Literal["insufficient_funds", "not_answered", "unregistered", "cancelled", "stack_above_limit"]


class PaymentReturned(TournamentMoney):
    """Paid for what was bought no more by then: it goes back as it came."""

    payment: str
    player: str
    amount: Money


class PlayerUnregistered(TournamentEvent):
    """Taken back before the deadline (24), or by the house: excluded from gambling (FP-16)."""

    entry: str
    player: str
    reason: Literal["asked", "excluded"]
    by: str


class CreditsDue(TournamentMoney):
    """Money goes back to players: the wallet credits each once."""

    why: TournamentCredit
    credits: Annotated[list[Credit], msgspec.Meta(min_length=1)]


class CancellationProposed(TournamentMoney):
    """The refund sheet, for a second person to confirm; nothing has moved, and what changes meanwhile makes a new one
    necessary."""

    sheet: Annotated[int, msgspec.Meta(ge=0)] = 0
    """Number of the sheet in its tournament: 1, 2, 3 …; 0 in records from before they had one."""
    cause: Cause
    reason: str
    rule: str
    """By which the refunds are worked out: `36.a`, `36.b`, `36.c`, or `own` for the tournament's own rules (36)."""
    credits: list[Credit]
    to_the_house: Money
    by: str


class CancellationDeclined(TournamentEvent):
    """The sheet is void; the tournament goes on."""

    reason: str
    by: str


class TournamentCancelled(TournamentEvent):
    """For good (FP-20). The refunds follow."""

    cause: Cause
    reason: str
    rule: str
    by: str
    confirmed_by: str = ""
    """The second person; empty: by the tournament's published minimum, without anybody's choice (35)."""


class DirectorsAct(TournamentEvent):
    """On the trail: who did it, and why."""

    reason: str
    by: str


class TournamentPaused(DirectorsAct):
    """Running hands are finished, no other begins, and the clock stands still from when the first table waits
    (FP-14)."""

    tables: list[int]
    """By number."""
    hands_first: bool = False
    """False, in events of before: the clock stood at once."""
    first_waits: bool = False
    """False, in events of before: it stood from when no hand was played any more."""


class RestartAnnounced(DirectorsAct):
    """The pause was long, and whoever is away has to be told: it ends at `goes_on_at` (FP-14)."""

    goes_on_at: Moment


class TournamentResumed(DirectorsAct):
    """The clock goes on where it stood."""

    stood_ms: Annotated[int, msgspec.Meta(ge=0, description="milliseconds")] | None = None
    """So long the clock stood; null, in events of before: since the pause was ordered."""
    alone: bool = False
    """By who had ordered the pause; in events of before, only while one might still enter or buy chips, or in a timed
    tournament."""


class ClockAdjusted(DirectorsAct):
    """Forward by so many milliseconds; back, below zero."""

    ms: int


class NoticeGiven(TournamentEvent):
    """Said to everybody."""

    text: str
    by: str


class PlayerBarred(DirectorsAct):
    """`table`, `sitting`: where the player sits, or leaves at the moment; 0 and empty: nowhere."""

    player: str
    entry: str
    table: Annotated[int, msgspec.Meta(ge=0, description="number of a table in its tournament; 0: none")] = 0
    sitting: str = ""


class PlayerExcluded(PlayerBarred):
    """Excluded from gambling: before the start refunded, after it away to the end, buys nothing more, keeps a prize
    (FP-16). Others win by it, for who sits is blinded off, and who is gone before the start plays for no guarantee:
    nobody is credited what is won until another person has confirmed it."""


class ExclusionConfirmed(DirectorsAct):
    """By another person: what is held follows when nobody else is waited for (FP-16)."""

    player: str


class PlayerDisqualified(PlayerBarred):
    """Out after the hand, with chips that leave play (FP-16)."""


class PrizesWithheld(TournamentMoney):
    """Stays in the accounts until a second person has decided about every disqualification: what the disqualified have
    won, and what others win meanwhile. A ticket is held as what it is worth, under its name (FP-16)."""

    credits: Annotated[list[Credit], msgspec.Meta(min_length=1)]


class PrizeReleased(DirectorsAct):
    """The disqualification does not stand: the place at which the player was put out counts like any other. What is
    held follows when no other disqualification is open (FP-16)."""

    player: str


class DisqualificationFinal(DirectorsAct):
    """Prize and own bounty are refused to the player for good; the credits to others follow, at the tournament's end
    (FP-16)."""

    player: str


class MoveOrdered(DirectorsAct):
    """By the staff: as soon as the table is between two hands (48)."""

    entry: str
    player: str
    to_table: Annotated[int, msgspec.Meta(ge=1, description="number of a table in its tournament")]


class LanguageChosen(TournamentEvent):
    """In which a player reads the specific rules from now on (60)."""

    player: str
    language: str


class ComplaintOpened(TournamentEvent):
    """With the rules in force, and the hand whose record it is about (55)."""

    complaint: str
    player: str
    text: str
    table: Annotated[int, msgspec.Meta(ge=0, description="number of a table in its tournament; 0: no hand is meant")]
    hand: Annotated[int, msgspec.Meta(ge=0)]
    rulebook: str
    """Of the game; its version in force is in the record of the hand."""
    rules: str
    """SHA-256 of the specific rules' Portuguese text."""
    language: str
    """In which the player reads them."""
    chosen_at: int
    """When that was chosen, milliseconds since the epoch; 0: never, it is Portuguese."""


class ComplaintDecided(DirectorsAct):
    """The Portuguese text decides (60)."""

    complaint: str
    player: str
    upheld: bool
    rules: str
    """SHA-256 of the Portuguese text by which it was decided."""


class FeesEarned(TournamentMoney):
    """The fees that are nobody's refund go to the house, at the end or the cancellation (22)."""

    rulebook: str
    amount: Money


class TournamentStarted(TournamentEvent):
    """The scheduled hour has come, or the last seat is taken, with enough players. No way back (FP-20)."""

    entries: Annotated[int, msgspec.Meta(ge=2)]
