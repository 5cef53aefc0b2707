"""Misdeals and faults of the deck: void, corrected, or lived with; and the deck before the deal: 4, 31, 33, 69, 76."""

from typing import Any

import pytest

from libs.contracts import live_commands as c
from libs.contracts.live_commands import LiveReason as Reason
from libs.contracts.live_events import DeckExposed, IncidentRecorded
from libs.contracts.messages import Principal
from libs.contracts.poker_events import HandStarted, HandVoided
from tests.table.casino.play import rule
from tests.table.live.play import ALL_CARDS, DEALER, SUPERVISOR, LiveTable, five, live_h6


def before(table: LiveTable) -> dict[int, int]:
    return dict.fromkeys(table.state.seats, 20000)


def is_void(table: LiveTable, code: str) -> bool:
    """Void with everything back, no rake, an incident that says so, and the lead where it was."""
    voided = table.of(HandVoided)
    return (
        [event.cause for event in voided] == [code]
        and table.state.hand is None
        and table.stacks == before(table)
        and (table.incident.code, table.incident.state_after) == (code, "VOID")
        and table.state.books.raked == 0
        and table.state.button_stays
    )


@rule("69.a", "69")
def test_cards_out_of_order_void_the_hand_and_the_next_begins_with_the_same_lead() -> None:
    table = five(1, "2c 3c 4c 5c 6c").deal_holes(until=2)
    assert table.name == "DEALING"
    assert table.scan("4c", "hole", 4) is None
    assert is_void(table, "DE-69a")
    assert table.incident.state_before == "DEALING"
    assert {r.seat: r.amount for r in table.of(HandVoided)[0].refunds if r.amount} == {1: 100, 2: 200}
    assert table.deal_hand() == Reason.DECK_NOT_CHECKED, "a complete deck is made ready anew"
    table.begin(1)
    (started,) = table.of(HandStarted)
    assert (started.lead, started.small_blind) == (1, 1)


@rule("69.b")
def test_one_card_short_at_the_end_is_dealt_and_one_too_many_voids() -> None:
    table = LiveTable(1, 2, 3, 4, 5, 6).stack_pack("2c 3c 4c 5c 6c 7c 2d 3d 4d 5d 6d 7d").begin(1).deal_holes(until=11)
    assert table.report("DE-69b", seat=6, count=1) is None
    assert table.incident.outcome == "corrected"
    table.deal_holes()
    assert table.hole(6) == ["7c", "7d"]
    other = live_h6()
    assert other.report("DE-69b", seat=5, count=3) is None
    assert is_void(other, "DE-69b")


@rule("69.c")
def test_a_seen_card_voids_and_an_unseen_one_is_handed_over() -> None:
    table = live_h6()
    assert table.report("DE-69c", cards=["Td"], seats=[5, 4], looked=False) is None
    assert (table.incident.outcome, table.name) == ("corrected", "ROUND_1")
    assert table.report("DE-69c", cards=["Td"], seats=[5, 4]) is None
    assert is_void(table, "DE-69c")


@rule("69.d")
def test_two_cards_face_up_in_the_stub_void_what_was_bet_in_two_rounds() -> None:
    pack = "2c 3c 4c 5c 6c 7c 2d 3d 4d 5d 6d 7d 9h Th Qh Kh"
    table = LiveTable(1, 2, 3, 4, 5, 6).stack_pack(pack).begin(1).deal_holes()
    table.plays("3 call", "4 call", "5 call", "6 call", "1 call", "2 check").burn().turn_up(3).plays("1 bet 1000")
    assert table.report("DE-69d", cards=["4h"]) is None
    assert table.incident.outcome == "burned_when_it_comes", "one alone is no misdeal"
    assert table.report("DE-69d", cards=["Js"]) is None
    assert is_void(table, "DE-69d")


