"""What a dealer enters for a player costs no large pot on the dealer's word alone (pt-217-2007 53, 71.c, d, f; 8.c).

Found by an attacker: a fold reported out of turn, or the whole stack entered as a bet, in a pot of both stacks.
"""

from collections.abc import Callable
from typing import Any

import pytest

from libs.contracts.live_commands import LiveReason as Reason
from libs.contracts.live_events import IncidentRecorded, SupervisorDecided
from libs.contracts.poker_commands import Act, CancelAct, PokerReason
from libs.contracts.poker_events import BetPlaced, DecisionAwaited, PlayerChecked, PlayerFolded, PotAwarded
from services.table.domain.games.live_poker.incidents import _PROCEDURES
from tests.table.casino.play import rule
from tests.table.live.play import DEALER, SUPERVISOR, LiveTable, live_h6
from tests.table.live.test_taken_out import among_three

Enters = Callable[[LiveTable], str | None]


def enters(table: LiveTable, act: str, to: int | None = None) -> str | None:
    """The dealer, for whose turn it is."""
    assert table.turn is not None
    return table.send(DEALER, Act(hand=table.state.hands, seat=table.turn, act=act, to=to))  # type: ignore[arg-type]


def flop(to: int = 9_000, bets: bool = False, **changes: Any) -> LiveTable:
    """3 and 4 have put so much in, the others have folded; it is 4's turn, after a check or a bet of all 3 has."""
    table = live_h6(**changes).plays(f"3 raise {to}", "4 call", "5 fold", "6 fold", "1 fold", "2 fold")
    return table.burn().turn_up(3).plays(f"3 bet {20_000 - to}" if bets else "3 check")


def acted(table: LiveTable, seat: int, everything: bool = False) -> list[Any]:
    """What the last command, or all so far, told of a seat's acts."""
    kinds = (PlayerFolded, PlayerChecked, BetPlaced)
    return [event for kind in kinds for event in table.of(kind, everything) if event.seat == seat]


AT_THE_TURN: dict[str, tuple[int, bool, Enters, tuple[str, int]]] = {
    "a fold": (9_000, False, lambda t: enters(t, "fold"), ("fold", 0)),
    "a fold to a bet": (9_000, True, lambda t: enters(t, "fold"), ("fold", 0)),
    "the stack as a bet": (9_000, False, lambda t: enters(t, "bet", 11_000), ("bet", 11_000)),
    "the stack into a small pot": (400, False, lambda t: enters(t, "bet", 19_600), ("bet", 19_600)),
    "the stack as a call": (400, True, lambda t: enters(t, "call"), ("call", 19_600)),
    "announced": (
        *(9_000, False, lambda t: t.report("BET-53", seat=4, act="bet", to=11_000, placed=0)),
        ("bet", 11_000),
    ),
    "no words": (9_000, True, lambda t: t.report("PE-71d", seat=4, placed=12_000), ("call", 11_000)),
    "too few chips": (9_000, True, lambda t: t.report("PE-71c", seat=4, placed=10_999), ("call", 10_999)),
}
"""What lies there, whether 3 has bet the rest, what the dealer says, and as what it waits."""
at_the_turn = pytest.mark.parametrize("case", AT_THE_TURN)


def asked(case: str, **changes: Any) -> tuple[LiveTable, tuple[str, int]]:
    """The dealer has entered it, and it waits."""
    to, bets, entered, act = AT_THE_TURN[case]
    table = flop(to, bets, **changes)
    before = dict(table.stacks)
    assert entered(table) is None, table.refused
    assert table.stacks == before, "nothing has moved"
    assert acted(table, 4) == []
    return table, act


@rule("53", "71.c", "71.d", "8.c")
@at_the_turn
def test_at_the_turn_a_supervisor_says_whether_it_stands(case: str) -> None:
    table, (act, chips) = asked(case)
    assert (table.name, table.incident.choices) == ("SUPERVISOR_DECISION", ["stands", "go_on"])
    assert table.incident.held is not None
    held = table.incident.held
    assert (held.seat, held.act, held.chips, held.by) == (4, act, chips, "dealer-1")
    assert enters(table, "fold") == Reason.SUPERVISOR_DECISION
    assert table.rule_on("stands", by=DEALER) == Reason.NOT_A_SUPERVISOR
    assert table.rule_on("stands") is None, table.refused
    (decided,) = table.of(SupervisorDecided)
    assert (decided.decision, decided.by) == ("stands", "floor-1")
    if table.incident.code == "PE-71d":
        assert table.live.held[4].act == "call"
        table.plays("4 call")
        return
    (told,) = acted(table, 4)
    assert told.entered_by == "dealer-1"
    assert isinstance(told, PlayerFolded if act == "fold" else BetPlaced)
    assert getattr(told, "amount", 0) == chips
    assert not table.live.held if table.state.hand is not None else act == "fold"


