"""What a human dealer's word takes from players is told with the dealer (pt-217-2007 69 to 71, 91)."""

from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from libs.contracts.live_events import IncidentRecorded
from libs.contracts.poker_commands import Act
from libs.contracts.poker_events import DecisionAwaited, PlayerFolded
from libs.contracts.registry import decode_fact
from services.audit.verifying.by_hand import Misdeals, check_by_hand, misdeals_of, note_misdeal
from services.audit.verifying.dealt import PublicDecks
from services.audit.verifying.decks import check_deck
from services.audit.verifying.findings import Finding, Kind
from tests.audit.test_live_hands import published
from tests.table.casino.play import rule
from tests.table.live.play import DEALER, LiveTable, live_h6
from tests.table.live.test_board_at_stake import all_in_on_the_turn, on_the_flop
from tests.table.live.test_taken_out import among_three, between_two
from tests.table.live.test_undecided import stalls
from tests.table.live.test_who_deals_does_not_judge import all_in, assign, showdown

HOUR = 3_600_000


def found_of(table: LiveTable) -> list[Finding]:
    """As the live checks fold it: what is remembered is written down between two events."""
    decks, found = PublicDecks(), list[Finding]()
    for event in published(table):
        fact = decode_fact(event.type, event.data)
        found += [*check_deck(decks, event, fact), *check_by_hand(decks, event, fact)]
        decks = msgspec.json.decode(msgspec.json.encode(decks), type=PublicDecks)
    return found


@rule("71.b")
def test_a_hand_taken_on_the_dealers_word_is_told_with_who_won() -> None:
    table = among_three(1_000)
    assert table.report("PE-71b", seat=5, count=1, reported_by="p3") is None
    table.plays("4 fold")
    (found,) = found_of(table)
    assert (found.kind, found.severity) == (Kind.TAKEN_OUT, "minor")
    hand = table.state.hands
    assert found.detail == (
        f"hand {hand}, dealer dealer-1: seats 5 out by PE-71b on the word of p3, recorded by dealer-1, decided by"
        " dealer-1; won by seat 3 (3300)"
    )
    assert isinstance(table.told[(found.version or 0) - 1], IncidentRecorded)


@rule("71.h", "71.g")
def test_one_that_a_supervisor_took_is_told_with_the_supervisor() -> None:
    table = between_two()
    assert table.report("PE-71h", seat=4, error="DE-69a") is None
    assert table.rule_on("against") is None
    (found,) = found_of(table)
    assert "seats 4 out by PE-71h on the word of dealer-1, recorded by dealer-1, decided by floor-1" in found.detail
    both = among_three(1_000)
    assert both.report("PE-71g", seats=[4, 5]) is None
    assert both.rule_on("against") is None
    (found,) = found_of(both)
    assert "seats 4, 5 out by PE-71g" in found.detail


@rule("71.a")
def test_who_was_folded_for_not_deciding_is_told_and_a_check_is_not() -> None:
    table = stalls()
    assert table.report("PE-71a", seat=4) is None
    assert table.rule_on("against") is None
    (found,) = found_of(table)
    assert found.kind == Kind.TAKEN_OUT
    assert "seats 4 out by PE-71a on the word of dealer-1, recorded by dealer-1, decided by floor-1" in found.detail
    free = stalls(bets=False)
    assert free.report("PE-71a", seat=4) is None
    assert free.rule_on("check") is None
    free.burn().turn_up().plays("3 bet 1000", "4 fold")
    assert found_of(free) == []
    own = stalls()
    assert own.report("PE-71a", seat=4) is None
    own.plays("4 fold")
    assert found_of(own) == []


@rule("71.b", "69")
def test_what_goes_on_or_goes_back_took_nobodys_hand() -> None:
    table = between_two()
    assert table.report("PE-71b", seat=4, count=1) is None
    assert table.rule_on("go_on") is None
    table.plays("4 fold")
    assert found_of(table) == []
    void = among_three(1_000)
    assert void.report("PE-71b", seat=5, count=1) is None
    assert void.report("DE-69d", cards=["2c"]) is None
    assert void.rule_on("void") is None
    assert [found.kind for found in found_of(void)] == [Kind.LIVE_VOID]


