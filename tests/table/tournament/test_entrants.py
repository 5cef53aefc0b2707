"""Entrants at their table: seated, moved, eliminated, finished, each by the tournament alone; chips are counted."""

from itertools import product
from typing import Any

import pytest

from libs.contracts import tournament_commands as c
from libs.contracts.conduct_commands import MutePlayer, WarnPlayer
from libs.contracts.messages import Principal
from libs.contracts.poker_events import BlindPosted, HandStarted, PlayerChecked, PlayerFolded, PotAwarded
from libs.contracts.registry import decode_fact, encode_fact
from libs.contracts.table_commands import OpenTable, PauseTable, ResumeTable
from libs.contracts.table_events import PlayerLeft, PlayerSatOut, TableOpened
from libs.contracts.tournament_events import (
    EntrantChipsAdded,
    EntrantChipsDue,
    EntrantEliminated,
    EntrantFinished,
    EntrantMoved,
    EntrantSeated,
    HandsAllowed,
)
from libs.money.chips import NO_CURRENCY
from libs.rulebooks.library import RULEBOOKS
from services.table.configure import configure
from services.table.domain.table.waking import next_wake
from services.table.journal_format import TableFormat
from tests.table.play import COMMON_OMAHA, HOLDEM, MACAU, PORTUGAL, START, TableUnderTest, configuration
from tests.table.samples import KEYRING
from tests.table.tournament.play import ASKED, ORGANISER, TABLE, TOURNAMENT, TournamentTable, against
from tests.table.under_test import AnyTable


def test_a_table_of_a_tournament_plays_for_chips() -> None:
    table = TournamentTable()
    (opened,) = table.of(TableOpened, everything=True)
    rules = opened.configuration
    assert (rules.tournament, rules.kind, rules.currency) == (TOURNAMENT, "tournament", NO_CURRENCY)
    assert (rules.entry.buy_in_min, rules.entry.buy_in_max, rules.entry.top_up_to, rules.rake.bp) == (0, 0, 0, 0)


@pytest.mark.parametrize(
    "named", [{"currency": "EUR"}, {"kind": "real"}, {"buy_in": 100}, {"top_up_to": 5}, {"rake_bp": 300}, {"seats": 99}]
)
def test_money_has_no_place_in_its_configuration(named: dict[str, Any]) -> None:
    answer = configure(RULEBOOKS[MACAU], ASKED | named, TOURNAMENT)
    assert isinstance(answer, list)
    assert answer[0].field in named | {"buy_in": 0}
    assert str(answer[0].rule).startswith("mo-97-2010#")


@pytest.mark.parametrize("rulebook", [MACAU, PORTUGAL, HOLDEM, COMMON_OMAHA])
def test_a_hand_is_played_to_its_end_and_nothing_is_taken_of_it(rulebook: str) -> None:
    structure = "no_limit" if rulebook in (MACAU, HOLDEM) else "pot_limit"
    table = TournamentTable(rulebook, structure=structure, seats=6).enter(1, 2, 3).deal()
    table.checks_down()
    assert table.chips == 90_000
    assert sum(event.rake for event in table.of(PotAwarded, everything=True)) == 0
    assert {event.currency for event in table.of(BlindPosted, everything=True)} == {NO_CURRENCY}
    assert table.state.books.raked == 0


def test_the_tournament_seats_with_chips_and_a_seat_is_taken_once() -> None:
    table = TournamentTable(seats=6).enter(1)
    (seated,) = table.of(EntrantSeated)
    assert (seated.tournament, seated.player, seated.seat, seated.chips) == (TOURNAMENT, "p1", 1, 30_000)
    # The first row is wrong in every way; each row mends one thing and meets the next rule.
    assert table.seats_entrant(1, player="p1", reservation="e1") == "already_seated"
    assert table.seats_entrant(1, player="p9", reservation="e1") == "reservation_used"
    assert table.seats_entrant(7, player="p9") == "no_such_seat"
    assert table.seats_entrant(1, player="p9") == "seat_taken"
    assert table.seats_entrant(2, player="p9") is None


