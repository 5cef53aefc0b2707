"""Who is away while a big blind goes past comes in with the next, or pays for both to come in before (811 21, 68;
217 90): sitting out is no way past a blind, and costs nobody anything who waits.
"""

from collections import Counter
from itertools import product
from random import Random

import pytest
from msgspec.structs import replace

from libs.contracts.poker_commands import VoidHand
from libs.contracts.poker_events import BlindPosted, ButtonDrawn, HandStarted
from libs.contracts.table_commands import SitIn, SitOut
from libs.contracts.table_events import TableSuspended
from libs.contracts.waiting_list_commands import AskSeatChange
from libs.contracts.waiting_list_events import SeatChanged
from tests.table.asking import player
from tests.table.casino.play import CASINO_HOLDEM, CASINO_OMAHA
from tests.table.dodging import BACK, MISSED, TABLES, WAITED_FOR, Dodging, Habit, habit
from tests.table.play import HOLDEM, PORTUGAL, TableUnderTest
from tests.table.under_test import refolded

HANDS = 32
portugal = pytest.mark.rule("pt-811-2015", "21", "68")


def dodging(name: str, *, both: bool = False) -> Dodging:
    casino = name in (CASINO_HOLDEM, CASINO_OMAHA)
    seats = (1, 2, 4, 6, 7, 9) if casino else (1, 3, 5, 7)
    return Dodging(name, seats, seats[-2:] if both else seats[-1:])


@portugal
@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize(("way", "back"), [*product(["out", "leave"], BACK)])
def test_who_is_away_whenever_the_big_blind_is_next_pays_no_less(name: str, way: str, back: str) -> None:
    """Found by an attacker: never a small blind, a third less than the others, and every button."""
    for hands in (1, 2):
        table = dodging(name)
        for _ in range(HANDS):
            table.follow(table.dodgers[0], Habit(0, way, hands, None, back))
            table.play()
        table.fair(hands)


COMPANIES = [*product(TABLES, [False]), *product(WAITED_FOR, [True])]
"""One alone, or two together. Where all that passed is paid on return, who misses a small blind has the next player
skip a big one, as 217 30 and 811 64 have it: two can share that, by playing as a pair (217 14.a)."""


@pytest.mark.parametrize(("name", "both"), COMPANIES)
def test_no_habit_of_coming_and_going_pays_less_or_has_more_buttons(name: str, both: bool) -> None:
    luck = Random(f"{name} {both}")
    for _ in range(6):
        table = dodging(name, both=both)
        habits = {who: habit(luck, table.number) for who in table.dodgers}
        for _ in range(HANDS):
            for who, each in habits.items():
                table.follow(who, each)
            table.play()
        table.fair(habits)


@pytest.mark.parametrize(("name", "both"), COMPANIES)
@pytest.mark.parametrize("seed", range(3))
def test_whatever_is_done_between_hands_pays_no_less(name: str, both: bool, seed: int) -> None:
    luck, table = Random(f"{name} {both} {seed}"), dodging(name, both=both)
    for _ in range(HANDS):
        for who in table.dodgers:
            for _ in range(luck.choice([1, 1, 2])):
                table.whim(who, luck)
        table.play()
    table.fair()


@pytest.mark.rule("pt-811-2015", "21", "48", "64")
@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize(("way", "back"), [*product(["out", "leave"], BACK)])
def test_who_is_away_whenever_the_small_blind_is_next_has_nobody_pay_twice(name: str, way: str, back: str) -> None:
    """Found by an attacker: the next player never had the big blind, and the one after that had it twice running."""
    for hands in (0, 1, 2):
        table = dodging(name)
        for _ in range(2 * HANDS):
            table.follow(table.dodgers[0], Habit(table.number - 1, way, hands, None, back))
            table.play()
        table.fair(hands)


