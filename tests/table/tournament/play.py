"""A table of a tournament under test, in the language of its organiser. Entrants are called `p<seat>`."""

from collections.abc import Sequence
from typing import Any, Self

from libs.cards.card import DECK, name_of
from libs.contracts import tournament_commands as c
from libs.contracts.messages import Principal
from libs.contracts.table_commands import ChangeConfiguration, PauseTable, ResumeTable
from libs.sealing.shuffle import Shuffle
from tests.table.play import MACAU, START, TableUnderTest, stacked
from tests.table.under_test import AnyTable

TOURNAMENT = "macau-open-1"
TABLE = f"{TOURNAMENT}.t1"
ORGANISER = Principal("tournament", TOURNAMENT)
ASKED: dict[str, Any] = {
    "version": 1, "structure": "no_limit", "big_blind": 1_000, "decision_ms": 20_000, "between_hands_ms": 0,
}  # fmt: skip
"""A table's configuration, as a tournament asks for it: nothing of money."""


_KINGS, _DEUCES = ["Ks", "Kh", "Qs", "Jd"], ["2c", "2d", "2h", "3c"]
_BOARD = ["Th", "Kc", "9d", "8h", "Ts", "5s", "Tc", "Jh"]
"""With the burn cards before flop, turn and river."""


def against(loser: int, order: Sequence[int]) -> Shuffle:
    """A deck by which `loser` loses at Omaha whoever else stays in with the first of `order`."""
    fixed = {order[0]: _KINGS, loser: _DEUCES}
    others = iter(sorted({name_of(card) for card in DECK} - {*_KINGS, *_DEUCES, *_BOARD}))
    hands = {seat: fixed.get(seat) or [next(others) for _ in range(4)] for seat in order}
    laps = [hands[seat][lap] for lap in range(4) for seat in order]
    return stacked(" ".join([*laps, *_BOARD]))


class TournamentTable(TableUnderTest):
    """Under the rules of Macau unless told otherwise; everybody with 30,000 chips."""

    def __init__(self, rulebook: str = MACAU, **changes: Any) -> None:
        AnyTable.__init__(self, TABLE, START)
        self.rulebook = rulebook
        opened = self.asks(c.OpenTournamentTable, name="One", rulebook=rulebook, configuration=ASKED | changes)
        assert opened is None, (opened, self.refused)

    def enter(self, *seats: int, chips: int = 30_000) -> Self:
        for seat in seats:
            assert self.seats_entrant(seat, chips) is None, self.refused
        return self

    def seats_entrant(self, seat: int, chips: int = 30_000, player: str = "", reservation: str = "") -> str | None:
        self._sittings += 1
        named = reservation or f"e{self._sittings}"
        return self.asks(c.SeatEntrant, reservation=named, player=player or f"p{seat}", seat=seat, chips=chips)

    def allow(self, through: int, until: int | None = None) -> str | None:
        return self.asks(c.AllowHands, through=through, until=until)

    def buy(self, seat: int, chips: int, payment: str = "pay-1") -> str | None:
        return self.asks(c.AddChips, reservation=self.state.seats[seat].reservation, payment=payment, chips=chips)

    def eliminate(self, seat: int) -> str | None:
        return self.asks(c.EliminateEntrant, reservation=self.state.seats[seat].reservation)

    def move(self, seat: int, to_table: str = "t2") -> str | None:
        return self.asks(c.MoveEntrant, reservation=self.state.seats[seat].reservation, to_table=to_table)

    def end(self) -> str | None:
        return self.asks(c.EndTournament, reason="won")

    def pause(self) -> str | None:
        return self.asks(PauseTable, reason="hand for hand")

    def resume(self) -> str | None:
        return self.asks(ResumeTable)

    def calls_down(self) -> Self:
        """To the end of the hand; the house acts for who is away."""
        while self.state.hand is not None:
            seat = self.turn
            if seat is None or self.state.seats[seat].away:
                self.wake()
            else:
                assert self.act(seat, "check" if self.legal[0] else "call") is None, self.refused
        return self

    def next_level(self, version: int, **changes: Any) -> str | None:
        return self.asks(ChangeConfiguration, configuration=ASKED | {"version": version} | changes)

    def asks(self, command: Any, **fields: Any) -> str | None:
        return self.send(ORGANISER, command(**fields))

    @property
    def chips(self) -> int:
        """All that lie on the table."""
        return sum(self.stacks.values()) + int(self.state.in_play)
