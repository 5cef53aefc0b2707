"""Events a second from the journal to states, against reading and decoding alone and against pyeventsourcing.

The aggregate is an account to which money is deposited, on both sides. Ours checks the chain and keeps what a reader
keeps; the library makes the same aggregates from its own records in memory.
"""

import time
from typing import Any

from eventsourcing.application import Application
from eventsourcing.domain import Aggregate, event

from libs.contracts.messages import CommandMessage
from libs.decider import Given
from libs.journal.commit import Commit, decode, encode
from libs.journal.fold import PartitionFold
from libs.journal.log import LogRecord
from services.wallet.machine import wallet_machine
from tests.bench.core.accounts import load
from tests.testkit.partitions import PARTITIONS

_T0 = 1_790_000_000_000


class Account(Aggregate):
    """The same account for the library: a balance, deposits by reference, the order of their making."""

    @event("Opened")
    def __init__(self, player: str, currency: str) -> None:
        self.player = player
        self.currency = currency
        self.balance = 0
        self.references: dict[str, int] = {}

    @event("Deposited")
    def deposit(self, reference: str, amount: int, at: int) -> None:
        self.balance += amount
        self.references[reference] = amount


class Journals:
    """The same history twice: as our journal's records, and in the library's recorder."""

    def __init__(self, accounts: int, deposits: int) -> None:
        self.machine = wallet_machine()
        self.records = _journal(accounts, deposits)
        self.count = sum(len(decode(record.value or b"").events) for each in self.records for record in each)
        self.application: Application[Any] = Application(env={"IS_SNAPSHOTTING_ENABLED": "n"})
        self.ids = []
        made = [Account(player=f"p{number}", currency="EUR") for number in range(accounts)]
        for number in range(deposits):
            made[number % accounts].deposit(f"d{number}", 100, _T0)
        for account in made:
            self.application.save(account)
            self.ids.append(account.id)

    async def ours(self) -> float:
        began = time.process_time()
        for partition, records in enumerate(self.records):
            fold: Any = PartitionFold(partition, PARTITIONS, self.machine.journal_name, self.machine)
            for record in records:
                fold.fold(record)
        return self.count / (time.process_time() - began)

    async def decoded(self) -> float:
        """Commit and events decoded, nothing folded, nothing checked."""
        began = time.process_time()
        for records in self.records:
            for record in records:
                commit = decode(record.value or b"")
                for kind, payload in commit.events:
                    self.machine.decode_event(kind, payload)
        return self.count / (time.process_time() - began)

    async def library(self) -> float:
        began = time.process_time()
        for each in self.ids:
            self.application.repository.get(each)
        return self.count / (time.process_time() - began)


def _journal(accounts: int, deposits: int) -> list[list[LogRecord]]:
    machine = wallet_machine()
    folds: list[Any] = [PartitionFold(p, PARTITIONS, machine.journal_name, machine) for p in range(PARTITIONS)]
    records: list[list[LogRecord]] = [[] for _ in range(PARTITIONS)]
    commands = load(accounts, deposits, _T0)
    for partition in range(PARTITIONS):
        for key, value in [*commands.opening[partition], *commands.deposits[partition]]:
            message = CommandMessage.decoded(value)
            fold, stream = folds[partition], key.decode()
            head, state = fold.head(stream), fold.state(stream)
            given = Given(_T0, None, message.principal)
            told: Any = machine.decider.decide(state, machine.decode_command(message), given)
            offset = len(records[partition])
            made = Commit(
                stream=stream, base=head.version, prev=head.prev, command_id=message.id.bytes, source="bench",
                command_offset=offset, command_time=_T0, verdict="accepted", reason=None, rule=None, detail="",
                events=tuple(map(machine.encode_event, told.events)),
                writer="bench", generation=1,
            )  # fmt: skip
            record = LogRecord(offset, key, encode(made))
            assert fold.fold(record).valid
            records[partition].append(record)
    return records
