"""Checkpoints that somebody wrote with the auditor's login: nothing is built on them, none comes into the file."""

import json
from pathlib import Path
from typing import Any

import asyncpg
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from libs.projecting import Pool
from services.audit.checkpoint_rows import checkpoints, listed
from services.audit.checkpoints import Checkpoints, Lines, disagreements, last_in_file
from services.audit.journal_audit import HEAD
from services.audit.marked_rows import mark_row
from services.audit.record_watch import RecordWatch
from services.audit.verifying.checkpoint import check_checkpoints, public_hex
from tests.testkit.marks import AUDIT

pytestmark = pytest.mark.stack
KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
PUBLIC = public_hex(KEY)
JOURNAL = ("table", 0)
FORGED = """insert into checkpoints (number, taken_at, root, previous, reached, heads, public_key, signature)
            values ($1, 0, $2, '', $3, '[]', $4, $5)"""
FAR = json.dumps([["table", 0, 10**12]])


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "outside" / "checkpoints.jsonl"


def signer(pool: Pool, file: Path | None) -> Checkpoints:
    """Of a process that has just started."""
    return Checkpoints(pool, KEY, file, [JOURNAL], AUDIT)


async def moved(pool: Pool, stream: str, version: int, mark: bytes | None = None) -> None:
    """The auditor judges a stream's next commit."""
    row = (JOURNAL[0], stream, JOURNAL[1], version, b"digest", 0, version)
    await pool.execute(
        f"""insert into journal_heads ({", ".join(HEAD)}, mark) values ($1, $2, $3, $4, $5, $6, $7, $8)
            on conflict (topic, stream) do update
            set version = excluded.version, last_offset = excluded.last_offset, mark = excluded.mark""",
        *(*row, mark_row(AUDIT, b"head", row) if mark is None else mark),
    )


async def forge(pool: Pool, number: int, reached: str = "[]", signature: str = "00" * 64, key: str = PUBLIC) -> None:
    await pool.execute(FORGED, number, "ab" * 32, reached, key, signature)


def write_another(file: Path) -> None:
    """A line that nobody has signed, behind the last one."""
    file.write_bytes(file.read_bytes() + file.read_bytes().replace(b'"number":1', b'"number":2'))


async def told(pool: Pool) -> list[str]:
    found = await RecordWatch(pool, AUDIT, checkpoint_key=PUBLIC).look()
    assert {(each.kind.value, each.severity, each.stream) for each in found} <= {
        ("evidence_written_by_hand", "critical", "audit.checkpoints")
    }
    return sorted(each.detail for each in found)


async def shown(pool: Pool) -> list[int]:
    async with pool.acquire() as connection:
        return [each.number async for each in checkpoints(connection, public_key=PUBLIC)]


async def incidents(pool: Pool) -> list[Any]:
    return [tuple(row) for row in await pool.fetch("select stream, detail from incidents order by id")]


