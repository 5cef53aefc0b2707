"""Cases of the Portuguese matrix with figures of their own, one after the other."""

from itertools import pairwise
from typing import Any

import pytest
from msgspec.structs import replace

from libs.contracts.messages import PublicEvent
from libs.contracts.poker_events import BetPlaced, CardsShown, HandStarted, HandVoided, HoleCardsDealt, StreetDealt
from libs.contracts.registry import decode_fact, encode_fact
from libs.contracts.table_events import PlayerSeated
from services.table.domain.table.state import Table
from services.wallet.policies.reactions import REACTIONS
from tests.table.play import TableUnderTest, stacked
from tests.table.test_pots_and_rake import hand_with, order, paid, pots, rules
from tests.table.under_test import refolded


def portugal(*refs: str) -> pytest.MarkDecorator:
    return pytest.mark.rule("pt-811-2015", *refs)


def game(button: int, structure: str = "no_limit", **changes: Any) -> TableUnderTest:
    """Stacks as `s<seat>`, the rest is configuration."""
    stacks: dict[str, Any] = {name: changes.pop(name) for name in list(changes) if name[1:].isdigit()}
    wide: dict[str, Any] = {"buy_in_min": 100, "buy_in_max": 10**6, "top_up_to": 10**6, "structure": structure}
    return TableUnderTest(**(wide | changes)).with_stacks(**stacks).deal(button=button)


FOUR: dict[str, Any] = {"s1": 10**6, "s2": 10**6, "s3": 10**6, "s4": 10**6}
THREE: dict[str, Any] = {"s1": 10**6, "s2": 10**6, "s3": 10**6}


@portugal("4.b", "25")
def test_ten_players_and_a_board_are_forty_five_different_cards() -> None:
    table = TableUnderTest(seats=10).seat(*range(1, 11)).deal(button=1).checks_down()
    shown = [card.card for event in table.of(CardsShown, True) for card in event.cards]
    board = [card.card for event in table.of(StreetDealt, True) for card in event.cards]
    assert len(shown + board) == len(set(shown + board)) == 45


@portugal("25", "53", "55", "57")
def test_four_players_sixteen_cards_four_rounds() -> None:
    table = game(1, **FOUR).checks_down()
    (dealt,) = table.of(HoleCardsDealt, True)
    assert sum(len(deal.positions) for deal in dealt.deals) == 16
    kinds = [type(event).__name__ for event in table.told]
    streets = [(event.street, len(event.cards)) for event in table.of(StreetDealt, True)]
    assert streets == [("flop", 3), ("turn", 1), ("river", 1)]
    between = [kinds[a:b].count("DecisionAwaited") for a, b in _spans(kinds)]
    assert between == [4, 4, 4, 4]


def _spans(kinds: list[str]) -> list[tuple[int, int]]:
    """From the deal to the first street, and so on to the end."""
    cuts = [kinds.index("HoleCardsDealt"), *(i for i, kind in enumerate(kinds) if kind == "StreetDealt"), len(kinds)]
    return list(pairwise(cuts))


@portugal("9")
def test_a_seat_at_another_table_is_granted() -> None:
    here, there = TableUnderTest().seat(2), TableUnderTest()
    assert [here.take(5, 10_000, "p2"), here.take(5, 10_000, "p2")] == ["already_seated"] * 2
    assert list(here.state.seats) == [2]
    assert there.take(5, 10_000, "p2") is None


@portugal("17.a")
def test_of_fifteen_cents_nothing() -> None:
    assert paid(hand_with({1: 7, 2: 7, 3: 1}, (), (3,)), order(1, 2), rules()) == ({1: 15}, [0])


@portugal("17.b")
def test_with_commission_on_the_buy_in_a_pot_is_paid_in_full() -> None:
    buy_in = rules(rake_mode="buy_in", rake_bp=1000)
    assert paid(hand_with({1: 10_000, 2: 10_000}), order(1, 2), buy_in) == ({1: 20_000}, [0])


@portugal("19")
def test_main_and_side_pot_to_one_player_are_two_payments() -> None:
    hand = hand_with({1: 750, 2: 1249, 3: 1249, 4: 751}, (1,), (4,))
    assert [amount for amount, _ in pots(hand)] == [3000, 999]
    assert paid(hand, order(2, 3, 1), rules()) == ({2: 3800}, [150, 49])


@portugal("24.b")
def test_pot_limit_on_later_streets() -> None:
    table = game(1, "pot_limit", **FOUR).plays("4 raise 350", "1 raise 1200", "2 fold", "3 call", "4 call")
    table.plays("3 check", "4 bet 3650")
    assert table.legal == (False, 3650, 7300, 14_600)
    assert table.act(1, "raise", 14_601) == "above_max"
    table = game(1, "pot_limit", **THREE).plays("1 raise 200", "2 call", "3 call")
    table.plays("2 bet 600", "3 call", "1 call", "2 bet 400", "3 call", "1 call")
    assert table.hand.pot == 3600
    table.plays("2 bet 2000")
    assert table.legal[3] == 9600
    table = game(1, "pot_limit", s5=10**6, **FOUR).plays("4 call", "5 call", "1 call", "2 call", "3 check")
    assert table.act(2, "bet", 501) == "above_max"
    table.plays("2 bet 500")


