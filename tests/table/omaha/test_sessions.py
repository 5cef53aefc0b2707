"""Breaks, absence, too small a stack: invited, warned, sent home (68, 70, 71); faults (72, 73)."""

from typing import Any

from msgspec.structs import replace

from libs.contracts.messages import Principal
from libs.contracts.poker_events import (
    BlindPosted,
    HandStarted,
    HandVoided,
    HoleCardsDealt,
    PotAwarded,
    StreetDealt,
)
from libs.contracts.registry import decode_fact, encode_fact
from libs.contracts.table_commands import ReportConnection
from libs.contracts.table_events import PlayerInvitedToLeave, PlayerLeft, PlayerSatOut, PlayerWarned
from services.table.domain.table.state import Table
from tests.table.omaha.house import House
from tests.table.omaha.play import game, nets, portugal, ranked, seated
from tests.table.play import TableUnderTest
from tests.table.under_test import refolded
from tests.table.views import notices
from tests.testkit.cases import Case

P = 4
"""The seat that is away; three others play."""
MINUTE = 60_000


def play_hand(table: TableUnderTest, *, away: bool = True, in_person: bool = False) -> TableUnderTest:
    """Everybody checks or calls; `away`: P lets every turn time out, `in_person`: P calls once before that."""
    if table.state.hand is None:
        table.wake()
    while table.state.hand is not None:
        if table.turn == P and away and not in_person:
            table.time_out()
        else:
            in_person = in_person and table.turn != P
            table.plays(f"{table.turn} {'check' if table.legal[0] else 'call'}")
    return table


def four(**changes: Any) -> TableUnderTest:
    """Deep stacks; P is dealt in from the first hand on."""
    return seated(dict.fromkeys((1, 2, 3, P), 10**6), **changes)


def invited(table: TableUnderTest) -> list[tuple[int, str]]:
    return [(event.seat, event.reason) for event in table.of(PlayerInvitedToLeave, True)]


@portugal("70.b/1")
def test_absent_in_five_hands(case: Case) -> None:
    for sits_out in (True, False):
        table = four()
        if sits_out:
            table.sit_out(P)
        for number in range(case.int("from"), case.int("to") + 1):
            play_hand(table)
            assert (table.state.hands, table.state.seats[P].absent) == (number, number)
        table.later(MINUTE)
        assert invited(table) == []


@portugal("70.b/2")
def test_absent_in_a_sixth(case: Case) -> None:
    for sits_out in (True, False):
        table = four()
        if sits_out:
            table.sit_out(P)
        while table.state.hands < case.int("more_than"):
            play_hand(table)
        assert invited(table) == []
        play_hand(table)
        assert (table.state.hands, invited(table)) == (case["hand"], [(P, "absent")])


@portugal("70.b/3")
def test_a_decision_in_person_restarts_the_count(case: Case) -> None:
    table = four()
    (first, last), (again, end) = case.ints("absent"), case.ints("again")
    for number in range(first, end + 1):
        play_hand(table, in_person=number == case["calls"])
        assert table.state.hands == number
        since = 0 if number == case["calls"] else number if number <= last else number - again + 1
        assert table.state.seats[P].absent == since
    assert invited(table) == []


@portugal("70.b/4")
def test_a_smaller_number_in_the_house_rules(case: Case) -> None:
    first, last = case.ints("absent")
    table = four(absent_hands=case["limit"])
    for _ in range(first, last + 1):
        assert invited(table) == []
        play_hand(table)
    assert (table.state.hands, invited(table)) == (case["hand"], [(P, "absent")])


@portugal("70.b/5")
def test_a_blind_posted_for_an_absent_player_is_no_decision(case: Case) -> None:
    first, last = case.ints("absent")
    table = four().after_button(4)
    for _ in range(first, last + 1):
        assert invited(table) == []
        play_hand(table)
    posted = [event.hand for event in table.of(BlindPosted, True) if event.seat == P]
    assert case["blind"] in posted
    assert (table.state.hands, invited(table)) == (case["hand"], [(P, "absent")])


