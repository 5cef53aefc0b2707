"""Who sits elsewhere at the table escapes no blind and has no button for nothing (pt-217-2007 12.a, 80, 90; 811 21)."""

from collections import Counter
from random import Random
from typing import Any

import pytest

from libs.contracts.poker_events import BlindPosted, HandStarted
from libs.contracts.table_commands import SitIn
from libs.contracts.table_commands import TableReason as Reason
from libs.contracts.waiting_list_commands import AskSeatChange
from libs.contracts.waiting_list_events import SeatChanged
from services.table.domain.games.poker.order import clockwise_after
from tests.table.asking import player
from tests.table.casino.play import CASINO_HOLDEM, rule
from tests.table.play import HOLDEM, MACAU, PORTUGAL, TableUnderTest

HANDS = 32
ME = "p7"
TABLES: dict[str, tuple[str, dict[str, Any]]] = {
    HOLDEM: (HOLDEM, {"seats": 9}),
    PORTUGAL: (PORTUGAL, {"seats": 9}),
    MACAU: (MACAU, {}),
    CASINO_HOLDEM: (CASINO_HOLDEM, {}),
    "dead": (HOLDEM, {"seats": 9, "entering": "missed_blinds", "missed_big_blind": "dead"}),
    "live": (HOLDEM, {"seats": 9, "entering": "missed_blinds", "missed_big_blind": "live", "reentry_ms": 0}),
}