@rule("69.e")
def test_the_same_card_twice_voids_and_the_deck_is_out() -> None:
    table = five(1, "9h 2c 3c").deal_holes(until=2)
    assert table.scan("9h", "hole", 3) is None
    assert is_void(table, "DE-69e")
    assert table.send(DEALER, c.InspectDeck(deck="R", cards=ALL_CARDS)) == Reason.DECK_DAMAGED
    assert table.send(DEALER, c.ReplaceDeck(deck="R", by_deck="R2")) is None
    assert table.deal_hand("R2") == Reason.DECK_NOT_INSPECTED
    table.begin(1, "R2")


@rule("69.f")
def test_a_torn_card_voids_in_the_third_round_too() -> None:
    pack = "2c 3c 4c 5c 6c 7c 2d 3d 4d 5d 6d 7d 9h Th Qh Kh 8s Ah"
    table = LiveTable(1, 2, 3, 4, 5, 6).stack_pack(pack).begin(1).deal_holes()
    table.plays("3 call", "4 fold", "5 fold", "6 fold", "1 call", "2 check").burn().turn_up(3)
    table.plays("1 bet 400", "2 call", "3 fold").burn().turn_up()
    assert table.name == "ROUND_3"
    assert table.report("DE-69f", cards=["2s"]) is None
    assert is_void(table, "DE-69f")
    assert table.deal_hand() == Reason.DECK_DAMAGED


@rule("69.g", "69")
def test_two_cards_turned_over_void_the_hand_and_the_lead_stays() -> None:
    table = five(5, "Qc 4d 8h Ks 2s 9h Jd 5c Tc 3h")
    table.deal_holes(turned=(3, 9))
    codes = [event.code for event in table.of(IncidentRecorded, True)]
    assert codes == ["DE-70c", "DE-69g"]
    assert is_void(table, "DE-69g")
    assert {r.seat: r.amount for r in table.of(HandVoided)[0].refunds if r.amount} == {5: 100, 1: 200}
    table.begin(5)
    assert table.hand.small_blind == 5


@rule("69")
@pytest.mark.parametrize("code", ["DE-69a", "DE-69b", "DE-69c", "DE-69d", "DE-69e", "DE-69f", "DE-69g"])
def test_every_misdeal_in_dealing_gives_the_blinds_back(code: str) -> None:
    table = five(1, "2c 3c 4c 5c 6c 7c 8c 9c Tc Jc").deal_holes(until=4)
    told: dict[str, dict[str, Any]] = {"DE-69b": {"seat": 3, "count": 3}, "DE-69d": {"cards": ["4h", "Js"]}}
    assert table.report(code, **told.get(code, {})) is None
    assert is_void(table, code)


@rule("69")
def test_a_pot_that_was_delivered_is_delivered() -> None:
    table = live_h6().plays("3 fold", "4 fold", "5 fold", "6 fold", "1 fold")
    assert table.state.hand is None
    assert table.report("DE-69a") == Reason.HAND_CLOSED


@rule("71.h", "69")
def test_from_the_first_action_a_wrong_deal_stands_and_a_faulty_deck_does_not() -> None:
    table = live_h6().plays("3 call")
    for code in ("DE-69a", "DE-69c", "DE-69g"):
        assert table.report(code) == Reason.MISDEAL_WINDOW_OVER
    assert table.report("DE-69e") is None
    assert is_void(table, "DE-69e")


@rule("4")
def test_no_hand_without_a_deck_that_was_spread_and_inspected() -> None:
    table = LiveTable(1, 2, 3, 4)
    assert table.deal_hand() == Reason.DECK_NOT_INSPECTED
    short = [card for card in ALL_CARDS if card != "9h"]
    for wrong in (short, [*short, "9d"], [*short, "1x"]):
        assert table.send(DEALER, c.InspectDeck(deck="R", cards=wrong)) in (
            Reason.DECK_NOT_SOUND,
            Reason.UNKNOWN_CARD,
        )
    table.make_ready()
    assert table.deal_hand() is None


@rule("4", "24")
def test_after_an_interruption_the_deck_is_inspected_again() -> None:
    table = LiveTable(1, 2, 3, 4).make_ready()
    assert table.pause() is None
    assert table.resume() is None
    assert table.deal_hand() == Reason.DECK_NOT_INSPECTED


