"""A game from its opening to its close: pt-217-2007 7, 13, 22 to 24, 76."""

from copy import deepcopy
from typing import Any

import pytest
from msgspec.structs import replace

from libs.contracts import poker_commands as poker
from libs.contracts.conduct_events import ConductWarned
from libs.contracts.messages import Principal
from libs.contracts.poker_commands import PokerReason as Reason
from libs.contracts.poker_events import (
    GameResumed,
    HandStarted,
    HoleCardsDealt,
    RestRefused,
    VariantChosen,
)
from libs.contracts.table_commands import OpenTable
from libs.contracts.table_events import (
    ConfigurationActivated,
    ConfigurationAnnounced,
    PlayerInvitedToLeave,
    PlayerLeft,
    TableClosed,
    TableClosing,
    TableSuspended,
)
from libs.contracts.waiting_list_events import WaitingListLeft
from services.table.domain.games.poker.entering import stack_to_enter
from services.table.machine import refusal_in
from tests.table.asking import join, player
from tests.table.casino.play import (
    CASINO_HOLDEM,
    CASINO_OMAHA,
    casino,
    numbered,
    rule,
)
from tests.table.casino.test_casino_rulebooks import refusals
from tests.table.live.play import LiveTable, live_h6
from tests.table.play import TableUnderTest, configuration
from tests.table.views import view_of
from tests.testkit.cases import Case

MINUTE = 60_000
QUARTER = 15 * MINUTE


def one_hand(table: TableUnderTest) -> TableUnderTest:
    """The next hand, folded to whoever is left."""
    table.now += table.state.rules.timing.between_hands_ms
    table.wake()
    assert table.state.hand is not None, table.names
    return table.folds_round()


@rule("24/1")
def test_a_game_needs_four_and_starts_with_the_fourth(case: Case) -> None:
    seated = range(1, case.int("seated") + 1)
    table, live = casino(*seated), LiveTable(*seated).make_ready()
    table.wake()
    assert (table.due, table.state.hand) == (None, None), "nothing is to come"
    assert live.deal_hand() == "too_few_players"
    for each in (table, live):
        each.seat(case["needed"])
    assert table.due is not None
    assert live.deal_hand() is None


def suspended(players: int = 4, at: int = 0, **changes: Any) -> TableUnderTest:
    """One of four leaves in a hand, and the hand is over at that time: suspended then."""
    table = one_hand(casino(*range(1, players + 1), **changes))
    table.now += 3_000
    table.wake()
    assert table.leave(players) is None
    while table.state.hand is not None:
        assert not table.of(TableSuspended)
        table.now = max(table.now, at) if table.hand.left == 2 else table.now
        assert table.act(table.turn or 0, "fold") is None
    assert table.of(TableSuspended), "the hand was played to its end"
    return table


@rule("24/2")
def test_a_hand_under_way_is_played_to_its_end_and_no_other_is_dealt(case: Case) -> None:
    table = suspended(case.int("players"), case.moment("ends"), decision_ms=24 * 60 * MINUTE, kind="demo")
    assert table.state.suspended_at == table.now == case.moment("ends")
    number = table.state.hands
    assert view_of(table).suspended, "everybody is told that the game stands still"
    table.now += 10 * MINUTE
    table.wake()
    assert (table.state.hand, table.state.hands) == (None, number)


def quarter(case: Case, **changes: Any) -> TableUnderTest:
    """Suspended when the case says so."""
    table = suspended(at=case.moment("suspended"), decision_ms=24 * 60 * MINUTE, kind="demo", **changes)
    assert table.state.suspended_at == case.moment("suspended")
    return table