@pytest.mark.rule("pt-811-2015", "21", "48", "64")
@pytest.mark.parametrize("name", [name for name in TABLES if name not in (CASINO_HOLDEM, CASINO_OMAHA)])
@pytest.mark.parametrize("seat", [1, 3, 5])
def test_who_sits_out_every_second_hand_of_three_gives_nobody_all_big_blinds(name: str, seat: int) -> None:
    """Found by an attacker: one was the big blind in each hand, 100 of 100."""
    for first in range(4):
        table = Dodging(name, (1, 3, 5), (seat,))
        (who,) = table.dodgers
        for _ in range(first):
            table.play()
        for _ in range(2 * HANDS):
            sitter = table.sitter(who)
            if sitter is None:
                table.sit(who, None)  # was sent home for the hands that were missed
            elif sitter.out or not sitter.waiting:
                table.say(who, SitIn(post_big_blind=True) if sitter.out else SitOut())
            table.play()
        table.fair(first)


@portugal
@pytest.mark.rule("pt-811-2015", "48")
@pytest.mark.parametrize("newcomer", [False, True])
def test_nobody_posts_from_between_the_button_and_the_small_blind(newcomer: bool) -> None:
    table = TableUnderTest(PORTUGAL).seat(1, 2, 3, 4).deal(button=2).folds_round()
    stack = table.state.rules.entry.buy_in_min if newcomer else table.stacks[4]
    assert table.leave(4) is None
    who = "p5" if newcomer else "p4"
    assert table.take(4, stack, who) is None
    assert table.confirm(4) is None
    assert table.send(player(who), SitIn(post_big_blind=True)) is None
    table.deal()
    assert (table.hand.button, table.hand.small_blind, table.hand.big_blind, posts(table, 4)) == (3, 1, 2, [])
    table.folds_round().deal()
    assert (table.hand.button, table.hand.small_blind, table.hand.big_blind) == (1, 2, 3)
    assert posts(table, 4) == ENTRY[:1]


@pytest.mark.parametrize("seat", [1, 3, 6])
def test_who_comes_back_at_once_is_not_where_blinds_have_just_gone_past(seat: int) -> None:
    """Button and small blind do not go back there; who would sit between them waits a hand."""
    table = TableUnderTest(HOLDEM, **MISSED).seat(2, 4, 5, 7, seat)
    assert table.sit_out(seat) is None
    table.deal(button=7 if seat == 1 else 2 if seat == 3 else 4)
    last = table.hand.big_blind
    assert table.sit_in(seat) is None
    table.folds_round().deal()
    assert seat not in (table.hand.button, table.hand.small_blind, last)
    assert table.hand.big_blind != last
    assert (seat in table.hand.order) == (seat != 6)
    table.folds_round().deal()
    assert seat in table.hand.order


WAYS_OUT = {"out": "oi", "leaves": "ls", "both": "oils", "leaves while out": "ols"}


@pytest.mark.rule("pt-811-2015", "46")
@pytest.mark.parametrize("name", [name for name in TABLES if name not in (CASINO_HOLDEM, CASINO_OMAHA)])
@pytest.mark.parametrize("way", WAYS_OUT)
@pytest.mark.parametrize("seat", [1, 3])
def test_of_two_nobody_asks_for_another_draw_whenever_the_big_blind_is_next(name: str, way: str, seat: int) -> None:
    """Found with the attack on the others: in Macau all buttons and half of the blinds, elsewhere one in eight less."""
    table = Dodging(name, (1, 3), (seat,))
    (who,) = table.dodgers
    steps = {"o": lambda: table.say(who, SitOut()), "i": lambda: table.say(who, SitIn()), "l": lambda: table.leave(who)}
    for _ in range(2 * HANDS):
        sitter = table.sitter(who)
        assert sitter is not None
        if (table.table.state.button == sitter.seat) == (name != "left of the button"):
            for step in WAYS_OUT[way]:
                steps.get(step, lambda: table.sit(who, None))()
        table.play()
    dealt, paid, buttons = table.tally()
    assert len({*dealt.values()}) == 1
    assert max(paid.values()) - min(paid.values()) <= 1
    assert max(buttons.values()) - min(buttons.values()) <= 1


