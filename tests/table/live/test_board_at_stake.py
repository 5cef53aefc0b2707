"""On a dealer's word alone no card of the board is another one where much lies there (pt-217-2007 69.d to 70.f)."""

from typing import Any

import pytest

from libs.contracts.live_commands import LiveReason as Reason
from libs.contracts.live_events import StubReshuffled
from tests.table.casino.play import rule
from tests.table.live.play import DEALER, LiveTable, live_h6

LAPS = "2c 3c 9c 5c 6c 7c 2d 3d 4d 5d 6d 7d"
PACK = f"{LAPS} 9h Th Qh Kh Jd 8s Js Kc 4s"
"""The burn before the flop, the flop, burn and turn, burn and river, and the next one."""


def on_the_flop(raised: int = 9_000) -> LiveTable:
    table = live_h6(pack=PACK).plays(f"3 raise {raised}", "4 call", "5 fold", "6 fold", "1 fold", "2 fold")
    return table.burn().turn_up(3)


def all_in_on_the_turn(named: str = "") -> LiveTable:
    """Both have 20,000 in. `named` was reported face up while the pot was small."""
    table = on_the_flop(400).plays("3 check", "4 check").burn().turn_up()
    if named:
        assert table.report("DE-69d", cards=[named]) is None
        assert table.incident.outcome == "burned_when_it_comes"
    return table.plays("3 bet 19600", "4 call")


@rule("69.d", "8.c")
def test_the_river_is_drawn_again_only_where_a_supervisor_says_so() -> None:
    """Found by an attacker: a dealer's friend who would lose by the river got a second one, in each hand."""
    table = all_in_on_the_turn().burn()
    assert table.report("DE-69d", cards=["Kc"]) is None
    told = table.incident
    assert (told.outcome, told.choices, [card.card for card in told.exposed]) == (
        "to_decide",
        ["stands", "go_on"],
        ["Kc"],
    )
    assert table.scan("Kc", "board") == Reason.SUPERVISOR_DECISION
    assert table.rule_on("go_on", by=DEALER) == Reason.NOT_A_SUPERVISOR
    assert table.rule_on("go_on") is None
    table.turn_up()
    assert (table.board[-1], table.name) == ("Kc", "PAYING")


@rule("69.d")
def test_a_card_of_which_a_supervisor_says_that_it_lay_open_is_burnt_when_it_comes() -> None:
    table = all_in_on_the_turn().burn()
    assert table.report("DE-69d", cards=["Kc"]) is None
    assert table.rule_on("stands") is None
    assert (table.name, table.live.stage) == ("ROUND_3", "board")
    table.turn_up()
    assert (table.burns[-1], table.live.pending) == ("Kc", None), "nobody is asked twice"
    table.turn_up()
    assert (table.board[-1], table.name) == ("4s", "PAYING")


@rule("69.d")
@pytest.mark.parametrize("decision", ["stands", "go_on"])
def test_in_a_round_the_betting_goes_on_where_it_was(decision: str) -> None:
    table = on_the_flop().plays("3 check")
    assert table.report("DE-69d", cards=["8s"]) is None
    assert table.turn is None
    assert table.rule_on(decision) is None
    assert table.turn == 4
    table.plays("4 check").burn().turn_up()
    assert (table.burns[-1] == "8s", table.board[3:]) == (decision == "stands", [] if decision == "stands" else ["8s"])


@rule("69.d", "8.c")
@pytest.mark.parametrize("scanned_to", ["board", "burn"])
@pytest.mark.parametrize("decision", ["stands", "go_on"])
def test_one_that_was_named_while_little_lay_there_is_asked_of_when_it_comes(decision: str, scanned_to: Any) -> None:
    table = all_in_on_the_turn(named="Kc").burn()
    assert table.scan("Kc", scanned_to) is None
    told = table.incident
    assert (told.code, told.choices, len(told.burned), table.live.drawn) == ("DE-69d", ["stands", "go_on"], 1, ())
    assert table.rule_on(decision) is None
    table.turn_up()
    if decision == "stands":
        assert table.burns[-1] == "Kc"
        table.turn_up()
    assert (table.board[-1], table.name) == ("Kc" if decision == "go_on" else "4s", "PAYING")


@rule("69.d")
def test_where_no_card_is_to_come_or_little_lies_there_nobody_is_asked() -> None:
    river = all_in_on_the_turn().burn().turn_up()
    assert river.report("DE-69d", cards=["4s"]) is None
    assert river.incident.outcome == "burned_when_it_comes"
    small = on_the_flop(400)
    assert small.report("DE-69d", cards=["8s"]) is None
    small.plays("3 check", "4 check").burn().turn_up()
    assert small.burns[-1] == "8s"


@rule("69.d")
@pytest.mark.parametrize("decision", ["stands", "go_on"])
def test_of_two_cards_that_were_reported_none_is_burnt_where_the_report_is_of_nothing(decision: str) -> None:
    table = on_the_flop().plays("3 check", "4 check").burn()
    assert table.report("DE-69d", cards=["8s", "Kc"]) is None
    assert table.incident.choices == ["void", "stands", "go_on"]
    assert table.rule_on(decision) is None
    table.turn_up()
    assert (table.burns[-1] == "8s") == (decision == "stands")


@rule("70.e", "70.h", "8.c")
def test_a_turn_is_withdrawn_only_where_a_supervisor_says_so() -> None:
    """With it nobody may raise any more, and another card comes: the dealer has seen it, and knows who is to act."""
    for decision in ("stands", "go_on"):
        table = on_the_flop().plays("3 check").burn()
        assert table.report("DE-70e", cards=["8s"]) is None
        told = table.incident
        assert (told.outcome, told.choices, told.restricted) == ("to_decide", ["stands", "go_on"], [])
        assert (table.live.aside, len(table.live.burnt), dict(table.live.limited)) == ((), 1, {})
        assert table.rule_on(decision) is None
        assert table.turn == 4
        if decision == "stands":
            _is_withdrawn(table)
        else:
            table.plays("4 bet 400", "3 call")
            assert table.next_card() == "8s"
            assert table.scan("8s", "board") is None
            assert table.board[-1] == "8s"


def _is_withdrawn(table: LiveTable) -> None:
    told = table.incident
    assert (told.outcome, told.recorded_by, told.decided_by) == ("call_only", "dealer-1", "floor-1")
    assert (sorted(told.restricted), len(told.aside), table.live.burnt) == ([4], 1, ())
    assert table.act(4, "bet", 400) == Reason.CALL_ONLY_AFTER_EXPOSURE
    table.plays("4 check")
    assert table.next_card() == "8s"
    table.burn().turn_up()
    assert table.board[-1] == "Kc"
    table.plays("3 check", "4 check")
    assert table.of(StubReshuffled)
