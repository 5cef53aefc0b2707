"""Errors of the dealer that leave a hand valid, card by card: pt-217-2007 70.a to 70.h."""

import pytest
from msgspec.structs import replace

from libs.cards.card import names_of
from libs.contracts.configurations import changed
from libs.contracts.live_commands import LiveReason as Reason
from libs.contracts.live_events import IncidentRecorded, PotReversed, StubReshuffled, WinnerAnnounced
from libs.contracts.messages import Principal
from libs.contracts.poker_commands import OpenDispute
from libs.contracts.poker_events import HandEnded, PlayerFolded, PotAwarded, StreetDealt
from libs.contracts.registry import encode_fact
from libs.contracts.table_commands import TableReason as AtTable
from tests.table.casino.play import CASINO_OMAHA, rule
from tests.table.live.play import LiveTable, five, live_h6
from tests.table.views import view_of
from tests.testkit.cases import Case

PAIRS = "2c 3c 4c 5c 6c 7c 8d 9d Td Jd"
"""Ten cards for two laps of five seats."""


def named(names: str) -> list[str]:
    """The matrix counts the cards from c1 on; these are twenty of a deck."""
    return [CARDS[int(name.removeprefix("c")) - 1] for name in names.split()]


CARDS = f"{PAIRS} Qh 2h 5h 9h 3h Ks Qs Js Ts 2s".split()


@rule("70.c/1")
def test_one_card_turned_over_is_completed_at_the_end_and_burnt_next(case: Case) -> None:
    first, last = case.ints("seats")
    turned, seat = int(case.text("turned").removeprefix("c")), case.int("seat")
    table = LiveTable(*range(first, last + 1)).stack_pack(" ".join(CARDS)).begin(case["lead"])
    table.deal_holes(turned=(turned,))
    assert table.hole(seat) == named(case["holds"])
    incident = table.of(IncidentRecorded, True)[0]
    assert (incident.code, incident.seats) == ("DE-70c", [seat])
    assert table.name == "ROUND_1"
    table.plays("5 call", "1 call", "2 call", "3 call", "4 check")
    assert table.scan("Ks", "burn") == Reason.NOT_AWAITED, "the exposed card is the burn"
    table.turn_up(3)
    assert table.burns == named(case["turned"])
    (flop,) = table.of(StreetDealt)
    assert [card.card for card in flop.cards] == named(case["flop"])


LAPS = "2c 4c 5c 6c 7c 9c 9d Td Jd 2d"
"""Ten cards for two laps of five seats, none of which the matrix turns up."""


def raised_to_600(flop: str = "Qs 8s 3s", raised: int = 600) -> LiveTable:
    """Five seats, lead 1, P3 called, P4 raised: P5, P1, P2 and P3 are still to decide."""
    return five(1, f"{LAPS} 5h {flop} Jh 6d Ac").deal_holes().plays("3 call", f"4 raise {raised}")


@rule("70.d/1", "70.h")
def test_a_flop_turned_too_early_is_set_aside_and_the_round_goes_on(case: Case) -> None:
    exposed = case.cards("exposed")
    table = raised_to_600(" ".join(exposed))
    assert (len(table.state.seats), table.live.stub) == (case["players"], case["stub"])
    table.burn()
    assert table.report("DE-70d", cards=exposed) is None
    assert table.name == table.incident.state_before == table.incident.state_after == f"ROUND_{case['round']}"
    assert (table.live.stub, len(table.burns)) == (case["left"], case["burns"])
    assert (sorted(table.incident.restricted), len(table.incident.restricted)) == ([1, 2, 3, 5], case["pending"])
    assert [card.card for card in table.incident.exposed] == exposed


