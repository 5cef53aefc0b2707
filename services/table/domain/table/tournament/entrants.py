"""Entrants sit down with chips and go without them, or with them to another table; never home (mo-97-2010 4.2)."""

from libs.decider import Rejected
from services.table.domain.table.rejections import Reason as AtTable
from services.table.domain.table.rejections import rejected
from services.table.domain.table.seating import free_seats
from services.table.domain.table.state import Sitter, Table
from services.table.domain.table.story import AnyStory
from services.table.domain.table.tournament.commands import EliminateEntrant, MoveEntrant, SeatEntrant
from services.table.domain.table.tournament.events import EntrantEliminated, EntrantMoved, EntrantSeated
from services.table.domain.table.tournament.rejections import Reason


def seat_entrant(command: SeatEntrant, story: AnyStory) -> Rejected | None:
    state, rules = story.state, story.rules
    if state.sitter_of(command.player) is not None:
        return rejected(AtTable.ALREADY_SEATED, rules)
    if command.reservation in state.used_ids:
        return rejected(AtTable.RESERVATION_USED, rules)
    if not 1 <= command.seat <= rules.played_seats:
        return rejected(AtTable.NO_SUCH_SEAT, rules)
    if command.seat not in free_seats(state):
        return rejected(AtTable.SEAT_TAKEN, rules)

    story.tell(
        EntrantSeated(
            at=story.now,
            table=story.table,
            tournament=rules.tournament,
            reservation=command.reservation,
            player=command.player,
            seat=command.seat,
            chips=command.chips,
        )
    )
    story.game.seats_changed(story)
    return None


def eliminate_entrant(command: EliminateEntrant, story: AnyStory) -> Rejected | None:
    entrant = _entrant(story.state, command.reservation)
    if entrant is None:
        return rejected(AtTable.NOT_SEATED, story.rules)
    if _plays(story.state, entrant):
        return rejected(AtTable.ROUND_RUNS, story.rules)
    if entrant.stack:
        return rejected(Reason.HAS_CHIPS, story.rules)

    story.tell(
        EntrantEliminated(
            at=story.now,
            table=story.table,
            tournament=story.rules.tournament,
            reservation=entrant.reservation,
            player=entrant.player,
            seat=entrant.seat,
        )
    )
    story.game.seats_changed(story)
    return None


def move_entrant(command: MoveEntrant, story: AnyStory) -> Rejected | None:
    """Between hands, or who was not dealt in; to be sure of it the tournament pauses the table first."""
    entrant = _entrant(story.state, command.reservation)
    if entrant is None:
        return rejected(AtTable.NOT_SEATED, story.rules)
    if _plays(story.state, entrant):
        return rejected(AtTable.ROUND_RUNS, story.rules)

    story.tell(
        EntrantMoved(
            at=story.now,
            table=story.table,
            tournament=story.rules.tournament,
            reservation=entrant.reservation,
            player=entrant.player,
            seat=entrant.seat,
            chips=entrant.stack,
            to_table=command.to_table,
        )
    )
    story.game.seats_changed(story)
    return None


def _entrant(state: Table, reservation: str) -> Sitter | None:
    return next((sitter for sitter in state.seats.values() if sitter.reservation == reservation), None)


def _plays(state: Table, entrant: Sitter) -> bool:
    """Folded or not: what was bet comes back if the hand is void."""
    return entrant.seat in state.seats_in_round
