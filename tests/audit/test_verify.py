"""`croupier verify` over journals of real tables and wallets: honest ones pass, each tampering is found (SEC-3)."""

import gc
import random
import tracemalloc
from collections.abc import Callable, Sequence
from io import BytesIO
from typing import Any

import msgspec
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from msgspec.structs import replace

from libs.contracts.cloudevents_kafka import from_record
from libs.contracts.facts import Fact
from libs.contracts.registry import decode_fact, encode_fact, wire_name
from libs.contracts.table_events import TableOpened
from libs.contracts.topics import topic
from libs.contracts.wallet_events import AccountOpened, FundsDeposited, SittingSettled
from libs.journal.commit import Commit, decode, digest, encode
from libs.journal.log import LogRecord
from libs.journal.machine import journal_name
from libs.sealing.kek_file import keyring_of
from services.audit.checkpoints import last_lines
from services.audit.verifying.chain import ChainCheck
from services.audit.verifying.checkpoint import Checkpoint, StreamHead, public_hex, take
from services.audit.verifying.findings import Kind
from services.cli import verify
from services.cli.journals import Decks, books
from services.cli.verify import Report, verify_log
from tests.audit.played import KEKS, KEYRING, T0, PlayedHouse, played
from tests.testkit.partitions import PARTITIONS, partition_of
from tests.testkit.simulated import SimulatedLog
from tests.tournament.course import definition

KEY = Ed25519PrivateKey.generate()
TABLE = topic("table", "journal").name
WALLET = topic("wallet", "journal").name
AT = partition_of("table-1")


async def verified(house: PlayedHouse, checkpoints: Sequence[Checkpoint] = ()) -> Report:
    return await verify_log(house.log, books(KEYRING, PARTITIONS), checkpoints, public_hex(KEY))


def kinds(report: Report) -> set[str]:
    return {finding["kind"] for finding in report.findings}


def at_most(before: Checkpoint, head: StreamHead) -> int:
    return {(topic, partition): offset for topic, partition, offset in before.reached}[head.topic, head.partition]


def checkpoint(house: PlayedHouse, before: Checkpoint | None = None) -> Checkpoint:
    """What the auditor signs at this moment."""
    heads = []
    for service, name in (("table", TABLE), ("wallet", WALLET)):
        for partition in range(PARTITIONS):
            check = ChainCheck(name, partition, PARTITIONS, journal_name(service))
            for record in house.broker.records(name, partition):
                check.take(record)
            heads += [
                StreamHead(name, stream, partition, head.version, head.prev.hex(), head.last_offset)
                for stream, head in check.fold.heads.items()
            ]
    return take(house.now, before, [head for head in heads if not before or head.offset > at_most(before, head)], KEY)


def rewrite(house: PlayedHouse, name: str, partition: int, offset: int, change: Callable[[Commit], Commit]) -> None:
    """An insider changes one commit and re-chains everything behind it: every link is right again."""
    slots = house.broker.partition(name, partition).slots
    renamed: dict[bytes, bytes] = {}
    for place in range(offset, len(slots)):
        record = slots[place]
        assert record is not None
        commit = decode(record.value)
        changed = change(commit) if place == offset else commit
        changed = replace(changed, prev=renamed.get(changed.prev, changed.prev))
        raw = encode(changed)
        renamed[digest(record.value or b"")] = digest(raw)
        slots[place] = replace(record, value=raw)


def find(house: PlayedHouse, name: str, event: type[Fact]) -> tuple[int, int]:
    """Partition and offset of the first commit with this event."""
    for partition in range(PARTITIONS):
        for record in house.broker.records(name, partition):
            if any(kind == wire_name(event) for kind, _ in decode(record.value).events):
                return partition, record.offset
    raise AssertionError(f"no {event.__name__} was journalled")


def commits(house: PlayedHouse, name: str, stream: str) -> list[Commit]:
    records = house.broker.records(name, partition_of(stream))
    return [commit for record in records if (commit := decode(record.value)).stream == stream]


async def test_a_table_and_a_tournament_of_one_name_are_two_streams() -> None:
    house = played()
    rules = {"name": "Sunday", "definition": msgspec.to_builtins(definition(starts_at=T0 + 3_600_000))}
    house.ask("tournament", house.table, "ProposeTournament", ("staff", "floor-1"), **rules)
    house.ask("tournament", house.table, "DeclineTournament", ("staff", "floor-1"), reason="not today")
    report = await verified(house)
    assert (report.findings, report.services["tournament"].events) == ([], 2)


