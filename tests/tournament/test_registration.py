"""Who is in, who pays for it, who goes again, and what happens at the hour set for the start."""

import pytest

from libs.contracts import tournaments_commands as asked
from libs.contracts import tournaments_events as told
from libs.contracts.messages import Principal
from libs.contracts.tournaments_events import Held
from libs.decider import Rejected
from services.tournament.domain.life_cycle import next_wake
from services.tournament.domain.money import PAYMENT_MS
from services.tournament.domain.registration import MOST_TAKEN_BACK
from services.tournament.journal_format import decode_state, encode_state
from tests.tournament.course import FLOOR, MINUTE, POLICY, START, SUPERVISOR, Course, done, player, why

FAULT = asked.ProposeCancellation(cause="technical", reason="the hall is dark")
UNREGISTER = asked.UnregisterPlayer()


def test_an_entry_counts_once_it_is_paid() -> None:
    course = Course.registering()
    [due] = done(course.register("ann"))
    assert isinstance(due, told.PaymentDue)
    assert (due.amount, due.prize, due.fee, due.bounty, due.chips) == (2_200, 2_000, 200, 0, 10_000)
    assert course.state.held == Held()
    [paid] = done(course.paid("entry-ann"))
    assert isinstance(paid, told.PlayerRegistered)
    assert (paid.player, paid.number, paid.amount, paid.currency) == ("ann", 1, 2_200, "EUR")
    assert course.state.held == Held(prize=2_000, fee=200)
    assert course.paid("entry-ann") == [], "the answer may come twice"
    assert why(course.paid("entry-bob")) == ("unknown_payment", None)


@pytest.mark.rule("pt-810-2015", "FP-13")
def test_nobody_has_two_entries_nor_uses_an_id_twice() -> None:
    course = Course.registering()
    course.register("ann")
    again = ("already_registered", "pt-810-2015#FP-13")
    assert why(course.register("ann", entry="entry-2")) == again
    course.paid("entry-ann")
    assert why(course.register("ann", entry="entry-2")) == again
    assert why(course.register("bob", entry="entry-ann")) == ("entry_used", None)


def test_what_the_wallet_refuses_is_no_entry_and_may_be_tried_again() -> None:
    course = Course.registering()
    course.register("ann")
    [failed] = done(course.ask(POLICY, asked.FailPayment(payment="entry-ann", reason="insufficient_funds")))
    assert isinstance(failed, told.PaymentFailed)
    assert (course.state.alive, course.state.held) == ([], Held())
    assert not isinstance(course.register("ann", entry="entry-2"), Rejected)


def test_places_that_are_being_paid_are_taken() -> None:
    course = Course.registering(max_players=2)
    course.enter("ann")
    course.register("bob")
    assert why(course.register("cid")) == ("tournament_full", "pt-810-2015#FP-20")
    course.ask(POLICY, asked.FailPayment(payment="entry-bob", reason="insufficient_funds"))
    assert not isinstance(course.register("cid"), Rejected)


@pytest.mark.parametrize(("before_ms", "deadline"), [(0, START), (15 * MINUTE, START - 15 * MINUTE)])
def test_unregistering_until_the_deadline(before_ms: int, deadline: int) -> None:
    course = Course.registering(unregister_before_ms=before_ms).enter("ann", "bob", "dan")
    gone, credits = done(course.ask(player("ann"), UNREGISTER, deadline - 1))
    assert isinstance(gone, told.PlayerUnregistered)
    assert isinstance(credits, told.CreditsDue)
    assert course.credited() == {"ann": 2_200}
    assert course.state.held == Held(prize=4_000, fee=400)
    assert why(course.ask(player("bob"), UNREGISTER, deadline)) == ("unregistering_closed", "pt-810-2015#24")
    assert why(course.ask(player("cid"), UNREGISTER, deadline - 1)) == ("not_registered", None)


