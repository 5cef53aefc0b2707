"""A snapshot that bears the service's true mark and not its seal is as if it were not there (journal 24)."""

import os
import time
from dataclasses import replace

import msgspec
import pytest

from libs.journal.log import LogRecord
from libs.journal.mark_keys import Plan, marks_of
from libs.journal.marks import MayNotWrite
from libs.journal.restore import restore
from libs.journal.seal_keys import GRACE_MS, SEALED, hand_out_seals, seals_in, seals_of
from libs.journal.seals import HEADER, Seals
from libs.journal.shelf import stream_key
from libs.journal.snapshots import Snapshot, snapshot_of, snapshot_record
from libs.journal.telling import Telling
from libs.sealing.key_files import BadKey
from tests.journal.bank import NAMES
from tests.journal.house import PARTITION, STREAM, House, latest, manifest_over, until
from tests.journal.simulation.world import SEALS
from tests.testkit.marks import ROOT
from tests.testkit.simulated import SimulatedLog

TABLE = "croupier.table.snapshots.v1"


@pytest.fixture
def house() -> House:
    house = House()
    house.machine = replace(house.machine, seals=SEALS)
    return house


def land(house, key, value, headers=()):
    house.broker.land(NAMES.snapshots, PARTITION, [(key, value, headers)])


def seal_of(record: LogRecord):
    return tuple(each for each in record.headers if each[0] == HEADER)


async def played(house):
    """Six deposits of ten, and a sealed snapshot and manifest of them; then the service is stopped."""
    before = house.fold().head(STREAM).version
    async with house.runner():
        await house.ask(*(house.command("Deposit", amount=10) for _ in range(6)))
        await until(lambda: covered(house) == before + 6)
    return next(each for each in reversed(house.broker.records(NAMES.snapshots, PARTITION))
                if each.key == stream_key(STREAM))  # fmt: skip


def covered(house) -> int:
    """Version up to which the newest manifest and its snapshot have everything."""
    manifest, snapshots = latest(house.broker.records(NAMES.snapshots, PARTITION), house.machine)
    held = snapshots.get(STREAM)
    return held.version if held and manifest and manifest.last.get(STREAM) == held.last else 0


def with_state(record, balance):
    held = msgspec.msgpack.decode(record.value[1:], type=Snapshot)
    state = msgspec.msgpack.encode((balance, 6))
    return b"\x01" + msgspec.msgpack.encode(msgspec.structs.replace(held, state=state))


async def test_what_a_service_writes_is_sealed_and_believed(house):
    await played(house)
    records = house.broker.records(NAMES.snapshots, PARTITION)
    assert {bool(seal_of(each)) for each in records if each.value} == {True}
    left: list[Telling] = []
    restored = await restore(SimulatedLog(house.broker), house.machine, NAMES, PARTITION, tell=left.append)
    assert (restored.fold.head(STREAM).version, restored.fold.position.next, left) == (6, 6, [])


@pytest.mark.parametrize("seal", ["none", "the true one's"])
async def test_a_changed_state_is_left_aside_and_the_hand_goes_on_truly(house, seal):
    true = await played(house)
    land(house, true.key, with_state(true, 1_000_000), seal_of(true) if seal != "none" else ())
    house.broker.compact(NAMES.snapshots, PARTITION)  # and the true one is gone
    async with house.runner("w2"):
        (answer,) = await house.ask(house.command("Withdraw", amount=61))
        assert (answer.verdict, answer.reason) == ("rejected", "not_enough")
        assert house.seen.calls.count(("happened", ("snapshots_aside", PARTITION, 1))) == 1
        await until(lambda: house.broker.records(NAMES.parked, 0))
        (told,) = house.broker.records(NAMES.parked, 0)
    said = dict(told.headers)
    assert (told.key, told.value, said["parked-reason"]) == (stream_key(STREAM), b"", b"snapshot_differs")
    assert said["parked-detail"] == (b"no seal" if seal == "none" else b"a wrong seal")
    assert said["parked-topic"].decode() == NAMES.snapshots