@rule("4")
def test_a_damaged_deck_is_replaced_before_the_next_hand() -> None:
    table = LiveTable(1, 2, 3, 4).make_ready()
    assert table.send(SUPERVISOR, c.MarkDeckDamaged(deck="R")) is None
    assert table.deal_hand() == Reason.DECK_DAMAGED
    assert table.send(SUPERVISOR, c.ReplaceDeck(deck="R", by_deck="S")) is None
    table.make_ready("S")
    assert table.deal_hand("S") is None


@rule("31")
def test_the_deck_is_checked_and_shuffled_three_times_before_every_hand() -> None:
    table = LiveTable(1, 2, 3, 4)
    assert table.send(DEALER, c.InspectDeck(deck="R", cards=ALL_CARDS)) is None
    assert table.send(DEALER, c.ShuffleDeck(deck="R", times=2)) is None
    assert table.deal_hand() == Reason.SHUFFLE_INCOMPLETE
    assert table.send(DEALER, c.ShuffleDeck(deck="R", times=3)) is None
    assert table.deal_hand() is None
    table.stack_pack("").deal_holes().folds_round()
    assert table.send(DEALER, c.ShuffleDeck(deck="R", times=3)) == Reason.DECK_NOT_CHECKED
    assert table.send(DEALER, c.CheckDeck(deck="R", cards=51, sound=True)) == Reason.DECK_NOT_SOUND
    assert table.send(DEALER, c.CheckDeck(deck="R", cards=52, sound=True)) is None
    assert table.send(DEALER, c.ShuffleDeck(deck="R", times=3)) is None
    assert table.deal_hand() is None


@rule("33")
def test_a_card_seen_after_the_cut_has_the_deck_shuffled_again() -> None:
    table = LiveTable(1, 2, 3, 4).make_ready()
    assert table.name == "DECK_READY"
    assert table.report("DE-33", hand=0, deck="R", cards=["Qh"]) is None
    (seen,) = table.of(DeckExposed)
    assert (seen.code, seen.state_before, seen.state_after) == ("DE-33", "DECK_READY", "SHUFFLING")
    assert table.deal_hand() == Reason.SHUFFLE_INCOMPLETE
    assert table.send(DEALER, c.ShuffleDeck(deck="R", times=3)) is None
    assert table.deal_hand() is None


@rule("76")
def test_with_a_shuffler_two_decks_take_turns() -> None:
    table = LiveTable(1, 2, 3, 4, shuffler="automatic", decks="R:red,B:blue").make_ready("R").make_ready("B")
    assert table.deal_hand("R") is None
    table.stack_pack("").deal_holes().folds_round()
    for deck in ("R", "B"):
        table.send(DEALER, c.CheckDeck(deck=deck, cards=52, sound=True))
        table.send(DEALER, c.ShuffleDeck(deck=deck, times=1))
    assert table.deal_hand("R") == Reason.DECKS_ALTERNATE
    assert table.deal_hand("B") is None


@rule("9.a/2")
def test_only_the_assigned_dealer_deals_and_scans() -> None:
    table = five(1)
    somebody = Principal("staff", "dealer-2")
    scan = c.ScanCard(hand=table.state.hands, card="9h", to="hole", seat=1)
    assert table.send(somebody, scan) == Reason.NOT_THE_DEALER
    assert table.refused is not None
    assert table.refused.rule == "pt-217-2007#9.a"
    assert table.deal_hand(by=somebody) == Reason.NOT_THE_DEALER


@rule("68")
def test_the_next_hand_waits_for_the_last() -> None:
    table = live_h6()
    assert table.deal_hand() == Reason.PREVIOUS_HAND_OPEN
    table.folds_round()
    assert table.make_ready().deal_hand() is None


@rule("24")
def test_three_players_are_too_few_for_a_dealer_too() -> None:
    table = LiveTable(1, 2, 3).make_ready()
    assert table.deal_hand() == Reason.TOO_FEW_PLAYERS
    table.seat(4)
    assert table.deal_hand() is None
