"""Order of turns, sizes of Macau bets, and what no command can do."""

from typing import Any

import pytest

from libs.cards.card import parse, parse_all
from libs.cards.ranking import omaha_strength
from libs.contracts import poker_commands as commands
from libs.contracts.conduct_commands import ConductReason
from libs.contracts.poker_events import (
    CardsShown,
    HandEnded,
    HandStarted,
    HandVoided,
    HoleCardsDealt,
    PotAwarded,
    StreetDealt,
)
from libs.contracts.table_commands import LeaveTable
from tests.table.asking import favour
from tests.table.play import MACAU, PORTUGAL, TableUnderTest
from tests.table.wishes import wishes


def portugal(*refs: str) -> pytest.MarkDecorator:
    return pytest.mark.rule("pt-811-2015", *refs)


def macau(*refs: str) -> pytest.MarkDecorator:
    return pytest.mark.rule("mo-97-2010", *refs)


def macau_table(
    button: int, structure: str = "pot_limit_with_raise_cap", big: int = 1000, **stacks: int
) -> TableUnderTest:
    table = TableUnderTest(MACAU, structure=structure, big_blind=big, buy_in_min=big, buy_in_max=10**6, top_up_to=10**6)
    return table.with_stacks(**stacks).deal(button=button)


FIVE: dict[str, Any] = {f"s{seat}": 100_000 for seat in range(1, 6)}


@macau("6.3", "6.3.3", "13.1")
def test_the_first_round_goes_clockwise_from_the_left_of_the_blinds() -> None:
    table = macau_table(2, **FIVE)
    turns = []
    while table.hand.street == "preflop":
        turns.append(table.turn)
        table.plays(f"{table.turn} {'check' if table.legal[0] else 'call'}")
    assert turns == [5, 1, 2, 3, 4]
    for _ in ("flop", "turn", "river"):
        seat = table.turn
        table.plays(f"{seat} fold")  # 13.1: in any round, also with nothing owed
        assert not table.state.is_bound(table.state.seats[seat or 0])
        street = table.hand.street
        while table.hand.street == street and street != "river":
            table.plays(f"{table.turn} check")


@macau("6.5", "7.2", "8.2")
def test_later_rounds_start_left_of_the_button_which_is_last() -> None:
    table = macau_table(2, **FIVE).plays("5 call", "1 fold", "2 call", "3 fold", "4 check")
    assert table.turn == 4
    table.plays("4 check", "5 check", "2 check")
    assert (table.hand.street, table.turn) == ("turn", 4)


@macau("8.2", "8.4", "7.2")
def test_two_players_one_on_the_button() -> None:
    table = macau_table(5, **FIVE).plays("3 fold", "4 fold", "5 call", "1 fold", "2 check")
    for street in ("flop", "turn", "river"):
        assert (table.hand.street, table.turn) == (street, 2)
        table.plays("2 check", "5 check")
    assert table.state.hand is None


@macau("11.2.1")
def test_a_first_bet_in_the_limit_game() -> None:
    table = macau_table(1, s1=100_000, s2=100_000, s3=2999).plays("1 raise 2000", "2 call", "3 call")
    assert table.legal == (True, None, 1000, 6000)
    assert table.act(2, "bet", 6001) == "above_max"
    assert table.act(2, "bet", 999) == "below_min"
    table.plays("2 check")
    assert table.legal == (True, None, 999, 999)
    table.plays("3 bet 999")


@macau("11.2.1", "4.1")
def test_nobody_bets_more_than_the_stack() -> None:
    table = macau_table(1, s1=100_000, s2=42_000, s3=100_000, s4=100_000)
    table.plays("4 raise 3500", "1 call", "2 call", "3 call", "2 check", "3 bet 14000", "4 fold", "1 fold")
    assert table.legal == (False, 14_000, 28_000, 38_500)
    assert table.act(2, "raise", 38_501) == "above_max"


@macau("11.3", "4.1")
def test_a_first_bet_in_the_no_limit_game() -> None:
    table = macau_table(1, "no_limit", 400, s1=40_400, s2=40_400, s3=650).plays("1 call", "2 call", "3 check")
    assert table.legal == (True, None, 400, 40_000)
    assert table.act(2, "bet", 399) == "below_min"
    assert table.act(2, "bet", 40_001) == "above_max"
    assert table.refused is not None
    assert table.refused.rule == "mo-97-2010#4.1"
    table.plays("2 check")
    assert table.legal == (True, None, 250, 250)