@pytest.mark.rule("pt-811-2015", "46")
def test_whose_big_blind_was_next_has_it_when_the_table_goes_on_and_nobody_else() -> None:
    for back in (True, False):
        table = TableUnderTest(PORTUGAL).seat(1, 2).deal(button=1).folds_round()
        assert table.sit_out(1) is None
        assert table.of(TableSuspended)
        assert table.state.seats[1].due_big
        table.seat(4) if not back else table.sit_in(1)
        table.deal()
        assert table.of(ButtonDrawn)[0].among == ([2] if back else [2, 4])
        if back:
            assert (table.hand.big_blind, table.state.seats[1].due_big) == (1, False)
            table.folds_round().deal()
            assert table.of(ButtonDrawn) == []


@pytest.mark.rule("pt-811-2015", "46")
@pytest.mark.parametrize("name", [name for name in TABLES if name not in (CASINO_HOLDEM, CASINO_OMAHA)])
@pytest.mark.parametrize("way", ["out", "leave"])
@pytest.mark.parametrize("victim", [1, 5, 9])
def test_two_who_take_turns_have_no_third_one_draw_for_each_big_blind(name: str, way: str, victim: int) -> None:
    """Found by an attacker: in Macau nine big blinds of ten, elsewhere four of seven."""
    seats = [1, 5, 9]
    table = Dodging(name, seats, [seat for seat in seats if seat != victim])
    away = table.dodgers[0]
    table.say(away, SitOut())
    for _ in range(2 * HANDS):
        big = table.next_big()
        if big in table.dodgers:
            table.say(big, SitOut()) if way == "out" else table.leave(big)
            if table.sitter(away) is None:
                table.sit(away, None)
            table.say(away, SitIn())
            away = big
        elif (idle := table.sitter(away)) is not None and idle.seat + 1 in table.table.state.free_seats:
            table.say(away, AskSeatChange(entry=f"c-{table.table.state.hands}", seat=idle.seat + 1))
        table.play()
    _, paid, _ = table.tally()
    who = f"p{victim}"
    assert paid[who] - 3 <= paid.total() / 2
    bigs = Counter(hand.big for hand in table.hands()[2:])
    assert bigs[who] <= bigs.total() / 2 + 1


@pytest.mark.rule("pt-811-2015", "46")
def test_what_an_older_build_wrote_of_a_stop_draws_as_it_did() -> None:
    table = TableUnderTest(PORTUGAL).seat(1, 2, 3).deal(button=1).folds_round()
    assert table.sit_out(1) is None
    assert table.sit_out(2) is None
    assert table.of(TableSuspended)
    assert (table.state.had_big, table.state.stopped_with) == ("p3", ("p1", "p2", "p3"))
    table.state = replace(table.state, had_big="", stopped_with=())
    assert table.sit_in(2) is None
    table.deal()
    assert table.of(ButtonDrawn)[0].among == [2, 3]


@pytest.mark.rule("pt-811-2015", "21", "46")
@pytest.mark.parametrize(("then", "big"), [("", 1), ("moves", 1), ("void", 1), ("misses a hand", 2)])
def test_where_two_go_on_who_were_there_the_big_blind_goes_on(then: str, big: int) -> None:
    """Nothing that is done at a table that stands still has another one draw for it."""
    table = TableUnderTest(PORTUGAL).seat(1, 2, 3).deal(button=1).folds_round()
    if then == "void":
        table.deal()
        assert table.hand.big_blind == 1
        assert table.void_by_two(VoidHand(hand=table.state.hands, cause="test")) is None
    if then == "misses a hand":
        assert table.sit_out(2) is None
        table.deal().folds_round()
        assert table.state.had_big == "p1"
    for seat in (1, 2):
        table.sit_out(seat)
    assert not table.state.running
    for seat in (1, 2):
        assert table.sit_in(seat) is None
    if then == "moves":
        assert table.send(player("p1"), AskSeatChange(entry="c", seat=5)) is None
        big = 5
    table.deal()
    assert (table.hand.big_blind, table.hand.order.count(big), len(table.hand.order)) == (big, 1, 3)
    assert len(table.of(ButtonDrawn)[0].among) == 1


