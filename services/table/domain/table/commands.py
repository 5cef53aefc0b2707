"""What can be asked of a table. Fields as in the public contract, and who asks: the envelope's principal."""

from typing import Any, ClassVar, Literal

import msgspec

PrincipalKind = Literal["player", "staff", "policy", "timer", "operator", "tournament"]
STAFF: tuple[PrincipalKind, ...] = ("staff", "operator")
ORGANISER: tuple[PrincipalKind, ...] = ("tournament",)
"""A tournament at its own tables; its id is the principal's."""


class Command(msgspec.Struct, frozen=True, kw_only=True):
    may_ask: ClassVar[tuple[PrincipalKind, ...]] = ()
    """Kinds of principal from whom it is taken at all."""
    draws: ClassVar[bool] = False
    """Needs fresh entropy: it starts a round, or draws lots."""
    only_while_open: ClassVar[bool] = False
    """Refused once the table is closing."""
    principal_kind: PrincipalKind
    principal_id: str


class OpenTable(Command, frozen=True, kw_only=True):
    may_ask = STAFF
    name: str
    rulebook: str
    configuration: dict[str, Any]
    bank: int = 0
    """What the treasury puts into the table's bank, in a game against the house."""
    risk_limit: int | None = None
    """The most that the house is ready to lose in one round; None: all of the bank."""


class ChangeConfiguration(Command, frozen=True, kw_only=True):
    may_ask = (*STAFF, *ORGANISER)
    only_while_open = True
    configuration: dict[str, Any]


class CloseTable(Command, frozen=True, kw_only=True):
    may_ask = STAFF
    only_while_open = True
    reason: str


class PauseTable(Command, frozen=True, kw_only=True):
    may_ask = (*STAFF, *ORGANISER)
    only_while_open = True
    reason: str


class ResumeTable(Command, frozen=True, kw_only=True):
    may_ask = (*STAFF, *ORGANISER)
    only_while_open = True


class TakeSeat(Command, frozen=True, kw_only=True):
    may_ask = ("player",)
    only_while_open = True
    reservation: str
    amount: int
    seat: int | None = None


class ConfirmSeat(Command, frozen=True, kw_only=True):
    may_ask = ("policy",)
    reservation: str


class ReleaseSeat(Command, frozen=True, kw_only=True):
    may_ask = ("policy", "player")
    reservation: str
    reason: Literal["hold_refused", "cancelled"]


class RequestTopUp(Command, frozen=True, kw_only=True):
    may_ask = ("player",)
    only_while_open = True
    top_up: str
    amount: int


class ConfirmTopUp(Command, frozen=True, kw_only=True):
    may_ask = ("policy",)
    top_up: str


class FailTopUp(Command, frozen=True, kw_only=True):
    may_ask = ("policy",)
    top_up: str


class SitOut(Command, frozen=True, kw_only=True):
    may_ask = ("player",)
    on_break: bool = False


class SitIn(Command, frozen=True, kw_only=True):
    may_ask = ("player",)
    post_big_blind: bool = False


class LeaveTable(Command, frozen=True, kw_only=True):
    may_ask = ("player",)


class ReportConnection(Command, frozen=True, kw_only=True):
    """What the gateway sees of a seated player's connection."""

    may_ask = ("policy",)
    player: str
    connected: bool


class RemovePlayer(Command, frozen=True, kw_only=True):
    may_ask = STAFF
    player: str
    reason: str


class VoidRound(Command, frozen=True, kw_only=True):
    """A round of a game against the house that can't be finished."""

    may_ask = STAFF
    round: int
    cause: str


class WakeTable(Command, frozen=True, kw_only=True):
    may_ask = ("timer",)
    draws = True
    due: int
    outage: bool = False
    down_since: int | None = None


TableCommand = Command
"""Also those of the games: `domain/games/<game>/commands.py`."""
