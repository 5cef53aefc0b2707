"""Whose the bounty is: the last pot, split pots, odd cents, the end."""

import pytest

from services.tournament.domain.play.bounties import WonPot, bounty_of
from tests.testkit.cases import Case


@pytest.mark.rule("pt-810-2015", "FP-6/1")
def test_the_pot_that_came_last_decides(case: Case) -> None:
    main, side, out = case["main"], case["side"], case["out"]
    pots = [WonPot({main, side, out}, {main}), WonPot({side, out}, {side})]
    assert bounty_of(out, case["bounty"], pots, [main, side, out]) == {side: case["bounty"]}
    assert bounty_of(out, case["bounty"], [*pots, WonPot({main, side}, {main})], [main, side]) == {
        side: case["bounty"]
    }, "a later pot without his chips is none of his"


@pytest.mark.rule("pt-810-2015", "FP-6/2")
def test_a_split_pot_splits_the_bounty(case: Case) -> None:
    winners = case["winners"].split()
    pots = [WonPot({*winners, case["out"]}, winners)]
    assert bounty_of(case["out"], case["bounty"], pots, winners) == dict.fromkeys(winners, case["each"])


@pytest.mark.rule("pt-810-2015", "FP-6/3")
def test_the_odd_cent_goes_by_registration(case: Case) -> None:
    winners = case["winners"].split()
    order = sorted(winners, key=lambda who: who != case["first"])
    pots = [WonPot({*winners, case["out"]}, winners)]
    assert bounty_of(case["out"], case["bounty"], pots, order) == case["shares"]


def test_without_bounties_none_is_paid() -> None:
    assert bounty_of("x", 0, [WonPot({"x", "y"}, {"y"})], ["x", "y"]) == {}