def warned_after(hands: int, **changes: Any) -> TableUnderTest:
    """P was away for so many hands, and the next one has just begun."""
    table = four(**changes)
    for _ in range(hands):
        play_hand(table)
    table.wake()
    assert table.names[:2] == ["PlayerWarned", "HandStarted"]
    return table


@portugal("71/2")
def test_a_decision_after_the_warning(case: Case) -> None:
    for act in ("fold", "call"):
        table = warned_after(case["hand"] - 1)
        assert table.hand.number == case["hand"]
        while table.turn != P:
            table.plays(f"{table.turn} call")
        assert table.act(P, act) is None
        while table.state.hand is not None:
            table.plays(f"{table.turn} {'check' if table.legal[0] else 'call'}")
        assert (table.state.seats[P].absent, table.state.seats[P].notice) == (case["count"], None)
        assert notices(table, P) == ["invited: absent", "warned: absent", None], "told that the seat is safe"
        table.wake()
        assert table.of(PlayerLeft, True) == []


def after_hand(number: int, **stacks: int) -> TableUnderTest:
    """As if so many hands had been played."""
    table = seated({int(name[1:]): stack for name, stack in stacks.items()})
    table.state = replace(table.state, hands=number)
    return table


def short_of_the_minimum(case: Case, hand: int) -> House:
    """Seat 3 ends the hand with the case's stack, which is below the minimum bet."""
    table = after_hand(hand - 1)
    there = House(table, p1=10**6, p2=10**6, p3=10**6)
    for seat, stack in ((1, 9000), (2, 9000), (3, 1000 + case.int("stack"))):
        assert there.sits(seat, stack) is None
    table.deal(button=1).plays("1 raise 900", "2 fold", "3 call", "3 check", "1 bet 100", "3 call")
    assert table.hand.number == hand
    table.plays("3 fold")
    assert table.stacks[3] == case["stack"]
    return there


@portugal("70.a/1")
def test_below_the_minimum_and_no_top_up(case: Case) -> None:
    table = short_of_the_minimum(case, case["after"]).table
    over = table.now
    assert table.stacks[3] < case["minimum"] == table.state.rules.betting.big_blind
    table.wake()
    assert (table.hand.number, 3 in table.hand.players) == (case["next"], False)
    table.now = over + case.int("seconds") * 1000 - 1
    table.act(table.turn or 0, "call")
    table.wake()
    assert invited(table) == []
    table.later(1)
    assert invited(table) == [(3, "below_minimum")]
    assert table.sit_out(3) is None
    assert table.sit_in(3) is None
    assert notices(table, 3) == ["invited: below_minimum", "warned: below_minimum"], "which coming back does not lift"


@portugal("71/4")
def test_warned_during_a_hand_and_gone_before_the_next(case: Case) -> None:
    there = short_of_the_minimum(case, case["hand"] - 1)
    table, had = there.table, there.available(3)
    table.wake()
    assert (table.hand.number, 3 in table.hand.players) == (case["hand"], False)
    table.now += 10_000
    table.plays(f"{table.turn} call")
    table.later(20_000)
    assert [event.seat for event in table.of(PlayerWarned)] == [3]
    table.folds_round()
    there.settle()
    assert (3 in table.state.seats, there.available(3)) == (True, had)
    table.wake()
    there.settle()
    (left,) = table.of(PlayerLeft)
    assert (left.seat, left.stack, left.reason) == (3, case["stack"], "below_minimum")
    assert [event.hand for event in table.of(HandStarted)] == [case["next"]]
    assert there.available(3) - had == case["credited"]


