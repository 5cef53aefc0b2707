"""Rounds against the house: an honest one passes every check, and each lie told of one is found where it was told."""

from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace

from libs.contracts import bank_events as b
from libs.contracts import banked_rounds as h
from libs.contracts import table_events as t
from libs.contracts import tournament_events as e
from libs.contracts.baccarat_events import BettingClosed
from libs.contracts.facts import Fact
from libs.contracts.messages import PublicEvent
from libs.contracts.no_draw_poker_events import SecondBetPlaced
from services.audit.verifying.chips import Chips, check_chips
from services.audit.verifying.findings import Finding, Kind

TABLE: dict[str, Any] = {"table": "bac-1"}
EURO: dict[str, Any] = {**TABLE, "currency": "EUR"}
ROUND: dict[str, Any] = {**EURO, "round": 1}
ANN: dict[str, Any] = {"seat": 1, "player": "ann", "reservation": "s1"}
BOB: dict[str, Any] = {"seat": 2, "player": "bob", "reservation": "s2"}
RULES: dict[str, Any] = {"rulebook": "pt-812-2015-baccarat", "rulebook_hash": "00", "configuration_version": 1}


def seated(who: dict[str, Any]) -> t.PlayerSeated:
    return t.PlayerSeated(
        **EURO, **who, amount=10_000, commission=0, stack=10_000, kind="real", rulebook="pt-812-2015-baccarat"
    )


def opened(number: int = 1, stacks: tuple[int, int] = (10_000, 10_000)) -> h.BankedRoundOpened:
    seats = [h.SeatInRound(**who, stack=stack) for who, stack in zip((ANN, BOB), stacks, strict=True)]
    return h.BankedRoundOpened(**{**ROUND, "round": number}, **RULES, kind="real", seats=seats)


def result(who: dict[str, Any], staked: int, credited: int, stack: int, commission: int = 0) -> h.SeatSettled:
    bet = h.BetSettled(area="banca", staked=staked, credited=credited, commission=commission)
    return h.SeatSettled(
        **who, staked=staked, credited=credited, commission=commission, net=credited - staked, stack=stack, bets=[bet]
    )


def settled() -> h.BankedRoundSettled:
    """Ann's 2000 on Banca win at 5 percent commission, Bob's 700 lose (pt-812-2015-baccarat 26.a)."""
    results = [result(ANN, 2_000, 3_900, 11_900, 100), result(BOB, 700, 0, 9_300)]
    return h.BankedRoundSettled(**ROUND, rulebook="pt-812-2015-baccarat", results=results, house=-1_200, bank=48_800)


def honest() -> list[Fact]:
    return [
        seated(ANN),
        seated(BOB),
        b.BankOpened(**EURO, amount=50_000, bank=50_000, risk_limit=40_000, kind="real", by="staff:a"),
        opened(),
        h.BankedStakePlaced(**ROUND, **ANN, area="banca", amount=2_500, total=2_500, stack=7_500),
        h.BankedStakeWithdrawn(**ROUND, **ANN, area="banca", amount=500, total=2_000, stack=8_000),
        h.BankedStakePlaced(**ROUND, **BOB, area="ponto", amount=700, total=700, stack=9_300),
        settled(),
        opened(2, (11_900, 9_300)),
        h.BankedStakePlaced(**{**ROUND, "round": 2}, **BOB, area="ponto", amount=300, total=300, stack=9_000),
        h.BankedRoundVoided(
            **{**ROUND, "round": 2}, cause="fault", by="house",
            refunds=[t.Refund(**BOB, amount=300, stack=9_300)],
        ),
        opened(3, (11_900, 9_300)),
        h.BankedRoundLapsed(**TABLE, round=3),
        t.PlayerLeft(**EURO, **ANN, stack=11_900, reason="player"),
        b.BankDropped(
            **EURO, change="c1", amount=8_800, bank=40_000, kind="real", requested_by="staff:a", by="staff:b"
        ),
        b.BankClosed(**EURO, amount=40_000, kind="real"),
    ]  # fmt: skip


def found_in(story: list[Fact], chips: Chips | None = None) -> list[Finding]:
    chips = chips or Chips()
    found: list[Finding] = []
    for version, fact in enumerate(story, start=1):
        event = PublicEvent(stream="bac-1", version=version, type="x", time=1, causation="c", data=b"")
        found += check_chips(chips, event, fact)
    return found