@pytest.mark.parametrize(("leaves", "button", "small", "big"), [(1, 2, 3, 4), (2, 1, 3, 4), (3, 2, 4, 1)])
def test_where_no_regulation_moves_the_button_the_big_blind_goes_on(
    leaves: int, button: int, small: int, big: int
) -> None:
    """Not so by 811 64, where the button goes on, and whoever has it then skips a blind. Nor as who has just had the
    big blind leaves: the same player would have the small one again."""
    table = TableUnderTest(HOLDEM).seat(1, 2, 3, 4).deal(button=1).folds_round()
    assert table.leave(leaves) is None
    table.deal()
    assert (table.hand.button, table.hand.small_blind, table.hand.big_blind) == (button, small, big)


def test_of_two_where_no_regulation_moves_the_button_nobody_is_big_twice_running() -> None:
    table = TableUnderTest(HOLDEM).seat(1, 2, 3).deal(button=1).folds_round()
    assert table.leave(1) is None
    table.deal()
    assert (table.hand.button, table.hand.small_blind, table.hand.big_blind) == (3, 3, 2)
    assert table.hand.order == (2, 3)
    table.folds_round().deal()
    assert (table.hand.button, table.hand.big_blind) == (2, 3)


def four(rulebook: str = PORTUGAL, **changes: object) -> TableUnderTest:
    """Seat 4 is next to be the big blind and sits out: it goes past, seat 1 has it, and then the small one."""
    return past_seat_4(TableUnderTest(rulebook, **{"seats": 6, **changes}).seat(1, 2, 3, 4))


def past_seat_4(table: TableUnderTest) -> TableUnderTest:
    table.deal(button=1).folds_round()
    assert table.sit_out(4) is None
    table.deal()
    assert [(each.seat, each.blind) for each in table.of(HandStarted)[0].missed] == [(4, "big")]
    return table.folds_round().deal().folds_round()


def posts(table: TableUnderTest, seat: int) -> list[tuple[str, int, int, bool]]:
    """Kind, amount, round total, whether compulsory, of what the seat posted in the last hand."""
    hand = table.state.hands
    return [
        (e.blind, e.amount, e.to, e.compulsory) for e in table.of(BlindPosted, True) if (e.hand, e.seat) == (hand, seat)
    ]


ENTRY = [("entry", 100, 100, False), ("missed", 50, 0, False)]


@portugal
def test_past_whom_the_big_blind_went_posts_it_and_a_dead_small_one_or_waits() -> None:
    table = four()
    assert table.sit_in(4, post=True) is None
    table.deal()
    assert posts(table, 4) == ENTRY
    assert table.hand.pot == 300
    after = []
    for _ in range(4):
        table.folds_round().deal()
        after += [kind for kind, *_ in posts(table, 4)]
    assert after == ["big", "small"], "and that once"


@portugal
@pytest.mark.parametrize("on_break", [False, True])
def test_who_waits_for_the_big_blind_after_a_break_pays_nothing_else(on_break: bool) -> None:
    table = TableUnderTest(PORTUGAL).seat(1, 2, 3, 4).deal(button=1).folds_round()
    assert table.sit_out(4, on_break=on_break) is None
    table.deal().folds_round()
    assert table.sit_in(4) is None
    paid = []
    for _ in range(4):
        table.deal()
        paid += posts(table, 4)
        table.folds_round()
    assert paid == [("big", 100, 100, True), ("small", 50, 50, True)]


