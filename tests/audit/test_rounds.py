"""The auditor and rounds of no-draw poker: an honest evening is proved and paid, and every lie about it is found."""

from collections.abc import Callable
from itertools import combinations
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from libs.cards.card import DECK, names_of
from libs.cards.ranking import five_strength
from libs.contracts.facts import TableEvent
from libs.contracts.messages import PublicEvent
from libs.contracts.no_draw_poker_events import DealerShown, RoundDealt, RoundHandShown, RoundSettled
from libs.contracts.registry import wire_name
from services.audit.verifying.dealt import Decks, PublicDecks
from services.audit.verifying.decks import check_deck
from services.audit.verifying.findings import Finding, Kind
from services.audit.verifying.rounds import plays
from services.audit.verifying.strengths import worth
from services.table.domain.games.no_draw_poker.settlement import dealer_plays
from tests.table.no_draw.play import NoDraw

SEATS = range(1, 8)
_SHOWDOWN = ("8c 8d Kh 5h 2s", "Ac Ks 8h 5s 2c")


def played(rounds: int = 60, **changes: Any) -> NoDraw:
    """Seven seats, every fifth hand folded, cards as they come."""
    table = NoDraw(buy_in=1_000_000, top_up_to=1_000_000, **changes).seat(*SEATS, stack=1_000_000)
    for number in range(rounds):
        table.open()
        for seat in SEATS:
            assert table.ante(seat, 100 + 37 * seat) is None
        assert table.round.until is not None
        table.now = table.round.until
        table.wake()
        table.plays(*(f"{seat} {'fold' if (seat + number) % 5 == 0 else 'continue'}" for seat in SEATS))
    return table


@pytest.fixture(scope="module")
def told() -> list[TableEvent]:
    table = NoDraw().seat(1, 2).dealt({1: 300, 2: 100}, {1: _SHOWDOWN[0], 2: "9c 9d Kc 6h 3s"}, _SHOWDOWN[1])
    return table.plays("1 continue", "2 fold").told


def audited(events: list[TableEvent], fold: PublicDecks) -> list[Finding]:
    found: list[Finding] = []
    for version, event in enumerate(events, start=1):
        fact = event
        name = wire_name(type(fact))
        published = PublicEvent(stream="t1", version=version, type=name, time=event.at, causation="c", data=b"")
        found += check_deck(fold, published, fact, getattr(event, "deck", None))
    return found


@pytest.mark.parametrize("fold", [PublicDecks, Decks])
def test_the_auditors_own_rules_agree_with_the_tables_over_many_hands(fold: type[PublicDecks]) -> None:
    table = played()
    assert audited(table.told, fold()) == []
    settled = table.of(RoundSettled, everything=True)
    outcomes = {result.outcome for event in settled for result in event.results}
    assert outcomes >= {"win", "lose", "fold", "dealer_not_qualified"}


def test_the_auditors_ranking_is_that_of_the_evaluator() -> None:
    """All pairs among many random hands and the hands that are rare."""
    dice = Random(7)
    hands = [tuple(dice.sample(DECK, 5)) for _ in range(400)]
    hands += [tuple(top + 4 * step for step in range(5)) for top in (0, 1, 14, 32)]
    hands += [(48, 0, 4, 8, 12), (49, 0, 4, 8, 12), (48, 0, 5, 8, 12), (0, 1, 2, 3, 7), (44, 48, 1, 2, 5)]
    for one, other in combinations(hands, 2):
        ours, theirs = worth(names_of(one)), worth(names_of(other))
        strengths = five_strength(one), five_strength(other)
        assert (ours > theirs, ours == theirs) == (strengths[0] < strengths[1], strengths[0] == strengths[1])
    assert all(plays(names_of(hand)) is dealer_plays(hand) for hand in hands)


def paid(event: RoundSettled, area: int, credited: int) -> RoundSettled:
    first = event.results[0]
    bets = [replace(bet, credited=credited) if n == area else bet for n, bet in enumerate(first.bets)]
    total = sum(bet.credited for bet in bets)
    return replace(
        event, results=[replace(first, bets=bets, credited=total, net=total - first.staked), *event.results[1:]]
    )


Lie = Callable[[TableEvent], list[TableEvent]]


@pytest.mark.parametrize(
    "lie",
    [
        lambda e: [paid(e, 0, 900)] if isinstance(e, RoundSettled) else [e],
        lambda e: [paid(e, 1, 1800)] if isinstance(e, RoundSettled) else [e],
        lambda e: [] if isinstance(e, RoundHandShown) else [e],
        lambda e: [] if isinstance(e, DealerShown) else [e],
    ],
    ids=["ante", "bet", "no hand", "no dealer"],
)
def test_a_result_that_the_cards_do_not_give_is_found(told: list[TableEvent], lie: Lie) -> None:
    found = audited([event for each in told for event in lie(each)], PublicDecks())
    assert {finding.kind for finding in found} == {Kind.ROUND_RESULT}


def test_a_hand_from_other_positions_is_found(told: list[TableEvent]) -> None:
    moved = [
        replace(event, deals=[replace(event.deals[0], positions=[1, 3, 5, 7, 9]), *event.deals[1:]])
        if isinstance(event, RoundDealt)
        else event
        for event in told
    ]
    assert Kind.DEAL_ORDER in {finding.kind for finding in audited(moved, PublicDecks())}
