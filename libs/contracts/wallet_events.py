"""Events of accounts. Each carries the figures after it, so that nobody computes them twice.

`available` and `reserved` are minor units and never below zero. `by` names the principal of a movement (ACC-2).
"""

from typing import Literal

from libs.contracts.facts import Chips, Moment, WalletEvent

SignalKind = Literal["device", "address", "payment", "program"]
"""What may be reported of an account; all but a program come as digests."""
TournamentCredit = Literal["refund", "prize", "bounty", "conversion"]
"""Why money comes home from a tournament."""
CashPurpose = Literal["deposit", "withdrawal"]
Refusal = Literal["insufficient_funds"]
INSUFFICIENT_FUNDS: Refusal = "insufficient_funds"


class AccountOpened(WalletEvent):
    """An account of one player in one currency."""

    kind: Literal["real", "demo"]
    by: str


class ReferenceClaimed(WalletEvent):
    """An operator's reference is used from here on for this account, purpose and amount; no money has moved yet."""

    reference: str
    purpose: Literal["deposit", "withdrawal", "signal"]
    amount: Chips
    by: str


class CashCounted(WalletEvent):
    """A person is about to move real money alone, within what one may on one day (UTC). No money has moved yet."""

    reference: str
    purpose: CashPurpose
    amount: Chips
    moved: Chips
    """By this person alone on this day in this currency, this one included."""
    at: Moment
    by: str


class CashRequested(WalletEvent):
    """A deposit or withdrawal of more than one person may move alone; nothing moves before another one approves."""

    reference: str
    purpose: CashPurpose
    amount: Chips
    by: str


class CashDeclined(WalletEvent):
    """One of the staff declined what waited: nothing moves, and the reference is used up."""

    reference: str
    purpose: CashPurpose
    amount: Chips
    requested_by: str
    by: str
    reason: str


class FundsMoved(WalletEvent):
    """Money in or out; the platform's `reference` counts once."""

    reference: str
    amount: Chips
    available: Chips
    by: str
    requested_by: str = ""
    """Who asked for what `by` approved; empty where one was enough."""


class FundsDeposited(FundsMoved):
    """Money came in from the platform."""

    reserved: Chips


class FundsWithdrawn(FundsMoved):
    """Money went out to the platform."""

    reserved: Chips


class WithdrawalRefused(FundsMoved):
    """The reference is used up by it: a repetition never pays out later."""

    reason: Refusal


class ReserveEvent(WalletEvent):
    """Of funds reserved for a seat or a top-up."""

    reserve: str
    sitting: str
    table: str
    amount: Chips
    available: Chips


class FundsReserved(ReserveEvent):
    """Funds are reserved for a seat or a top-up."""

    reserved: Chips


class ReserveRefused(ReserveEvent):
    """Final for this reserve id: the table gives the seat or the top-up up."""

    reason: Refusal


class FundsReleased(ReserveEvent):
    """Reserved funds are free again; nothing was played with them."""

    reserved: Chips
    reason: str
    covered: bool = False
    """By the table's escrow; false of play money, and of what was released before there were escrows."""


class HomeAsked(WalletEvent):
    """The table says that so much goes home: chips of this sitting, or a reserve that never became chips. No money
    moves: it comes once the table's escrow covers it."""

    sitting: str
    table: str
    amount: Chips
    settlement: str = ""
    """Of chips: as in `SittingSettled`."""
    reserve: str = ""
    """Which one never became chips; empty: these are chips."""
    reason: str = ""
    """Why it did not."""


class SittingSettled(WalletEvent):
    """The sitting is over: `brought` was reserved for it, `returned` came home; between them lie wins, losses, rake."""

    sitting: str
    table: str
    brought: Chips
    returned: Chips
    available: Chips
    reserved: Chips
    settlement: str = ""
    """Names a later settlement of the same sitting, which brings a refund home; its `brought` is zero."""
    covered: bool = False
    """By the table's escrow; false of play money, of nothing, and of what came home before there were escrows."""


class SittingsForgotten(WalletEvent):
    """What the account remembered of sittings that ended long ago it remembers no more; no money moves.

    What has ended since the last of these events, or ever, is kept until the next one and forgotten by it. An id from
    before `before` that the account does not remember is refused from here on, and so is one that tells no time.
    """

    at: Moment
    """When this was decided: what ends from here on outlives the next of these events."""
    before: Moment
    """Everything forgotten had an id from before this, and had ended by then. 0: nothing is forgotten yet."""


class ReferencesForgotten(WalletEvent):
    """Fees, payments and credits that the account was asked for long ago it remembers no more; no money moves.

    What it was asked for since the last of these events, or ever, is kept until the next one and forgotten by it. What
    answers an event of before `before` and is not remembered is refused from here on, and so is what does not say when
    that was. Nothing is forgotten of which that is not known (`told_at`).
    """

    at: Moment
    """When this was decided: what is asked from here on outlives the next of these events."""
    before: Moment
    """Everything forgotten answered an event of before this. 0: nothing is forgotten yet."""


class Answer(WalletEvent):
    """Of what another event asked of the account, under a name that counts once."""

    told_at: Moment = 0
    """When that event was told. 0: not known; the name is remembered for ever."""


class FeeEvent(Answer):
    """Of a session's charge."""

    fee: str
    table: str
    amount: Chips
    available: Chips


class FeeCharged(FeeEvent):
    """A session's charge: from the player's free money to the house (pt-217-2007 7.b)."""

    rulebook: str
    reserved: Chips


class FeeRefused(FeeEvent):
    """The account had less than the fee: the player is not dealt in before it is paid."""

    reason: Refusal


class TournamentPaymentEvent(Answer):
    """Of what a tournament asks of a player: an entry, a rebuy, an add-on (pt-810-2015 21, 22)."""

    payment: str
    tournament: str
    amount: Chips
    available: Chips


class TournamentPaid(TournamentPaymentEvent):
    """Deducted at once: on its way into the tournament's accounts."""

    reserved: Chips


class TournamentPaymentRefused(TournamentPaymentEvent):
    """The account has less. Final for this payment."""

    reason: Refusal


class TournamentCredited(Answer):
    """A refund, a prize or a bounty has come home from a tournament."""

    credit: str
    tournament: str
    amount: Chips
    why: TournamentCredit
    available: Chips
    reserved: Chips
    covered: bool = False
    """By the tournament's pool; false in what was paid before there were pools."""


class SignalReported(WalletEvent):
    """Seen with the account (pt-811-2015 11.c, 11.f): `value` is a keyed digest, or a program's name. No money."""

    report: str
    kind: SignalKind
    value: str
    by: str
