"""What `croupier serve` leaves in its home: logs within a bound, and addresses that are never half there."""

import asyncio
from functools import partial
from itertools import islice
from pathlib import Path

import msgspec
import pytest

from libs.stack import postgres
from libs.stack.ports import free_port
from services.cli import serve
from services.cli.serve import ADDRESSES, Addresses, _lines, _ports, rotate


def test_a_log_beyond_its_bound_begins_anew_and_keeps_one_before(tmp_path: Path) -> None:
    log = tmp_path / "table.jsonl"
    with log.open("a") as writer:  # as a service has it open
        for text in ("first", "second"):
            writer.write(text * 10 + "\n")
            writer.flush()
            rotate(log, most=20)
            assert log.stat().st_size == 0
            assert (tmp_path / "table.jsonl.1").read_text() == text * 10 + "\n"
        writer.write("short\n")
        writer.flush()
        rotate(log, most=20)
    assert log.read_text() == "short\n"
    assert sorted(each.name for each in tmp_path.iterdir()) == ["table.jsonl", "table.jsonl.1"]


async def test_the_databases_log_is_kept_small_as_well(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Found by an attacker: 10 kB of it for a startup packet, without a login."""
    monkeypatch.setattr(serve, "_LOOK_AT_LOGS_S", 0.01)
    monkeypatch.setattr(serve, "rotate", partial(rotate, most=20))
    (folder := tmp_path / "postgres").mkdir()
    (log := folder / "postgres.log").write_text("x" * 30)
    keeping = asyncio.create_task(serve._keep_logs_small(tmp_path))
    async with asyncio.timeout(10):
        while log.stat().st_size:
            await asyncio.sleep(0.01)
    keeping.cancel()


def test_a_start_begins_a_log_anew_that_nobody_kept_small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postgres, "MOST_OF_A_LOG", 20)
    (log := tmp_path / "postgres.log").write_text("x" * 20)
    postgres._begin_log_anew(log)
    assert log.exists()
    log.write_text("x" * 21)
    postgres._begin_log_anew(log)
    assert [each.name for each in tmp_path.iterdir()] == ["postgres.log.1"]


def test_what_is_no_log_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "table.pid").write_text("x" * 100)
    rotate(tmp_path / "table.pid", most=20)
    assert (tmp_path / "table.pid").stat().st_size == 100


def test_who_follows_sees_what_comes_after_a_log_began_anew(tmp_path: Path) -> None:
    log = tmp_path / "table.jsonl"
    log.write_text('{"timestamp": "1"}\n' * 3)
    following = _lines([log], 1, follow=True)
    assert next(following) == '{"timestamp": "1"}'
    rotate(log, most=20)
    log.write_text("new\nnewer\n")
    assert list(islice(following, 2)) == ["new", "newer"]
    with log.open("a") as more:
        more.write("newest\n")
    assert next(following) == "newest"


def test_who_reads_addresses_while_they_are_written_reads_all_of_them(tmp_path: Path) -> None:
    """`croupier serve --detach` looks until they are there, and ended at half of them."""
    _ports(tmp_path, free_port())
    with (tmp_path / ADDRESSES).open("rb") as read_meanwhile:
        _ports(tmp_path, free_port())
        assert msgspec.json.decode(read_meanwhile.read(), type=Addresses).ports
    assert [each.name for each in tmp_path.iterdir()] == [ADDRESSES]
