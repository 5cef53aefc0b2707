"""The table's half of a tournament: entrants, their chips, and who alone may seat them and take them off.

What a tournament table takes, and from whom: what is not named is refused, so no new command opens a way for chips.
"""

from collections.abc import Mapping
from typing import Any

from libs.contracts import bank_commands as bank
from libs.contracts import conduct_commands as conduct
from libs.contracts import draw_commands as draws
from libs.contracts import table_commands as at
from libs.contracts import waiting_list_commands as waiting
from libs.contracts.commands import TableCommand
from libs.contracts.facts import taken
from libs.contracts.table_commands import TableReason as AtTable
from libs.contracts.tournament_commands import (
    AddChips,
    AllowHands,
    BarEntrant,
    EliminateEntrant,
    MoveEntrant,
    SeatEntrant,
)
from libs.contracts.tournament_commands import TournamentReason as Reason
from libs.contracts.tournament_events import (
    EntrantBarred,
    EntrantChipsAdded,
    EntrantChipsDue,
    EntrantDisqualified,
    EntrantEliminated,
    EntrantEvent,
    EntrantMoved,
    EntrantSeated,
    HandsAllowed,
)
from libs.decider import Rejected
from services.table.domain.table.rejections import rejected
from services.table.domain.table.state import Sitter
from services.table.domain.table.story import AnyStory

_TAKEN: frozenset[type[TableCommand]] = frozenset(
    {
        at.WakeTable, at.SitOut, at.SitIn, at.ReportConnection, conduct.SendMessage, conduct.AskFavour,
    }
)  # fmt: skip
"""Beside those of the game. No chip moves by any of them, and no favour is ever granted."""
_TAKEN_OF_PEOPLE: frozenset[type[TableCommand]] = frozenset({at.ResumeTable, conduct.WarnPlayer, conduct.MutePlayer})
"""Of the house's own staff and of no platform, which has friends among the players. A table that the house itself has
paused goes on by them; a pause is asked of the tournament, for all its tables and on its trail (pt-810-2015 FP-14)."""
_MONEY: tuple[type[TableCommand], ...] = (
    at.TakeSeat, at.ConfirmSeat, at.ReleaseSeat, at.RequestTopUp, at.ConfirmTopUp, at.FailTopUp,
    bank.RequestBankChange, bank.ApproveBankChange, bank.DeclineBankChange,
)  # fmt: skip
_SEATS: tuple[type[TableCommand], ...] = (
    at.ChangeConfiguration, at.ApproveConfiguration, at.DeclineConfiguration, at.PauseTable,
    *_TAKEN_OF_PEOPLE,
    waiting.JoinWaitingList, waiting.LeaveWaitingList, waiting.AskSeatChange,
    draws.AskTableChange, draws.DrawSeats, draws.DrawTables, draws.AssignPlaces,
)  # fmt: skip
_WHY: Mapping[type[TableCommand], Reason] = {
    **dict.fromkeys(_MONEY, Reason.NO_MONEY_IN_TOURNAMENT),
    **dict.fromkeys(_SEATS, Reason.ORGANISERS_MATTER),
}
"""Anything else would let chips off the table (mo-97-2010 4.2)."""


def refuse_in_tournament(command: TableCommand, story: AnyStory) -> Rejected | None:
    """Asked of every command at a tournament table, and of a tournament's at any table."""
    rules = story.rules
    if not rules.tournament:
        return rejected(Reason.NOT_A_TOURNAMENT_TABLE, rules)
    if story.role == "tournament":
        other = story.by != rules.tournament
        return rejected(Reason.OTHER_TOURNAMENT, rules) if other else None
    kind = type(command)
    asks = story.state.sitter_of(story.by) if story.role == "player" else None
    if kind is at.SitIn and asks is not None and asks.barred is not None:
        return rejected(Reason.BARRED, rules)
    if kind in _TAKEN or kind in story.game.commands or (kind in _TAKEN_OF_PEOPLE and story.role == "staff"):
        return None
    return rejected(_WHY.get(kind, Reason.CHIPS_STAY), rules)


