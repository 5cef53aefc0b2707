"""The cancellation drill's own arithmetic is that of the worked cases."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.tournament.refunded import Standing, proportional, refunds


@pytest.fixture
def worked(shared: Path) -> dict[str, Any]:
    cases = yaml.safe_load((shared / "regulations/tournament-worked-cases.yaml").read_text("utf-8"))["cases"]
    return {case["id"]: case for case in cases}


def _standing(setup: dict[str, Any], stacks: dict[str, int], out: list[str], more: list[tuple[str, str]]) -> Standing:
    names = [*setup["registration_order"], *out]
    buy_in = setup["buy_in"]
    offers = [(entry, setup[offer]) for entry, offer in more]
    return Standing(
        paid=dict.fromkeys(names, buy_in["prize"] + buy_in["fee"]),
        prize_part=dict.fromkeys(names, buy_in["prize"]),
        more=[(entry, offer["prize"] + offer["fee"], offer["prize"]) for entry, offer in offers],
        chips=stacks,
        dealt=True,
    )


def test_before_the_paid_places(worked: dict[str, Any]) -> None:
    setup, told = worked["T-05"]["setup"], worked["T-05"]["expected"]
    more = [(entry, "rebuy") for entry in setup["rebuys"]] + [(entry, "add_on") for entry in setup["add_ons"]]
    at = _standing(setup, setup["stacks"], setup["eliminated"], more)
    rule, credits, shares, pot = refunds(at)
    assert (rule, credits, shares, pot) == ("36.b", told["credits"], told["shares"], told["pot"]["total"])


def test_in_the_money(worked: dict[str, Any]) -> None:
    setup, told = worked["T-06"]["setup"], worked["T-06"]["expected"]
    others = [f"x{number}" for number in range(setup["players"] - 4)]
    at = _standing(setup, setup["stacks"], ["d", *others], [("x1", "rebuy")] * setup["rebuys"])
    at.in_the_money, at.won = True, {"d": setup["prizes"][4]}
    rule, credits, shares, pot = refunds(at)
    assert (rule, shares, pot) == ("36.c", told["shares"], told["pot"]["total"])
    assert {name: amount for name, amount in credits.items() if amount} == told["credits"]


def test_with_somebody_who_thinks_about_a_rebuy(worked: dict[str, Any]) -> None:
    setup, told = worked["T-15"]["setup"], worked["T-15"]["expected"]
    out = [*setup["eliminated"], *setup["without_chips_rebuy_time_running"]]
    at = _standing(setup, setup["stacks_after_last_finished_hand"], out, [("x1", "rebuy")])
    _, credits, shares, pot = refunds(at)
    assert (credits, shares, pot) == (told["credits"], told["shares"], told["pot"]["total"])


def test_before_the_first_hand_everything_comes_back() -> None:
    at = Standing(paid={"a": 2_200, "b": 2_200}, prize_part={"a": 2_000, "b": 2_000}, chips={"a": 1, "b": 1})
    assert refunds(at) == ("36.a", {"a": 2_200, "b": 2_200}, {}, 0)


def test_cents_go_to_the_largest_fractions_and_then_to_who_came_first() -> None:
    assert proportional(10, {"late": 2, "even": 1, "same": 1}) == {"late": 5, "even": 3, "same": 2}