def test_only_its_own_tournament_is_heard() -> None:
    table = TournamentTable().enter(1)
    other = Principal("tournament", "another-1")
    assert table.send(other, c.EndTournament(reason="won")) == "other_tournament"
    for kind in ("player", "staff", "operator", "policy", "timer"):
        asked = Principal(kind, TOURNAMENT)
        assert table.send(asked, c.EndTournament(reason="won")) == "not_allowed"


def test_a_cash_table_knows_no_entrants() -> None:
    table = TableUnderTest(MACAU).seat(1, 2)
    asked = c.SeatEntrant(reservation="e1", player="p9", seat=3, chips=30_000)
    assert table.send(ORGANISER, asked) == "not_a_tournament_table"
    assert table.send(ORGANISER, c.EndTournament(reason="won")) == "not_a_tournament_table"


@pytest.mark.rule("mo-97-2010", "4.2")
def test_who_has_chips_is_not_eliminated_and_who_has_none_is() -> None:
    table = TournamentTable().enter(1, 2).enter(3, chips=1_000)
    assert table.eliminate(3) == "has_chips"
    table.deal(fresh=against(3, (2, 3, 1)))
    assert table.eliminate(3) == "round_runs"
    table.calls_down()
    assert table.eliminate(2) == "has_chips"
    assert table.eliminate(3) is None
    (out,) = table.of(EntrantEliminated)
    assert (out.seat, out.player, out.tournament) == (3, "p3", TOURNAMENT)
    assert table.chips == 61_000
    assert set(table.state.seats) == {1, 2}


@pytest.mark.rule("pt-810-2015", "FP-2")
def test_what_is_bought_comes_between_hands_and_once() -> None:
    table = TournamentTable().enter(1, 2).enter(3, chips=1_000)
    assert table.buy(2, 5_000, "before") is None
    assert table.stacks == {1: 30_000, 2: 35_000, 3: 1_000}, "at once where no hand runs"
    table.deal(fresh=against(3, (2, 3, 1)))
    for payment in ("first", "second"):
        assert table.buy(3, 10_000, payment) is None
        assert [type(event) for event in table.last] == [EntrantChipsDue]
    assert table.buy(3, 10_000, "first") == "reservation_used"
    table.calls_down()
    assert [event.stack for event in table.of(EntrantChipsAdded)] == [10_000, 20_000]
    assert table.eliminate(3) == "has_chips"
    assert table.chips == 86_000
    table.deal()
    assert 3 in table.hand.order
    gone = c.AddChips(reservation="none", payment="third", chips=10_000)
    assert table.send(ORGANISER, gone) == "not_seated"


@pytest.mark.rule("pt-810-2015", "FP-2")
def test_who_has_lost_everything_and_buys_chips_brings_play_back() -> None:
    table = TournamentTable().enter(1, 3, chips=1_000)
    table.deal(fresh=against(1, (3, 1))).calls_down()
    [out] = [seat for seat, stack in table.stacks.items() if not stack]
    assert table.due is None, "nobody to play against"
    assert table.buy(out, 10_000) is None
    assert table.due is not None
    table.deal()
    assert set(table.hand.order) == {1, 3}


@pytest.mark.rule("mo-97-2010", "4.2")
def test_an_entrant_moves_with_all_chips_between_hands() -> None:
    table, other = TournamentTable().enter(1, 2, 3).deal(), TournamentTable()
    assert table.move(1) == "round_runs"
    assert table.pause() is None
    table.folds_round()
    chips = table.stacks[1]
    assert table.move(1, "t2") is None
    (moved,) = table.of(EntrantMoved)
    assert (moved.chips, moved.to_table) == (chips, "t2")
    assert table.chips + moved.chips == 90_000
    assert other.seats_entrant(5, moved.chips, moved.player) is None
    # And back again, later, to a seat of the table it came from: a sitting of its own.
    assert table.seats_entrant(4, moved.chips, moved.player) is None
    assert table.resume() is None
    table.deal()
    assert 4 in table.hand.order, "dealt in at once"


