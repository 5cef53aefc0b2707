"""What `croupier serve` leaves in its home: logs within a bound, and addresses that are never half there."""

from itertools import islice
from pathlib import Path

import msgspec

from libs.stack.ports import free_port
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
