"""Misdeals and faults of the deck: void, corrected, or lived with; and the deck before the deal: 4, 31, 33, 69, 76."""

from typing import Any

import pytest
from msgspec.structs import replace

from libs.contracts import live_commands as c
from libs.contracts.live_commands import LiveReason as Reason
from libs.contracts.live_events import CardScanned, DeckExposed, IncidentRecorded, SupervisorDecided
from libs.contracts.messages import Principal, PublicEvent
from libs.contracts.poker_commands import OpenDispute
from libs.contracts.poker_events import BlindPosted, Deal, HandStarted, HandVoided, HoleCardsDealt
from libs.contracts.registry import encode_fact
from libs.sealing.merkle import deck_tree
from services.audit.verifying.dealt import Decks
from services.audit.verifying.decks import check_deck
from services.audit.verifying.findings import Finding, Kind
from tests.table.casino.play import CASINO_HOLDEM, CASINO_OMAHA, h6, rule, to_flop
from tests.table.casino.test_casino_rulebooks import refusals
from tests.table.live.play import ALL_CARDS, DEALER, SUPERVISOR, LiveTable, five, live_h6
from tests.table.play import TableUnderTest
from tests.testkit.cases import Case

MISDEALS = ["DE-69a", "DE-69b", "DE-69c", "DE-69d", "DE-69e", "DE-69f", "DE-69g"]


def before(table: LiveTable) -> dict[int, int]:
    return dict.fromkeys(table.state.seats, 20000)


def is_void(table: LiveTable, code: str) -> bool:
    """Void with everything back, no rake, an incident or a supervisor that says so, and the lead where it was."""
    voided = table.of(HandVoided)
    decided = table.of(SupervisorDecided)
    after = decided[-1].state_after if decided else table.incident.state_after
    return (
        [event.cause for event in voided] == [code]
        and table.state.hand is None
        and table.stacks == before(table)
        and (table.incident.code, after) == (code, "VOID")
        and table.state.books.raked == 0
        and table.state.button_stays
    )


@rule("69.a/1", "69")
def test_cards_out_of_order_void_the_hand_and_the_next_begins_with_the_same_lead(case: Case) -> None:
    *regular, wrong, _ = case.ints("order")
    table = five(case["lead"], "2c 3c 4c 5c 6c").deal_holes(until=len(regular))
    assert [scan.seat for scan in table.of(CardScanned, True)] == regular
    assert table.name == "DEALING"
    assert table.scan("4c", "hole", wrong) is None
    assert is_void(table, "DE-69a")
    assert table.incident.state_before == "DEALING"
    assert {r.seat: r.amount for r in table.of(HandVoided)[0].refunds if r.amount} == {1: 100, 2: 200}


@rule("69.a/2")
def test_at_a_virtual_table_another_order_is_found_by_replay(case: Case) -> None:
    table = to_flop(h6(), 1, 2).checks_down()
    assert table.send(DEALER, c.ScanCard(hand=2, card="9h", to="hole", seat=1)) == "not_in_this_mode"
    assert not deal_order(table, swapped=False)
    assert deal_order(table, swapped=True)


def deal_order(table: TableUnderTest, *, swapped: bool) -> list[Finding]:
    """What the auditor says of the order of dealing; `swapped`: two players' second cards are exchanged."""
    decks = Decks()
    found: list[Finding] = []
    for version, event in enumerate(table.told, 1):
        if swapped and isinstance(event, HoleCardsDealt):
            one, two, *rest = event.deals
            crossed = [
                Deal(one.seat, [one.positions[0], two.positions[1]]),
                Deal(two.seat, [two.positions[0], one.positions[1]]),
            ]
            event = replace(event, deals=[*crossed, *rest])
        name, data = encode_fact(event)
        told = PublicEvent(stream="t1", version=version, type=name, time=event.at, causation="c", data=data)
        found += check_deck(decks, told, event, table.decks[version - 1])
    return [each for each in found if each.kind is Kind.DEAL_ORDER]


