"""Who wins with which five cards: every ranking case of Macau's rules, dealt at a table and played to the showdown."""

import pytest

from libs.cards.card import DECK, name_of
from libs.contracts.poker_events import CardsShown, PotAwarded
from libs.sealing.shuffle import Shuffle
from tests.table.play import MACAU, TableUnderTest, stacked
from tests.testkit.cases import Case, each_case

_CASES = {"10.1": 2, "14.1": 1, "14.2": 1, "14.3": 2, "15.1": 2, "15.2": 2, "15.3": 1, "15.4": 3, "15.5": 3, "15.6": 2}
_CASES |= {"15.7": 4, "15.8": 4, "15.9": 4, "15.10": 2}
_RANKING = [f"{ref}/{n}" for ref, cases in _CASES.items() for n in range(1, cases + 1)]


def deck(first: str, second: str, board: str) -> Shuffle:
    """Two players, the one without the button first; a card is burned before each street."""
    hands, on_board = (first.split(), second.split()), board.split()
    used = {*hands[0], *hands[1], *on_board}
    burned = iter([name_of(card) for card in DECK if name_of(card) not in used])
    dealt = [hand[lap] for lap in range(4) for hand in hands]
    flop, turn, river = on_board[:3], on_board[3], on_board[4]
    return stacked(" ".join([*dealt, next(burned), *flop, next(burned), turn, next(burned), river]))


@pytest.mark.parametrize("button", [1, 2])
@each_case("mo-97-2010", *_RANKING)
def test_the_better_five_cards_win(case: Case, button: int) -> None:
    """A is seat 1, B seat 2; whichever has the button."""
    holes = {1: case.text("a"), 2: case.text("b")}
    order = deck(holes[3 - button], holes[button], case.text("board"))
    table = TableUnderTest(MACAU).seat(1, 2).deal(button=button, fresh=order).checks_down()
    shown = {event.seat: event for event in table.of(CardsShown)}
    for seat, name in ((1, "a"), (2, "b")):
        assert shown[seat].category == case.text(f"{name}_has").replace(" ", "_")
        assert set(shown[seat].hole_used + shown[seat].board_used) == set(case.cards(f"{name}_plays"))
        assert set(shown[seat].hole_used) <= set(holes[seat].split())
        assert (len(shown[seat].hole_used), len(shown[seat].board_used)) == (2, 3)
    (award,) = table.of(PotAwarded)
    assert {"AB"[seat - 1] for seat in award.winners} == set(case.text("wins")) & set("AB")
