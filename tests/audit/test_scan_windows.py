"""`croupier scan` in windows: whatever was dealt and written when, a leak that tells its time or its hand is found."""

import asyncio
from base64 import urlsafe_b64encode
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import asyncpg
import msgspec
import pytest

from libs.contracts.topics import VIEWS, topic
from services.cli import scan
from services.cli.journals import books
from services.cli.scan import Kept, Report, Where, scan_house
from services.cli.secrecy import dealt
from services.cli.secrecy.dealt import Dealt
from services.cli.secrecy.hands import Hand, hands_of
from services.cli.secrecy.places import Lines, Rows
from tests.audit.played import GATEWAY_KEY, KEK, KEKS, KEYRING, PlayedHouse
from tests.testkit.partitions import PARTITIONS, partition_of

KEYS = {"gateway_key": GATEWAY_KEY}
HANDS = 12
PAUSE_MS = 60_000


@pytest.fixture(autouse=True)
def small_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dealt, "AT_ONCE", 2)


def house_of(hands: int = HANDS) -> PlayedHouse:
    house = PlayedHouse(seed=5)
    house.open()
    for _ in range(hands):
        house.play(1)
        house.now += PAUSE_MS
    return house


@pytest.fixture(scope="module")
def house() -> PlayedHouse:
    return house_of()


@pytest.fixture(scope="module")
def hands(house: PlayedHouse) -> list[Hand]:
    return asyncio.run(every_hand(house))


async def every_hand(house: PlayedHouse) -> list[Hand]:
    return [hand async for hand in hands_of(house.log, books(KEYRING, PARTITIONS)[0])]


async def scanned(house: PlayedHouse, *files: Path, since: int = 0, place: Path | None = None) -> Report:
    where = Where(house.log, PARTITIONS, None, files)
    return await scan_house(where, KEKS, KEYS, GATEWAY_KEY, since=since, place=place)


def written(at: int, what: bytes) -> bytes:
    return (
        b'{"timestamp":"' + datetime.fromtimestamp(at / 1000, UTC).isoformat().encode() + b'","said":"' + what + b'"}\n'
    )


def hole(hand: Hand) -> str:
    return " ".join(hand.hidden_holes()[0])