@portugal
def test_past_whom_no_big_blind_went_posts_that_alone() -> None:
    """Seat 2 has had both blinds and misses a hand without."""
    table = TableUnderTest(PORTUGAL).seat(1, 2, 3, 4, 5).deal(button=1).folds_round()
    assert table.sit_out(2) is None
    table.deal()
    assert table.of(HandStarted)[0].missed == []
    table.folds_round()
    assert table.sit_in(2, post=True) is None
    table.deal()
    assert posts(table, 2) == ENTRY[:1]


@portugal
def test_a_newcomer_whom_the_small_blind_passes_posts_the_big_one_alone() -> None:
    table = TableUnderTest(PORTUGAL).seat(1, 2, 4, 5).deal(button=1).folds_round().seat(3).deal()
    assert (table.hand.button, table.hand.small_blind, table.of(HandStarted)[0].missed) == (2, 4, [])
    assert table.sit_in(3, post=True) is None
    table.folds_round().deal()
    assert posts(table, 3) == ENTRY[:1]


@portugal
def test_of_three_the_one_who_is_away_lets_the_big_blind_past_though_it_stays_where_it_was() -> None:
    """The two who are left play with the small blind on the button: it is not between them that the third one sits."""
    table = TableUnderTest(PORTUGAL).seat(1, 2, 3).deal(button=3).folds_round()
    assert table.sit_out(3) is None
    table.deal()
    assert (table.hand.button, table.hand.big_blind) == (1, 2)
    assert [(each.seat, each.blind) for each in table.of(HandStarted)[0].missed] == [(3, "big")]
    table.folds_round()
    assert table.sit_in(3, post=True) is None
    table.deal()
    assert posts(table, 3) == [], "that would be between the button and the small blind of the third hand"
    table.folds_round().deal()
    assert posts(table, 3) == [("big", 100, 100, True)]


@portugal
def test_who_leaves_before_the_big_blind_and_sits_down_after_it_pays_as_who_sat_out() -> None:
    table = TableUnderTest(PORTUGAL).seat(1, 2, 3, 4).deal(button=1).folds_round()
    stack = table.state.seats[4].stack
    assert table.leave(4) is None
    table.deal().folds_round()
    assert table.take(4, stack, "p4") is None
    assert table.confirm(4) is None
    assert table.sit_in(4, post=True) is None
    table.deal().folds_round().deal()
    assert posts(table, 4) == ENTRY


@portugal
def test_who_leaves_while_the_big_blind_goes_past_does_so_too() -> None:
    table = TableUnderTest(PORTUGAL).seat(1, 2, 3, 4).deal(button=1).folds_round()
    assert table.sit_out(4) is None
    table.deal()
    stack = table.state.seats[4].stack
    assert table.leave(4) is None
    assert table.take(4, stack, "p4") is None
    assert table.confirm(4) is None
    assert table.sit_in(4, post=True) is None
    table.folds_round().deal().folds_round().deal()
    assert posts(table, 4) == ENTRY


@portugal
def test_who_is_away_and_moves_past_the_big_blind_pays_as_if_it_had_gone_past() -> None:
    """Seat 4 misses a hand without a blind and then sits down behind the next big one."""
    table = TableUnderTest(PORTUGAL, seats=9).seat(1, 2, 4, 6, 8).deal(button=8).folds_round()
    assert table.sit_out(6) is None
    table.deal().folds_round()  # button 1, small 2, big 4
    assert table.sit_in(6) is None
    assert table.send(player("p6"), AskSeatChange(entry="c", seat=3)) is None
    table.deal()  # button 2, small 4, big 8
    assert (table.of(SeatChanged)[0].passed, 3 in table.hand.order) == (["small", "big"], False)
    assert table.send(player("p6"), SitIn(post_big_blind=True)) is None
    table.folds_round().deal()
    assert posts(table, 3) == ENTRY