@rule("69.b/1")
def test_one_card_short_at_the_end_is_dealt(case: Case) -> None:
    seat = case.int("seat")
    table = LiveTable(1, 2, 3, 4, 5, 6).stack_pack("2c 3c 4c 5c 6c 7c 2d 3d 4d 5d 6d 7d").begin(1).deal_holes(until=11)
    assert len(table.live.dealt[seat]) == case["cards"]
    assert table.report("DE-69b", seat=seat, count=case["cards"]) is None
    assert (table.incident.code, table.incident.outcome) == ("DE-69b", "corrected")
    table.deal_holes()
    assert (table.hole(seat), table.name) == (["7c", "7d"], "ROUND_1")


@rule("69.b/2")
def test_one_card_too_many_voids(case: Case) -> None:
    table = live_h6()
    assert table.report("DE-69b", seat=case["seat"], count=case["cards"]) is None
    assert is_void(table, "DE-69b")


@rule("69.c/1")
def test_a_seen_card_voids_and_an_unseen_one_is_handed_over(case: Case) -> None:
    wrong = {"cards": [case["card"]], "seats": [case["seat"], case["owner"]]}
    table = live_h6()
    assert table.report("DE-69c", **wrong, looked=False) is None
    assert (table.incident.outcome, table.name) == ("corrected", "ROUND_1")
    assert table.report("DE-69c", **wrong) is None
    assert is_void(table, "DE-69c")


@rule("69.d/1")
def test_two_cards_face_up_in_the_stub_void_what_was_bet_in_two_rounds(case: Case) -> None:
    first, second = case.cards("cards")
    pack = "2c 3c 9c 5c 6c 7c 2d 3d 4d 5d 6d 7d 9h Th Qh Kh"
    table = LiveTable(1, 2, 3, 4, 5, 6).stack_pack(pack).begin(1).deal_holes()
    table.plays("3 call", "4 call", "5 call", "6 call", "1 call", "2 check").burn().turn_up(3).plays("1 bet 1000")
    assert table.name == f"ROUND_{case['round']}"
    assert case["rounds"] == [*range(1, case.int("round") + 1)]
    assert table.report("DE-69d", cards=[first]) is None
    assert table.incident.outcome == "burned_when_it_comes", "one alone is no misdeal"
    assert table.report("DE-69d", cards=[second]) is None
    assert table.rule_on("void") is None
    assert is_void(table, "DE-69d")


@rule("69.e/1")
def test_the_same_card_twice_voids_and_the_deck_is_out(case: Case) -> None:
    table = five(1, f"{case['twice']} 2c 3c").deal_holes(until=2)
    assert table.scan(case["twice"], "hole", 3) is None
    assert is_void(table, "DE-69e")
    assert table.send(DEALER, c.InspectDeck(deck="R", cards=ALL_CARDS)) == Reason.DECK_DAMAGED
    assert table.send(DEALER, c.ReplaceDeck(deck="R", by_deck="R2")) is None
    assert table.deal_hand("R2") == Reason.DECK_NOT_INSPECTED
    table.begin(1, "R2")
    counted = to_the_river()
    assert counted.name == "PAYING", "any time before payment"
    assert counted.report("DE-69e", count=case["count"]) is None
    assert counted.rule_on("void") is None
    assert is_void(counted, "DE-69e")
    assert counted.deal_hand() == Reason.DECK_DAMAGED


def to_the_river() -> LiveTable:
    pack = "2c 3c 4c 5c 6c 7c 2d 3d 4d 5d 6d 7d 9h Th Qh Kh 8s Ah 9s Jh Tc"
    table = live_h6(pack=pack).plays("3 call", "4 fold", "5 fold", "6 fold", "1 call", "2 check")
    for cards in (3, 1, 1):
        table.burn().turn_up(cards).plays("1 check", "2 check", "3 check")
    return table