@rule("53", "71.c", "71.d", "8.c")
@at_the_turn
def test_at_the_turn_the_player_acts_in_person_whatever_was_entered(case: str) -> None:
    table, (act, _) = asked(case)
    assert table.turn == 4
    assert table.act(3, "fold") == Reason.SUPERVISOR_DECISION
    own = "fold" if act != "fold" else "check" if table.legal[0] else "call"
    assert table.act(4, own) is None, table.refused
    (told,) = acted(table, 4)
    assert told.entered_by == ""
    assert table.state.hand is None or table.live.pending is None


@rule("53", "71.c", "71.d", "8.c")
@at_the_turn
def test_at_the_turn_it_may_be_what_the_player_did_not_do(case: str) -> None:
    table, _ = asked(case)
    legal = table.legal
    assert table.rule_on("go_on") is None
    (awaited,) = table.of(DecisionAwaited)
    assert (awaited.seat, table.legal, table.live.held, table.live.pending) == (4, legal, {}, None)
    table.plays("4 fold")


@at_the_turn
def test_the_clock_stands_while_somebody_else_is_asked(case: str) -> None:
    table, _ = asked(case, timer_action="act")
    table.later(3_600_000)
    assert acted(table, 4) == []
    assert table.turn == 4
    assert table.rule_on("go_on") is None
    table.time_out()
    assert [each.reason for each in acted(table, 4)] == ["timeout"], "a clock of its own"


@rule("71.f", "8.c")
@pytest.mark.parametrize(("to", "fields", "waits"), [
    (400, {"act": "fold"}, True),
    (9_000, {"act": "fold"}, True),
    (9_000, {"act": "raise", "to": 11_000}, True),
    (400, {"act": "bet", "to": 4_599}, False),
    (400, {"act": "bet", "to": 4_600}, True),
    (9_000, {"act": "check"}, False),
])  # fmt: skip
def test_out_of_turn_a_supervisor_says_whether_it_is_held(to: int, fields: dict[str, Any], waits: bool) -> None:
    table = live_h6().plays(f"3 raise {to}", "4 call", "5 fold", "6 fold", "1 fold", "2 fold").burn().turn_up(3)
    assert table.turn == 3
    before = dict(table.stacks)
    assert table.report("PE-71f", seat=4, **fields) is None
    assert (table.name == "SUPERVISOR_DECISION") is waits
    assert table.stacks == before
    if not waits:
        assert table.live.held[4].act == fields["act"]
        return
    assert table.live.held == {}
    assert table.act(3, "check") == table.act(4, "check") == Reason.SUPERVISOR_DECISION
    assert table.rule_on("go_on") is None
    table.plays("3 check", "4 check")
    assert acted(table, 4)[0].entered_by == ""


@rule("71.f", "8.c")
def test_out_of_turn_what_stands_is_held_until_the_turn() -> None:
    table = live_h6().plays("3 raise 9000", "4 call", "5 fold", "6 fold", "1 fold", "2 fold").burn().turn_up(3)
    assert table.report("PE-71f", seat=4, act="fold") is None
    assert table.rule_on("stands") is None
    assert (table.turn, table.live.held[4].act) == (3, "fold")
    table.plays("3 check")
    (folded,) = table.of(PlayerFolded)
    assert (folded.seat, folded.actor, folded.entered_by) == (4, "player", "dealer-1")
    assert [award.winners for award in table.of(PotAwarded)] == [[3]]
    raised = live_h6().plays("3 raise 9000", "4 call", "5 fold", "6 fold", "1 fold", "2 fold").burn().turn_up(3)
    assert raised.report("PE-71f", seat=4, act="raise", to=11_000) is None
    assert raised.rule_on("stands") is None
    raised.plays("3 check")
    assert raised.legal == (False, None, 11_000, 11_000)
    assert enters(raised, "bet", 11_000) is None
    assert raised.name != "SUPERVISOR_DECISION", "that was asked already"