@rule("71.f", "53")
def test_what_a_supervisor_let_stand_is_told_with_all_names_and_who_won() -> None:
    table = live_h6().plays("3 raise 9000", "4 call", "5 fold", "6 fold", "1 fold", "2 fold").burn().turn_up(3)
    assert table.report("PE-71f", seat=4, act="fold", reported_by="p3") is None
    assert table.rule_on("stands") is None
    table.plays("3 check")
    (found,) = found_of(table)
    assert (found.kind, found.severity) == (Kind.ENTERED, "minor")
    assert found.detail == (
        f"hand {table.state.hands}, dealer dealer-1: seat 4's fold by PE-71f on the word of p3, recorded by dealer-1,"
        " decided by floor-1; won by seat 3 (18300)"
    )
    bet = between_two()
    assert bet.send(DEALER, Act(hand=bet.state.hands, seat=4, act="bet", to=11_000)) is None
    assert bet.rule_on("stands") is None
    bet.plays("3 fold")
    (found,) = found_of(bet)
    assert (
        "seat 4's bet to 11000 by ACT on the word of dealer-1, recorded by dealer-1, decided by floor-1" in found.detail
    )


@rule("71.f", "53")
def test_what_the_player_did_in_person_is_told_where_something_else_was_entered() -> None:
    table = between_two()
    assert table.send(DEALER, Act(hand=table.state.hands, seat=4, act="fold")) is None
    table.plays("4 check")
    (found,) = found_of(table)
    assert (found.kind, found.detail) == (
        Kind.ENTERED,
        f"hand {table.state.hands}, dealer dealer-1: dealer-1 entered a fold for seat 4, whose player did check",
    )
    same = between_two()
    assert same.send(DEALER, Act(hand=same.state.hands, seat=4, act="fold")) is None
    same.plays("4 fold")
    assert found_of(same) == []
    other = between_two()
    assert other.send(DEALER, Act(hand=other.state.hands, seat=4, act="fold")) is None
    assert other.rule_on("go_on") is None
    other.plays("4 check")
    assert found_of(other) == []


@rule("91", "8.c")
def test_a_hand_that_the_clock_took_while_a_supervisor_was_asked_is_told_and_is_not_its_players_own() -> None:
    """Found by an attacker: a dealer took a late blind, by which the turn was asked anew, and nobody was told."""
    table = between_two()
    assert table.send(DEALER, Act(hand=table.state.hands, seat=4, act="fold")) is None
    asked = table.of(DecisionAwaited, True)[-1]
    common: dict[str, Any] = {"table": "t1", "at": table.now, "hand": asked.hand, "seat": 4, "player": "p4"}
    folded = PlayerFolded(**common, actor="house", reason="timeout")
    table.told += [asked, folded]
    hand = f"hand {asked.hand}, dealer dealer-1: "
    assert [(found.kind, found.detail) for found in found_of(table)] == [
        (Kind.ENTERED, f"{hand}seat 4 is asked, with a clock, while incident 1 waits for a supervisor"),
        (Kind.ENTERED, f"{hand}the house made seat 4's fold (timeout) while incident 1 waited for a supervisor"),
    ]


@rule("8.c")
@pytest.mark.parametrize("leaves", [False, True])
def test_what_is_asked_and_decided_after_the_supervisor_or_by_who_leaves_is_nobodys_fault(leaves: bool) -> None:
    table = between_two()
    assert table.send(DEALER, Act(hand=table.state.hands, seat=4, act="fold")) is None
    if leaves:
        assert table.leave(4) is None
        assert found_of(table) == []
        return
    assert table.rule_on("go_on") is None
    table.plays("4 check")
    assert found_of(table) == []


@rule("70.a", "8.c")
@pytest.mark.parametrize("decision", ["stands", "go_on"])
def test_a_large_pot_that_a_supervisor_let_go_against_the_cards_is_told_and_takes_no_hand(decision: str) -> None:
    table = all_in(showdown())
    assert table.deliver(winner=3, pushed=True) is None
    assert table.rule_on(decision) is None
    if decision == "go_on":
        assert table.deliver() is None
    found = found_of(table)
    assert [each.kind for each in found] == [Kind.PUSHED] * (decision == "stands")
    assert all(", decided by floor-1" in each.detail for each in found)