@portugal("68/1")
def test_a_break_begins_with_the_next_hand(case: Case) -> None:
    table = four(break_ms=case.int("minutes") * MINUTE).deal(button=1)
    table.sit_out(P, on_break=True)
    (out,) = table.of(PlayerSatOut)
    assert (out.reason, out.until) == ("break", table.now + case.int("minutes") * MINUTE)
    assert P in table.hand.players
    table.plays(f"{P} call")
    play_hand(table, away=False)
    stack = table.stacks[P]
    for _ in range(5):
        table.wake()
        (dealt,) = table.of(HoleCardsDealt)
        assert P not in {deal.seat for deal in dealt.deals} | {event.seat for event in table.of(BlindPosted)}
        table.folds_round()
        assert table.stacks[P] == stack


@portugal("68/2")
def test_back_in_time(case: Case) -> None:
    for post in (False, True):
        table = four().deal(button=1)
        table.sit_out(P, on_break=True)
        for _ in range(3):
            play_hand(table)  # after two it would sit between button and small blind
        table.now += case.int("after") * MINUTE
        assert table.sit_in(P, post=post) is None
        table.wake()
        assert (P in table.hand.players) == post
        while P not in table.hand.players:
            table.folds_round().wake()
        blinds = [event.blind for event in table.of(BlindPosted) if event.seat == P]
        # The big blind has gone past: so a dead small one goes with the other that is freely posted.
        assert blinds == (["entry", "missed"] if post else ["big"])
        play_hand(table, away=False).later(10 * MINUTE)
        assert table.of(PlayerWarned, True) == []


@portugal("68/3", "68/4")
def test_a_break_that_runs_out_in_a_hand_ends_the_session_after_the_next(case: Case) -> None:
    table = four(break_ms=case.int("minutes") * MINUTE)
    table.sit_out(P, on_break=True)
    table.now += case.int("minutes") * MINUTE - 1
    table.wake()
    assert P not in table.hand.players
    table.later(1)
    assert [event.reason for event in table.of(PlayerWarned)] == ["break_over"]
    for number in (1, 2):
        assert (P in table.state.seats, table.hand.number) == (True, number)
        table.folds_round()
        if number == 1:
            table.wake()
    assert [(event.seat, event.reason) for event in table.of(PlayerLeft, True)] == [(P, "break_over")]


@portugal("70.b")
def test_a_hand_that_is_won_before_the_turn_comes_is_no_absence() -> None:
    table = play_hand(four())
    assert table.state.seats[P].absent == 1
    table.deal(button=2)
    assert table.hand.big_blind == P
    table.plays("1 fold", "2 fold", "3 fold")
    assert (table.state.hand, table.state.seats[P].absent) == (None, 1)


@portugal("70.a/1")
def test_who_waits_for_a_top_up_is_not_invited(case: Case) -> None:
    table = short_of_the_minimum(case, case["after"]).table
    assert table.state.rules.betting.big_blind == case["minimum"]
    assert table.top_up(3, 5_000) is None
    table.wake()
    assert (table.hand.number, 3 in table.hand.players) == (case["next"], False)
    table.folds_round()
    table.now += 2 * case.int("seconds") * 1000
    table.wake()
    assert invited(table) == []


def lost(table: TableUnderTest, seat: int) -> None:
    """The gateway reports that the player is gone."""
    gateway = Principal("policy", "gateway")
    assert table.send(gateway, ReportConnection(player=f"p{seat}", connected=False)) is None


