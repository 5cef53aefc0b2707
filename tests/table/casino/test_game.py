"""A game from its opening to its close: pt-217-2007 7, 13, 14, 22 to 24, 28, 74 to 76, 78, 79, S."""

from typing import Any

import pytest

from libs.contracts import poker_commands as poker
from libs.contracts.conduct_events import ConductWarned
from libs.contracts.poker_commands import PokerReason as Reason
from libs.contracts.poker_events import (
    GameResumed,
    HandStarted,
    HoleCardsDealt,
    RestRefused,
    SessionEnded,
    SessionFeeDue,
    SessionStarted,
    VariantChosen,
)
from libs.contracts.table_events import (
    ConfigurationActivated,
    ConfigurationAnnounced,
    PlayerInvitedToLeave,
    PlayerLeft,
    TableClosed,
    TableClosing,
    TableSuspended,
    TopUpAdded,
)
from services.table.domain.games.poker.entering import stack_to_enter
from services.table.machine import refusal_in
from services.table.rulebooks.configure import configure
from services.table.rulebooks.library import find_rulebook
from services.table.rulebooks.rulebook import Rulebook
from tests.table.asking import join, player
from tests.table.casino.play import CASINO_HOLDEM, CASINO_OMAHA, SINTETICO, casino, rule
from tests.table.live.play import LiveTable, live_h6
from tests.table.play import TableUnderTest, configuration
from tests.testkit.cases import Case

MINUTE = 60_000
QUARTER = 15 * MINUTE


def one_hand(table: TableUnderTest) -> TableUnderTest:
    """The next hand, folded to whoever is left."""
    table.now += table.state.rules.timing.between_hands_ms
    table.wake()
    assert table.state.hand is not None, table.names
    return table.folds_round()


def refusals(rulebook: str, **changes: Any) -> list[tuple[str, str | None]]:
    book = find_rulebook(rulebook)
    assert isinstance(book, Rulebook)
    answer = configure(book, configuration(rulebook, **changes))
    return [(refusal.field, refusal.rule) for refusal in answer] if isinstance(answer, list) else []


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
    table = suspended(case.int("players"), case.moment("ends"), decision_ms=30 * 60 * MINUTE)
    assert table.state.suspended_at == table.now == case.moment("ends")
    number = table.state.hands
    table.now += 10 * MINUTE
    table.wake()
    assert (table.state.hand, table.state.hands) == (None, number)


def quarter(case: Case, **changes: Any) -> TableUnderTest:
    """Suspended when the case says so."""
    table = suspended(at=case.moment("suspended"), decision_ms=30 * 60 * MINUTE, **changes)
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
    assert {seat: stack for seat, stack in table.stacks.items() if seat != 4} == stacks
    table.wake()
    (started,) = table.of(HandStarted)
    assert started.small_blind != lead, "the marker moves on from where it was"


@rule("24/3")
def test_before_a_live_dealer_the_deck_is_inspected_again(case: Case) -> None:
    table = live_h6(decision_ms=30 * 60 * MINUTE)
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


@rule("24/5", "13")
def test_a_rest_that_leaves_three_suspends_and_no_hand_counts_against_it(case: Case) -> None:
    resting = case.int("players")
    table = one_hand(casino(*range(1, resting + 1), decision_ms=30 * 60 * MINUTE))
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


@rule("13")
def test_two_hands_of_rest_keep_the_seat_and_the_third_frees_it() -> None:
    table = one_hand(casino(1, 2, 3, 4, 5))
    assert table.sit_out(5) is None
    one_hand(one_hand(table))
    back = table.state
    assert table.sit_in(5) is None
    one_hand(table)
    assert 5 in table.state.seats
    table.state = back
    one_hand(table)
    (left,) = table.of(PlayerLeft, True)
    assert (left.seat, left.reason, left.stack) == (5, "inactivity", back.seats[5].stack)


@rule("13")
def test_resting_again_and_again_is_refused_with_a_warning() -> None:
    table = one_hand(casino(1, 2, 3, 4, 5))
    for _ in range(3):
        assert table.sit_out(5) is None
        one_hand(table)
        assert table.sit_in(5) is None
        one_hand(table)
    assert table.sit_out(5) is None
    (refused,) = table.of(RestRefused)
    assert (refused.player, refused.rests) == ("p5", 3)
    assert [event.rule for event in table.of(ConductWarned)] == ["13"]
    assert refusal_in(table.last) == "rest_abused"
    assert not table.state.seats[5].out


