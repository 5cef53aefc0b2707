"""Commands around the play at any table: lists, draws, conduct, messages, tips. Stream = table id."""

from typing import Annotated, Literal

from pydantic import Field

from libs.contracts.messages import Message
from libs.contracts.table_commands import Amount, Id, SeatNumber

Sealed = Annotated[str, Field(min_length=1, max_length=4096, pattern=r"^[A-Za-z0-9+/=]+$")]
Words = Annotated[str, Field(min_length=1, max_length=200)]
Suit = Literal["s", "h", "d", "c"]


class SendMessage(Message):
    """Player. `sealed` is base64 of what the gateway closed; `names_cards`: it looked like cards to it."""

    message: Id
    sealed: Sealed
    names_cards: bool = False


class WarnPlayer(Message):
    """Staff: a measure on record, with the rule that was broken (pt-811-2015 11.g; pt-217-2007 58)."""

    player: Id
    rule: str = Field(min_length=1, max_length=16)
    cause: Words
    grave: bool = False


class MutePlayer(Message):
    """Staff: no more messages at this table."""

    player: Id
    cause: Words


class JoinWaitingList(Message):
    """Player: for a seat, now or when the table begins (pt-217-2007 8.a; pt-811-2015 6.b)."""

    entry: Id


class LeaveWaitingList(Message):
    pass


class AskSeatChange(Message):
    """Player: to a seat that is or becomes free (pt-217-2007 12.a)."""

    entry: Id
    seat: SeatNumber | None = None


class DrawSeats(Message):
    """Staff: by lot, among who is on the list (pt-217-2007 11, 27)."""


class DrawTables(Message):
    """Staff: this table's list among this table and others, by suits (pt-217-2007 25)."""

    tables: list[Id] = Field(min_length=1, max_length=3)


class AssignPlaces(Message):
    """Policy: the other tables hear of a draw of tables."""

    players: list[Id] = Field(max_length=52)
    suits: list[Suit] = Field(max_length=52)
    tables: list[Id] = Field(max_length=52)
    drawn_at: Id


class AskTableChange(Message):
    """Player, in session mode (pt-217-2007 26). `players_there` is what the gateway sees at the other table."""

    to_table: Id
    players_there: int = Field(ge=0, le=11)


class AskFavour(Message):
    """Player: what no table grants. The answer names the rule (pt-217-2007 14.c, 14.f, 14.g, 14.k)."""

    favour: Literal["split_pot", "move_chips", "take_chips_off", "swap_seats"]


class TipDealer(Message):
    """Player, between hands (pt-217-2007 9.d)."""

    amount: Amount


FLOOR_COMMANDS: tuple[type[Message], ...] = (
    SendMessage, WarnPlayer, MutePlayer, JoinWaitingList, LeaveWaitingList, AskSeatChange, DrawSeats, DrawTables,
    AssignPlaces, AskTableChange, AskFavour, TipDealer,
)  # fmt: skip
