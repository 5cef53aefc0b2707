"""Leaving at any time, removal by staff, void hands, closing and pausing."""

from collections import Counter

import pytest

from libs.contracts.messages import Principal, PublicEvent
from libs.contracts.poker_events import ButtonDrawn, HandStarted, HandVoided, PlayerFolded, PotAwarded
from libs.contracts.table_events import LeaveRequested, PlayerLeft, RefundSent, SeatReleased
from libs.views.table import TableView, fold_table
from services.wallet.policies.reactions import REACTIONS
from tests.table.play import TableUnderTest
from tests.wallet.ledger.test_books_of_random_tables import booked


def portugal(*refs: str) -> pytest.MarkDecorator:
    return pytest.mark.rule("pt-811-2015", *refs)


def four(**changes: str) -> TableUnderTest:
    return TableUnderTest(**changes).seat(1, 2, 3, 4).deal(button=1)


@portugal("10", "35", "69")
def test_on_the_own_turn_it_is_a_fold_at_once() -> None:
    table = four().plays("4 raise 350", "1 call", "2 fold", "3 fold", "4 bet 100", "1 raise 300")
    assert table.leave(4) is None
    assert table.names[:3] == ["PlayerFolded", "UncalledBetReturned", "PlayerLeft"]
    assert table.of(PlayerLeft)[0].stack == 10_000 - 450
    assert table.of(PotAwarded)[0].winners == [1]


@portugal("10", "69")
def test_before_the_turn_the_fold_is_booked_when_it_comes() -> None:
    table = four()
    assert table.leave(2) is None
    assert table.names == ["LeaveRequested"]
    assert table.leave(2) == "leaving"
    table.plays("4 call", "1 call")
    assert table.names[:3] == ["BetPlaced", "PlayerFolded", "PlayerLeft"]
    (folded,) = table.of(PlayerFolded)
    assert (folded.seat, folded.actor, folded.reason) == (2, "house", "left")
    assert table.of(PlayerLeft)[0].stack == 9950
    assert table.turn == 3


@portugal("10")
def test_if_all_others_fold_first_the_leaver_wins() -> None:
    table = four()
    table.leave(3)
    table.plays("4 fold", "1 fold", "2 fold")
    (left,) = table.of(PlayerLeft)
    assert (left.seat, left.stack) == (3, 10_050)
    assert table.names.index("HandEnded") < table.names.index("PlayerLeft")


@portugal("10", "73")
def test_an_all_in_leaver_plays_on() -> None:
    table = four(structure="no_limit").plays("4 raise 10000")
    assert table.leave(4) is None
    assert table.names == ["LeaveRequested"]
    table.plays("1 call", "2 fold", "3 fold")
    (left,) = table.of(PlayerLeft)
    won = sum(p.net for award in table.of(PotAwarded) for p in award.payments if p.seat == 4)
    assert left.stack == won


@portugal("11.g")
def test_removal_takes_effect_after_the_hand() -> None:
    table = four()
    assert table.remove(4) is None
    (asked,) = table.of(LeaveRequested)
    assert (asked.reason, asked.by, asked.cause) == ("removed", "staff-1", "conduct")
    table.plays("4 call", "1 fold", "2 fold", "3 check", "3 check", "4 bet 100", "3 fold")
    (left,) = table.of(PlayerLeft)
    assert (left.seat, left.reason) == (4, "removed")
    assert table.remove(1) is None
    assert table.of(PlayerLeft)[0].reason == "removed"
    assert table.remove(9) == "not_seated"


@portugal("72", "67")
def test_a_void_hand_returns_every_bet() -> None:
    table = TableUnderTest(buy_in_min=5000, buy_in_max=10_000).with_stacks(s1=10_000, s2=8000, s3=5000)
    table.deal(button=1).plays("1 raise 300", "2 fold", "3 call")
    assert table.void(9) == "wrong_hand"
    assert table.void() is None
    (void,) = table.of(HandVoided)
    assert {r.seat: r.amount for r in void.refunds} == {1: 300, 2: 50, 3: 300}
    assert table.stacks == {1: 10_000, 2: 8000, 3: 5000}
    assert table.state.books.raked == 0
    assert table.void() == "no_hand"


@portugal("72")
def test_a_refund_follows_who_has_left() -> None:
    """As far as to what the wallet is asked to bring home."""
    table = four().plays("4 raise 350")
    table.leave(1)
    table.leave(2)
    table.void()
    home: Counter[str] = Counter()
    for version, event in enumerate(table.told, 1):
        if isinstance(event, PlayerLeft | RefundSent):
            public = PublicEvent(stream="t1", version=version, type="", time=1, causation="c", data=b"{}")
            (settles,) = REACTIONS[type(event)](public, event)
            home[settles.stream] += settles.body["returned"]
    assert home == {"account-p1-EUR": 10_000, "account-p2-EUR": 10_000}
    assert table.state.books.owed == 0


@portugal("72")
def test_a_refund_is_no_departure_of_who_has_come_back_by_then() -> None:
    """Found by the simulation: at another seat, with another stack, which stays in view and books."""
    table = four().plays("4 raise 350", "1 fold")
    table.leave(2)
    assert table.take(6, 10_000, player="p2") is None
    assert table.confirm(6) is None
    table.void()
    (sent,) = table.of(RefundSent)
    assert (sent.seat, sent.player, sent.amount) == (2, "p2", 50)
    view = TableView(table.state.table)
    for version, event in enumerate(table.told, 1):
        view = fold_table(view, event, version)
    assert {number: held.stack for number, held in view.seats.items()} == table.stacks
    assert view.seats[6].stack == 10_000
    booked(list(table.told))  # with every figure that an event states


@portugal("6.b")
def test_closing_finishes_the_hand_and_sends_everybody_home() -> None:
    table = four()
    table.take(5, 10_000)
    assert table.close() is None
    assert table.names == ["TableClosing", "SeatReleased"]
    assert table.of(SeatReleased)[0].reason == "table_closing"
    assert table.take(6, 10_000) == "table_not_open"
    assert table.top_up(1, 10) == "table_not_open"
    table.folds_round()
    assert [event.reason for event in table.of(PlayerLeft)] == ["table_closed"] * 4
    assert table.names[-1] == "TableClosed"
    assert table.due is None
    assert table.close() == "table_not_open"
    assert table.wake() is None
    assert table.last == []


def test_a_paused_table_finishes_its_hand_and_deals_no_more() -> None:
    table = four()
    assert table.pause() is None
    assert table.pause() == "already_paused"
    table.folds_round()
    assert table.due is None
    table.wake()
    assert table.of(HandStarted) == []
    assert table.resume() is None
    assert table.resume() == "not_paused"
    table.wake()
    assert table.of(ButtonDrawn)
    assert table.of(HandStarted)


def test_a_table_opens_once_and_takes_nothing_before() -> None:
    from libs.contracts.table_commands import OpenTable
    from services.table.domain.table.state import Table
    from tests.table.play import configuration

    table = TableUnderTest()
    again = OpenTable(name="x", rulebook="pt-811-2015-omaha", configuration=configuration())
    assert table.send(Principal("staff", "s"), again) == "already_open"
    table.state = Table(table="t2")
    assert table.take(1, 10_000) == "table_not_open"
    assert (
        table.send(Principal("staff", "s"), OpenTable(name="x", rulebook="chess", configuration={}))
        == "unknown_rulebook"
    )
    assert (
        table.send(Principal("player", "s"), OpenTable(name="x", rulebook="chess", configuration={})) == "not_allowed"
    )
