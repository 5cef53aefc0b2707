"""`croupier scan`: an honest house is clean, and every kind of leak that is planted is found where it was planted."""

import asyncio
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Callable
from pathlib import Path
from typing import Any

import asyncpg
import msgspec
import pytest
from msgspec.structs import replace

from libs.contracts.topics import TABLE_PRIVATE, VIEWS, topic
from libs.journal.log import LogRecord
from libs.sealing.merkle import salts_of
from services.cli.journals import books
from services.cli.scan import Report, scan_log
from services.cli.secrecy.hands import Hand, hands_of
from services.cli.secrecy.places import record_texts
from tests.audit.played import GATEWAY_KEY, KEK, KEKS, KEYRING, NEXT_KEK, PlayedHouse, played
from tests.testkit.partitions import PARTITIONS, partition_of
from tests.testkit.simulated import SimulatedLog

KEYS = {"gateway_key": GATEWAY_KEY}
REPLIES = "croupier.replies.v1"


@pytest.fixture(scope="module")
def house() -> PlayedHouse:
    return played(hands=6, seed=5)


async def scanned(house: PlayedHouse, *files: Path, database: str | None = None) -> Report:
    return await scan_log(house.log, PARTITIONS, KEKS, KEYS, GATEWAY_KEY, database, files)


def hidden(house: PlayedHouse) -> Hand:
    """A hand of the house with hole cards that were never shown, and keys that stay on one line of a log."""

    return asyncio.run(first_hidden(house))


async def first_hidden(house: PlayedHouse) -> Hand:
    return await anext(
        hand
        async for hand in hands_of(house.log, books(KEYRING, PARTITIONS)[0])
        if hand.hidden_holes() and b"\n" not in hand.deck.data_key
    )


@pytest.fixture(scope="module")
def hand(house: PlayedHouse) -> Hand:
    return hidden(house)


async def test_an_honest_house_is_clean(house: PlayedHouse) -> None:
    report = await scanned(house)
    assert report.findings == []
    assert (report.hands, report.deals_opened) == (6, 24)
    assert report.hidden_holes > 0
    assert report.topics.texts > 200
    assert report.events_in_order > 100


async def test_of_a_hand_whose_cards_do_not_open_nothing_is_said_and_it_is_counted(house: PlayedHouse) -> None:
    second = KEKS.rotated(b"", 0).without(1)
    report = await scan_log(house.log, PARTITIONS, second, KEYS, GATEWAY_KEY, None)
    assert (report.findings, report.hands, report.lost, report.deals_opened) == ([], 0, 6, 0)


def hole(hand: Hand) -> list[str]:
    return list(hand.hidden_holes()[0])


def eight_on_one_line(cards: bytes) -> bytes:
    """Eight cards in a row without the one whose number is a line feed: files are searched line by line."""
    return next(cards[at : at + 8] for at in (30, 40) if b"\n" not in cards[at : at + 8])


LEAKS: dict[str, Callable[[Hand], bytes]] = {
    "hole cards in the order of the deal": lambda h: " ".join(hole(h)).encode(),
    "hole cards sorted, as JSON": lambda h: str(sorted(hole(h))).replace("'", '"').encode(),
    "hole cards joined by nothing": lambda h: b'"' + "".join(hole(h)).encode() + b'"',
    "hole cards joined by commas": lambda h: b"seat 3 holds " + ",".join(hole(h)).encode() + b".",
    "hole cards as MessagePack strings": lambda h: b"\x94" + b"".join(b"\xa2" + c.encode() for c in hole(h)),
    "hole cards as numbers, hand named": lambda h: f'{{"table":"table-1","hand":{h.number},"c":'.encode()
    + str([h.deck.cards[p] for p in next(p for p in h.hole.values() if not h.public.issuperset(p))]).encode() + b"}",
    "one card, hand named": lambda h: f'{{"table":"table-1","hand":{h.number},"card":"{hole(h)[0]}"}}'.encode()
    if hole(h)[0] in h.hidden_cards else f'{{"table":"table-1","hand":{h.number},"card":"{hole(h)[3]}"}}'.encode(),
    "the deck as bytes": lambda h: b"xyz" + h.deck.cards,
    "eight cards of the deck as bytes": lambda h: b"." * 13 + eight_on_one_line(h.deck.cards) + b"." * 5,
    "the deck as numbers": lambda h: str(list(h.deck.cards)).encode(),
    "the deck backwards, as names": lambda h: " ".join(h.card(p) for p in range(51, -1, -1)).encode(),
    "the deck in hex": lambda h: h.deck.cards.hex().encode(),
    "the deck in base64": lambda h: b"a" + b64encode(b"z" + h.deck.cards),
    "the data key as bytes": lambda h: b"k" + h.deck.data_key,
    "the data key in hex": lambda h: h.deck.data_key.hex().encode(),
    "the salt secret in base64": lambda h: b64encode(b"12" + h.deck.salt_secret + b"3"),
    "a salt in hex": lambda h: salts_of(h.deck.salt_secret, 52)[51].hex().upper().encode(),
    "the key-encryption key": lambda h: urlsafe_b64encode(KEK),
    "the key-encryption key that is next": lambda h: NEXT_KEK.hex().encode(),
    "the gateway's key": lambda h: b"....." + GATEWAY_KEY,
}  # fmt: skip


