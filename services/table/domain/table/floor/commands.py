"""What can be asked around the play."""

from typing import Literal

from services.table.domain.table.commands import STAFF, Command


class SendMessage(Command, frozen=True, kw_only=True):
    """`sealed` was closed by the gateway; `names_cards` is what the gateway saw in it."""

    may_ask = ("player",)
    message: str
    sealed: str
    names_cards: bool = False


class WarnPlayer(Command, frozen=True, kw_only=True):
    """`grave`: out without further warnings (pt-217-2007 58)."""

    may_ask = STAFF
    player: str
    rule: str
    cause: str
    grave: bool = False


class MutePlayer(Command, frozen=True, kw_only=True):
    may_ask = STAFF
    player: str
    cause: str


class JoinWaitingList(Command, frozen=True, kw_only=True):
    may_ask = ("player",)
    only_while_open = True
    entry: str


class LeaveWaitingList(Command, frozen=True, kw_only=True):
    may_ask = ("player",)


class AskSeatChange(Command, frozen=True, kw_only=True):
    """To a free seat only, when one is there; no seat named: any."""

    may_ask = ("player",)
    only_while_open = True
    entry: str
    seat: int | None = None


class DrawSeats(Command, frozen=True, kw_only=True):
    may_ask = STAFF
    draws = True
    only_while_open = True


class DrawTables(Command, frozen=True, kw_only=True):
    """Among this table and others, everybody on this table's list."""

    may_ask = STAFF
    draws = True
    only_while_open = True
    tables: list[str]


class AssignPlaces(Command, frozen=True, kw_only=True):
    may_ask = ("policy", *STAFF)
    players: list[str]
    suits: list[Literal["s", "h", "d", "c"]]
    tables: list[str]
    drawn_at: str


class AskTableChange(Command, frozen=True, kw_only=True):
    """`players_there` is what the house sees at the other table."""

    may_ask = ("player",)
    to_table: str
    players_there: int


class AskFavour(Command, frozen=True, kw_only=True):
    """What no table grants: there is no command that would do it, and the answer names the rule."""

    may_ask = ("player",)
    favour: Literal["split_pot", "move_chips", "take_chips_off", "swap_seats"]


class TipDealer(Command, frozen=True, kw_only=True):
    may_ask = ("player",)
    amount: int
