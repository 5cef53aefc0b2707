"""One drawn table: rulebook, structure, blinds, stacks, button and the order of the deck."""

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random

from libs.cards.card import DECK
from libs.sealing.deck import Deck
from libs.sealing.shuffle import Shuffle
from tests.table.play import MACAU, PORTUGAL

Pick = Callable[[int, int], int]
"""A whole number between two bounds, both included: drawn by hypothesis or by a seeded generator."""

GAMES: tuple[tuple[str, str], ...] = (
    (PORTUGAL, "pot_limit"),
    (PORTUGAL, "no_limit"),
    (PORTUGAL, "limit_raise_count"),
    (PORTUGAL, "limit_half_pot"),
    (MACAU, "pot_limit_with_raise_cap"),
    (MACAU, "no_limit"),
)
CAPPED = ("limit_raise_count", "pot_limit_with_raise_cap")
MOST_SEATS = 9


@dataclass(frozen=True)
class Setting:
    """`stacks` by seat; every one is at least a big blind (pt-811-2015 15)."""

    rulebook: str
    structure: str
    small: int
    big: int
    stacks: dict[int, int]
    button: int
    cards: tuple[int, ...] = field(repr=False)
    raise_cap: int | None = None
    lifted_heads_up: bool = False
    size_unlimited: bool = False
    heads_up_blinds: str = "button_small"

    @property
    def shuffle(self) -> Shuffle:
        return Shuffle(Deck.of(self.cards, bytes(32), bytes(32)), tuple(range(1, 12)))

    @property
    def fixed_limit(self) -> bool:
        return self.structure == "limit_raise_count"


def drawn_setting(pick: Pick) -> Setting:
    rulebook, structure = GAMES[pick(0, len(GAMES) - 1)]
    seats = _seats(pick)
    big = (2, 5, 100, 200, 75)[pick(0, 4)]
    capped = structure in CAPPED
    cards = list(DECK)
    Random(pick(0, 2**32)).shuffle(cards)
    return Setting(
        rulebook=rulebook,
        structure=structure,
        small=big // 2 if pick(0, 2) else pick(1, big),
        big=big,
        stacks={seat: _stack(big, pick) for seat in seats},
        button=seats[pick(0, len(seats) - 1)],
        cards=tuple(cards),
        raise_cap=pick(1, 3) if capped else None,
        lifted_heads_up=bool(pick(0, 1)) if capped else False,
        size_unlimited=bool(pick(0, 1)) if structure == "pot_limit_with_raise_cap" else False,
        heads_up_blinds=("button_small", "left_of_button")[pick(0, 1)],
    )


def _seats(pick: Pick) -> list[int]:
    free = list(range(1, MOST_SEATS + 1))
    for _ in range(MOST_SEATS - pick(2, MOST_SEATS)):
        free.pop(pick(0, len(free) - 1))
    return free


def _stack(big: int, pick: Pick) -> int:
    """Short, middling and deep stacks, whole big blinds and crooked ones."""
    most = (3, 12, 100)[pick(0, 2)]
    blinds = pick(1, most)
    return blinds * big + (pick(0, big - 1) if pick(0, 1) else 0)
