"""`croupier disown`: one event forged with a true mark keeps a service from starting, until its owner disowns it."""

import asyncio
import shlex
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from typer.testing import CliRunner, Result

from libs.broker import Broker
from libs.contracts.cloudevents_kafka import from_record, to_record
from libs.contracts.topics import INSPECTOR, topic
from libs.journal.fold import PartitionFold
from libs.journal.kafka_log import KafkaLog
from libs.journal.log import LogRewritten, OutRecord
from libs.journal.machine import journal_name
from libs.journal.mark_keys import file_of, marks_in, plan_in
from libs.journal.published import check_published, published
from libs.stack import Stack, StackError
from services.cli.__main__ import app
from services.cli.journals import books, records
from services.cli.verify import Report, verify_log
from tests.audit.played import KEYRING, played
from tests.audit.test_service import Copied, copy
from tests.testkit.marks import ROOT, TABLE
from tests.testkit.partitions import PARTITIONS, partition_of

pytestmark = [pytest.mark.stack, pytest.mark.usefixtures("created")]
EVENTS, JOURNAL = topic("table", "events").name, topic("table", "journal").name


async def test_a_forged_event_is_named_disowned_and_stops_nobody_any_more(
    stack: Stack, kafka: Broker, topics: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    house, keys = played(hands=1), tmp_path / "keys"
    await copy(house.broker, kafka, topics, Copied())
    partition = partition_of(house.table)
    last = house.broker.records(EVENTS, partition)[-1]
    true = from_record(last.key, last.value, last.headers)
    await _publish(kafka, topics, partition, replace(true, version=true.version + 1))

    keys.mkdir()
    (keys / "mark_root.hex").write_text(ROOT.hex())
    for name, value in stack.broker(INSPECTOR).environment().items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("DATABASE_URL", stack.database_url)
    monkeypatch.setenv("CROUPIER_TOPIC_PREFIX", topics)
    monkeypatch.setenv("CROUPIER_MARKS_FILE", str(file_of(keys / "marks", INSPECTOR)))
    CliRunner().invoke(app, ["marks", "hand-out", "--keys", str(keys)])

    async def starts() -> None:
        """What a runner asks before it begins, by the file that the table service was handed."""
        log = KafkaLog(kafka, marks_in(file_of(keys / "marks", "table")))
        newest = await published(log, topics + EVENTS, partition)
        fold: PartitionFold[Any, Any] = PartitionFold(partition, PARTITIONS, journal_name("table"), None)
        async for record in records(log, topics + JOURNAL, partition):
            fold.fold(record)
        check_published(newest, fold)

    async def verified() -> Report:
        log = KafkaLog(kafka, marks_in(file_of(keys / "marks", INSPECTOR)))
        return await verify_log(log, books(KEYRING, PARTITIONS), prefix=topics)

    async def disowned(words: list[str], answer: str) -> Result:
        # The command runs an event loop of its own.
        words = ["disown", *words, "--reason", "case 7", "--keys", str(keys)]
        return await asyncio.to_thread(CliRunner().invoke, app, words, input=answer)

    with pytest.raises(LogRewritten, match="croupier disown") as refused:
        await starts()
    assert {each["kind"] for each in (await verified()).findings} == {"publication_differs"}
    said = shlex.split(str(refused.value).partition("croupier disown ")[2])
    assert said[-2:] == ["--offset", str(last.offset + 1)]

    assert (await disowned(said, "n\n")).exit_code == 1
    assert plan_in(keys / "marks").disowned == ()
    told = await disowned(said, "y\n")
    assert (told.exit_code, true.stream in told.output, "case 7" in told.output) == (0, True, True)
    (kept,) = plan_in(keys / "marks").disowned
    assert (kept.topic, kept.partition, kept.offset) == (topics + EVENTS, partition, last.offset + 1)
    assert kept.digest in told.output

    await starts()
    assert (await verified()).findings == []

    of_a_commit = [*said[:-1], str(last.offset)]
    assert isinstance((await disowned(of_a_commit, "y\n")).exception, StackError), "what was decided stays"
    assert isinstance((await disowned(said, "y\n")).exception, StackError), "it counts for nothing already"
    assert len(plan_in(keys / "marks").disowned) == 1


async def _publish(kafka: Broker, topics: str, partition: int, event: Any) -> None:
    publisher = await KafkaLog(kafka, TABLE).publisher()
    key, value, headers = to_record(event)
    await (await publisher.send([OutRecord(topics + EVENTS, key, value, headers, partition)]))
    await publisher.abandon()