@rule("70.d/2", "70.h")
def test_a_new_flop_comes_without_a_burn_and_without_restriction(case: Case) -> None:
    exposed = case.cards("exposed")
    table = raised_to_600(" ".join(exposed)).burn()
    assert len(table.state.seats) == case["players"]
    assert table.report("DE-70d", cards=exposed) is None
    assert table.name == f"ROUND_{case['round']}"
    table.plays("5 call", "1 fold", "2 call", "3 call")
    (reshuffled,) = table.of(StubReshuffled)
    assert (len(reshuffled.returned), reshuffled.stub) == (case["returned"], case["stub"])
    assert table.scan("Ac", "burn") == Reason.NOT_AWAITED, "the new flop has no burn"
    table.pack = [exposed[0], "Jh", "6d"]  # a withdrawn card may come again
    table.turn_up(3)
    assert (table.board, table.live.stub, len(table.burns)) == ([exposed[0], "Jh", "6d"], case["left"], case["burns"])
    table.plays("2 check", "3 bet 1200")


@rule("70.d/3")
def test_flop_cards_that_lie_face_down_come_back_too(case: Case) -> None:
    table = raised_to_600(f"{case['exposed']} 8s 3s").burn()
    assert table.report("DE-70d", cards=[case["exposed"]], hidden=["8s", "3s"]) is None
    assert table.name == f"ROUND_{case['round']}"
    assert (table.live.stub, len(table.live.aside)) == (case["left"], case["returned"])
    assert [card.card for card in table.incident.exposed] == [case["exposed"]], "the hidden ones are not told"
    table.plays("5 call", "1 fold", "2 call", "3 call")
    (reshuffled,) = table.of(StubReshuffled)
    assert (len(reshuffled.returned), reshuffled.stub) == (case["returned"], case["stub"])
    assert table.scan("Ac", "burn") == Reason.NOT_AWAITED, "the new flop has no burn"
    table.turn_up(3)
    assert table.name == "ROUND_2"


@rule("70.d", "70.e")
def test_no_more_cards_are_withdrawn_than_the_street_has() -> None:
    table = raised_to_600().burn()
    for fields in ({"cards": ["Qs", "8s", "3s", "Jh"]}, {"cards": ["Qs"], "hidden": ["8s", "3s", "Jh"]}):
        assert table.report("DE-70d", **fields) == Reason.NOT_AWAITED
    table.plays("5 call", "1 call", "2 call", "3 call").turn_up(3).plays("1 check").burn()
    assert table.report("DE-70e", cards=["6d", "Ac"]) == Reason.NOT_AWAITED
    assert table.report("DE-70e", cards=["6d"]) is None


@rule("70.h/1")
def test_after_an_exposure_a_raise_is_refused_and_a_call_taken(case: Case) -> None:
    table = raised_to_600(raised=case["raised"]).burn()
    assert table.report("DE-70d", cards=["Qs", "8s", "3s"]) is None
    assert table.act(5, "raise", case["refused"]) == Reason.CALL_ONLY_AFTER_EXPOSURE
    assert table.refused is not None
    assert table.refused.rule == "pt-217-2007#70.h"
    table.plays(f"5 call {case['call']}", "1 fold", "2 call")
    assert table.act(3, "raise", 2000) == Reason.CALL_ONLY_AFTER_EXPOSURE, "also who called before and faces a raise"
    table.plays("3 call").turn_up(3).plays("2 bet 400")


@rule("70.h/2")
def test_where_nothing_was_bet_only_a_check_is_left(case: Case) -> None:
    table = five(1, f"{PAIRS} 5h Qs 8s 3s Jh 6d").deal_holes().plays("3 call", "4 fold", "5 fold", "1 call", "2 check")
    table.burn().turn_up(3).plays("1 check").burn()
    assert table.report("DE-70e", cards=["6d"]) is None
    for seat in (2, 3):
        assert table.act(seat, "bet", case["refused"]) == Reason.CALL_ONLY_AFTER_EXPOSURE
        table.plays(f"{seat} check")
    assert table.live.stage == "board"


