"""The course of a coup at a table: betting, dealing, showing, paying, and who is not there."""

from typing import Any

import pytest

from libs.contracts.baccarat_events import BettingClosed, CoupLapsed, CoupOpened, CoupSettled, ShoeStarted
from libs.contracts.messages import Principal
from libs.contracts.table_commands import ReportConnection
from libs.contracts.table_events import ConnectionLost, LeaveRequested, PlayerLeft
from libs.sealing.shuffle import ShoeShuffle
from tests.table.baccarat.play import SCORING, START, CoupTable
from tests.table.under_test import policy
from tests.testkit.cases import Case

rule = pytest.mark.rule
_REGULATION = "pt-812-2015-baccarat"


@rule(_REGULATION, "16", "27")
def test_one_deadline_for_all_and_a_bet_at_the_deadline_is_too_late() -> None:
    table = CoupTable().seat(1, 2).betting()
    opened = table.of(CoupOpened)[0]
    assert (opened.until, [seat.seat for seat in opened.seats]) == (START + 20_000, [1, 2])
    assert table.bet(1, "ponto 100", now=19_999) is None
    assert table.bet(2, "ponto 100", now=20_000) == "betting_is_closed"
    assert table.rule == "27"
    assert table.withdraw(1, "ponto") == "betting_is_closed"
    assert table.due == 20_000
    table.at(20_000)
    assert table.names[:2] == ["BettingClosed", "CoupDealt"]
    assert table.of(BettingClosed)[0].totals == {"ponto": 100}


@rule(_REGULATION, "28/1")
def test_a_single_player_who_has_bet_deals_at_once(case: Case) -> None:
    table = CoupTable(mode="single").seat(1).betting(SCORING[7, 6])
    assert table.of(CoupOpened)[0].until is None
    assert (table.deal(), table.rule) == ("no_stake", "28")
    assert table.bet(1, f"ponto {case['stake']}") is None
    assert table.due is None, "no clock runs"
    assert table.deal() is None
    assert table.names[:2] == ["BettingClosed", "CoupDealt"]
    assert table.net(1) == case["stake"]


def test_at_a_table_for_many_the_clock_deals() -> None:
    table = CoupTable().seat(1).betting()
    assert table.bet(1, "ponto 100") is None
    assert table.deal() == "dealt_by_the_clock"


@rule(_REGULATION, "30/1", "30/2")
def test_a_player_whose_connection_is_lost_is_paid_and_loses_like_everybody(case: Case) -> None:
    won, lost = case.of("30/1"), case.of("30/2")
    banca, ponto = won.ints("scores")
    ponto_wins, banca_wins = (7, 6), (ponto, banca)
    for scores, net in ((banca_wins, won.int("credited") - won.int("stake")), (ponto_wins, lost.int("net"))):
        table = CoupTable(commission_mode=won["mode"]).seat(1).betting(SCORING[scores])
        assert table.bet(1, f"banca {won['stake']}") is None
        assert table.send(policy(), ReportConnection(player="p1", connected=False)) is None
        assert table.of(ConnectionLost)
        settled = table.close_bets()
        assert (settled.ponto, settled.banca) == scores
        assert table.state.seats[1].offline
        assert (table.net(1), table.stack(1)) == (net, 10_000 + net)


@rule(_REGULATION, "34/1")
@pytest.mark.parametrize("mode", ["single", "multi"])
def test_a_bet_stands_when_its_player_leaves(mode: str) -> None:
    table = CoupTable(mode=mode).seat(1).betting(SCORING[7, 6])
    assert table.bet(1, "ponto 1000") is None
    assert table.leave(1) is None
    asked, left = table.of(LeaveRequested)[0], table.of(PlayerLeft)
    assert (asked.player, bool(left)) == ("p1", mode == "single"), "who deals is gone: nobody has to be waited for"
    if mode == "multi":
        assert (table.bet(1, "ponto 100"), table.withdraw(1, "ponto")) == ("leaving", "leaving")
        table.close_bets()
    (result,) = table.settled.results
    assert (result.player, result.staked, result.credited) == ("p1", 1000, 2000)
    (gone,) = table.of(PlayerLeft)
    assert (gone.player, gone.stack, gone.reason) == ("p1", 11_000, "player")
    assert table.names.index("CoupSettled") < table.names.index("PlayerLeft")


@rule(_REGULATION, "34")
def test_a_single_player_who_leaves_is_settled_at_once_and_who_has_not_bet_just_goes() -> None:
    table = CoupTable(mode="single").seat(1).betting("4h 3d 5s 5c")
    assert table.bet(1, "ponto 1000") is None
    assert table.leave(1) is None
    assert table.names == ["LeaveRequested", *_DEALT, "CoupSettled", "PlayerLeft"]
    table.seat(1)
    assert table.leave(1) is None
    assert table.names[0] == "PlayerLeft"