@rule("13")
def test_who_folds_hand_after_hand_is_playing() -> None:
    table = casino(1, 2, 3, 4, 5, 6, 7, 8, 9, 10)
    for _ in range(3):
        one_hand(table)
    idle = next(sitter for sitter in table.state.seats.values() if sitter.idle == 3)
    assert idle.absent == 0


@rule("79", "13")
def test_below_the_minimum_one_rests_until_a_rebuy() -> None:
    from msgspec.structs import replace

    table = one_hand(casino(1, 2, 3, 4, 5, buy_in_min=20_000, rebuy=10_000, waiting_ms=10 * MINUTE))
    moved = table.state.seats[3].stack - 150
    seats = {
        **table.state.seats,
        3: replace(table.state.seats[3], stack=150),
        4: replace(table.state.seats[4], stack=table.state.seats[4].stack + moved),
    }
    table.state = replace(table.state, seats=seats)
    one_hand(table)
    assert 3 not in [each.seat for each in table.of(HandStarted, True)[-1].seats]
    assert 3 in table.state.seats
    assert table.top_up(3, 10_000) is None
    assert table.confirm_top_up() is None
    one_hand(table)
    assert 3 in [each.seat for each in table.of(HandStarted, True)[-1].seats]
    assert table.of(TopUpAdded, True)[0].stack == 10_150


@rule("75")
def test_initial_stack_and_rebuy_are_fixed_amounts() -> None:
    table = casino(1, 2, 3, buy_in_min=20_000, top_up_to=30_000, rebuy=10_000)
    assert table.take(4, 15_000) == Reason.INITIAL_STACK
    assert table.refused is not None
    assert (table.refused.detail, table.refused.rule) == ("required: 20000", "pt-217-2007#75")
    assert table.top_up(1, 12_000) == Reason.REBUY_AMOUNT
    assert table.refused.rule == "pt-217-2007#75"
    assert table.top_up(1, 10_000) is None


def with_stacks(**changes: Any) -> TableUnderTest:
    """Running, with 10000, 20000, 15000 and 7500."""
    from msgspec.structs import replace

    table = one_hand(casino(1, 2, 3, 4, smallest_chip=100, **changes))
    brought = sum(table.stacks.values())
    wanted = {1: 10_000, 2: 20_000, 3: 15_000, 4: 7_500}
    seats = {seat: replace(table.state.seats[seat], stack=stack) for seat, stack in wanted.items()}
    books = replace(table.state.books, left=table.state.books.left + brought - sum(wanted.values()))
    table.state = replace(table.state, seats=seats, books=books)
    return table


@rule("28", "78")
@pytest.mark.parametrize(
    ("changes", "required"),
    [
        ({"entry_minimum": 2_000}, 13_100),
        ({"entry_minimum": 15_000}, 15_000),
        ({"entry_rule": "average", "entry_minimum": 15_000}, 13_100),
        ({"entry_rule": "minimum", "entry_minimum": 16_000}, 16_000),
    ],
)
def test_who_enters_a_running_game_brings_the_average_or_the_minimum(changes: dict[str, Any], required: int) -> None:
    table = with_stacks(**changes)
    for wrong in (required - 100, required + 100):
        assert table.take(5, wrong) == Reason.ENTRY_STACK
        assert table.refused is not None
        assert (table.refused.detail, table.refused.rule) == (f"required: {required}", "pt-217-2007#28")
    assert table.take(5, required) is None


@rule("14.h", "28")
def test_who_comes_back_brings_what_was_taken_away() -> None:
    from msgspec.structs import replace

    table = one_hand(casino(1, 2, 3, 4, 5))
    extra = 32_000 - table.state.seats[5].stack
    books = replace(table.state.books, brought=table.state.books.brought + extra)
    seats = {**table.state.seats, 5: replace(table.state.seats[5], stack=32_000)}
    table.state = replace(table.state, seats=seats, books=books)
    assert table.leave(5) is None
    table.now += 40 * MINUTE
    assert table.take(5, 20_000) == Reason.STACK_NOT_RESTORED
    assert table.refused is not None
    assert (table.refused.detail, table.refused.rule) == ("required: 32000", "pt-217-2007#14.h")
    assert table.take(5, 32_000) is None


