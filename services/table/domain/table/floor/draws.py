"""Draws that staff call: seats at the start of a game, tables when there are several (pt-217-2007 11, 25, 27)."""

from libs.contracts.floor_commands import AssignPlaces, DrawSeats, DrawTables
from libs.contracts.floor_commands import FloorReason as Reason
from libs.contracts.floor_events import DrawnSeat, DrawnTable, PlacesAssigned, SeatOffered, SeatsDrawn, TablesDrawn
from libs.decider import Rejected
from libs.sealing.shuffle import Shuffle
from services.table.domain.table.floor.drawing import seats_by_lot, tables_by_suit
from services.table.domain.table.floor.queue import tell_off
from services.table.domain.table.floor.waiting import offerable
from services.table.domain.table.rejections import rejected
from services.table.domain.table.story import AnyStory

MOST_PLAYERS = 52
"""One card each."""


def draw_seats(command: DrawSeats, story: AnyStory) -> Rejected | None:
    refused = _nothing_to_draw(story)
    if refused is not None:
        return refused
    draw_among_registered(story, story.by)
    return None


def draw_among_registered(story: AnyStory, by: str) -> None:
    """Seats for who is on the list; who took part in the session before is seated first (27)."""
    assert isinstance(story.fresh, Shuffle)
    floor = story.state.floor
    wishes = [each for each in floor.waiting if each.kind == "entry" and each.offered is None][:MOST_PLAYERS]
    players = [each.player for each in wishes]
    seats, waiting = seats_by_lot(players, floor.played, offerable(story.state), story.fresh)
    story.tell(
        SeatsDrawn(
            draw=floor.draws + 1,
            seats=[DrawnSeat(player, seat) for player, seat in seats],
            waiting=waiting,
            generator=story.fresh.generator,
            by=by,
        )
    )
    entries = {each.player: each.entry for each in wishes}
    for player, seat in seats:
        story.tell(
            SeatOffered(
                entry=entries[player],
                player=player,
                seat=seat,
                until=story.now + story.rules.timing.offer_ms,
            )
        )


def draw_tables(command: DrawTables, story: AnyStory) -> Rejected | None:
    refused = _nothing_to_draw(story)
    if refused is not None:
        return refused
    assert isinstance(story.fresh, Shuffle)
    tables = list(dict.fromkeys((story.table, *command.tables)))[:4]
    players = [each.player for each in story.state.floor.waiting if each.kind == "entry"][:MOST_PLAYERS]
    drawn = tables_by_suit(players, tables, story.fresh)
    story.tell(
        TablesDrawn(
            draw=story.state.floor.draws + 1,
            tables=tables,
            cards=[DrawnTable(player, suit, table) for player, suit, table in drawn],  # type: ignore[arg-type]
            generator=story.fresh.generator,
            by=story.by,
        )
    )
    _send_away(story)
    return None


def assign_places(command: AssignPlaces, story: AnyStory) -> Rejected | None:
    """The other tables hear of the draw; who was drawn to this one may register here."""
    cards = zip(command.players, command.suits, command.tables, strict=False)
    story.tell(
        PlacesAssigned(
            cards=[DrawnTable(player, suit, table) for player, suit, table in cards],
            drawn_at=command.drawn_at,
        )
    )
    _send_away(story)
    return None


def _send_away(story: AnyStory) -> None:
    """Who was drawn to another table is on that one's list, and no longer on this one's."""
    floor = story.state.floor
    for entry in floor.waiting:
        if floor.places.get(entry.player, story.table) != story.table:
            tell_off(story, entry, "moved")


def _nothing_to_draw(story: AnyStory) -> Rejected | None:
    if not any(each.kind == "entry" for each in story.state.floor.waiting):
        return rejected(Reason.NOBODY_REGISTERED, story.rules)
    return None if isinstance(story.fresh, Shuffle) else rejected(Reason.NO_ENTROPY, story.rules)
