"""Exemptions from commission, uncalled bets, run-outs, the order of showing, proofs, results."""

from typing import Any

import pytest

from libs.cards.card import name_of, parse
from libs.contracts.poker_events import (
    CardsShown,
    HandEnded,
    HandStarted,
    HoleCardsDealt,
    PotAwarded,
    StreetDealt,
    UncalledBetReturned,
)
from libs.contracts.registry import encode_fact
from libs.sealing.merkle import verify_card
from tests.table.play import MACAU, PORTUGAL, TableUnderTest


def portugal(*refs: str) -> pytest.MarkDecorator:
    return pytest.mark.rule("pt-811-2015", *refs)


def macau(*refs: str) -> pytest.MarkDecorator:
    return pytest.mark.rule("mo-97-2010", *refs)


def no_limit(
    button: int = 1, rulebook: str = PORTUGAL, big_blind: int = 100, rake_bp: int = 500, **stacks: int
) -> TableUnderTest:
    table = TableUnderTest(
        rulebook,
        structure="no_limit",
        big_blind=big_blind,
        rake_bp=rake_bp,
        buy_in_min=big_blind,
        buy_in_max=10**6,
        top_up_to=10**6,
    )
    return table.with_stacks(**stacks).deal(button=button)


def ending(table: TableUnderTest) -> tuple[int, str | None, list[tuple[int, int]], list[tuple[int, int]]]:
    """Commission, exemption, uncalled (seat, amount), net payments (seat, amount)."""
    (ended,) = table.of(HandEnded)
    returned = [(event.seat, event.amount) for event in table.of(UncalledBetReturned, True)]
    nets = [(p.seat, p.net) for award in table.of(PotAwarded) for p in award.payments]
    return ended.rake, ended.exemption, returned, nets


DEEP: dict[str, Any] = {"s1": 10_000, "s2": 10_000, "s3": 10_000, "s4": 10_000}


@portugal("59")
def test_who_bet_last_on_the_river_shows_first() -> None:
    table = no_limit(s1=9000, s2=9000, s3=9000).plays("1 fold", "2 call", "3 check")
    for _ in ("flop", "turn"):
        table.plays("2 check", "3 check")
    table.plays("2 check", "3 bet 100", "2 raise 300", "3 call")
    assert [event.seat for event in table.of(CardsShown)] == [2, 3]
    table = no_limit(s1=9000, s2=9000, s3=9000).plays("1 fold", "2 call", "3 check")
    for _ in ("flop", "turn"):
        table.plays("2 check", "3 check")
    table.plays("2 check", "3 bet 100", "2 call")
    assert [event.seat for event in table.of(CardsShown)] == [3, 2]


@portugal("59", "2.d")
def test_a_checked_river_is_shown_from_the_left_of_the_button() -> None:
    table = no_limit(**DEEP).plays("4 call", "1 call", "2 call", "3 check").checks_down()
    assert [event.seat for event in table.of(CardsShown)] == [2, 3, 4, 1]
    assert all(len(event.cards) == 4 for event in table.of(CardsShown))


@portugal("2.d", "60")
def test_every_card_in_the_open_proves_itself() -> None:
    table = no_limit(**DEEP).plays("4 fold", "1 call", "2 call", "3 check").checks_down()
    (started,) = table.of(HandStarted, True)
    root = bytes.fromhex(started.deck_root)
    cards = [card for event in table.of(StreetDealt, True) + table.of(CardsShown) for card in event.cards]
    assert len(cards) == 5 + 12
    assert started.deck_leaves == 4 * len(started.seats) + 5 + 1  # whoever was dealt in, the board, all other cards
    for card in cards:
        proof = [bytes.fromhex(step) for step in card.proof]
        assert verify_card(root, card.position, parse(card.card), bytes.fromhex(card.salt), proof, started.deck_leaves)


@portugal("1", "67")
def test_results_say_staked_won_rake_and_stack() -> None:
    table = no_limit(**DEEP).plays("4 fold", "1 raise 300", "2 fold", "3 call", "3 check", "1 bet 500", "3 fold")
    (ended,) = table.of(HandEnded)
    results = {r.seat: (r.staked, r.won, r.rake, r.stack) for r in ended.results}
    assert results == {
        1: (300, 618, 32, 10_318),
        2: (50, 0, 0, 9950),
        3: (300, 0, 0, 9700),
        4: (0, 0, 0, 10_000),
    }
    assert sum(table.stacks.values()) + ended.rake == 40_000


@portugal("34.a", "2.d")
@macau("13.2")
@pytest.mark.parametrize("rulebook", [PORTUGAL, MACAU])
def test_no_card_of_a_folded_player_is_in_any_event_after_the_hand(rulebook: str) -> None:
    table = no_limit(1, rulebook, **DEEP).plays("4 fold", "1 call", "2 call", "3 check").checks_down()
    shown = {event.seat for event in table.of(CardsShown)}
    assert shown == {1, 2, 3}
    (started,) = table.of(HandStarted, True)
    deck = table.deck_of(started)
    (dealt,) = table.of(HoleCardsDealt, True)
    (folded,) = [deal for deal in dealt.deals if deal.seat == 4]
    said = "".join(encode_fact(event)[1].decode() for event in table.told)
    assert f'"{name_of(deck.cards[dealt.deals[0].positions[0]])}"' in said
    assert not [p for p in folded.positions if f'"{name_of(deck.cards[p])}"' in said]
