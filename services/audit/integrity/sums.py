"""What is left of the hands of a table on a day, once they are read: all that the integrity checks ask of them.

Each hand is folded into it once, in the order of the hands; days are put together when somebody searches. So a search
costs what was dealt since the last one, and one pass over the days at tables of thirty days.
"""

from hashlib import blake2b
from struct import iter_unpack
from typing import Literal

import msgspec

from services.audit.integrity.acts import BETS, PlayedHand, decision_times
from services.audit.integrity.dumps import Dump, dump_of
from services.audit.integrity.evenness import Even
from services.audit.integrity.folds import Fold, LargePots, cheap_folds
from services.audit.integrity.stakes import FEW, Stake

FORM = 1
"""Goes up with whatever changes what a day holds, or by what rules: days of another form are folded anew."""
Of = Literal["hands", "tournament", "rounds"]
"""Hands for money; hands of a tournament, and rounds against the house: of these it only counts who was in them."""
Two = tuple[int, int]
"""Numbers of two players; of a pair without a direction the first by name is the first."""
_LIMB = 60


class Went(msgspec.Struct, array_like=True):
    """What went between two at one stake. Minor units; by who lost it: of the second player, then of the first."""

    lost: tuple[int, int] = (0, 0)
    hands: tuple[bytes, bytes] = (b"", b"")
    """Their numbers."""
    square: tuple[int, int] = (0, 0)
    """The sum of squares in two parts: of amounts that a database takes it may be more than it takes."""
    largest: list[int] = []
    """The few largest amounts either way, ascending."""
    last_at: int = 0
    """Milliseconds since the epoch."""

    def add(self, from_first: bool, amount: int, hand: PlayedHand) -> None:
        (second, first), (of_second, of_first), number = self.lost, self.hands, _number(hand)
        if from_first:
            self.lost, self.hands = (second, first + amount), (of_second, of_first + number)
        else:
            self.lost, self.hands = (second + amount, first), (of_second + number, of_first)
        squares = self.squares + amount**2
        self.square = squares >> _LIMB, squares & ((1 << _LIMB) - 1)
        if len(self.largest) < FEW or amount > self.largest[0]:
            self.largest = sorted((*self.largest, amount))[-FEW:]
        self.last_at = max(self.last_at, hand.at)

    @property
    def squares(self) -> int:
        return (self.square[0] << _LIMB) + self.square[1]


class Quiet(msgspec.Struct, array_like=True):
    """Of pots of which two were the last: the hands without a bet, how many had one, and how many in a row had none: at
    the beginning, at the end, and at the most."""

    hands: bytes = b""
    bets: int = 0
    head: int = 0
    row: int = 0
    longest: int = 0

    def add(self, hand: PlayedHand, bet: bool) -> None:
        if bet:
            self.bets, self.row = self.bets + 1, 0
            return
        self.hands, self.row = self.hands + _number(hand), self.row + 1
        self.longest = max(self.longest, self.row)
        if not self.bets:
            self.head = self.row


class Sums(msgspec.Struct, array_like=True):
    """A day at a table. Players have numbers in it."""

    of: Of = "hands"
    players: dict[str, int] = {}
    together: dict[tuple[int, ...], bytes] = {}
    """Players who were dealt into the same hands, and the hands' numbers."""
    stacks: dict[Stake, dict[bytes, int]] = {}
    """What each sitting, by a digest, had before its first hand of the day."""
    went: dict[tuple[int, int, str, int], Went] = {}
    """By pair and stake."""
    quiet: dict[Two, Quiet] = {}
    dumps: list[Dump] = []
    folds: list[Fold] = []
    pots: dict[Two, int] = {}
    """Large ones, by pair; and by player."""
    pots_of: dict[int, int] = {}
    decided: dict[int, Even] = {}

    def add(self, hand: PlayedHand) -> None:
        """The next hand. Of what is no hand for money it only counts who was in it."""
        there = tuple(sorted({self._of(player) for player in hand.players.values()}))
        self.together[there] = self.together.get(there, b"") + _number(hand)
        if self.of != "hands":
            return
        first = self.stacks.setdefault(hand.stake, {})
        for sitting, stack in hand.brought():
            first.setdefault(blake2b(sitting.encode(), digest_size=8).digest(), stack)
        for (loser, winner), amount in hand.flows().items():
            pair, key = self._pair(loser, winner)
            went = self.went.setdefault((*key, *hand.stake), Went())
            went.add(loser == pair[0], amount, hand)
        if (last := hand.last_two()) is not None:
            seats, acts = last
            _, key = self._pair(*(hand.players[seat] for seat in seats))
            self.quiet.setdefault(key, Quiet()).add(hand, any(act.action in BETS for act in acts))
        self._folded(hand)
        for player, _, took in decision_times([hand]):
            self.decided.setdefault(self._of(player), Even()).add(hand.id[1], took)

    def _folded(self, hand: PlayedHand) -> None:
        if (dump := dump_of(hand)) is not None:
            self.dumps.append(dump)
        self.folds.extend(cheap_folds(hand))
        large = LargePots()
        large.note(hand)
        for two, times in large.pairs.items():
            _, key = self._pair(*two)
            self.pots[key] = self.pots.get(key, 0) + times
        for player, times in large.players.items():
            self.pots_of[self._of(player)] = self.pots_of.get(self._of(player), 0) + times

    def _of(self, player: str) -> int:
        return self.players.setdefault(player, len(self.players))

    def _pair(self, one: str, other: str) -> tuple[tuple[str, str], Two]:
        first, second = sorted((one, other))
        return (first, second), (self._of(first), self._of(second))


def _number(hand: PlayedHand) -> bytes:
    return hand.id[1].to_bytes(4, "big")


def count(numbers: bytes) -> int:
    """How many hands these are."""
    return len(numbers) // 4


def numbers_of(raw: bytes) -> list[int]:
    return [number for (number,) in iter_unpack(">I", raw)]


encode_sums = msgspec.msgpack.Encoder().encode
decode_sums = msgspec.msgpack.Decoder(Sums).decode