@portugal
def test_who_could_not_pay_both_waits_for_the_big_blind() -> None:
    table = TableUnderTest(PORTUGAL, buy_in_min=120, buy_in_max=10_000)
    table = past_seat_4(table.seat(1, 2, 3, amount=10_000).seat(4))
    assert table.stacks[4] == 120
    assert table.sit_in(4, post=True) is None
    table.deal()
    assert 4 not in table.hand.order
    while 4 not in table.hand.order:
        table.folds_round().deal()
    assert posts(table, 4) == [("big", 100, 100, True)]


@portugal
def test_what_was_written_before_blinds_were_counted_folds_as_it_did() -> None:
    """Hands begun by older builds name nobody in `missed`: who was away then posts the big blind alone, as was said."""
    table = TableUnderTest(PORTUGAL).seat(1, 2, 3, 4).deal(button=1).folds_round()
    assert table.sit_out(4) is None
    before = table.state
    table.deal().folds_round()
    hand = [event for event in table.told if getattr(event, "hand", None) == table.state.hands]
    for event in hand:
        old = replace(event, missed=[]) if isinstance(event, HandStarted) else event
        before = refolded(before, old, table.deck_of(event) if isinstance(event, HandStarted) else None)
    assert before == replace(table.state, seats=before.seats)
    assert (before.seats[4].waiting, before.seats[4].owes_small) == (True, False)
    assert table.state.seats[4] == replace(before.seats[4], owes_small=True)


@portugal
def test_a_void_hand_leaves_what_has_to_be_posted_as_it_was() -> None:
    table = four()
    assert table.sit_in(4, post=True) is None
    table.deal()
    assert table.void_by_two(VoidHand(hand=table.state.hands, cause="test")) is None
    assert table.stacks[4] == 10_000
    table.deal()
    assert posts(table, 4) == ENTRY
    assert table.folds_round().state.seats[4].owes_small is False


@portugal
def test_a_big_blind_in_a_void_hand_has_not_gone_past() -> None:
    table = TableUnderTest(PORTUGAL).seat(1, 2, 3, 4).deal(button=1).folds_round()
    assert table.sit_out(4) is None
    table.deal()
    assert table.void_by_two(VoidHand(hand=table.state.hands, cause="test")) is None
    assert table.sit_in(4) is None
    table.deal()
    assert (table.hand.big_blind, posts(table, 4)) == (4, [("big", 100, 100, True)])


def test_the_ante_of_the_big_blind_goes_with_it() -> None:
    table = four(HOLDEM, big_blind_ante=100)
    assert table.sit_in(4, post=True) is None
    table.deal()
    assert [(kind, amount) for kind, amount, *_ in posts(table, 4)] == [("entry", 100), ("missed", 150)]


@pytest.mark.parametrize(
    ("big", "pays"),
    [("live", [("small", 50), ("entry", 50), ("missed", 100)]), ("dead", [("small", 50), ("missed", 150)])],
)
def test_who_comes_back_on_the_small_blind_pays_that_and_the_big_one(big: str, pays: list[tuple[str, int]]) -> None:
    """Found with the attack on the others: the small blind was taken for half of the big one that had gone past."""
    table = TableUnderTest(HOLDEM, **{**MISSED, "missed_big_blind": big}).seat(1, 2, 3, 4, 5).deal(button=1)
    assert table.sit_out(4) is None
    for _ in range(4):
        table.folds_round().deal()
    assert (table.hand.button, table.hand.big_blind) == (1, 3)
    assert table.leave(3) is None
    assert table.sit_in(4) is None
    table.folds_round().deal()
    assert table.hand.small_blind == 4
    assert [(kind, amount) for kind, amount, *_ in posts(table, 4)] == pays


def test_a_newcomer_on_the_small_blind_adds_to_a_big_one() -> None:
    table = TableUnderTest(HOLDEM, **MISSED).seat(1, 2, 3, 5).deal(button=1).folds_round().seat(4)
    assert table.leave(3) is None
    table.deal()
    assert (table.hand.button, table.hand.small_blind) == (2, 4)
    assert [(kind, amount) for kind, amount, *_ in posts(table, 4)] == [("small", 50), ("entry", 50)]
