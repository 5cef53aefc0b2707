"""Tables of casino poker under test: the matrix's fixtures H6 and O6, its mark, hands compared from their cards."""

from typing import Any

import pytest
from msgspec.structs import replace

from libs.cards.card import parse_all
from libs.cards.variants import VARIANTS, Variant
from libs.sealing.shuffle import Shuffle
from tests.table.play import TableUnderTest

CASINO_HOLDEM = "pt-217-2007-holdem"
CASINO_OMAHA = "pt-217-2007-omaha"
SINTETICO = "pt-217-2007-sintetico"


def rule(ref: str, *refs: str) -> pytest.MarkDecorator:
    return pytest.mark.rule("pt-217-2007", ref, *refs)


def casino(*seats: int, rulebook: str = CASINO_HOLDEM, **changes: Any) -> TableUnderTest:
    """Seats with 20000 each, table minimum 200; before its first hand."""
    return TableUnderTest(rulebook, **changes).seat(*seats)


def h6(lead: int = 1, fresh: Shuffle | None = None, **changes: Any) -> TableUnderTest:
    """Hold'em, no limit: P1 posts 100, P2 posts 200, P3 acts first."""
    return led(casino(1, 2, 3, 4, 5, 6, **changes), lead, fresh)


def o6(lead: int = 1, fresh: Shuffle | None = None, **changes: Any) -> TableUnderTest:
    """As H6 but Omaha, pot limit."""
    return led(casino(1, 2, 3, 4, 5, 6, rulebook=CASINO_OMAHA, **changes), lead, fresh)


def led(table: TableUnderTest, lead: int, fresh: Shuffle | None = None) -> TableUnderTest:
    """Deals a hand with the lead on that seat, as if the one before had had it one seat earlier."""
    seats = sorted(table.state.seats)
    table.state = replace(table.state, hands=1, running=True, button=seats[seats.index(lead) - 1])
    table.wake(fresh)
    assert table.hand.small_blind == lead
    return table


def to_flop(table: TableUnderTest, *stay: int) -> TableUnderTest:
    """Seats in `stay` call, the others fold; the flop is turned."""
    while table.hand.street == "preflop":
        seat = table.turn
        assert seat is not None
        act = ("check" if table.legal[0] else "call") if seat in stay else "fold"
        assert table.act(seat, act) is None, table.refused
    return table


def refused(table: TableUnderTest, seat: int, act: str, to: int | None = None) -> str | None:
    """Reason of a refusal, which has changed nothing."""
    before = table.state
    reason = table.act(seat, act, to)
    assert table.state is before
    return reason


def winner(board: str, x: str, y: str, variant: Variant = "holdem") -> str:
    """`x`, `y` or `tie`."""
    first, second = (VARIANTS[variant].strength(parse_all(hole), parse_all(board)) for hole in (x, y))
    return "tie" if first == second else "x" if first < second else "y"


def category(hole: str, board: str, variant: Variant = "holdem") -> str:
    return VARIANTS[variant].best_five(parse_all(hole), parse_all(board)).category
