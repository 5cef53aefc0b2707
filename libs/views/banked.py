"""What rounds of all games against the house have in common for those who watch: who may bet, and what lies where."""

from collections.abc import Mapping
from typing import Any, ClassVar, Literal, TypeVar

import msgspec
from msgspec.structs import replace

from libs.contracts import banked_rounds as b
from libs.contracts.facts import plain, taken

Phase = Literal["betting", "dealing", "deciding", "extra_time", "showdown", "over", "void", "lapsed"]


class SeatAtBets(msgspec.Struct, frozen=True):
    """A seat that may stake, and what lies on each of its areas. `result` is there once the round is over."""

    seat: int
    player: str
    stakes: dict[str, int] = {}
    result: dict[str, Any] | None = None


class BankedRound(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="banked"):
    """The round on the table; it stays until the next one opens. `until` is the deadline of the phase, if any.

    A game that shows more than stakes and results has a class of its own, and a line in `libs/views/table.py`.
    """

    takes_seat: ClassVar[type[SeatAtBets]] = SeatAtBets
    round: int
    started: int
    currency: str
    phase: Phase = "betting"
    until: int | None = None
    seats: Mapping[int, SeatAtBets] = {}

    @property
    def over(self) -> bool:
        return self.phase in ("over", "void", "lapsed")

    @property
    def call(self) -> str:
        """As the regulations word it (pt-803-2015-no-draw 14, pt-812-2015 27)."""
        return "place your bets" if self.phase == "betting" else "no more bets, cards in distribution"

    def staked_by(self, player: str) -> int:
        """Minor units that the player has in a round that still runs."""
        return 0 if self.over else sum(sum(s.stakes.values()) for s in self.seats.values() if s.player == player)


RoundT = TypeVar("RoundT", bound=BankedRound)


def opened(kind: type[RoundT], event: b.BankedRoundOpened) -> RoundT:
    """The round at its beginning."""
    seats = {seat.seat: kind.takes_seat(seat.seat, seat.player) for seat in event.seats}
    return taken(kind, event, started=event.at, seats=seats)


def fold_banked(round: RoundT, event: b.BankedRoundEvent) -> RoundT:
    """The round after what every game tells alike."""
    match event:
        case b.BankedStakeMoved():
            held = _seat(round, event.seat, event.player)
            stakes = {**held.stakes, event.area: event.total}
            return change_bettor(round, event, stakes={area: lies for area, lies in stakes.items() if lies})
        case b.BankedRoundLapsed():
            return replace(round, phase="lapsed", until=None)
        case b.BankedRoundSettled():
            for result in event.results:
                round = change_bettor(round, result, result=plain(result))
            return replace(round, phase="over", until=None)
        case b.BankedRoundVoided():
            for refund in event.refunds:
                round = change_bettor(round, refund, result={"refunded": refund.amount})
            return replace(round, phase="void", until=None)
        case _:
            return round


def change_bettor(round: RoundT, who: Any, **changes: Any) -> RoundT:
    """The round with the seat of `who` changed, which is anything that names seat and player."""
    seats = {**round.seats, who.seat: replace(_seat(round, who.seat, who.player), **changes)}
    return replace(round, seats=seats)


def _seat(round: BankedRound, number: int, player: str) -> Any:
    """Who sat down after the round opened, maybe where another had sat, gets in with the first stake."""
    held = round.seats.get(number)
    return held if held is not None and held.player == player else round.takes_seat(number, player)