async def test_while_the_true_one_is_not_compacted_away_a_start_folds_nothing_more(house):
    true = await played(house)
    land(house, true.key, with_state(true, 1_000_000))
    restored = await restore(SimulatedLog(house.broker), house.machine, NAMES, PARTITION)
    assert (restored.fold.position.next, restored.fold.state(STREAM).balance) == (6, 60)


async def test_an_older_true_one_that_is_put_again_means_more_folding_and_nothing_else(house):  # journal 17
    async with house.runner():
        await house.ask(*(house.command("Deposit", amount=10) for _ in range(3)))
        await until(lambda: covered(house) == 3)
    lies = house.broker.records(NAMES.snapshots, PARTITION)
    older = next(each for each in lies if each.key == stream_key(STREAM))
    await played(house)
    land(house, older.key, older.value, older.headers)
    house.broker.compact(NAMES.snapshots, PARTITION)
    left: list[Telling] = []
    restored = await restore(SimulatedLog(house.broker), house.machine, NAMES, PARTITION, tell=left.append)
    assert (left, restored.fold.position.next) == ([], msgspec.msgpack.decode(older.value[1:], type=Snapshot).upto)
    for record in house.broker.records(NAMES.journal, PARTITION)[restored.fold.position.next :]:
        restored.fold.fold(record)
    assert restored.fold.state(STREAM).balance == house.fold().states[STREAM].balance


@pytest.mark.parametrize("key", [b"manifest/zz", b"manifest", b"piece/zz/0"])
async def test_three_bytes_under_a_key_of_a_manifest_end_nothing_and_go_with_the_sets_of_others(house, key):
    await played(house)
    land(house, key, b"\x01\xc1")
    async with house.runner("w2"):
        assert ("happened", ("snapshots_aside", PARTITION, 1)) in house.seen.calls
        await house.ask(*(house.command("Deposit", amount=10) for _ in range(6)))
        await until(lambda: house.broker.records(NAMES.snapshots, PARTITION)[-1].value is None)
    assert key in {each.key for each in house.broker.records(NAMES.snapshots, PARTITION) if each.value is None}


async def test_a_head_that_reaches_beyond_the_log_does_not_end_a_service_without_the_seal(house):
    await played(house)
    head = manifest_over(house.fold())
    ahead = msgspec.structs.replace(head, low=10**9, folded=10**9, of="mine")
    land(house, b"manifest/mine", b"\x01" + msgspec.msgpack.encode(ahead))
    async with house.runner("w2"):
        (answer,) = await house.ask(house.command("Deposit", amount=1))
        assert answer.verdict == "accepted"


async def test_of_one_start_no_more_than_a_hundred_are_told_each_for_itself(house):
    for number in range(150):
        land(house, b"stream/%d" % number, b"\x01")
    async with house.runner():
        assert ("happened", ("snapshots_aside", PARTITION, 150)) in house.seen.calls
        await until(lambda: len(house.broker.records(NAMES.parked, 0)) >= 100)
    assert len(house.broker.records(NAMES.parked, 0)) == 100


def record(at=0, **changes):
    out = snapshot_record(TABLE, 3, Snapshot("j", "t-1", 1, 0, 1, bytes(32), 0, (), {}, b"s"))
    sealed = seals_of("table", ROOT, Plan()).sealed(out)
    true = LogRecord(0, sealed.key, sealed.value, sealed.headers, at)
    return msgspec.structs.replace(true, **changes)


def test_a_seal_covers_place_key_and_value():
    seals = seals_of("table", ROOT, Plan())
    true = record()
    assert seals.why_not((TABLE, 3), true) is None
    assert seals.why_not((TABLE, 2), true) == "a wrong seal"
    assert seals.why_not((f"moved.{TABLE}", 3), true) == "a wrong seal"
    for changes in ({"key": b"stream/t-2"}, {"value": true.value + b"x"}):
        assert seals.why_not((TABLE, 3), record(**changes)) == "a wrong seal"
    assert seals.why_not((TABLE, 3), record(headers=())) == "no seal"
    assert seals.why_not((TABLE, 3), record(headers=((HEADER, b"short"),))) is not None


