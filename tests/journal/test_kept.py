"""A shelf that outlasts its process: the next start reads what has come since, and knows the same (journal 16)."""

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from libs.journal import kept
from libs.journal.kept import kept_in
from libs.journal.log import LogRewritten
from libs.journal.manifests import Piece, Sets, head_record, piece_record
from libs.journal.marks import MarkKey, Marks
from libs.journal.restore import restore
from libs.journal.seals import Seals
from libs.journal.shelf import Place
from libs.journal.snapshots import Snapshot, Unreadable, encoded, snapshot_of, snapshot_record
from libs.journal.telling import Telling
from libs.sealing.secret import SecretBytes
from tests.journal.bank import NAMES
from tests.journal.house import PARTITION, House, latest, manifest_over, until
from tests.testkit.partitions import partition_of
from tests.testkit.simulated import SimulatedLog, SimulatedReader

STREAMS = [f"account-{n}" for n in range(60) if partition_of(f"account-{n}", NAMES.partitions) == PARTITION]


class Restart:
    """A house whose owner keeps its shelf in a folder; `starts` where each start began to read snapshots."""

    def __init__(self, house: House, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.house = house
        self.make = kept_in(folder)
        self.starts: list[int] = []
        read = SimulatedReader.read

        async def noted(reader, offset, *rest):
            if reader._topic == NAMES.snapshots:
                self.starts.append(offset)
            return await read(reader, offset, *rest)

        monkeypatch.setattr(SimulatedReader, "read", noted)

    async def start(self, machine=None, make=None, tell=lambda telling: None):
        self.starts.clear()
        log = SimulatedLog(self.house.broker)
        return await restore(log, machine or self.house.machine, NAMES, PARTITION, make=make or self.make, tell=tell)

    async def known(self, **how) -> tuple[int, dict[str, tuple[int, int]]]:
        """Where it starts to fold, and version and balance of each stream."""
        fold, shelf, *_ = await self.start(**how)
        with closing(shelf):
            for stream in STREAMS:
                fold.head(stream)
            return fold.position.next, {s: (h.version, fold.states[s].balance) for s, h in fold.heads.items()}

    def write(self, streams=STREAMS, pieces=True) -> None:
        """Their snapshots, and the manifest over all."""
        fold = self.house.fold()
        made = [snapshot_record(NAMES.snapshots, PARTITION, snapshot_of(fold, stream)) for stream in streams]
        whole = manifest_over(fold)
        name = f"run-{whole.low}.1"
        if pieces:
            made.append(piece_record(NAMES.snapshots, PARTITION, Piece(whole.journal_name, name, 0, whole.last)))
        head = whole.__class__(*(whole.journal_name, whole.low, {}, whole.folded, whole.digest, name, int(pieces)))
        made.append(head_record(NAMES.snapshots, PARTITION, head))
        for each in made:
            self.house.broker.land(each.topic, PARTITION, [(each.key, each.value, ())])

    @property
    def end(self) -> int:
        return self.house.broker.end(NAMES.snapshots, PARTITION)


@pytest.fixture
def owner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Restart:
    house = House()
    for stream in STREAMS:
        house.land(house.foreign(5, stream=stream))
    made = Restart(house, tmp_path / "idle", monkeypatch)
    made.write()
    return made


async def test_a_start_reads_what_has_come_since_and_knows_the_same(owner: Restart) -> None:
    first = await owner.known()
    assert (first[0], owner.starts[0]) == (len(STREAMS), 0)
    assert await owner.known() == first
    assert owner.starts == [], "nothing has come"
    came = owner.end
    owner.house.land(owner.house.foreign(7, stream=STREAMS[0]))
    owner.write(STREAMS[:1])
    again = await owner.known()
    assert (owner.starts[0], again[1][STREAMS[0]]) == (came, (2, 12))
    assert again == await owner.known(make=kept.nameless)


async def test_what_was_looked_at_of_a_manifest_is_not_looked_at_again(
    owner: Restart, monkeypatch: pytest.MonkeyPatch
) -> None:
    await owner.known()
    monkeypatch.setattr(Sets, "_piece", lambda *_: pytest.fail("a piece was decoded"))
    assert (await owner.known())[0] == len(STREAMS)


async def test_what_was_not_settled_is_read_again(owner: Restart) -> None:
    first = await owner.known()
    shelf = (await owner.start()).shelf
    shelf.drop(STREAMS[0])
    shelf.close()
    assert await owner.known() == first


async def test_a_snapshot_that_counts_as_none_is_folded_anew_by_the_next_start_too(owner: Restart) -> None:
    """A piece that names it was looked at when it was there."""
    await owner.known()
    log = SimulatedLog(owner.house.broker)
    made = await restore(log, owner.house.machine, NAMES, PARTITION, aside={STREAMS[0]}, make=owner.make)
    made.shelf.close()
    assert made.fold.position.next == 0
    fold, shelf, *_ = await owner.start()
    shelf.close()
    assert (fold.position.next, owner.starts) == (0, [])


async def test_a_topic_that_was_made_anew_is_read_from_its_beginning(owner: Restart) -> None:
    await owner.known()
    owner.house.broker.partition(NAMES.snapshots, PARTITION).slots.clear()
    owner.house.broker.identities[NAMES.snapshots] = b"another"
    assert (await owner.known())[0] == 0


async def test_it_is_begun_anew_for_other_states_other_keys_another_house_and_after_a_boot(
    owner: Restart, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Others:
        rule = b"other keys"
        sealed = staticmethod(lambda record: record)
        why_not = staticmethod(lambda place, record: None)

    machine = owner.house.machine
    other_states = replace(machine, encode_state=lambda stream, state: b"2" + machine.encode_state(stream, state))
    for changed in (other_states, replace(machine, seals=Others()), replace(machine, incarnation=2)):
        await owner.known()
        (await owner.start(changed)).shelf.close()
        assert owner.starts[0] == 0
    await owner.known()
    boot = tmp_path / "boot"
    boot.write_text("another")
    monkeypatch.setattr(kept, "_BOOT", boot)
    await owner.known()
    assert owner.starts[0] == 0


async def test_one_that_another_process_has_is_left_to_it(owner: Restart) -> None:
    first = await owner.known()
    held = (await owner.start()).shelf
    assert owner.starts == []
    assert await owner.known() == first
    assert owner.starts[0] == 0, "without a name"
    held.close()
    await owner.known()
    assert owner.starts == []


async def test_a_broken_file_is_begun_anew(owner: Restart, tmp_path: Path) -> None:
    first = await owner.known()
    [file] = (each for each in (tmp_path / "idle").iterdir() if each.suffix == f".{PARTITION}")
    file.write_bytes(b"nothing of a database" * 500)
    assert await owner.known() == first
    assert await owner.known() == first
    assert owner.starts == []


async def test_a_file_of_a_build_with_other_tables_is_begun_anew(owner: Restart, tmp_path: Path) -> None:
    """It was left as it was, and no start kept anything any more."""
    first = await owner.known()
    with closing(sqlite3.connect(next((tmp_path / "idle").glob(f"*.{PARTITION}")), isolation_level=None)) as older:
        older.execute("drop index bare")
        older.execute("alter table shelf drop column seal")
    assert await owner.known() == first
    assert owner.starts[0] == 0
    assert await owner.known() == first
    assert owner.starts == []


@pytest.mark.parametrize("said", ["'text'", "null", "x'00'"])
async def test_a_file_that_says_nonsense_is_begun_anew(owner: Restart, tmp_path: Path, said: str) -> None:
    """Found by an attacker: the wallet ended at every start."""
    first = await owner.known()
    with closing(sqlite3.connect(next((tmp_path / "idle").glob(f"*.{PARTITION}")), isolation_level=None)) as forged:
        forged.execute(f"update said set value = {said} where name = 'first'")
    assert await owner.known() == first
    assert owner.starts[0] == 0


async def test_a_start_that_ends_of_what_was_kept_is_the_last_one_that_does(owner: Restart, tmp_path: Path) -> None:
    first = await owner.known()
    with closing(sqlite3.connect(next((tmp_path / "idle").glob(f"*.{PARTITION}")), isolation_level=None)) as forged:
        forged.execute("update records set value = 7")
    with pytest.raises(TypeError):
        await owner.known()
    assert await owner.known() == first


async def test_nothing_is_kept_where_nothing_can_be_written(owner: Restart, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    first = await owner.known()
    assert await owner.known(make=kept_in(tmp_path / "file" / "idle")) == first


async def test_a_journal_that_was_cut_is_refused_as_ever(owner: Restart) -> None:
    await owner.known()
    owner.house.broker.truncate(NAMES.journal, PARTITION, 2)
    with pytest.raises(LogRewritten):
        await owner.start()


async def test_what_has_no_seal_goes_with_the_next_owners_first_round_even_if_one_dies_before_it(
    owner: Restart, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Sealed:
        rule = b""
        sealed = staticmethod(lambda record: record)
        why_not = staticmethod(lambda place, record: "no seal" if record.key == b"manifest/evil" else None)

    owner.house.broker.land(NAMES.snapshots, PARTITION, [(b"manifest/evil", b"\x01?", ())])
    machine, told = replace(owner.house.machine, seals=Sealed()), list[Telling]()
    for _ in range(2):
        made = await owner.start(machine, tell=told.append)
        made.shelf.close()
        assert b"manifest/evil" in made.manifests
    assert len(told) == 1, "it is told once"


def sealed_house(owner: Restart) -> None:
    """Its snapshots bear seals, as every service's do."""
    keys = MarkKey(NAMES.snapshots, "bank", 1, SecretBytes(b"of the bank alone"))
    owner.house.machine = replace(owner.house.machine, seals=Seals(Marks("bank", [keys])))


async def test_a_row_that_somebody_has_changed_counts_for_nothing_and_its_stream_is_folded(
    owner: Restart, tmp_path: Path
) -> None:
    """Found by an attacker: an account got 50,000.00 by one line of SQL."""
    sealed_house(owner)
    house = owner.house
    async with house.runner(shelf=owner.make):
        await house.ask(*(house.command("Deposit", stream, amount=5) for stream in STREAMS))
        await until(lambda: (m := latest(house.broker.records(NAMES.snapshots, PARTITION), house.machine)[0]) and m.low)
    first = await owner.known()
    shelf_file = next((tmp_path / "idle").glob(f"*.{PARTITION}"))
    with closing(sqlite3.connect(shelf_file, isolation_level=None)) as forged:
        [(value,)] = forged.execute("select value from shelf where stream = ?", STREAMS[:1]).fetchall()
        snapshot = msgspec.msgpack.decode(value[1:], type=Snapshot)
        richer = replace(house.machine.decode_state(STREAMS[0], snapshot.state), balance=5_000_000)
        state = house.machine.encode_state(STREAMS[0], richer)
        value = encoded(msgspec.structs.replace(snapshot, state=state))
        forged.execute("update shelf set value = ? where stream = ?", (value, STREAMS[0]))
    with pytest.raises(Unreadable):
        await owner.known()
    log = SimulatedLog(house.broker)
    made = await restore(log, house.machine, NAMES, PARTITION, aside={STREAMS[0]}, make=owner.make)
    made.shelf.close()
    assert (made.fold.position.next, first[1][STREAMS[0]][1] > 0) == (0, True)


async def test_a_row_put_together_from_two_true_ones_counts_for_nothing(owner: Restart, tmp_path: Path) -> None:
    """Found by an attacker: an account was set back to a true snapshot of before, and paid out a second time."""
    sealed_house(owner)
    house = owner.house
    shelf_file, rows = tmp_path / "idle" / f"{NAMES.snapshots}.{PARTITION}", list[tuple[int, bytes, bytes]]()
    for _ in range(2):
        async with house.runner(shelf=owner.make):
            await house.ask(*(house.command("Deposit", stream, amount=5) for stream in STREAMS))
            end = house.broker.end(NAMES.journal, PARTITION)
            await until(
                lambda end=end: (
                    (m := latest(house.broker.records(NAMES.snapshots, PARTITION), house.machine)[0]) and m.low >= end
                )
            )
        await owner.known()
        with closing(sqlite3.connect(shelf_file, isolation_level=None)) as kept_there:
            rows += kept_there.execute("select upto, value, seal from shelf where stream = ?", STREAMS[:1]).fetchall()
    (older, value, seal), (newer, *_) = rows
    assert older < newer
    with closing(sqlite3.connect(shelf_file, isolation_level=None)) as forged:
        forged.execute("update shelf set value = ?, seal = ? where stream = ?", (value, seal, STREAMS[0]))
    with pytest.raises(Unreadable):
        await owner.known()


async def test_what_does_not_stay_vouches_for_nothing(owner: Restart) -> None:
    """An older one, put together from parts, would have had what somebody wrote into the row believed."""
    sealed_house(owner)
    shelf = (await owner.start()).shelf
    place = Place("j", STREAMS[0], 9, 8, 1, b"", 0, msgspec.Raw(), msgspec.Raw(), b"")
    assert shelf.put(place, b"forged", b"a seal")
    assert not shelf.put(msgspec.structs.replace(place, upto=5), b"older")
    assert shelf.why_not(owner.house.machine.seals, STREAMS[0]) is not None
    assert shelf.put(place, b"from parts")
    assert not shelf.put(msgspec.structs.replace(place, upto=5), b"older", b"a seal")
    assert shelf.why_not(owner.house.machine.seals, STREAMS[0]) is None
    shelf.close()


async def test_a_runner_keeps_what_it_writes(owner: Restart, tmp_path: Path) -> None:
    house = owner.house
    async with house.runner(shelf=owner.make):
        await house.ask(house.command("Deposit", STREAMS[0], amount=5))
        before = owner.end
        await until(lambda: owner.end > before + 1)
    with closing(sqlite3.connect(next((tmp_path / "idle").glob(f"*.{PARTITION}")))) as kept_file:
        found = kept_file.execute("select count(*) from shelf").fetchone()
    assert found == (len(STREAMS),)
    assert (await owner.known())[1][STREAMS[0]][0] == 2
