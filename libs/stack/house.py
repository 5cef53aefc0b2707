"""Creates a house: topics with as many partitions as it is to have, and the first record, which says so for ever."""

import time
from collections.abc import Collection
from uuid import uuid4

from aiokafka.errors import KafkaError
from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict

from libs.broker import Broker
from libs.broker.rules import Rule
from libs.contracts.house import HouseClosed, HouseCreated
from libs.contracts.topics import HOUSES, topic
from libs.journal.house import house_records
from libs.journal.kafka_log import KafkaLog
from libs.journal.log import LogUnavailable, OutRecord
from libs.journal.marks import Marking, MayNotWrite
from libs.sealing.key_files import BadKey
from libs.stack.home import StackError
from libs.stack.provision import Provisioned, inspect, provision

_BY_DEFAULT = 4


class HouseSettings(BaseSettings):
    """What a house is told once, when it is created."""

    model_config = SettingsConfigDict(env_prefix="CROUPIER_", extra="ignore")

    partitions: int | None = Field(default=None, ge=1, le=1_000)
    """Of each topic, for as long as the house stands, so at most so many processes of a service work; default 4."""


async def create_house(
    broker: Broker,
    marks: Marking,
    prefix: str = "",
    replication: int = 1,
    rules: Collection[Rule] = (),
    table_writes: int | None = None,
) -> Provisioned:
    """The topics and the record; what is there stays, and another number of partitions is refused with `StackError`.

    `broker`: under the login that makes topics. `marks`: with the key of who creates houses. Topics of a house from
    before there were such records tell themselves how many partitions they have. `table_writes`: see `provision`.
    """
    asked = HouseSettings().partitions
    record = await provision(broker, 1, prefix, replication, rules, only=(HOUSES,))
    try:
        created, moving = await records_at(broker, marks, prefix)
        if created is None and moving is not None and moving.closed:
            raise StackError("a house is being moved to these topics: `croupier house move` opens it")
        created = created or await _write(broker, marks, prefix, asked)
    except (LogUnavailable, KafkaError, BadKey) as wrong:
        raise StackError(f"no house can be created: {wrong}") from None
    if asked is not None and asked != created.partitions:
        raise StackError(f"this house has {created.partitions} partitions and not {asked}, since it was created")
    rest = await provision(broker, created.partitions, prefix, replication, rules, table_writes=table_writes)
    return Provisioned(
        created=tuple(sorted({*record.created, *rest.created})),
        present=tuple(name for name in rest.present if name not in record.created),
        drift=rest.drift,
        rules=rest.rules,
    )


async def records_at(broker: Broker, marks: Marking, prefix: str) -> tuple[HouseCreated | None, HouseClosed | None]:
    """See `house_records`."""
    return await house_records(KafkaLog(broker, marks, client_id="croupier-house"), prefix)


async def _write(broker: Broker, marks: Marking, prefix: str, asked: int | None) -> HouseCreated:
    name = prefix + topic("table", "journal").name
    there = next(state.partitions for state in await inspect(broker, prefix) if state.name == name)
    partitions = there or asked or _BY_DEFAULT
    if asked not in (None, partitions):
        raise StackError(f"this house has {partitions} partitions and not {asked}, since it was created")
    made = HouseCreated(str(uuid4()), 1, partitions, time.time_ns() // 1_000_000)
    await say(broker, marks, prefix, made)
    # Somebody else may have created it at the same moment: the first record counts, for both.
    return (await records_at(broker, marks, prefix))[0] or made


async def say(broker: Broker, marks: Marking, prefix: str, what: HouseCreated | HouseClosed) -> None:
    """One record about the house. Raises `LogUnavailable`, StackError."""
    publisher = await KafkaLog(broker, marks, client_id="croupier-house").publisher(prefix + HOUSES.name)
    try:
        await (await publisher.send([OutRecord(prefix + HOUSES.name, b"house", what.encoded(), (), 0)]))
    except MayNotWrite:
        raise StackError("no house can be created without the key of its marks: see `croupier marks`") from None
    finally:
        await publisher.abandon()
