"""What deciding services leave aside becomes incidents by their parked topics."""

import msgspec

from libs.journal.log import LogRecord
from libs.journal.telling import POSITION_MOVED, SNAPSHOT_DIFFERS, STREAM_SET_ASIDE, Telling
from services.audit.told_aside import told_aside
from services.audit.verifying.findings import Finding, Kind

ASIDE = Telling(SNAPSHOT_DIFFERS, ("croupier.table.snapshots.v1", 3), 17, b"stream/s-4", "no seal")


def heard(aside: Telling) -> list[Finding]:
    out = aside.record("croupier.table.parked.v1")
    return told_aside([LogRecord(0, out.key, out.value, out.headers)])


def test_a_snapshot_that_was_left_aside_is_an_incident_of_its_own_place() -> None:
    (found,) = heard(ASIDE)
    assert (found.kind, found.severity, found.stream) == (Kind.SNAPSHOT, "critical", "s-4")
    assert (found.topic, found.partition, found.offset) == ("croupier.table.snapshots.v1", 3, 17)
    assert "none of its own (no seal)" in found.detail
    assert heard(ASIDE) == [found], "met at the next start it is the same"


def test_of_a_part_of_a_snapshot_the_stream_is_told() -> None:
    (found,) = heard(msgspec.structs.replace(ASIDE, key=b"part/s-4/0123abcd.7/12"))
    assert found.stream == "s-4"


def test_a_stream_that_its_service_cannot_go_on_with_is_one() -> None:
    (found,) = heard(of_stream("s-2", "ChipsLost from croupier.table.hand_ended.v1, version 8"))
    assert (found.kind, found.stream) == (Kind.SET_ASIDE, "s-2")
    assert found.detail.endswith("ChipsLost from croupier.table.hand_ended.v1, version 8")


def of_stream(stream: str, why: str) -> Telling:
    return Telling(STREAM_SET_ASIDE, ("croupier.table.journal.v1", 0), 8, stream.encode(), why)


def test_other_parked_records_and_nonsense_are_none() -> None:
    assert told_aside([LogRecord(0, b"k", b"v", (("parked-reason", b"malformed"),)), LogRecord(1, None, None)]) == []
    out = ASIDE.record("t")
    hostile = tuple((n, b"\xff\x00" if n != "parked-reason" else v) for n, v in out.headers)
    (found,) = told_aside([LogRecord(0, b"stream/\x1b[2J", b"", hostile)])
    assert (found.stream, found.partition, found.offset) == ("?", None, None)
    assert "?" in found.detail
    assert "\x00" not in found.detail


def test_of_a_place_that_there_is_not_the_record_that_tells_it_is_told() -> None:
    """Found by an attacker: of partition 10^12 neither place nor detail was told."""
    out = Telling(POSITION_MOVED, ("croupier.table.commands.v1", 10**12), 8, b"", "").record("t")
    (found,) = told_aside([LogRecord(77, out.key, out.value, out.headers)])
    assert (found.kind, found.topic, found.partition) == (Kind.GROUP_OFFSET, "croupier.table.commands.v1", None)
    assert found.detail == "? (no such place; told at offset 77 of its parked topic)"
