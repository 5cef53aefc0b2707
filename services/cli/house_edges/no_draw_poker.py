"""The house edge of no-draw poker, exact: every hand, every open card of the dealer, every dealer hand behind it.

Raising with a hand h against the open card u is worth what the dealer hands with u and without h's cards make of it.
They are counted, not dealt: hands come up from the strongest to the weakest, and of those so far it is kept how many
hold each set T of up to four cards together with each card u. By inclusion and exclusion the dealer hands with u and
without any card of h are then the sum of (-1)^|T| of those counts over the subsets T of h. The counts of one T for all
cards u are lanes of one whole number, so that a sum of such numbers does all open cards at once.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import comb

from libs.cards.card import DECK, DECK_SIZE, Card
from libs.cards.ranking import category_of, five_strength
from services.table.domain.games.no_draw_poker.configuration import BET_IN_ANTES, NoDrawConfiguration
from services.table.domain.games.no_draw_poker.dealing import HAND_SIZE
from services.table.domain.games.no_draw_poker.settlement import dealer_plays, has_three_of_a_suit

_LANE_BITS = 32
_ONE_IN_LANE = tuple(1 << (_LANE_BITS * card) for card in DECK)

Hand = tuple[Card, ...]
Tell = Callable[[int, int], None]
"""Dealer hands counted, and how many there are to count."""
_Counts = dict[int, int]
"""Set of cards as bits -> lanes: hands so far with that set and each card."""


@dataclass(frozen=True, slots=True)
class Worth:
    """What the second bet is worth with a hand: in antes, summed over the dealer's hands behind each open card."""

    hand: Hand
    hands: int
    """So many hands differ from it by the suits' names alone."""
    strength: int
    by_open_card: dict[Card, int]


@dataclass(frozen=True, slots=True)
class Edge:
    """`lost`: by the player on average, in antes; `raised`: part of the hands in which the second bet is placed."""

    lost: Fraction
    raised: Fraction

    @property
    def risk(self) -> Fraction:
        """What is lost of each unit staked, ante and second bet together."""
        return self.lost / (1 + BET_IN_ANTES * self.raised)


@dataclass(frozen=True, slots=True)
class _Judged:
    """A hand with the lanes of dealer hands above it, and of those that are not below it."""

    hand: Hand
    hands: int
    above: int
    not_below: int


def dealer_hands(deck: Sequence[Card] = DECK) -> int:
    """Dealer hands behind an open card, once the player's five cards are gone."""
    return comb(len(deck) - HAND_SIZE - 1, HAND_SIZE - 1)


def edge(worths: Iterable[Worth], raise_up_to: int | None, deck: Sequence[Card] = DECK) -> Edge:
    """Of raising with all hands of strength `raise_up_to` or stronger; None: whenever it is worth more than folding."""
    behind = dealer_hands(deck)
    gained = raised = deals = 0
    for worth in worths:
        for value in worth.by_open_card.values():
            deals += worth.hands
            if value > -behind if raise_up_to is None else worth.strength <= raise_up_to:
                gained += worth.hands * value
                raised += worth.hands
            else:
                gained -= worth.hands * behind
    return Edge(Fraction(-gained, deals * behind), Fraction(raised, deals))


def worths(
    rules: NoDrawConfiguration, deck: Sequence[Card] = DECK, tell: Tell = lambda done, of: None
) -> Iterator[Worth]:
    """Of every hand of the deck, one for each pattern of suits; a minute or so for 52 cards."""
    levels = _levels(deck, rules.dealing.high_card_suit_tiebreak)
    playing = [level for level in sorted(levels) if dealer_plays(levels[level][0])]
    to_count = sum(len(levels[level]) for level in playing)
    counts: _Counts = defaultdict(int)
    judged: list[_Judged] = []
    done = 0
    for level in playing:
        patterns = _patterns(levels[level])
        above = [_against(hand, counts) for hand, _ in patterns]
        _count(levels[level], counts)
        judged += [
            _Judged(hand, hands, lanes, _against(hand, counts))
            for (hand, hands), lanes in zip(patterns, above, strict=True)
        ]
        done += len(levels[level])
        tell(done, to_count)
    for one in judged:
        yield _worth(one, _against(one.hand, counts), rules, deck)
    for level in sorted(set(levels) - set(playing)):
        for hand, hands in _patterns(levels[level]):
            plays = _against(hand, counts)  # Every dealer hand that plays is above it.
            yield _worth(_Judged(hand, hands, plays, plays), plays, rules, deck)


def _worth(one: _Judged, plays: int, rules: NoDrawConfiguration, deck: Sequence[Card]) -> Worth:
    """26: a dealer who does not play pays the ante; 28 and 29: wins and losses; what is as strong is a push."""
    strength = five_strength(one.hand)
    win, lose, behind = 1 + BET_IN_ANTES * rules.pays(category_of(strength)), 1 + BET_IN_ANTES, dealer_hands(deck)
    playing, above, not_below = _lanes(plays), _lanes(one.above), _lanes(one.not_below)
    by_open_card = {
        card: (behind - playing[card]) + win * (playing[card] - not_below[card]) - lose * above[card]
        for card in deck
        if card not in one.hand
    }
    return Worth(one.hand, one.hands, strength, by_open_card)


def _levels(deck: Sequence[Card], suit_tiebreak: bool) -> dict[int, list[Hand]]:
    """All hands by strength, smaller is stronger. Where three of a suit break ties they come half a step before (9)."""
    levels: dict[int, list[Hand]] = defaultdict(list)
    for hand in combinations(deck, HAND_SIZE):
        strength = five_strength(hand)
        first = suit_tiebreak and category_of(strength) == "high_card" and has_three_of_a_suit(hand)
        levels[2 * strength - first].append(hand)
    return levels


def _patterns(hands: Sequence[Hand]) -> list[tuple[Hand, int]]:
    """One hand of each pattern of suits, with how many there are."""
    found: dict[tuple[tuple[int, ...], ...], Hand] = {}
    number: Counter[tuple[tuple[int, ...], ...]] = Counter()
    for hand in hands:
        pattern = _pattern(hand)
        found.setdefault(pattern, hand)
        number[pattern] += 1
    return [(hand, number[pattern]) for pattern, hand in found.items()]


def _pattern(hand: Hand) -> tuple[tuple[int, ...], ...]:
    suits: tuple[list[int], ...] = ([], [], [], [])
    for card in hand:
        suits[card & 3].append(card >> 2)
    return tuple(sorted(map(tuple, suits)))


def _count(hands: Sequence[Hand], counts: _Counts) -> None:
    """Each hand under every subset of up to four of its cards."""
    for hand in hands:
        lanes = sum(_ONE_IN_LANE[card] for card in hand)
        a, b, c, d, e = (1 << card for card in hand)
        whole = a | b | c | d | e
        counts[0] += lanes
        for one in (a, b, c, d, e):
            counts[one] += lanes
            counts[whole ^ one] += lanes
        for two in (a | b, a | c, a | d, a | e, b | c, b | d, b | e, c | d, c | e, d | e):
            counts[two] += lanes
            counts[whole ^ two] += lanes


def _against(hand: Hand, counts: _Counts) -> int:
    """Lanes: counted hands with each card u and with no card of `hand` (the lanes of its own cards mean nothing)."""
    total = 0
    for size in range(HAND_SIZE):
        part = sum(counts.get(sum(1 << card for card in subset), 0) for subset in combinations(hand, size))
        total += -part if size % 2 else part
    return total


def _lanes(number: int) -> memoryview:
    return memoryview(number.to_bytes(DECK_SIZE * _LANE_BITS // 8, "little")).cast("I")
