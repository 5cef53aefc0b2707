"""`croupier disown`: a record of a public topic with a true mark that no commit says counts for nothing more."""

import asyncio
import time
from typing import Annotated

import typer
from msgspec.structs import replace

from libs.contracts.cloudevents_kafka import NotAPublicEvent, from_record
from libs.contracts.topics import topic
from libs.journal.fold import PartitionFold
from libs.journal.log import Log, LogRecord, OffsetOutOfRange
from libs.journal.machine import journal_name
from libs.journal.mark_keys import Disowned, plan_in
from libs.journal.marks import digest_of, writer_of
from libs.journal.publishing import public_events
from libs.stack_error import StackError
from services.audit.verifying import publication
from services.cli.journals import records
from services.cli.marks import Keys, ended, keys_folder, write
from services.cli.surroundings import MARKS, in_one_line, surroundings

_SERVICES = ("table", "wallet", "tournament")
_WAIT_MS = 500


def disown(
    topic_: Annotated[str, typer.Option("--topic", help="Topic of public events, as the incident names it.")],
    partition: Annotated[int, typer.Option(min=0)],
    offset: Annotated[int, typer.Option(min=0)],
    reason: Annotated[str, typer.Option(help="Kept with the keys: who found out what.")],
    keys: Keys = None,
) -> None:
    """Let a forged public event count for nothing, for every reader; refuses what a commit of the journal says.

    It goes into the file of marks of every process. See `publication_differs` in docs/sre.md for what comes after.
    """
    folder, at = keys_folder(keys), surroundings()
    if ended(folder, plan_in(folder / MARKS)):
        return
    service = next((each for each in _SERVICES if at.topic_prefix + topic(each, "events").name == topic_), None)
    if service is None:
        raise StackError(f"{topic_} is no topic of public events")
    journal = at.topic_prefix + topic(service, "journal").name
    with in_one_line():
        record, said = asyncio.run(
            _found(at.log("disown"), at.house().partitions, service, (topic_, partition, offset), journal)
        )
    if said:
        raise StackError("a commit of the journal says this very event: it is true, and stays")
    digest = digest_of(record)
    typer.echo(f"{topic_}/{partition}@{offset}, marked by {writer_of(record.headers)}\nsha256 {digest}")
    # Whoever forged it wrote it: nothing of it steers the terminal.
    typer.echo("".join(f"  {name!a}: {(value or b'')!r}\n" for name, value in record.headers[:-1]))
    typer.echo(ascii((record.value or b"")[:2_000]))
    typer.confirm(f"no commit says it; disown it for ever, because: {reason}?", abort=True)
    plan = plan_in(folder / MARKS)
    said_now = Disowned(topic_, partition, offset, digest, reason, time.time_ns() // 1_000_000)
    write(folder, replace(plan, disowned=(*plan.disowned, said_now)))
    typer.echo(
        "What has taken it already does not forget it: hand the files out, empty croupier.gateway.views.v1 and start"
        " the gateways anew; croupier rebuild --compare --keep shows what books and histories should hold."
    )


async def _found(
    log: Log, of_house: int, service: str, place: tuple[str, int, int], journal: str
) -> tuple[LogRecord, bool]:
    """The record, and whether a valid commit says it. The whole partition of the journal is read, by the rule."""
    name, partition, offset = place
    if partition >= of_house:
        raise StackError(f"{name} has {of_house} partitions")
    record = await _record_at(log, *place)
    if record is None:
        raise StackError(f"{name}/{partition}@{offset} holds no record with a true mark: it counts for nothing already")
    try:
        event = from_record(record.key, record.value, record.headers)
    except NotAPublicEvent:
        return record, False
    fold: PartitionFold[object, object] = PartitionFold(partition, of_house, journal_name(service), None)
    async for each in records(log, journal, partition):
        folded = fold.fold(each)
        if folded.valid and folded.commit is not None and folded.commit.stream == event.stream:
            for true in public_events(folded.commit):
                if (true.version, publication.digest_of(true)) == (event.version, publication.digest_of(event)):
                    return record, True
    return record, False


async def _record_at(log: Log, name: str, partition: int, offset: int) -> LogRecord | None:
    reader = await log.reader(name, partition)
    try:
        position, end = offset, await reader.end()
        while position <= offset < end:
            fetched = await reader.read(position, 1, _WAIT_MS)
            for record in fetched.records:
                return record if record.offset == offset else None
            position = fetched.position
    except OffsetOutOfRange:
        pass
    finally:
        await reader.close()
    return None
