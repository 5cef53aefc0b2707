"""No hand goes out on a dealer's word alone where that gives the pot away (pt-217-2007 70.b, 71, 91; 8.c).

Found by an attacker: a dealer took the victim's hand in a pot of both stacks, and the mate was paid at once.
"""

from typing import Any

import pytest

from libs.contracts.live_commands import LiveReason as Reason
from libs.contracts.live_events import SupervisorDecided
from libs.contracts.poker_events import DecisionAwaited, PlayerFolded, PotAwarded
from tests.table.casino.play import rule
from tests.table.live.play import DEALER, LiveTable, live_h6

REPORTS = [
    ("PE-71b", {"seat": 4, "count": 1}, "annulled"),
    ("PE-71h", {"seat": 4, "error": "DE-69a"}, "barred"),
    ("DE-70b", {"seat": 4}, "withdrawn"),
]
each_report = pytest.mark.parametrize(("code", "fields", "word"), REPORTS, ids=[code for code, _, _ in REPORTS])


def between_two(to: int = 9_000) -> LiveTable:
    """3 and 4 have put so much in, the others have folded; it is 4's turn on the flop, after a check."""
    table = live_h6().plays(f"3 raise {to}", "4 call", "5 fold", "6 fold", "1 fold", "2 fold")
    table.burn().turn_up(3).plays("3 check")
    assert table.turn == 4
    return table


def among_three(to: int) -> LiveTable:
    """The same with 5 in it, too."""
    table = live_h6().plays(f"3 raise {to}", "4 call", "5 call", "6 fold", "1 fold", "2 fold")
    return table.burn().turn_up(3).plays("3 check")


@rule("70.b", "71.b", "71.h", "8.c")
@each_report
@pytest.mark.parametrize("to", [400, 9_000])
def test_a_hand_whose_loss_ends_the_hand_is_taken_by_a_supervisor(
    code: str, fields: dict[str, Any], word: str, to: int
) -> None:
    table = between_two(to)
    before = dict(table.stacks)
    assert table.report(code, **fields) is None
    assert (table.incident.outcome, table.incident.choices, table.name) == (
        "to_decide", ["against", "go_on"], "SUPERVISOR_DECISION",
    )  # fmt: skip
    assert not table.of(PlayerFolded)
    assert table.stacks == before, "nobody is paid"
    assert table.act(4, "check") == Reason.SUPERVISOR_DECISION
    assert table.rule_on("against", by=DEALER) == Reason.NOT_A_SUPERVISOR
    assert table.rule_on("against") is None
    (folded,), (decided,) = table.of(PlayerFolded), table.of(SupervisorDecided)
    assert (folded.seat, folded.actor, folded.reason) == (4, "house", word)
    assert (decided.code, decided.decision, decided.by) == (code, "against", "floor-1")
    assert [award.winners for award in table.of(PotAwarded)] == [[3]]


@rule("70.b", "71.b", "71.h", "8.c")
@each_report
def test_where_the_supervisor_does_not_see_it_the_hand_goes_on(code: str, fields: dict[str, Any], word: str) -> None:
    table = between_two()
    assert table.report(code, **fields) is None
    assert table.rule_on("go_on") is None
    (awaited,) = table.of(DecisionAwaited)
    assert (awaited.seat, table.turn) == (4, 4), "whose turn it was"
    assert not table.of(PlayerFolded)
    table.plays("4 check").burn().turn_up().plays("3 bet 1000", "4 fold")
    assert sum(table.stacks.values()) + table.state.books.raked == 6 * 20_000


@rule("71.b")
@pytest.mark.parametrize(("to", "waits"), [(4_900, False), (5_000, True)])
def test_from_25_big_blinds_in_it_waits_however_many_are_left(to: int, waits: bool) -> None:
    table = among_three(to)
    assert table.turn == 4
    assert table.report("PE-71b", seat=5, count=1) is None
    assert (table.name == "SUPERVISOR_DECISION") is waits
    assert (table.turn is None) is waits
    if waits:
        assert table.rule_on("against") is None
    assert table.turn == 4, "the betting goes on where it was interrupted"
    assert [event.seat for event in table.of(PlayerFolded)] == [5]


@rule("71.h")
@pytest.mark.parametrize(("bet", "waits"), [(700, False), (800, True)])
def test_in_a_pot_of_a_hundred_big_blinds_it_waits_however_little_one_has_in(bet: int, waits: bool) -> None:
    """Five have 3,800 in it each, 2 the big blind."""
    table = live_h6().plays("3 raise 3800", "4 call", "5 call", "6 call", "1 call", "2 fold")
    table.burn().turn_up(3).plays(f"1 bet {bet}")
    assert table.hand.pot == 19_200 + bet
    assert table.report("PE-71h", seat=3, error="DE-69a") is None
    assert (table.name == "SUPERVISOR_DECISION") is waits


@rule("71.g")
def test_two_hands_that_leave_one_wait_and_both_are_out_by_the_decision() -> None:
    table = among_three(1_000)
    assert table.report("PE-71g", seats=[4, 5]) is None
    assert (table.incident.outcome, table.incident.seats) == ("to_decide", [4, 5])
    assert table.rule_on("against") is None
    assert [(event.seat, event.reason) for event in table.of(PlayerFolded)] == [(4, "annulled"), (5, "annulled")]
    assert [award.winners for award in table.of(PotAwarded)] == [[3]]


@rule("91")
def test_of_two_who_has_not_posted_is_out_by_a_supervisor() -> None:
    table = LiveTable(1, 2, 3, 4).begin(1, unposted=[2]).stack_pack("").deal_holes()
    table.plays("3 fold", "4 fold")
    assert table.report("PE-91", seat=2) is None
    assert table.incident.outcome == "to_decide"
    assert table.rule_on("against") is None
    assert [(event.seat, event.reason) for event in table.of(PlayerFolded)] == [(2, "withdrawn")]


@rule("71.g", "71.b", "91")
def test_nobodys_hand_is_taken_while_it_is_dealt() -> None:
    """The next one was asked to decide before there were cards."""
    table = LiveTable(1, 2, 3, 4).begin(1, unposted=[2]).stack_pack("").deal_holes(until=5)
    for code, fields in (
        ("PE-71g", {"seats": [3, 4]}), ("PE-71b", {"seat": 3, "count": 1}), ("PE-91", {"seat": 2}),
    ):  # fmt: skip
        assert table.report(code, **fields) == Reason.NOT_AWAITED
    assert not table.of(DecisionAwaited, True)


def test_who_leaves_while_it_waits_is_out_once() -> None:
    table = between_two()
    assert table.report("PE-71b", seat=4, count=1) is None
    assert table.leave(4) is None
    assert not table.of(PlayerFolded)
    assert table.rule_on("against") is None
    assert [event.seat for event in table.of(PlayerFolded)] == [4]
    assert table.state.hand is None
    assert 4 not in table.state.seats