@rule("69.f/1")
def test_a_torn_card_voids_in_the_third_round_too(case: Case) -> None:
    pack = "2c 3c 4c 5c 6c 7c 2d 3d 4d 5d 6d 7d 9h Th Qh Kh 8s Ah"
    table = LiveTable(1, 2, 3, 4, 5, 6).stack_pack(pack).begin(1).deal_holes()
    table.plays("3 call", "4 fold", "5 fold", "6 fold", "1 call", "2 check").burn().turn_up(3)
    table.plays("1 bet 400", "2 call", "3 fold").burn().turn_up()
    assert table.name == f"ROUND_{case['round']}"
    assert table.report("DE-69f", cards=[case["card"]]) is None
    assert table.rule_on("void") is None
    assert is_void(table, "DE-69f")
    assert table.deal_hand() == Reason.DECK_DAMAGED


@rule("69.g/1", "69")
def test_two_cards_turned_over_void_the_hand_and_the_lead_stays(case: Case) -> None:
    lead, turned = case.int("lead"), (3, 9)
    table = five(lead, "Qc 4d 8h Ks 2s 9h Jd 5c Tc 3h")
    assert len(table.state.seats) == case["players"]
    table.deal_holes(turned=turned[:1], until=turned[1] - 1)
    assert [event.code for event in table.of(IncidentRecorded, True)] == ["DE-70c"]
    assert (table.name, table.live.turned[0][0]) == ("DEALING", case["third"])
    table.deal_holes(turned=turned[1:])
    codes = [event.code for event in table.of(IncidentRecorded, True)]
    assert codes == ["DE-70c", "DE-69g"]
    assert table.incident.seats == [case["ninth"]]
    assert is_void(table, "DE-69g")
    small, big = case.ints("refunds")
    assert {r.seat: r.amount for r in table.of(HandVoided)[0].refunds if r.amount} == {lead: small, 1: big}
    table.begin(lead)
    assert table.hand.small_blind == lead


@rule("69")
@pytest.mark.parametrize("code", MISDEALS)
def test_every_misdeal_in_dealing_gives_the_blinds_back(code: str) -> None:
    table = five(1, "2c 3c 4c 5c 6c 7c 8c 9c Tc Jc").deal_holes(until=4)
    told: dict[str, dict[str, Any]] = {"DE-69b": {"seat": 3, "count": 3}, "DE-69d": {"cards": ["4h", "Js"]}}
    assert table.report(code, **told.get(code, {})) is None
    assert is_void(table, code)


@rule("69/1")
@pytest.mark.parametrize("code", MISDEALS)
def test_after_any_misdeal_the_same_lead_begins_anew_with_a_whole_deck(case: Case, code: str) -> None:
    table = LiveTable(1, 2, 3, 4, 5, 6, rake_bp=500).stack_pack("2c 3c 4c 5c").begin(case["lead"]).deal_holes(until=4)
    assert [event.amount for event in table.of(BlindPosted, True)] == case["posts"]
    told: dict[str, dict[str, Any]] = {"DE-69b": {"seat": 3, "count": 3}, "DE-69d": {"cards": ["4h", "Js"]}}
    assert table.name == "DEALING"
    assert table.report(code, **told.get(code, {})) is None
    (voided,) = table.of(HandVoided)
    assert voided.cause == code
    assert {r.seat: r.amount for r in voided.refunds if r.amount} == case["refunds"]
    assert table.state.books.raked == case["rake"]
    assert table.deal_hand() in (Reason.DECK_NOT_CHECKED, Reason.DECK_DAMAGED), "a whole deck is made ready anew"
    if table.state.desk.packs["R"].out:
        assert table.send(DEALER, c.ReplaceDeck(deck="R", by_deck="S")) is None
        table.begin(case["lead"], "S")
    else:
        table.begin(case["lead"])
    (started,) = table.of(HandStarted)
    assert (started.lead, started.small_blind) == (case["lead"], case["lead"])


@rule("69/2")
def test_a_pot_that_was_delivered_is_delivered(case: Case) -> None:
    table = to_the_river()
    number = table.state.hands
    assert table.deliver() is None
    stacks = table.stacks
    for code in MISDEALS:
        assert table.report(code) == Reason.HAND_CLOSED
    assert table.stacks == stacks
    assert table.send(Principal("player", "p2"), OpenDispute(hand=number, text="a misdeal")) is None