@rule("24/3")
@pytest.mark.parametrize("woken", [False, True])
def test_below_four_the_game_stands_still_and_goes_on_with_the_fourth_even_in_the_last_instant(
    case: Case, woken: bool
) -> None:
    table = quarter(case)
    lead, stacks = table.state.button, table.stacks
    table.now = case.moment("seated")
    table.wake() if woken else None
    assert table.take(4, stack_to_enter(table.state), "late") is None
    assert table.confirm(4) is None
    (resumed,) = table.of(GameResumed)
    assert resumed.players == 4
    assert not view_of(table).suspended
    assert {seat: stack for seat, stack in table.stacks.items() if seat != 4} == stacks
    table.wake()
    (started,) = table.of(HandStarted)
    assert started.small_blind != lead, "the marker moves on from where it was"


@rule("24/3")
def test_before_a_live_dealer_the_deck_is_inspected_again(case: Case) -> None:
    table = live_h6(decision_ms=24 * 60 * MINUTE, kind="demo")
    for seat in (4, 5, 6):
        assert table.sit_out(seat) is None
    table.plays("3 fold", "4 fold", "5 fold", "6 fold")
    table.now = case.moment("suspended")
    table.plays("1 fold")
    assert table.state.suspended_at == table.now
    table.now = case.moment("seated")
    assert table.sit_in(4) is None
    assert table.of(GameResumed)
    assert table.deal_hand() == "deck_not_inspected"


@rule("24/4")
@pytest.mark.parametrize("woken", [False, True])
def test_after_fifteen_minutes_the_game_is_closed_and_everybody_goes_home(case: Case, woken: bool) -> None:
    table = quarter(case)
    assert join(table, "waits") is None
    assert [each.player for each in view_of(table).waiting] == ["waits"]
    assert view_of(table).suspended
    table.now = case.moment("by")
    table.wake()
    assert table.state.status == "open"
    table.now = case.moment("late")
    if not woken:
        assert table.take(4, 20_000, "late") == "table_not_open", "by its own time, with no wake before it"
        assert table.state.status == "open", "a refusal changes nothing"
    table.wake()
    (closing,) = table.of(TableClosing)
    assert (closing.by, closing.reason) == ("house", "below_four_players")
    assert len(table.of(PlayerLeft)) == 3
    assert table.of(TableClosed)
    assert table.take(4, 20_000, "late") == "table_not_open"
    assert table.state.waiting.entries == ()
    assert [(off.player, off.reason) for off in table.of(WaitingListLeft, True)] == [("waits", "closed")]
    assert (view_of(table).status, view_of(table).waiting) == ("closed", ())


@rule("24/5", "13")
def test_a_rest_that_leaves_three_suspends_and_no_hand_counts_against_it(case: Case) -> None:
    resting = case.int("players")
    table = one_hand(casino(*range(1, resting + 1), decision_ms=24 * 60 * MINUTE, kind="demo"))
    table.now += 3_000
    table.wake()
    assert table.sit_out(resting) is None
    while table.state.hand is not None:
        table.now = case.moment("ends") if table.hand.left == 2 else table.now
        assert table.act(table.turn or 0, "fold") is None
    assert table.of(TableSuspended)
    assert table.state.suspended_at == case.moment("ends")
    table.now = case.moment("back")
    assert table.sit_in(resting) is None
    assert table.of(GameResumed)
    assert table.state.seats[resting].absent == 0
    assert not table.of(PlayerInvitedToLeave, everything=True)


def resting(case: Case) -> TableUnderTest:
    """P5 asks for a rest before the first of the hands, which are played without it."""
    hands = case.ints("hands")
    table = casino(1, 2, 3, 4, 5)
    table.state = replace(table.state, hands=hands[0] - 1, running=True, button=1)
    assert table.sit_out(5) is None
    for number in hands:
        one_hand(table)
        assert (table.state.hands, 5 in played(table)) == (number, False)
    return table


def played(table: TableUnderTest) -> list[int]:
    """Seats dealt into the last hand."""
    return [each.seat for each in table.of(HandStarted, everything=True)[-1].seats]


