"""Reads the journals beside the house, by the one rule, and holds what clients were told against them."""

import asyncio
from collections import Counter
from dataclasses import dataclass, field

from libs.broker import Broker
from libs.contracts.topics import topic
from libs.journal.fold import PartitionFold
from libs.journal.kafka_log import KafkaLog
from libs.journal.log import LogRewritten
from libs.journal.machine import journal_name
from libs.journal.marks import Marking
from libs.journal.tail import Tail
from tests.chaos.history import History, Sent
from tests.testkit.partitions import PARTITIONS

SERVICES = ("table", "wallet")


@dataclass(slots=True)
class Witness:
    """Call `read` when the log answers again; it goes on from where it stood (journal 21 is kept here, too)."""

    broker: Broker
    prefix: str
    marks: Marking
    commits: dict[bytes, list[tuple[str, str, str | None, int]]] = field(default_factory=dict)
    """Command id to (stream, verdict, reason, version) of its valid commits; more than one is an effect doubled."""
    events: Counter[str] = field(default_factory=Counter)
    judged: Counter[str] = field(default_factory=Counter)
    _folds: dict[tuple[str, int], PartitionFold] = field(default_factory=dict)
    _seen: int = 0
    _waiting: list[Sent] = field(default_factory=list)
    _doubled: set[bytes] = field(default_factory=set)

    async def read(self) -> None:
        """Every journal up to its end as of now."""
        log = KafkaLog(self.broker, self.marks, client_id="croupier-witness")
        places = [(service, partition) for service in SERVICES for partition in range(PARTITIONS)]
        done = await asyncio.gather(*(self._read(log, *place) for place in places), return_exceptions=True)
        for wrong in done:
            if wrong is not None:
                raise wrong

    async def _read(self, log: KafkaLog, service: str, partition: int) -> None:
        fold = self._folds.setdefault(
            (service, partition), PartitionFold(partition, PARTITIONS, journal_name(service), None)
        )
        tail = await Tail.open(log, self.prefix + topic(service, "journal").name, partition)
        try:
            await tail.verify(fold.position)
            end = await tail.end()
            while fold.position.next < end:
                await tail.page(fold, lambda record: self._take(fold, record))
        finally:
            await tail.close()

    def _take(self, fold: PartitionFold, record) -> None:
        folded = fold.fold(record)
        self.judged[folded.judgement] += 1
        commit = folded.commit
        if not folded.valid or commit is None:
            return
        said = self.commits.setdefault(commit.command_id, [])
        said.append((commit.stream, commit.verdict, commit.reason, commit.version))
        if len(said) > 1:
            self._doubled.add(commit.command_id)
        self.events.update(kind.rpartition(".")[0] for kind, _ in commit.events)

    def lost(self, history: History, told_before: float) -> list[Sent]:
        """Answers given before `read` began that the journal does not bear out; each is looked at once."""
        waiting = self._waiting + history.sent[self._seen :]
        self._seen = len(history.sent)
        known = [each for each in waiting if each.verdict is not None and each.told < told_before]
        checked = {id(each) for each in known}
        self._waiting = [each for each in waiting if id(each) not in checked]
        return [each for each in known if not self._bears_out(each)]

    async def rewritten(self) -> list[tuple[str, int]]:
        """Service and partition of the journals that are not the ones that were read (journal 21)."""
        found = []
        log = KafkaLog(self.broker, self.marks, client_id="croupier-witness")
        for (service, partition), fold in self._folds.items():
            tail = await Tail.open(log, self.prefix + topic(service, "journal").name, partition)
            try:
                await tail.verify(fold.position)
            except LogRewritten:
                found.append((service, partition))
            finally:
                await tail.close()
        return found

    @property
    def doubled(self) -> int:
        return len(self._doubled)

    @property
    def voided(self) -> int:
        return self.events["HandVoided"]

    def effects(self, sent: list[Sent]) -> int:
        """How many of these commands have an accepted commit, whatever their senders were told."""
        return sum(any(_is_yes(each) for each in self.commits.get(one.command_id, ())) for one in sent)

    def _bears_out(self, sent: Sent) -> bool:
        for stream, verdict, reason, version in self.commits.get(sent.command_id, ()):
            yes = _is_yes((stream, verdict, reason, version))
            if yes == (sent.verdict == "accepted") and version == sent.version:
                return True
        return False


def _is_yes(said: tuple[str, str, str | None, int]) -> bool:
    return said[1] == "accepted" and said[2] is None