def test_an_honest_evening_against_the_house_has_no_findings() -> None:
    chips = Chips()
    assert found_in(honest(), chips) == []
    assert (chips.rounds_settled, chips.rounds_voided, chips.bank, chips.on_table) == (1, 1, 0, 9_300)


def but(**changes: Any) -> Callable[[Any], Fact]:
    return lambda fact: replace(fact, **changes)


def paid_more(fact: h.BankedRoundSettled) -> Fact:
    ann = result(ANN, 2_000, 4_000, 12_000, 0)
    return replace(fact, results=[ann, fact.results[1]])


def forgets_bob(fact: h.BankedRoundSettled) -> Fact:
    return replace(fact, results=fact.results[:1])


def keeps_some(fact: h.BankedRoundVoided) -> Fact:
    return replace(fact, refunds=[t.Refund(**BOB, amount=200, stack=9_200)])


LIES: list[tuple[type[Fact], Callable[[Any], Fact], Kind]] = [
    (b.BankOpened, but(bank=49_999), Kind.CHIPS),
    (h.BankedRoundOpened, but(round=2), Kind.HAND_ORDER),
    (h.BankedStakePlaced, but(stack=7_400), Kind.CHIPS),
    (h.BankedStakePlaced, but(round=9), Kind.HAND_ORDER),
    (h.BankedStakeWithdrawn, but(amount=2_600, stack=10_100), Kind.CHIPS),
    (h.BankedRoundSettled, but(house=-1_100), Kind.CHIPS),
    (h.BankedRoundSettled, but(bank=48_900), Kind.CHIPS),
    (h.BankedRoundSettled, paid_more, Kind.CHIPS),
    (h.BankedRoundSettled, forgets_bob, Kind.CHIPS),
    (h.BankedRoundVoided, keeps_some, Kind.CHIPS),
    (b.BankDropped, but(bank=40_100), Kind.CHIPS),
    (b.BankClosed, but(amount=50_000), Kind.CHIPS),
]


@pytest.mark.parametrize(("kind", "lie", "finding"), LIES, ids=[f"{k.__name__}-{n}" for n, (k, *_) in enumerate(LIES)])
def test_a_lie_is_found(kind: type[Fact], lie: Callable[[Any], Fact], finding: Kind) -> None:
    story = honest()
    place = next(place for place, fact in enumerate(story) if type(fact) is kind)
    story[place] = lie(story[place])
    told = found_in(story)
    assert finding in {each.kind for each in told}
    assert min(each.version or 0 for each in told) == place + 1


def test_nothing_is_staked_or_taken_back_once_the_bets_are_closed() -> None:
    """Found by an attacker with the table's login: a stake behind the third card, on the side that had won by then."""
    late = h.BankedStakePlaced(**ROUND, **BOB, area="ponto", amount=700, total=700, stack=9_300)
    back = h.BankedStakeWithdrawn(**ROUND, **BOB, area="ponto", amount=700, total=0, stack=10_000)
    closed = BettingClosed(table="bac-1", round=1, totals={})
    before = [seated(ANN), seated(BOB), opened()]
    assert found_in([*before, late, back, closed]) == []
    (found,) = found_in([*before, closed, late])
    assert (found.kind, found.detail) == (Kind.HAND_ORDER, "seat 2 stakes 700 after the close")
    (found,) = found_in([*before, late, closed, back])
    assert (found.kind, found.detail) == (Kind.HAND_ORDER, "seat 2 takes 700 back after the close")
    second = SecondBetPlaced(**ROUND, **BOB, area="bet", amount=700, total=700, stack=9_300)
    assert found_in([*before, closed, second]) == []


def test_chips_of_an_entrant_are_those_that_were_due() -> None:
    """Found by an attacker: a million chips in a timer's commit."""
    who: dict[str, Any] = {**TABLE, "tournament": "cup", "reservation": "e1", "player": "ann", "seat": 1}
    sits, due = e.EntrantSeated(**who, chips=100), e.EntrantChipsDue(**who, payment="p1", chips=50)
    added = e.EntrantChipsAdded(**who, payment="p1", chips=50, stack=150)
    assert found_in([sits, due, added]) == []
    assert [each.kind for each in found_in([sits, added])] == [Kind.CHIPS]
    more = e.EntrantChipsAdded(**who, payment="p1", chips=500, stack=600)
    assert [each.kind for each in found_in([sits, due, more])] == [Kind.CHIPS]
    again = replace(added, stack=200)
    assert [each.kind for each in found_in([sits, due, added, again])] == [Kind.CHIPS]
