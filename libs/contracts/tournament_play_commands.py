"""What a tournament hears from its tables: consequences of their public events."""

from typing import Annotated

import msgspec

from libs.contracts.commands import SeatNumber
from libs.contracts.facts import MAX_NUMBER, Part, When
from libs.contracts.texts import Id
from libs.contracts.tournament_events import Absence
from libs.contracts.tournaments import Chips
from libs.contracts.tournaments_commands import ConsequenceCommand

Number = Annotated[int, msgspec.Meta(ge=1, le=MAX_NUMBER)]
Seats = Annotated[list[SeatNumber], msgspec.Meta(max_length=11)]


class HearDeal(ConsequenceCommand):
    """After `HandStarted` at one of its tables."""

    example = {"table": 1, "hand": 12, "button": 4, "began": 1_768_162_000_000}
    table: Number
    hand: Number
    button: SeatNumber
    began: When
    """By the table's clock."""


class StackHeard(Part):
    sitting: Id
    before: Chips
    chips: Chips


class HearHand(ConsequenceCommand):
    """After `HandEnded` or `HandVoided` at one of its tables."""

    example = {"table": 1, "hand": 12, "stacks": [{"sitting": "1.1", "before": 10_000, "chips": 0}]}
    table: Number
    hand: Number
    stacks: Annotated[list[StackHeard], msgspec.Meta(max_length=11)]
    """Of who was dealt in; none where the hand is void."""
    void: bool = False


class HearPot(ConsequenceCommand):
    """After `PotAwarded`, where several had chips in it."""

    example = {"table": 1, "hand": 12, "seats": [1, 4], "winners": [4]}
    table: Number
    hand: Number
    seats: Seats
    winners: Seats


class HearAbsence(ConsequenceCommand):
    """After `PlayerSatOut` or `PlayerSatIn` at one of its tables."""

    example = {"player": "alice", "away": "not_connected"}
    player: Id
    away: Absence


class HearStandstill(ConsequenceCommand):
    """After `TableStood`: a hand waited for the house."""

    example = {"since": 1_768_161_600_000, "until": 1_768_161_608_000}
    since: When
    until: When


class HearDisqualified(ConsequenceCommand):
    """After `EntrantDisqualified`: off the table."""

    example = {"sitting": "1.1", "chips": 10_000}
    sitting: Id
    chips: Chips


class HearMove(ConsequenceCommand):
    """After `EntrantMoved`: off one table, not yet at the other. Or after `EntrantFinished`: the table is closed."""

    example = {"sitting": "1.1", "chips": 10_000}
    sitting: Id
    chips: Chips
