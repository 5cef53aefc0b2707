"""The table of checkpoints, to which who has the auditor's login may add: what counts is what the auditor signed.

Rows of one number stand beside each other, so another's row takes no number from one of ours.
"""

from collections.abc import AsyncIterator
from typing import Any

import msgspec

from libs.projecting import Connection
from services.audit.verifying.checkpoint import Checkpoint, Reached, StreamHead, link, merkle_root, signed_by
from services.audit.verifying.findings import Finding, Kind

SIGNED = ("number", "taken_at", "root", "previous", "reached", "public_key", "signature")
"""Columns that the signature covers, and itself; what is read of a row before it is known to be ours."""
_COLUMNS = ", ".join(SIGNED)
_REACHED = msgspec.json.Decoder(Reached)
_HEADS = msgspec.json.Decoder(tuple[StreamHead, ...])
_PAGE = 100
_FIRST, _LAST = -(2**63), 2**63 - 1
_UNREADABLE = (msgspec.MsgspecError, ValueError, OverflowError, RecursionError)


def foreign_row(row: Any, public_key: str) -> Finding | None:
    """What is to be said of a row with the columns `SIGNED` that is not signed by us; `public_key`: ours, hex."""
    if _ours(row, public_key) is not None:
        return None
    stream = "audit.checkpoints"
    if row["public_key"] != public_key:
        detail = f"rows that name the key {row['public_key'][:16]!a} are not the auditor's, and count for nothing"
        return Finding(Kind.EVIDENCE, stream, detail)
    detail = f"checkpoint {row['number']} is not as the auditor signed it, and counts for nothing"
    return Finding(Kind.EVIDENCE, stream, detail, row["number"])


async def newest(connection: Connection, public_key: str) -> Checkpoint | None:
    """The last of ours, without its heads."""
    async for each in _signed(connection, public_key, "<", "desc", (_LAST, ""), 0):
        return each
    return None


async def following(connection: Connection, before: Checkpoint, public_key: str) -> Checkpoint | None:
    """That of ours which is chained on `before`, without its heads."""
    async for each in at(connection, before.number + 1, public_key):
        if each.previous == link(before):
            return each
    return None


async def listed(
    connection: Connection, after: int | None, limit: int, public_key: str
) -> list[tuple[Checkpoint, int]]:
    """Of ours above `after` (None: all), oldest first: without their heads, and how many those are."""
    found = list[Checkpoint]()
    async for each in _signed(connection, public_key, ">", "", _above(after), _LAST):
        found.append(each)
        if len(found) == limit:
            break
    rows = await connection.fetch(
        "select number, signature, streams from checkpoints where number = any($1)", [each.number for each in found]
    )
    streams = {(row["number"], row["signature"]): row["streams"] for row in rows}
    return [(each, streams[each.number, each.signature]) for each in found]


async def at(connection: Connection, number: int, public_key: str) -> AsyncIterator[Checkpoint]:
    """Ours of this number, without their heads."""
    async for each in _signed(connection, public_key, ">", "", (number, ""), number):
        yield each


async def checkpoints(
    connection: Connection, after: int | None = None, until: int = _LAST, public_key: str = ""
) -> AsyncIterator[Checkpoint]:
    """Ours above `after` (None: all), oldest first, with their heads. Without a key: all that can be read."""
    async for each in _signed(connection, public_key, ">", "", _above(after), until):
        heads = await connection.fetchval(
            "select heads from checkpoints where number = $1 and signature = $2", *(each.number, each.signature)
        )
        try:
            whole = msgspec.structs.replace(each, heads=_HEADS.decode(heads))
            true = not public_key or merkle_root(whole.heads).hex() == whole.root
        except _UNREADABLE:
            continue
        if true:
            yield whole


def _above(after: int | None) -> tuple[int, str]:
    return (_FIRST if after is None else min(after + 1, _LAST)), ""


async def _signed(
    connection: Connection, public_key: str, behind: str, order: str, place: tuple[int, str], until: int
) -> AsyncIterator[Checkpoint]:
    """A page at a time: how many rows somebody has put there is their choice."""
    bound = "<=" if behind == ">" else ">="
    first = "="
    while rows := await connection.fetch(
        f"""select {_COLUMNS} from checkpoints where (number, signature) {behind}{first} ($1, $2) and number {bound} $3
             order by number {order}, signature {order} limit {_PAGE}""",
        *(*place, until),
    ):
        first, place = "", (rows[-1]["number"], rows[-1]["signature"])
        for row in rows:
            if (each := _ours(row, public_key)) is not None:
                yield each


def _ours(row: Any, public_key: str) -> Checkpoint | None:
    try:
        each = Checkpoint(**{**row, "reached": _REACHED.decode(row["reached"]), "heads": ()})
        return each if not public_key or signed_by(each, public_key) else None
    except _UNREADABLE:
        return None
