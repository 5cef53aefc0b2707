"""The shoe: what is in it, where its cut card lies, when it is shuffled anew, and what proves it."""

from collections import Counter
from typing import Any

import pytest

from libs.cards.card import parse
from libs.contracts.baccarat_events import (
    CoupDealt,
    CoupSettled,
    CutCardReached,
    ShoeStarted,
    SideShown,
    ThirdCardDealt,
)
from libs.contracts.messages import Principal
from libs.contracts.table_events import ENTROPY_UNHEALTHY, TablePaused
from libs.sealing.merkle import verify_card
from tests.table.baccarat.play import CoupTable, shoe_with

rule = pytest.mark.rule
_REGULATION = "pt-812-2015-baccarat"


@rule(_REGULATION, "6.b", "6.c", "FP-1")
@pytest.mark.parametrize(("decks", "cards"), [(6, 312), (8, 416)])
def test_a_shoe_is_all_cards_of_its_decks(decks: int, cards: int) -> None:
    table = CoupTable(decks=decks).seat(1)
    table.wake()
    started = table.of(ShoeStarted)[0]
    assert (started.decks, started.cards, started.cut, started.burned) == (decks, cards, 14, [])
    assert Counter(table.deck_of(started).cards) == dict.fromkeys(range(52), decks)
    assert started.generator.startswith("croupier-shuffle-")


@rule(_REGULATION, "FP-2")
def test_the_first_card_of_a_fresh_shoe_is_pontos() -> None:
    table = CoupTable().seat(1)
    table.plays("Kd 4h 3d 5s 5c", s1=["ponto 100"])
    assert table.of(SideShown)[0].cards[0].card == "Kd"


def test_burn_cards_of_the_specific_rules_are_laid_aside_unseen() -> None:
    table = CoupTable(burn_cards=2).seat(1).betting("9c 9d 4h 3d 5s 5c")
    assert table.of(ShoeStarted)[0].burned == [0, 1]
    assert table.bet(1, "ponto 100") is None
    table.close_bets()
    assert table.of(CoupDealt)[0].ponto == [2, 4]
    assert not {"9c", "9d"} & {card.card for shown in table.of(SideShown) for card in shown.cards}


def naturals(cards: int, decks: int = 8) -> Any:
    """A shoe whose first `cards` cards give coups of four: 9 against 9, from nines and cards that count nothing."""
    nines, zeroes = (decks * 4, decks * 16)
    coups = cards // 4
    assert coups <= min(nines // 2, zeroes // 2), "enough of them"
    names = [f"{rank}{suit}" for rank in "TJQK" for suit in "cdhs" for _ in range(decks)]
    of_nine = [f"9{suit}" for suit in "cdhs" for _ in range(decks)]
    order = []
    for coup in range(coups):
        order += [of_nine[2 * coup], of_nine[2 * coup + 1], names[2 * coup], names[2 * coup + 1]]
    return shoe_with(" ".join(order), decks)


@rule(_REGULATION, "FP-1")
def test_the_coup_in_which_the_cut_card_comes_out_is_finished_and_all_is_shuffled_anew() -> None:
    """The cut card lies 200 before the end of 312."""
    table = CoupTable(cut_cards=200, decks=6).seat(1)
    assert table.wake(naturals(12 * 4, 6)) is None
    while not table.of(CutCardReached):
        assert table.bet(1, "ponto 100") is None, table.refused
        table.close_bets()
    assert [type(event) for event in table.last if isinstance(event, CutCardReached | CoupSettled)] == [
        CutCardReached,
        CoupSettled,
    ]
    assert table.state.shoe.is_over
    assert table.due is not None
    before = table.state.shoe.number
    table.wake()
    assert table.names == ["ShoeStarted", "CoupOpened"]
    assert table.of(ShoeStarted)[0].shoe == before + 1
    assert table.state.shoe.left == 312


@rule(_REGULATION, "FP-1")
@pytest.mark.parametrize(("left", "new"), [(15, False), (14, True)])
def test_a_coup_starts_only_while_more_cards_are_left_than_lie_behind_the_cut_card(left: int, new: bool) -> None:
    from msgspec.structs import replace

    table = CoupTable().seat(1).betting()
    assert table.bet(1, "ponto 100") is None
    table.close_bets()
    if table.state.round is not None:
        table.now = table.state.round.until
        table.wake()
    # As if 400 more cards had been dealt of this shoe.
    shoe = replace(table.state.shoe, next_position=416 - left)
    table.state = replace(table.state, shoe=shoe, lapsed_at=None, round=None)
    table.now += 1
    table.wake()
    assert ("ShoeStarted" in table.names) is new
    assert "CoupOpened" in table.names
    if not new:
        # The cut card comes out in this coup: it is finished, then all 416 cards are shuffled anew.
        assert table.bet(1, "ponto 100") is None
        table.close_bets()
        assert table.names.index("CutCardReached") < table.names.index("CoupSettled")
        table.wake()
        assert table.of(ShoeStarted)[0].cards == 416


def test_a_shoe_for_every_coup_where_the_specific_rules_say_so() -> None:
    table = CoupTable(shuffle_every_coup=True).seat(1).betting()
    for _ in range(3):
        assert table.bet(1, "ponto 100") is None
        table.close_bets()
        table.wake()
    assert [started.shoe for started in table.of(ShoeStarted, everything=True)] == [1, 2, 3, 4]


def test_a_period_without_a_bet_keeps_the_shoe() -> None:
    table = CoupTable(shuffle_every_coup=True).seat(1).betting().at(20_000)
    assert table.bet(1, "ponto 100") is None
    assert table.state.shoe.number == 1


def test_other_rules_begin_with_another_shoe() -> None:
    table = CoupTable(decks=8).seat(1).betting()
    assert table.bet(1, "ponto 100") is None
    assert table.change(2, decks=6) is None
    table.close_bets()
    assert table.state.shoe.cards == 416
    table.wake()
    assert table.state.shoe.cards == 312


def test_without_fresh_entropy_no_shoe_begins_and_the_table_is_paused() -> None:
    from libs.contracts.table_commands import WakeTable

    table = CoupTable().seat(1)
    assert table.send(Principal("timer", "timer"), WakeTable(due=table.now)) is None
    assert [event.reason for event in table.of(TablePaused)] == [ENTROPY_UNHEALTHY]
    assert table.state.shoe is None


def _shown(event: Any) -> list[Any]:
    if isinstance(event, SideShown):
        return event.cards
    return [event.card] if isinstance(event, ThirdCardDealt) else []


def test_every_card_shown_proves_its_place_in_the_shoe_that_was_committed_to() -> None:
    table = CoupTable().seat(1)
    roots: dict[int, str] = {}
    proved = 0
    for _ in range(40):
        if table.state.round is None:
            table.wake()
        assert table.bet(1, "ponto 100") is None
        table.close_bets()
    for event in table.told:
        if isinstance(event, ShoeStarted):
            roots[event.shoe] = event.deck_root
        cards = (
            event.cards if isinstance(event, SideShown) else [event.card] if isinstance(event, ThirdCardDealt) else []
        )
        for card in cards:
            proof = [bytes.fromhex(step) for step in card.proof]
            root = bytes.fromhex(roots[max(roots)])
            assert verify_card(root, card.position, parse(card.card), bytes.fromhex(card.salt), proof, 416)
            proved += 1
    assert proved >= 160
