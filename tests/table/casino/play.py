"""Tables of casino poker under test: the matrix's fixtures H6 and O6, its mark, hands compared from their cards."""

from typing import Any

import pytest
from msgspec.structs import replace

from libs.cards.card import name_of
from libs.cards.variants import VARIANTS, Variant
from libs.sealing.shuffle import Shuffle
from tests.table.asking import join
from tests.table.play import TableUnderTest

CASINO_HOLDEM = "pt-217-2007-holdem"
CASINO_OMAHA = "pt-217-2007-omaha"
SINTETICO = "pt-217-2007-sintetico"


STREETS = ("preflop", "flop", "turn", "river")
"""Of the matrix's rounds 1 to 4."""


def rule(ref: str, *refs: str) -> pytest.MarkDecorator:
    return pytest.mark.rule("pt-217-2007", ref, *refs)


def casino(*seats: int, rulebook: str = CASINO_HOLDEM, **changes: Any) -> TableUnderTest:
    """Seats with 20000 each, table minimum 200; before its first hand."""
    return TableUnderTest(rulebook, **changes).seat(*seats)


def in_session(players: int, letter: str = "p") -> TableUnderTest:
    """A session table of hold'em with so many seated, who are registered: p1, p2 …"""
    table = casino(mode="session")
    for seat in range(1, players + 1):
        assert join(table, f"{letter}{seat}") is None
        assert table.take(seat, 20_000, f"{letter}{seat}") is None
        assert table.confirm(seat) is None
    return table


def stack_left(table: TableUnderTest, seat: int, kept: int) -> None:
    """The seat has lost all of its 20000 but this."""
    books = replace(table.state.books, left=20_000 - kept)
    seats = {**table.state.seats, seat: replace(table.state.seats[seat], stack=kept)}
    table.state = replace(table.state, seats=seats, books=books)


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


def numbered(table: TableUnderTest, first: int, lead: int) -> TableUnderTest:
    """Before its next hand, which has this number and comes with the lead on that seat."""
    seats = sorted(seat for seat in table.state.seats if not table.state.seats[seat].out)
    before = seats[seats.index(lead) - 1]
    table.state = replace(table.state, hands=first - 1, running=True, button=before)
    return table


def bring(stacks: dict[int, int], lead: int = 1, fresh: Shuffle | None = None, **changes: Any) -> TableUnderTest:
    """Hold'em, each seat with its own stack; dealt."""
    table = TableUnderTest(CASINO_HOLDEM, buy_in_min=min(stacks.values()), buy_in_max=max(stacks.values()), **changes)
    for seat, stack in stacks.items():
        table.seat(seat, amount=stack)
    return led(table, lead, fresh)


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


def is_refused(table: TableUnderTest, seat: int, act: str, to: int, reason: str, ref: str = "") -> bool:
    """For this reason and, where one is named, by this rule."""
    given = refused(table, seat, act, to)
    assert table.refused is not None
    return given == reason and ref in ("", (table.refused.rule or "").partition("#")[2])


def p1_first(least: int = 300, **stacks: int) -> TableUnderTest:
    """Lead on seat 5: P1 acts first; the others have 20000."""
    table = TableUnderTest(CASINO_HOLDEM, buy_in_min=least, buy_in_max=20_000)
    rest = [seat for seat in range(1, 7) if f"s{seat}" not in stacks]
    return led(table.seat(*rest, amount=20_000).seat(**stacks), 5)


def pack_for(board: str, *holes: str, seats: int, variant: Variant = "holdem", burns: bool = True) -> str:
    """The deck from the top: these hole cards from the lead on, something else for the other seats, and the board."""
    game = VARIANTS[variant]
    turned = board.split()
    named = [*turned, *(card for hole in holes for card in hole.split())]
    others = iter([name for card in game.deck if (name := name_of(card)) not in named])
    hands = [hole.split() for hole in holes]
    hands += [[next(others) for _ in range(game.hole_cards)] for _ in range(seats - len(hands))]
    pack = [hand[lap] for lap in range(game.hole_cards) for hand in hands]
    for _, cards in game.board:
        pack += [next(others)] if burns else []
        pack += [turned.pop(0) for _ in range(cards)]
    return " ".join(pack)
