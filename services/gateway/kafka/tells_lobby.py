"""What the lobby says of tables, between floors: a gateway tells the rows of its own tables and hears all others'.

The topic is compacted, one small record a table, so that a gateway reads nothing else of tables that it does not serve.
Whoever serves a table makes its record right, whoever made it wrong.
"""

import asyncio

import msgspec

from libs.contracts.topics import LOBBY, partition_of
from libs.journal.kafka_log import KafkaLog, KafkaPublisher
from libs.journal.log import LogRecord, LogUnavailable, OutRecord
from libs.telemetry import get_logger
from libs.views.table import TableView
from services.gateway import metrics
from services.gateway.app.floors import Floors
from services.gateway.kafka.reads_topic import TopicReader
from services.gateway.views.elsewhere import Elsewhere, Row
from services.gateway.views.lobby import lobby_row
from services.gateway.views.tables import Tables

_log = get_logger(__name__)
EVERY_S = 5.0
"""So long a table's row stands at most before other floors hear of its change; a row is told so often at most."""
_AT_ONCE = 100


class TellsLobby:
    """Of one gateway with a floor."""

    def __init__(self, log: KafkaLog, floors: Floors, prefix: str, tables: Tables, elsewhere: Elsewhere) -> None:
        self.reader = TopicReader(log, LOBBY, floors.of_house, prefix, "beginning")
        self._log = log
        self._topic = prefix + LOBBY.name
        self._floors = floors
        self._tables = tables
        self._elsewhere = elsewhere
        self._told: dict[str, TableView] = {}
        """Views whose rows stand on the topic, or go there now."""

    async def hear(self) -> None:
        """Runs until cancelled."""
        async for partition, page in self.reader.pages():
            for record in page:
                self.hear_record(partition, record)
            await asyncio.sleep(0)

    def hear_record(self, partition: int, record: LogRecord) -> None:
        table = (record.key or b"").decode(errors="replace")
        try:
            told = msgspec.msgpack.decode(record.value, type=Row) if record.value is not None else None
            if partition_of(table, self._floors.of_house) != partition:
                raise ValueError("a table of another partition")
        except ValueError as wrong:
            metrics.EVENTS.labels("undecodable").inc()
            _log.error("a record on the lobby topic is no row", offset=record.offset, why=type(wrong).__name__)
            return
        own = self._floors.serves(table)
        if own:
            self._told.pop(table, None)  # it is looked at once more: another one may have said something else
        self._elsewhere.hear(table, told, own)

    async def run(self, events: TopicReader) -> None:
        """Until cancelled; nothing is told before everything of the past is heard."""
        await events.catch_up()
        await self.reader.catch_up()
        publisher: KafkaPublisher | None = None
        try:
            while True:
                try:
                    due = self.due()
                    publisher = publisher or await self._log.publisher(self._topic)
                    for first in range(0, len(due), _AT_ONCE):
                        await (await publisher.send(due[first : first + _AT_ONCE]))
                except LogUnavailable as wrong:
                    _log.warning("the lobby was not told", error=type(wrong).__name__)
                    self._told.clear()
                    if publisher is not None:
                        await publisher.abandon()
                    publisher = None
                await asyncio.sleep(EVERY_S)
        finally:
            if publisher is not None:
                await publisher.abandon()

    def due(self) -> list[OutRecord]:
        """Of own tables what the topic does not say, or says wrongly; it counts as told."""
        records, told = [], {}
        for view in self._tables.listed_after("", len(self._tables.listed)):
            table = view.table
            told[table] = view
            if self._told.get(table) is view:
                continue
            row, heard = msgspec.json.encode(lobby_row(view)), self._elsewhere.heard.get(table)
            if heard is None or (heard.version <= view.version and heard.row != row):
                records.append(self._record(table, Row(view.version, row)))
        self._told = told
        return records + [self._record(table, None) for table in self._over()]

    def _over(self) -> list[str]:
        """Own tables that are closed, and of which something is said."""
        said = [table for table in self._elsewhere.heard if self._floors.serves(table)]
        return [table for table in said if self._tables.is_closed(table)]

    def _record(self, table: str, told: Row | None) -> OutRecord:
        value = msgspec.msgpack.encode(told) if told is not None else None
        return OutRecord(self._topic, table.encode(), value, (), partition_of(table, self._floors.of_house))