async def test_decks_are_counted_by_the_key_that_they_are_under_and_a_missing_one_is_named() -> None:
    house = played(hands=3)
    house.seal_under(2)
    house.play(2)
    while house.state.hand is None:
        house.step()
    report = await verified(house)
    assert (report.findings, report.decks_opened) == ([], 6)
    assert report.decks == {"kek-1": Decks(3), "kek-2": Decks(3, in_play=1)}

    second = keyring_of(KEKS.rotated(b"", 0).without(1))
    report = await verify_log(house.log, books(second, PARTITIONS))
    assert report.decks == {"kek-1": Decks(3, lost=3), "kek-2": Decks(3, in_play=1)}
    assert [(each["kind"], each["detail"]) for each in report.findings] == [
        ("deck_unreadable", "the sealed cards do not open, they are under kek-1")
    ] * 3
    assert report.decks_opened == 3


async def test_an_honest_house_has_no_failures() -> None:
    house = played(hands=8)
    report = await verified(house, [checkpoint(house)])
    assert report.findings == []
    assert house.rejections == []
    assert (report.hands, report.hands_ended, report.decks_opened, report.checkpoints) == (8, 8, 8, 1)
    assert report.cards_proved > 20
    assert (report.accounts, report.sittings) == (4, 4)
    assert report.services["table"].valid == report.services["table"].records > 50
    assert report.published == report.services["table"].events + report.services["wallet"].events


async def test_what_it_needs_in_memory_does_not_grow_with_the_journals() -> None:
    """Held in lists, as it was, ten times the hands took 1.0 MB more (issue 12, D)."""
    most = []
    for hands in (6, 60):
        house = played(hands)
        await verified(house)  # what is cached on the way
        gc.collect()
        gc.freeze()  # else a large process waits long before it collects again, and that counts, too
        tracemalloc.start()
        assert (await verified(house)).findings == []
        most.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        gc.unfreeze()
    assert most[1] < most[0] + 200_000


@pytest.mark.parametrize("seed", range(3))
async def test_other_evenings_are_honest_too(seed: int) -> None:
    assert (await verified(played(hands=10, players=2 + 2 * seed, seed=seed + 10))).findings == []


async def test_a_void_hand_and_rejections_are_no_failures() -> None:
    house = PlayedHouse(seed=3)
    house.open(3)
    house.play(1)
    while house.state.hand is None:
        house.step()
    house.ask("table", "table-1", "Act", ("player", "player-1"), hand=77, seat=1, act="fold")
    for who in ("s", "t"):
        house.ask("table", "table-1", "VoidHand", ("staff", who), hand=house.state.hand.number, cause="lost")
    report = await verified(house)
    assert report.findings == []
    assert (report.hands_voided, report.services["table"].rejections) == (1, 1)


async def test_a_refund_behind_a_player_who_had_gone_comes_home_too() -> None:
    """Out of the hand in the middle of it, home with the stack, then the hand is void (pt-811-2015 72)."""
    house = PlayedHouse(seed=3)
    house.open(4)
    house.play(2)
    while house.state.hand is None or house.state.hand.turn is None:
        house.step()
    hand = house.state.hand
    gone = hand.players[hand.turn.seat].player
    while house.state.hand.players[house.state.hand.turn.seat].committed == 0:
        house.step()
        gone = house.state.hand.players[house.state.hand.turn.seat].player
    house.leave(gone)
    house.settle()
    for who in ("s", "t"):
        house.ask("table", "table-1", "VoidHand", ("staff", who), hand=hand.number, cause="lost")
    house.settle()
    house.play(2)
    report = await verified(house)
    assert report.findings == []
    assert report.hands_voided == 1
    account = f"account-{gone}-EUR"
    told = [kind for commit in commits(house, WALLET, account) for kind, _ in commit.events]
    assert told.count(wire_name(SittingSettled)) == 2


def flipped(record: LogRecord | None, dice: random.Random) -> LogRecord:
    """The record with one bit of its value turned over."""
    assert record is not None
    raw = bytearray(record.value or b"")
    raw[dice.randrange(len(raw))] ^= 1 << dice.randrange(8)
    return replace(record, value=bytes(raw))


