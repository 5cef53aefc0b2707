"""A mark is true for one record in one place, by one writer, and for nothing else."""

import hmac
import stat
from dataclasses import dataclass
from pathlib import Path

import msgspec
import pytest

from libs.contracts.topics import HOUSE, TOPICS, topic
from libs.journal.foreign import Foreign, Judge
from libs.journal.log import Headers, LogRecord
from libs.journal.mark_keys import (
    ARCHIVE,
    ARCHIVED,
    ARCHIVIST,
    POSITIONED,
    PROCESSES,
    Disowned,
    MarksFile,
    Plan,
    hand_out,
    keys_of,
    marks_in,
    marks_of,
    plan_in,
)
from libs.journal.marks import ASKED, HEADER, SLACK_MS, Marking, Marks, MayNotWrite, digest_of, writer_of
from libs.sealing.key_files import BadKey
from tests.testkit.marks import GATEWAY, INSPECTOR, ROOT, TABLE, WALLET

COMMANDS, JOURNAL = topic("table", "commands").name, topic("table", "journal").name
PLACE = (COMMANDS, 2)
HEADERS: Headers = (("ce_id", b"1"), ("ce_type", b"t"))


def record(marks: Marking = GATEWAY, place=PLACE, key=b"table-1", value=b"{}", headers=HEADERS, offset=7) -> LogRecord:
    return LogRecord(offset, key, value, marks.marked(place, key, value, headers), 1_000)


def test_a_true_mark_names_its_writer() -> None:
    assert INSPECTOR.why_foreign(PLACE, record()) is None
    assert writer_of(record().headers) == "gateway"
    assert INSPECTOR.why_foreign(PLACE, record(TABLE)) is None
    assert writer_of(record(TABLE).headers) == "table"


def test_it_is_an_hmac_of_place_writer_key_value_and_headers() -> None:
    headers = HEADERS
    for topic_of_key, header in ((f"{COMMANDS}/asked", ASKED), (COMMANDS, HEADER)):
        (key,) = (k for k in keys_of("gateway", ROOT, Plan()) if (k.topic, k.writer) == (topic_of_key, "gateway"))
        covered = msgspec.msgpack.encode((PLACE, b"01gateway", b"table-1", b"{}", headers))
        expected = hmac.digest(key.key.reveal(), covered, "sha256")[:16].hex().encode() + b"01gateway"
        headers = (*headers, (header, expected))
    assert record().headers == headers
    # Clients that take headers for text (FastStream does) let a record with others fall.
    assert expected.isascii()


def test_who_checks_the_gateways_marks_can_not_make_its_second_one() -> None:
    """The wallet has the gateway's key of its commands, and writes there: a deposit in an operator's name would do.

    Where it only looks up what players have asked for it can't write.
    """
    auditor = Marks("audit", keys_of("audit", ROOT, Plan()))
    asked = {
        process: {each.topic.split(".")[1] for each in keys_of(process, ROOT, Plan()) if each.topic.endswith("/asked")}
        for process in ("table", "wallet", "tournament", "audit")
    }
    everything = {"table", "wallet", "tournament"}
    assert asked == {"table": set(), "wallet": {"table", "tournament"}, "tournament": set(), "audit": everything}
    for each in TOPICS:
        if each.kind == "commands" and each.name.split(".")[1] in asked["wallet"]:
            assert "wallet" not in each.writers
    true, forged = record(), record(Marks("gateway", keys_of("table", ROOT, Plan())))
    assert (auditor.why_foreign(PLACE, forged), auditor.why_not_asked(PLACE, true)) == (None, None)
    assert auditor.why_not_asked(PLACE, forged) == "no mark"
    moved = msgspec.structs.replace(forged, value=b"[]", headers=true.headers)
    assert auditor.why_not_asked(PLACE, moved) == "a wrong mark"


def test_any_change_makes_it_foreign() -> None:
    true = record()
    mark = true.headers[-1]
    changed = [
        msgspec.structs.replace(true, **change)
        for change in (
            {"key": b"table-2"},
            {"key": None},
            {"key": b"table-1{"},
            {"value": b"{ }"},
            {"value": None},
            {"headers": (*HEADERS[:1], mark)},
            {"headers": (*HEADERS[::-1], mark)},
            {"headers": (*HEADERS, ("ce_id", b"2"), mark)},
            {"headers": (("ce_id", b"1ce"), ("_type", b"t"), mark)},
            {"headers": (*true.headers, ("ce_id", b"2"))},
            {"headers": (*true.headers, mark)},
            {"headers": ()},
            {"headers": (*HEADERS, (HEADER, b""))},
            {"headers": (*HEADERS, (HEADER, mark[1][:32]))},
            {"headers": (*HEADERS, (HEADER, bytes(32) + mark[1][32:]))},
            {"headers": (*HEADERS, (HEADER, mark[1][:34] + b"table"))},
            {"headers": (*HEADERS, (HEADER, mark[1][:32] + b"02gateway"))},
            {"headers": (*HEADERS, (HEADER, mark[1].upper()))},
            {"headers": (*HEADERS, (HEADER, mark[1] + b"\0"))},
            {"headers": (*HEADERS, (HEADER, None))},
        )
    ]
    assert [each for each in changed if INSPECTOR.why_foreign(PLACE, each) is None] == []
    for place in ((COMMANDS, 1), (JOURNAL, 2), ("t1." + COMMANDS, 2), (topic("wallet", "commands").name, 2)):
        assert INSPECTOR.why_foreign(place, true), place