def turn_too_early(case: Case) -> LiveTable:
    """Four of Omaha, lead 2: in the second round P2 has bet and P3 called when the turn is shown."""
    table = LiveTable(1, 2, 3, 4, rulebook=CASINO_OMAHA, structure="pot_limit")
    table.stack_pack(f"Td Jh Qc Ac 9d Js Qd Kc 8s 5h 6s 8h 7s 4c 2c 3d 3s Jc 6d 5d {case['stub']}").begin(2)
    table.deal_holes().plays("4 call", "1 call", "2 call", "3 check").burn().turn_up(3)
    table.plays("2 bet 600", "3 call").burn()
    assert table.report("DE-70e", cards=[table.next_card()]) is None
    assert [card.card for card in table.incident.exposed] == [case["exposed"]]
    return table


@rule("70.e/1", "70.h")
def test_a_turn_too_early_is_set_aside_and_the_round_goes_on(case: Case) -> None:
    table = turn_too_early(case)
    assert (table.name, table.live.stub, len(table.live.aside)) == (f"ROUND_{case['round']}", 30, 1)
    assert table.act(4, "raise", 1800) == Reason.CALL_ONLY_AFTER_EXPOSURE
    table.plays("4 call")
    assert table.act(1, "raise", 1800) == Reason.CALL_ONLY_AFTER_EXPOSURE
    table.plays("1 call")


@rule("70.e/2")
def test_the_river_to_be_becomes_the_turn(case: Case) -> None:
    table = turn_too_early(case)
    assert table.name == f"ROUND_{case['round']}"
    table.plays("4 call", "1 fold")
    assert not table.of(StubReshuffled), "it is shuffled in when the river is due"
    table.burn().turn_up()
    assert (table.burns[-1], table.board[-1], table.name) == (case["burn"], case["turn"], "ROUND_3")
    table.plays("2 bet 600", "3 raise 1200")


@rule("70.e/3", "70.f")
def test_a_turn_too_early_comes_back_before_the_river(case: Case) -> None:
    table = turn_too_early(case).plays("4 call", "1 fold").burn().turn_up()
    assert table.name == f"ROUND_{case['round']}"
    table.plays("2 check", "3 bet 1000", "4 call", "2 fold")
    (reshuffled,) = table.of(StubReshuffled)
    assert (len(reshuffled.returned), reshuffled.stub) == (1, 29)
    assert table.scan("7d", "burn") == Reason.NOT_AWAITED
    table.pack = [case["exposed"]]
    table.turn_up()
    assert (table.board[-1], table.live.stub) == (case["exposed"], 28), "it may come again"
    assert (table.burns[1:], len(table.burns)) == (case.cards("burns"), case["number"])


@rule("70.f/1", "70.h")
def test_a_river_too_early_goes_back_and_the_first_card_is_the_river(case: Case) -> None:
    laps = LAPS.replace("9d", "Kc")
    table = five(1, f"{laps} 5h Qs 8s 3s Jh 4s {case['burn']} {case['exposed']} 6s").deal_holes()
    table.plays("3 call", "4 fold", "5 fold", "1 call", "2 check").burn().turn_up(3)
    table.plays("1 check", "2 check", "3 check").burn().turn_up().plays("1 check").burn()
    assert table.burns[-1] == case["burn"]
    assert table.report("DE-70f", cards=[table.next_card()]) is None
    assert table.name == f"ROUND_{case['round']}"
    for seat in (2, 3):
        assert table.act(seat, "bet", 400) == Reason.CALL_ONLY_AFTER_EXPOSURE
        table.plays(f"{seat} check")
    (reshuffled,) = table.of(StubReshuffled)
    assert len(reshuffled.returned) == 1
    burns = len(table.burns)
    assert table.scan("9s", "burn") == Reason.NOT_AWAITED, "no further burn"
    table.pack = [case["exposed"]]
    table.turn_up()
    assert (table.board[-1], table.name, len(table.burns)) == (case["exposed"], "ROUND_4", burns)
    table.plays("1 bet 400")