@pytest.mark.parametrize("seed", range(6))
async def test_a_flipped_byte_is_found(seed: int) -> None:
    house, dice = played(hands=2), random.Random(seed)
    slots = house.broker.partition(TABLE, AT).slots
    place = dice.randrange(len(slots) - 1)
    slots[place] = flipped(slots[place], dice)
    assert kinds(await verified(house)) & {Kind.CHAIN_BROKEN, Kind.UNDECODABLE, Kind.WRONG_PARTITION}


async def test_a_deleted_record_is_found() -> None:
    house = played(hands=2)
    house.broker.partition(TABLE, AT).slots[20] = None
    assert Kind.CHAIN_BROKEN in kinds(await verified(house))


async def test_two_swapped_records_are_found() -> None:
    house = played(hands=2)
    slots = house.broker.partition(TABLE, AT).slots
    first, second = slots[20:22]
    assert first is not None
    assert second is not None
    slots[20:22] = replace(second, offset=20), replace(first, offset=21)
    assert Kind.CHAIN_BROKEN in kinds(await verified(house))


async def test_a_journal_cut_short_is_found_by_what_was_published_and_signed() -> None:
    house = played(hands=2)
    signed = checkpoint(house)
    house.broker.truncate(TABLE, AT, 30)
    assert kinds(await verified(house)) >= {Kind.PUBLICATION}
    for partition in range(PARTITIONS):
        house.broker.truncate(topic("table", "events").name, partition, 0)
    assert Kind.CHECKPOINT in kinds(await verified(house, [signed]))


async def test_money_changed_and_chained_anew_is_found() -> None:
    house = played(hands=2)
    partition, offset = find(house, WALLET, FundsDeposited)

    def more(commit: Commit) -> Commit:
        deposited = decode_fact(*commit.events[0])
        return replace(commit, events=(encode_fact(replace(deposited, amount=deposited.amount + 1)),))

    rewrite(house, WALLET, partition, offset, more)
    found = kinds(await verified(house))
    assert Kind.CHAIN_BROKEN not in found, "the chain alone can't see an insider who re-chains"
    assert found >= {Kind.ACCOUNT, Kind.PUBLICATION}


async def test_a_whole_story_told_anew_is_found_by_the_signed_checkpoint() -> None:
    """Everything agrees with everything, public topic included; only what was signed before knows better."""
    house = played(hands=2)
    signed = checkpoint(house)
    partition, offset = find(house, WALLET, AccountOpened)
    rewrite(house, WALLET, partition, offset, lambda commit: replace(commit, writer="somebody else"))
    assert kinds(await verified(house)) == set()
    assert kinds(await verified(house, [signed])) == {Kind.CHECKPOINT}


async def test_a_deck_moved_to_another_hand_does_not_open() -> None:
    house = played(hands=2)
    first, second = [
        (record.offset, sealed) for record in house.broker.records(TABLE, AT) if (sealed := decode(record.value).sealed)
    ][:2]
    rewrite(house, TABLE, AT, second[0], lambda commit: replace(commit, sealed=first[1]))
    assert Kind.DECK_UNREADABLE in kinds(await verified(house))


async def test_any_byte_that_is_changed_is_a_finding_and_ends_nothing() -> None:
    """Decoding and evolving what was changed may fail in any way; the walk goes on all the same."""
    house = played(hands=2)
    signed = [checkpoint(house)]
    dice = random.Random(7)
    places = [(name, at, record) for name in (TABLE, WALLET) for at in range(PARTITIONS)
              for record in house.broker.records(name, at)]  # fmt: skip
    for name, at, record in dice.choices(places, k=120):
        slots = house.broker.partition(name, at).slots
        kept, slots[record.offset] = slots[record.offset], flipped(slots[record.offset], dice)
        assert (await verified(house, signed)).findings
        slots[record.offset] = kept
    assert not (await verified(house, signed)).findings


async def test_a_configuration_of_a_game_that_nobody_knows_is_found() -> None:
    house = played(hands=1)
    place = find(house, TABLE, TableOpened)

    def rename(commit: Commit) -> Commit:
        return replace(commit, events=tuple((kind, body.replace(b"poker", b"pojer")) for kind, body in commit.events))

    rewrite(house, TABLE, *place, rename)
    assert Kind.DECK_UNREADABLE in kinds(await verified(house))