async def test_an_honest_house_is_clean_in_windows(house: PlayedHouse) -> None:
    report = await scanned(house)
    assert report.findings == []
    assert (report.hands, report.windows, report.deals_opened) == (HANDS, HANDS // 2, 4 * HANDS)
    assert report.events_in_order > 200


async def test_nothing_is_searched_twice_or_left_out(house: PlayedHouse, monkeypatch: pytest.MonkeyPatch) -> None:
    in_windows = await scanned(house)
    monkeypatch.setattr(dealt, "AT_ONCE", 1_000)
    at_once = await scanned(house)
    assert at_once.windows == 1
    assert (in_windows.topics, in_windows.words, in_windows.hidden_holes) == (
        at_once.topics, at_once.words, at_once.hidden_holes
    )  # fmt: skip


SECRETS: dict[str, Callable[[Hand], bytes]] = {
    "hole cards": lambda hand: hole(hand).encode(),
    "a run of the deck": lambda hand: str(list(hand.deck.cards[20:30])).encode(),
    "the salt secret in hex": lambda hand: hand.deck.salt_secret.hex().encode(),
    "the data key in base64": lambda hand: b"key-" + urlsafe_b64encode(b"." + hand.deck.data_key),
    "a run of the deck as it is": lambda hand: b"deck " + hand.deck.cards[21:40].replace(b"\n", b""),
}


@pytest.mark.parametrize("secret", SECRETS)
@pytest.mark.parametrize("number", [1, 6, 11])
async def test_a_leak_in_a_log_of_its_time_is_found(
    house: PlayedHouse, hands: list[Hand], tmp_path: Path, secret: str, number: int
) -> None:
    hand = next(each for each in hands[number - 1 :] if each.hidden_holes())
    file = tmp_path / "table.jsonl"
    lines = [written(each.began, b"nothing") for each in hands]
    lines.insert(hands.index(hand) + 1, written(hand.ended + 500, SECRETS[secret](hand)))
    file.write_bytes(b"".join(lines))
    report = await scanned(house, file)
    assert {each.place for each in report.findings} == {f"table.jsonl:{hands.index(hand) + 2}"}
    assert {each.what.partition(":")[0] for each in report.findings} == {f"table-1 hand {hand.number}"}
    assert report.lines.texts == len(lines)


@pytest.mark.parametrize("secret", SECRETS)
async def test_a_leak_that_tells_no_time_is_found_whenever_it_was_dealt(
    house: PlayedHouse, hands: list[Hand], tmp_path: Path, secret: str
) -> None:
    file = tmp_path / "notes.txt"
    leaking = [hand for hand in hands if hand.hidden_holes()]
    file.write_bytes(b"".join(SECRETS[secret](hand) + b"\n" for hand in leaking))
    found = (await scanned(house, file)).findings
    assert {each.place for each in found} == {f"notes.txt:{n}" for n in range(1, len(leaking) + 1)}


@pytest.mark.parametrize("secret", SECRETS)
async def test_a_leak_that_names_its_hand_is_found_long_after(
    house: PlayedHouse, hands: list[Hand], tmp_path: Path, secret: str
) -> None:
    hand = next(each for each in hands if each.hidden_holes())
    named = f"table-1 hand: {hand.number} had ".encode()
    file = tmp_path / "table.jsonl"
    file.write_bytes(written(hands[-1].began, named + SECRETS[secret](hand)))
    found = (await scanned(house, file)).findings
    assert {each.what.partition(":")[0] for each in found} == {f"table-1 hand {hand.number}"}
    file.write_bytes(written(hands[-1].began, SECRETS[secret](hand)))
    assert (await scanned(house, file)).findings == [], "what tells neither, and was written long after, is not found"


async def test_a_key_is_found_in_whatever_was_written_when(
    house: PlayedHouse, hands: list[Hand], tmp_path: Path
) -> None:
    file = tmp_path / "table.jsonl"
    file.write_bytes(b"".join(written(each.began, KEK.hex().encode()) for each in hands))
    assert len((await scanned(house, file)).findings) == HANDS


async def test_a_leak_in_another_hands_event_is_found() -> None:
    house = house_of(6)
    hand = next(each for each in await every_hand(house) if each.number >= 3)
    name, partition = topic("table", "events").name, partition_of("table-1")
    slots = house.broker.partition(name, partition).slots
    at = next(
        r for r in slots if r and dict(r.headers)["ce_type"].endswith(b"hand_started.v1") and r.timestamp > hand.ended
    )
    slots[at.offset] = msgspec.structs.replace(at, headers=(*at.headers, ("x", hand.deck.data_key)))
    found = (await scanned(house)).findings
    assert {(each.place, each.what) for each in found} == {
        (f"{name}/{partition}@{at.offset}", f"table-1 hand {hand.number}: its data key")
    }


async def test_a_leak_in_a_view_that_recalls_an_old_hand_is_found() -> None:
    house = house_of()
    hand = next(each for each in await every_hand(house) if each.hidden_holes())
    recalled = [{"table": "table-1", "hand": hand.number, "board": sorted(hand.hidden_cards)[:1]}]
    state = msgspec.msgpack.encode([{"table": "table-1", "version": 3}, recalled, 0])
    kept = msgspec.msgpack.encode([b"b" * 16, "table-1", 7, 3, state])
    offset = house.broker.land(VIEWS.name, 0, [(b"table/table-1", kept, ())])
    assert [each.place for each in (await scanned(house)).findings] == [f"{VIEWS.name}/0@{offset}"]


@pytest.mark.stack
async def test_rows_are_dated_by_their_own_columns(house: PlayedHouse, hands: list[Hand], bare_database: str) -> None:
    hand = next(each for each in hands[4:] if each.hidden_holes())
    early = next(each for each in hands if each.hidden_holes())
    connection = await asyncpg.connect(bare_database)
    await connection.execute("create table notes (at bigint, note text)")
    await connection.execute("create table asked (command_id bytea, note text)")
    await connection.execute("create table plain (id int, note text)")
    of_its_time = (hand.ended + 1_000).to_bytes(6, "big") + b"\x70" + bytes(9)
    await connection.execute("insert into notes values ($1, $2), ($3, 'nothing')", hand.ended, hole(hand), early.began)
    await connection.execute("insert into asked values ($1, $2), (null, $3)", of_its_time, hole(hand), hole(early))
    await connection.execute("insert into plain select 1, $1", hole(early))
    await connection.execute("insert into notes values ($1, $2)", hands[-1].began, hole(early))
    await connection.close()
    report = await scan_house(Where(house.log, PARTITIONS, bare_database), KEKS, KEYS, GATEWAY_KEY)
    told = {(each.place, each.what.partition(":")[0]) for each in report.findings}
    assert told == {
        ("public.notes", f"table-1 hand {hand.number}"),
        ("public.asked", f"table-1 hand {hand.number}"),
        ("public.asked", f"table-1 hand {early.number}"),
        ("public.plain", f"table-1 hand {early.number}"),
    }
    assert report.rows.texts == 6


@pytest.mark.stack
async def test_of_what_lies_by_month_one_month_is_open(bare_database: str) -> None:
    """All of them sorted at once, and a page of each in memory, were 613 MB and more files than the login may have, at
    ten million events. Nothing is left out by it, whatever lies in a month's table."""
    connection = await asyncpg.connect(bare_database)
    try:
        for month in range(12):
            await connection.execute(f"create table month_{month} (at bigint, said text)")
            rows = [(1_000 * month + n * 7 % 1_000, f"{month}/{n}") for n in range(1_200)]
            await connection.executemany(f"insert into month_{month} values ($1, $2)", rows)
        await connection.execute("create table empty (at bigint); create table late (at bigint, said text)")
        await connection.executemany("insert into late values ($1, 'late')", [(n,) for n in range(11_400, 11_402)])
        async with connection.transaction(readonly=True):
            found, open_, searched = list[bytes](), list[int](), Rows(connection, 0)
            await searched.find()
            for until in (*range(500, 12_001, 500), 2**62):
                found += [text.content async for text in searched.below(until)]
                open_.append(await connection.fetchval("select count(*) from pg_cursors where name like 'scan%'"))
    finally:
        await connection.close()
    assert max(open_) <= 2
    assert open_[-1] == 0
    assert len(found) == len(set(found)) == 12 * 1_200 + 2


async def test_the_next_scan_goes_on_where_this_one_found_nothing(
    house: PlayedHouse, hands: list[Hand], tmp_path: Path
) -> None:
    place, file = tmp_path / "scan.json", tmp_path / "table.jsonl"
    file.write_bytes(written(hands[0].ended, b"nothing"))
    first = await scanned(house, file, place=place)
    assert msgspec.json.decode(place.read_bytes(), type=Kept).until == first.until
    leak = next(each for each in hands[6:] if each.hidden_holes())
    file.write_bytes(written(hands[0].ended, KEK.hex().encode()) + written(leak.ended, hole(leak).encode()))
    again = await scanned(house, file, since=leak.began)
    assert [each.place for each in again.findings] == ["table.jsonl:2"], "what is older was searched before"
    assert again.topics.texts < first.topics.texts
    assert again.events_in_order > 0
    place.write_bytes(msgspec.json.encode(Kept(5)))
    await scanned(house, file, place=place)
    assert scan._kept(place) == 5, "the place never passes a finding by"


async def test_what_began_before_is_no_finding(house: PlayedHouse, hands: list[Hand]) -> None:
    """From any moment of a hand on: its cards are shown though nothing told that it had begun."""
    hand = next(each for each in hands[3:] if each.public)
    for since in range(hand.began - 20, hand.ended + 20, 35):
        report = await scanned(house, since=since)
        assert report.findings == []
        assert report.events_in_order > 0


async def test_an_interrupted_scan_leaves_how_far_it_came(
    house: PlayedHouse, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place, windows = tmp_path / "scan.json", 0

    class Ended(Exception):
        pass

    whole = Dealt.looked_for

    def looked_for(self: Dealt, window: dealt.Window) -> object:
        nonlocal windows
        windows += 1
        if windows == 4:
            raise Ended
        return whole(self, window)

    monkeypatch.setattr(Dealt, "looked_for", looked_for)
    with pytest.raises(Ended):
        await scanned(house, place=place)
    until = scan._kept(place)
    assert until > 0
    report = await scanned(house, place=place, since=until)
    assert report.findings == []
    assert report.windows == HANDS // 2 - 3


def test_lines_wait_for_their_time(tmp_path: Path) -> None:
    file = tmp_path / "log"
    told = (
        b'{"timestamp":"2026-01-02T03:04:05.678901Z","n":1}\n',
        b"  of the same time\n",
        b"2026-01-02 05:04:06+02:00 n\n",
    )
    file.write_bytes(b"no time yet\n" + b"".join(told))
    at = 1_767_323_045_678
    lines = Lines(file, 0)
    assert [text.place for text in lines.undated()] == ["log:1"]
    assert list(lines.below(at)) == []
    assert [text.place for text in lines.below(at + 1)] == ["log:2", "log:3"]
    assert list(lines.below(at + 2)) == []
    assert [text.place for text in lines.below(2**62)] == ["log:4"]


async def test_no_deck_lies_in_clear_on_disk(hands: list[Hand]) -> None:
    held = Dealt()
    for hand in hands:
        held.add(hand)
    raw = b"".join(row[0] for row in held._at.execute("select sealed from dealt"))
    assert all(hand.deck.cards not in raw and hand.deck.salt_secret not in raw for hand in hands)
    again = held.get((hands[3].table, hands[3].number))
    assert again is not None
    assert (again.deck.cards, again.hole, again.public) == (hands[3].deck.cards, hands[3].hole, hands[3].public)
