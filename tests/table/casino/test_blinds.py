"""Blinds owed: hands without a bet, blinds missed while away (pt-217-2007 89, 90, FP-3)."""

from msgspec.structs import replace

from libs.contracts.poker_events import BlindPosted, HandEnded, HandStarted
from libs.contracts.table_events import PlayerLeft
from tests.table.casino.play import CASINO_HOLDEM, casino, led, numbered, rule
from tests.table.play import TableUnderTest
from tests.testkit.cases import Case


def posts_of(table: TableUnderTest, seat: int) -> list[tuple[str, int, int]]:
    number = table.state.hands
    told = table.of(BlindPosted, everything=True)
    return [(e.blind, e.amount, e.to) for e in told if (e.hand, e.seat) == (number, seat)]


def ten_idle_five() -> TableUnderTest:
    """Ten players; P4, lead in the hand before, is dealt five hands and puts nothing in."""
    table = led(casino(*range(1, 11)), 4).folds_round()
    for _ in range(5):
        table.deal().folds_round()
    assert table.state.seats[4].idle == 5
    return table


@rule("89")
def test_after_five_hands_without_a_bet_a_live_big_blind_is_due() -> None:
    table = ten_idle_five()
    table.deal()
    assert posts_of(table, 4) == [("idle", 200, 200)]
    (started,) = table.of(HandStarted)
    assert table.turn == started.big_blind % 10 + 1, "still the seat left of the big blind"
    table.folds_round()
    assert table.state.seats[4].idle == 0, "any post starts the count anew"


def five_hands(*, seat: int, players: int, first: int, last: int, small: int) -> TableUnderTest:
    """That seat is dealt into each, posts nothing and folds; the others call. The next hand's lead is `small`."""
    table = casino(*range(1, players + 1), buy_in=200_000)
    numbered(table, first, (small - (last - first) - 2) % players + 1)
    while table.state.hands < last:
        table.deal()
        while table.state.hand is not None:
            act = "fold" if table.turn == seat else "check" if table.legal[0] else "call"
            assert table.act(table.turn or 0, act) is None
        assert not posts_of(table, seat)
    return table


@rule("89/1", "84")
def test_the_live_blind_counts_as_a_bet_and_changes_no_turn(case: Case) -> None:
    seat, players = case.int("seat"), case.int("players")
    table = five_hands(seat=seat, players=players, first=case["first"], last=case["last"], small=case["small"]).deal()
    (started,) = table.of(HandStarted)
    assert (started.hand, started.small_blind, started.big_blind) == (case["hand"], case["small"], case["big"])
    assert posts_of(table, seat) == [("idle", case["post"], case["post"])]
    assert table.names.index("HoleCardsDealt") > max(n for n, name in enumerate(table.names) if name == "BlindPosted")
    assert table.turn == case["big"] + 1, "still the seat left of the big blind"
    assert table.hand.bet == case["minimum"]
    while table.turn != seat:
        table.plays(f"{table.turn} call")
    assert table.legal[0], "with no raise it may check"
    table.plays(f"{seat} check")
    table.folds_round()
    assert table.state.seats[seat].idle == 0, "any post starts the count anew"


@rule("89/2")
def test_who_refuses_the_post_sits_out(case: Case) -> None:
    table = five_hands(seat=4, players=10, first=case.int("hand") - 5, last=case.int("hand") - 1, small=2)
    assert table.sit_out(4) is None
    table.deal()
    assert (table.hand.number, 4 in table.hand.order) == (case["hand"], False)
    assert table.folds_round().state.seats[4].absent == 1


@rule("89")
def test_in_the_big_blind_anyway_nothing_more_is_due() -> None:
    table = led(casino(2, 3, 4, 9, 10), 2).folds_round()
    table.state = replace(table.state, seats=table.state.seats | {4: replace(table.state.seats[4], idle=5)})
    table.deal()
    assert table.hand.big_blind == 4
    assert posts_of(table, 4) == [("big", 200, 200)]


@rule("89")
def test_a_big_blind_that_nobody_calls_is_a_bet() -> None:
    table = led(casino(2, 3, 4, 9, 10), 2).folds_round()
    table.state = replace(table.state, seats=table.state.seats | {4: replace(table.state.seats[4], idle=4)})
    table.deal()
    assert table.hand.big_blind == 4
    table.folds_round()
    assert table.state.seats[4].idle == 0


@rule("89")
def test_a_hand_not_dealt_in_does_not_count() -> None:
    table = led(casino(*range(1, 11)), 4).folds_round()
    table.deal().folds_round()
    assert table.state.seats[4].idle == 1
    assert table.sit_out(4) is None
    table.deal().folds_round()
    assert table.state.seats[4].idle == 1