_DEALT = ["BettingClosed", "CoupDealt", "SideShown", "SideShown"]


def test_who_is_removed_by_staff_is_settled_first() -> None:
    table = CoupTable(mode="single").seat(1).betting("4h 3d 5s 5c")
    assert table.bet(1, "ponto 1000") is None
    assert table.remove(1) is None
    assert table.due == 0
    table.wake()
    assert table.names[-1] == "PlayerLeft"
    assert table.of(PlayerLeft)[0].stack == 11_000


def test_a_closing_table_deals_what_is_staked_and_is_closed() -> None:
    table = CoupTable(mode="single").seat(1).betting("4h 3d 5s 5c")
    assert table.bet(1, "ponto 1000") is None
    assert table.close() is None
    assert table.state.status == "closing"
    table.wake()
    assert table.names[-3:] == ["PlayerLeft", "BankClosed", "TableClosed"]
    assert (table.state.shoe, table.state.round) == (None, None)


def test_a_period_without_a_bet_is_no_round_and_the_table_waits() -> None:
    table = CoupTable().seat(1).betting()
    table.at(20_000)
    assert [type(event) for event in table.last] == [CoupLapsed]
    assert table.due is None
    assert table.bet(1, "ponto 100") is None
    assert table.names == ["CoupOpened", "StakePlaced"]
    assert table.of(CoupOpened)[0].until == table.now + 20_000
    assert table.state.last_round == 2


def test_a_newcomer_opens_the_betting_of_a_table_that_waits() -> None:
    table = CoupTable().seat(1).betting().at(20_000)
    table.now += 1
    table.seat(2)
    assert table.due is not None
    table.wake()
    assert table.names == ["CoupOpened"]


def test_bets_of_a_table_that_everybody_left_are_not_waited_for() -> None:
    table = CoupTable(mode="single").seat(1).betting()
    assert table.leave(1) is None
    assert table.names == ["PlayerLeft", "CoupLapsed"]
    assert table.state.round is None


def test_a_round_can_be_named_and_another_is_refused() -> None:
    from libs.contracts.baccarat_commands import PlaceStake

    table = CoupTable().seat(1).betting()

    def place(number: int) -> str | None:
        return table.send(Principal("player", "p1"), PlaceStake(round=number, chance="ponto", amount=100))

    assert place(2) == "wrong_round"
    assert place(1) is None


@rule(_REGULATION, "FP-3/1")
def test_the_recorded_order_gives_the_same_coups_again() -> None:
    """The order that lies sealed beside the shoe's event, dealt at another table, tells the same to the last byte."""

    def evening(order: ShoeShuffle | None) -> CoupTable:
        table = CoupTable().seat(1, 2, amount=1_000_000)
        table.wake(order)
        for _ in range(30):
            assert table.bet(1, "ponto 500", "empate 100", "par_banca 100") is None
            assert table.bet(2, "banca 700", "par_ponto 100") is None
            table.close_bets()
        return table

    once = evening(None)
    (recorded,) = once.of(ShoeStarted, everything=True)
    again = evening(ShoeShuffle(once.deck_of(recorded)))
    (started,) = again.of(ShoeStarted, everything=True)
    assert started.deck_root == recorded.deck_root
    assert again.told[again.told.index(started) + 1 :] == once.told[once.told.index(recorded) + 1 :]
    assert len(once.of(CoupSettled, everything=True)) == 30


@rule(_REGULATION, "D.3/1")
def test_only_approved_rules_are_played_and_every_coup_names_its_version() -> None:
    table = CoupTable(version=7, approval="SRIJ 7/2026", approved_on="2026-03-01").seat(1)
    unapproved: list[dict[str, Any]] = [{"approval": ""}, {"approved_on": ""}]
    for missing in unapproved:
        submitted = CoupTable()
        assert (submitted.open(**missing), submitted.rule) == ("outside_rulebook", "D.3")
        assert submitted.state.configuration is None
        assert (table.change(8, max_tie=900, **missing), table.rule) == ("outside_rulebook", "D.3")
    table.plays("", s1=["ponto 100"])
    assert table.change(8, max_tie=900, approval="SRIJ 9/2026", approved_on="2026-04-01") is None
    assert (table.state.rules.approval, table.state.rules.approved_on) == ("SRIJ 9/2026", "2026-04-01")
    assert table.bet(1, "ponto 100") is None
    table.close_bets()
    opened = table.of(CoupOpened, everything=True)
    assert [coup.configuration_version for coup in opened] == [7, 7, 8]
    assert {(coup.rulebook, len(coup.rulebook_hash), coup.shoe) for coup in opened} == {(_REGULATION, 64, 1)}