def test_a_prefix_sets_houses_apart_and_shares_keys() -> None:
    place = ("t1." + COMMANDS, 2)
    assert INSPECTOR.why_foreign(place, record(place=place)) is None
    assert INSPECTOR.why_foreign(("t2." + COMMANDS, 2), record(place=place)) == "a wrong mark"


def test_nobody_writes_what_the_table_of_topics_does_not_say() -> None:
    for process, place in ((GATEWAY, (JOURNAL, 0)), (WALLET, PLACE), (INSPECTOR, PLACE), (GATEWAY, ("other", 0))):
        with pytest.raises(MayNotWrite):
            process.marked(place, b"k", b"v", ())


@pytest.mark.parametrize("process", PROCESSES)
def test_a_process_holds_the_keys_of_what_it_writes_and_reads(process: str) -> None:
    held = {(key.topic, key.writer) for key in keys_of(process, ROOT, Plan())}
    for each in TOPICS:
        for writer in each.writers:
            needed = writer == process or process in (*each.readers, "inspector")
            assert ((each.name, writer) in held) == needed or process == "inspector", (each.name, writer)
    if process == "gateway":
        assert not {name for name, _ in held if "journal" in name or "snapshots" in name}
    if process == ARCHIVIST:
        assert held == {(each, ARCHIVIST) for each in (ARCHIVE, ARCHIVED)}, "what it takes out it has no need to judge"


def test_every_key_is_another_one() -> None:
    plan = Plan(accepted=(1, 2))
    keys = [key.key.reveal() for key in keys_of("inspector", ROOT, plan)]
    of_no_topic = 3 + len(POSITIONED) + 3  # backups, archives, histories, what gateways ask
    assert len(set(keys)) == len(keys) == 2 * (of_no_topic + sum(len(each.writers) for each in TOPICS))


def test_a_house_that_begins_to_mark_believes_what_was_there() -> None:
    marks = marks_of("audit", ROOT, Plan(unmarked={COMMANDS: [0, 0, 8, 0]}))
    bare = record(headers=())
    assert marks.why_foreign(PLACE, msgspec.structs.replace(bare, headers=())) is None
    assert marks.why_foreign(PLACE, msgspec.structs.replace(bare, headers=(), offset=8)) == "no mark"
    assert marks.why_foreign((COMMANDS, 1), msgspec.structs.replace(bare, headers=())) == "no mark"
    assert marks.why_foreign((JOURNAL, 9), msgspec.structs.replace(bare, headers=())) == "no mark"


def test_keys_are_rotated_while_play_goes_on() -> None:
    first, both, second = Plan(), Plan(accepted=(1, 2)), Plan(accepted=(1, 2), writes=2)
    retired = Plan(accepted=(1, 2), writes=2, retired={1: {COMMANDS: [0, 0, 7, 0]}})
    gateway = {plan: marks_of("gateway", ROOT, each) for plan, each in enumerate((first, both, second))}
    table = {plan: marks_of("table", ROOT, each) for plan, each in enumerate((first, both, second, retired))}

    for writes, reads, why in (
        (0, 1, None), (1, 0, None), (1, 2, None), (2, 1, None), (2, 3, None),
        (2, 0, "a writer without a key"), (0, 3, "a retired key"),
    ):  # fmt: skip
        assert table[reads].why_foreign(PLACE, record(gateway[writes])) == why, (writes, reads)
    assert table[3].why_foreign(PLACE, record(gateway[0], offset=6)) is None, "what was written before stays true"


def test_a_topic_that_is_made_anew_brings_no_retired_key_and_no_unmarked_record_back() -> None:
    """It begins at offset 0, below every bound: with a key that had leaked, or none, a deposit was taken in."""
    began, later = 1_000, 1_000 + SLACK_MS + 1
    plan = Plan(
        (1, 2),
        2,
        unmarked={COMMANDS: [0, 0, 8, 0]},
        retired={1: {COMMANDS: [0, 0, 9, 0]}},
        said_at={0: began, 1: began},
    )
    table, old = marks_of("table", ROOT, plan), record(marks_of("gateway", ROOT, Plan()), offset=8)
    bare = record(headers=(), offset=7)
    assert (table.why_foreign(PLACE, old), table.why_foreign(PLACE, msgspec.structs.replace(bare, headers=()))) == (
        None,
        None,
    )
    assert table.why_foreign(PLACE, msgspec.structs.replace(old, timestamp=later)) == "a retired key"
    assert table.why_foreign(PLACE, msgspec.structs.replace(bare, headers=(), timestamp=later)) == "no mark"


