"""Takes checkpoints over what was read so far, keeps them in the database, and appends them to a file outside."""

import json
import time
from contextlib import suppress
from pathlib import Path

import msgspec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from libs.projecting import Connection, Pool
from libs.sealing.key_files import hex_key
from services.audit.verifying.checkpoint import Checkpoint, StreamHead, link, take

_LINE = msgspec.json.Decoder(Checkpoint)


class Checkpoints:
    """One signer; its private key is 32 bytes, read from a file."""

    def __init__(self, pool: Pool, key: Ed25519PrivateKey, file: Path | None) -> None:
        self._pool = pool
        self._key = key
        self._file = file

    async def take(self) -> Checkpoint:
        """A checkpoint over the heads as of now. Only one signer at a time gets the next number."""
        async with self._pool.acquire() as connection, connection.transaction():
            await connection.execute("select pg_advisory_xact_lock(hashtext(current_schema() || ' checkpoints'))")
            # The file may have seen more than a database that was made anew: what it holds is never contradicted.
            last = max((await last_checkpoint(connection), self._last_in_file()), key=lambda c: c.number if c else 0)
            number, previous = (last.number + 1, link(last)) if last else (1, "")
            taken = take(number, int(time.time() * 1000), previous, await _heads(connection), self._key)
            heads = msgspec.json.encode(taken.heads).decode()
            await connection.execute(
                "insert into checkpoints values ($1, $2, $3, $4, $5, $6, $7)",
                *(taken.number, taken.taken_at, taken.root, taken.previous, heads, taken.public_key, taken.signature),
            )
        await self._append()
        return taken

    async def _append(self) -> None:
        """Brings the file up to the database; what a crash left out comes with the next one."""
        if self._file is None:
            return
        last = self._last_in_file()
        after = last.number if last else 0
        async with self._pool.acquire() as connection:
            missing = await checkpoints(connection, after)
        self._file.parent.mkdir(parents=True, exist_ok=True)
        with self._file.open("ab") as file:
            if file.tell() and not self._file.read_bytes().endswith(b"\n"):
                file.write(b"\n")  # a crash cut the last line short
            for each in missing:
                file.write(msgspec.json.encode(each) + b"\n")

    def _last_in_file(self) -> Checkpoint | None:
        written = read_file(self._file) if self._file else []
        return written[-1] if written else None


def read_file(file: Path) -> list[Checkpoint]:
    """In order of writing. A line that a crash cut short is passed over; a missing one breaks the chain of the rest."""
    if not file.exists():
        return []
    found: list[Checkpoint] = []
    for line in file.read_bytes().splitlines():
        with suppress(msgspec.MsgspecError):
            found.append(_LINE.decode(line))
    return found


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
    return msgspec.convert({**row, "heads": json.loads(str(row["heads"]))}, Checkpoint)


async def _heads(connection: Connection) -> list[StreamHead]:
    rows = await connection.fetch("select topic, stream, partition, version, digest, last_offset from journal_heads")
    return [
        StreamHead(r["topic"], r["stream"], r["partition"], r["version"], r["digest"].hex(), r["last_offset"])
        for r in rows
    ]