@rule("8.c", "9.a")
def test_the_second_dealer_named_while_a_hand_runs_is_told() -> None:
    """Found by an attacker: each supervisor was named the dealer for a moment, and nobody could judge the hand."""
    table = between_two()
    assert assign(table, "floor-3") is None
    assert found_of(table) == []
    assert assign(table, "dealer-1") is None
    (found,) = found_of(table)
    assert (found.kind, found.severity) == (Kind.DEALERS, "minor")
    assert found.detail == f"hand {table.state.hands}: floor-1 named dealer-1, dealer number 3 of the hand"
    quiet = between_two().plays("4 fold")
    for who in ("dealer-2", "dealer-3", "dealer-1"):
        assert assign(quiet, who) is None
    assert found_of(quiet) == [], "between hands"


@rule("69")
def test_the_third_void_of_one_dealer_before_the_first_action_within_a_day_is_told() -> None:
    table = live_h6()
    assert table.report("DE-69a", seat=3) is None
    (event,) = [each for each in published(table) if each.type.endswith("incident_recorded.v1")]
    fact = decode_fact(event.type, event.data)
    assert isinstance(fact, IncidentRecorded)
    mine = misdeals_of(fact)
    assert mine
    assert misdeals_of(replace(fact, decided_by="dealer-2")) not in ("", mine)
    assert misdeals_of(replace(fact, decided_by="DEALER-1")) == mine, "whatever the spelling"
    waits = replace(fact, state_after="SUPERVISOR_DECISION", choices=["void", "go_on"], decided_by="")
    assert misdeals_of(waits) == "", "a supervisor's word is nothing of the dealer's"
    misdeals, told = Misdeals(), []
    for hours in (0, 10, 23, 24, 40, 64):
        at = replace(event, time=event.time + hours * HOUR)
        told += [(hours, found.kind, found.detail) for found in note_misdeal(misdeals, at, fact)]
        misdeals = msgspec.json.decode(msgspec.json.encode(misdeals), type=Misdeals)
    assert [(hours, kind) for hours, kind, _ in told] == [(23, Kind.MISDEALS), (24, Kind.MISDEALS), (40, Kind.MISDEALS)]
    assert told[0][2] == (
        f"hand {fact.hand}, dealer dealer-1: void before the first action by DE-69a, number 3 of this dealer within 24"
        " hours"
    )


@rule("70.c", "91")
@pytest.mark.parametrize(("kind", "event"), [(Kind.TURNED, "incident_recorded"), (Kind.UNPOSTED, "live_deal_opened")])
def test_the_third_card_turned_over_or_blind_left_out_of_one_dealer_within_a_day_is_told(
    kind: Kind, event: str
) -> None:
    """Found by an attacker: a mate's worst card was exchanged in every hand, and a blind paid when cards were good."""
    table = LiveTable(1, 2, 3, 4, 5).stack_pack("").begin(3, unposted=[4]).deal_holes(turned=(1,))
    (public,) = [each for each in published(table) if each.type.endswith(f"{event}.v1")]
    fact = decode_fact(public.type, public.data)
    assert misdeals_of(fact)
    misdeals, told = Misdeals(), []
    for hours in (0, 10, 23, 40):
        at = replace(public, time=public.time + hours * HOUR)
        told += [(hours, found.kind, found.detail) for found in note_misdeal(misdeals, at, fact)]
        misdeals = msgspec.json.decode(msgspec.json.encode(misdeals), type=Misdeals)
    ((hours, found, detail),) = told
    assert (hours, found) == (23, kind)
    assert "dealer-1" in detail
    assert "number 3 of this dealer within 24 hours" in detail


