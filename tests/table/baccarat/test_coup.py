"""The course of a coup at a table: betting, dealing, showing, paying, and who is not there."""

from typing import Any

import pytest

from libs.contracts.baccarat_events import (
    BettingClosed,
    CoupDealt,
    CoupLapsed,
    CoupOpened,
    CoupSettled,
    ShoeStarted,
    SideShown,
    ThirdCardDealt,
)
from libs.contracts.messages import Principal
from libs.contracts.table_events import LeaveRequested, PlayerLeft
from tests.table.baccarat.play import MACAU, START, CoupTable

rule = pytest.mark.rule
_REGULATION = "pt-812-2015-baccarat"


@rule(_REGULATION, "5", "22", "25.a")
def test_one_coup_settles_all_seats_from_the_same_cards() -> None:
    """Ponto 7, Banca 5: one wins, the other loses."""
    table = CoupTable(commission_mode="none").seat(1, 2)
    settled = table.plays("5d 2s Kh 2h 2d Ac", s1=["ponto 1000"], s2=["banca 1000"])
    assert (settled.ponto, settled.banca, settled.winner) == (7, 5, "ponto")
    assert (table.net(1), table.net(2)) == (1000, -1000)
    assert (table.stack(1), table.stack(2)) == (11_000, 9000)
    assert (settled.house, settled.bank) == (0, table.state.bank)


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


@rule(_REGULATION, "16", "17", "18")
def test_four_cards_lie_face_down_before_any_is_turned_and_pontos_are_turned_first() -> None:
    table = CoupTable().seat(1)
    table.plays("4h 3d 5s 5c", s1=["ponto 100"])
    assert table.names == [
        "BettingClosed", "CoupDealt", "SideShown", "SideShown", "CoupSettled", "CoupOpened",
    ]  # fmt: skip
    dealt = table.of(CoupDealt)[0]
    assert (dealt.ponto, dealt.banca) == ([0, 2], [1, 3])
    ponto, banca = table.of(SideShown)
    assert (ponto.side, [card.card for card in ponto.cards], ponto.score) == ("ponto", ["4h", "5s"], 9)
    assert (banca.side, [card.card for card in banca.cards], banca.score) == ("banca", ["3d", "5c"], 8)
    assert ponto.natural
    assert banca.natural


@rule(_REGULATION, "19")
@pytest.mark.parametrize(("cards", "winner"), [("4h 3d 5s 5c", "ponto"), ("2c 9s 3c Kd", "banca")])
def test_a_natural_lets_nobody_draw(cards: str, winner: str) -> None:
    table = CoupTable().seat(1)
    settled = table.plays(cards, s1=["ponto 100"])
    assert (settled.winner, settled.natural) == (winner, True)
    assert table.of(ThirdCardDealt) == []


@rule(_REGULATION, "20", "21")
def test_third_cards_come_ponto_first_each_in_its_own_place() -> None:
    table = CoupTable().seat(1)
    settled = table.plays("2c Ah 3c 2d Ks 4c", s1=["ponto 100"])
    thirds = [(third.side, third.place, third.card.card, third.card.position) for third in table.of(ThirdCardDealt)]
    assert thirds == [("ponto", "third", "Ks", 4), ("banca", "third", "4c", 5)]
    assert [third.score for third in table.of(ThirdCardDealt)] == [settled.ponto, settled.banca] == [5, 7]


@rule(_REGULATION, "23", "24", "25.b")
def test_a_tie_pays_eight_to_one_and_returns_the_sides() -> None:
    table = CoupTable().seat(1)
    table.plays("2h Qs 4c 3d 3h", s1=["empate 200", "ponto 1000"])
    assert table.credited(1) == {"ponto": 1000, "empate": 1800}
    assert (table.net(1), table.commission(1)) == (1600, 0)
    table.plays("", s1=["empate 300"])


@rule(_REGULATION, "26.a")
def test_commission_is_taken_once_of_the_players_total() -> None:
    table = CoupTable().seat(1)
    settled = table.plays("2h Qs 4c 5d 3h", s1=["banca 110", "banca 110"])
    assert (settled.commission_mode, table.commission(1), table.net(1)) == ("five-percent", 11, 209)
    assert table.credited(1) == {"banca": 429}


