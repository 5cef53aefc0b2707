"""One supervisor alone decides nothing about a tournament's money, whomever he disqualifies (pt-810-2015 FP-16)."""

from typing import Any

import pytest

from libs.contracts import tournament_play_events as play
from libs.contracts import tournaments_commands as asked
from libs.contracts import tournaments_events as told
from libs.contracts.tournament_play_events import TournamentCompleted
from libs.contracts.tournament_ticket_commands import ConfirmTarget
from libs.contracts.tournament_ticket_events import TicketsAwarded
from services.audit.verifying.tournaments import TournamentMoney, check_end, check_tournament
from tests.tournament.cashier import public
from tests.tournament.course import DECIDER, FLOOR, POLICY, START, SUPERVISOR, Course, done, why
from tests.tournament.directed import Directed
from tests.tournament.test_barred import FP16, SECOND, _obeys, _table_of, disqualify, final, release

BUY_IN = {"amount": 3_300, "prize": 2_000, "fee": 300, "bounty": 1_000}
WINNER_ALONE = [{"entries": 2, "shares": [10_000]}]
VICTIMS = ("p2", "p3", "p4")


def everybody_but_a_friend(**other: Any) -> Course:
    """Four players, of whom one supervisor disqualifies three: `p1` is alone."""
    tournament = Directed(4, **{"seats": 9, "payouts": WINNER_ALONE, "buy_in": BUY_IN, **other})
    table = _table_of(tournament)
    tournament.hand(1)
    for name in VICTIMS:
        _obeys(tournament, table, done(tournament.course.ask(SUPERVISOR, disqualify(name)))[0])
    assert tournament.play.left == 1
    return tournament.course


def assert_sound(course: Course) -> None:
    """As the auditor sees it."""
    audit = TournamentMoney()
    found = [each for n, event in enumerate(course.events) for each in check_tournament(audit, public(event, n), event)]
    assert (found, list(check_end("t-1", audit))) == ([], [])


@pytest.mark.parametrize("paid", ["as_determined", "at_end"])
@pytest.mark.parametrize("decide", [final, release])
def test_nobody_is_paid_before_a_second_person_has_decided_about_each(paid: str, decide: Any) -> None:
    course = everybody_but_a_friend(prizes_paid=paid)
    assert (course.state.phase, course.credited(), course.state.held.total) == ("running", {}, 4 * 3_300)
    for name in VICTIMS:
        assert why(course.ask(SUPERVISOR, final(name))) == why(course.ask(SUPERVISOR, release(name)))
        assert why(course.ask(SUPERVISOR, release(name))) == ("same_person", FP16)
    for name in VICTIMS:
        assert (course.state.phase, course.credited()) == ("running", {})
        done(course.ask(SECOND, decide(name)))
        assert why(course.ask(SECOND, release(name))) == ("nothing_held", FP16)
    heads = {"p1": 1_000, **dict.fromkeys(VICTIMS, 1_000)} if decide is release else {"p1": 4_000}
    assert course.credited() == {**heads, "p1": heads["p1"] + 8_000}, "places are as played"
    assert (course.state.phase, course.state.held.total, course.state.withheld) == ("completed", 0, {})
    assert_sound(course)


@pytest.mark.parametrize("whose", ["winner", "equal_parts"])
@pytest.mark.parametrize("confirms", [SUPERVISOR, SECOND])
def test_cancelled_by_two_what_is_theirs_waits_for_a_second_person(whose: str, confirms: Any) -> None:
    """The way to put right what cannot be played any more: everybody has the own entry back (36.b, 36.c)."""
    course = everybody_but_a_friend(refused_prizes=whose)
    done(course.ask(FLOOR, asked.ProposeCancellation(cause="technical", reason="they were put out wrongly")))
    done(course.ask(confirms, asked.ConfirmCancellation(sheet=1)))
    assert (course.state.phase, course.credited()) == ("cancelled", {"p1": 3_300}), "nothing of theirs is shared out"
    assert course.state.held.total == 3 * 3_300
    assert_sound(course)
    done(course.ask(SECOND, release("p2")))
    assert course.credited() == {"p1": 3_300}, "two more are open"
    done(course.ask(SECOND, final("p3")))
    assert why(course.ask(SUPERVISOR, release("p4"))) == ("same_person", FP16)
    done(course.ask(SECOND, release("p4")))
    assert course.state.held.total == 0
    got = course.credited()
    assert ("p3" in got, sum(got.values())) == (False, 4 * 3_300 - 300), "the fee of who is refused is the house's"
    assert min(got["p2"], got["p4"]) >= 3_300
    assert_sound(course)