class Played:
    """Everybody folds, but for one who sits elsewhere whenever it might be of use."""

    def __init__(self, name: str, *others: int) -> None:
        rulebook, changes = TABLES[name]
        self.table = TableUnderTest(rulebook, **changes).seat(*(others or (1, 3, 5)), 7)
        self.number, self.wishes = len(self.table.state.seats), 0
        self.table.deal().folds_round()
        self.before = len(self.table.told)

    @property
    def mine(self) -> int | None:
        sitter = self.table.state.sitter_of(ME)
        return sitter.seat if sitter is not None else None

    def place(self, seat: int) -> int:
        """So many hands from the big blind; one less than there are players: the small one is next."""
        state = self.table.state
        others = [each for each, sitter in state.seats.items() if sitter.player != ME]
        way = clockwise_after({*others, seat}, state.button)
        return (way.index(seat) - (1 if state.rules.dealing.positions == "lead" else 2)) % (len(others) + 1)

    def change(self, seat: int) -> None:
        self.wishes += 1
        self.table.send(player(ME), AskSeatChange(entry=f"c-{self.wishes}", seat=seat))

    def again(self, seat: int) -> None:
        """Leaves, and sits down on another seat with the same stack."""
        stack = self.table.state.seats[self.mine or 0].stack
        assert self.table.leave(7) is None
        self.sit(seat, stack)

    def sit(self, seat: int, stack: int) -> None:
        if self.table.take(seat, stack, ME) is None:
            assert self.table.confirm(seat) is None

    def play(self) -> None:
        self.table.deal().folds_round()

    def tally(self) -> tuple[Counter[str], Counter[str], Counter[str]]:
        """Since the first hand, of each player: hands dealt in, blinds in halves of a big one, buttons."""
        dealt: Counter[str] = Counter()
        paid: Counter[str] = Counter()
        buttons: Counter[str] = Counter()
        for event in self.table.told[self.before :]:
            if isinstance(event, HandStarted):
                players = {each.seat: each.player for each in event.seats}
                dealt.update(players.values())
                buttons[players[event.button]] += 1
            elif isinstance(event, BlindPosted):
                paid[event.player] += event.amount
        half = self.table.state.rules.betting.big_blind // 2
        return dealt, Counter({name: amount // half for name, amount in paid.items()}), buttons

    def fair(self) -> None:
        """A big and a small blind in as many hands as there are players, but for one round of the table."""
        dealt, paid, buttons = self.tally()
        assert paid[ME] >= 3 * (dealt[ME] / self.number - 1), (dealt, paid, buttons)


def free_for(played: Played, wanted: set[int]) -> int | None:
    free = played.table.state.free_seats
    return next((seat for seat in free if played.place(seat) in wanted), None)


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("way", ["change", "again"])
@pytest.mark.parametrize("aim", ["no blind", "the button"])
@rule("12.a", "80", "90")
def test_a_player_who_sits_elsewhere_before_every_blind_pays_them_all_the_same(name: str, way: str, aim: str) -> None:
    """Found by an attacker: one blind in 35 hands where the others paid 23 each; the button in 27 of 39."""
    played = Played(name, *((1, 3, 5, 9) if name == CASINO_HOLDEM else ()))
    last = played.number - 1
    for _ in range(HANDS):
        if played.mine is not None:
            due = played.place(played.mine)
            late = last - 2 if name == CASINO_HOLDEM else last - 1  # there the last place is the marker's own seat
            wanted = {late} if aim == "the button" else set(range(1, last))
            if played.table.state.seats[played.mine].waiting:
                due = min(wanted)  # takes the blind that brings one in, and moves on after it
            if due not in wanted and (seat := free_for(played, wanted)) is not None:
                getattr(played, way)(seat)
            if (mine := played.mine) is not None and not played.table.state.seats[mine].out:
                played.table.send(player(ME), SitIn(post_big_blind=True))  # as soon as one may
        else:
            played.sit(7, 10_000)
        played.play()
    played.fair()
    dealt, _, buttons = played.tally()
    assert all(dealt[f"p{seat}"] == HANDS for seat in (1, 3, 5))
    if name != CASINO_HOLDEM:
        small = [e for e in played.table.of(BlindPosted, True) if e.player == ME and e.blind == "small"]
        assert buttons[ME] <= len(small) + 1, "nobody has the button before both blinds"


@pytest.mark.parametrize("name", TABLES)
def test_the_same_without_moves(name: str) -> None:
    played = Played(name)
    for _ in range(HANDS):
        played.play()
    dealt, paid, buttons = played.tally()
    assert {*dealt.values()} == {HANDS}
    assert {*paid.values()} == {3 * HANDS // 4}
    assert {*buttons.values()} == {HANDS // 4}


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("seed", range(6))
def test_whatever_seats_are_taken_blinds_are_paid(name: str, seed: int) -> None:
    luck, played = Random(seed), Played(name)
    for _ in range(40):
        for _ in range(luck.choice([0, 1, 1, 2])):
            if played.mine is None:
                break
            free = luck.choice(played.table.state.free_seats)
            getattr(played, luck.choice(["change", "again"]))(free)
            if luck.random() < 0.3:
                played.table.wake()
                if played.table.state.hand is not None and played.table.turn == played.mine:
                    played.table.act(played.mine or 0, "fold")
        if played.mine is None:
            played.sit(luck.choice(played.table.state.free_seats), 10_000)
        if played.table.state.hand is None:
            played.play()
        else:
            played.table.folds_round()
    played.fair()


@pytest.mark.parametrize("name", TABLES)
def test_a_move_between_the_same_neighbours_costs_nothing(name: str) -> None:
    played = Played(name)
    for seat in (6, 8) * 4:
        played.change(seat)
        played.play()
        (moved,) = played.table.of(SeatChanged, True)[-1:]
        assert (moved.to_seat, moved.passed) == (seat, [])
    dealt, paid, _ = played.tally()
    assert (dealt[ME], paid[ME]) == (8, 6)


@pytest.mark.parametrize(("heads_up", "who", "to"), [("button_small", 1, 5), ("left_of_button", 7, 2)])
def test_of_two_the_one_who_moves_past_the_big_blind_has_it(heads_up: str, who: int, to: int) -> None:
    """Waiting for it would leave one in play, and the button be drawn anew."""
    table = TableUnderTest(MACAU, heads_up_blinds=heads_up).seat(1, 4, 7).deal(button=4).folds_round()
    assert table.leave(4) is None
    assert table.send(player(f"p{who}"), AskSeatChange(entry="c", seat=to)) is None
    table.deal()
    assert [event.passed for event in table.of(SeatChanged)] == [["small", "big"]]
    assert table.names.count("ButtonDrawn") == table.names.count("TableSuspended") == 0
    assert (table.hand.big_blind, len(table.hand.order)) == (to, 2)


def test_of_two_nobody_gains_by_any_seat() -> None:
    played = Played(PORTUGAL, 4)
    for seat in (2, 6, 1, 8, 3, 9) * 2:
        played.change(seat)
        played.play()
    dealt, paid, buttons = played.tally()
    assert (dealt[ME], paid[ME], paid["p4"], buttons[ME]) == (12, 18, 18, 6)


def gone(*, hands: int, to: int) -> tuple[list[tuple[str, int]], bool]:
    """What is posted by who leaves seat 3, next to be the big blind, for so many hands; and whether dealt in at once.

    Hold'em of the casino with seats 1, 2, 3, 5, 6, 7; seat 1 has just had the lead.
    """
    table = TableUnderTest(CASINO_HOLDEM).seat(1, 2, 3, 5, 6, 7).deal().folds_round()
    stack = table.state.seats[3].stack
    assert table.leave(3) is None
    for _ in range(hands):
        table.deal().folds_round()
    assert table.take(to, stack, "p3") is None, table.refused
    assert table.confirm(to) is None
    table.deal()
    told = [event for event in table.of(BlindPosted) if event.player == "p3"]
    return [(event.blind, event.amount) for event in told], to in table.hand.order


@rule("90", "80", "12.a", "14.h")
@pytest.mark.parametrize(
    ("hands", "to", "posts"),
    [
        (0, 3, [("big", 200)]),
        (0, 4, [("big", 200)]),
        (0, 8, [("missed", 300)]),
        (1, 3, [("small", 100), ("missed", 200)]),
        (1, 4, [("small", 100), ("missed", 200)]),
        (2, 3, [("missed", 300)]),
        (3, 4, [("missed", 300)]),
    ],
)
def test_who_comes_back_to_the_game_pays_the_blinds_that_went_past(
    hands: int, to: int, posts: list[tuple[str, int]]
) -> None:
    assert gone(hands=hands, to=to) == (posts, True)


@pytest.mark.rule("pt-811-2015", "21")
def test_who_has_moved_past_a_blind_waits_for_the_next_and_posts_none_before() -> None:
    table = TableUnderTest(PORTUGAL, seats=9).seat(1, 3, 5, 7).deal(button=3).folds_round()
    assert table.send(player("p1"), AskSeatChange(entry="c", seat=2)) is None  # between the same two: seat 3 is next
    assert table.deal().hand.big_blind == 2
    table.folds_round()
    assert table.send(player("p3"), AskSeatChange(entry="d", seat=4)) is None
    assert table.deal().hand.big_blind == 4, "the same neighbours again"
    table.folds_round()
    assert table.send(player("p5"), AskSeatChange(entry="e", seat=1)) is None
    table.deal()
    assert table.of(SeatChanged)[0].passed == ["small", "big"]
    assert (table.hand.big_blind, 1 in table.hand.order) == (7, False)
    assert table.sit_in(5, post=True) == Reason.ALREADY_IN
    table.folds_round().deal()
    assert (table.hand.big_blind, 1 in table.hand.order) == (1, True)


def test_who_would_take_any_seat_gets_one_that_costs_nothing() -> None:
    table = TableUnderTest(PORTUGAL, seats=9).seat(2, 3, 5, 8).deal(button=8).folds_round()
    assert table.send(player("p5"), AskSeatChange(entry="c")) is None  # the next big blind; seat 1 is past p8
    table.deal()
    assert [(event.to_seat, event.passed) for event in table.of(SeatChanged)] == [(4, [])]


@pytest.mark.rule("pt-811-2015", "21")
def test_who_waits_for_the_big_blind_does_not_count_for_the_small() -> None:
    """Seat 2 waits and is passed over: so seat 7 is next to be the big blind, and on seat 4 it would be the small."""
    table = TableUnderTest(PORTUGAL, seats=9).seat(1, 3, 5, 7).deal(button=1).seat(2).folds_round()
    assert table.send(player(ME), AskSeatChange(entry="c", seat=4)) is None
    table.deal()
    assert [event.passed for event in table.of(SeatChanged)] == [["small", "big"]]
    assert (table.hand.small_blind, table.hand.big_blind) == (5, 1)
    assert table.hand.button == 3


@rule("90", "14.h")
def test_who_leaves_while_a_blind_goes_past_owes_it_all_the_same() -> None:
    table = TableUnderTest(CASINO_HOLDEM).seat(1, 2, 3, 5, 6, 7).deal().folds_round()
    assert table.sit_out(3) is None
    table.deal()
    assert [(each.seat, each.blind) for each in table.of(HandStarted)[0].missed] == [(3, "big")]
    stack = table.state.seats[3].stack
    assert table.leave(3) is None
    assert table.take(4, stack, "p3") is None
    assert table.confirm(4) is None
    table.folds_round().deal()
    assert ("missed", 200) in [(event.blind, event.amount) for event in table.of(BlindPosted) if event.player == "p3"]
