"""The shoe: what is in it, where its cut card lies, when it is shuffled anew, and what proves it."""

from collections import Counter
from typing import Any

import pytest

from libs.cards.card import DECK, parse
from libs.contracts.baccarat_events import (
    CoupDealt,
    ShoeStarted,
    SideShown,
    ThirdCardDealt,
)
from libs.contracts.messages import Principal
from libs.contracts.table_events import ENTROPY_UNHEALTHY, TablePaused
from libs.sealing.merkle import verify_card
from tests.table.baccarat.play import CoupTable, in_order
from tests.table.under_test import deck_in
from tests.testkit.cases import Case

rule = pytest.mark.rule
_REGULATION = "pt-812-2015-baccarat"


@rule(_REGULATION, "6.c/1")
def test_the_shoe_that_is_drawn_for_a_table_is_every_card_of_its_decks(case: Case) -> None:
    table = CoupTable(decks=case["decks"]).seat(1)
    table.wake()
    (started,) = table.of(ShoeStarted)
    drawn = table.deck_of(started).cards
    assert (started.decks, started.cards, len(drawn)) == (case["decks"], case["cards"], case["cards"])
    assert Counter(drawn) == dict.fromkeys(range(case["of_a_deck"]), case["decks"])
    assert list(drawn) != list(DECK * case.int("decks")), "shuffled"
    assert (started.cut, started.burned) == (14, [])
    assert started.generator.startswith("croupier-shuffle-")


@rule(_REGULATION, "FP-2/1")
def test_the_first_card_of_a_fresh_shoe_is_pontos(case: Case) -> None:
    table = CoupTable().seat(1)
    table.plays(case.text("shoe"), s1=["ponto 100"])
    assert table.cards("ponto")[0][0] == case["first"] == case.cards("shoe")[0]
    assert table.of(ShoeStarted, everything=True)[0].burned == []


def test_burn_cards_of_the_specific_rules_are_laid_aside_unseen() -> None:
    table = CoupTable(burn_cards=2).seat(1).betting("9c 9d 4h 3d 5s 5c")
    assert table.of(ShoeStarted)[0].burned == [0, 1]
    assert table.bet(1, "ponto 100") is None
    table.close_bets()
    assert table.of(CoupDealt)[0].ponto == [2, 4]
    assert not {"9c", "9d"} & {card.card for shown in table.of(SideShown) for card in shown.cards}


def dealt_down_to(left: int) -> CoupTable:
    """A shoe of eight decks of which so many cards are left, no coup being open: coups of four, then one of 5 or 6."""
    coups, more = divmod(416 - left, 4)
    last = {1: in_order(["3c", "4c"], ["3d", "Tc", "5c"]), 2: in_order(["Tc", "Jc", "4d"], ["Td", "Jd", "3h"])}[more]
    names = {rank: [f"{rank}{suit}" for suit in "cdhs" for _ in range(8)] for rank in "A23456789TJQK"}
    naturals = [pair for high, low in ("9K", "8Q", "7A", "62") for pair in zip(names[high], names[low], strict=True)]
    rest = [card for pair in naturals[coups:] for card in pair] + [card for rank in "345TJ" for card in names[rank]]
    for card in last.split():
        rest.remove(card)
    order = [in_order(ponto, rest[2 * at : 2 * at + 2]) for at, ponto in enumerate(naturals[: coups - 1])]
    table = CoupTable(between_rounds_ms=1000).seat(1, amount=1_000_000).betting(" ".join([*order, last]))
    for coup in range(coups):
        assert table.bet(1, "ponto 100") is None, table.refused
        assert table.close_bets().cards_left == (left if coup == coups - 1 else 416 - 4 * (coup + 1))
        if coup < coups - 1:
            opens(table)
    return table


def opens(table: CoupTable) -> CoupTable:
    """The next betting, when it is due."""
    table.now += 1000
    assert table.wake() is None
    assert table.state.round is not None
    return table


def whole(table: CoupTable) -> bool:
    return Counter(deck_in(table.state).cards) == dict.fromkeys(range(52), 8)


@rule(_REGULATION, "FP-1/1")
def test_the_coup_in_which_the_cut_card_comes_out_is_finished_and_all_is_shuffled_anew(case: Case) -> None:
    table = opens(dealt_down_to(case.int("cut") + 1))
    before = table.state.shoe
    assert (before.decks, before.cut, before.left) == (case["decks"], case["cut"], case.int("cut") + 1)
    assert table.bet(1, "ponto 100") is None
    settled = table.close_bets()
    assert table.names.index("CutCardReached") < table.names.index("CoupSettled")
    assert (settled.shoe, settled.cards_left) == (before.number, before.left - len(dealt_in(table)))
    opens(table)
    assert table.names == ["ShoeStarted", "CoupOpened"]
    (started,) = table.of(ShoeStarted)
    assert (started.shoe, started.cards, table.state.shoe.left) == (before.number + 1, case["cards"], case["cards"])
    assert whole(table)


def dealt_in(table: CoupTable) -> list[str]:
    return [*table.cards("ponto")[0], *table.cards("banca")[0]]


@rule(_REGULATION, "FP-1/2")
def test_a_coup_starts_only_while_more_cards_are_left_than_lie_behind_the_cut_card(case: Case) -> None:
    enough = dealt_down_to(case["dealt"])
    old, next_position = enough.state.shoe.number, enough.state.shoe.next_position
    assert opens(enough).names == ["CoupOpened"]
    assert enough.bet(1, "ponto 100") is None
    assert enough.close_bets().shoe == old
    assert enough.of(CoupDealt)[0].ponto[0] == next_position, "out of what is left"
    over = dealt_down_to(case["shuffled"])
    assert opens(over).names == ["ShoeStarted", "CoupOpened"]
    assert over.of(ShoeStarted)[0].cards == over.state.shoe.left == case["cards"]
    assert whole(over)


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