@pytest.mark.parametrize("leak", LEAKS)
async def test_a_planted_leak_is_found_in_a_log_file(house: PlayedHouse, hand: Hand, leak: str, tmp_path: Path) -> None:
    file = tmp_path / "table.jsonl"
    file.write_bytes(b"an ordinary line\n" + LEAKS[leak](hand).replace(b"\n", b"\\n") + b"\n")
    findings = (await scanned(house, file)).findings
    assert findings
    assert {each.place for each in findings} == {"table.jsonl:2"}
    text = repr(findings)
    assert not any(f"{card} " in text for card in hole(hand)), "the report names no card"


@pytest.mark.parametrize("part", ["key", "value", "header"])
async def test_a_leak_in_any_part_of_a_record_is_found(part: str) -> None:
    house = played(hands=2)
    async for hand in hands_of(house.log, books(KEYRING, PARTITIONS)[0]):
        leaked = hand.deck.data_key
    record = {"key": b"table-1", "value": b"{}", "header": b"x"} | {part: leaked}
    offset = house.broker.land(REPLIES, 2, [(record["key"], record["value"], (("h", record["header"]),))])
    findings = (await scanned(house)).findings
    assert [each.place for each in findings] == [f"{REPLIES}/2@{offset}"]


async def test_a_card_between_quotes_in_a_mark_is_chance(house: PlayedHouse, hand: Hand, tmp_path: Path) -> None:
    """Seen in a run of `make attack`: a mark is sixteen bytes that may be anything."""
    act = f'{{"table":"table-1","hand":{hand.number}}}'.encode()
    file = tmp_path / "table.jsonl"
    file.write_bytes(act + b'\xf3\x9f"' + next(iter(hand.hidden_cards)).encode() + b'"\x02\xf3gateway')
    assert (await scanned(house, file)).findings == []


async def test_a_private_deal_in_clear_is_found() -> None:
    house = played(hands=1)
    house.broker.land(TABLE_PRIVATE.name, 0, [(b"table-1", b'{"table":"table-1","cards":"As Kd"}', ())])
    assert [each.what for each in (await scanned(house)).findings] == [
        "a private deal that is not sealed as it should be"
    ]


async def test_a_card_before_its_time_is_found() -> None:
    """Also one that comes on the board later: it stands in the first event of the hand here."""
    house = played(hands=3)
    name, partition = topic("table", "events").name, partition_of("table-1")
    records = house.broker.partition(name, partition).slots
    first = next(r for r in records if r and dict(r.headers)["ce_type"] == b"croupier.table.hand_started.v1")
    early = (first.value or b"").replace(b'"pt-811-2015-omaha"', b'"Kd"')
    records[first.offset] = replace(first, value=early)
    what = [each.what for each in (await scanned(house)).findings if each.place == f"{name}/{partition}@{first.offset}"]
    assert "table-1 hand 1: a card stands in HandStarted that is not in the open yet" in what


