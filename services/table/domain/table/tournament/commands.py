"""What a tournament asks of its tables. The principal is the tournament itself; nobody else may ask any of it."""

from typing import Any

from services.table.domain.table.commands import ORGANISER, Command


class OpenTournamentTable(Command, frozen=True, kw_only=True):
    """`configuration` fills the rulebook without anything of money or of cash seats."""

    may_ask = ORGANISER
    name: str
    rulebook: str
    configuration: dict[str, Any]


class SeatEntrant(Command, frozen=True, kw_only=True):
    """At the start, late, or from another table with `chips`; `reservation` names the sitting, once for ever."""

    may_ask = ORGANISER
    only_while_open = True
    reservation: str
    player: str
    seat: int
    chips: int


class EliminateEntrant(Command, frozen=True, kw_only=True):
    """All chips are lost, and there is no rebuy."""

    may_ask = ORGANISER
    reservation: str


class MoveEntrant(Command, frozen=True, kw_only=True):
    """To another table of the tournament, with all chips; that table is asked apart."""

    may_ask = ORGANISER
    reservation: str
    to_table: str


class EndTournament(Command, frozen=True, kw_only=True):
    """At this table: the running hand is the last one, then everybody is taken off and the table closed."""

    may_ask = ORGANISER
    only_while_open = True
    reason: str
