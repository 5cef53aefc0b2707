"""Checkpoints are copied piece by piece: a backup upon a backup takes what was added, and all go back once each."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import asyncpg
import pytest
import pytest_asyncio

from libs.contracts.topics import INSPECTOR
from libs.journal.mark_keys import Plan, marks_of
from libs.projecting import Connection
from libs.stack import StackError
from services.cli.backups import pieces
from services.cli.backups.evidence import copy_rows, put_rows, why_not_evidence
from services.cli.backups.files import Backup, Damaged, Rows, read_manifest, write_manifest
from services.cli.backups.locks import sweep

pytestmark = pytest.mark.stack
MARKS = marks_of(INSPECTOR, b"r" * 32, Plan())
_ROW = (
    "insert into audit.checkpoints (number, taken_at, root, previous, reached, heads, public_key, signature)"
    " select n, n, 'r', 'p', '[]', '[1, 2]', $3, $3 || n from generate_series($1::bigint, $2::bigint) n"
)
_ALL = "select * from audit.checkpoints order by number, signature"


class House:
    """Its database, and the folder of its backups."""

    def __init__(self, url: str, folder: Path, owner: Connection) -> None:
        self.url, self.folder, self.owner = url, folder, owner
        self.rows: tuple[Rows, ...] = ()
        self._at = 0

    async def sign(self, first: int, last: int, key: str = "key") -> None:
        await self.owner.execute(_ROW, first, last, key)

    async def back_up(self) -> int:
        """One run; how many rows of checkpoints it has copied."""
        self._at += 1
        self.rows = tuple(await copy_rows(self.url, self.folder, self._at, self.rows))
        assert why_not_evidence(self.rows) is None
        made = Backup(self._at, self._at, "", (), self.rows, ())
        write_manifest(self.folder, made, MARKS)
        assert sweep(self.folder, made.files)
        held = read_manifest(self.folder, MARKS)
        assert held is not None
        assert held.backup.rows == self.rows
        return sum(each.rows for each in self.checkpoints if each.file.endswith(f".{self._at}.rows"))

    @property
    def checkpoints(self) -> list[Rows]:
        return [each for each in self.rows if each.table == "checkpoints"]

    async def restore(self) -> None:
        """As it was, into an empty table."""
        was = await self.owner.fetch(_ALL)
        await self.owner.execute("truncate audit.checkpoints")
        for each in self.rows:
            await put_rows(self.url, self.folder, each)
        assert await self.owner.fetch(_ALL) == was


@pytest_asyncio.fixture
async def house(house_database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[House]:
    monkeypatch.setattr(pieces, "ROWS", 10)
    owner = await asyncpg.connect(house_database)
    yield House(house_database, tmp_path, owner)
    await owner.close()


def ends(found: Sequence[Rows]) -> list[tuple[int | None, int | None, int]]:
    return [(each.since, each.below, each.rows) for each in found]


async def test_a_backup_upon_a_backup_copies_what_was_added(house: House) -> None:
    """All checkpoints were copied by each run: 57 GB every quarter of an hour, after a year of a thousand tables."""
    assert await house.back_up() == 0
    await house.sign(1, 34)
    assert await house.back_up() == 34
    assert ends(house.checkpoints) == [(None, 11, 10), (11, 21, 10), (21, 31, 10), (31, None, 4)]
    assert await house.back_up() == 0
    copied = list[int]()
    for number in range(35, 65, 3):
        await house.sign(number, number + 2)
        copied.append(await house.back_up())
    assert max(copied) <= pieces.ROWS + 3, "whatever there is already"
    assert [each.rows for each in house.checkpoints] == [10] * 6 + [4]
    assert len(list(house.folder.glob("audit.checkpoints*.rows"))) == 7
    await house.restore()


async def test_it_goes_on_from_a_backup_that_has_them_in_one_file(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As every backup was before there were pieces."""
    await house.sign(1, 34)
    with monkeypatch.context() as before:
        before.setattr(pieces, "ROWS", 1_000)
        assert await house.back_up() == 34
    assert ends(house.checkpoints) == [(None, None, 34)]
    await house.restore()
    await house.sign(35, 37)
    assert await house.back_up() == 3
    assert ends(house.checkpoints) == [(None, 35, 34), (35, None, 3)]
    assert await house.back_up() == 0
    await house.restore()


