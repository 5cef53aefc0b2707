"""Commands that the table service takes. Stream = table id. The principal stands in the envelope, never in the body.

Limits here are what makes a command well formed; what the rules of the game refuse is the decider's matter.
"""

from typing import Annotated, Any, Literal

from pydantic import Field

from libs.cards.games import Variant
from libs.contracts.messages import Message

MAX_AMOUNT = 10**15
"""Well-formed amounts end here (minor units), far above any table and far below 2**63."""

Amount = Annotated[int, Field(ge=1, le=MAX_AMOUNT)]
Id = Annotated[str, Field(min_length=1, max_length=64, pattern=r"^[A-Za-z0-9][A-Za-z0-9._:-]*$")]
SeatNumber = Annotated[int, Field(ge=1, le=11)]
HandNumber = Annotated[int, Field(ge=1)]


class OpenTable(Message):
    """Staff. `configuration` fills the rulebook; a missing or wrong value is refused by name (pt-811-2015 14, 17)."""

    name: str = Field(min_length=1, max_length=80)
    rulebook: Id
    configuration: dict[str, Any]
    bank: int = Field(default=0, ge=0, le=MAX_AMOUNT, description="what the treasury puts into the table's bank")
    risk_limit: int | None = Field(
        default=None, ge=0, le=MAX_AMOUNT, description="the most the house may lose in one round; none: all of the bank"
    )


class ChangeConfiguration(Message):
    """Staff. A newer version of the whole configuration, in force from the next hand on (pt-811-2015 enact.3, 17)."""

    configuration: dict[str, Any]


class CloseTable(Message):
    reason: str = Field(min_length=1, max_length=200)


class PauseTable(Message):
    reason: str = Field(min_length=1, max_length=200)


class ResumeTable(Message):
    pass


class TakeSeat(Message):
    """Player. No seat named: the first free one. `reservation` is the sitting's id, chosen by the gateway."""

    reservation: Id
    seat: SeatNumber | None = None
    amount: Amount


class ConfirmSeat(Message):
    """Policy, after `FundsHeld`."""

    reservation: Id


class ReleaseSeat(Message):
    """Policy, after `HoldRefused`, or the player before the hold is made."""

    reservation: Id
    reason: Literal["hold_refused", "cancelled"]


class RequestTopUp(Message):
    top_up: Id
    amount: Amount


class ConfirmTopUp(Message):
    """Policy, after `FundsHeld`."""

    top_up: Id


class FailTopUp(Message):
    """Policy, after `HoldRefused`."""

    top_up: Id


class SitOut(Message):
    """Player. `on_break` asks for the break of rule 68, with its time limit."""

    on_break: bool = False


class SitIn(Message):
    """Player. `post_big_blind`: come in at once by freely posting a live big blind (pt-811-2015 21)."""

    post_big_blind: bool = False


class LeaveTable(Message):
    pass


class ReportConnection(Message):
    """Policy: what the gateway sees of a seated player's connection; no clock stops (pt-803-2015-no-draw 34 to 36)."""

    player: Id
    connected: bool


class RemovePlayer(Message):
    """Staff: takes effect at the latest after the running hand (pt-811-2015 11.g)."""

    player: Id
    reason: str = Field(min_length=1, max_length=200)


class Act(Message):
    """Player. `turn` is the version of the `DecisionAwaited` answered; `to` is the total of the betting round."""

    hand: HandNumber
    seat: SeatNumber
    turn: Annotated[int, Field(ge=1)] | None = None
    act: Literal["fold", "check", "call", "bet", "raise"]
    to: Amount | None = None


class ChooseVariant(Message):
    """Player with the lead at a mixed table, between hands (pt-217-2007 23)."""

    variant: Variant


class CorrectDeal(Message):
    """Staff: a deal that does not go by the rule is put right before anybody decides on it (mo-97-2010 9.1)."""

    hand: HandNumber
    cause: str = Field(min_length=1, max_length=200)


class VoidHand(Message):
    """Staff, when a hand can't go on (pt-811-2015 72)."""

    hand: HandNumber
    cause: str = Field(min_length=1, max_length=200)


class WakeTable(Message):
    """Timer: something that was due at `due` may be done now. A table that has moved on answers with nothing to do.

    `outage`: the house itself was down when it was due, so that nobody's time has run out (pt-811-2015 45).
    """

    due: int = Field(ge=0)
    outage: bool = False
    down_since: Annotated[int, Field(ge=0)] | None = None


TABLE_COMMANDS: tuple[type[Message], ...] = (
    OpenTable, ChangeConfiguration,
    CloseTable, PauseTable, ResumeTable, TakeSeat, ConfirmSeat, ReleaseSeat, RequestTopUp, ConfirmTopUp,
    FailTopUp, SitOut, SitIn, LeaveTable, RemovePlayer, ReportConnection, Act, ChooseVariant, CorrectDeal, VoidHand,
    WakeTable,
)  # fmt: skip