async def test_a_public_event_that_was_never_decided_is_found() -> None:
    house = played(hands=2)
    name = topic("wallet", "events").name
    partition = partition_of("account-player-1-EUR")
    record = house.broker.records(name, partition)[1]
    forged = (record.value or b"").replace(b'"amount":', b'"amount":9')
    assert forged != record.value
    house.broker.partition(name, partition).slots[1] = replace(record, value=forged)
    (finding,) = (await verified(house)).findings
    assert (finding["kind"], finding["topic"], finding["offset"]) == (Kind.PUBLICATION, name, 1)


@pytest.mark.parametrize(("later_s", "kinds_found"), [(1, set()), (120, {Kind.PUBLICATION})])
async def test_what_was_not_published_yet_is_judged_by_when_that_was_read(
    later_s: int, kinds_found: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Seen (issue 11, F18): beside a dozen tables at play, each of them differed from what it had published."""
    house = played(hands=2)
    slots = house.broker.partition(topic("table", "events").name, AT).slots
    assert slots[-1] is not None
    newest = from_record(slots[-1].key, slots[-1].value, slots[-1].headers)
    del slots[-1]  # not published at that moment
    clock = [newest.time / 1000 + later_s]
    monkeypatch.setattr(verify, "_now", lambda: int(1000 * clock[0]))

    class Long(SimulatedLog):
        async def reader(self, topic: str, partition: int) -> Any:
            clock[0] += 600 if topic == TABLE else 0  # it takes ten minutes to read
            return await super().reader(topic, partition)

    report = await verify_log(Long(house.broker), books(KEYRING, PARTITIONS))
    assert kinds(report) - {Kind.RESERVE_OPEN} == kinds_found


async def test_a_restored_log_is_judged_by_when_it_stood_still() -> None:
    """Seen in a cluster: a backup of twenty tables at play, walked a minute later, lacked events of six of them."""
    house = played(hands=2)
    slots = house.broker.partition(topic("table", "events").name, AT).slots
    assert slots[-1] is not None
    newest = from_record(slots[-1].key, slots[-1].value, slots[-1].headers)
    del slots[-1]  # not published when the backup was taken; services do it from the manifest when they are back
    log, house_books = SimulatedLog(house.broker), books(KEYRING, PARTITIONS)
    assert Kind.PUBLICATION in kinds(await verify_log(log, house_books))
    taken = await verify_log(log, house_books, stood_still=newest.time + 1_000)
    assert Kind.PUBLICATION not in kinds(taken)
    late = await verify_log(log, house_books, stood_still=newest.time + 120_000)
    assert Kind.PUBLICATION in kinds(late)


@pytest.mark.parametrize("field", ["root", "signature", "previous"])
async def test_a_forged_checkpoint_is_found(field: str) -> None:
    house = played(hands=1)
    signed = checkpoint(house)
    forged = replace(signed, **{field: "ab" * (64 if field == "signature" else 32)})
    assert kinds(await verified(house, [forged])) == {Kind.CHECKPOINT}


async def test_a_checkpoint_under_another_key_is_found() -> None:
    house = played(hands=1)
    signed = checkpoint(house)
    other = take(house.now, None, signed.heads, Ed25519PrivateKey.generate())
    assert kinds(await verified(house, [other])) == {Kind.CHECKPOINT}


async def test_the_next_checkpoint_holds_what_moved_and_covers_the_rest() -> None:
    house = played(hands=1)
    first = checkpoint(house)
    house.play(1)
    second = checkpoint(house, first)
    assert 0 < len(second.heads) < len(first.heads), "streams that stood still are in the first"
    assert kinds(await verified(house, [first, second])) == set()
    partition, offset = find(house, WALLET, AccountOpened)
    rewrite(house, WALLET, partition, offset, lambda commit: replace(commit, writer="somebody else"))
    assert Kind.CHECKPOINT in kinds(await verified(house, [first, second]))
    reaching = replace(second, reached=first.reached)
    assert Kind.CHECKPOINT in kinds(await verified(played(hands=1), [first, reaching]))


async def test_lines_are_read_from_the_end() -> None:
    text = b"\n".join(b"%d " % number * (number * 997 % 40_000) for number in range(60)) + b"\n"
    assert list(last_lines(BytesIO(text))) == [line for line in reversed(text.split(b"\n")) if line]
