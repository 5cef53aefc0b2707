"""Who wins with which five cards: every ranking case of the regulation, dealt at a table and played to the showdown."""

import pytest

from libs.contracts.poker_events import CardsShown, PotAwarded
from tests.table.omaha.play import deck, each, game
from tests.testkit.cases import Case

_RANKING = [*(f"26/{n}" for n in range(1, 5)), "29.a/1", "29.b/1", "29.c/1", "29.c/2"]
_RANKING += [f"29.{letter}/1" for letter in "defghij"] + ["30/1", "31/1", "31/2", "31/3", "32.a/1"]
_RANKING += [f"32.{letter}/{n}" for letter in "bcd" for n in (1, 2)] + ["32.e/1", "32.f/1", "32.f/2", "32.g/1"]


@pytest.mark.parametrize("button", [1, 2])
@each(*_RANKING)
def test_the_better_five_cards_win(case: Case, button: int) -> None:
    """A is seat 1, B seat 2; whichever has the button."""
    holes = {1: case.text("a"), 2: case.text("b")}
    table = game(button, (1, 2), deck=deck(button, holes, case.text("board"))).checks_down()
    shown = {event.seat: event for event in table.of(CardsShown)}
    for seat, name in ((1, "a"), (2, "b")):
        assert shown[seat].category == case.text(f"{name}_has").replace(" ", "_")
        assert set(shown[seat].hole_used + shown[seat].board_used) == set(case.cards(f"{name}_plays"))
        assert set(shown[seat].hole_used) <= set(holes[seat].split())
        assert (len(shown[seat].hole_used), len(shown[seat].board_used)) == (2, 3)
    (award,) = table.of(PotAwarded)
    assert {"AB"[seat - 1] for seat in award.winners} == set(case.text("wins")) & set("AB")
