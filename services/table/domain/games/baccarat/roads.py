"""The shoe's history as players read it: the bead road and the big road, as places on two grids of six rows.

Columns and rows are counted from 1, top left. The bead road has every coup, column by column. On the big road a side
goes down its column as long as it wins, turns right where the column ends or is taken (the dragon's tail), and the
other side begins a new column; a tie is a mark on the last place.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count

from services.table.domain.games.baccarat.dealing import Winner

ROWS = 6


@dataclass(frozen=True, slots=True)
class BigPlace:
    """Where a coup stands on the big road; `ties` marks on that place, this coup's own included."""

    column: int
    row: int
    ties: int


def bead_place(coup: int) -> tuple[int, int]:
    """Column and row of the shoe's coup number `coup`, from 1."""
    column, row = divmod(coup - 1, ROWS)
    return column + 1, row + 1


def big_place(winners: Sequence[Winner]) -> BigPlace:
    """Where the last of the shoe's coups stands. Ties before the first win lie on the first place."""
    taken: set[tuple[int, int]] = set()
    start, column, row, ties, side, turned = 0, 1, 1, 0, "", False
    for winner in winners:
        if winner == "empate":
            ties += 1
            continue
        if winner != side:
            start = next(free for free in count(start + 1) if (free, 1) not in taken)
            column, row, turned = start, 1, False
        elif not turned and row < ROWS and (column, row + 1) not in taken:
            row += 1
        else:
            column, turned = column + 1, True
        ties = 0 if side else ties
        side = winner
        taken.add((column, row))
    return BigPlace(column, row, ties)