@rule("71.f")
@pytest.mark.parametrize(("to", "waits"), [(4_900, False), (5_000, True)])
def test_out_of_turn_among_three_a_fold_waits_from_25_big_blinds_in(to: int, waits: bool) -> None:
    table = among_three(to)
    assert table.turn == 4
    assert table.report("PE-71f", seat=5, act="fold") is None
    assert (table.name == "SUPERVISOR_DECISION") is waits


@pytest.mark.parametrize(("act", "to"), [("fold", None), ("check", None), ("bet", 4_599)])
def test_in_small_pots_the_dealer_enters_what_was_said_as_ever(act: str, to: int | None) -> None:
    table = flop(400)
    assert enters(table, act, to) is None
    assert not table.of(IncidentRecorded)
    assert [each.entered_by for each in acted(table, 4)] == ["dealer-1"]


@pytest.mark.parametrize(("bets", "asks"), [((2_000, 2_400), False), ((2_000, 2_600), True), ((4_600,), True)])
def test_many_small_calls_put_in_no_stack(bets: tuple[int, ...], asks: bool) -> None:
    """25 big blinds are 5,000; 400 are in from the first round."""
    table = live_h6().plays("3 raise 400", "4 call", "5 fold", "6 fold", "1 fold", "2 fold")
    for number, bet in enumerate(bets):
        table.burn().turn_up(1 if number else 3).plays(f"3 bet {bet}")
        assert enters(table, "call") is None
    assert (len(table.of(IncidentRecorded, True)), table.name == "SUPERVISOR_DECISION") == (int(asks), asks)


def test_who_acts_over_the_own_session_is_never_asked_again() -> None:
    table = flop().plays("4 bet 11000")
    assert not table.of(IncidentRecorded, True)
    assert {each.entered_by for each in acted(table, 4, True)} == {""}


@pytest.mark.parametrize("case", ["a fold", "the stack as a bet"])
def test_who_leaves_while_it_waits_has_folded_in_person(case: str) -> None:
    table, _ = asked(case)
    assert table.leave(4) is None
    (folded,) = table.of(PlayerFolded)
    assert (folded.reason, folded.entered_by, table.state.hand) == ("left", "", None)


@pytest.mark.parametrize("code", sorted(_PROCEDURES))
@pytest.mark.parametrize("act", ["fold", "check", "call", "bet", "raise"])
@pytest.mark.parametrize("three_checked", [False, True])
def test_by_no_code_a_dealer_alone_ends_a_hand_or_binds_a_stack(code: str, act: Any, three_checked: bool) -> None:
    """Whatever is reported of 4 in a pot of both stacks: 4 still may check, or a supervisor is asked."""
    table = live_h6().plays("3 raise 9000", "4 call", "5 fold", "6 fold", "1 fold", "2 fold").burn().turn_up(3)
    if three_checked:
        table.plays("3 check")
    stacks = dict(table.stacks)
    for more in (
        {"to": None},
        {},
        {"seats": [3, 4]},
        {"count": 1},
        {"count": 2},
        {"error": "DE-69a"},
        {"cards": ["2c"]},
    ):
        table.report(code, **{"seat": 4, "act": act, "to": 11_000, "placed": 11_000, **more})
        if table.state.hand is None or table.name == "SUPERVISOR_DECISION":
            break
    assert table.stacks == stacks, "nobody is paid"
    assert table.state.hand is not None
    if table.name == "SUPERVISOR_DECISION":
        assert {"go_on", "in_favour"} & set(table.incident.choices), "one answer by which nothing happens"
        return
    if not three_checked:
        table.plays("3 check")
    if code == "PE-71f" and act in ("check", "call") and not three_checked:
        assert isinstance(acted(table, 4)[0], PlayerChecked), "out of turn, and nothing was to be called"
        return
    assert table.turn == 4
    assert table.legal[0], "4 may check"
    assert table.act(4, "check") is None
    assert {each.entered_by for each in acted(table, 4)} == {""}


def test_only_who_has_not_dealt_decides() -> None:
    table, _ = asked("a fold")
    assert table.rule_on("against", by=SUPERVISOR) == Reason.NO_SUCH_DECISION
    assert table.rule_on("stands", by=SUPERVISOR) is None


