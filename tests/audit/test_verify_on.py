"""`croupier verify --from FILE`: goes on from the last walk, counts what came since, and believes only its own file."""

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from libs.contracts.registry import decode_fact, encode_fact
from libs.contracts.topics import topic
from libs.contracts.wallet_events import FundsDeposited
from libs.identity.reads import Reached
from libs.journal.commit import Commit, decode
from libs.journal.log import LogRewritten
from libs.stack import StackError
from services.audit import checkpoints as outside
from services.audit.checkpoints import Lines
from services.audit.verifying import dealt
from services.audit.verifying.checkpoint import Checkpoint, public_hex
from services.audit.verifying.findings import Kind
from services.cli.journals import books
from services.cli.verified import FORMAT, Place, Point
from services.cli.verify import Report, verify_log
from tests.audit.played import KEYRING, PlayedHouse, played
from tests.audit.test_verify import AT, KEY, TABLE, WALLET, checkpoint, kinds, replace, rewrite, verified
from tests.testkit.partitions import PARTITIONS, partition_of

SECRET = bytes(32)
COUNTED = ("hands", "hands_ended", "decks_opened", "cards_proved", "published")


async def goes_on(
    house: PlayedHouse, file: Path, checkpoints: Iterable[Checkpoint] = (), secret: bytes = SECRET
) -> Report:
    with Point(file, secret, "this house") as point:
        return await verify_log(house.log, books(KEYRING, PARTITIONS), checkpoints, public_hex(KEY), point=point)


def counted(report: Report) -> Counter[str]:
    """What a walk has met."""
    found = Counter({name: getattr(report, name) for name in COUNTED})
    for name, service in report.services.items():
        found |= Counter({f"{name} {each}": getattr(service, each) for each in service.__struct_fields__})
    return found


def content(file: Path) -> bytes:
    return file.read_bytes()


def put(file: Path, raw: bytes) -> None:
    file.write_bytes(raw)


def mode(file: Path) -> int:
    return file.stat().st_mode & 0o777


@pytest.mark.parametrize("kind", ["folder", "pipe"])
def test_what_is_no_file_is_refused_at_once(tmp_path: Path, kind: str) -> None:
    place = tmp_path / "point"
    place.mkdir() if kind == "folder" else os.mkfifo(place)
    with pytest.raises(StackError, match="no regular file"):
        Point(place, SECRET, "this house")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "kept" / "verified"


async def test_parts_of_a_walk_come_to_the_whole_wherever_it_was_interrupted(file: Path) -> None:
    """In the middle of a hand as well: its deck lies sealed in the table's state."""
    house = played(hands=2)
    parts, before = Counter[str](), -1
    for steps in (0, 3, 1, 4, 11, 6, 2, 25):
        for _ in range(steps):
            house.step()
        report = await goes_on(house, file)
        assert (report.findings, report.since is None) == ([], before < 0)
        before = report.published
        parts += counted(report)
    whole = await verified(house)
    assert parts == counted(whole)
    assert whole.hands_ended >= 3
    again = await goes_on(house, file)
    assert (again.findings, sum(each.records for each in again.services.values()), again.published) == ([], 0, 0)


async def test_who_comes_and_goes_between_two_walks_is_no_failure(file: Path) -> None:
    house = played(hands=2)
    assert (await goes_on(house, file)).findings == []
    house.sit("player-9", 4_000)
    house.play(2)
    house.leave("player-1")
    house.settle()
    report = await goes_on(house, file)
    assert (report.findings, report.hands, report.services["wallet"].events > 3) == ([], 2, True)


async def test_money_changed_behind_the_point_is_found_as_a_whole_walk_finds_it(file: Path) -> None:
    house = played(hands=2)
    await goes_on(house, file)
    kept = content(file)
    house.sit("player-1", 3_000)

    def more(commit: Commit) -> Commit:
        deposited = decode_fact(*commit.events[0])
        assert isinstance(deposited, FundsDeposited)
        return replace(commit, events=(encode_fact(replace(deposited, amount=deposited.amount + 1)),))

    account = partition_of("account-player-1-EUR")
    last = next(
        record.offset for record in reversed(house.broker.records(WALLET, account))
        if "funds_deposited" in decode(record.value).events[0][0]
    )  # fmt: skip
    rewrite(house, WALLET, account, last, more)
    assert kinds(await goes_on(house, file)) == kinds(await verified(house)) >= {Kind.ACCOUNT, Kind.PUBLICATION}
    assert content(file) == kept, "who finds something leaves the point where it was: the next walk tells it again"


async def test_a_journal_told_anew_below_the_point_is_seen_by_its_last_record(file: Path) -> None:
    house = played(hands=2)
    await goes_on(house, file)
    rewrite(house, TABLE, AT, 5, lambda commit: replace(commit, writer="somebody else"))
    with pytest.raises(LogRewritten):
        await goes_on(house, file)
    house = played(hands=2)
    house.broker.truncate(TABLE, AT, 30)
    with pytest.raises(LogRewritten):
        await goes_on(house, file)


