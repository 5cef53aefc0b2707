"""Drawing lots: seats at the start of a game, tables when there are several (pt-217-2007 11, 25 to 27).

Staff call a draw. Who gets what is a pure function of one shuffle.
"""

from collections.abc import Collection, Sequence
from typing import Any

from libs.contracts.draw_commands import AskTableChange, AssignPlaces, DrawSeats, DrawTables
from libs.contracts.draw_commands import DrawReason as Reason
from libs.contracts.draw_events import DrawnTable, PlacesAssigned, TableChangeGranted, TablesDrawn
from libs.contracts.people import same_person
from libs.decider import Rejected
from libs.sealing.shuffle import Shuffle
from services.table.domain.table.departing import send_home
from services.table.domain.table.handlers import of_sitter, unless
from services.table.domain.table.rejections import rejected
from services.table.domain.table.state import Sitter, Table, Waiting
from services.table.domain.table.story import AnyStory
from services.table.domain.table.waiting_list import before_the_draw, offerable, tell_drawn, tell_off

MOST_PLAYERS = 52
"""One card each."""


def nothing_to_draw(command: DrawSeats | DrawTables, story: AnyStory) -> Rejected | None:
    if not _registered(story.state):
        return rejected(Reason.NOBODY_REGISTERED, story.rules)
    return None if isinstance(story.fresh, Shuffle) else rejected(Reason.NO_ENTROPY, story.rules)


@unless(nothing_to_draw)
def draw_seats(command: DrawSeats, story: AnyStory) -> None:
    draw_among_registered(story, story.by)


def draw_among_registered(story: AnyStory, by: str) -> None:
    """Seats for who is on the list; who took part in the session before is seated first (27)."""
    assert isinstance(story.fresh, Shuffle)
    wishes = [each for each in _registered(story.state) if each.offered is None][:MOST_PLAYERS]
    first = story.game.drawn_first(story.state)
    seats = seats_by_lot([each.player for each in wishes], first, offerable(story.state), story.fresh)
    entries = {each.player: each for each in wishes}
    tell_drawn(story, [(entries[player], seat) for player, seat in seats], wishes, by)


def drawn_already(command: DrawTables, story: AnyStory) -> Rejected | None:
    """Who draws again and again has the company that suits somebody in the end: one person draws once, and another one
    once more. Players of another table's draw that table alone draws again: it knows who has drawn."""
    last, places = story.state.waiting.drawn_by, story.state.waiting.places
    if last and same_person(last, story.by):
        return rejected(Reason.DRAWN_ALREADY, story.rules, "a further draw is another person's")
    if not last and any(each.player in places for each in _registered(story.state)):
        return rejected(Reason.DRAWN_ALREADY, story.rules, "drawn at another table, which draws them again")
    return None


@unless(nothing_to_draw, drawn_already)
def draw_tables(command: DrawTables, story: AnyStory) -> None:
    assert isinstance(story.fresh, Shuffle)
    tables = list(dict.fromkeys((story.table, *command.tables)))[:4]
    players = [each.player for each in _registered(story.state)][:MOST_PLAYERS]
    story.tell(
        TablesDrawn(
            draw=story.state.waiting.draws + 1,
            tables=tables,
            cards=tables_by_suit(players, tables, story.fresh),
            generator=story.fresh.generator,
            by=story.by,
        )
    )
    _send_away(story)


def assign_places(command: AssignPlaces, story: AnyStory) -> None:
    """The other tables hear of it; who was drawn to this one, or may change to it, may register here."""
    cards = [DrawnTable(*card) for card in zip(command.players, command.suits, command.tables, strict=False)]
    story.tell(PlacesAssigned(cards=cards, drawn_at=command.drawn_at))
    _send_away(story)


@of_sitter
def ask_table_change(command: AskTableChange, story: AnyStory, sitter: Sitter) -> Rejected | None:
    """In session mode: only after the whole stack is lost, and never to unbalance (pt-217-2007 26)."""
    state, rules = story.state, story.rules
    if not rules.timing.in_sessions:
        return rejected(Reason.NOT_A_SESSION_TABLE, rules)
    if sitter.stack > 0 or state.is_bound(sitter):
        return rejected(Reason.STACK_NOT_LOST, rules)
    left = len(state.seats) - 1
    if left < rules.least_players:
        return rejected(Reason.WOULD_DROP_BELOW_MINIMUM, rules)
    if abs(left - (command.players_there + 1)) > 1:
        return rejected(Reason.WOULD_UNBALANCE, rules)

    story.tell(TableChangeGranted(player=sitter.player, to_table=command.to_table))
    send_home(story, sitter.seat, "player")
    story.game.seats_changed(story)
    return None


def opening_draw_due(state: Table) -> int | None:
    """Seats are drawn when the hours begin, if anybody has registered."""
    drawable = state.status == "open" and before_the_draw(state) and _registered(state)
    return state.rules.timing.opens_at if drawable else None


def seats_by_lot(
    players: Sequence[str], first: Collection[str], free: Sequence[int], fresh: Shuffle
) -> list[tuple[str, int]]:
    """Who sits where; the others wait. `first` are drawn before the others get a chance (pt-217-2007 27).

    Seats are a lot of their own: `seat_order` says in which order the free ones are filled.
    """
    order = [players[number] for number in _order_by_lot(len(players), fresh)]
    called = [*(player for player in order if player in first), *(player for player in order if player not in first)]
    return list(zip(called, (seat for seat in fresh.seat_order if seat in free), strict=False))


def tables_by_suit(players: Sequence[str], tables: Sequence[str], fresh: Shuffle) -> list[DrawnTable]:
    """A suit and its table each: the pack holds as many cards of a suit as its table is to get, sizes within one."""
    suits: Any = "shdc"
    pack = [number % len(tables) for number in range(len(players))]
    drawn = [pack[card] for card in _order_by_lot(len(players), fresh)]
    return [DrawnTable(player, suits[suit], tables[suit]) for player, suit in zip(players, drawn, strict=True)]


def _order_by_lot(count: int, fresh: Shuffle) -> list[int]:
    """A uniform order of the numbers below `count`, at most 52."""
    return [card for card in fresh.deck.cards if card < count]


def _registered(state: Table) -> list[Waiting]:
    return [each for each in state.waiting.entries if each.kind == "entry"]


def _send_away(story: AnyStory) -> None:
    """Who was drawn to another table is on that one's list, and no longer on this one's."""
    for entry in story.state.waiting.entries:
        if story.state.waiting.places.get(entry.player, story.table) != story.table:
            tell_off(story, entry, "moved")
