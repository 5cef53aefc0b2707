"""Errors of the dealer that leave a hand valid, card by card: pt-217-2007 70.a to 70.h."""

import pytest
from msgspec.structs import replace

from libs.contracts.configurations import changed
from libs.contracts.live_commands import LiveReason as Reason
from libs.contracts.live_events import IncidentRecorded, PotReversed, StubReshuffled, WinnerAnnounced
from libs.contracts.poker_events import HandEnded, PlayerFolded, PotAwarded, StreetDealt
from libs.contracts.table_commands import TableReason as AtTable
from tests.table.casino.play import CASINO_OMAHA, rule
from tests.table.live.play import LiveTable, five, live_h6

PAIRS = "2c 3c 4c 5c 6c 7c 8d 9d Td Jd"
"""Ten cards for two laps of five seats."""


@rule("70.c")
def test_one_card_turned_over_is_completed_at_the_end_and_burnt_next() -> None:
    names = [f"c{number}" for number in range(1, 12)]
    cards = dict(zip(names, (PAIRS + " Qh").split(), strict=True))
    table = five(3, f"{PAIRS} Qh 2h 5h 9h").deal_holes(turned=(8,))
    assert table.hole(5) == [cards["c3"], cards["c11"]]
    assert table.of(IncidentRecorded, True)[0].code == "DE-70c"
    assert table.name == "ROUND_1"
    table.plays("5 call", "1 call", "2 call", "3 call", "4 check")
    assert table.scan("Ks", "burn") == Reason.NOT_AWAITED, "the exposed card is the burn"
    table.turn_up(3)
    assert table.burns == [cards["c8"]]
    (flop,) = table.of(StreetDealt)
    assert [card.card for card in flop.cards] == ["2h", "5h", "9h"]


def raised_to_600() -> LiveTable:
    """Five seats, lead 1, P3 called, P4 raised to 600: P5, P1, P2 and P3 are still to decide."""
    return five(1, f"{PAIRS} 5h Qs 8s 3s Jh 6d Ac").deal_holes().plays("3 call", "4 raise 600")


@rule("70.d", "70.h")
def test_a_flop_turned_too_early_is_withdrawn_and_raises_are_over_for_the_round() -> None:
    table = raised_to_600().burn()
    assert table.live.stub == 41
    assert table.report("DE-70d", cards=["Qs", "8s", "3s"]) is None
    assert table.name == "ROUND_1"
    assert table.live.stub == 38
    assert sorted(table.incident.restricted) == [1, 2, 3, 5]
    assert [card.card for card in table.incident.exposed] == ["Qs", "8s", "3s"]
    assert table.act(5, "raise", 1200) == Reason.CALL_ONLY_AFTER_EXPOSURE
    assert table.refused is not None
    assert table.refused.rule == "pt-217-2007#70.h"
    table.plays("5 call", "1 fold", "2 call")
    assert table.act(3, "raise", 2000) == Reason.CALL_ONLY_AFTER_EXPOSURE, "also who called before and faces a raise"
    table.plays("3 call")
    (reshuffled,) = table.of(StubReshuffled)
    assert (len(reshuffled.returned), reshuffled.stub) == (3, 41)
    assert table.scan("Ac", "burn") == Reason.NOT_AWAITED, "the new flop has no burn"
    table.pack = ["Qs", "Jh", "6d"]  # a withdrawn card may come again
    table.turn_up(3)
    assert (table.board, table.live.stub, len(table.burns)) == (["Qs", "Jh", "6d"], 38, 1)
    table.plays("2 check", "3 bet 1200")


@rule("70.d")
def test_flop_cards_that_lie_face_down_come_back_too() -> None:
    table = raised_to_600().burn()
    assert table.report("DE-70d", cards=["Qs"], hidden=["8s", "3s"]) is None
    assert (table.live.stub, len(table.live.aside)) == (38, 3)
    assert [card.card for card in table.incident.exposed] == ["Qs"], "the hidden ones are not told"
    table.plays("5 call", "1 fold", "2 fold", "3 fold")
    (reshuffled,) = table.of(StubReshuffled)
    assert (len(reshuffled.returned), reshuffled.stub) == (3, 41)


