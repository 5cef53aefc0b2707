"""Who acted, or was passed over, out of turn at a live table: pt-217-2007 71.f, 71.i."""

import pytest

from libs.contracts import live_commands as c
from libs.contracts.live_commands import LiveReason as Reason
from libs.contracts.poker_commands import PokerReason as AtPoker
from libs.contracts.poker_events import (
    PlayerFolded,
)
from libs.contracts.table_commands import TableReason as AtTable
from tests.table.casino.play import h6, refused, rule
from tests.table.live.play import DEALER, SUPERVISOR, LiveTable, live_h6
from tests.table.live.test_player_errors import PACK, on_the_flop
from tests.testkit.cases import Case


def raised_out_of_turn(case: Case, seat: int, to: int) -> LiveTable:
    """P3 has called, P4 is asked, and that seat raises."""
    table = live_h6().plays("3 call")
    assert table.turn == 4
    assert table.report("PE-71f", seat=seat, act="raise", to=to) is None
    return table


@rule("71.f/1")
def test_a_raise_out_of_turn_is_held(case: Case) -> None:
    seat, to = case.int("seat"), case.int("to")
    table = raised_out_of_turn(case, seat, to)
    held = table.live.held[seat]
    assert (held.act, held.to, held.chips) == ("raise", to, to)
    assert (table.turn, table.legal[1]) == (4, case["called"])
    assert table.hand.bet == case["called"]


@rule("71.f/2")
def test_a_raise_out_of_turn_takes_effect_at_the_turn(case: Case) -> None:
    seat, to = case.int("seat"), case.int("to")
    table = raised_out_of_turn(case, seat, to).plays(f"4 call {case['call']}")
    assert table.act(seat, "raise", case["refused"]) == Reason.OUT_OF_TURN_LOCKED
    assert table.act(seat, "call") == Reason.OUT_OF_TURN_LOCKED
    table.plays(f"{seat} raise {to}")
    assert (table.hand.raises, table.stacks[seat], table.hand.bet) == (case["raises"], 20_000 - to, to)


@rule("71.f/3")
def test_a_higher_raise_before_the_turn_leaves_a_call_or_a_fold(case: Case) -> None:
    seat, to = case.int("seat"), case.int("to")
    for end, stack in (("fold", 20_000 - to), ("call", 20_000 - to - case["more"])):
        table = raised_out_of_turn(case, seat, to).plays(f"4 raise {case['raised']}")
        assert (table.turn, table.legal[1], table.stacks[seat]) == (seat, case["more"], 20_000 - to)
        assert table.act(seat, "raise", 2 * case.int("raised")) == Reason.BET_BINDING
        table.plays(f"{seat} {end}")
        assert table.stacks[seat] == stack


@rule("71.f/4", "70.h")
def test_who_may_only_call_binds_himself_to_a_call(case: Case) -> None:
    table = live_h6(pack=PACK).plays("3 call", f"4 raise {case['faces']}").burn()
    assert table.report("DE-70d", cards=["Th", "Qh", "Kh"]) is None
    assert table.report("PE-71f", seat=6, act="raise", to=case["placed"]) is None
    told = (table.live.held[6].act, table.incident.amount, table.incident.returned)
    assert told == ("call", case["held"], case["back"])
    table.plays("5 fold", "6 call")
    assert table.stacks[6] == 20_000 - case["held"]


@rule("71.f/5")
def test_at_a_virtual_table_an_act_out_of_turn_is_refused(case: Case) -> None:
    table = h6().plays("3 call")
    assert refused(table, 5, "raise", 800) == AtPoker.NOT_YOUR_TURN
    report = c.RecordIncident(hand=table.state.hands, code="PE-71f", seat=5, act="raise", to=800)
    assert table.send(DEALER, report) == AtTable.NOT_IN_THIS_MODE


@rule("71.f")
def test_a_fold_out_of_turn_binds_and_a_check_only_while_nobody_bets() -> None:
    table = on_the_flop(1, 2, 3)
    assert table.report("PE-71f", seat=2, act="fold") is None
    assert table.report("PE-71f", seat=3, act="check") is None
    table.plays("1 bet 400")
    assert table.hand.players[2].folded
    assert (table.turn, table.legal[1]) == (3, 400), "the check does not hold against a bet"
    table.plays("3 call")


def skipped(bet: int = 1000, seat: int = 5) -> LiveTable:
    """Round 2: P4 has bet, the dealer went past that seat, P6 has called."""
    table = on_the_flop(2, 4, seat, 6).plays("2 check", f"4 bet {bet}")
    assert table.send(DEALER, c.PassTurn(hand=table.state.hands, seat=seat)) is None
    return table.plays("6 call")


@rule("71.i/1", "8.c")
def test_who_was_passed_over_may_call_when_the_supervisor_says_so(case: Case) -> None:
    seat, bet = case.int("seat"), case.int("bet")
    for end in ("call", "fold"):
        table = skipped(bet, seat)
        assert table.report("PE-71i", seat=6) == Reason.NO_ERROR
        assert table.report("PE-71i", seat=seat) is None
        assert table.incident.state_before == f"ROUND_{case['round']}"
        assert (table.name, table.turn) == ("SUPERVISOR_DECISION", None)
        assert table.rule_on("in_favour") is None
        assert (table.turn, table.legal[1]) == (seat, bet)
        assert table.act(seat, "raise", 3 * bet) == Reason.SKIPPED_PLAYER_CALL_ONLY
        table.plays(f"{seat} {end}")
        assert (table.turn, table.hand.players[6].in_round) == (2, bet), "the call before stands"