@rule("14.e")
def test_a_top_up_asked_for_in_a_hand_comes_after_it() -> None:
    table = casino(1, 2, 3, 4, top_up_to=40_000)
    table.now += 3_000
    table.wake()
    before = table.stacks[3]
    assert table.top_up(3, 5_000) is None
    assert table.names == ["TopUpRequested"]
    assert table.stacks[3] == before
    table.folds_round()
    assert table.confirm_top_up() is None
    assert table.of(TopUpAdded)


@rule("7")
def test_how_it_charges_is_fixed_before_the_game_and_stays() -> None:
    assert ("rake_mode", "pt-217-2007#7") in refusals(CASINO_HOLDEM, rake_mode=...)
    table = one_hand(casino(1, 2, 3, 4, rake_bp=500))
    assert table.change(2, rake_bp=400) == Reason.RATE_FIXED_FOR_GAME
    assert table.refused is not None
    assert table.refused.rule == "pt-217-2007#7"
    assert table.change(2, rake_mode="session", rake_bp=1000) == Reason.RATE_FIXED_FOR_GAME
    assert table.state.rules.rake.bp == 500
    fresh = casino(1, 2, 3, 4, rake_bp=400)
    assert fresh.state.rules.rake.bp == 400, "the next game is opened with its own"


@rule("22")
def test_other_limits_hold_after_the_notice_and_never_in_a_hand() -> None:
    table = one_hand(casino(1, 2, 3, 4, limits_notice_ms=300_000))
    at = table.now
    assert table.change(2, big_blind=400, limits_notice_ms=300_000) is None
    (announced,) = table.of(ConfigurationAnnounced)
    assert announced.holds_from == at + 300_000
    table.now = at + 299_000
    table.wake()
    assert table.hand.players[table.hand.big_blind].in_round == 200
    table.now = at + 301_000
    assert not table.of(ConfigurationActivated, True), "a hand in progress does not change"
    table.folds_round()
    assert table.of(ConfigurationActivated)
    table.now += 3_000
    table.wake()
    assert table.hand.players[table.hand.big_blind].in_round == 400


@rule("22")
def test_limits_outside_the_authorisation_are_not_even_announced() -> None:
    table = casino(1, 2, 3, 4, authorised_min=100, authorised_max=1000)
    assert table.change(2, big_blind=1100, authorised_min=100, authorised_max=1000) == Reason.OUTSIDE_AUTHORISATION
    assert table.refused is not None
    assert table.refused.rule == "pt-217-2007#22"
    assert table.state.announced is None


def mixed() -> TableUnderTest:
    return one_hand(casino(1, 2, 3, 4, mixed="omaha"))


def choose(table: TableUnderTest, seat: int, variant: Any) -> str | None:
    return table.send(player(f"p{seat}"), poker.ChooseVariant(variant=variant))


@rule("23")
def test_the_lead_player_turns_the_marker_and_nobody_else() -> None:
    table = mixed()
    lead = 2
    assert choose(table, 3, "omaha") == Reason.NOT_LEAD_SEAT
    assert table.refused is not None
    assert table.refused.rule == "pt-217-2007#23"
    assert choose(table, lead, "sintetico") == Reason.VARIANT_NOT_OFFERED
    for variant in ("omaha", "holdem", "omaha"):
        assert choose(table, lead, variant) is None
        assert [(event.seat, event.variant) for event in table.of(VariantChosen)] == [(2, variant)]
    table.now = table.due or 0
    table.wake()
    (dealt,) = table.of(HoleCardsDealt)
    assert {len(deal.positions) for deal in dealt.deals} == {4}
    assert table.state.rules.regulation == "pt-217-2007"
    assert choose(table, table.hand.small_blind, "holdem") == Reason.HAND_UNDER_WAY


@rule("23")
def test_who_does_not_choose_plays_the_face_that_shows() -> None:
    table = mixed()
    assert table.due == table.state.ended_at + 10_000
    table.now = table.due or 0
    table.wake()
    assert {len(deal.positions) for deal in table.of(HoleCardsDealt)[0].deals} == {2}


