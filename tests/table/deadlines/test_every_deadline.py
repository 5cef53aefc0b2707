"""Every deadline is judged by the command's own time: the same commands, woken or not, have the same verdicts.

What a wake begins (a turn, a hand, a betting period, an offer) begins when it is told: who answers before is early.
That is the one difference there may be, and it is named here. Taken too late is nothing but what is named in `STILL`.
"""

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from libs.contracts.commands import OUTAGE_MS
from libs.contracts.registry import ALL_TABLE_COMMANDS
from libs.contracts.table_commands import WakeTable
from libs.decider import Standstill
from services.table.domain.table.waking import next_wake
from tests.table.deadlines.scenarios import SCENARIOS
from tests.table.deadlines.times import times_configured, times_remembered
from tests.table.deadlines.woken import Difference, asked, differences, unexplained, woken
from tests.table.wishes import wishes

LIMIT = 120_000
"""As every rulebook has it, for how long a round waits for the house."""
_ASKED = ("DecisionAwaited",)
_HAND = ("HandStarted",)
_OVER = ("RoundSettled", "CoupSettled", "RoundVoided", "CoupVoided")
EARLY: Mapping[str, tuple[str, ...]] = {
    "Act": _ASKED, "PassTurn": _ASKED, "RecordIncident": _ASKED,  # whose turn it is
    "TipDealer": ("PlayerFolded",),  # and out of the hand
    "OpenDispute": _HAND, "VoidHand": _HAND, "RequestTopUp": _HAND,  # that hand; a top-up is kept while one runs
    "DecideHand": ("HandsAwaited",),
    "PlaceAnte": ("AntesOpened", "AntesLapsed", "AntesExtended"),
    "WithdrawAnte": ("AntesExtended",), "PlaceStake": ("CoupOpened", "CoupLapsed"),
    "RequestBankChange": _OVER,  # nothing is taken out of a bank while a round runs
    "TakeSeat": ("SeatOffered",),
    "SitIn": ("PlayerSatOut",),
}  # fmt: skip
"""By command what it answers, or waits for: refused before a wake has told that, and taken after."""
STILL: Mapping[str, tuple[str, ...]] = {
    "VoidRound": _OVER,  # staff void a round until it is paid (pt-803-2015 2.e); that, and no clock, is its end
    "TakeSeat": _HAND,  # who joins a running hand brings another stack (pt-217-2007 28)
    "RecordIncident": _ASKED,  # what the dealer saw fits one turn or the next
    "PlaceStake": ("TableClosed",), "WithdrawStake": ("TableClosed",),  # the single player's last coup is dealt
    "DealRound": ("CoupSettled",),  # by the house, as soon as its player goes or the table closes: it is so already
    "SitIn": ("LeaveRequested",), "SitOut": ("PlayerSatOut", "LeaveRequested"),  # it is so already
    "MoveEntrant": _HAND, "EliminateEntrant": _HAND,  # between hands, and that hand is as good as begun
    "LeaveTable": ("LeaveRequested",), "RemovePlayer": ("LeaveRequested",),  # so is this
    "AskSeatChange": ("LeaveRequested",),  # a seat for who has been dismissed with the last warning: never given
}  # fmt: skip
"""By command what a wake may have told that makes it refused, though nobody's time is over."""

REMEMBERED: Mapping[str, str | tuple[str, ...]] = {
    "Reserved.until": ("reservation", "reservation_while_betting", "last_seat_reserved"),
    "Waiting.until": ("offered_seat", "offered_to_the_only_one"),
    "Sitter.break_until": ("on_a_break", "break_in_a_hand"),
    "Turn.until": "the time bank begins; nothing ends before `bank_until`",
    "Turn.stood_at": "the clock stands since then: what was used of the time bank before",
    "Turn.bank_until": (
        "turn", "turn_with_a_bank", "turn_in_macau", "turn_in_the_casino", "turn_before_a_live_dealer",
        "turn_before_a_live_dealer_on_the_clock", "turn_of_the_last_warning", "turn_in_a_tournament",
        "turn_of_who_is_away",
    ),
    "PokerSitter.short_since": ("short_stack",),
    "Sitter.out_at": ("away_where_no_hand_can_begin",),
    "Sitter.sat_out_ms": ("away_again_where_no_hand_can_begin",),
    "Sitter.lifted_at": ("warned_again_at_baccarat",),
    "Notified.at": (
        "short_stack_warned", "warned_where_no_hand_can_begin", "idle_and_warned_at_no_draw",
        "idle_and_warned_at_baccarat",
    ),
    "PokerTable.suspended_at": (
        "suspended", "suspended_with_a_reservation", "suspended_before_a_live_dealer", "suspended_while_away",
    ),
    "PokerTable.allowed_until": ("hand_allowed_until",),
    "Table.ended_at": ("next_hand", "next_hand_of_a_choice", "next_round", "next_coup"),
    "BankedRound.until": (
        "antes", "antes_of_nobody", "decisions", "decisions_in_extra_time", "stakes", "stakes_of_nobody",
        "stakes_of_the_macau_variant",
    ),
    "BankedRound.alive_at": ("stopped_before_the_deal",),
    "IdleSitter.active_at": ("idle_at_no_draw", "idle_at_baccarat"),
    "BankedRound.opened_at": "tells who was there from the beginning",
    "BankedTable.lapsed_at": "tells who has come since",
    "IdleSitter.seated_at": "as above",
    "Announced.holds_from": (
        "announced_rules", "announced_rules_and_nobody_to_play", "announced_rules_in_a_hand",
    ),
    "Disputed.since": "no timer: how many a player may still dispute is looked at when one is",
    "Departure.at": "no timer: looked at when somebody comes back",
    "Sessions.started": "no timer: looked at when somebody sits down and when a hand begins",
    "Waiting.at": "the order of the list",
    "WaitingList.touched": "a free seat is offered at once",
    "LastHand.due": "a seat, no time",
}  # fmt: skip
"""Where a table with such a deadline is tried, or why it is none."""
CONFIGURED: Mapping[str, str | tuple[str, ...]] = {
    "opens_at": ("seats_to_be_drawn",),
    "closes_at": ("end_of_hours", "end_of_hours_in_a_hand"),
    "resume_ms": ("stopped_before_the_deal",),
    **dict.fromkeys(
        ("betting_ms", "decision_ms", "extra_ms", "time_bank_ms", "choice_ms", "between_hands_ms", "between_rounds_ms"),
        "makes one of the above",
    ),
    **dict.fromkeys(("idle_ms", "idle_warning_ms", "waiting_ms", "break_ms", "close_after_ms"), "as well"),
    **dict.fromkeys(("offer_ms", "reservation_ms", "reentry_ms", "limits_notice_ms", "session_ms"), "as well"),
}  # fmt: skip


