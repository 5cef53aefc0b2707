"""Hands as the integrity checks read them: who put in what, when, and who was still there."""

from collections.abc import Iterable, Iterator

import msgspec
from msgspec.structs import replace

from libs.views.hand import Hand
from libs.views.recorded import Action
from libs.views.round import RoundRecord
from services.audit.integrity.cases import HandId
from services.audit.integrity.stakes import Stake

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


def played_hand(record: Hand) -> PlayedHand:
    """Of a tournament's hand only who was in it is of interest, as of a round's."""
    if record.kind == "tournament":
        return replace(_played(record), stacks={}, sittings={}, nets={}, acts=())
    return _played(record)


def played_round(record: RoundRecord) -> PlayedHand:
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