@rule(_REGULATION, "26")
def test_a_coup_is_settled_with_the_mode_in_force_when_its_betting_opened() -> None:
    table = CoupTable().seat(1).betting("5h 8s 9c 8h 8d")
    assert table.bet(1, "banca 2000") is None
    assert table.change(2, commission_mode="half-on-6") is None
    table.close_bets()
    assert (table.commission(1), table.credited(1)) == (100, {"banca": 3900})
    assert table.settled.commission_mode == "five-percent"
    assert table.of(CoupOpened)[0].commission_mode == "half-on-6"


@rule(_REGULATION, "26")
def test_also_when_the_change_comes_before_the_first_bet_of_it() -> None:
    table = CoupTable().seat(1).betting("5h 8s 9c 8h 8d")
    assert table.change(2, commission_mode="half-on-6") is None
    assert table.bet(1, "banca 2000") is None
    table.close_bets()
    assert table.credited(1) == {"banca": 3900}


@rule(_REGULATION, "39", "25.b", "25.c", "26.b")
def test_the_macau_variant_deals_and_pays_by_chapter_one() -> None:
    table = CoupTable(MACAU, commission_mode="half-on-6").seat(1)
    table.plays("5h 8s 9c 8h 8d", s1=["banca 1000", "par_banca 100"])
    assert table.credited(1) == {"banca": 1500, "par_banca": 1200}


@rule(_REGULATION, "28")
def test_a_single_player_deals_when_he_likes() -> None:
    table = CoupTable(mode="single").seat(1).betting("4h 3d 5s 5c")
    assert table.of(CoupOpened)[0].until is None
    assert table.deal() == "no_stake"
    assert table.rule == "28"
    assert table.bet(1, "ponto 100") is None
    table.now += 1
    assert table.deal() is None
    assert table.names[:2] == ["BettingClosed", "CoupDealt"]
    assert table.credited(1) == {"ponto": 200}


def test_at_a_table_for_many_the_clock_deals() -> None:
    table = CoupTable().seat(1).betting()
    assert table.bet(1, "ponto 100") is None
    assert table.deal() == "dealt_by_the_clock"


@rule(_REGULATION, "30")
@pytest.mark.parametrize(
    ("cards", "stack"), [("2h Qs 4c 5d 3h", 11_900), ("4h 3d 5s 5c", 8000)], ids=["Banca wins", "Ponto wins"]
)
def test_a_player_who_is_gone_is_paid_and_loses_like_everybody(cards: str, stack: int) -> None:
    """Nothing is heard of the player from the bet to the settlement."""
    table = CoupTable().seat(1).betting(cards)
    assert table.bet(1, "banca 2000") is None
    table.at(20_000)
    assert table.stack(1) == stack
    assert table.settled.results[0].seat == 1


@rule(_REGULATION, "34")
def test_a_bet_stands_when_its_player_leaves() -> None:
    table = CoupTable().seat(1, 2).betting("4h 3d 5s 5c")
    assert table.bet(1, "ponto 1000") is None
    assert table.leave(1) is None
    assert [type(event) for event in table.last] == [LeaveRequested]
    assert table.bet(1, "ponto 100") == "leaving"
    settled = table.close_bets()
    assert settled.results[0].stack == 11_000
    left = table.of(PlayerLeft)[0]
    assert (left.player, left.stack, left.reason) == ("p1", 11_000, "player")


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


@rule(_REGULATION, "FP-3", "17")
def test_the_recorded_order_gives_the_same_coup_again() -> None:
    """Two tables, one shoe order: cards, scores and credits are equal, and so is a third told from the record alone."""

    def evening(order: Any) -> list[CoupSettled]:
        table = CoupTable().seat(1, 2, amount=1_000_000)
        table.wake(order)
        for _ in range(30):
            assert table.bet(1, "ponto 500", "empate 100", "par_banca 100") is None
            assert table.bet(2, "banca 700", "par_ponto 100") is None
            table.close_bets()
        return table.of(CoupSettled, everything=True)

    from libs.sealing.shuffle import Shuffler

    order = Shuffler().shoe(8)
    once, again = evening(order), evening(order)
    assert len(once) == 30
    assert once == again


@rule(_REGULATION, "D.3")
def test_every_coup_names_the_version_of_the_rules_it_is_played_by() -> None:
    table = CoupTable(version=7).seat(1).betting()
    opened = table.of(CoupOpened)[0]
    assert (opened.rulebook, opened.configuration_version, len(opened.rulebook_hash)) == (_REGULATION, 7, 64)
    assert table.of(ShoeStarted)[0].shoe == opened.shoe == 1