async def test_the_same_cards_shown_by_another_hand_are_no_leak(house: PlayedHouse, hand: Hand, tmp_path: Path) -> None:
    """Fifty-two cards come again and again; a card of this hand that another hand names is that hand's."""
    other = next(n for n in range(1, 7) if n != hand.number)
    shown = {each.number: each.public_cards async for each in hands_of(house.log, books(KEYRING, PARTITIONS)[0])}[other]
    card = sorted(hand.hidden_cards & shown)[0]
    file = tmp_path / "table.jsonl"
    file.write_text(f'{{"table":"table-1","hand":{other},"card":"{card}"}}\n')
    assert (await scanned(house, file)).findings == []


@pytest.mark.stack
async def test_a_leak_in_a_database_row_is_found(house: PlayedHouse, hand: Hand, bare_database: str) -> None:
    connection = await asyncpg.connect(bare_database)
    await connection.execute("create table notes (id int, note text, raw bytea, more jsonb)")
    await connection.execute("insert into notes values (1, 'nothing here', '\\x00', '{}')")
    assert (await scanned(house, database=bare_database)).findings == []
    await connection.execute("insert into notes (note) values ($1)", " ".join(hole(hand)))
    await connection.execute("insert into notes (raw) values ($1)", hand.deck.salt_secret)
    await connection.close()
    report = await scanned(house, database=bare_database)
    assert {each.place for each in report.findings} == {"public.notes"}
    assert len(report.findings) == 2
    assert report.rows.texts == 3


def test_a_kept_view_is_searched_in_words() -> None:
    """Seen: four cards in a row of a shown board were taken for a hidden hand, where nothing named their own hand."""
    state = msgspec.msgpack.encode([{"table": "porto-2", "hand": 253, "board": ["9c", "6s", "Ks", "Th"]}])
    kept = msgspec.msgpack.encode([b"b" * 16, "porto-2", 7, 3, state])
    for value, told in ((kept, b'"hand":253'), (kept[:-1], kept[:-1])):
        (text,) = record_texts(VIEWS.name, 2, LogRecord(1, b"table/porto-2", value, (), 0))
        assert told in text.content


async def test_hands_that_a_kept_view_recalls_are_searched_one_by_one(hand: Hand) -> None:
    """Seen in the demo: two hidden cards of hold'em lay side by side on the board of another hand of the same view."""
    house = played(hands=6, seed=5)  # the hands of `house`, to write to
    card, other = sorted(hand.hidden_cards)[0], next(n for n in range(1, 7) if n != hand.number)
    recalled = [{"table": hand.table, "hand": number, "board": [card]} for number in (other, hand.number)]
    state = msgspec.msgpack.encode([{"table": hand.table, "version": 3}, recalled, 0])
    kept = msgspec.msgpack.encode([b"b" * 16, hand.table, 7, 3, state])
    offset = house.broker.land(VIEWS.name, 0, [(b"table/" + hand.table.encode(), kept, ())])
    what = [each.what for each in (await scanned(house)).findings if each.place == f"{VIEWS.name}/0@{offset}"]
    assert f"{hand.table} hand {hand.number}: a card that was not shown" in what, "found though the view names another"
    texts = [text.content for text in record_texts(VIEWS.name, 0, LogRecord(1, b"", kept, (), 0))]
    assert [text.count(b'"hand":') for text in texts] == [0, 1, 1, 0]


async def test_hands_that_are_dealt_while_it_searches_are_no_leaks(tmp_path: Path) -> None:
    """Seen (issue 11, F18): beside one table at play, a hundred private deals to seats that were not dealt in."""
    house = played(hands=3, seed=8)
    read = 0

    class AtPlay(SimulatedLog):
        async def reader(self, topic: str, partition: int) -> Any:
            nonlocal read
            if topic == TABLE_PRIVATE.name:
                read += 1
                house.play(1)
            return await super().reader(topic, partition)

    file = tmp_path / "table.log"
    file.write_bytes(LEAKS["hole cards joined by commas"](await first_hidden(house)) + b"\n")
    report = await scan_log(AtPlay(house.broker), PARTITIONS, KEKS, KEYS, GATEWAY_KEY, None, [file])
    assert read > 1
    assert [each.place for each in report.findings] == ["table.log:1"]
