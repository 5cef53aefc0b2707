"""Running tournaments that are cancelled, by the cases' own figures: who is owed what (pt-810-2015 35 to 38)."""

from typing import Any

import pytest

from libs.contracts import tournaments_commands as asked
from libs.contracts import tournaments_events as told
from libs.decider import Rejected
from tests.testkit.cases import Case
from tests.tournament.course import FLOOR, MINUTE, START, SUPERVISOR, done, why
from tests.tournament.directed import Directed
from tests.tournament.hall import LEVELS
from tests.tournament.test_by_the_regulation import enter
from tests.tournament.test_rebuys import buys

REGULATION = "pt-810-2015"
FAULT = asked.ProposeCancellation(cause="technical", reason="the hall is dark")


def rebuys(amount: int, **other: Any) -> dict[str, Any]:
    """In the first level, and all of the price is for the prizes."""
    price = {"amount": amount, "prize": amount}
    return {"rebuy": {"price": price, "chips": 10_000, "until": {"level": 1}}, "levels": LEVELS, **other}


def sheet(tournament: Directed) -> told.CancellationProposed:
    """Of the cancellation, which is confirmed."""
    done(tournament.course.ask(FLOOR, FAULT))
    [proposed] = tournament.of(told.CancellationProposed)
    done(tournament.course.ask(SUPERVISOR, asked.ConfirmCancellation(sheet=1)))
    assert tournament.course.state.held.total == 0
    return proposed


def owed(proposed: told.CancellationProposed) -> dict[str, dict[str, int]]:
    """What it is for, by entry."""
    found: dict[str, dict[str, int]] = {}
    for each in proposed.credits:
        found.setdefault(each.credit.removeprefix(f"{each.entry}."), {})[each.entry] = each.amount
    return found


@pytest.mark.rule(REGULATION, "35")
def test_who_worked_the_sheet_out_does_not_confirm_it() -> None:
    course = Directed(9).course
    done(course.ask(FLOOR, FAULT))
    assert why(course.ask(FLOOR, asked.ConfirmCancellation(sheet=1))) == ("same_person", f"{REGULATION}#35")
    assert course.state.phase == "running"


@pytest.mark.rule(REGULATION, "35")
def test_a_sheet_that_waits_is_the_answer_to_whoever_asks_for_the_same() -> None:
    """Each is as large as the field and stays for ever; and whoever has read one could confirm it no more."""
    tournament = Directed(9)
    course = tournament.course
    for fault in (FAULT, FAULT, asked.ProposeCancellation(cause="force_majeure", reason="the hall is on fire")):
        assert not isinstance(course.ask(FLOOR, fault), Rejected)
    assert len(tournament.of(told.CancellationProposed)) == 1
    done(course.ask(FLOOR, asked.DeclineCancellation(reason="it is another cause")))
    done(course.ask(FLOOR, asked.ProposeCancellation(cause="force_majeure", reason="the hall is on fire")))
    again = tournament.of(told.CancellationProposed)[-1]
    assert (again.sheet, again.cause) == (2, "force_majeure")
    done(course.ask(SUPERVISOR, asked.ConfirmCancellation(sheet=2)))