def test_the_share_of_an_open_one_is_by_the_chips_that_left_play() -> None:
    tournament = Directed(4, seats=9, payouts=WINNER_ALONE)
    course = tournament.course
    tournament.hand(1, "entry-p4")
    table = _table_of(tournament)
    biggest = max(tournament.play.stacks, key=lambda entry: tournament.play.stacks[entry])
    name = biggest.removeprefix("entry-")
    _obeys(tournament, table, done(course.ask(SUPERVISOR, disqualify(name)))[0])
    [gone] = tournament.of(play.ChipsOutOfPlay)
    done(course.ask(FLOOR, asked.ProposeCancellation(cause="technical", reason="fire")))
    done(course.ask(SECOND, asked.ConfirmCancellation(sheet=1)))
    waits = {each.credit: each.prize for each in course.state.withheld.values()}
    pot = 2_000 * gone.chips // 40_000
    assert waits == {f"{biggest}.refund": 2_000, f"{biggest}.share": pot}
    done(course.ask(SECOND, release(name)))
    assert course.credited()[name] == 2_200 + pot
    assert sum(course.credited().values()) == 4 * 2_200 - 200
    assert_sound(course)


def test_places_that_are_determined_meanwhile_are_held_and_paid_when_the_last_one_is_decided() -> None:
    shares = [3_000, 2_000, 1_500, 1_000, 800, 600, 500, 300, 300]
    payouts = [{"entries": 2, "shares": shares}]
    tournament = Directed(9, seats=9, payouts=payouts, guarantee=100_000, prizes_paid="as_determined")
    course, table = tournament.course, _table_of(tournament)
    for by, name in ((SUPERVISOR, "p1"), (SECOND, "p2")):
        _obeys(tournament, table, done(course.ask(by, disqualify(name)))[0])
    tournament.down_to(6)
    [out] = [each for each in tournament.of(play.EntryEliminated) if not each.disqualified]
    assert (course.credited(), course.state.withheld[f"{out.entry}.prize"].prize) == ({}, 5_000)
    done(course.ask(SECOND, final("p1")))
    assert (why(course.ask(SECOND, final("p2"))), course.credited()) == (("same_person", FP16), {})
    done(course.ask(SUPERVISOR, release("p2")))
    assert course.credited() == {"p2": 3_000, out.player: 5_000}
    tournament.down_to(5)
    assert len(course.credited()) == 3, "from now on places are paid as they are determined"
    tournament.down_to(1)
    assert (sum(course.credited().values()), "p1" in course.credited()) == (100_000, False)
    assert_sound(course)


def _satellite(course: Course) -> Directed:
    """Of three players, whose target has taken its tickets."""
    done(course.ask(SECOND, asked.ApproveTournament()))
    done(course.ask(POLICY, ConfirmTarget()))
    course.enter("p1", "p2", "p3").wake(START)
    tournament = Directed.__new__(Directed)
    tournament.course, tournament.now = course, START
    return tournament


@pytest.mark.parametrize("decide", [final, release])
def test_tickets_wait_too(decide: Any) -> None:
    tournament = _satellite(Course(payouts=[], tickets={"tournament": "main", "value": 4_000}, min_players=3))
    course = tournament.course
    table = _table_of(tournament)
    _obeys(tournament, table, done(course.ask(SUPERVISOR, disqualify("p3")))[0])
    tournament.hand(1, "entry-p2")
    assert (course.state.phase, tournament.of(TicketsAwarded), course.credited()) == ("running", [], {})
    done(course.ask(SECOND, decide("p3")))
    [awarded] = tournament.of(TicketsAwarded)
    assert [each.player for each in awarded.tickets] == ["p1"]
    assert (course.state.phase, course.state.held.total) == ("completed", 0)
    assert_sound(course)


def test_whoever_is_last_may_be_disqualified_too_and_one_of_all_has_to_be_released() -> None:
    course = everybody_but_a_friend()
    done(course.ask(SECOND, disqualify("p1")))
    for name in VICTIMS:
        answer = course.ask(SECOND, final(name))
        assert why(answer) == ("wrong_moment", FP16), "whose it would be is nobody"
    done(course.ask(SECOND, release("p2")))
    for name in ("p3", "p4"):
        done(course.ask(SECOND, final(name)))
    done(course.ask(SUPERVISOR, final("p1")))
    assert course.credited() == {"p2": 8_000 + 4_000}
    assert (course.state.phase, course.state.held.total) == ("completed", 0)
    assert_sound(course)


def test_a_log_from_before_goes_on() -> None:
    """A release of then, before anything was won, did not keep what was won later from being held."""
    course = everybody_but_a_friend()
    course.audited = None
    friends = told.Credit("entry-p1.prize", "entry-p1", "p1", 8_000, 1_200, 1_000)
    events = [told.PrizeReleased(reason="appeal", by="supervisor-2", player=name) for name in VICTIMS]
    for event in (
        *events,
        told.CreditsDue(why="prize", credits=[friends]),
        TournamentCompleted(results=[], tables=[1]),
    ):
        course.state = DECIDER.evolve(course.state, event)
    assert (course.state.phase, len(course.state.withheld)) == ("completed", 3)
    assert why(course.ask(SUPERVISOR, release("p2"))) == ("same_person", FP16)
    done(course.ask(SECOND, release("p2")))
    assert (course.credited(), course.state.held.total) == (dict.fromkeys(VICTIMS, 1_000), 0)