@pytest.mark.parametrize("is_paid", [True, False])
def test_nobody_takes_back_more_than_ten(is_paid: bool) -> None:
    """Each pair costs nothing and leaves some 400 bytes in the tournament's state, which is one record."""
    course = Course.registering()
    for n in range(MOST_TAKEN_BACK):
        done(course.register("ann", entry=f"entry-{n}"))
        if is_paid:
            course.paid(f"entry-{n}")
        done(course.ask(player("ann"), UNREGISTER))
    assert why(course.register("ann", entry="entry-x")) == ("taken_back_too_often", None)
    assert not isinstance(course.register("bob"), Rejected)


def test_who_unregisters_before_the_wallet_has_answered_gets_it_back_when_it_has() -> None:
    course = Course.registering()
    course.register("ann")
    course.ask(player("ann"), UNREGISTER)
    assert course.credited() == {}
    [returned] = done(course.paid("entry-ann"))
    assert isinstance(returned, told.PaymentReturned)
    assert (course.credited(), course.state.held) == ({"ann": 2_200}, Held())
    assert course.paid("entry-ann") == []


def test_the_start_waits_for_payments_asked_in_time() -> None:
    course = Course.registering().enter("ann")
    course.register("bob", START - 1)
    assert course.wake(START) == []
    assert why(course.register("cid", START)) == ("registration_closed", "pt-810-2015#FP-20")
    started = done(course.paid("entry-bob", START + 40))
    assert [type(each).__name__ for each in started][:2] == ["PlayerRegistered", "TournamentStarted"]
    assert course.state.phase == "running"


def test_a_payment_that_nobody_answers_holds_the_start_up_no_longer_than_its_patience() -> None:
    course = Course.registering().enter("ann", "bob")
    course.register("cid", START - 1)
    lapses = START - 1 + PAYMENT_MS
    assert next_wake(course.state) == lapses
    told_now = done(course.wake(lapses))
    assert [type(each).__name__ for each in told_now][:2] == ["PaymentFailed", "TournamentStarted"]
    course.paid("entry-cid", lapses + 1)
    assert course.credited() == {"cid": 2_200}


@pytest.mark.rule("pt-810-2015", "FP-20")
def test_too_few_players_cancel_it_at_the_start_and_nobody_else_does() -> None:
    course = Course.registering(min_players=3).enter("ann", "bob")
    assert next_wake(course.state) == START
    cancelled, credits = done(course.wake(START))
    assert isinstance(cancelled, told.TournamentCancelled)
    assert (cancelled.cause, cancelled.rule, cancelled.by) == ("insufficient_participants", "36.a", "house")
    assert isinstance(credits, told.CreditsDue)
    assert course.credited() == {"ann": 2_200, "bob": 2_200}
    assert course.state.held == Held()
    assert why(course.register("cid")) == ("tournament_over", "pt-810-2015#FP-20")
    assert why(course.ask(FLOOR, FAULT)) == ("tournament_over", "pt-810-2015#FP-20")


def test_a_sit_and_go_starts_when_its_last_seat_is_paid() -> None:
    course = Course.registering(starts_at=None, min_players=3, max_players=3).enter("ann", "bob")
    assert not isinstance(course.ask(player("bob"), UNREGISTER), Rejected)
    course.enter("cid")
    course.register("dan")
    assert course.state.phase == "registering"
    course.paid("entry-dan")
    assert course.state.phase == "running"
    assert why(course.ask(player("ann"), UNREGISTER)) == ("unregistering_closed", "pt-810-2015#24")