async def test_a_single_record_changed_below_the_point_is_for_the_whole_walk_to_find(file: Path) -> None:
    """What going on trusts: docs/sre.md says so, and to verify the whole now and then."""
    house = played(hands=2)
    await goes_on(house, file)
    slots = house.broker.partition(TABLE, AT).slots
    assert slots[20] is not None
    slots[20] = replace(slots[20], value=(slots[20].value or b"")[:-1])
    assert (await goes_on(house, file)).findings == []
    assert (await verified(house)).findings


async def test_what_was_published_and_not_decided_after_the_point_is_found(file: Path) -> None:
    house = played(hands=2)
    await goes_on(house, file)
    house.play(1)
    name = topic("table", "events").name
    slots = house.broker.partition(name, AT).slots
    assert slots[-1] is not None
    slots[-1] = replace(slots[-1], value=(slots[-1].value or b"").replace(b'"hand":', b'"hand":1'))
    assert kinds(await goes_on(house, file)) == {Kind.PUBLICATION}
    del slots[-1]
    assert kinds(await goes_on(house, file)) == {Kind.PUBLICATION}, "not published is found, too"


async def test_checkpoints_are_taken_up_where_they_were_left(file: Path) -> None:
    house = played(hands=1)
    first = checkpoint(house)
    house.play(1)  # after the first was signed, and before the walk
    assert (await goes_on(house, file, [first])).findings == []
    second = checkpoint(house, first)
    house.play(1)
    third = checkpoint(house, second)
    report = await goes_on(house, file, [first, second, third])
    assert (report.findings, report.checkpoints) == ([], 2)
    house.play(1)
    fourth = checkpoint(house, third)
    forged = replace(fourth, signature=third.signature)
    assert kinds(await goes_on(house, file, [first, second, third, forged])) == {Kind.CHECKPOINT}
    with pytest.raises(StackError, match="checkpoint 3 is not there"):
        await goes_on(house, file, [first, second])
    house.broker.truncate(TABLE, AT, len(house.broker.partition(TABLE, AT).slots) - 1)
    found = await goes_on(house, file, [first, second, third, fourth])
    assert Kind.CHECKPOINT in kinds(found), "what the fourth has signed was cut off"


@pytest.fixture
def lines_read(monkeypatch: pytest.MonkeyPatch) -> Callable[[], int]:
    """How many lines of the checkpoints' file were decoded since it was asked before."""
    count = [0]

    class Counting:
        def decode(self, line: bytes) -> Checkpoint:
            count[0] += 1
            return msgspec.json.decode(line, type=Checkpoint)

    monkeypatch.setattr(outside, "_LINE", Counting())

    def since() -> int:
        found, count[0] = count[0], 0
        return found

    return since


def signed(house: PlayedHouse, count: int) -> list[Checkpoint]:
    """So many, one after each hand."""
    found = list[Checkpoint]()
    for _ in range(count):
        house.play(1)
        found.append(checkpoint(house, found[-1] if found else None))
    return found


def as_lines(path: Path, checkpoints: Iterable[Checkpoint], before: bytes = b"") -> Lines:
    path.write_bytes(before + b"".join(msgspec.json.encode(each) + b"\n" for each in checkpoints))
    return Lines(path)


async def test_a_walk_reads_the_lines_that_came_since_the_one_before(
    file: Path, tmp_path: Path, lines_read: Callable[[], int]
) -> None:
    """All of the file was decoded: a minute and more of CPU after a year of a thousand tables."""
    house, outside = played(hands=1), tmp_path / "checkpoints.jsonl"
    made = signed(house, 6)
    assert (await goes_on(house, file, as_lines(outside, made[:4]))).checkpoints == 4
    lines_read()
    report = await goes_on(house, file, as_lines(outside, made))
    assert (report.findings, report.checkpoints, lines_read()) == ([], 2, 3), "the one that was met, and the new ones"
    for _ in range(2):
        report = await goes_on(house, file, Lines(outside))
        assert (report.findings, report.checkpoints, lines_read()) == ([], 0, 1)

    for lines, before, read in ((made[1:], b"", 5), (made, b"cut short\n", 6)):
        report = await goes_on(house, file, as_lines(outside, lines, before))
        assert (report.findings, report.checkpoints) == ([], 0), "it is looked for where it is not at its byte"
        assert lines_read() >= read
        report = await goes_on(house, file, Lines(outside))
        assert (report.findings, report.checkpoints, lines_read()) == ([], 0, 1), "and was found there"


