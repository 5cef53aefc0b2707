"""Who is out of a tournament has lost all chips at a table: its own login says so of whom it likes.

Found by an attacker: one command in the name of a policy ended a tournament in its first second, and nobody said a
word."""

from typing import Any

import pytest

from libs.contracts import poker_events as p
from libs.contracts import tournaments_events as t
from libs.contracts.messages import PublicEvent
from libs.contracts.registry import encode_fact
from libs.contracts.tournament_play_events import EntryEliminated
from libs.money.chips import NO_CURRENCY
from services.audit.verifying.facts import FactChecks
from services.audit.verifying.findings import Kind
from tests.audit.scripted import T0

NOW = T0 + 60_000


class Told:
    def __init__(self) -> None:
        self.checks = FactChecks()
        self.found: list[str] = []
        self._versions: dict[str, int] = {}

    def say(self, fact: Any, stream: str) -> None:
        self._versions[stream] = self._versions.get(stream, 0) + 1
        name, data = encode_fact(fact)
        place: dict[str, Any] = {"stream": stream, "version": self._versions[stream], "time": T0}
        event = PublicEvent(**place, type=name, causation="c", data=data)
        found = [each for each in self.checks.take(event, fact) if each.kind == Kind.PUT_OUT]
        self.found += [each.detail for each in found]  # of what has no beginning here there is more to say

    def ended(self, hand: int, stacks: dict[str, int], currency: str = NO_CURRENCY) -> None:
        results = [
            p.SeatResult(seat, sitting, sitting, staked=100, won=0, rake=0, stack=stack)
            for seat, (sitting, stack) in enumerate(stacks.items(), start=1)
        ]
        of: dict[str, Any] = {"table": "cup.t1", "at": T0, "hand": hand, "currency": currency}
        self.say(p.HandEnded(**of, results=results, rake=0, exemption=None), "cup.t1")

    def out(self, sitting: str, hand: int, **more: Any) -> None:
        of: dict[str, Any] = {"tournament": "cup", "at": T0, "table": 1, "seat": 1, "entry": sitting, "player": sitting}
        self.say(EntryEliminated(**of, sitting=sitting, hand=hand, first=2, last=2, **more), "cup")

    def end(self, grace_ms: int = 600_000) -> list[str]:
        found = [each for each in self.checks.end(NOW, grace_ms) if each.kind == Kind.RESERVE_OPEN]
        return [*self.found, *(each.detail for each in found)]


SAID = "cup/1.1/1: out of the tournament, and has lost all chips in no such hand"


def test_who_has_lost_all_chips_is_out() -> None:
    told = Told()
    told.ended(1, {"1.1": 0, "1.2": 200})
    told.out("1.1", 1)
    assert told.end() == []


def test_the_tournament_may_be_read_before_the_table() -> None:
    told = Told()
    told.out("1.1", 1)
    told.ended(1, {"1.1": 0, "1.2": 200})
    assert told.end() == []


def test_who_buys_chips_again_plays_on() -> None:
    told = Told()
    told.ended(1, {"1.1": 0, "1.2": 200})
    told.ended(2, {"1.1": 300, "1.2": 100})
    told.ended(3, {"1.1": 0, "1.2": 400})
    told.out("1.1", 3)
    assert told.end() == []


@pytest.mark.parametrize("hands", [{}, {1: 50}, {2: 0}], ids=["no hand", "chips left", "another hand"])
def test_who_has_chips_is_not_out_and_that_is_told_in_seconds(hands: dict[int, int]) -> None:
    told = Told()
    for hand, stack in hands.items():
        told.ended(hand, {"1.1": stack, "1.2": 200})
    told.out("1.1", 1)
    assert told.end() == [SAID]


def test_a_table_for_money_puts_nobody_out() -> None:
    told = Told()
    told.ended(1, {"1.1": 0, "1.2": 200}, "EUR")
    told.out("1.1", 1)
    assert told.end() == [SAID]


def test_who_is_said_to_be_disqualified_was_disqualified() -> None:
    told = Told()
    told.out("1.1", 1, disqualified=True)
    assert told.end() == ["1.1 is out as disqualified, and nobody has disqualified them"]
    told = Told()
    of: dict[str, Any] = {"tournament": "cup", "at": T0, "by": "dora", "reason": "chips passed on"}
    told.say(t.PlayerDisqualified(**of, player="1.1", entry="1.1"), "cup")
    told.out("1.1", 1, disqualified=True)
    assert told.end() == []