@rule("71.h", "69")
def test_from_the_first_action_a_wrong_deal_stands_and_a_faulty_deck_does_not() -> None:
    table = live_h6().plays("3 call")
    for code in ("DE-69a", "DE-69c", "DE-69g"):
        assert table.report(code) == Reason.MISDEAL_WINDOW_OVER
    assert table.report("DE-69e", count=51) is None
    assert table.rule_on("void") is None
    assert is_void(table, "DE-69e")


@rule("69.e", "8.c")
@pytest.mark.parametrize("report", ["DE-69d", "DE-69e", "DE-69f", "scan"])
def test_once_there_are_bets_a_faulty_deck_waits_for_a_supervisor(report: str) -> None:
    """All cards are out and the pot is lost: who deals can't take the bets back alone (8.c)."""
    table = to_the_river()
    if report == "scan":
        table = live_h6(pack="2c 3c 4c 5c 6c 7c 2d 3d 4d 5d 6d 7d").plays("3 call")
        assert table.scan("2c", "burn") is None
    else:
        assert table.report(report, cards=["4h", "Js"]) is None
    assert (table.incident.outcome, table.name) == ("to_decide", "SUPERVISOR_DECISION")
    assert not table.of(HandVoided)
    assert table.deliver() == Reason.SUPERVISOR_DECISION
    assert table.scan("3h", "burn") == Reason.SUPERVISOR_DECISION
    assert table.rule_on("void", by=DEALER) == Reason.NOT_A_SUPERVISOR
    assert table.rule_on("void") is None
    (voided,) = table.of(HandVoided)
    assert (voided.cause, voided.by) == (table.incident.code, "floor-1")


@rule("69.e", "8.c")
def test_a_supervisor_who_finds_the_deck_whole_lets_the_hand_go_on_with_who_was_asked() -> None:
    table = live_h6().plays("3 call")
    asked = table.turn
    assert table.report("DE-69e", count=51) is None
    assert table.turn is None
    assert table.act(asked or 0, "call") == Reason.SUPERVISOR_DECISION
    assert table.rule_on("go_on") is None
    assert (table.turn, table.name) == (asked, "ROUND_1")
    paying = to_the_river()
    assert paying.report("DE-69e", count=51) is None
    assert paying.rule_on("go_on") is None
    assert paying.name == "PAYING"
    assert paying.deliver() is None
    assert paying.deal_hand() == Reason.DECK_DAMAGED, "it is looked at before it deals again"


@rule("69.e", "69.f")
def test_a_report_of_a_faulty_deck_says_which_card_and_shows_none_that_was_dealt() -> None:
    table = live_h6(pack="2c 3c 4c 5c 6c 7c 2d 3d 4d 5d 6d 7d").plays("3 call")
    for code in ("DE-69e", "DE-69f"):
        assert table.report(code) == Reason.INCOMPLETE_REPORT
    assert table.report("DE-69f", count=51) == Reason.INCOMPLETE_REPORT
    assert table.report("DE-69f", cards=["2c", "As"]) is None
    assert [card.card for card in table.incident.exposed] == ["As"]


@rule("69.d")
@pytest.mark.parametrize("scanned_to", ["board", "burn"])
def test_a_card_that_lay_open_in_the_stub_is_burnt_when_it_comes(scanned_to: Any) -> None:
    """Found by an attacker: it was announced and published, and dealt to the board all the same."""
    pack = "2c 3c 9c 5c 6c 7c 2d 3d 4d 5d 6d 7d 9h Th Qh Kh"
    table = LiveTable(1, 2, 3, 4, 5, 6).stack_pack(pack).begin(1).deal_holes()
    table.plays("3 call", "4 call", "5 call", "6 call", "1 call", "2 check")
    assert table.report("DE-69d", cards=["Qh"]) is None
    table.burn().turn_up()
    assert table.scan("Qh", scanned_to) is None
    table.next_card()
    assert (table.board, table.live.stage) == ([], "board")
    table.turn_up(2)
    assert (table.board, table.burns) == (["Th", "Kh", table.board[2]], ["9h", "Qh"])
    assert table.live.stage == "betting"


