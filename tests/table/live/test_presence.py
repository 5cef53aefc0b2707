"""A dealer acts for who sits at the dealer's table, and for nobody who plays from elsewhere (pt-217-2007 14.l)."""

from typing import Any

import pytest

from libs.contracts import live_commands as c
from libs.contracts.live_commands import LiveReason as Reason
from libs.contracts.live_events import PresenceStated
from libs.contracts.poker_commands import Act
from libs.contracts.poker_events import BetPlaced
from tests.table.live.play import DEALER, SUPERVISOR, LiveTable, live_h6
from tests.table.play import TableUnderTest


def by_the_dealer(table: LiveTable, seat: int, act: Any, to: int | None = None) -> str | None:
    return table.send(DEALER, Act(hand=table.state.hands, seat=seat, act=act, to=to))


def test_who_said_nothing_plays_from_elsewhere() -> None:
    """A seat is taken over a session; that alone puts nobody at the table."""
    table = LiveTable(1, 2, 3, 4)
    assert not any(map(table.state.is_remote, table.state.seats))
    TableUnderTest.seat(table, 5)
    assert table.state.is_remote(5)


def test_a_dealer_moves_no_chip_of_a_remote_player() -> None:
    table = live_h6(lead=1)
    table.state_presence(3, present=False)
    assert by_the_dealer(table, 3, "raise", 20_000) == Reason.PLAYER_IS_REMOTE
    assert by_the_dealer(table, 3, "fold") == Reason.PLAYER_IS_REMOTE
    assert table.of(BetPlaced, True) == []
    assert table.act(3, "call") is None, "over the own session, as ever"
    assert by_the_dealer(table, 4, "call") is None, "who sits there tells the dealer"


@pytest.mark.parametrize(
    "report",
    [
        {"code": "PE-71f", "seat": 5, "act": "raise", "to": 20_000},
        {"code": "BET-53", "seat": 3, "act": "raise", "to": 20_000, "placed": 500},
        {"code": "PE-71b", "seat": 3, "count": 1},
        {"code": "PE-71c", "seat": 3, "placed": 100},
        {"code": "PE-71d", "seat": 3, "placed": 5_000},
        {"code": "PE-71g", "seats": [3, 4]},
        {"code": "PE-71h", "seat": 5, "error": "DE-69b"},
        {"code": "PE-55", "seat": 3, "placed": 300},
        {"code": "DE-70b", "seat": 3},
    ],
    ids=lambda report: report["code"],
)
def test_nor_by_a_report_of_what_the_player_did(report: dict[str, Any]) -> None:
    there, elsewhere = live_h6(lead=1), live_h6(lead=1)
    for seat in (3, 5):
        assert elsewhere.state_presence(seat, present=False) is None
    code, *_ = report.values()
    rest = {name: value for name, value in report.items() if name != "code"}
    assert elsewhere.report(code, **rest) == Reason.PLAYER_IS_REMOTE
    assert elsewhere.hand.players[3].in_round == 0
    assert there.report(code, **rest) is None, "of who sits there it is taken"


def test_a_remote_player_is_not_gone_past_and_owes_no_blind_to_the_dealers_eye() -> None:
    table = live_h6(lead=1)
    table.state_presence(3, present=False)
    assert table.send(DEALER, c.PassTurn(hand=table.state.hands, seat=3)) == Reason.PLAYER_IS_REMOTE
    other = LiveTable(1, 2, 3, 4, 5, 6)
    other.state_presence(2, present=False)
    other.make_ready()
    assert other.deal_hand(unposted=[2]) == Reason.PLAYER_IS_REMOTE
    assert other.deal_hand() is None


def test_only_the_player_says_so() -> None:
    """A dealer who could say it would act for anybody."""
    table = LiveTable(1, 2, 3, 4)
    for somebody in (DEALER, SUPERVISOR):
        assert table.send(somebody, c.StatePresence(present=True)) == "not_allowed"
    told = len(table.of(PresenceStated, True))
    assert table.state_presence(1) is None
    assert len(table.of(PresenceStated, True)) == told, "nothing new"


def test_it_ends_with_the_sitting() -> None:
    table = LiveTable(1, 2, 3, 4)
    assert table.leave(4) is None
    TableUnderTest.seat(table, 4)
    assert table.state.is_remote(4)