@rule("70.f/2", "70.h")
def test_a_river_too_early_and_one_still_aside_go_back_together(case: Case) -> None:
    aside, exposed = case.text("aside"), case.text("exposed")
    table = five(1, f"{PAIRS} 5h Qs 8s 3s Jh {aside} 4s Ks 2h {exposed} 9s").deal_holes()
    table.plays("3 call", "4 call", "5 fold", "1 call", "2 check").burn().turn_up(3).plays("1 check").burn()
    assert table.report("DE-70e", cards=[table.next_card()]) is None
    table.plays("2 check", "3 check", "4 check").burn().turn_up().plays("1 check").burn()
    assert table.name == f"ROUND_{case['round']}"
    assert table.report("DE-70f", cards=[table.next_card()]) is None
    assert table.act(2, "bet", 400) == Reason.CALL_ONLY_AFTER_EXPOSURE
    table.plays("2 check", "3 check", "4 check")
    (reshuffled,) = table.of(StubReshuffled)
    deck = table.hand.deck
    assert deck is not None
    assert names_of(deck.cards[place] for place in reshuffled.returned) == [aside, exposed]
    assert len(reshuffled.returned) == case["returned"]
    assert table.scan("9s", "burn") == Reason.NOT_AWAITED
    table.pack = [aside]
    table.turn_up()
    assert (table.board[-1], table.name) == (aside, "ROUND_4")
    table.plays("1 bet 400")


@rule("70.g/1")
def test_a_turn_without_a_burn_is_the_burn(case: Case) -> None:
    table = five(1, f"{PAIRS} 6s Jh Ts 9s {case['stub']}").deal_holes()
    table.plays("3 call", "4 call", "5 call", "1 call", "2 check").burn().turn_up(3)
    assert table.name == f"ROUND_{case['round']}"
    table.plays("1 check", "2 check", "3 check", "4 check", "5 check").turn_up()
    assert (table.incident.code, [card.card for card in table.incident.exposed]) == ("DE-70g", [case["burn"]])
    table.turn_up()
    assert (table.burns[1:], table.board[3:]) == ([case["burn"]], [case["turn"]])


@rule("70.g/2")
def test_of_a_flop_without_a_burn_the_first_card_is_the_burn(case: Case) -> None:
    table = five(1, f"{LAPS.replace('6c', 'Kc').replace('Td', 'Ac')} {case['turned']} {case['next']}").deal_holes()
    table.plays("3 call", "4 call", "5 call", "1 call", "2 check").turn_up(4)
    assert table.incident.code == "DE-70g"
    assert (table.burns, table.board) == ([case["burn"]], case.cards("flop"))


@rule("70.b/1")
def test_an_absent_player_s_cards_are_taken_at_his_turn(case: Case) -> None:
    table = live_h6(pack=PAIRS)
    hole = table.hole(5)
    assert table.report("DE-70b", seat=5) == Reason.NOT_AWAITED, "who is back in time plays"
    table.plays("3 call", "4 call")
    assert table.report("DE-70b", seat=5) is None
    (folded,) = table.of(PlayerFolded)
    assert (folded.seat, folded.actor, folded.reason) == (5, "house", "withdrawn")
    assert (table.turn, table.hand.players[5].staked) == (6, case["bets"])
    assert (table.incident.code, table.incident.outcome) == ("DE-70b", "withdrawn")
    assert table.name == f"ROUND_{case['round']}"
    assert not [card for card in hole if f'"{card}"' in "".join(encode_fact(e)[1].decode() for e in table.told)]


@rule("70.b/2")
def test_who_comes_back_before_the_turn_plays_as_ever(case: Case) -> None:
    table = live_h6(pack=PAIRS).plays("3 call")
    assert table.turn == 4, "and P5 comes back"
    assert table.report("DE-70b", seat=5) == Reason.NOT_AWAITED
    table.plays("4 call", "5 raise 800")
    assert not table.hand.players[5].folded


