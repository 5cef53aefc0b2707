"""A wrong deal is put right before anybody decides on it; the wrong event stays in the log: mo-97-2010 9.1, 9.2."""

import pytest
from msgspec.structs import replace

from libs.contracts.messages import Principal
from libs.contracts.poker_commands import CorrectDeal
from libs.contracts.poker_commands import PokerReason as Reason
from libs.contracts.poker_events import Deal, DealCorrected, DealCorrectionRequested, HoleCardsDealt, StreetDealt
from services.table.domain.games.poker.cards import shown
from services.table.domain.table.decide import evolve
from tests.table.play import MACAU, TableUnderTest

RULE = pytest.mark.rule("mo-97-2010", "9.1")


def asked(table: TableUnderTest, by: str) -> str | None:
    command = CorrectDeal(hand=table.state.hands, cause="replay of the deck")
    return table.send(Principal("staff", by), command)


def correct(table: TableUnderTest) -> str | None:
    """By two of the staff; the first one alone changes nothing, and is not two by asking twice."""
    refused = asked(table, "floor-2")
    if refused is None:
        assert [type(event) for event in table.last] == [DealCorrectionRequested]
        assert asked(table, "FLOOR-2") == "own_request"
        refused = asked(table, "floor-1")
    return refused


def tell(table: TableUnderTest, event: HoleCardsDealt | StreetDealt) -> None:
    """As if that had been dealt: a fault that the decider does not make."""
    table.state = evolve(table.state, event)
    table.told.append(event)
    table.decks.append(None)


@RULE
def test_the_burn_card_on_the_turn_is_replaced_by_the_card_that_belongs_there() -> None:
    table = TableUnderTest(MACAU).seat(1, 2, 3).deal(button=1)
    table.plays("1 call", "2 call", "3 check", "2 check", "3 check")
    before = table.state
    table.plays("1 check")
    right = table.hand.board[-1]
    burnt = right - 1
    turn = table.of(StreetDealt)[0]
    wrong = replace(turn, cards=shown(table.hand, [burnt]), burned=[right])
    waiting = replace(before.hand, turn=None)
    table.state = replace(before, hand=waiting)
    tell(table, wrong)
    assert table.hand.board[-1] == burnt
    stacks = table.stacks
    assert correct(table) is None
    (fixed,) = table.of(DealCorrected)
    assert (fixed.withdrawn, fixed.cause) == ([burnt], "replay of the deck")
    assert (fixed.requested_by, fixed.by) == ("floor-2", "floor-1")
    assert [card.position for card in fixed.cards] == list(table.hand.board)
    assert table.hand.board[-1] == right
    assert wrong in table.told, "the wrong event stays in the log"
    assert table.stacks == stacks
    assert correct(table) == Reason.NOTHING_TO_CORRECT


@RULE
def test_a_fifth_hole_card_goes_back_and_no_money_moves() -> None:
    table = TableUnderTest(MACAU).seat(1, 2, 3).deal(button=1)
    pot = table.hand.pot
    dealt = [Deal(player.seat, list(player.hole)) for player in table.hand.players.values()]
    right = {deal.seat: tuple(deal.positions) for deal in dealt}
    wrong = [Deal(d.seat, [*d.positions, 12] if d.seat == 2 else d.positions) for d in dealt]
    tell(table, HoleCardsDealt(at=table.now, table="t1", hand=table.state.hands, deals=wrong))
    assert len(table.hand.players[2].hole) == 5
    assert correct(table) is None
    (fixed,) = table.of(DealCorrected)
    assert [(deal.seat, tuple(deal.positions)) for deal in fixed.deals] == [(2, right[2])]
    assert (table.hand.players[2].hole, table.hand.pot, table.hand.next_position) == (right[2], pot, 12)


@RULE
def test_once_somebody_has_decided_it_is_too_late() -> None:
    table = TableUnderTest(MACAU).seat(1, 2, 3).deal(button=1)
    dealt = [Deal(player.seat, [*player.hole, 12]) for player in table.hand.players.values()]
    tell(table, HoleCardsDealt(at=table.now, table="t1", hand=table.state.hands, deals=dealt))
    table.plays("1 call")
    assert correct(table) == Reason.TOO_LATE_TO_CORRECT
    assert table.refused is not None
    assert table.refused.rule == "mo-97-2010#9.2"