def test_keys_are_handed_out_in_files_that_only_their_owner_reads(tmp_path: Path) -> None:
    files = hand_out(tmp_path / "marks", ROOT, Plan(unmarked={COMMANDS: [1]}))

    assert plan_in(tmp_path / "marks").unmarked == {COMMANDS: [1]}
    for process, file in files.items():
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        assert marks_in(file).why_foreign(PLACE, record()) == (
            None if process not in ("tournament", ARCHIVIST, HOUSE) else "a writer without a key"
        )
    assert ROOT.hex() not in "".join(file.read_text() for file in files.values())
    with pytest.raises(MayNotWrite):
        marks_in(files["table"]).marked((topic("wallet", "journal").name, 0), b"", b"", ())


@pytest.mark.parametrize("text", ["", "{}", '{"process": "table", "plan": {}, "keys": [{"key": "5ec2e7"}]}', "\xff"])
def test_a_key_file_that_is_none_is_named_and_not_quoted(tmp_path: Path, text: str) -> None:
    file = tmp_path / "table.json"
    file.write_text(text, encoding="latin-1")
    for each in (file, tmp_path / "nowhere.json"):
        with pytest.raises(BadKey, match=each.name) as refused:
            marks_in(each)
        assert "5ec2e7" not in str(refused.value)


def test_no_key_shows() -> None:
    key = next(iter(keys_of("table", ROOT, Plan())))
    assert key.key.reveal().hex() not in repr(key) + repr(vars(TABLE))
    assert repr(key.key.reveal()) not in repr(key) + repr(vars(TABLE))


@dataclass
class Told:
    foreign: list[Foreign]

    def __call__(self, foreign: Foreign) -> None:
        self.foreign.append(foreign)


def test_what_is_foreign_is_told_once_however_often_it_is_read() -> None:
    told = Told([])
    judge = Judge(INSPECTOR, PLACE, told)
    true, forged = record(offset=1), msgspec.structs.replace(record(offset=2), value=b"[]")
    bare = LogRecord(3, None, None, (), 5)
    stranger = LogRecord(4, b"", b"", ((HEADER, bytes(34) + b"mallory"),), 6)

    for _ in range(2):
        assert judge.true([true, forged, bare, stranger]) == [true]
    assert told.foreign == [
        Foreign(*PLACE, 2, "a wrong mark", "gateway", 1_000),
        Foreign(*PLACE, 3, "no mark", "", 5),
        Foreign(*PLACE, 4, "a writer without a key", "", 6),
    ]


def test_a_file_that_is_handed_out_anew_is_seen_and_a_broken_one_is_not(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    now = 0.0
    files = hand_out(tmp_path, ROOT, Plan())
    table, audit = (MarksFile(files[each], lambda: now) for each in ("table", "audit"))
    before = record(table)
    hand_out(tmp_path, ROOT, Plan(accepted=(1, 2), writes=2))
    assert record(table) == before, "not before a second is over"
    now = 1.1
    after = record(table)
    assert [writer_of(each.headers) for each in (before, after)] == ["table", "table"]
    assert before.headers != after.headers
    assert [audit.why_foreign(PLACE, each) for each in (before, after)] == [None, None]

    files["audit"].write_text("nothing")
    now = 2.2
    assert audit.why_foreign(PLACE, after) is None
    assert "marks stay as they were: audit.json holds no keys" in caplog.text
    files["audit"].unlink()
    now = 3.3
    assert audit.why_foreign(PLACE, after) is None


def test_a_disowned_record_is_foreign_and_another_in_its_place_is_not(tmp_path: Path) -> None:
    """So nothing is lost that a topic holds which was made anew."""
    place = (topic("table", "events").name, 2)
    forged = record(TABLE, place)
    said = Disowned(*place, forged.offset, digest_of(forged), "case 7", 1)
    marks = marks_in(hand_out(tmp_path, ROOT, Plan(disowned=(said,)))["wallet"])
    assert plan_in(tmp_path).disowned == (said,)
    assert marks.why_foreign(place, forged) == "disowned by the owner of the house"
    assert marks.why_foreign(place, msgspec.structs.replace(forged, offset=8)) is None
    assert marks.why_foreign(place, record(TABLE, place, value=b"[]")) is None
