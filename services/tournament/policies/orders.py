"""What a tournament's own events ask of its tables, in its name. In order: a table opens before anybody sits there."""

from collections.abc import Sequence

from libs.contracts.commands import TableCommand, message_of
from libs.contracts.facts import TournamentEvent
from libs.contracts.messages import CommandMessage, Principal, PublicEvent, command_id_at
from libs.contracts.table_commands import ChangeConfiguration
from libs.contracts.tournament_commands import (
    AddChips,
    AllowHands,
    BarEntrant,
    EliminateEntrant,
    EndTournament,
    MoveEntrant,
    OpenTournamentTable,
    SeatEntrant,
)
from libs.contracts.tournament_events import Bar
from libs.contracts.tournament_play_events import (
    ChipsGranted,
    EntryEliminated,
    EntryMoves,
    EntrySeated,
    HandsHeld,
    HandsReleased,
    LevelBegan,
    OrdersRepeated,
    TableBroken,
    TableSetUp,
    TournamentCompleted,
)
from libs.contracts.tournament_tables import table_name
from libs.contracts.tournaments_events import (
    PlayerBarred,
    PlayerDisqualified,
    PlayerExcluded,
    TournamentPaused,
)
from libs.policies import Reactions

Asked = list[CommandMessage]


def when_table_set_up(event: PublicEvent, fact: TableSetUp) -> Asked:
    opening = OpenTournamentTable(name=f"Table {fact.table}", rulebook=fact.rulebook, configuration=fact.configuration)
    return _ask(event, fact, [(fact.table, opening), (fact.table, AllowHands(through=0))])


def when_entry_seated(event: PublicEvent, fact: EntrySeated) -> Asked:
    seat = SeatEntrant(reservation=fact.sitting, player=fact.player, seat=fact.seat, chips=fact.chips, away=fact.away)
    return _ask(event, fact, [(fact.table, seat)])


def when_chips_granted(event: PublicEvent, fact: ChipsGranted) -> Asked:
    more = AddChips(reservation=fact.sitting, payment=fact.payment, chips=fact.chips)
    return _ask(event, fact, [(fact.table, more)])


def when_entry_moves(event: PublicEvent, fact: EntryMoves) -> Asked:
    to_table = table_name(fact.tournament, fact.to_table)
    return _ask(event, fact, [(fact.table, MoveEntrant(reservation=fact.sitting, to_table=to_table))])


def when_entry_eliminated(event: PublicEvent, fact: EntryEliminated) -> Asked:
    """Who is disqualified has gone already."""
    gone = [(fact.table, EliminateEntrant(reservation=fact.sitting))]
    return _ask(event, fact, gone if not fact.disqualified else [])


def when_player_excluded(event: PublicEvent, fact: PlayerExcluded) -> Asked:
    return _bar(event, fact, "excluded")


def when_player_disqualified(event: PublicEvent, fact: PlayerDisqualified) -> Asked:
    return _bar(event, fact, "disqualified")


def _bar(event: PublicEvent, fact: PlayerBarred, why: Bar) -> Asked:
    bar = BarEntrant(reservation=fact.sitting, why=why)
    return _ask(event, fact, [(fact.table, bar)] if fact.table else [])


def when_table_broken(event: PublicEvent, fact: TableBroken) -> Asked:
    why = "the tournament is cancelled" if fact.cancelled else "the table is broken"
    return _ask(event, fact, [(fact.table, EndTournament(reason=why, void=fact.cancelled))])


def when_level_began(event: PublicEvent, fact: LevelBegan) -> Asked:
    change = ChangeConfiguration(configuration=fact.configuration)
    return _ask(event, fact, [(table, change) for table in fact.tables])


def when_hands_released(event: PublicEvent, fact: HandsReleased) -> Asked:
    return _ask(event, fact, [(due.table, AllowHands(through=due.hand, until=fact.until)) for due in fact.hands])


def when_hands_held(event: PublicEvent, fact: HandsHeld) -> Asked:
    return _ask(event, fact, [(fact.table, AllowHands(through=0))])


def when_orders_repeated(event: PublicEvent, fact: OrdersRepeated) -> Asked:
    """What has been done already is refused by the table, or changes nothing there."""
    opening = OpenTournamentTable(name=f"Table {fact.table}", rulebook=fact.rulebook, configuration=fact.configuration)
    asked: list[TableCommand] = [opening, ChangeConfiguration(configuration=fact.configuration)]
    asked += [EliminateEntrant(reservation=sitting) for sitting in fact.gone]
    asked += [
        SeatEntrant(reservation=s.sitting, player=s.player, seat=s.seat, chips=s.chips, away=s.away) for s in fact.seats
    ]
    asked += [BarEntrant(reservation=s.sitting, why="excluded") for s in fact.seats if s.away == "excluded"]
    asked += [BarEntrant(reservation=sitting, why="disqualified") for sitting in fact.disqualified]
    moves = [MoveEntrant(reservation=m.sitting, to_table=table_name(fact.tournament, m.to_table)) for m in fact.moves]
    if fact.broken:
        asked = [*moves, EndTournament(reason="the table is broken")]
    else:
        asked += [*moves, AllowHands(through=fact.through, until=fact.until)]
    return _ask(event, fact, [(fact.table, each) for each in asked])


def when_tournament_paused(event: PublicEvent, fact: TournamentPaused) -> Asked:
    """None beyond the hand that runs (FP-14)."""
    return _ask(event, fact, [(table, AllowHands(through=0)) for table in fact.tables])


def when_tournament_completed(event: PublicEvent, fact: TournamentCompleted) -> Asked:
    return _ask(event, fact, [(table, EndTournament(reason="the tournament is over")) for table in fact.tables])


def _ask(event: PublicEvent, fact: TournamentEvent, commands: Sequence[tuple[int, TableCommand]]) -> Asked:
    """Ids are made of the event, so that a repetition has no second effect."""
    return [
        message_of(
            command,
            id=command_id_at(event.time, event.id, type(command).__name__, str(number), str(place)),
            stream=table_name(fact.tournament, number),
            by=Principal("tournament", fact.tournament),
            correlation=event.correlation,
        )
        for place, (number, command) in enumerate(commands)
    ]


ORDERS: Reactions = {
    TableSetUp: when_table_set_up,
    EntrySeated: when_entry_seated,
    ChipsGranted: when_chips_granted,
    EntryMoves: when_entry_moves,
    EntryEliminated: when_entry_eliminated,
    PlayerExcluded: when_player_excluded,
    PlayerDisqualified: when_player_disqualified,
    TableBroken: when_table_broken,
    LevelBegan: when_level_began,
    HandsHeld: when_hands_held,
    OrdersRepeated: when_orders_repeated,
    HandsReleased: when_hands_released,
    TournamentPaused: when_tournament_paused,
    TournamentCompleted: when_tournament_completed,
}
"""To its own events."""