@rule("69.d", "70.c")
def test_one_that_lay_open_and_is_dealt_is_a_card_turned_over() -> None:
    table = LiveTable(1, 2, 3, 4).stack_pack("2c 3c 4c 5c 6c 7c 8c 9c").begin(1).deal_holes(until=2)
    assert table.report("DE-69d", cards=["4c"]) is None
    assert table.scan("4c", "hole", 3) is None
    assert (table.incident.code, table.incident.outcome) == ("DE-70c", "completed_at_the_end")


@rule("69.d")
def test_a_card_in_a_hand_is_not_published_as_one_that_lies_in_the_stub() -> None:
    """Found by an attacker: the dealer alone told everybody a hole card of who was elsewhere, and play went on."""
    table = live_h6(pack="2c 3c 4c 5c 6c 7c 2d 3d 4d 5d 6d 7d").plays("3 call")
    assert table.report("DE-69d") == Reason.INCOMPLETE_REPORT
    assert table.report("DE-69d", cards=["As"]) is None
    assert table.report("DE-69d", cards=["As"]) == Reason.NO_ERROR, "one card is no second one"
    assert table.report("DE-69d", cards=["2c"]) is None
    assert (table.incident.code, table.incident.outcome, table.incident.exposed) == ("DE-69e", "to_decide", [])
    assert table.rule_on("void", by=DEALER) == Reason.NOT_A_SUPERVISOR


@rule("69.a", "69.c", "69.g")
@pytest.mark.parametrize("code", ["DE-69a", "DE-69c", "DE-69g"])
def test_a_misdeal_publishes_no_card_that_lies_face_down_in_a_hand(code: str) -> None:
    table = live_h6(pack="2c 3c 4c 5c 6c 7c 2d 3d 4d 5d 6d 7d")
    assert table.report(code, cards=["2c", "As"]) is None
    assert [card.card for card in table.incident.exposed] == ["As"]


@rule("4/1", "24")
def test_no_hand_without_a_deck_that_was_spread_and_inspected(case: Case) -> None:
    assert len(ALL_CARDS) == case["cards"]
    table = LiveTable(1, 2, 3, 4)
    short = [card for card in ALL_CARDS if card != "9h"]
    for play_stops in (False, True):
        if play_stops:
            table.stack_pack("").deal_holes().folds_round()
            assert table.pause() is None
            assert table.resume() is None
        assert table.deal_hand() == Reason.DECK_NOT_INSPECTED
        for wrong in (short, [*short, "9d"], [*short, "1x"]):
            assert table.send(DEALER, c.InspectDeck(deck="R", cards=wrong)) in (
                Reason.DECK_NOT_SOUND,
                Reason.UNKNOWN_CARD,
            )
        table.make_ready()
        assert table.deal_hand() is None


@rule("4/2")
def test_a_damaged_deck_is_replaced_before_the_next_hand(case: Case) -> None:
    damaged, other = case.text("damaged"), case.text("replaced")
    table = LiveTable(1, 2, 3, 4, decks=f"{damaged}:red").make_ready(damaged)
    assert table.send(SUPERVISOR, c.MarkDeckDamaged(deck=damaged)) is None
    assert table.deal_hand(damaged) == Reason.DECK_DAMAGED
    assert table.send(SUPERVISOR, c.ReplaceDeck(deck=damaged, by_deck=other)) is None
    assert table.deal_hand(other) == Reason.DECK_NOT_INSPECTED
    table.make_ready(other)
    assert table.deal_hand(other) is None


@rule("31/1")
def test_the_deck_is_shuffled_three_times(case: Case) -> None:
    table = LiveTable(1, 2, 3, 4)
    assert table.send(DEALER, c.InspectDeck(deck="R", cards=ALL_CARDS)) is None
    assert table.send(DEALER, c.ShuffleDeck(deck="R", times=case["times"])) is None
    assert table.deal_hand() == Reason.SHUFFLE_INCOMPLETE
    assert table.send(DEALER, c.ShuffleDeck(deck="R", times=case["enough"])) is None
    assert table.deal_hand() is None


