"""Commands around the play at any table: lists, draws, conduct, messages, tips."""

from typing import Annotated, Literal

import msgspec

from libs.contracts.commands import PLAYER, POLICY, STAFF, Amount, Id, SeatNumber, TableCommand, Words

Sealed = Annotated[str, msgspec.Meta(min_length=1, max_length=4096, pattern=r"^[A-Za-z0-9+/=]+(?!\n)$")]
Suit = Literal["s", "h", "d", "c"]
_UpTo52 = msgspec.Meta(max_length=52)


class SendMessage(TableCommand):
    """What a player writes to the table; withheld until the hand is over, or blocked, as the table has it
    (pt-811-2015 11.d; pt-217-2007 14.j)."""

    may_ask = PLAYER
    example = {"message": "message-9", "sealed": "d2VsbCBwbGF5ZWQ="}
    message: Id
    sealed: Sealed
    """Base64 of what the gateway closed: no log can read it."""
    names_cards: bool = False
    """It looked like cards to the gateway."""


class WarnPlayer(TableCommand):
    """On record with who and why; at the table's limit the player leaves after the hand (pt-811-2015 11.g;
    pt-217-2007 58)."""

    may_ask = STAFF
    example = {"player": "alice", "rule": "14.j", "cause": "comments on a hand in progress"}
    player: Id
    rule: Annotated[str, msgspec.Meta(min_length=1, max_length=16)]
    """The rule that was broken."""
    cause: Words
    grave: bool = False
    """Out without further warnings (pt-217-2007 58)."""


class MutePlayer(TableCommand):
    """No more messages at this table."""

    may_ask = STAFF
    example = {"player": "alice", "cause": "insults"}
    player: Id
    cause: Words


class JoinWaitingList(TableCommand):
    """For a seat, now or when the table begins; seats are offered in the order of the list (pt-217-2007 8.a, 12.b;
    pt-811-2015 6.b)."""

    may_ask = PLAYER
    only_while_open = True
    example = {"entry": "entry-5"}
    entry: Id


class LeaveWaitingList(TableCommand):
    """Also gives up a seat that was offered."""

    may_ask = PLAYER


class AskSeatChange(TableCommand):
    """To a seat that is or becomes free; served before the waiting list, in the order of asking (pt-217-2007 12.a)."""

    may_ask = PLAYER
    only_while_open = True
    example = {"entry": "entry-6", "seat": 6}
    entry: Id
    seat: SeatNumber | None = None
    """Null: any."""


class DrawSeats(TableCommand):
    """By lot, among who is on the list (pt-217-2007 11, 27)."""

    may_ask = STAFF
    draws = True
    only_while_open = True


class DrawTables(TableCommand):
    """Everybody on this table's list, among this table and others, by suits (pt-217-2007 25)."""

    may_ask = STAFF
    draws = True
    only_while_open = True
    example = {"tables": ["table-2"]}
    tables: Annotated[list[Id], msgspec.Meta(min_length=1, max_length=3)]


class AssignPlaces(TableCommand):
    """The other tables hear of a draw of tables."""

    may_ask = (*POLICY, *STAFF)
    example = {
        "players": ["alice", "bob"],
        "suits": ["s", "h"],
        "tables": ["table-1", "table-2"],
        "drawn_at": "table-1",
    }
    players: Annotated[list[Id], _UpTo52]
    suits: Annotated[list[Suit], _UpTo52]
    tables: Annotated[list[Id], _UpTo52]
    drawn_at: Id


class AskTableChange(TableCommand):
    """To another table of a session, when all is lost (pt-217-2007 26)."""

    may_ask = PLAYER
    example = {"to_table": "table-2", "players_there": 4}
    to_table: Id
    players_there: Annotated[int, msgspec.Meta(ge=0, le=11)]
    """The house's own count at the other table."""


class AskFavour(TableCommand):
    """What no table grants: refused, on record, and the answer names the rule (pt-217-2007 14.c, 14.f, 14.g, 14.k)."""

    may_ask = PLAYER
    example = {"favour": "split_pot"}
    favour: Literal["split_pot", "move_chips", "take_chips_off", "swap_seats"]


class TipDealer(TableCommand):
    """Out of the stack, between hands; never part of a pot or of the commission (pt-217-2007 9.d)."""

    may_ask = PLAYER
    example = {"amount": 500}
    amount: Amount