@rule("71.i", "8.c")
@pytest.mark.parametrize("decision", ["in_favour", "against", "go_on"])
def test_whoever_has_been_passed_over_is_examined_when_the_turn_comes_back(decision: str) -> None:
    """Found by an attacker: a dealer went past a mate on every street, who had the last word and all rights."""
    table = on_the_flop(1, 2, 3)
    assert table.send(DEALER, c.PassTurn(hand=table.state.hands, seat=1)) is None
    table.plays("2 check", "3 check")
    assert (table.name, table.turn) == ("SUPERVISOR_DECISION", None)
    told = table.incident
    assert (told.code, told.seats, told.choices, told.recorded_by) == (
        "PE-71i",
        [1],
        ["in_favour", "against", "go_on"],
        "dealer-1",
    )
    assert table.rule_on(decision, by=DEALER) == Reason.NOT_A_SUPERVISOR
    assert table.rule_on(decision) is None
    if decision == "against":
        assert table.hand.players[1].folded
        return
    assert table.turn == 1
    if decision == "go_on":
        table.plays("1 bet 400", "2 raise 800", "3 fold")
        assert table.turn == 1, "who was heard is not examined again"
        table.plays("1 raise 2000", "2 call")
        return
    assert table.act(1, "bet", 400) == Reason.SKIPPED_PLAYER_CALL_ONLY
    table.plays("1 check")
    assert table.live.stage == "board", "the round is over, and nobody is examined twice"


@rule("71.i", "8.c")
def test_who_was_passed_over_for_a_moment_simply_decides() -> None:
    """Found by an attacker: a dealer went past a player, said so at once, and there was no raise any more."""
    table = on_the_flop(1, 2, 3).plays("1 fold", "2 bet 400")
    assert table.send(DEALER, c.PassTurn(hand=table.state.hands, seat=3)) is None
    assert table.turn == 3
    assert table.report("PE-71i", seat=3) == Reason.NO_ERROR
    table.plays("3 raise 1000", "2 raise 2000")
    assert table.turn == 3, "it has decided since, and nobody is to examine it"
    table.plays("3 raise 4000")


@rule("71.i", "8.c")
def test_a_supervisor_may_leave_who_was_passed_over_all_rights() -> None:
    table = skipped()
    assert table.report("PE-71i", seat=5) is None
    assert table.incident.choices == ["in_favour", "against", "go_on"]
    assert table.rule_on("go_on") is None
    assert table.turn == 5
    table.plays("5 raise 3000")


@rule("71.i")
def test_a_seat_is_passed_over_once_in_a_round() -> None:
    """Found by an attacker: each time the clock of the seat began anew."""
    table = on_the_flop(1, 2, 3)
    table.plays("1 check", "2 check", "3 bet 400")
    assert table.send(DEALER, c.PassTurn(hand=table.state.hands, seat=1)) is None
    table.plays("2 call")
    assert table.rule_on("in_favour") is None
    assert table.turn == 1
    assert table.send(DEALER, c.PassTurn(hand=table.state.hands, seat=1)) == Reason.NOT_AWAITED
    table.plays("1 call").burn().turn_up()
    assert table.send(DEALER, c.PassTurn(hand=table.state.hands, seat=1)) is None, "in the next round it may happen"


@rule("71.i/2")
def test_a_late_protest_may_cost_the_hand(case: Case) -> None:
    table = skipped().plays("2 call")
    pot = table.hand.pot
    assert (table.incident.code, table.incident.seats) == ("PE-71i", [5]), "without a protest at the turn at the latest"
    assert table.report("PE-71i", seat=5) == Reason.SUPERVISOR_DECISION
    assert table.rule_on("against") is None
    (folded,) = table.of(PlayerFolded)
    assert (folded.seat, folded.reason, table.stacks[5]) == (5, "annulled", 19_800)
    assert table.hand.pot == pot


@rule("71.i/3")
def test_at_a_virtual_table_nobody_is_passed_over(case: Case) -> None:
    table = h6()
    assert table.send(DEALER, c.PassTurn(hand=table.state.hands, seat=3)) == AtTable.NOT_IN_THIS_MODE
    asked = []
    while table.hand.street == "preflop":
        asked.append(table.turn)
        assert table.act(table.turn or 0, "check" if table.legal[0] else "call") is None
    assert sorted(seat or 0 for seat in asked) == [1, 2, 3, 4, 5, 6]


@rule("71.f", "9.e")
def test_the_dealer_enters_acts_and_nobody_else_of_the_staff() -> None:
    from libs.contracts.poker_commands import Act

    table = live_h6()
    wish = {"hand": table.state.hands, "seat": 3, "act": "call"}
    assert table.send(SUPERVISOR, Act(**wish)) == AtPoker.NOT_YOUR_SEAT
    assert table.send(DEALER, Act(**wish)) is None
    assert table.act(6, "call") == AtPoker.NOT_YOUR_TURN