async def test_after_a_long_absence_there_are_several_and_none_is_large(
    pool: Pool, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One over 240,000 heads took two seconds of whoever read the page that it was on."""
    monkeypatch.setattr("services.audit.checkpoints.MOST_HEADS", 3)
    for number in range(1, 8):
        await moved(pool, f"t-{number}", number)
    for number in range(3):
        await moved(pool, f"evil-{number}", 8, b"forged")
    last = await signer(pool, file).take()
    assert last is not None
    signed = [[head.stream for head in each.heads] for each in Lines(file)]
    assert signed == [["t-1", "t-2", "t-3"], ["t-4", "t-5", "t-6"], ["t-7"]]
    await forge(pool, 2, "[]")
    async with pool.acquire() as connection:
        pages = [await listed(connection, after, 2, PUBLIC) for after in (0, 2, 3)]
    assert [[(each.number, streams) for each, streams in page] for page in pages] == [[(1, 3), (2, 3)], [(3, 1)], []]
    await moved(pool, "t-8", 9)
    again = await signer(pool, file).take()
    assert again is not None
    assert [head.stream for head in again.heads] == ["t-8"], "others' heads keep ours back no longer than a look"


async def test_what_may_be_signed_at_once_is_shared_by_those_that_moved(
    pool: Pool, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At 256 partitions five heads of each were signed at a time, and hundreds of journals named with them."""
    monkeypatch.setattr("services.audit.checkpoints.MOST_HEADS", 8)
    for number in range(1, 7):
        await moved(pool, f"t-{number}", number)
    signs = signer(pool, file)
    signs._journals = [*signs._journals, *[("croupier.wallet.journal.v1", number) for number in range(100)]]
    last = await signs.take()
    assert last is not None
    assert (last.number, len(last.heads)) == (1, 6)


@pytest.mark.parametrize("restarts", [False, True])
@pytest.mark.parametrize("outside", [False, True])
async def test_what_somebody_writes_in_the_next_place_is_passed_over(
    pool: Pool, file: Path, restarts: bool, outside: bool
) -> None:
    """It was built on, went into the file, and `verify` failed for ever; one that reached far ended all that follow."""
    kept = file if outside else None
    signs = signer(pool, kept)
    await moved(pool, "a", 1)
    assert await signs.take()
    await forge(pool, 2, FAR)
    await forge(pool, 2, "[]", "11" * 64)
    await forge(pool, 2, FAR, "22" * 64, key="another")
    await forge(pool, 3, FAR)
    await forge(pool, 9, FAR)
    await forge(pool, 2**63 - 1, FAR)
    await moved(pool, "a", 2)
    if restarts:
        signs = signer(pool, kept)
    taken = await signs.take()
    assert taken is not None
    assert (taken.number, [head.version for head in taken.heads]) == (2, [2])
    await moved(pool, "b", 3)
    await signs.take()
    assert await signs.take() is None, "nothing has moved"

    assert await shown(pool) == [1, 2, 3]
    if outside:
        lines = list(Lines(file))
        assert [each.number for each in lines] == [1, 2, 3]
        assert list(check_checkpoints(lines, PUBLIC)) == []
        async with pool.acquire() as connection:
            assert await disagreements(connection, last_in_file(file), PUBLIC) == []
    said = "checkpoint {} is not as the auditor signed it, and counts for nothing"
    assert await told(pool) == [
        *sorted(said.format(number) for number in (2, 3, 9, 2**63 - 1)),
        "rows that name the key 'another' are not the auditor's, and count for nothing",
    ]
    assert len(await incidents(pool)) == 5


@pytest.mark.parametrize("reached", ["5", "{}", '[["table", 0]]', f'[["table", 0, {10**30}]]'])
@pytest.mark.parametrize("signature", ["no hex", "00"])
async def test_a_row_that_is_no_checkpoint_ends_nothing(pool: Pool, file: Path, reached: str, signature: str) -> None:
    await signer(pool, file).take()
    await forge(pool, 2, reached, signature)
    await moved(pool, "a", 1)
    taken = await signer(pool, file).take()
    assert taken is not None
    assert (taken.number, len(await told(pool)), await shown(pool)) == (2, 1, [1, 2])


async def test_a_true_one_is_there_once_and_stays(pool: Pool, file: Path) -> None:
    first = await signer(pool, file).take()
    assert first is not None
    with pytest.raises(asyncpg.UniqueViolationError):
        await forge(pool, 1, "[]", first.signature)
    for attempt in ("delete from checkpoints", "update checkpoints set heads = '[]'"):
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            await pool.execute(attempt)
    await pool.execute(
        "insert into checkpoints select 1, taken_at, root, previous, heads, public_key, upper(signature), reached"
        " from checkpoints"
    )
    assert (await shown(pool), len(await told(pool))) == ([1], 1)


async def test_a_file_that_ends_with_anothers_line_goes_on_behind_it(pool: Pool, file: Path) -> None:
    await signer(pool, file).take()
    write_another(file)
    await moved(pool, "a", 1)
    signs = signer(pool, file)
    taken = await signs.take()
    await moved(pool, "a", 2)
    await signs.take()
    assert taken is not None
    assert (taken.number, [each.number for each in Lines(file)]) == (2, [1, 2, 2, 3])
    detail = "the file of checkpoints ends with what the auditor has not signed, and goes on behind it"
    assert await incidents(pool) == [("checkpoints", detail)]


async def test_heads_that_somebody_changed_are_not_signed(pool: Pool, file: Path) -> None:
    """Their digests were signed as the database said them, and how far a partition was reached."""
    for version, stream in enumerate(("a", "b", "c"), start=1):
        await moved(pool, stream, version)
    await pool.execute("update journal_heads set version = 7, last_offset = 7, digest = 'x' where stream = 'b'")
    await moved(pool, "of-nobody", 10**12, b"\x01")
    taken = await signer(pool, file).take()
    assert taken is not None
    assert [head.stream for head in taken.heads] == ["a", "c"]
    assert taken.reached == (("table", 0, 3),)
    assert [(stream, detail.split(" is ")[0]) for stream, detail in await incidents(pool)] == [
        ("audit.journal_heads", "the head of b"),
        ("audit.journal_heads", "the head of of-nobody"),
    ]


@pytest.mark.parametrize(
    ("statement", "refusal"),
    [
        ("update journal_heads set version = version + 1", asyncpg.IntegrityConstraintViolationError),
        ("update journal_heads set version = version - 1, last_offset = 9", asyncpg.IntegrityConstraintViolationError),
        ("update journal_heads set version = version + 1, mark = null", asyncpg.IntegrityConstraintViolationError),
        ("insert into journal_heads values ('t', 's', 0, 1, '', 0, 0)", asyncpg.IntegrityConstraintViolationError),
        ("update journal_heads set stream = 'x'", asyncpg.InsufficientPrivilegeError),
        ("delete from journal_heads", asyncpg.InsufficientPrivilegeError),
    ],
)
async def test_no_head_goes_back_or_makes_room(pool: Pool, statement: str, refusal: type[Exception]) -> None:
    await moved(pool, "a", 1)
    with pytest.raises(refusal):
        await pool.execute(statement)