@rule("13/1")
def test_two_hands_of_rest_keep_the_seat(case: Case) -> None:
    table = resting(case)
    assert table.sit_in(5) is None
    one_hand(table)
    assert (table.state.hands, 5 in played(table), 5 in table.state.seats) == (case["back"], True, True)


@rule("13/2")
def test_the_third_hand_frees_the_seat(case: Case) -> None:
    table = resting(case)
    assert 5 in table.state.seats
    one_hand(table)
    assert table.state.hands == case["third"]
    (left,) = table.of(PlayerLeft, True)
    assert (left.seat, left.reason, left.stack) == (5, "inactivity", case["stack"])


@rule("13/3")
def test_resting_again_and_again_is_refused_with_a_warning(case: Case) -> None:
    table = one_hand(casino(1, 2, 3, 4, 5))
    assert table.state.rules.timing.rest_repeat_limit == case["limit"]
    for _ in range(case["limit"]):
        assert table.sit_out(5) is None
        one_hand(table)
        assert table.sit_in(5) is None
        one_hand(table)
    assert table.sit_out(5) is None
    (refused,) = table.of(RestRefused)
    assert (refused.player, refused.rests) == ("p5", case["limit"])
    assert [event.rule for event in table.of(ConductWarned)] == ["13"]
    assert refusal_in(table.last) == "rest_abused"
    one_hand(table)
    assert 5 in played(table), "nobody sits out against it"
    while 5 in table.state.seats:
        table.wake()
        assert 5 in played(table)
        table.time_out() if table.turn == 5 else table.plays(f"{table.turn} {'check' if table.legal[0] else 'call'}")
    assert [event.reason for event in table.of(PlayerLeft, True)] == ["removed"]


@rule("13/4")
def test_who_folds_hand_after_hand_is_playing(case: Case) -> None:
    table = casino(*range(1, 11))
    numbered(table, case.ints("hands")[0], 7)
    for number in case.ints("hands"):
        one_hand(table)
        assert (table.state.hands, 4 in played(table)) == (number, True)
    assert (table.state.seats[4].idle, table.state.seats[4].absent) == (case["count"], 0)


@rule("7/1")
def test_how_it_charges_is_fixed_before_the_game_and_stays(case: Case) -> None:
    rate, other = case.int("percent") * 100, case.int("other") * 100
    table = one_hand(casino(1, 2, 3, 4, rake_bp=rate))
    for changes in ({"rake_bp": other}, {"rake_mode": "session", "rake_bp": 1000}):
        assert table.change(2, **changes) == Reason.RATE_FIXED_FOR_GAME
        assert table.refused is not None
        assert table.refused.rule == "pt-217-2007#7"
    assert (table.state.rules.rake.bp, table.state.announced) == (rate, None)
    assert one_hand(table).state.rules.rake.bp == rate
    assert table.close() is None
    fresh = one_hand(casino(1, 2, 3, 4, rake_bp=other))
    assert fresh.state.rules.rake.bp == other, "the next game is opened with its own"


@rule("7/2")
def test_no_game_is_opened_without_a_method(case: Case) -> None:
    for rulebook in (CASINO_HOLDEM, CASINO_OMAHA):
        assert refusals(rulebook, rake_mode=...) == [("rake_mode", "pt-217-2007#7")]
        opening = OpenTable(name="x", rulebook=rulebook, configuration=configuration(rulebook, rake_mode=...))
        closed = casino()
        closed.state = type(closed.state)(table="t2")
        assert closed.send(Principal("staff", "s"), opening) == "outside_rulebook"
        assert closed.last == []


