"""What `make bench-years` counts as bytes of a house: those of its own topics, tables and archive."""

import gzip
from dataclasses import replace

import pytest

from libs.stack import Stack
from services.cli.migrate import migrated
from services.cli.surroundings import Surroundings
from tests.bench.years.storing import Packed, stored


async def test_what_is_packed_is_as_long_as_the_file() -> None:
    packed, whole = Packed(), b"0123456789" * 1_000
    await packed.take(whole)
    assert packed.close() == len(gzip.compress(whole, 6, mtime=0))


@pytest.mark.stack
async def test_every_table_is_counted_with_its_months(stack: Stack, database: str) -> None:
    await migrated(database)
    found = await stored(Surroundings(replace(stack, database_url=database)))
    assert {"wallet.transfers", "audit.histories", "audit.played"} <= found["tables"].keys(), (
        "by the whole, not by month"
    )
    assert all(size > 0 for size in found["archive"].values()), "an empty file has a head"
    assert found["archive"].keys() == {
        "wallet.transfers", "audit.histories", "audit.played", "audit.journal_links",
    }  # fmt: skip
