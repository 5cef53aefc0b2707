"""Records that somebody without a key writes to a running house: one of each kind on each topic, and hostile ones."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from msgspec import msgpack
from msgspec.structs import replace
from uuid6 import uuid7

from libs.broker import Broker
from libs.contracts.commands import Command, message_of
from libs.contracts.messages import Principal, Reply
from libs.contracts.poker_commands import Act
from libs.contracts.table_commands import CloseTable, ConfirmSeat, LeaveTable, OpenTable, WakeTable
from libs.contracts.topics import REPLIES, TABLE_PRIVATE, topic
from libs.contracts.wallet_commands import DepositFunds, ReserveFunds, WithdrawFunds, account_id
from libs.journal.commit import decode, encode
from libs.journal.log import Headers, LogRecord
from libs.journal.manifests import FORMAT, HEAD_KEY, Manifest
from libs.journal.marks import HEADER
from libs.journal.snapshots import Snapshot
from services.cli.demo.tables import DemoTable
from tests.e2e.evening import all_records
from tests.testkit.forging import bare, changed, next_in_line
from tests.testkit.partitions import PARTITIONS, partition_of

ALICE = account_id("alice", "EUR")
DEEP = b'{"id":' + b"[" * 60_000
HUGE = b'{"id": "' + b"x" * 240_000 + b'"}'


@dataclass(frozen=True, slots=True)
class Forged:
    """One record. `kind` is what it pretends to be."""

    kind: str
    topic: str
    partition: int
    key: bytes | None
    value: bytes | None
    headers: Headers = ()
    raw: bytes | None = None
    """A batch as it is, in place of key and value."""


class Forger:
    """Knows all that lies on the house's topics, as whoever administers the broker does, and no key."""

    def __init__(self, admin: Broker, prefix: str, table: DemoTable) -> None:
        self._admin = admin
        self._prefix = prefix
        self._table = table
        self._lies: dict[tuple[str, int], list[LogRecord]] = {}

    async def read(self) -> None:
        """What is there to copy."""
        for service in ("table", "wallet"):
            for each in ("commands", "journal", "snapshots", "events"):
                await self._read(topic(service, each).name)
        await self._read(REPLIES.name)
        await self._read(TABLE_PRIVATE.name)

    async def _read(self, name: str) -> None:
        for each in await all_records(self._admin, self._prefix + name, PARTITIONS):
            headers = tuple(each.headers)
            record = LogRecord(each.offset, each.key, each.value, headers, each.timestamp)
            self._lies.setdefault((name, each.partition), []).append(record)

    def rounds(self) -> Iterator[list[Forged]]:
        """Everything, so many at once that no partition gets two: each is found for itself."""
        waiting = list(self.everything())
        while waiting:
            seen: set[tuple[str, int]] = set()
            now = [each for each in waiting if (each.topic, each.partition) not in seen
                   and not seen.add((each.topic, each.partition))]  # type: ignore[func-returns-value]  # fmt: skip
            yield now
            waiting = [each for each in waiting if each not in now]

    def everything(self) -> Iterator[Forged]:
        yield from self._commands()
        yield from self._answers()
        yield from self._journals()
        yield from self._events()
        yield from self._private_deals()
        yield from self._snapshots()
        yield from self._hostile()

    def _commands(self) -> Iterator[Forged]:
        table, player = self._table.table, Principal("player", "alice")
        staff, policy = Principal("staff", "https://issuer#floor"), Principal("policy", "wallet.when_seat_reserved")
        opening: Any = {"name": "Mine", "rulebook": self._table.rulebook, "configuration": self._table.configuration}
        yield self._command("operator's deposit", ALICE, Principal("operator", "platform"),
                            DepositFunds(reference="forged", amount=1_000_000))  # fmt: skip
        yield self._command("operator's withdrawal", ALICE, Principal("operator", "platform"),
                            WithdrawFunds(reference="forged-w", amount=100))  # fmt: skip
        yield self._command("policy's reserve", ALICE, policy,
                            ReserveFunds(reserve="r", sitting="r", table=table, amount=100))  # fmt: skip
        yield self._command("staff opens a table", "table-forged", staff, OpenTable(**opening))
        yield self._command("staff closes a table", table, staff, CloseTable(reason="forged"))
        yield self._command("player's act", table, player, Act(hand=1, seat=1, act="fold"))
        yield self._command("player leaves", table, player, LeaveTable())
        yield self._command("policy's ConfirmSeat", table, Principal("policy", "table.when_funds_reserved"),
                            ConfirmSeat(reservation="r"))  # fmt: skip
        yield self._command("timer's WakeTable", table, Principal("timer", "table"), WakeTable(due=1))
        true = self._last("table", "commands", table)
        yield self._like("true command, changed", topic("table", "commands").name, true, changed(true))

    def _answers(self) -> Iterator[Forged]:
        where = partition_of(self._table.table)
        reply = Reply(command_id=uuid7(), stream=self._table.table, verdict="accepted", version=1)
        yield Forged("answer", REPLIES.name, where, self._table.table.encode(), reply.encoded())
        true = self._lies[REPLIES.name, where][-1]
        yield self._like("true answer, changed", REPLIES.name, true, changed(true), where)

    def _journals(self) -> Iterator[Forged]:
        for service, stream in (("table", self._table.table), ("wallet", ALICE)):
            name = topic(service, "journal").name
            true = self._last_valid(service, stream)
            yield self._like(f"next commit of {service}", name, true, next_in_line(true))
            newer = encode(replace(decode(next_in_line(true)[1]), generation=2**31, writer="newer"))
            yield self._like(f"{service}: a newer owner's commit", name, true, (true.key, newer, ()))
            yield self._like(f"{service}: no commit at all", name, true, (true.key, b"\x07what", ()))
        elsewhere = self._last_valid("wallet", ALICE)
        yield self._like("true commit of wallet in table's journal", topic("table", "journal").name, elsewhere,
                         (elsewhere.key, elsewhere.value, elsewhere.headers))  # fmt: skip
        opening = decode(self._last_valid("table", self._table.table).value)
        stranger = encode(replace(opening, stream="\x00../$(x)", base=0))
        yield Forged("commit of a stream with a hostile name", topic("table", "journal").name, 0, b"\x00", stranger)

    def _events(self) -> Iterator[Forged]:
        for service, stream in (("table", self._table.table), ("wallet", ALICE)):
            name = topic(service, "events").name
            true = self._last(service, "events", stream)
            yield self._like(f"next event of {service}", name, true, next_in_line(true))
            yield self._like(f"true event of {service}, unmarked", name, true, bare(true))
        true = self._last("wallet", "events", ALICE)
        hostile = tuple((n, b"account-\x00\xff" if n == "ce_subject" else v) for n, v in true.headers if n != HEADER)
        yield self._like("event of a stream with a hostile name", topic("wallet", "events").name, true,
                         (b"\xff\x00", DEEP, hostile))  # fmt: skip

    def _private_deals(self) -> Iterator[Forged]:
        where = partition_of(self._table.table)
        true = self._lies[TABLE_PRIVATE.name, where][-1]
        yield self._like("private deal, changed", TABLE_PRIVATE.name, true, changed(true), where)
        yield self._like("private deal, unmarked", TABLE_PRIVATE.name, true, bare(true), where)

    def _snapshots(self) -> Iterator[Forged]:
        """A start would take up the state, or refuse to start because the log seems to be cut."""
        name, where = topic("table", "snapshots").name, partition_of(self._table.table)
        true = [r for r in self._lies[name, where] if r.key == b"stream/" + self._table.table.encode()][-1]
        held = msgpack.decode((true.value or b"")[1:], type=Snapshot)
        ahead = replace(held, version=held.version + 100, prev=bytes(32), upto=held.upto + 1_000, last=held.last + 999)
        yield Forged("snapshot", name, where, true.key, FORMAT + msgpack.encode(ahead))
        manifest = Manifest(held.journal_name, 10**9, {self._table.table: 10**9}, 10**9, bytes(32))
        yield Forged("manifest", name, where, HEAD_KEY + b"/forged", FORMAT + msgpack.encode(manifest))
        yield Forged("snapshot taken away", name, where, true.key, None)
        yield Forged("parked record", topic("table", "parked").name, 0, b"k", b"v", (("parked-reason", b"none"),))

    def _hostile(self) -> Iterator[Forged]:
        commands, events = topic("wallet", "commands").name, topic("wallet", "events").name
        yield Forged("huge command", commands, 0, b"k", HUGE)
        yield Forged("nested without end", commands, 1, b"k", DEEP)
        yield Forged("control characters", commands, 2, b"\x00\x1b[2J\xff", b'{"id": "\x00\x1b[2J\xff"}')
        yield Forged("unknown fields", commands, 3, b"k", b'{"bribe": true, "__class__": "x"}')
        yield Forged("no key, empty value", commands, 0, None, b"")
        yield Forged("key and no value", events, 1, b"account-1", None)
        yield Forged("headers that are no text", events, 2, b"k", b"v", (("", b""), ("\x00\n", b"\xff" * 300)))
        forged_mark = (HEADER, bytes(32) + b"01wallet")
        yield Forged("mark of zeros", events, 3, b"k", b"{}", (forged_mark,))
        yield Forged("mark of a stranger", events, 0, b"k", b"{}", ((HEADER, bytes(32) + b"01mallory"),))
        yield Forged("mark cut short", events, 1, b"k", b"{}", ((HEADER, b"01"),))

    def _command(self, kind: str, stream: str, by: Principal, command: Command) -> Forged:
        service = "wallet" if stream.startswith("account-") else "table"
        message = message_of(command, id=uuid7(), stream=stream, by=by)
        where = topic(service, "commands").name
        return Forged(f"command: {kind}", where, partition_of(stream), stream.encode(), message.encoded())

    def _like(self, kind: str, name: str, true: LogRecord, raw: Any, partition: int | None = None) -> Forged:
        where = partition_of((true.key or b"").decode()) if partition is None else partition
        return Forged(kind, name, where, *raw)

    def _last(self, service: str, kind: Any, stream: str) -> LogRecord:
        held = self._lies[topic(service, kind).name, partition_of(stream)]
        return [record for record in held if record.key == stream.encode()][-1]

    def _last_valid(self, service: str, stream: str) -> LogRecord:
        """Nothing in these journals is void: one owner, and no restart."""
        return self._last(service, "journal", stream)

    def replays(self) -> Iterator[Forged]:
        """A true record of every kind, once more in its place."""
        for (name, partition), records in self._lies.items():
            kinds = {}
            for record in records:
                kinds["manifest" if (record.key or b"").startswith(HEAD_KEY) else name.split(".")[-2]] = record
            for kind, true in kinds.items():
                yield Forged(f"true {kind}, again", name, partition, true.key, true.value, true.headers)