@pytest.mark.parametrize(
    "content", [b"", b"\n", b"no number\t1\n", b"9223372036854775807\t1\n", b"7\t1\n", b"-5\t1\n", b"-" + b"9" * 30]
)
async def test_a_file_that_somebody_changed_moves_the_next_run_past_nothing(
    house: House, content: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where one file holds all of them, its last line says where it ends; the count of rows bears it out or not."""
    await house.sign(1, 34)
    with monkeypatch.context() as before:
        before.setattr(pieces, "ROWS", 1_000)
        await house.back_up()
    (house.folder / house.checkpoints[0].file).write_bytes(content)
    await house.sign(35, 37)
    assert await house.back_up() == 37
    await house.restore()


async def test_under_another_key_numbers_begin_anew_and_are_copied(house: House) -> None:
    await house.sign(1, 34)
    await house.back_up()
    copied = list[int]()
    for number in range(1, 34, 3):
        await house.sign(number, number + 2, "another")
        copied.append(await house.back_up())
    assert sum(each.rows for each in house.checkpoints) == 67
    assert max(copied) <= 2 * pieces.ROWS + 3
    await house.restore()


async def test_a_row_that_somebody_puts_anywhere_keeps_no_other_back(house: House) -> None:
    """Who has the auditor's login may choose any number: the next ones are not above the highest."""
    await house.sign(1, 34)
    await house.back_up()
    for number in (2**63 - 1, -(2**63), 0, 15):
        await house.sign(number, number, "forged")
    await house.sign(15, 15, "forged once more")
    await house.back_up()
    copied = list[int]()
    for number in range(35, 65, 3):
        await house.sign(number, number + 2)
        copied.append(await house.back_up())
    assert max(copied) <= pieces.ROWS + 4
    assert sum(each.rows for each in house.checkpoints) == 69
    assert await house.back_up() == 0
    await house.restore()


async def test_a_file_that_is_gone_is_made_anew(house: House) -> None:
    await house.sign(1, 34)
    await house.back_up()
    (house.folder / house.checkpoints[1].file).unlink()
    assert await house.back_up() == 10
    await house.restore()


async def test_a_column_that_came_later_is_copied_of_all_rows(house: House) -> None:
    await house.sign(1, 34)
    await house.back_up()
    await house.owner.execute("alter table audit.checkpoints add column more text default 'more'")
    assert await house.back_up() == 34
    await house.restore()


async def test_a_run_that_reads_while_one_signs_has_all_of_one_moment(house: House) -> None:
    await house.sign(1, 34)

    async def signs() -> None:
        for number in range(35, 60):
            await house.sign(number, number)

    signing = asyncio.ensure_future(signs())
    for _ in range(5):
        await house.back_up()
    await signing
    await house.back_up()
    assert sum(each.rows for each in house.checkpoints) == 59
    await house.restore()


async def test_a_changed_piece_and_one_that_is_there_otherwise_are_refused(house: House) -> None:
    await house.sign(1, 34)
    await house.back_up()
    second = house.checkpoints[1]
    file = house.folder / second.file
    true = file.read_bytes()
    file.write_bytes(true.replace(b"\tr\t", b"\tR\t", 1))
    await put_rows(house.url, house.folder, second)  # all of it is there already: nothing is read
    await house.owner.execute("delete from audit.checkpoints where number between 11 and 20")
    with pytest.raises(Damaged, match=r"audit\.checkpoints-11\.1\.rows"):
        await put_rows(house.url, house.folder, second)
    assert await house.owner.fetchval("select count(*) from audit.checkpoints") == 24
    await house.sign(15, 15)
    file.write_bytes(true)
    with pytest.raises(StackError, match="is not empty"):
        await put_rows(house.url, house.folder, second)
