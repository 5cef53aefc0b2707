"""Entrants sit down with chips and go without them, or with them to another table; never home (mo-97-2010 4.2)."""

from libs.contracts.table_commands import TableReason as AtTable
from libs.contracts.tournament_commands import EliminateEntrant, MoveEntrant, SeatEntrant
from libs.contracts.tournament_commands import TournamentReason as Reason
from libs.contracts.tournament_events import EntrantEliminated, EntrantMoved, EntrantSeated
from libs.decider import Rejected
from services.table.domain.table.rejections import rejected
from services.table.domain.table.seating import free_seats
from services.table.domain.table.state import Sitter
from services.table.domain.table.story import AnyStory


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
    entrant = _between_hands(story, command.reservation)
    if isinstance(entrant, Rejected):
        return entrant
    if entrant.stack:
        return rejected(Reason.HAS_CHIPS, story.rules)

    story.tell(
        EntrantEliminated(
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
    entrant = _between_hands(story, command.reservation)
    if isinstance(entrant, Rejected):
        return entrant

    story.tell(
        EntrantMoved(
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


def _between_hands(story: AnyStory, reservation: str) -> Sitter | Rejected:
    """The entrant, whom no running hand has a claim on: what was bet comes back if it is void, folded or not."""
    entrant: Sitter | None = next(
        (sitter for sitter in story.state.seats.values() if sitter.reservation == reservation), None
    )
    if entrant is None:
        return rejected(AtTable.NOT_SEATED, story.rules)
    if entrant.seat in story.state.seats_in_round:
        return rejected(AtTable.ROUND_RUNS, story.rules)
    return entrant