def test_no_time_of_the_code_is_forgotten() -> None:
    assert times_remembered() == set(REMEMBERED), "a new time: a deadline needs a scenario, anything else a reason"
    assert times_configured() == set(CONFIGURED)
    named = {
        name for where in (*REMEMBERED.values(), *CONFIGURED.values()) if isinstance(where, tuple) for name in where
    }
    assert named == set(SCENARIOS)


def test_every_command_has_a_wish() -> None:
    asked = {type(command) for make in SCENARIOS.values() for _, command in wishes(make().state)}
    assert asked | {WakeTable} == set(ALL_TABLE_COMMANDS), "a new command: ask it in tests/table/wishes.py"


@pytest.mark.rule("pt-217-2007", "24")
@pytest.mark.rule("pt-803-2015-no-draw", "42")
@pytest.mark.rule("pt-812-2015-baccarat", "36")
@pytest.mark.parametrize("name", list(SCENARIOS))
def test_a_command_has_the_verdict_that_it_has_after_the_wake(name: str) -> None:
    state = SCENARIOS[name]().state
    due = next_wake(state)
    assert due is not None
    for now in (due - 1, due, due + 1, due + 700):
        found = _differences(state, now, None)
        assert unexplained(iter(found), EARLY, STILL) == [], (name, now - due)
        assert not found or now >= due, "before the deadline there is nothing to wake for"


@pytest.mark.parametrize("name", list(SCENARIOS))
def test_so_it_has_after_a_standstill_of_the_house(name: str) -> None:
    """Whenever it failed and however long it was away: at its limit, too, and for what was asked in between."""
    table = SCENARIOS[name]()
    state, due = table.state, next_wake(table.state)
    assert due is not None
    for since in {table.now, max(table.now, due - 5_000), max(table.now, due)}:
        for away in (1, 61_000, LIMIT - 1, LIMIT, 7_200_000):
            stood = Standstill(since, since + away)
            for now in {since + away // 2, stood.until, stood.until + 700}:
                found = _differences(state, now, stood)
                assert unexplained(iter(found), EARLY, STILL) == [], (name, since - table.now, away, now - since)


def _differences(state: Any, now: int, stood: Standstill | None) -> list[Difference]:
    found = differences(state, now, stood=stood, step=1 if stood is None else 23, first=now % 23 if stood else 0)
    return [each for each in found if each.woken != "stale_turn"]  # it names the turn before


WENT_ON = {
    "HandStarted", "PlayerFolded", "PlayerChecked", "HandEnded", "HandVoided", "RoundSettled", "RoundVoided",
    "CoupSettled", "CoupVoided", "SeatChanged", "SeatsDrawn", "SeatOffered",
}  # fmt: skip
"""When a wake has told one of these the table is another, and much is refused for other reasons than being late."""
BY_THE_CLOCK = {
    "Act", "PlaceAnte", "WithdrawAnte", "DecideHand", "PlaceStake", "WithdrawStake", "DealRound", "ConfirmSeat",
    "ChooseVariant",
}  # fmt: skip
"""What even then is never taken late: it is asked against a clock."""
STEPS = st.lists(st.tuples(st.booleans(), st.integers(0, 10**6)), min_size=4, max_size=16)


def _too_late(found: Difference) -> bool:
    if not found.late or found.woken == "stale_turn":  # it names the turn that was told before
        return False
    return found.command in BY_THE_CLOCK or not WENT_ON & set(found.told)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(name=st.sampled_from(list(SCENARIOS)), steps=STEPS)
def test_nothing_is_ever_taken_late_whatever_went_before(name: str, steps: list[tuple[bool, int]]) -> None:
    """From any of these tables on, whatever is asked in between: what is taken unwoken is taken after the wake.

    And every wake does something: one that is due and does nothing would come again for ever.
    """
    table = SCENARIOS[name]()
    state, now, stood = table.state, table.now, None
    for waits, pick in steps:
        due = next_wake(state)
        if waits and due is not None:
            before, now = now, max(now, due) + (0, 1, 999, 70_000, LIMIT)[pick % 5]
            stood = Standstill(before, now) if now - due > OUTAGE_MS else stood
            late = filter(_too_late, differences(state, now, first=pick % 7, step=7, stood=stood))
            assert unexplained(late, EARLY, STILL) == []
            state, _ = woken(state, now, stood)
        else:
            now += pick % 1_000
            state = asked(state, now, pick, stood)
