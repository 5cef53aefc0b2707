"""Takes checkpoints over what was read so far, keeps them in the database, and appends them to a file outside."""

import os
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

import msgspec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from libs.projecting import Connection, Partition, Pool
from libs.projecting.row_marks import Marks
from libs.projecting.turns import take_turn
from libs.sealing.key_files import hex_key
from services.audit.checkpoint_rows import at, checkpoints, following, newest
from services.audit.incidents import record
from services.audit.journal_audit import HEAD, why_not_head
from services.audit.verifying.checkpoint import Checkpoint, Reached, StreamHead, public_hex, signed_by, take
from services.audit.verifying.findings import Finding, Kind

_LINE = msgspec.json.Decoder(Checkpoint)
_PIECE = 65_536
MOST_HEADS = 4_000
"""That one of them signs: shared by the journals that have moved, for among hundreds few do."""
_GOING = """select count(*) from unnest($1::text[], $2::int[], $3::bigint[]) p(topic, partition, beyond)
             where exists (select from journal_heads h
                            where (h.topic, h.partition) = (p.topic, p.partition) and h.last_offset > p.beyond)"""
_AT_ONCE = 500
"""Heads of somebody else that one look tells of."""
_TURN, _FORMERLY_S = "checkpoints", 3.0


class Checkpoints:
    """One signer; its private key is 32 bytes, read from a file. It goes on from nothing that it has not signed."""

    def __init__(
        self,
        pool: Pool,
        key: Ed25519PrivateKey,
        file: Path | None,
        journals: Sequence[Partition],
        marks: Marks | None = None,
        on_finding: Callable[[Finding], None] = lambda finding: None,
    ) -> None:
        """`journals`: whose heads are signed. `marks`: the auditor's; None: all heads are believed."""
        self._pool = pool
        self._key = key
        self._public = public_hex(key)
        self._file = file
        self._journals = journals
        self._marks = marks
        self._on_finding = on_finding
        self._last: Checkpoint | None = None

    async def take(self) -> Checkpoint | None:
        """Signs what has moved since the last one; None where nothing has. Only one signer at a time gets a number.

        The first may be over nothing: it says when the auditor began. After a long absence there are several: each has
        `MOST_HEADS` or fewer, for whoever reads a page of them reads all of each. The last one is returned.
        """
        last, more = await self._take()
        while more:
            taken, more = await self._take()
            last = taken or last
        return last

    async def _take(self) -> tuple[Checkpoint | None, bool]:
        """And whether there is more."""
        async with self._pool.acquire() as connection, connection.transaction():
            await take_turn(connection, _TURN, _FORMERLY_S)
            last, found = await self._before(connection)
            moved, foreign, more = await self._moved(connection, last.reached if last else ())
            taken = take(int(time.time() * 1000), last, moved, self._key) if moved or last is None else None
            if taken is not None:
                await connection.execute(
                    "insert into checkpoints (number, taken_at, root, previous, reached, heads, public_key, signature)"
                    " values ($1, $2, $3, $4, $5, $6, $7, $8)",
                    *(taken.number, taken.taken_at, taken.root, taken.previous, _json(taken.reached)),
                    *(_json(taken.heads), taken.public_key, taken.signature),
                )
            new = await record(connection, [*found, *foreign], int(time.time() * 1000), self._marks)
        self._last = taken or last
        for finding in new:
            self._on_finding(finding)
        await self._append()
        return taken, more and taken is not None

    async def _before(self, connection: Connection) -> tuple[Checkpoint | None, list[Finding]]:
        """The last one that is ours. The file may have seen more than a database that was made anew: what it holds is
        never contradicted."""
        in_file = last_in_file(self._file, self._public)
        found = []
        if last_in_file(self._file) != in_file:
            detail = "the file of checkpoints ends with what the auditor has not signed, and goes on behind it"
            found.append(Finding(Kind.EVIDENCE, "checkpoints", detail))
        known = [each for each in (self._last, in_file) if each is not None]
        last = max(known, key=lambda each: each.number) if known else await newest(connection, self._public)
        while last is not None and (after := await following(connection, last, self._public)) is not None:
            last = after  # another process may have signed it, or a crash have kept it from the file
        return last, found

    async def _moved(self, connection: Connection, reached: Reached) -> tuple[list[StreamHead], list[Finding], bool]:
        """Heads above what was reached, by the index of a partition's heads by offset, the lowest ones first; what is
        not the auditor's among them, which is not signed; and whether there may be more."""
        beyond = {(topic, partition): offset for topic, partition, offset in reached}
        topics, partitions = [topic for topic, _ in self._journals], [partition for _, partition in self._journals]
        at = [beyond.get(place, -1) for place in self._journals]
        going = await connection.fetchval(_GOING, topics, partitions, at)
        of_each = max(1, MOST_HEADS // max(1, going))
        moved: list[StreamHead] = []
        foreign: list[Finding] = []
        full = True
        while full and not moved:  # others' alone do not keep ours back
            rows = await connection.fetch(
                f"""select {", ".join(f"h.{name}" for name in (*HEAD, "mark"))}
                      from unnest($1::text[], $2::int[], $3::bigint[]) p(topic, partition, beyond)
                      join lateral (select * from journal_heads h
                                     where (h.topic, h.partition) = (p.topic, p.partition) and h.last_offset > p.beyond
                                     order by h.last_offset fetch first ($4) rows with ties) h on true""",
                *(topics, partitions, [beyond.get(place, -1) for place in self._journals], of_each),
            )
            for r in rows:
                place = (r["topic"], r["stream"], r["partition"])
                beyond[r["topic"], r["partition"]] = r["last_offset"]
                if (why := why_not_head(self._marks, r)) is None:
                    moved.append(StreamHead(*place, r["version"], r["digest"].hex(), r["last_offset"]))
                elif len(foreign) < _AT_ONCE:
                    said = f"the head of {r['stream']} is not as the auditor wrote it, and is not signed: {why}"
                    foreign.append(
                        Finding(Kind.EVIDENCE, "audit.journal_heads", said, None, r["topic"], r["partition"])
                    )
            full = max(Counter((r["topic"], r["partition"]) for r in rows).values(), default=0) >= of_each
        return moved, foreign, full

    async def _append(self) -> None:
        """Brings the file up to the database; what a crash left out comes with the next one."""
        if self._file is None or self._last is None:
            return
        async with self._pool.acquire() as connection, connection.transaction():
            await take_turn(connection, _TURN, _FORMERLY_S)  # it may be another process's file, too
            last = last_in_file(self._file, self._public)
            missing = checkpoints(connection, last.number if last else 0, self._last.number, self._public)
            self._file.parent.mkdir(parents=True, exist_ok=True)
            with self._file.open("ab+") as file:
                if (size := file.tell()) and os.pread(file.fileno(), 1, size - 1) != b"\n":
                    file.write(b"\n")  # a crash cut the last line short
                async for each in missing:
                    file.write(msgspec.json.encode(each) + b"\n")


def last_in_file(path: Path | None, public_key: str = "") -> Checkpoint | None:
    """Read from the end: the file holds every checkpoint that ever was. `public_key`: the last that it has signed."""
    if path is None or not path.exists():
        return None
    with path.open("rb") as file:
        for line in last_lines(file):
            with suppress(msgspec.MsgspecError, ValueError):
                each = _LINE.decode(line)
                if not public_key or signed_by(each, public_key):
                    return each
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


class Lines:
    """Checkpoints of the file, in order of writing. A line that a crash cut short is passed over; a missing one breaks
    the chain of the rest."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.begins = 0
        """At which byte the line of the last one begins that was given."""

    def __iter__(self) -> Iterator[Checkpoint]:
        return self.since(0)

    def since(self, begins: int) -> Iterator[Checkpoint]:
        """From this byte on."""
        if not self._path.exists():
            return
        with self._path.open("rb") as file:
            file.seek(begins)
            for line in file:
                with suppress(msgspec.MsgspecError):
                    each = _LINE.decode(line)
                    self.begins = begins
                    yield each
                begins += len(line)


async def disagreements(connection: Connection, last: Checkpoint | None, public_key: str = "") -> list[Finding]:
    """Between the file, by its last line, and the database: who cuts the one, to hide what it shows, has to cut the
    other. What is not signed under the key is passed over in the database: the auditor has an incident of it."""
    number = last.number if last else 0
    end = await newest(connection, public_key)
    signatures = [each.signature async for each in at(connection, number, public_key)]
    said = []
    if end is not None and not number <= end.number <= number + 1:  # the file comes a moment behind the database
        said.append(f"the file ends with checkpoint {number}, the database with {end.number}")
    if last is not None and signatures and last.signature not in signatures:
        said.append(f"checkpoint {number}: file and database have not the same")
    return [Finding(Kind.CHECKPOINT, "checkpoints", each) for each in said]


def read_key(file: Path) -> Ed25519PrivateKey:
    """32 bytes as hex; BadKey names the file and quotes nothing."""
    return Ed25519PrivateKey.from_private_bytes(hex_key(file))


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()
