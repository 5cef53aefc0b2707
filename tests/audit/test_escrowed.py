"""What lies at a table is what was brought less what went home, or the auditor tells: live and in a walk."""

from typing import Any

import pytest

from libs.contracts import escrow_events as e
from libs.contracts.escrow_events import HomeClaim
from libs.contracts.facts import Fact
from tests.audit.both_checks import BothChecks
from tests.audit.scripted import T0

OF: dict[str, Any] = {"account": "escrow-t1", "table": "t1", "player": "ann", "currency": "EUR"}


class Told(BothChecks):
    def say(self, fact: Fact, stream: str = "escrow-t1") -> None:
        super().say(fact, stream)

    def covered(self, amount: int, left: int) -> None:
        self.say(e.HomeCovered(**OF, left=left, claim=HomeClaim("ann", "EUR", "s1", amount, settlement="t1/9")))


def test_an_escrow_that_adds_up_is_not_told() -> None:
    told = Told()
    told.say(e.ReserveNoted(**OF, reserve="s1", amount=500, left=500))
    told.say(e.RiskNoted(**OF, amount=100, alone_up_to=0, left=600))
    told.say(e.BankNoted(**OF, change="c1", direction="top_up", amount=900, alone=False, left=1_500))
    told.say(e.BankNoted(**OF, change="c2", direction="drop", amount=200, alone=True, left=1_300))
    claim = HomeClaim("ann", "EUR", "s1", 1_301)
    told.say(e.HomeHeld(**OF, claim=claim, since=T0, left=1_300))
    told.say(e.ReserveNoted(**{**OF, "currency": "MOP"}, reserve="s3", amount=70, left=70))
    told.covered(1_000, 300)
    told.say(e.HomeStruck(**OF, claim=claim, left=300))
    told.say(e.CoverNoted(**OF, amount=40, left=300))
    told.say(e.BankNoted(**OF, change="c3", direction="drop", amount=400, alone=False, left=-100))
    told.say(e.BankReturned(**OF, amount=500, left=-660))
    assert told.found == []


@pytest.mark.parametrize(
    ("fact", "detail"),
    [
        (e.ReserveNoted(**OF, reserve="s2", amount=1, left=502), "502 is said to lie at the table, which has 501"),
        (
            e.HomeStruck(**OF, claim=HomeClaim("ann", "EUR", "s1", 1), left=499),
            "499 is said to lie at the table, which has 500",
        ),
        (
            e.HomeCovered(**OF, left=0, claim=HomeClaim("ann", "EUR", "s1", 501)),
            "501 goes home, and 500 lies at the table",
        ),
    ],
    ids=["too much is noted", "what was struck is taken off", "more goes home than lies there"],
)
def test_one_that_does_not_is(fact: Fact, detail: str) -> None:
    told = Told()
    told.say(e.ReserveNoted(**OF, reserve="s1", amount=500, left=500))
    told.say(fact)
    assert told.found == [detail]