def replace_headers(true, name):
    return msgspec.structs.replace(true, headers=((name, true.headers[0][1]),))


def test_nobody_else_has_the_key_and_a_mark_is_no_seal():
    true = record()
    for process in ("table", "audit", "inspector"):
        marked = marks_of(process, ROOT, Plan())
        assert marked.why_foreign((TABLE, 3), replace_headers(true, "mark")) == "a wrong mark"
    mark = marks_of("table", ROOT, Plan()).marked((TABLE, 3), true.key, true.value, ())[-1][1]
    as_seal = msgspec.structs.replace(true, headers=((HEADER, mark),))
    assert seals_of("table", ROOT, Plan()).why_not((TABLE, 3), as_seal) == "a wrong seal"
    out = snapshot_record(TABLE, 3, Snapshot("j", "t-1", 1, 0, 1, bytes(32), 0, (), {}, b"s"))
    with pytest.raises(MayNotWrite):
        seals_of("wallet", ROOT, Plan()).sealed(out)


def test_a_rotation_of_marks_rotates_seals(tmp_path):
    file = hand_out_seals(tmp_path, ROOT, Plan(), None)["table"]
    old = record()
    hand_out_seals(tmp_path, ROOT, Plan(accepted=(1, 2), writes=2), None)
    newer = seals_in(file)
    assert newer.why_not((TABLE, 3), old) is None
    out = newer.sealed(snapshot_record(TABLE, 3, Snapshot("j", "t-1", 1, 0, 1, bytes(32), 0, (), {}, b"s")))
    assert out.headers[0][1].endswith(b"02table")
    retired = Plan(accepted=(1, 2), writes=2, retired={1: {TABLE: [0, 0, 0, 5]}})
    hand_out_seals(tmp_path, ROOT, retired, None)
    assert seals_in(file).why_not((TABLE, 3), old) is None
    assert seals_in(file).why_not((TABLE, 3), record(offset=5)) == "a retired key"


def test_each_service_gets_a_file_of_its_own_that_its_owner_alone_can_read(tmp_path):
    files = hand_out_seals(tmp_path, ROOT, Plan(), None)
    assert files.keys() == set(SEALED) == {"table", "wallet", "tournament"}
    assert {file.stat().st_mode & 0o777 for file in files.values()} == {0o600}
    assert len({file.read_text() for file in files.values()}) == 3
    for broken in (b"", b"{}"):
        files["table"].write_bytes(broken)
        with pytest.raises(BadKey, match="holds no keys of seals"):
            seals_in(files["table"])
    os.unlink(files["table"])
    with pytest.raises(BadKey, match="can't be read: run `croupier marks hand-out`"):
        seals_in(files["table"])


def test_a_house_that_plays_already_believes_its_old_snapshots_for_a_day_and_says_so(tmp_path, caplog):
    now = time.time_ns() // 1_000_000
    file = hand_out_seals(tmp_path, ROOT, Plan(), now)["table"]
    hand_out_seals(tmp_path, ROOT, Plan(), now + 10**9)  # handed out again: the day does not begin anew
    seals = seals_in(file)
    assert seals.why_not((TABLE, 3), record(now + GRACE_MS - 1, headers=())) is None
    assert "before there were seals are believed" in caplog.text
    assert seals.why_not((TABLE, 3), record(now + GRACE_MS, headers=())) == "no seal"
    assert isinstance(SEALS, Seals)
    assert SEALS.why_not((NAMES.snapshots, 0), record(1, headers=())) == "no seal"


def test_a_snapshot_of_the_fold_is_what_is_sealed(house):
    house.land(house.foreign(5))
    out = SEALS.sealed(snapshot_record(NAMES.snapshots, PARTITION, snapshot_of(house.fold(), STREAM)))
    assert SEALS.why_not((NAMES.snapshots, PARTITION), LogRecord(0, out.key, out.value, out.headers)) is None