@rule("69.d")
def test_the_third_report_of_a_card_face_up_in_the_stub_of_one_dealer_within_a_day_is_told() -> None:
    """Found by an attacker: in four hands running the river was another card, and nobody was told."""
    small, large = all_in_on_the_turn(named="Kc"), all_in_on_the_turn()
    assert large.report("DE-69d", cards=["Kc"]) is None
    for table in (small, large):
        (public,) = [each for each in published(table) if each.type.endswith("incident_recorded.v1")]
        fact = decode_fact(public.type, public.data)
        assert isinstance(fact, IncidentRecorded)
        assert misdeals_of(fact) == misdeals_of(replace(fact, recorded_by="DEALER-1")) != "", "asked of or not"
        misdeals, told = Misdeals(), []
        for hours in (0, 10, 23, 40):
            at = replace(public, time=public.time + hours * HOUR)
            told += [(hours, found.kind, found.detail) for found in note_misdeal(misdeals, at, fact)]
            misdeals = msgspec.json.decode(msgspec.json.encode(misdeals), type=Misdeals)
        ((hours, kind, detail),) = told
        assert (hours, kind) == (23, Kind.FACE_UP)
        assert detail.endswith(
            "dealer dealer-1: cards of the stub face up (DE-69d): 1, number 3 of this dealer within 24 hours"
        )


@rule("69.d", "8.c")
def test_a_card_that_was_named_and_burnt_as_the_next_one_is_told_with_who_won() -> None:
    table = on_the_flop(400).plays("3 check", "4 check").burn()
    assert table.report("DE-69d", cards=["8s"], reported_by="p4") is None
    table.turn_up(2).plays("3 bet 400", "4 fold")
    (found,) = found_of(table)
    assert (found.kind, found.severity) == (Kind.FACE_UP_NEXT, "minor")
    assert "face up in the stub on the word of p4, recorded by dealer-1, decided by nobody else" in found.detail
    assert "; won by seat 3 (" in found.detail
    assert "8s" not in found.detail
    assert isinstance(table.told[(found.version or 0) - 1], IncidentRecorded)


@rule("69.d", "8.c")
@pytest.mark.parametrize("named", ["", "Kc"])
def test_what_a_supervisor_said_of_it_is_told_too(named: str) -> None:
    for decision in ("stands", "go_on"):
        table = all_in_on_the_turn(named).burn()
        assert table.scan("Kc", "board") is None if named else table.report("DE-69d", cards=["Kc"]) is None
        assert table.rule_on(decision) is None
        table.turn_up(2 if decision == "stands" else 1)
        assert table.deliver() is None
        found = [each for each in found_of(table) if each.kind == Kind.FACE_UP_NEXT]
        assert [", decided by floor-1; won by seat" in each.detail for each in found] == [True] * (decision == "stands")


@rule("70.e", "8.c")
def test_a_card_withdrawn_by_a_supervisor_is_told_once_with_the_supervisor() -> None:
    table = on_the_flop().plays("3 check").burn()
    assert table.report("DE-70e", cards=[table.next_card()]) is None
    assert table.rule_on("stands") is None
    table.plays("4 check").burn().turn_up().plays("3 check", "4 check").turn_up().plays("3 check", "4 check")
    assert table.deliver() is None
    (found,) = found_of(table)
    assert found.kind == Kind.EXPOSED
    assert "on the word of dealer-1, recorded by dealer-1, decided by floor-1; seats 4 may only match" in found.detail


@rule("69.d")
def test_a_card_that_comes_a_street_later_or_never_is_no_choice_of_the_next_one() -> None:
    table = on_the_flop(400)
    assert table.report("DE-69d", cards=["Kc"]) is None
    table.plays("3 check", "4 check").burn().turn_up().plays("3 check", "4 check").burn().turn_up(2)
    assert table.burns[-1] == "Kc"
    table.plays("3 bet 400", "4 fold")
    assert found_of(table) == []


def test_what_was_counted_before_is_read() -> None:
    assert msgspec.json.decode(b'{"at":[5]}', type=Misdeals) == Misdeals(at=[5])


@rule("71.e")
def test_hole_cards_shown_on_a_dealers_word_are_told() -> None:
    """Found by an attacker: a dealer alone showed everybody a player's cards in the middle of a hand."""
    table = between_two()
    cards = table.hole(4)
    assert table.report("PE-71e", seat=4, cards=cards, reported_by="p3") is None
    (found,) = found_of(table)
    assert (found.kind, found.severity) == (Kind.SHOWN, "minor")
    shown = f"{len(cards)} hole cards of seat 4 shown to all by PE-71e on the word of p3, recorded by dealer-1"
    assert found.detail == f"hand {table.state.hands}, dealer dealer-1: {shown}"