@rule("71.f", "71.d")
def test_where_nothing_is_to_be_called_a_call_is_a_check_and_no_chips_are_a_raise() -> None:
    """The player could then do nothing at all, and the clock folded."""
    table = live_h6().plays("3 raise 400", "4 call", "5 call", "6 fold", "1 fold", "2 fold").burn().turn_up(3)
    assert table.report("PE-71f", seat=4, act="call") is None
    assert table.report("PE-71f", seat=5, act="bet") == Reason.INCOMPLETE_REPORT
    assert table.live.held[4].act == "check"
    table.plays("3 check")
    assert (table.turn, [type(each) for each in acted(table, 4)]) == (5, [PlayerChecked])
    assert table.report("PE-71d", seat=5, placed=800) == Reason.NO_ERROR


@rule("71.c", "8.c")
def test_in_a_large_pot_one_chip_bars_nobody_from_raising_on_a_dealers_word() -> None:
    table = live_h6().plays("3 raise 4600", "4 call", "5 call", "6 call", "1 call", "2 fold").burn().turn_up(3)
    table.plays("1 bet 200")
    assert table.report("PE-71c", seat=3, placed=1) is None
    assert (table.name, table.incident.choices) == ("SUPERVISOR_DECISION", ["stands", "go_on"])


def test_what_a_dealer_takes_back_for_a_seat_without_cards_is_refused() -> None:
    """Found by an attacker: the decider failed over it."""
    table = live_h6().plays("3 call")
    assert table.send(DEALER, CancelAct(hand=table.state.hands, seat=7)) == PokerReason.ACTION_FINAL
    assert table.send(DEALER, CancelAct(hand=table.state.hands, seat=11)) == PokerReason.ACTION_FINAL


@rule("71.f", "8.c")
@pytest.mark.parametrize("act", ["fold", "call"])
@pytest.mark.parametrize(("to", "bet"), [(9_000, 200), (9_000, 11_000), (400, 19_600)])
def test_a_check_that_a_bet_has_overtaken_lets_the_dealer_enter_nothing_more(act: str, to: int, bet: int) -> None:
    """Found by an attacker: a check was reported out of turn, the mate bet, and the dealer folded the hand."""
    table = live_h6().plays(f"3 raise {to}", "4 call", "5 fold", "6 fold", "1 fold", "2 fold").burn().turn_up(3)
    assert table.report("PE-71f", seat=4, act="check") is None
    table.plays(f"3 bet {bet}")
    before = dict(table.stacks)
    assert enters(table, act) is None
    assert table.stacks == before, "nobody is paid, and nothing has moved"
    assert (table.name, table.incident.code, table.turn) == ("SUPERVISOR_DECISION", "ACT", 4)
    assert table.rule_on("go_on") is None
    assert (table.turn, table.live.held[4].act) == (4, "check")
    assert table.act(4, "call") is None
    assert acted(table, 4)[0].entered_by == ""


@rule("71.f", "8.c")
@pytest.mark.parametrize("decision", ["stands", "go_on"])
def test_a_fold_that_was_held_is_judged_again_at_its_turn(decision: str) -> None:
    """It was one of three in a small pot; now it would end the hand."""
    table = live_h6().plays("3 raise 3000", "4 call", "5 call", "6 fold", "1 fold", "2 fold").burn().turn_up(3)
    table.plays("3 check")
    assert table.report("PE-71f", seat=5, act="fold") is None
    assert table.name != "SUPERVISOR_DECISION"
    before = dict(table.stacks)
    table.plays("4 fold")
    assert table.stacks == before
    assert (table.name, table.incident.code, table.incident.seats) == ("SUPERVISOR_DECISION", "PE-71f", [5])
    assert (table.incident.recorded_by, table.incident.reported_by) == ("dealer-1", "dealer-1")
    assert table.rule_on(decision) is None
    if decision == "stands":
        assert [award.winners for award in table.of(PotAwarded)] == [[3]]
        assert [fold.entered_by for fold in acted(table, 5)] == ["dealer-1"]
    else:
        assert (table.turn, table.live.held) == (5, {})
        table.plays("5 bet 1000", "3 fold")


@rule("71.f")
def test_who_leaves_while_a_held_fold_waits_is_out_once() -> None:
    table = live_h6().plays("3 raise 3000", "4 call", "5 call", "6 fold", "1 fold", "2 fold").burn().turn_up(3)
    table.plays("3 check")
    assert table.report("PE-71f", seat=5, act="fold") is None
    table.plays("4 fold")
    assert table.leave(5) is None
    assert table.rule_on("stands") is None
    assert [fold.seat for fold in table.of(PlayerFolded)] == [5]
    assert table.state.hand is None