@rule("70.h")
def test_where_nothing_was_bet_only_a_check_is_left() -> None:
    table = five(1, f"{PAIRS} 5h Qs 8s 3s Jh 6d").deal_holes().plays("3 fold", "4 fold", "5 fold", "1 call", "2 check")
    table.burn().turn_up(3).plays("1 check")
    assert table.burn().report("DE-70e", cards=["6d"]) is None
    assert table.act(2, "bet", 400) == Reason.CALL_ONLY_AFTER_EXPOSURE
    table.plays("2 check")
    assert table.live.stage == "board"


@rule("70.e", "70.f")
def test_a_turn_too_early_comes_back_before_the_river() -> None:
    table = LiveTable(1, 2, 3, 4, rulebook=CASINO_OMAHA, structure="pot_limit")
    table.stack_pack("Td Jh Qc Ac 9d Js Qd Kc 8s 5h 6s 8h 7s 4c 2c 3d 3s Jc 6d 5d 9c Ah 4s Kd").begin(2).deal_holes()
    table.plays("4 call", "1 call", "2 call", "3 check").burn().turn_up(3).plays("2 bet 600", "3 call").burn()
    assert table.report("DE-70e", cards=[table.next_card()]) is None
    assert (table.name, table.live.stub) == ("ROUND_2", 30)
    table.plays("4 call", "1 fold")
    assert not table.of(StubReshuffled), "it is shuffled in when the river is due"
    table.burn().turn_up()
    assert (table.board[-1], table.name) == ("Kd", "ROUND_3")
    table.plays("2 check", "3 bet 1000", "4 call", "2 fold")
    (reshuffled,) = table.of(StubReshuffled)
    assert reshuffled.stub == 29
    assert table.scan("7d", "burn") == Reason.NOT_AWAITED
    table.pack = ["7d"]
    table.turn_up()
    assert (table.board[-1], table.burns, table.live.stub) == ("7d", ["3s", "9c", "4s"], 28)


@rule("70.f", "70.h")
def test_a_river_too_early_and_one_still_aside_go_back_together() -> None:
    table = five(1, f"{PAIRS} 5h Qs 8s 3s Jh Ah 4s Ks 2h 6s 9s").deal_holes()
    table.plays("3 call", "4 call", "5 fold", "1 call", "2 check").burn().turn_up(3).plays("1 check").burn()
    assert table.report("DE-70e", cards=[table.next_card()]) is None
    table.plays("2 check", "3 check", "4 check").burn().turn_up().plays("1 check").burn()
    assert table.report("DE-70f", cards=["6s"]) is None
    assert table.act(2, "bet", 400) == Reason.CALL_ONLY_AFTER_EXPOSURE
    table.plays("2 check", "3 check", "4 check")
    (reshuffled,) = table.of(StubReshuffled)
    assert len(reshuffled.returned) == 2
    assert table.scan("9s", "burn") == Reason.NOT_AWAITED
    table.pack = ["Ah"]
    table.turn_up()
    assert (table.board[-1], table.name) == ("Ah", "ROUND_4")
    table.plays("1 bet 400")


@rule("70.g")
def test_a_card_turned_without_a_burn_is_the_burn() -> None:
    table = five(1, f"{PAIRS} 6s Jh Ts 9s 2h Ks 7h").deal_holes()
    table.plays("3 call", "4 call", "5 call", "1 call", "2 check").turn_up(4)
    assert table.incident.code == "DE-70g"
    assert (table.burns, table.board) == (["6s"], ["Jh", "Ts", "9s"])
    table.plays("1 check", "2 check", "3 check", "4 check", "5 check").turn_up(2)
    assert (table.burns, table.board[-1]) == (["6s", "2h"], "Ks")


