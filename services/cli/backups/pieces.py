"""A table of numbered rows that is only added to, cut by number: a backup copies the pieces that have got rows.

Numbers alone do not say what is new. Under another key the auditor's numbers begin anew, and who has its login may put
a row at any number. So every piece is counted, by the index: what holds as many rows as its file is the same, for
no service's login may change a row or take one out.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import groupby, pairwise
from pathlib import Path

from msgspec.structs import replace

from libs.projecting import Connection
from services.audit.checkpoints import last_lines
from services.cli.backups.files import Rows, own

ROWS = 500
"""Of one piece: some 8 hours of a checkpoint a minute, 80 MB where each is over a thousand heads. What is added makes
a run copy fewer than so many once more; rows of one number are not parted."""
_NUMBER = "number"
_HIGHEST = 2**63 - 1


async def standing(connection: Connection, folder: Path, table: Rows, before: Sequence[Rows]) -> list[Rows]:
    """All pieces of a table: those of `before` that are as they were, and between them, without a file, those to be
    copied."""
    known = list(_closed(folder, table, before))
    counts = await _counts(connection, table, [each.since for each in known[1:] if each.since is not None])
    whole = list[Rows]()
    for is_same, held in groupby(zip(known, counts, strict=True), lambda pair: _is_same(folder, table, *pair)):
        found = [piece for piece, _ in held]
        if is_same:
            whole += found
        else:
            changed = replace(table, since=found[0].since, below=found[-1].below)
            whole += await _parted(connection, changed)
    return whole


def are_whole(found: Sequence[Rows]) -> bool:
    """Whether each row is of one of these pieces, which are in order."""
    follow = all(a.below is not None and a.below == b.since for a, b in pairwise(found))
    are_some = all(each.since is None or each.below is None or each.since < each.below for each in found)
    return bool(found) and found[0].since is None and found[-1].below is None and follow and are_some


def which(piece: Rows) -> str:
    """What of its table a query takes, in the order of the index."""
    return f"{_where(piece)} order by {_NUMBER}, signature"


def _where(piece: Rows) -> str:
    ends = [(">=", piece.since), ("<", piece.below)]
    return "where true" + "".join(f" and {_NUMBER} {sign} '{end:d}'" for sign, end in ends if end is not None)


def _closed(folder: Path, table: Rows, before: Sequence[Rows]) -> Iterator[Rows]:
    """Those of before, the last one ended at its last row where it is full; what is behind it is to be copied.

    So the whole file of a backup of before there were pieces is the first of them.
    """
    if not are_whole(before):
        yield table
        return
    *others, last = before
    yield from others
    end = _last_number(folder, last) if last.rows >= ROWS else None
    if end is None or not max(last.since or 0, 1) <= end < _HIGHEST:
        yield last
        return
    yield replace(last, below=end + 1)
    yield replace(table, since=end + 1)


def _last_number(folder: Path, piece: Rows) -> int | None:
    """None where the file says none. Nothing is believed of it that the count of rows does not bear out."""
    with suppress(OSError, ValueError), open(folder / piece.file, "rb", opener=own) as file:
        for line in last_lines(file):
            at = piece.columns.index(_NUMBER)
            return int(line.split(b"\t", at + 1)[at])
    return None


async def _counts(connection: Connection, table: Rows, sinces: Sequence[int]) -> list[int]:
    """Of the pieces that begin at the lowest number and at `sinces`."""
    rows = await connection.fetch(
        f"select width_bucket({_NUMBER}, $1::bigint[]) as piece, count(*) as rows from {table.schema}.{table.table}"
        " group by 1",
        sinces,
    )
    counted = {row["piece"]: row["rows"] for row in rows}
    return [counted.get(piece, 0) for piece in range(len(sinces) + 1)]


def _is_same(folder: Path, table: Rows, piece: Rows, count: int) -> bool:
    """A file that is gone is made anew, and so is one without a column that the table has."""
    is_there = bool(piece.file) and (folder / piece.file).is_file()
    return is_there and piece.rows == count and piece.columns == table.columns


async def _parted(connection: Connection, changed: Rows) -> list[Rows]:
    """Into pieces of `ROWS` rows. What has no number of a checkpoint goes with the first."""
    rows = await connection.fetch(
        f"""select distinct {_NUMBER} from (
                select {_NUMBER}, row_number() over (order by {_NUMBER}) as place
                  from {changed.schema}.{changed.table} {_where(changed)}
            ) numbered where place > 1 and place % {ROWS:d} = 1 and {_NUMBER} > 0 order by 1"""
    )
    starts = [row[_NUMBER] for row in rows if row[_NUMBER] != changed.since]
    ends = [changed.since, *starts, changed.below]
    return [replace(changed, since=since, below=below) for since, below in pairwise(ends)]