def flush_against_straight() -> LiveTable:
    """Four to the river, all checked down after the blinds: P3 has a flush, P4 a straight."""
    pack = "Ad Jh As Kc 7d 5d Tc 2s Kh 7c 4c 9d 8d 2d 2h 7h 3c 3h"
    table = five(3, pack).deal_holes().plays("5 fold", "1 fold", "2 call", "3 call", "4 check")
    table.burn().turn_up(3).plays("3 check", "4 check", "2 check").burn().turn_up().plays(
        "3 check", "4 check", "2 check"
    )
    return table.burn().turn_up().plays("3 check", "4 check", "2 check")


@rule("70.a/1", "64")
def test_a_wrong_announcement_is_corrected_before_money_moves(case: Case) -> None:
    table = flush_against_straight()
    assert sorted(table.board) == sorted(case.cards("board"))
    hands = case.read("hands", dict[int, str])
    right, wrong = hands
    assert {seat: " ".join(table.hole(seat)) for seat in hands} == hands
    assert table.name == "PAYING"
    assert table.deliver(winner=wrong) is None
    (announced,) = table.of(WinnerAnnounced)
    assert (announced.seat, announced.by_the_cards) == (wrong, [right])
    assert table.incident.code == "DE-70a"
    (award,) = table.of(PotAwarded)
    assert award.winners == [right]
    assert table.stacks[4] == 19_800


@rule("70.a")
def test_a_report_before_the_delivery_corrects_too() -> None:
    table = flush_against_straight()
    assert table.report("DE-70a", announced=3) == Reason.NO_ERROR
    assert table.report("DE-70a", announced=4) is None
    assert table.incident.outcome == "rectified"
    assert table.deliver() is None
    assert table.stacks[4] == 19_800


@rule("70.a/2", "8.c")
def test_chips_pushed_to_the_wrong_seat_come_back_before_the_next_hand(case: Case) -> None:
    table = flush_against_straight()
    number = table.state.hands
    assert table.deliver(winner=4, pushed=True) is None
    assert table.of(HandEnded)
    assert table.stacks[4] > 20_000
    assert table.report("DE-70a") is None
    (reversed_,) = table.of(PotReversed)
    assert (reversed_.from_seat, reversed_.to_seat, reversed_.incident) == (4, 3, table.incident.incident)
    assert (table.stacks[4], table.stacks[3]) == (19_800, 20_000 + 600 - 200)
    assert {seat: held.stack for seat, held in view_of(table).seats.items()} == table.stacks
    assert table.report("DE-70a") == Reason.HAND_CLOSED, "once"
    assert table.state.hands == number
    late = flush_against_straight()
    assert late.deliver(winner=4, pushed=True) is None
    late.begin(4)
    assert late.report("DE-70a", hand=number) == Reason.HAND_CLOSED
    late.stack_pack("").deal_holes().folds_round()
    assert late.report("DE-70a", hand=number) == Reason.HAND_CLOSED, "nor after it"
    assert late.send(Principal("player", "p3"), OpenDispute(hand=number, text="the flush was mine")) is None


@rule("70.a")
def test_a_pot_comes_back_as_long_as_all_of_it_is_there() -> None:
    for missing in (0, 1):
        table = flush_against_straight()
        assert table.deliver(winner=4, pushed=True) is None
        (award,) = table.of(PotAwarded, True)
        stack = award.amount - missing
        seat = table.state.seats[4]
        books = replace(table.state.books, left=table.state.books.left + seat.stack - stack)
        table.state = replace(table.state, seats=table.state.seats | {4: replace(seat, stack=stack)}, books=books)
        assert (table.report("DE-70a") is None) is (missing == 0)


@rule("FP-6/1")
@pytest.mark.parametrize("code", ["DE-70d", "DE-69a", "PE-71f", "BET-53"])
def test_at_a_virtual_table_there_are_no_incidents(case: Case, code: str) -> None:
    virtual = live_h6()
    virtual.state = replace(virtual.state, configuration=changed(virtual.state.rules, {"dealer": "virtual"}))
    assert virtual.report(code) == AtTable.NOT_IN_THIS_MODE
    assert virtual.refused is not None
    assert virtual.refused.rule == "pt-217-2007#FP-6"