def seat_entrant(command: SeatEntrant, story: AnyStory) -> Rejected | None:
    """Entrants sit down with chips and go without them, or with them to another table; never home (mo-97-2010 4.2)."""
    state, rules = story.state, story.rules
    if state.sitter_of(command.player) is not None:
        return rejected(AtTable.ALREADY_SEATED, rules)
    if command.reservation in state.used_ids:
        return rejected(AtTable.RESERVATION_USED, rules)
    if not 1 <= command.seat <= rules.played_seats:
        return rejected(AtTable.NO_SUCH_SEAT, rules)
    if command.seat not in state.free_seats:
        return rejected(AtTable.SEAT_TAKEN, rules)
    _tell(story, EntrantSeated, command)
    return None


def allow_hands(command: AllowHands, story: AnyStory) -> None:
    story.tell(taken(HandsAllowed, command, tournament=story.rules.tournament))


def add_chips(command: AddChips, story: AnyStory) -> Rejected | None:
    """pt-810-2015 FP-2, FP-3: never to a stack that plays."""
    if command.payment in story.state.used_ids:
        return rejected(AtTable.RESERVATION_USED, story.rules)
    entrant = _entrant(story, command.reservation)
    if entrant is None:
        return rejected(AtTable.NOT_SEATED, story.rules)
    _tell(story, EntrantChipsDue, entrant, payment=command.payment, chips=command.chips)
    add_bought(story)
    return None


def add_bought(story: AnyStory) -> None:
    """To everybody whom no running hand has a claim on."""
    for seat, entrant in sorted(story.state.seats.items()):
        for payment, chips in () if seat in story.state.seats_in_round else entrant.bought:
            stack = story.state.seats[seat].stack + chips
            _tell(story, EntrantChipsAdded, entrant, payment=payment, chips=chips, stack=stack)


def eliminate_entrant(command: EliminateEntrant, story: AnyStory) -> Rejected | None:
    entrant = _between_hands(story, command.reservation)
    if isinstance(entrant, Rejected):
        return entrant
    if entrant.stack or entrant.bought:
        return rejected(Reason.HAS_CHIPS, story.rules)
    _tell(story, EntrantEliminated, entrant)
    return None


def move_entrant(command: MoveEntrant, story: AnyStory) -> Rejected | None:
    """Between hands, or who was not dealt in; to be sure of it the tournament pauses the table first."""
    entrant = _between_hands(story, command.reservation)
    if isinstance(entrant, Rejected):
        return entrant
    _tell(story, EntrantMoved, entrant, chips=entrant.stack, to_table=command.to_table)
    return None


def bar_entrant(command: BarEntrant, story: AnyStory) -> Rejected | None:
    """pt-810-2015 FP-16: who is disqualified is folded. Who is excluded is absent (27), and has the time to decide that
    an absent player has in the hand in progress: one person's word would else say who wins the pot."""
    entrant = _entrant(story, command.reservation)
    if entrant is None:
        return rejected(AtTable.NOT_SEATED, story.rules)
    if entrant.barred not in (command.why, "disqualified"):
        plays_on = command.why == "excluded" and story.state.is_bound(entrant) and not entrant.away
        _tell(story, EntrantBarred, entrant, why=command.why, after_hand=story.state.rounds if plays_on else None)
    take_off_disqualified(story)
    return None


def take_off_disqualified(story: AnyStory) -> None:
    """Whom no running hand has a claim on."""
    for seat, entrant in sorted(story.state.seats.items()):
        if entrant.barred == "disqualified" and seat not in story.state.seats_in_round:
            _tell(story, EntrantDisqualified, entrant, chips=entrant.stack)


def _tell(story: AnyStory, kind: type[EntrantEvent], who: SeatEntrant | Sitter, **more: Any) -> None:
    story.tell(taken(kind, who, tournament=story.rules.tournament, **more))
    story.game.seats_changed(story)


def _between_hands(story: AnyStory, reservation: str) -> Sitter | Rejected:
    """The entrant, whom no running hand has a claim on: what was bet comes back if it is void, folded or not."""
    entrant = _entrant(story, reservation)
    if entrant is None:
        return rejected(AtTable.NOT_SEATED, story.rules)
    runs = entrant.seat in story.state.seats_in_round
    return rejected(AtTable.ROUND_RUNS, story.rules) if runs else entrant


def _entrant(story: AnyStory, reservation: str) -> Sitter | None:
    return next((each for each in story.state.seats.values() if each.reservation == reservation), None)