def away(first: int = 30) -> TableUnderTest:
    """Seats 1, 2, 4, 6, 9: P6 rests from lead 4 on for two hands, in which both blinds pass it."""
    table = casino(1, 2, 4, 6, 9)
    assert table.sit_out(6) is None
    numbered(table, first, 4).deal().folds_round()
    table.deal().folds_round()
    return table


def is_still_owed(table: TableUnderTest, call: int) -> bool:
    while table.turn != 6:
        table.plays(f"{table.turn} fold")
    return table.legal[1] == call == table.hand.bet


@rule("90/1", "30")
def test_both_missed_blinds_are_paid_dead_and_the_call_is_still_owed(case: Case) -> None:
    table = away(case.ints("hands")[0])
    assert table.state.hands == case.ints("hands")[-1]
    assert table.sit_in(6) is None
    table.deal()
    assert (table.hand.number, table.state.rules.betting.big_blind) == (case["back"], case["minimum"])
    assert posts_of(table, 6) == [("missed", case["dead"], 0)]
    names = table.names
    assert max(n for n, name in enumerate(names) if name == "BlindPosted") < names.index("HoleCardsDealt")
    assert (table.hand.pot, table.hand.players[6].dead) == (case["dead"] + 300, case["dead"])
    assert is_still_owed(table, case["call"])
    table.folds_round()
    assert not table.state.seats[6].owes_small
    assert not table.state.seats[6].owes_big


@rule("90/2")
def test_only_the_small_blind_missed(case: Case) -> None:
    table = casino(1, 2, 4, 6, 9)
    led(table, 2).folds_round()
    table.deal().folds_round()
    assert table.state.button == 4, "P6 has just been the big blind"
    assert table.sit_out(6) is None
    table.deal().folds_round()
    assert table.sit_in(6) is None
    table.deal()
    assert posts_of(table, 6) == [("missed", case["dead"], 0)]
    assert is_still_owed(table, case["call"])


@rule("90")
def test_in_the_own_big_blind_both_are_posted() -> None:
    table = casino(1, 2, 4, 6, 9)
    assert table.sit_out(6) is None
    led(table, 4).folds_round()
    table.state = replace(table.state, button=2)  # the lead comes to seat 4 again, so P6 is the big blind
    assert table.sit_in(6) is None
    table.deal()
    assert table.hand.small_blind == 4
    assert posts_of(table, 6) == [("big", 200, 200), ("missed", 200, 0)]


@rule("90")
def test_dead_money_is_won_with_the_main_pot() -> None:
    table = away()
    assert table.sit_in(6) is None
    table.deal().folds_round()
    (ended,) = table.of(HandEnded)
    assert sum(result.staked for result in ended.results) == 500
    assert {result.seat: result.staked for result in ended.results}[6] == 300


@rule("90")
def test_a_void_hand_leaves_the_debt() -> None:
    table = away()
    assert table.sit_in(6) is None
    table.deal()
    assert table.void() is None
    assert table.stacks[6] == 20_000
    table.deal()
    assert posts_of(table, 6) == [("missed", 300, 0)]


@rule("FP-3/1", "90")
def test_who_can_not_cover_debt_and_minimum_is_not_dealt_in(case: Case) -> None:
    for stack, is_dealt in ((case["short"], False), (case["enough"], True)):
        table = TableUnderTest(CASINO_HOLDEM, buy_in_min=400, buy_in_max=20_000, big_blind=case["minimum"])
        table.seat(1, 2, 4, 9, 10, amount=20_000).seat(6, amount=stack)
        assert table.sit_out(6) is None
        led(table, 4).folds_round()
        table.deal().folds_round()
        assert table.sit_in(6) is None
        table.deal()
        assert (6 in table.hand.order) is is_dealt
        if is_dealt:
            assert (posts_of(table, 6), table.stacks[6]) == ([("missed", case["owes"], 0)], case["plays"])


@rule("90/3", "13")
def test_who_does_not_come_back_leaves_with_the_whole_stack(case: Case) -> None:
    """Both blinds were missed and the third hand too: removed by 13, and nothing is charged for the blinds."""
    table = away(case.ints("hands")[0])
    assert table.state.hands == case.ints("hands")[-1]
    table.deal().folds_round()
    assert table.state.hands == case["third"]
    (left,) = table.of(PlayerLeft)
    assert (left.seat, left.stack, left.reason) == (6, 20_000, "inactivity")