def test_a_cancellation_takes_two_and_gives_back_everything() -> None:
    course = Course.registering().enter("ann", "bob")
    commercial = asked.ProposeCancellation(cause="commercial", reason="too few sold")
    assert why(course.ask(FLOOR, commercial)) == ("cause_not_allowed", "pt-810-2015#35")
    [sheet] = done(course.ask(FLOOR, FAULT))
    assert isinstance(sheet, told.CancellationProposed)
    assert {each.player: each.amount for each in sheet.credits} == {"ann": 2_200, "bob": 2_200}
    assert why(course.ask(FLOOR, asked.ConfirmCancellation(sheet=1))) == ("same_person", "pt-810-2015#35")
    course.enter("cid")
    assert why(course.ask(SUPERVISOR, asked.ConfirmCancellation(sheet=1))) == ("sheet_outdated", None)
    course.ask(FLOOR, FAULT)
    course.register("dan")
    for other in (1, 3):  # what was looked at is not what lies there now
        assert why(course.ask(SUPERVISOR, asked.ConfirmCancellation(sheet=other))) == ("sheet_outdated", None)
    cancelled, failed, credits = done(course.ask(SUPERVISOR, asked.ConfirmCancellation(sheet=2)))
    assert isinstance(cancelled, told.TournamentCancelled)
    assert (cancelled.by, cancelled.confirmed_by, cancelled.cause) == ("floor-1", "supervisor-1", "technical")
    assert isinstance(failed, told.PaymentFailed)
    assert isinstance(credits, told.CreditsDue)
    course.paid("entry-dan")
    assert course.credited() == dict.fromkeys(("ann", "bob", "cid", "dan"), 2_200)
    assert course.state.held == Held()


def test_a_declined_sheet_is_void() -> None:
    course = Course.registering().enter("ann", "bob")
    course.ask(FLOOR, FAULT)
    course.ask(FLOOR, asked.DeclineCancellation(reason="the light is back"))
    assert why(course.ask(SUPERVISOR, asked.ConfirmCancellation(sheet=1))) == ("not_proposed", None)


@pytest.mark.rule("pt-810-2015", "FP-16")
def test_who_is_excluded_before_the_start_is_unregistered_and_refunded() -> None:
    course = Course.registering().enter("ann", "bob")
    course.ask(SUPERVISOR, asked.ExcludePlayer(player="ann", reason="self-exclusion"), START - 60 * MINUTE)
    assert course.credited() == {"ann": 2_200}
    assert [entry.player for entry in course.state.alive] == ["bob"]
    again = course.register("ann", entry="entry-ann-2")
    assert why(again) == ("player_excluded", "pt-810-2015#FP-16")


@pytest.mark.rule("pt-810-2015", "FP-16")
def test_who_is_excluded_while_the_entry_is_being_paid_does_not_come_back() -> None:
    course = Course.registering().enter("bob")
    course.register("ann")
    excluded, failed = done(course.ask(SUPERVISOR, asked.ExcludePlayer(player="ann", reason="self-exclusion")))
    assert isinstance(excluded, told.PlayerExcluded)
    assert (excluded.reason, excluded.by) == ("self-exclusion", SUPERVISOR.id)
    assert isinstance(failed, told.PaymentFailed)
    assert why(course.register("ann", entry="entry-ann-2")) == ("player_excluded", "pt-810-2015#FP-16")
    twice = asked.ExcludePlayer(player="ann", reason="again")
    assert why(course.ask(SUPERVISOR, twice)) == ("not_registered", None)


def test_a_freeroll_asks_nothing_of_the_wallet() -> None:
    course = Course.registering(buy_in={"amount": 0, "prize": 0}, guarantee=10_000)
    told_now = done(course.register("ann"))
    assert [type(each).__name__ for each in told_now] == ["PaymentDue", "PlayerRegistered"]
    course.ask(player("ann"), UNREGISTER)
    assert course.credited() == {}


@pytest.mark.parametrize("by", [FLOOR, POLICY, Principal("operator", "acme")])
def test_only_players_register(by: Principal) -> None:
    assert why(Course.registering().ask(by, asked.RegisterPlayer(entry="e"))) == ("not_allowed", None)


def test_a_state_is_the_same_after_a_snapshot() -> None:
    course = Course.registering().enter("zoe", "ann").enter("bob")
    course.register("cid")
    course.ask(player("ann"), UNREGISTER)
    again = decode_state(encode_state(course.state))
    assert again == course.state
    assert [entry.player for entry in again.alive] == ["zoe", "bob"]