@macau("3.1.2")
def test_the_deck_alone_gives_every_card() -> None:
    table = macau_table(2, **FIVE).checks_down()
    (started,) = table.of(HandStarted, True)
    deck = table.deck_of(started)
    holes = {deal.seat: deal.positions for event in table.of(HoleCardsDealt, True) for deal in event.deals}
    for event in table.of(StreetDealt, True):
        assert [parse(card.card) for card in event.cards] == [deck.cards[c.position] for c in event.cards]
    for event in table.of(CardsShown):
        assert [parse(card.card) for card in event.cards] == [deck.cards[p] for p in holes[event.seat]]


@macau("9.2")
def test_a_void_hand_returns_everything() -> None:
    table = macau_table(1, s1=10_000, s2=8000, s3=5000).plays("1 call", "2 fold")
    table.void()
    (void,) = table.of(HandVoided)
    assert [(r.seat, r.amount, r.stack) for r in void.refunds] == [(1, 1000, 10_000), (2, 500, 8000), (3, 1000, 5000)]
    assert table.state.books.raked == 0


@portugal("34.d")
def test_a_raise_must_be_answered_by_all() -> None:
    table = TableUnderTest(structure="no_limit").seat(1, 2, 3, 4).deal(button=4)
    table.plays("3 raise 600", "4 call", "1 call", "2 raise 1100")
    assert table.hand.bet == 1100
    turns = []
    while table.hand.street == "preflop":
        turns.append(table.turn)
        table.plays(f"{table.turn} call")
    assert turns == [3, 4, 1]


def all_in_on_the_flop(rulebook: str) -> TableUnderTest:
    """Two have everything in the middle but for one call."""
    table = TableUnderTest(rulebook, structure="no_limit").seat(1, 2).deal(button=1)
    table.plays("1 call", "2 check")
    assert table.hand.street == "flop"
    return table.plays(f"2 bet {table.legal[3]}")


@pytest.mark.parametrize(
    ("rulebook", "ref"),
    [
        pytest.param(PORTUGAL, "pt-811-2015#28", marks=portugal("28/1")),
        pytest.param(MACAU, "mo-97-2010#10.3", marks=macau("10.3/1", "10.3/2")),
    ],
)
def test_no_pot_is_divided_by_agreement_and_no_board_dealt_twice(rulebook: str, ref: str) -> None:
    """Asked by both, before the last call: the wish is refused by rule, and there is no other way to it."""
    table = all_in_on_the_flop(rulebook)
    for name in ("p1", "p2"):
        assert favour(table, name, "split_pot") == ConductReason.CHOP_NOT_ALLOWED
        assert table.refused is not None
        assert table.refused.rule == ref
    before = table.state
    for by, command in wishes(before):
        if by.kind == "player" and not isinstance(command, commands.Act | LeaveTable):
            table.send(by, command)
            assert not table.of(StreetDealt), command
            assert not table.of(PotAwarded), command
            table.state = before
    table.plays("1 call")
    assert [(street.street, len(street.cards)) for street in table.of(StreetDealt)] == [("turn", 1), ("river", 1)]
    assert sum(award.amount for award in table.of(PotAwarded)) == 2 * table.state.rules.entry.buy_in_min


@portugal("28/2")
def test_the_best_hand_is_paid_whatever_its_player_asks() -> None:
    """Nobody is asked at the showdown: with the last act all hands are shown, compared and paid in one decision."""
    table = all_in_on_the_flop(PORTUGAL)
    table.plays("1 call")
    board = parse_all([card.card for street in table.of(StreetDealt, True) for card in street.cards])
    hands = {shown.seat: parse_all([card.card for card in shown.cards]) for shown in table.of(CardsShown)}
    assert set(hands) == {1, 2}
    strengths = {seat: omaha_strength(hole, board) for seat, hole in hands.items()}
    (ended,) = table.of(HandEnded)
    won = {result.seat: result.won for result in ended.results}
    for by, command in list(wishes(table.state)):
        if by.kind == "player" and not isinstance(command, LeaveTable):
            table.send(by, command)
            assert not table.of(PotAwarded), command
    assert sum(won.values()) + ended.rake == 2 * table.state.rules.entry.buy_in_min
    best = {seat for seat, strength in strengths.items() if strength == min(strengths.values())}
    assert {seat for seat, amount in won.items() if amount} == best
