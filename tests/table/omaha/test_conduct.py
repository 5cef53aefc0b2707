"""Measures of the house against players (11.g), and what no table of Omaha online grants."""

from libs.contracts.conduct_commands import MutePlayer, WarnPlayer
from libs.contracts.conduct_events import ConductWarned, MessageBlocked, PlayerMuted
from libs.contracts.table_events import LeaveRequested, PlayerLeft
from tests.table.asking import FLOOR, write
from tests.table.omaha.house import House
from tests.table.omaha.play import portugal, seated


@portugal("11.g/1")
def test_measures_take_effect_after_the_hand_and_say_who_when_and_why() -> None:
    table = seated((), chat="hold")
    there = House(table, p1=10_000, p2=10_000, p3=10_000)
    for seat in (1, 2, 3):
        assert there.sits(seat, 10_000) is None
    table.deal(button=1)
    table.now += 1000
    assert table.send(FLOOR, WarnPlayer(player="p2", rule="11.g", cause="insults")) is None
    (warned,) = table.of(ConductWarned)
    assert (warned.player, warned.by, warned.cause, warned.at) == ("p2", FLOOR.id, "insults", table.now)
    assert table.send(FLOOR, MutePlayer(player="p2", cause="insults")) is None
    (muted,) = table.of(PlayerMuted)
    assert (muted.player, muted.by, muted.cause, muted.at) == ("p2", FLOOR.id, "insults", table.now)
    assert write(table, "p2") is None
    assert [event.reason for event in table.of(MessageBlocked)] == ["muted"]
    assert table.remove(2) is None
    (asked,) = table.of(LeaveRequested)
    assert (asked.player, asked.reason, asked.by, asked.cause) == ("p2", "removed", "staff-1", "conduct")
    assert 2 in table.state.seats
    table.plays("1 raise 300", "2 fold", "3 fold")
    (left,) = table.of(PlayerLeft)
    assert (left.player, left.reason, left.stack) == ("p2", "removed", 9950)
    there.settle()
    assert (there.available(2), there.reserved(2)) == (9950, 0)