@portugal("34.c", "39")
def test_a_call_moves_what_is_owed_or_what_is_left() -> None:
    for stack, amount, to in ((10_000, 500, 600), (400, 300, 400)):
        table = game(1, s1=10_000, s2=10_000, s3=stack).plays("1 raise 600", "2 fold", "3 call")
        (bet,) = table.of(BetPlaced)
        assert (bet.amount, bet.to, bet.all_in) == (amount, to, stack == 400)


@portugal("34.d")
def test_a_raise_to_nine_hundred() -> None:
    table = game(1, **FOUR).plays("4 raise 300", "1 raise 600", "2 fold", "3 raise 900")
    (bet,) = table.of(BetPlaced)
    assert (bet.amount, table.hand.bet) == (800, 900)
    table.plays("4 call", "1 call")
    assert table.hand.street == "flop"


@portugal("35")
def test_what_a_folder_put_in_stays() -> None:
    hand = hand_with({1: 2400, 2: 2400, 4: 1200}, (), (4,))
    assert pots(hand) == [(6000, (1, 2))]
    assert 4 not in paid(hand, order(4, 1, 2), rules())[0]


@portugal("40")
def test_a_round_closes_when_all_have_matched_or_are_all_in() -> None:
    table = game(1, s1=10_000, s2=10_000, s3=400).plays("1 raise 1000", "2 call")
    assert table.hand.street == "preflop"
    table.plays("3 call")
    assert table.hand.street == "flop"
    table = game(1, **THREE).plays("1 raise 500", "2 raise 1000", "3 fold")
    assert (table.hand.street, table.turn, table.legal[1]) == ("preflop", 1, 500)


@portugal("52")
def test_the_small_blind_matches_and_cannot_check() -> None:
    table = game(1, **THREE).plays("1 call")
    assert (table.turn, table.legal[:2]) == (2, (False, 50))
    assert table.act(2, "check") == "cannot_check"


@portugal("54", "56", "58")
def test_later_rounds_begin_left_of_the_button() -> None:
    table = game(1, **FOUR).plays("4 call", "1 call", "2 fold", "3 check")
    for street in ("flop", "turn", "river"):
        assert table.hand.street == street
        table.plays("3 check", "4 check", "1 check")
    table = game(3, **THREE).plays("3 fold", "1 call", "2 check", "1 check", "2 check")
    assert (table.hand.street, table.turn) == ("turn", 1)


@portugal("72/5")
def test_a_void_hand_leaves_the_commission_on_the_buy_in() -> None:
    table = TableUnderTest(rake_mode="buy_in", rake_bp=1000).seat(1, 2, 3).deal(button=1).plays("1 raise 300")
    table.void()
    assert table.of(HandVoided)
    assert table.stacks == {1: 9000, 2: 9000, 3: 9000}
    assert table.state.books.raked == 3000


@portugal("72")
def test_restored_from_the_log_the_hand_goes_on_where_it_was() -> None:
    table = game(1, **THREE).plays("1 call", "2 call", "3 check", "2 check", "3 check", "1 check", "2 bet 100")
    restored = Table(table="t1")
    for event, deck in zip(table.told, table.decks, strict=True):
        restored = refolded(restored, decode_fact(*encode_fact(event)), deck)
    assert restored == table.state
    assert (table.hand.street, table.turn) == ("turn", 3)
    table.state = restored
    table.plays("3 call", "1 call")
    assert table.of(HandVoided, True) == []


def wallets_asked(table: TableUnderTest) -> set[str]:
    """Accounts of which the table's events ask something."""
    asked = set()
    for event in table.told:
        name, data = encode_fact(event)
        public = PublicEvent(stream="t1", version=1, type=name, time=1, causation="c", data=data)
        asked |= {message.stream for message in REACTIONS.get(type(event), lambda *_: [])(public, event)}
    return asked


@portugal("74/1")
def test_demo_plays_like_real() -> None:
    """Same configuration, same deck, same decisions: the events differ by the mark and the currency, nothing else."""
    told = []
    for kind in ("real", "demo"):
        table = TableUnderTest(kind=kind).seat(1, 2, 3)
        table.deal(button=1, fresh=stacked("Ah Kd Qc 2s 3s 4s"))
        table.plays("1 raise 350", "2 call", "3 fold", "2 check", "1 bet 400", "2 call").checks_down()
        told.append([event for event in table.told if type(event).__name__ != "TableOpened"])
        marked = [event.kind for event in table.of(PlayerSeated, True) + table.of(HandStarted, True)]
        assert set(marked) == {kind}
        table.leave(1)
        assert wallets_asked(table) == {
            f"account-p{seat}-EUR" if kind == "real" else f"account-p{seat}-FUN-demo" for seat in (1, 2, 3)
        }
    real, demo = told
    as_real = {"kind": "real", "currency": "EUR"}
    assert [
        replace(event, **{name: value for name, value in as_real.items() if hasattr(event, name)}) for event in demo
    ] == real
