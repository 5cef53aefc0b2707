"""What a pool covers is what came into it, and what an account pays of it is what was covered: or the auditor tells."""

from typing import Any

import pytest

from libs.contracts import pool_events as p
from libs.contracts import wallet_events as w
from libs.contracts.facts import Fact
from libs.contracts.pool_events import Claim, terms_of
from services.audit.verifying import covering
from tests.audit.both_checks import BothChecks
from tests.audit.scripted import T0
from tests.tournament.course import definition

OF: dict[str, Any] = {"tournament": "t-1", "currency": "EUR"}
BACK = Claim("e1", "e1", "ann", "return", "EUR", whole=2_200)


class Told(BothChecks):
    def __init__(self, promised: int = 0) -> None:
        super().__init__()
        self.say(p.TermsNoted(**OF, terms=terms_of(definition(guarantee=promised))))

    def say(self, fact: Fact, stream: str = "pool-t-1") -> None:
        super().say(fact, stream)

    def pay(self, payment: str = "e1") -> None:
        self.say(p.PaymentNoted(**OF, player="ann", payment=payment, amount=2_200))

    def cover(self, name: str, amount: int) -> None:
        self.say(p.CreditCovered(**OF, player="ann", claim=Claim(name, "e1", "ann", "prize", "EUR", prize=amount)))

    def credited(self, name: str, amount: int, *, covered: bool = True) -> None:
        figures: dict[str, Any] = {"available": amount, "reserved": 0, "tournament": "t-1", "covered": covered}
        self.say(w.TournamentCredited(credit=name, amount=amount, why="prize", **figures), "account-ann-EUR")


def test_what_came_and_what_was_promised_is_covered() -> None:
    told = Told(promised=5_000)
    told.pay()
    told.pay("e2")
    told.cover("e1.prize", 9_400)
    assert told.found == []
    told.cover("e2.prize", 1)
    assert told.found == ["9401 is covered, of 4400 that came and 5000 that was promised"]


def test_a_credit_is_covered_once_and_a_payment_noted_once() -> None:
    told = Told()
    told.pay()
    told.pay("e2")
    told.pay()
    told.cover("e1.prize", 1)
    told.cover("e1.prize", 1)
    assert told.found[:2] == ["payment e1 is noted twice", "credit e1.prize is covered twice"]


def test_a_return_is_covered_by_its_own_payment() -> None:
    told = Told()
    told.pay()
    told.say(p.CreditCovered(**OF, player="ann", claim=BACK))
    assert told.found == []
    told.pay("e2")
    told.say(p.CreditCovered(**OF, player="ann", claim=Claim("e3", "e3", "ann", "return", "EUR", whole=2_200)))
    assert told.found == ["payment e3 of 2200 is covered as a return, and None was noted"]


def test_an_account_pays_what_was_covered() -> None:
    """In whatever order the two are read."""
    for turned in (False, True):
        told = Told()
        told.pay()
        steps = [lambda: told.cover("e1.prize", 2_000), lambda: told.credited("e1.prize", 2_000)]  # noqa: B023
        for step in reversed(steps) if turned else steps:
            step()
        assert told.found == []
        assert not [each for each in told.checks.end(T0 + 10**9) if each.detail.partition(":")[0].endswith("/covered")]


def test_what_was_paid_before_there_were_pools_needs_no_cover() -> None:
    told = Told()
    told.credited("e1.prize", 2_000, covered=False)
    assert not [each for each in told.checks.end(T0 + 10**9) if "/covered" in each.detail]


@pytest.mark.parametrize("amount", [None, 2_001])
def test_a_credit_that_no_pool_has_covered_so_is_told(amount: int | None) -> None:
    told = Told()
    told.pay()
    if amount is not None:
        told.cover("e1.prize", amount)
    told.credited("e1.prize", 2_000)
    found = told.found + [each.detail for each in told.checks.end(T0 + 10**9)]
    assert f"t-1/e1.prize/covered: {amount} left one side, 2000 came to the other" in found


def test_of_a_large_pool_the_sums_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(covering, "MOST", 2)
    told = Told()
    for number in range(4):
        told.pay(f"e{number}")
    told.cover("e1.prize", 8_800)
    told.say(p.CreditNoted(**OF, player="ann", credit="e2.prize", amount=1))
    assert told.found == []
    told.cover("e3.prize", 1)
    assert told.found == ["8802 is covered, of 8800 that came and 0 that was promised"]
