"""What can be asked of a table. Fields as in the public contract, and who asks: the envelope's principal."""

from typing import Any, Literal

import msgspec

PrincipalKind = Literal["player", "staff", "policy", "timer", "operator"]


class Command(msgspec.Struct, frozen=True, kw_only=True):
    principal_kind: PrincipalKind
    principal_id: str


class OpenTable(Command, frozen=True, kw_only=True):
    name: str
    rulebook: str
    configuration: dict[str, Any]


class ChangeConfiguration(Command, frozen=True, kw_only=True):
    configuration: dict[str, Any]


class CloseTable(Command, frozen=True, kw_only=True):
    reason: str


class PauseTable(Command, frozen=True, kw_only=True):
    reason: str


class ResumeTable(Command, frozen=True, kw_only=True):
    pass


class TakeSeat(Command, frozen=True, kw_only=True):
    reservation: str
    amount: int
    seat: int | None = None


class ConfirmSeat(Command, frozen=True, kw_only=True):
    reservation: str


class ReleaseSeat(Command, frozen=True, kw_only=True):
    reservation: str
    reason: Literal["hold_refused", "cancelled"]


class RequestTopUp(Command, frozen=True, kw_only=True):
    top_up: str
    amount: int


class ConfirmTopUp(Command, frozen=True, kw_only=True):
    top_up: str


class FailTopUp(Command, frozen=True, kw_only=True):
    top_up: str


class SitOut(Command, frozen=True, kw_only=True):
    on_break: bool = False


class SitIn(Command, frozen=True, kw_only=True):
    post_big_blind: bool = False


class LeaveTable(Command, frozen=True, kw_only=True):
    pass


class RemovePlayer(Command, frozen=True, kw_only=True):
    player: str
    reason: str


class Act(Command, frozen=True, kw_only=True):
    hand: int
    seat: int
    act: Literal["fold", "check", "call", "bet", "raise"]
    turn: int | None = None
    to: int | None = None


class VoidHand(Command, frozen=True, kw_only=True):
    hand: int
    cause: str


class WakeTable(Command, frozen=True, kw_only=True):
    due: int
    outage: bool = False


TableCommand = (
    OpenTable | ChangeConfiguration
    | CloseTable | PauseTable | ResumeTable | TakeSeat | ConfirmSeat | ReleaseSeat | RequestTopUp
    | ConfirmTopUp | FailTopUp | SitOut | SitIn | LeaveTable | RemovePlayer | Act | VoidHand | WakeTable
)  # fmt: skip
