"""Omaha online in Portugal, at tables of any stacks and with cards that make a hand end as a case wants it."""

from collections.abc import Iterable
from typing import Any

import pytest

from libs.contracts.poker_events import PotAwarded, UncalledBetReturned
from libs.sealing.shuffle import Shuffle
from tests.table.play import TableUnderTest, stacked
from tests.testkit.cases import each_case

DEEP = 10**6
BOARD = "Kc Jd 8h 5s 2c"
"""Nobody makes a straight or a flush of it."""
_PLACES = ("AQ43", "AT74", "QT74", "T974")
"""Best first, in one suit each; whoever has the same ranks has a hand as good."""


def portugal(*refs: str) -> pytest.MarkDecorator:
    return pytest.mark.rule("pt-811-2015", *refs)


def each(*refs: str) -> pytest.MarkDecorator:
    return each_case("pt-811-2015", *refs)


def seated(stacks: Iterable[int] | dict[int, int], structure: str = "no_limit", **changes: Any) -> TableUnderTest:
    """Nobody has been dealt in yet. Seats, or seats with their stacks."""
    wide: dict[str, Any] = {
        "structure": structure,
        "buy_in_min": changes.get("big_blind", 100),
        "buy_in_max": 10**7,
        "top_up_to": 10**7,
        "seats": 10,
    }
    table = TableUnderTest(**(wide | changes))
    for seat, stack in (stacks if isinstance(stacks, dict) else dict.fromkeys(stacks, DEEP)).items():
        table.seat(seat, amount=stack)
    return table


def game(
    button: int,
    stacks: Iterable[int] | dict[int, int],
    structure: str = "no_limit",
    deck: Shuffle | None = None,
    **changes: Any,
) -> TableUnderTest:
    """The hand is dealt."""
    return seated(stacks, structure, **changes).deal(button=button, fresh=deck)


def deck(button: int, holes: dict[int, str], board: str = BOARD) -> Shuffle:
    """Four cards for each seat that is dealt in, written as `Ah Kd 7c 2s`, and the board."""
    order = [seat for seat in sorted(holes) if seat > button] + [seat for seat in sorted(holes) if seat <= button]
    if len(order) == 2:
        order.reverse()  # the button has the small blind and the first card
    cards = [holes[seat].split()[n] for n in range(4) for seat in order]
    return stacked(" ".join([*cards, board]))


def ranked(button: int, places: dict[int, int], folders: Iterable[int] = ()) -> Shuffle:
    """Seats by the place of their hand, 0 the best, equal ones tie: at most four of them. Folders have worse cards."""
    return deck(button, holes_of(places, folders))


def holes_of(places: dict[int, int], folders: Iterable[int] = ()) -> dict[int, str]:
    """Hole cards that `BOARD` ranks so; see `ranked`."""
    suits = dict(zip(places, "cdhs", strict=False))
    holes = {seat: " ".join(rank + suits[seat] for rank in _PLACES[place]) for seat, place in places.items()}
    low = iter([f"{rank}{suit}" for rank in "962" for suit in "hdcs" if f"{rank}{suit}" not in BOARD.split()])
    taken = {card for hole in holes.values() for card in hole.split()}
    spare = (card for card in low if card not in taken)
    return holes | {seat: " ".join(next(spare) for _ in range(4)) for seat in folders}


def offered(table: TableUnderTest) -> set[str]:
    """What the turn may do, by name; to bet first is to raise from nothing."""
    check, call, least, _ = table.legal
    names = {"fold": True, "check": check, "call": call is not None, "raise": least is not None}
    return {name for name, possible in names.items() if possible}


def pots(table: TableUnderTest) -> list[tuple[int, list[int]]]:
    """Amount and eligible seats of each pot paid so far."""
    return [(award.amount, sorted(award.eligible)) for award in table.of(PotAwarded, True)]


def rakes(table: TableUnderTest) -> list[int]:
    return [award.rake for award in table.of(PotAwarded, True)]


def nets(table: TableUnderTest) -> dict[int, int]:
    """Seat to what it was paid in all."""
    paid: dict[int, int] = {}
    for award in table.of(PotAwarded, True):
        for payment in award.payments:
            paid[payment.seat] = paid.get(payment.seat, 0) + payment.net
    return paid


def returned(table: TableUnderTest) -> list[tuple[int, int]]:
    """Seat and amount of what nobody called."""
    return [(event.seat, event.amount) for event in table.of(UncalledBetReturned, True)]