@rule("23")
@pytest.mark.parametrize("other", ["sintetico", "holdem", "omaha,sintetico"])
def test_exactly_two_variants_that_go_together(other: str) -> None:
    assert ("mixed", "pt-217-2007#23") in refusals(CASINO_HOLDEM, mixed=other)
    assert refusals(CASINO_OMAHA, mixed="holdem") == []


def charged(**changes: Any) -> TableUnderTest:
    chosen: dict[str, Any] = {"rake_mode": "session", "rake_bp": 1000, "between_hands_ms": 0, **changes}
    return casino(1, 2, 3, 4, 5, 6, **chosen)


@rule("7.b")
def test_at_the_start_of_a_session_everybody_seated_is_charged_once_and_no_stack_is() -> None:
    table = charged()
    table.wake()
    (started,) = table.of(SessionStarted)
    fees = table.of(SessionFeeDue)
    assert [(fee.player, fee.amount, fee.session) for fee in fees] == [(f"p{n}", 2_000, 1) for n in range(1, 7)]
    assert sum(table.stacks.values()) + table.hand.pot == 6 * 20_000
    assert started.until == table.now + 60 * MINUTE
    one_hand(table.folds_round())
    assert len(table.of(SessionFeeDue, True)) == 6


@rule("7.b")
@pytest.mark.parametrize(("after", "pays"), [(30 * MINUTE, True), (30 * MINUTE + 1, False)])
def test_who_sits_down_within_thirty_minutes_pays_too(after: int, pays: bool) -> None:
    table = charged()
    began = table.now
    table.wake()
    table.folds_round()
    table.now = began + after
    assert table.take(7, stack_to_enter(table.state)) is None
    assert table.confirm(7) is None
    assert [fee.player for fee in table.of(SessionFeeDue)] == (["p7"] if pays else [])


@rule("7.b", "74")
def test_the_hour_over_the_round_of_the_marker_is_completed() -> None:
    table = casino(2, 4, 5, 7, 9, 10, rake_mode="session", rake_bp=500, between_hands_ms=0, sessions=2)
    table.wake()
    table.folds_round()
    leads = []
    table.now += 60 * MINUTE
    while not table.of(SessionEnded, True):
        table.wake()
        if table.state.hand is not None and not table.of(SessionEnded):
            leads.append(table.hand.small_blind)
            table.folds_round()
    assert leads == [4, 5, 7, 9, 10], "played to where the session's first hand had the marker"
    assert table.hand.small_blind == 2
    assert [event.number for event in table.of(SessionStarted, True)] == [1, 2]


@rule("74")
def test_after_the_last_session_the_table_closes_and_none_can_be_added() -> None:
    table = charged(sessions=1, session_tail="current_hand")
    table.wake()
    table.folds_round()
    assert (
        table.change(2, rake_mode="session", rake_bp=1000, between_hands_ms=0, sessions=2) == Reason.RATE_FIXED_FOR_GAME
    )
    table.now += 60 * MINUTE
    table.wake()
    assert table.of(SessionEnded)
    assert table.of(TableClosed)
    assert len(table.of(PlayerLeft)) == 6


@rule("7.b", "S.14")
def test_bounds_and_base_of_the_charge() -> None:
    for rate, fits in ((490, False), (500, True), (2_000, True), (2_010, False)):
        found = refusals(CASINO_HOLDEM, rake_mode="session", rake_bp=rate)
        assert (("rake_bp", "pt-217-2007#7.b") in found) is not fits
    assert ("session_fee_base", "pt-217-2007#S.14") in refusals(
        SINTETICO, rake_mode="session", rake_bp=1000, kind="demo", ante=50, session_fee_base=...
    )


@rule("76", "4")
def test_a_shuffler_wants_two_colours_and_a_dealer_at_least_one_deck() -> None:
    live = {"dealer": "live", "shuffler": "automatic"}
    assert ("decks", "pt-217-2007#76") in refusals(CASINO_HOLDEM, **live, decks="R1:red,R2:red")
    assert refusals(CASINO_HOLDEM, **live, decks="R:red,B:blue") == []
    assert refusals(CASINO_HOLDEM, dealer="live", decks="R:red") == []
    assert ("decks", "pt-217-2007#4") in refusals(CASINO_HOLDEM, dealer="live")