async def test_a_line_in_the_place_of_the_one_that_was_met_is_not_gone_on_from(file: Path, tmp_path: Path) -> None:
    house, outside = played(hands=1), tmp_path / "checkpoints.jsonl"
    *met, fifth, sixth = signed(house, 6)
    await goes_on(house, file, as_lines(outside, met))
    kept = content(file)
    forged = replace(met[-1], root="ab" * 32)  # of the same number, as long, at the same byte
    for changed in ([*met[:-1], forged, fifth], met[:-1], [*met[:-1], fifth, sixth], [sixth]):
        with pytest.raises(StackError, match="checkpoint 4 is not there"):
            await goes_on(house, file, as_lines(outside, changed))
    twice = [*met, fifth, met[-1], sixth]
    assert kinds(await goes_on(house, file, as_lines(outside, twice))) == {Kind.CHECKPOINT}
    assert content(file) == kept
    assert (await goes_on(house, file, as_lines(outside, [*met, fifth, sixth]))).checkpoints == 2


async def test_a_point_of_before_it_kept_the_byte_and_the_trails_is_gone_on_with(
    file: Path, tmp_path: Path, lines_read: Callable[[], int]
) -> None:
    written = msgspec.msgpack.encode(
        {"format": FORMAT, "house": "h", "at": 1, "checkpoint": 2, "link": "ab", "reached": [], "published": {"t/0": 3}}
    )
    assert msgspec.msgpack.decode(written, type=Place) == Place(FORMAT, "h", 1, 2, "ab", (), {"t/0": 3}, 0, {})
    house, outside = played(hands=1), tmp_path / "checkpoints.jsonl"
    made = signed(house, 4)
    await goes_on(house, file, made[:2])  # it knows no byte
    for checkpoints, read in ((2, 1 + 4), (0, 1)):
        report = await goes_on(house, file, as_lines(outside, made))
        assert (report.findings, report.checkpoints, lines_read()) == ([], checkpoints, read)


async def test_how_far_trails_were_walked_is_kept_where_all_holds(file: Path) -> None:
    house = played(hands=1)
    there = {"audit": Reached(7, 6, b"digest"), "wallet": Reached()}
    for trails in (there, {**there, "audit": Reached(9, 9, b"another")}):
        with Point(file, SECRET, "this house") as point:
            point.trails.update(trails)
            report = await verify_log(house.log, books(KEYRING, PARTITIONS), point=point)
            assert report.findings == []
        with Point(file, SECRET, "this house") as point:
            assert point.trails == trails
        house.play(1)
    name = topic("table", "events").name
    del house.broker.partition(name, AT).slots[-1]
    with Point(file, SECRET, "this house") as point:
        point.trails.update(there)
        assert (await verify_log(house.log, books(KEYRING, PARTITIONS), point=point)).findings
    with Point(file, SECRET, "this house") as point:
        assert point.trails["audit"].row == 9


async def test_checkpoints_that_came_later_want_a_whole_walk(file: Path) -> None:
    house = played(hands=1)
    await goes_on(house, file)
    with pytest.raises(StackError, match="verify from the start"):
        await goes_on(house, file, [checkpoint(house)])


async def test_a_file_that_verify_has_not_written_is_not_believed(file: Path) -> None:
    house = played(hands=1)
    await goes_on(house, file)
    kept = content(file)
    for at in (0, len(kept) // 2, len(kept) - 1):
        put(file, kept[:at] + bytes([kept[at] ^ 1]) + kept[at + 1 :])
        with pytest.raises(StackError, match="not as verify has left it"):
            await goes_on(house, file)
    for cut in (b"", kept[:-40], kept + b"x"):
        put(file, cut)
        with pytest.raises(StackError, match="not as verify has left it"):
            await goes_on(house, file)
    put(file, kept)
    with pytest.raises(StackError, match="not as verify has left it"):
        await goes_on(house, file, secret=bytes(31) + b"\1")
    with pytest.raises(StackError, match="another house"), Point(file, SECRET, "another house"):
        pass
    assert mode(file) == 0o600


async def test_an_older_file_put_back_makes_the_walk_longer_and_no_more(file: Path) -> None:
    house = played(hands=1)
    await goes_on(house, file)
    older = content(file)
    house.play(2)
    assert (await goes_on(house, file)).hands == 2
    house.play(1)
    put(file, older)
    report = await goes_on(house, file)
    assert (report.findings, report.hands) == ([], 3)


async def test_the_deck_of_a_hand_under_way_is_there_again_and_lies_in_no_file(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    house = played(hands=1)
    while house.state.hand is None or house.state.hand.turn is None:
        house.step()
    deck = house.state.hand.deck
    await goes_on(house, file)
    assert deck.salt_secret not in content(file)
    while house.state.hand is not None:
        house.step()
    held, proved = list[bool](), dealt._proved

    def spied(decks: dealt.PublicDecks, shown: Any) -> Iterator[dealt.Complaint]:
        held.append(isinstance(decks, dealt.Decks) and decks.deck == deck)
        yield from proved(decks, shown)

    monkeypatch.setattr(dealt, "_proved", spied)
    assert (await goes_on(house, file)).findings == []
    assert held
    assert all(held)