@pytest.mark.rule(REGULATION, "36.c/1")
@pytest.mark.rule(REGULATION, "FP-11/2")
@pytest.mark.parametrize("paid", ["as_determined", "at_end"])
def test_within_the_paid_places_the_open_prizes_are_shared(case: Case, paid: str) -> None:
    of, cents = case.of("36.c/1"), case.of("FP-11/2")
    prize, fee = of["of_it"]
    pool = of["players"] * prize + of["rebuys"] * of["rebuy"]
    shares = [10_000 * each // pool for each in of["prizes"]]
    tournament = Directed(
        of["players"], buy_in={"amount": of["buy_in"], "prize": prize, "fee": fee}, prizes_paid=paid,
        payouts=[{"entries": 2, "shares": shares}], **rebuys(of["rebuy"]),
    )  # fmt: skip
    for number in range(1, of["rebuys"] + 1):
        buys(tournament, f"p{number}", START + number)
    tournament.now = START + 2 * MINUTE
    tournament.course.wake(tournament.now)
    tournament.down_to(of["place"])
    here, stacks = tournament.at(1), of["stacks"]
    fourth, rest = here[0], sorted(here[1:], key=lambda entry: tournament.course.state.entries[entry].number)
    tournament.deal(1)
    tournament.ends(1, {fourth: 0, **dict(zip(rest, stacks, strict=True))})
    before = tournament.course.credited()
    assert before == ({fourth.removeprefix("entry-"): of["decided"]} if paid == "as_determined" else {})
    proposed = sheet(tournament)
    sums = owed(proposed)
    assert proposed.rule == "36.c"
    assert sums["share"] == dict(zip(rest, of["shares"], strict=True))
    assert sums["refund"] == dict.fromkeys(rest, of["back"]), "who is out has nothing back"
    assert sums.get("prize", {}) == ({fourth: of["decided"]} if paid == "at_end" else {}), "once"
    assert tournament.course.credited()[fourth.removeprefix("entry-")] == of["decided"]
    assert proposed.to_the_house == of["keeps"] == of["out"] * fee
    assert of["subtotal"] - of["decided"] == of["pot"] == sum(sums["share"].values())
    assert (cents["amount"], cents["stacks"], cents["shares"]) == (of["pot"], stacks, of["shares"])


@pytest.mark.rule(REGULATION, "38/1")
def test_buy_in_and_rebuy_of_who_is_out_are_in_the_pot(case: Case) -> None:
    buy_in = {"amount": case["buy_in"], "prize": case["buy_in"]}
    tournament = Directed(9, seats=9, buy_in=buy_in, **rebuys(case["rebuy"]))
    buys(tournament, "p1", START + MINUTE)
    tournament.now = START + 2 * MINUTE
    tournament.course.wake(tournament.now)
    tournament.hand(1, "entry-p1")
    sums = owed(sheet(tournament))
    assert "p1" not in tournament.course.credited()
    assert sum(sums["share"].values()) == case["buy_in"] + case["rebuy"]
    assert set(sums["refund"]) == {f"entry-p{number}" for number in range(2, 10)}


@pytest.mark.rule(REGULATION, "38/2")
@pytest.mark.parametrize("paid", ["as_determined", "at_end"])
def test_a_prize_that_was_won_stays(case: Case, paid: str) -> None:
    payouts = [{"entries": 2, "shares": [4_200, 3_000, 1_800, 1_000]}]
    tournament = Directed(9, seats=9, guarantee=10 * case["prize"], payouts=payouts, prizes_paid=paid)
    tournament.down_to(case["place"])
    fourth = tournament.at(1)[0]
    tournament.hand(1, fourth)
    assert fourth not in owed(sheet(tournament))["refund"]
    assert tournament.course.credited()[fourth.removeprefix("entry-")] == case["prize"]


@pytest.mark.rule(REGULATION, "38/3")
def test_of_two_entries_the_live_one_is_refunded(case: Case) -> None:
    buy_in = {"amount": case["entry"], "prize": case["entry"]}
    tournament = Directed(9, seats=9, levels=LEVELS, re_entry={"level": 1}, buy_in=buy_in)
    tournament.hand(1, "entry-p1")
    assert case["re_entry"] == case["entry"], "a re-entry costs as much"
    enter(tournament, "p1", START + MINUTE, "second")
    sums = owed(sheet(tournament))
    assert "entry-p1" not in sums["refund"]
    assert (len(sums["refund"]), sums["refund"]["second"]) == (9, case["re_entry"])
    assert sum(sums["share"].values()) == case["entry"]
    assert tournament.course.credited()["p1"] == case["re_entry"] + sums["share"]["second"]


@pytest.mark.rule(REGULATION, "36.a")
def test_before_the_first_card_a_rebuy_comes_back_as_well() -> None:
    tournament = Directed(9, seats=9, **rebuys(2_000))
    buys(tournament, "p1", START + 1_000)
    proposed = sheet(tournament)
    assert (proposed.rule, proposed.to_the_house) == ("36.a", 0)
    assert tournament.course.credited() == {"p1": 4_200, **{f"p{number}": 2_200 for number in range(2, 10)}}
