"""Hands as the integrity checks read them: who put in what, when, and who was still there."""

import tempfile
from collections.abc import Iterable, Iterator
from typing import IO

import msgspec
from msgspec.structs import replace

from libs.projecting import Connection
from libs.projecting.row_marks import Marks
from libs.views.hand import Hand
from libs.views.recorded import Action
from libs.views.round import RoundRecord
from services.audit.integrity.cases import HandId
from services.audit.integrity.stakes import Stake
from services.audit.projections.histories import hands_since, rounds_since

BETS = ("bet", "raise")
PRIVATE_CARDS = ("no_draw_poker",)
"""Games against the house in which a player holds cards that others would like to know."""


class Acted(msgspec.Struct, frozen=True):
    """One act. `at` in milliseconds; `amount` in minor units; `by_house` for what the house did in a player's place."""

    seat: int
    action: str
    at: int
    amount: int = 0
    by_house: bool = False
    reason: str | None = None
    offline: bool = False
    """The clock acted for a player who had lost the connection."""
    entered: bool = False
    """A human dealer entered it: it is the player's act on the dealer's word."""

    @property
    def taken_out(self) -> bool:
        """A dealer's or a supervisor's word took the hand (pt-217-2007 70.b, 71, 91), or entered a fold: that its
        player gave it up nobody else says. Large ones are told of (`hand_taken_out`, `act_entered`)."""
        return self.reason in ("withdrawn", "annulled", "barred") or self.entered


class PlayedHand(msgspec.Struct, frozen=True, kw_only=True):
    """A finished hand. `players`, `stacks` (before it) and `sittings` by seat; `acts` in the order of the log."""

    id: HandId
    at: int
    big_blind: int
    players: dict[int, str]
    stacks: dict[int, int]
    sittings: dict[int, str]
    acts: tuple[Acted, ...]
    nets: dict[int, int] = {}
    """What each seat won or lost by the hand, minor units of `currency`."""
    currency: str = ""

    @property
    def stake(self) -> Stake:
        return self.currency, self.big_blind

    def flows(self) -> dict[tuple[str, str], int]:
        """Loser and winner to what went from one to the other, rounded down; the house's part goes to nobody."""
        won = {seat: net for seat, net in self.nets.items() if net > 0}
        lost = {seat: -net for seat, net in self.nets.items() if net < 0}
        return {
            (self.players[loser], self.players[winner]): loss * gain // sum(lost.values())
            for loser, loss in lost.items()
            for winner, gain in won.items()
        }

    def brought(self) -> list[tuple[str, int]]:
        """Each seat's sitting, and its stack before the hand."""
        return [(self.sittings[seat], stack) for seat, stack in self.stacks.items() if seat in self.sittings]

    def last_two(self) -> tuple[set[int], tuple[Acted, ...]] | None:
        """The two seats left and what they did from then on; None if it never came to two, or began with two."""
        left = set(self.players)
        for place, act in enumerate(self.acts):
            if act.action == "fold":
                left = left - {act.seat}
                if len(left) == 2:
                    return left, self.acts[place + 1 :]
        return None

    def put_in(self, seat: int) -> int:
        """What the seat staked in the hand, before anything came back."""
        return sum(act.amount for act in self.acts if act.seat == seat and act.action != "uncalled_returned")


_LENGTH = 4
_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(PlayedHand).decode


def decision_times(hands: Iterable[PlayedHand]) -> Iterator[tuple[str, HandId, int]]:
    """Player, hand and milliseconds from the beginning of a turn to the player's own act, in order.

    A turn begins with the act before it: both stand in one commit.
    """
    for hand in hands:
        before: int | None = None
        for act in hand.acts:
            own = act.action not in ("post", "uncalled_returned") and not (act.by_house or act.entered)
            if own and before is not None:
                yield hand.players[act.seat], hand.id, act.at - before
            before = act.at


class Spooled:
    """Hands in a file without a name, to be gone through as often as somebody likes; it goes with `close`.

    They are no longer in memory than they are looked at: a month of a large house has millions.
    """

    def __init__(self) -> None:
        self.players: set[str] = set()
        """All who are in them."""
        self._file: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - `close` closes it

    def add(self, hand: PlayedHand) -> None:
        self.players.update(hand.players.values())
        raw = _encode(hand)
        self._file.write(len(raw).to_bytes(_LENGTH, "big") + raw)

    def __iter__(self) -> Iterator[PlayedHand]:
        """In the order in which they were added; one iteration at a time. ValueError once it is closed."""
        self._file.seek(0)
        while head := self._file.read(_LENGTH):
            yield _decode(self._file.read(int.from_bytes(head, "big")))

    def close(self) -> None:
        self._file.close()


async def read_played(
    connection: Connection, hands: Spooled, of_tournaments: Spooled, since: int, marks: Marks | None = None
) -> None:
    """Adds the hands that ended well after `since` (milliseconds), oldest first, in a transaction of the caller's.

    Play money tells nothing of interest; of a hand of a tournament only who was in it does.
    """
    async for record in hands_since(connection, since, marks):
        hand = _played(record)
        if record.kind == "tournament":
            of_tournaments.add(replace(hand, stacks={}, sittings={}, nets={}, acts=()))
        else:
            hands.add(hand)


async def read_rounds(connection: Connection, rounds: Spooled, since: int, marks: Marks | None = None) -> None:
    """The same of rounds against the house: who was in them. Where all cards are open nobody tells anybody anything,
    and a month of it is not read."""
    async for record in rounds_since(connection, PRIVATE_CARDS, since, marks):
        rounds.add(_together(record))


def _together(record: RoundRecord) -> PlayedHand:
    return PlayedHand(
        id=(record.table, record.number),
        at=record.started_at,
        big_blind=0,
        currency=record.currency,
        players={seat.seat: seat.player for seat in record.seats},
        stacks={},
        sittings={},
        acts=(),
    )


def _played(record: Hand) -> PlayedHand:
    return PlayedHand(
        id=(record.table, record.number),
        at=record.started_at,
        big_blind=record.stakes,
        currency=record.currency,
        players={seat.seat: seat.player for seat in record.seats},
        stacks={seat.seat: seat.stack_before for seat in record.seats},
        sittings={seat.seat: seat.reservation for seat in record.seats},
        nets={seat.seat: (seat.won or 0) - (seat.staked or 0) for seat in record.seats},
        acts=tuple(map(_acted, record.actions)),
    )


def _acted(act: Action) -> Acted:
    by_house, entered = act.actor == "house", bool(act.dealer)
    return Acted(act.seat, act.act, act.at, act.amount, by_house, act.reason, act.offline is True, entered)
