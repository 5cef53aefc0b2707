"""A wrong deal is put right before anybody decides on it; the wrong event stays in the log: mo-97-2010 9.1, 9.2."""

import pytest
from msgspec.structs import replace

from libs.contracts.messages import Principal
from libs.contracts.poker_commands import CorrectDeal
from libs.contracts.poker_commands import PokerReason as Reason
from libs.contracts.poker_events import (
    Deal,
    DealCorrected,
    DealCorrectionRequested,
    HandVoided,
    HoleCardsDealt,
    PotAwarded,
    StreetDealt,
)
from libs.contracts.table_events import RefundSent
from services.table.domain.games.poker.cards import shown
from services.table.domain.table.decide import evolve
from tests.table.omaha.house import House
from tests.table.play import MACAU, TableUnderTest
from tests.table.views import view_of
from tests.testkit.cases import Case


def macau(*refs: str) -> pytest.MarkDecorator:
    return pytest.mark.rule("mo-97-2010", *refs)


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


@macau("9.1/1")
def test_the_burn_card_on_the_turn_is_replaced_by_the_card_that_belongs_there(case: Case) -> None:
    table = TableUnderTest(MACAU).seat(*range(1, case.int("players") + 1)).deal(button=1)
    table.plays("1 call", "2 call", "3 check", "2 check", "3 check")
    before = table.state
    table.plays("1 check")
    right, burnt = case.int("right") - 1, case.int("told") - 1
    turn = table.of(StreetDealt)[0]
    assert (table.hand.board[-1], turn.burned) == (right, [burnt])
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
    record = view_of(table).hand
    assert record is not None
    assert record.board == tuple(card.card for card in fixed.cards), "the right card is shown"
    assert wrong in table.told, "the wrong event stays in the log"
    assert table.stacks == stacks
    assert correct(table) == Reason.NOTHING_TO_CORRECT


@macau("9.1/2")
def test_a_fifth_hole_card_goes_back_and_no_money_moves(case: Case) -> None:
    table = TableUnderTest(MACAU).seat(*case.ints("seats")).deal(button=case["button"])
    before, seat = (table.hand.pot, table.stacks), case.int("seat")
    five, right = ([card - 1 for card in case.ints(name)] for name in ("told", "right"))
    dealt = [Deal(player.seat, list(player.hole)) for player in table.hand.players.values()]
    wrong = [replace(deal, positions=five) if deal.seat == seat else deal for deal in dealt]
    tell(table, HoleCardsDealt(at=table.now, table="t1", hand=table.state.hands, deals=wrong))
    assert list(table.hand.players[seat].hole) == five
    assert correct(table) is None
    (fixed,) = table.of(DealCorrected)
    assert [(deal.seat, deal.positions) for deal in fixed.deals] == [(seat, right)]
    assert list(table.hand.players[seat].hole) == right
    record = view_of(table).hand
    assert record is not None
    assert {held.seat: held.positions for held in record.seats}[seat] == right, "on record, too"
    assert (table.hand.pot, table.stacks) == before
    table.plays("1 call", "2 call", "3 check")
    (flop,) = table.of(StreetDealt)
    assert flop.burned == [case.int("burned") - 1]


def dealt_twice(table: TableUnderTest) -> None:
    """A card of the first seat is told as one of the next seat's, too."""
    first, second, *others = table.hand.players.values()
    both = [Deal(second.seat, [first.hole[0], *second.hole[1:]])]
    both += [Deal(player.seat, list(player.hole)) for player in (first, *others)]
    tell(table, HoleCardsDealt(at=table.now, table="t1", hand=table.state.hands, deals=both))


@macau("9.1", "9.2")
def test_once_somebody_has_decided_it_is_too_late() -> None:
    table = TableUnderTest(MACAU).seat(1, 2, 3).deal(button=1)
    dealt_twice(table)
    table.plays("1 call")
    assert correct(table) == Reason.TOO_LATE_TO_CORRECT
    assert table.refused is not None
    assert table.refused.rule == "mo-97-2010#9.2"


@macau("9.2")
def test_the_bet_of_who_has_left_comes_back_too() -> None:
    table = TableUnderTest(MACAU).seat(1, 2, 3).deal(button=1)
    dealt_twice(table)
    table.plays("1 call", "2 fold")
    small = table.hand.players[2].staked
    assert table.leave(2) is None
    assert table.void() is None
    assert [(sent.player, sent.amount) for sent in table.of(RefundSent)] == [("p2", small)]
    assert small == table.state.rules.betting.small_blind


@macau("9.2/1")
def test_a_hand_that_cannot_be_put_right_is_void_and_every_bet_comes_back(case: Case) -> None:
    stacks, put_in = case.ints("stacks"), case.ints("put_in")
    table = TableUnderTest(MACAU, small_blind=put_in[1], big_blind=put_in[2], buy_in_min=1000, buy_in_max=10**6)
    for seat, stack in enumerate(stacks, 1):
        table.seat(seat, amount=stack)
    table.deal(button=1)
    dealt_twice(table)
    table.plays("1 call")
    assert [table.hand.players[seat].staked for seat in (1, 2, 3)] == put_in
    assert correct(table) == Reason.TOO_LATE_TO_CORRECT
    assert table.void() is None
    (void,) = table.of(HandVoided)
    assert [refund.amount for refund in void.refunds] == put_in
    assert list(table.stacks.values()) == stacks
    assert (table.state.books.raked, table.of(PotAwarded, True)) == (case["rake"], [])
    table.wake()
    assert table.hand.button == 1


@macau("9.2/1")
def test_every_bet_of_a_void_hand_comes_home_to_who_had_folded_and_left(case: Case) -> None:
    """By the wallet's own policy: into the account, no seat is theirs any more."""
    stacks, put_in = case.ints("stacks"), case.ints("put_in")
    table = TableUnderTest(MACAU, small_blind=put_in[1], big_blind=put_in[2], buy_in_min=1000, buy_in_max=10**6)
    there = House(table, **{f"p{seat}": stack for seat, stack in enumerate(stacks, 1)})
    for seat, stack in enumerate(stacks, 1):
        assert there.sits(seat, stack) is None
    table.deal(button=1)
    dealt_twice(table)
    table.plays("1 call", "2 fold")
    table.leave(2)
    there.settle()
    assert there.available(2) == stacks[1] - put_in[1]
    assert table.void() is None
    for seat in (1, 3):
        table.leave(seat)
    there.settle()
    assert [there.available(seat) for seat in (1, 2, 3)] == stacks
    assert table.state.books.raked == case["rake"]