def test_no_hand_begins_that_the_tournament_has_not_allowed() -> None:
    table = TournamentTable()
    assert table.allow(0) is None
    table.enter(1, 2, 3)
    assert table.due is None, "it waits, however many sit there"
    table.wake()
    assert table.state.hand is None
    assert table.allow(1) is None
    table.deal().folds_round()
    assert (table.state.hands, table.due) == (1, None)
    assert table.allow(2, until=table.now) is None
    assert table.due is None, "at that moment it is too late"
    table.wake()
    assert table.state.hands == 1
    assert table.allow(2, until=table.now + 1) is None
    assert table.due is not None
    table.later(1)
    assert table.state.hands == 1, "woken late, no hand begins"
    assert [(event.through, event.until) for event in table.of(HandsAllowed)] == [(1, None)]
    assert table.due is None, "nor is the table woken for it again and again"
    assert table.allow(2) is None
    table.deal().void()
    assert (table.state.hands, table.due) == (2, None), "a void hand was one all the same"
    button = table.state.button
    assert table.allow(3) is None
    table.deal()
    assert table.state.button == button, "and its button stays"


@pytest.mark.rule("mo-97-2010", "4.2")
def test_the_end_takes_everybody_off_after_the_hand() -> None:
    table = TournamentTable().enter(1, 2, 3).deal()
    assert table.end() is None
    assert not table.of(EntrantFinished)
    table.folds_round()
    finished = table.of(EntrantFinished)
    assert [event.seat for event in finished] == [1, 2, 3]
    assert sum(event.chips for event in finished) == 90_000
    assert table.state.status == "closed"
    assert not table.of(PlayerLeft, everything=True)


def test_a_level_is_in_force_from_the_next_hand() -> None:
    table = TournamentTable().enter(1, 2, 3).deal()
    assert table.next_level(2, big_blind=2_000) is None
    assert table.state.rules.betting.big_blind == 1_000
    table.folds_round()
    assert (table.state.rules.betting.big_blind, table.state.rules.tournament) == (2_000, TOURNAMENT)
    assert table.change(3) == "organisers_matter", "staff do not set levels"
    assert table.close() == "chips_stay_in_tournament", "nor do they close its table"


def test_who_is_away_is_dealt_in_pays_blinds_and_is_acted_for_at_once() -> None:
    table = TournamentTable().enter(1, 2, 3)
    for seat in (2, 3):
        assert table.sit_out(seat) is None
        assert table.sit_out(seat) == "already_out"
    before = table.now
    table.deal()
    assert set(table.hand.order) == {1, 2, 3}
    for _ in range(12):
        while table.turn == 1:
            assert table.act(1, "check" if table.legal[0] else "call") is None
        table.wake()
    assert table.now == before, "the house does not wait for who is away"
    acts = [*table.of(PlayerFolded, True), *table.of(PlayerChecked, True)]
    of_the_away = [event for event in acts if event.seat != 1]
    assert of_the_away
    assert {event.actor for event in of_the_away} == {"house"}
    assert len(table.of(HandStarted, everything=True)) > 2
    assert set(table.state.seats) == {1, 2, 3}, "nobody is sent home for it"
    assert table.chips == 90_000
    assert table.sit_in(2) is None
    assert not table.state.seats[2].away


def test_where_everybody_is_away_hands_follow_one_another_with_a_pause() -> None:
    """The house acts for all of them at once: without a pause it would deal as fast as it can, for ever."""
    table = TournamentTable(between_hands_ms=0).enter(1, 2, 3)
    for seat in (1, 2, 3):
        assert table.sit_out(seat) is None
    hands = table.state.hands
    for _ in range(20):
        table.wake()
    assert table.state.hands <= hands + 1, "not at one and the same moment"
    due = next_wake(table.state)
    assert due is not None
    assert due >= table.now + 1_000


