"""Takes checkpoints over what was read so far, keeps them in the database, and appends them to a file outside."""

import json
import os
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

import msgspec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from libs.projecting import Connection, Pool
from libs.sealing.key_files import hex_key
from services.audit.verifying.checkpoint import Checkpoint, Reached, StreamHead, take
from services.audit.verifying.findings import Finding, Kind

_LINE = msgspec.json.Decoder(Checkpoint)
_PIECE = 65_536
_ONE_AT_A_TIME = "select pg_advisory_xact_lock(hashtext(current_schema() || ' checkpoints'))"


class Checkpoints:
    """One signer; its private key is 32 bytes, read from a file."""

    def __init__(self, pool: Pool, key: Ed25519PrivateKey, file: Path | None) -> None:
        self._pool = pool
        self._key = key
        self._file = file

    async def take(self) -> Checkpoint | None:
        """Signs what has moved since the last one; None where nothing has. Only one signer at a time gets a number.

        The first may be over nothing: it says when the auditor began.
        """
        async with self._pool.acquire() as connection, connection.transaction():
            await connection.execute(_ONE_AT_A_TIME)
            # The file may have seen more than a database that was made anew: what it holds is never contradicted.
            known = await last_checkpoint(connection), last_in_file(self._file)
            last = max(known, key=lambda each: each.number if each else 0)
            moved = await _moved(connection, last.reached if last else ())
            taken = take(int(time.time() * 1000), last, moved, self._key) if moved or last is None else None
            if taken is not None:
                await connection.execute(
                    "insert into checkpoints (number, taken_at, root, previous, reached, heads, public_key, signature)"
                    " values ($1, $2, $3, $4, $5, $6, $7, $8)",
                    *(taken.number, taken.taken_at, taken.root, taken.previous, _json(taken.reached)),
                    *(_json(taken.heads), taken.public_key, taken.signature),
                )
        await self._append()
        return taken

    async def _append(self) -> None:
        """Brings the file up to the database; what a crash left out comes with the next one."""
        if self._file is None:
            return
        async with self._pool.acquire() as connection, connection.transaction():
            await connection.execute(_ONE_AT_A_TIME)  # it may be another process's file, too
            last = last_in_file(self._file)
            missing = await checkpoints(connection, last.number if last else 0)
            self._file.parent.mkdir(parents=True, exist_ok=True)
            with self._file.open("ab+") as file:
                if (size := file.tell()) and os.pread(file.fileno(), 1, size - 1) != b"\n":
                    file.write(b"\n")  # a crash cut the last line short
                for each in missing:
                    file.write(msgspec.json.encode(each) + b"\n")


def last_in_file(path: Path | None) -> Checkpoint | None:
    """Read from the end: the file holds every checkpoint that ever was."""
    if path is None or not path.exists():
        return None
    with path.open("rb") as file:
        for line in last_lines(file):
            with suppress(msgspec.MsgspecError):
                return _LINE.decode(line)
    return None


def last_lines(file: BinaryIO) -> Iterator[bytes]:
    """Lines that are not empty, the last one first; no more of the file is read than is asked for."""
    at, rest = file.seek(0, os.SEEK_END), b""
    while at > 0:
        size = min(_PIECE, at)
        at = file.seek(at - size)
        first, *lines = (file.read(size) + rest).split(b"\n")
        yield from (line for line in reversed(lines) if line)
        rest = first
    if rest:
        yield rest


def lines_of(path: Path) -> Iterator[Checkpoint]:
    """In order of writing. A line that a crash cut short is passed over; a missing one breaks the chain of the rest."""
    if not path.exists():
        return
    with path.open("rb") as file:
        for line in file:
            with suppress(msgspec.MsgspecError):
                yield _LINE.decode(line)


async def disagreements(connection: Connection, last: Checkpoint | None) -> list[Finding]:
    """Between the file, by its last line, and the database: who cuts the one, to hide what it shows, has to cut the
    other."""
    number = last.number if last else 0
    newest = await connection.fetchval("select max(number) from checkpoints")
    signature = await connection.fetchval("select signature from checkpoints where number = $1", number)
    said = []
    if newest is not None and not number <= newest <= number + 1:  # the file comes a moment behind the database
        said.append(f"the file ends with checkpoint {number}, the database with {newest}")
    if last is not None and signature is not None and signature != last.signature:
        said.append(f"checkpoint {number}: file and database have not the same")
    return [Finding(Kind.CHECKPOINT, "checkpoints", each) for each in said]


def read_key(file: Path) -> Ed25519PrivateKey:
    """32 bytes as hex; BadKey names the file and quotes nothing."""
    return Ed25519PrivateKey.from_private_bytes(hex_key(file))


async def last_checkpoint(connection: Connection) -> Checkpoint | None:
    row = await connection.fetchrow("select * from checkpoints order by number desc limit 1")
    return _of(dict(row)) if row else None


async def checkpoints(connection: Connection, after: int = 0, limit: int = 10_000) -> list[Checkpoint]:
    rows = await connection.fetch(
        "select * from checkpoints where number > $1 order by number limit $2", *(after, limit)
    )
    return [_of(dict(row)) for row in rows]


def _of(row: dict[str, object]) -> Checkpoint:
    kept = {name: json.loads(str(row[name])) for name in ("reached", "heads")}
    return msgspec.convert({**row, **kept}, Checkpoint)


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()


async def _moved(connection: Connection, reached: Reached) -> list[StreamHead]:
    """Heads above what was reached, by the index of a partition's heads by offset."""
    rows = await connection.fetch(
        """select h.topic, stream, h.partition, version, digest, last_offset
           from (select distinct topic, partition from readers) p
           left join unnest($1::text[], $2::int[], $3::bigint[]) r(topic, partition, reached) using (topic, partition)
           join journal_heads h on (h.topic, h.partition) = (p.topic, p.partition)
               and h.last_offset > coalesce(r.reached, -1)""",
        *(list(column) for column in zip(*reached, strict=True)) if reached else ([], [], []),
    )
    return [
        StreamHead(r["topic"], r["stream"], r["partition"], r["version"], r["digest"].hex(), r["last_offset"])
        for r in rows
    ]
