"""Looks every few seconds whether the broker keeps each topic as the table of topics says.

Who administers the broker needs no key to delete: the front of a topic, all of it, or, by other settings, what is old.
No record that could be read shows that.
"""

import time
from collections.abc import Callable
from typing import Any
from uuid import UUID

from aiokafka.errors import KafkaError, NoError, UnknownTopicOrPartitionError, for_code

from libs.broker.protocol import describe_settings, describe_topics
from libs.contracts.topics import TOPICS
from libs.journal.kafka_log import KafkaLog
from libs.projecting import Connection, Part, Pool
from services.audit.incidents import record
from services.audit.supervisor import looking_at
from services.audit.verifying.findings import Finding, Kind


class TopicWatch:
    """`prefix` stands before the names in the table."""

    def __init__(
        self,
        log: KafkaLog,
        pool: Pool,
        of_house: int,
        prefix: str,
        on_finding: Callable[[Finding], None] = lambda finding: None,
    ) -> None:
        """`of_house`: its partitions."""
        self._of_house = of_house
        self._cluster, self._marks = log.cluster, log.marks
        self._pool = pool
        self._table = {prefix + each.name: each for each in TOPICS}
        self._on_finding = on_finding

    async def run(self, every_s: float, part: Part) -> None:
        """Until cancelled; `part` is told of each look. Raises `KafkaError` where it is refused or nobody answers, and
        what the database says."""
        await looking_at(self._cluster, self.look, every_s, part)

    async def look(self) -> list[Finding]:
        """What differs now, new or not."""
        there, found = await self._there()
        found += await self._cut(there)
        await self._write(there, found)
        differing = await self._settings(there)  # last: to ask for them takes a right of its own
        await self._write({}, differing)
        return found + differing

    async def _there(self) -> tuple[dict[str, UUID], list[Finding]]:
        """Ids of the topics that are there, and what is wrong with their number of partitions."""
        answer = await self._cluster.anywhere(describe_topics(self._table))
        there: dict[str, UUID] = {}
        found: list[Finding] = []
        for code, name, id_, _, partitions, *_ in answer.topics:
            if for_code(code) is UnknownTopicOrPartitionError:
                found.append(Finding(Kind.REWRITTEN, name, "the topic was deleted", None, name))
                continue
            _check(code, name)
            there[name] = id_
            if len(partitions) != (wanted := self._table[name].partitions(self._of_house)):
                detail = f"{len(partitions)} partitions, in this house it has {wanted}"
                found.append(Finding(Kind.TOPIC, name, detail, None, name))
        return there, found

    async def _cut(self, there: dict[str, UUID]) -> list[Finding]:
        """Topics that have lost their front, and never should."""
        places = [
            (name, number)
            for name, each in self._table.items()
            if name in there and each.is_never_cut
            for number in range(each.partitions(self._of_house))
        ]
        for name in {name for name, _ in places}:
            await self._cluster.partitions(name)
        return [
            Finding(Kind.REWRITTEN, place[0], "everything below this offset was deleted", None, *place, beginning)
            for place, beginning in (await self._cluster.offsets(places, -2)).items()
            if beginning > 0
        ]

    async def _settings(self, there: dict[str, UUID]) -> list[Finding]:
        asked = {setting for each in self._table.values() for setting in each.config}
        answer = await self._cluster.anywhere(describe_settings(there, sorted(asked)))
        found: list[Finding] = []
        for code, _, _, name, entries in answer.resources:
            _check(code, name)
            has = {entry[0]: entry[1] for entry in entries}
            for setting, wanted in self._table[name].config.items():
                if has.get(setting) != wanted:
                    detail = f"{setting} is {has.get(setting)}, the table of topics says {wanted}"
                    found.append(Finding(Kind.TOPIC, name, detail, None, name))
        return found

    async def _write(self, there: dict[str, UUID], found: list[Finding]) -> None:
        async with self._pool.acquire() as connection, connection.transaction():
            found += [each for name, id_ in there.items() if (each := await _is_another(connection, name, id_))]
            new = await record(connection, found, int(time.time() * 1000), self._marks)
        for finding in new:
            self._on_finding(finding)


async def _is_another(connection: Connection, name: str, id_: UUID) -> Finding | None:
    """Told once: from then on this is the topic."""
    known: Any = await connection.fetchval("select id from topics where topic = $1", name)
    if known == id_:
        return None
    await connection.execute(
        "insert into topics values ($1, $2) on conflict (topic) do update set id = excluded.id", name, id_
    )
    if known is None:
        return None
    detail = f"the topic was deleted and made anew: it was {known} and is {id_}"
    return Finding(Kind.REWRITTEN, name, detail, None, name)


def _check(code: int, name: str) -> None:
    kind: type[KafkaError] = for_code(code)
    if kind is not NoError:
        raise kind(name)