@rule("70.b")
def test_an_absent_player_s_cards_are_taken_at_his_turn() -> None:
    table = five(3, PAIRS).deal_holes()
    assert table.report("DE-70b", seat=1) == Reason.NOT_AWAITED, "who is back in time plays"
    table.plays("5 call")
    assert table.report("DE-70b", seat=1) is None
    (folded,) = table.of(PlayerFolded)
    assert (folded.seat, folded.actor, folded.reason) == (1, "house", "withdrawn")
    assert (table.turn, table.hand.players[1].staked) == (2, 0)
    assert table.incident.outcome == "withdrawn"


@rule("70.b")
def test_who_comes_back_before_the_turn_plays_as_ever() -> None:
    table = five(3, PAIRS).deal_holes().plays("5 call", "1 call")
    assert not table.hand.players[1].folded


def flush_against_straight() -> LiveTable:
    """Four to the river, all checked down after the blinds: P3 has a flush, P4 a straight."""
    pack = "Ad Jh As Kc 7d 5d Tc 2s Kh 7c 4c 9d 8d 2d 2h 7h 3c 3h"
    table = five(3, pack).deal_holes().plays("5 fold", "1 fold", "2 call", "3 call", "4 check")
    table.burn().turn_up(3).plays("3 check", "4 check", "2 check").burn().turn_up().plays(
        "3 check", "4 check", "2 check"
    )
    return table.burn().turn_up().plays("3 check", "4 check", "2 check")


@rule("70.a", "64")
def test_a_wrong_announcement_is_corrected_before_money_moves() -> None:
    table = flush_against_straight()
    assert table.name == "PAYING"
    assert table.deliver(winner=4) is None
    (announced,) = table.of(WinnerAnnounced)
    assert (announced.seat, announced.by_the_cards) == (4, [3])
    assert table.incident.code == "DE-70a"
    (award,) = table.of(PotAwarded)
    assert award.winners == [3]
    assert table.stacks[4] == 19_800


@rule("70.a")
def test_a_report_before_the_delivery_corrects_too() -> None:
    table = flush_against_straight()
    assert table.report("DE-70a", announced=3) == Reason.NO_ERROR
    assert table.report("DE-70a", announced=4) is None
    assert table.incident.outcome == "rectified"
    assert table.deliver() is None
    assert table.stacks[4] == 19_800


@rule("70.a", "8.c")
def test_chips_pushed_to_the_wrong_seat_come_back_before_the_next_hand() -> None:
    table = flush_against_straight()
    number = table.state.hands
    assert table.deliver(winner=4, pushed=True) is None
    assert table.of(HandEnded)
    assert table.stacks[4] > 20_000
    assert table.report("DE-70a") is None
    (reversed_,) = table.of(PotReversed)
    assert (reversed_.from_seat, reversed_.to_seat, reversed_.incident) == (4, 3, table.incident.incident)
    assert (table.stacks[4], table.stacks[3]) == (19_800, 20_000 + 600 - 200)
    assert table.report("DE-70a") == Reason.HAND_CLOSED, "once"
    assert table.state.hands == number


@rule("70.a")
def test_after_the_next_hand_has_begun_only_a_dispute_is_left() -> None:
    table = flush_against_straight()
    number = table.state.hands
    assert table.deliver(winner=4, pushed=True) is None
    table.begin(4)
    assert table.report("DE-70a", hand=number) == Reason.HAND_CLOSED


@rule("FP-6")
@pytest.mark.parametrize("code", ["DE-70d", "DE-69a", "PE-71f", "BET-53"])
def test_at_a_virtual_table_there_are_no_incidents(code: str) -> None:
    virtual = live_h6()
    virtual.state = replace(virtual.state, configuration=changed(virtual.state.rules, {"dealer": "virtual"}))
    assert virtual.report(code) == AtTable.NOT_IN_THIS_MODE
    assert virtual.refused is not None
    assert virtual.refused.rule == "pt-217-2007#FP-6"
