"""SEC-3: flip, delete, swap, insert: each is found where somebody had chained upon what was there."""

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from libs.journal.commit import decode, digest, genesis
from libs.journal.log import LogRecord
from services.audit.verifying.chain import ChainCheck, Recent
from services.audit.verifying.findings import Finding, Kind
from tests.audit.chains import JOURNAL, STREAMS, TOPIC, commit, journal, record, renumbered
from tests.testkit.partitions import PARTITIONS


def audited(records: list[LogRecord]) -> tuple[ChainCheck, list[Finding]]:
    check = ChainCheck(TOPIC, 0, PARTITIONS, JOURNAL)
    findings: list[Finding] = []
    for each in renumbered(records):
        findings += check.take(each)[1]
    return check, findings


def test_an_honest_journal_has_no_findings() -> None:
    check, findings = audited(journal(5))
    assert findings == []
    assert (check.counts.records, check.counts.valid, check.counts.void) == (15, 15, 0)
    assert (check.counts.events, check.counts.rejections) == (12, 3)


@given(st.integers(0, 11), st.data())
def test_a_flipped_byte_is_found(offset: int, data: st.DataObject) -> None:
    records = journal(5)
    raw = bytearray(records[offset].value or b"")
    raw[data.draw(st.integers(0, len(raw) - 1))] ^= data.draw(st.integers(1, 255))
    records[offset] = replace(records[offset], value=bytes(raw))
    assert audited(records)[1], "whoever chained on the old bytes gives it away"


@given(st.integers(0, 11))
def test_a_deleted_record_is_found(offset: int) -> None:
    records = journal(5)
    del records[offset]
    assert [finding.kind for finding in audited(records)[1]] == [Kind.CHAIN_BROKEN]


@given(st.integers(0, 11))
def test_two_records_of_a_stream_swapped_are_found(offset: int) -> None:
    records = journal(5)
    records[offset], records[offset + 3] = records[offset + 3], records[offset]
    assert Kind.CHAIN_BROKEN in {finding.kind for finding in audited(records)[1]}


def test_an_inserted_record_of_another_chain_is_found() -> None:
    records = journal(5)
    records.insert(6, record(0, commit(STREAMS[0], 2, b"\x07" * 32)))
    (finding,) = audited(records)[1]
    assert (finding.kind, finding.offset, finding.stream) == (Kind.CHAIN_BROKEN, 6, STREAMS[0])


def test_a_zombies_late_commits_are_void_and_no_finding() -> None:
    records = journal(5)
    old = decode(records[6].value)
    late = record(0, commit(old.stream, old.base, old.prev, writer="zombie"))
    behind = record(0, commit(old.stream, old.base + 1, digest(late.value or b""), writer="zombie"))
    check, findings = audited([*records, late, behind, late])
    assert findings == []
    assert (check.counts.valid, check.counts.void) == (15, 3)


def test_a_commit_in_a_foreign_partition_is_found() -> None:
    stray = next(f"account-x{i}-EUR" for i in range(9) if f"account-x{i}-EUR" not in STREAMS)
    check = ChainCheck(TOPIC, 1, PARTITIONS, JOURNAL)
    stream = STREAMS[0]
    assert stray
    _, findings = check.take(record(0, commit(stream, 0, genesis(JOURNAL, stream))))
    assert [finding.kind for finding in findings] == [Kind.WRONG_PARTITION]


def test_a_chain_of_another_incarnation_is_found() -> None:
    check = ChainCheck(TOPIC, 0, PARTITIONS, "wallet-journal.2")
    found = [finding.kind for each in journal(1) for finding in check.take(each)[1]]
    assert found == [Kind.CHAIN_BROKEN] * 3


def test_what_is_no_commit_is_found_and_the_rest_goes_on() -> None:
    records = journal(5)
    records.insert(4, LogRecord(0, b"account-1-EUR", b"\xffnonsense"))
    check, findings = audited(records)
    assert [finding.kind for finding in findings] == [Kind.UNDECODABLE]
    assert (check.counts.valid, check.counts.undecodable) == (15, 1)


def test_a_key_that_is_not_the_stream_is_found() -> None:
    records = journal(5)
    records[3] = replace(records[3], key=b"account-somebody-EUR")
    assert [finding.kind for finding in audited(records)[1]] == [Kind.WRONG_PARTITION]


def test_a_forgotten_digest_raises_the_alarm_rather_than_stay_silent() -> None:
    records = journal(5)
    old = decode(records[0].value)
    late = record(0, commit(old.stream, 1, digest(records[0].value or b""), writer="zombie"))
    check = ChainCheck(TOPIC, 0, PARTITIONS, JOURNAL, Recent(4))
    found = [finding.kind for each in renumbered([*records, late]) for finding in check.take(each)[1]]
    assert found == [Kind.CHAIN_BROKEN]


def test_of_older_digests_nothing_is_held() -> None:
    """Of 32 partitions they were 342 MB, as long as the auditor ran, and each was read at its start."""
    recent, digests = Recent(100), [digest(b"%d" % n) for n in range(1_000)]
    for each in digests:
        recent.add(each)
    assert len(recent) == 100
    assert [each in recent for each in digests] == [n >= 900 for n in range(1_000)]


def test_a_head_that_is_judged_by_alone_holds_no_command() -> None:
    """1.4 kB each, of which the rule needs a third."""
    check, found = audited(journal(5))
    assert found == []
    heads = list(check.fold.heads.values())
    assert {len(each.ring) for each in heads} == {0}
    assert {id(each.ring) for each in heads} == {id(heads[0].ring)}
    assert all(each.high_water == {} for each in heads)


def test_what_came_twice_is_forgotten_with_the_last_of_both() -> None:
    recent = Recent(4)
    for each in (b"a", b"x", b"x", b"b", b"c", b"d"):
        recent.add(each)
    assert b"x" in recent
    recent.add(b"e")
    assert b"x" not in recent


def test_two_who_decide_on_a_stream_that_had_rested_break_no_chain() -> None:
    """The second one follows a record that is long forgotten, as the first did."""
    stream = STREAMS[0]
    first = record(0, commit(stream, 0, genesis(JOURNAL, stream)))
    others = [each for each in journal(12) if decode(each.value or b"").stream != stream]
    second, late = (
        record(0, commit(stream, 1, digest(first.value or b""), writer=writer)) for writer in ("owner", "zombie")
    )
    check = ChainCheck(TOPIC, 0, PARTITIONS, JOURNAL, Recent(2))
    found = [finding.kind for each in renumbered([first, *others, second, late]) for finding in check.take(each)[1]]
    assert found == []
    assert check.counts.void == 1