@rule("22/1")
def test_other_limits_hold_after_the_notice_and_never_in_a_hand(case: Case) -> None:
    notice = case.int("notice") * 1000
    table = one_hand(casino(1, 2, 3, 4, limits_notice_ms=notice, big_blind=case["minimum"], decision_ms=10 * MINUTE))
    table.now = case.moment("announced")
    assert table.change(2, big_blind=case["next"], limits_notice_ms=notice, decision_ms=10 * MINUTE) is None
    (announced,) = table.of(ConfigurationAnnounced)
    assert announced.holds_from == case.moment("announced") + notice == case.moment("after")
    table.now = case.moment("before")
    table.wake()
    assert table.hand.players[table.hand.big_blind].in_round == case["minimum"]
    running, audited = table.state, deepcopy((table.pots, table.acted_for))
    table.folds_round()
    assert not table.of(ConfigurationActivated, True), "not before the end of the notice"
    table.now = case.moment("after")
    table.wake()
    assert table.hand.players[table.hand.big_blind].in_round == case["next"]
    table.state, (table.pots, table.acted_for) = running, audited
    assert table.act(table.turn or 0, "raise", 2 * case.int("minimum")) is None
    assert not table.of(ConfigurationActivated), "a hand in progress does not change"
    table.folds_round()
    assert table.of(ConfigurationActivated), "and the next one has the new limits"


@rule("22/2")
def test_limits_outside_the_authorisation_are_not_even_announced(case: Case) -> None:
    least, most = case.ints("authorised")
    table = casino(1, 2, 3, 4, authorised_min=least, authorised_max=most)
    limits = table.state.rules.betting
    for wrong in (case.int("announced"), least - 2):
        assert table.change(2, big_blind=wrong, authorised_min=least, authorised_max=most) == (
            Reason.OUTSIDE_AUTHORISATION
        )
        assert table.refused is not None
        assert table.refused.rule == "pt-217-2007#22"
    assert (table.state.announced, table.state.rules.betting) == (None, limits)
    assert table.change(2, big_blind=most, authorised_min=least, authorised_max=most) is None


def mixed(lead: int = 2) -> TableUnderTest:
    """The next hand has the lead on that seat."""
    table = casino(1, 2, 3, 4, 5, mixed="omaha")
    return one_hand(numbered(table, 2, lead - 1))


def choose(table: TableUnderTest, seat: int, variant: Any) -> str | None:
    return table.send(player(f"p{seat}"), poker.ChooseVariant(variant=variant))


@rule("23/1")
def test_the_lead_player_turns_the_marker_and_nobody_else(case: Case) -> None:
    lead, chosen = case.int("lead"), case.text("chosen")
    table = mixed(lead)
    assert table.state.rules.variant == case["shown"]
    for other in {1, 2, 3, 4, 5} - {lead}:
        assert choose(table, other, chosen) == Reason.NOT_LEAD_SEAT
        assert table.refused is not None
        assert table.refused.rule == "pt-217-2007#23"
    assert choose(table, lead, "sintetico") == Reason.VARIANT_NOT_OFFERED
    for variant in (chosen, case["shown"], chosen):
        assert choose(table, lead, variant) is None
        assert [(event.seat, event.variant) for event in table.of(VariantChosen)] == [(lead, variant)]
    table.now = table.due or 0
    table.wake()
    (dealt,) = table.of(HoleCardsDealt)
    assert {len(deal.positions) for deal in dealt.deals} == {case["cards"]}
    assert choose(table, lead, "holdem") == Reason.HAND_UNDER_WAY


@rule("23/2")
def test_who_does_not_choose_plays_the_face_that_shows(case: Case) -> None:
    table = mixed()
    assert table.due == table.state.ended_at + case.int("seconds") * 1000
    table.now = (table.due or 0) - 1
    table.wake()
    assert table.state.hand is None
    table.now += 1
    table.wake()
    assert {len(deal.positions) for deal in table.of(HoleCardsDealt)[0].deals} == {2}


@rule("23/3")
def test_exactly_two_variants_that_go_together(case: Case) -> None:
    for other in ("sintetico", "holdem", "omaha,sintetico"):
        assert refusals(CASINO_HOLDEM, mixed=other, seats=case["seats"]) == [("mixed", "pt-217-2007#23")]
    assert refusals(CASINO_OMAHA, mixed="holdem", seats=case["seats"]) == []