def test_whose_time_runs_out_is_away_from_then_on() -> None:
    table = TournamentTable().enter(1, 2, 3).deal()
    slow = table.turn
    assert slow is not None
    table.time_out()
    (away,) = table.of(PlayerSatOut)
    assert (away.seat, away.reason) == (slow, "timeout")
    assert table.state.seats[slow].away
    assert table.sit_in(slow) is None


def test_a_short_stack_is_all_in_with_the_blind() -> None:
    table = TournamentTable().enter(1, 2).enter(3, chips=80).after_button(3)
    table.deal()
    posted = {event.seat: event for event in table.of(BlindPosted)}
    assert posted[3].amount == 80
    assert posted[3].all_in


def test_without_chips_an_entrant_keeps_the_seat_until_the_tournament_says() -> None:
    """A rebuy may be under way: nobody is invited to leave, however long it takes."""
    table = TournamentTable().enter(1, 2).enter(3, chips=1_000)
    table.deal(fresh=against(3, (2, 3, 1))).calls_down()
    assert table.stacks[3] == 0
    table.pause()
    table.later(3_600_000)
    assert set(table.state.seats) == {1, 2, 3}
    assert table.due is None


def test_nobody_takes_the_name_of_a_tournaments_table() -> None:
    """Who opens `<tournament>.t7` before the tournament does would stop it when it needs its seventh table."""
    squats = [f"{TOURNAMENT}.{end}" for end in ("t7", "T7", "t7.", "T7..", "t7_")]  # or read as if it were it
    for name, by in product(squats, (Principal("staff", "ana"), Principal("operator", "acme"))):
        squatter = AnyTable(name, START)
        assert squatter.send(by, OpenTable(name="x", rulebook=COMMON_OMAHA, configuration={})) == "reserved_name"
    for name in (f"{TOURNAMENT}.t1", "another-1.t1", "t1", TOURNAMENT):
        table = AnyTable(name, START)
        asked = c.OpenTournamentTable(name="x", rulebook=MACAU, configuration=ASKED)
        assert table.send(ORGANISER, asked) == (None if name == TABLE else "other_tournament")


def test_one_table_is_paused_by_its_tournament_alone() -> None:
    """A single table that stands still changes who comes into the money; the director pauses all of them."""
    table = TournamentTable().enter(1, 2)
    staff, platform = Principal("staff", "ana"), Principal("operator", "acme")
    for by in (staff, platform):
        assert table.send(by, PauseTable(reason="a look at it")) == "organisers_matter"
    assert table.pause() is None
    assert table.send(platform, ResumeTable()) == "organisers_matter"
    assert table.send(platform, WarnPlayer(player="p1", rule="58", cause="insults", grave=True)) == "organisers_matter"
    assert table.send(platform, MutePlayer(player="p1", cause="insults")) == "organisers_matter"
    assert table.send(staff, ResumeTable()) is None, (
        "a table that the house itself has paused is the staff's to look at"
    )


def test_journal_and_snapshot_keep_whose_table_it_is() -> None:
    table = TournamentTable().enter(1, 2, 3)
    table.sit_out(2)
    table.deal()
    codec = TableFormat(KEYRING)
    for event in table.told:
        assert decode_fact(*encode_fact(event)) == event
    assert codec.decode_state(TABLE, codec.encode_state(TABLE, table.state)) == table.state


@pytest.mark.rule("mo-97-2010", "4.2")
@pytest.mark.parametrize(
    "asked", [{"kind": "tournament", "currency": NO_CURRENCY}, {"tournament": TOURNAMENT}, {"currency": NO_CURRENCY}]
)
def test_no_table_has_both_money_and_chips(asked: dict[str, Any]) -> None:
    assert isinstance(configure(RULEBOOKS[MACAU], configuration(MACAU) | asked), list)
    cash = TableUnderTest(MACAU).seat(1, 2)
    assert cash.change(2, **asked) == "outside_rulebook"
    chips = TournamentTable().enter(1, 2)
    assert chips.next_level(2, **asked) == "outside_rulebook"
    assert chips.take(3, 100_000) == "no_money_in_tournament"