@rule("31/2")
def test_the_deck_is_counted_before_every_shuffle(case: Case) -> None:
    table, times = LiveTable(1, 2, 3, 4), case.int("times")
    table.state = replace(table.state, hands=case.int("hand") - 1, running=True, button=4)
    table.begin(1).stack_pack("").deal_holes().folds_round()
    assert table.state.hands == case["hand"]
    assert table.send(DEALER, c.ShuffleDeck(deck="R", times=times)) == Reason.DECK_NOT_CHECKED
    assert table.send(DEALER, c.CheckDeck(deck="R", cards=case["cards"] - 1, sound=True)) == Reason.DECK_NOT_SOUND
    assert table.send(DEALER, c.CheckDeck(deck="R", cards=case["cards"], sound=False)) == Reason.DECK_NOT_SOUND
    assert table.send(DEALER, c.CheckDeck(deck="R", cards=case["cards"], sound=True)) is None
    assert table.send(DEALER, c.ShuffleDeck(deck="R", times=times)) is None
    assert table.deal_hand() is None


@rule("31/3")
def test_at_a_virtual_table_one_order_of_the_whole_deck_is_bound_before_the_first_card(case: Case) -> None:
    table = h6()
    (started,) = table.of(HandStarted)
    deck = table.deck_of(started)
    assert len(set(deck.cards)) == len(deck.cards) == case["cards"]
    assert started.deck_root == deck_tree(deck, started.deck_leaves).root.hex()
    assert table.names.index("HandStarted") < table.names.index("HoleCardsDealt")
    assert len({h6_deck.cards for h6_deck in (table.shuffler.shuffle().deck for _ in range(3))}) == 3


@rule("33/1")
def test_a_card_seen_after_the_cut_has_the_deck_shuffled_again(case: Case) -> None:
    table = LiveTable(1, 2, 3, 4).make_ready()
    assert table.name == "DECK_READY"
    assert table.report("DE-33", hand=0, deck="R", cards=[case["card"]]) is None
    (seen,) = table.of(DeckExposed)
    assert (seen.code, seen.state_before, seen.state_after) == ("DE-33", "DECK_READY", "SHUFFLING")
    assert table.deal_hand() == Reason.SHUFFLE_INCOMPLETE
    assert table.send(DEALER, c.ShuffleDeck(deck="R", times=case["times"] - 1)) is None
    assert table.deal_hand() == Reason.SHUFFLE_INCOMPLETE
    assert table.send(DEALER, c.ShuffleDeck(deck="R", times=case["times"])) is None
    assert table.deal_hand() is None


@rule("76/1")
def test_with_a_shuffler_two_decks_take_turns(case: Case) -> None:
    first, second = case.ints("hands")
    table = LiveTable(1, 2, 3, 4, shuffler="automatic", decks="R:red,B:blue").make_ready("R").make_ready("B")
    table.state = replace(table.state, hands=first - 1, running=True, button=4)
    assert table.deal_hand("R") is None
    assert table.hand.number == first
    table.stack_pack("").deal_holes().folds_round()
    for deck in ("R", "B"):
        table.send(DEALER, c.CheckDeck(deck=deck, cards=52, sound=True))
        table.send(DEALER, c.ShuffleDeck(deck=deck, times=1))
    assert table.deal_hand("R") == Reason.DECKS_ALTERNATE
    assert table.deal_hand("B") is None
    assert table.hand.number == second


@rule("76/2")
def test_a_shuffler_wants_two_colours_and_a_dealer_at_least_one_deck(case: Case) -> None:
    live = {"dealer": "live", "shuffler": "automatic"}
    for rulebook in (CASINO_HOLDEM, CASINO_OMAHA):
        assert refusals(rulebook, **live, decks="R1:red,R2:red") == [("decks", "pt-217-2007#76")]
        assert refusals(rulebook, **live, decks="R:red,B:blue") == []
        assert refusals(rulebook, dealer="live", decks="R:red") == []
        assert ("decks", "pt-217-2007#4") in refusals(rulebook, dealer="live")


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
