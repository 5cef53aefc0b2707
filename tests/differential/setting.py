"""One drawn table: rulebook, structure, blinds, stacks, button and the order of the deck."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from random import Random

from libs.cards.card import DECK
from libs.sealing.deck import Deck
from libs.sealing.shuffle import Shuffle
from tests.table.play import COMMON_OMAHA, HOLDEM, MACAU, PORTUGAL

Pick = Callable[[int, int], int]
"""A whole number between two bounds, both included: drawn by hypothesis or by a seeded generator."""

GAMES: tuple[tuple[str, str], ...] = (
    (PORTUGAL, "pot_limit"),
    (PORTUGAL, "no_limit"),
    (PORTUGAL, "limit_raise_count"),
    (PORTUGAL, "limit_half_pot"),
    (MACAU, "pot_limit_with_raise_cap"),
    (MACAU, "no_limit"),
    (COMMON_OMAHA, "pot_limit"),
    (HOLDEM, "no_limit"),
    (HOLDEM, "pot_limit"),
    (HOLDEM, "limit_raise_count"),
)
CAPPED = ("limit_raise_count", "pot_limit_with_raise_cap")
MOST_SEATS = 9


@dataclass(frozen=True)
class Setting:
    """`stacks` by seat; under a regulation every one is at least a big blind (pt-811-2015 15)."""

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
    ante: int = 0
    straddle: int = 0

    @property
    def holdem(self) -> bool:
        return self.rulebook == HOLDEM

    @property
    def straddled(self) -> bool:
        """Heads-up nobody straddles."""
        return self.straddle > 0 and len(self.stacks) > 2

    @property
    def opening_bet(self) -> int:
        """What the first to act before the flop has to match."""
        return self.straddle if self.straddled else self.big

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
    common = rulebook in (COMMON_OMAHA, HOLDEM)
    cards = list(DECK)
    Random(pick(0, 2**32)).shuffle(cards)
    setting = Setting(
        rulebook=rulebook,
        structure=structure,
        small=big // 2 if pick(0, 2) else pick(1, big),
        big=big,
        stacks={seat: _stack(big, pick, short=common) for seat in seats},
        button=seats[pick(0, len(seats) - 1)],
        cards=tuple(cards),
        raise_cap=pick(1, 3) if capped else None,
        lifted_heads_up=bool(pick(0, 1)) if capped else False,
        size_unlimited=bool(pick(0, 1)) if structure == "pot_limit_with_raise_cap" else False,
        heads_up_blinds="button_small" if common else ("button_small", "left_of_button")[pick(0, 1)],
        ante=pick(1, big) if common and not pick(0, 2) else 0,
        straddle=2 * big if common and not pick(0, 3) else 0,
    )
    return _with_a_whole_blind(setting)


def _with_a_whole_blind(setting: Setting) -> Setting:
    """The last blind is posted whole: where it is short, PokerKit asks the others for less (`whole_blind_owed`)."""
    seats = sorted(setting.stacks)
    place = seats.index(setting.button)
    left = seats[place + 1 :] + seats[: place + 1]
    small_on_button = len(seats) == 2 and setting.heads_up_blinds == "button_small"
    last = left[0] if small_on_button else left[2 if setting.straddled else 1]
    least = setting.opening_bet + setting.ante
    return replace(setting, stacks={**setting.stacks, last: max(setting.stacks[last], least)})


def _seats(pick: Pick) -> list[int]:
    free = list(range(1, MOST_SEATS + 1))
    for _ in range(MOST_SEATS - pick(2, MOST_SEATS)):
        free.pop(pick(0, len(free) - 1))
    return free


def _stack(big: int, pick: Pick, short: bool) -> int:
    """Short, middling and deep stacks, whole big blinds and crooked ones; `short`: down to a single chip."""
    if short and not pick(0, 4):
        return pick(1, 2 * big)
    most = (3, 12, 100)[pick(0, 2)]
    blinds = pick(1, most)
    return blinds * big + (pick(0, big - 1) if pick(0, 1) else 0)