@portugal("73/2")
def test_who_is_gone_while_all_in_is_paid() -> None:
    table = game(1, {1: 9000, 2: 9000, 3: 2000}, deck=ranked(1, {3: 0, 1: 1, 2: 2}))
    table.plays("1 raise 2000", "2 call", "3 call")
    lost(table, 3)
    while table.state.hand is not None:
        assert table.turn in (1, 2), "who is gone is asked for nothing"
        table.plays(f"{table.turn} check")
    assert nets(table) == {3: 6000 * 95 // 100}
    assert table.stacks[3] == nets(table)[3]


def house_of_three(case: Case) -> House:
    """The hand of the case: what each has put in, and seat 3 is asked."""
    stacks, put_in = case.ints("stacks"), case.ints("put_in")
    table = seated((), small_blind=put_in[1], resume_ms=120_000, between_hands_ms=1000)
    there = House(table, **{f"p{seat}": stack for seat, stack in enumerate(stacks, 1)})
    for seat, stack in enumerate(stacks, 1):
        assert there.sits(seat, stack) is None
    table.deal(button=1).plays(f"1 raise {put_in[0]}", "2 fold", "3 call")
    assert [table.hand.players[seat].committed for seat in (1, 2, 3)] == put_in
    return there


@portugal("72/1")
def test_a_hand_that_cannot_be_restored_is_void(case: Case) -> None:
    there = house_of_three(case)
    table = there.table
    button = table.hand.button
    table.now = (table.due or 0) + 120_000
    table.wake(outage=True)
    (void,) = table.of(HandVoided, True)
    assert void.cause
    assert [refund.amount for refund in void.refunds] == case.ints("put_in")
    assert list(table.stacks.values()) == case.ints("stacks")
    assert table.state.books.raked == case["rake"]
    assert table.of(PotAwarded, True) == []
    table.later(1000)
    assert table.hand.button == button
    table.void()
    for seat in (1, 2, 3):
        table.leave(seat)
    there.settle()
    home = [there.available(seat) for seat in (1, 2, 3)]
    assert [before - after for before, after in zip(case.ints("stacks"), home, strict=True)] == [case["staked"]] * 3


@portugal("72/2")
def test_restored_in_time_the_hand_goes_on(case: Case) -> None:
    table = game(1, (1, 2, 3)).plays("1 call", "2 call", "3 check", "2 check", "3 check", "1 check", "2 bet 100")
    assert table.hand.street == "turn"
    deck, turn, due = table.hand.deck, table.hand.turn, table.due
    restored = Table(table="t1")
    for event, told_deck in zip(table.told, table.decks, strict=True):
        restored = refolded(restored, decode_fact(*encode_fact(event)), told_deck)
    table.state = restored
    table.now += case.int("seconds") * 1000
    table.wake(outage=True)
    assert (table.last, table.hand.deck, table.hand.turn, table.due) == ([], deck, turn, due)
    table.plays("3 call", "1 call")
    assert table.of(HandVoided, True) == []


@portugal("72/3")
def test_a_credit_that_was_not_made_is_made_once() -> None:
    table = seated(())
    there = House(table, p1=10_000, p2=10_000)
    for seat in (1, 2):
        assert there.sits(seat, 10_000) is None
    table.deal(button=1, fresh=ranked(1, {1: 0, 2: 1})).plays("1 raise 10000", "2 call")
    table.leave(1)
    assert there.available(1) == 0, "the wallet has not heard of it"
    there.settle().once_more(PlayerLeft).once_more(PlayerLeft)
    assert there.available(1) == nets(table)[1] == 19_000
    assert table.of(HandVoided, True) == []


@portugal("72/4")
def test_all_in_and_void_there_are_no_shares_by_chances() -> None:
    table = game(1, {1: 3000, 2: 2000, 3: 1000}, deck=ranked(1, {1: 0, 2: 1, 3: 2}))
    before = {1: 3000, 2: 2000, 3: 1000}
    table.plays("1 raise 3000", "2 call", "3 call")
    state = Table(table="t1")
    for event, deck in zip(table.told, table.decks, strict=True):
        if isinstance(event, StreetDealt) and event.street == "river":
            break
        state = refolded(state, event, deck)
    table.state = state
    assert (table.hand.street, len(table.hand.board), table.turn) == ("turn", 4, None)
    table.void()
    assert table.stacks == before
    assert table.state.books.raked == 0


@portugal("72/5")
def test_a_void_hand_leaves_the_commission_on_the_buy_in() -> None:
    table = TableUnderTest(rake_mode="buy_in", rake_bp=1000).seat(1, 2, 3).deal(button=1).plays("1 raise 300")
    table.void()
    assert table.of(HandVoided)
    assert table.stacks == {1: 9000, 2: 9000, 3: 9000}
    assert table.state.books.raked == 3000
