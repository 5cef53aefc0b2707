"""Creates the topics of the one table in `libs/contracts/topics.py`, and its rules; nothing else ever does."""

import asyncio
from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from aiokafka.admin import AIOKafkaAdminClient, NewTopic
from aiokafka.admin.config_resource import ConfigResource, ConfigResourceType
from aiokafka.errors import (
    KafkaError,
    SecurityDisabled,
    TopicAlreadyExistsError,
    UnknownTopicOrPartitionError,
    for_code,
)

from libs.broker import Broker
from libs.broker.administration import Administration, administering
from libs.broker.broker import MECHANISM
from libs.broker.rules import Resource, Rule, former_names, house_rules, names_in, readers, write_rates
from libs.contracts.topics import TOPICS, Topic
from libs.stack.home import StackError
from libs.stack.logins import house_users

_UNUSED = ("share.version",)
"""Groups that nobody here joins, of a kind with members and sessions of their own: no broker's setting turns it off."""
FORMERLY = {"compression.type": "uncompressed", "max.message.bytes": "16777216", "segment.bytes": "1073741824"}
"""What the table once said of a setting. Where it says otherwise now, a topic that has this still is set up anew. The
last is Kafka's own, where the table said nothing."""
_PATIENCE = 100
"""Looks, a tenth of a second apart."""


@dataclass(frozen=True, slots=True)
class TopicState:
    """One topic as the broker has it: `partitions` 0 if it is missing; `drift` maps a setting to (table, broker)."""

    name: str
    partitions: int
    drift: dict[str, tuple[str, str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Provisioned:
    created: tuple[str, ...]
    present: tuple[str, ...]
    drift: dict[str, dict[str, tuple[str, str]]]
    """Topics whose settings on the broker are not the table's. Reported, never changed behind an operator's back."""
    rules: bool = True
    """Whether the broker keeps rules; one without an authorizer lets everybody do everything."""


async def provision(
    broker: Broker,
    partitions: int,
    prefix: str = "",
    replication: int = 1,
    rules: Collection[Rule] = (),
    only: Sequence[Topic] = TOPICS,
    table_writes: int | None = None,
) -> Provisioned:
    """Create every missing topic and compare the rest, and give the rules of the house; doing it twice does it once.

    Of a house of so many `partitions`; who creates a house calls `create_house`.

    What the house's logins have of passwords beside their own is locked. `table_writes`: bytes a second, see
    `write_rates`; None: what is in force stays, and a service without any gets
    `TABLE_WRITES` or half of it.

    `prefix` goes before every name (tests share a broker that way); `rules` are given beside those of the house. Raises
    StackError if the broker refuses, or if a topic has another number of partitions: that can't be
    mended, streams would change place (journal 1).
    """
    admin = AIOKafkaAdminClient(**broker.options())
    try:
        await admin.start()
        async with administering(broker) as at:
            await at.turn_off(_UNUSED)
            await at.lock_others(dict.fromkeys(house_users(), MECHANISM))
            await at.free_reads(readers())
            await at.limit_writes(await _rates(at, table_writes))
        keeps_rules = await _give(broker, [*house_rules(prefix), *rules], former_names(prefix))
        there = set(await admin.list_topics())
        missing = [each for each in only if prefix + each.name not in there]
        await _create(admin, missing, partitions, prefix, replication)
        states = await _states_of_all(admin, only, prefix)
        for _ in range(_PATIENCE):  # the answer to a change comes before the broker goes by it
            if not await _set_anew(broker, states):
                break
            await asyncio.sleep(0.1)
            states = await _states_of_all(admin, only, prefix)
    except KafkaError as error:
        raise StackError(
            f"topics can't be provisioned at {broker.bootstrap}: {type(error).__name__} {error}"
        ) from error
    finally:
        await admin.close()
    _check_partitions(states, only, partitions, prefix)
    created = {prefix + each.name for each in missing}
    return Provisioned(
        created=tuple(sorted(created)),
        present=tuple(state.name for state in states if state.name not in created),
        drift={state.name: state.drift for state in states if state.drift},
        rules=keeps_rules,
    )


async def remove(broker: Broker, prefix: str) -> None:
    """Deletes what `provision` made under a prefix, and every rule about it. Raises `KafkaError`."""
    admin = AIOKafkaAdminClient(**broker.options())
    await admin.start()
    try:
        await admin.delete_topics([prefix + each.name for each in TOPICS])
    finally:
        await admin.close()
    async with administering(broker) as at:
        with suppress(SecurityDisabled):
            await at.take(names=[*names_in(house_rules(prefix)), (Resource.TOPIC, prefix), (Resource.GROUP, prefix)])


async def _rates(at: Administration, table_writes: int | None) -> dict[str, float]:
    if table_writes is not None:
        return write_rates(table_writes)
    has = await at.write_rates()
    return {login: rate for login, rate in write_rates().items() if login not in has}


async def _give(broker: Broker, rules: Collection[Rule], former: Collection[tuple[Resource, str]]) -> bool:
    async with administering(broker) as at:
        try:
            await at.give(rules)
            await at.take(names=former)  # behind it: no process is without its right for a moment
        except SecurityDisabled:
            return False
    return True


async def _set_anew(broker: Broker, states: Iterable[TopicState]) -> bool:
    """Whether there was any."""
    old = {
        (setting, wanted): [each.name for each in states if each.drift.get(setting) == (wanted, formerly)]
        for setting, formerly in FORMERLY.items()
        for wanted in {each.drift[setting][0] for each in states if setting in each.drift}
    }
    async with administering(broker) as at:
        for (setting, wanted), names in old.items():
            if names:
                await at.set_topics(names, setting, wanted)
    return any(old.values())


async def inspect(broker: Broker, prefix: str = "") -> list[TopicState]:
    """How the broker has each topic of the table; changes nothing. Raises StackError if it does not answer."""
    admin = AIOKafkaAdminClient(**broker.options())
    try:
        await admin.start()
        return await _states(admin, TOPICS, prefix)
    except KafkaError as error:
        raise StackError(f"topics can't be read at {broker.bootstrap}: {type(error).__name__}") from error
    finally:
        await admin.close()


async def _create(
    admin: AIOKafkaAdminClient, missing: Iterable[Topic], partitions: int, prefix: str, replication: int
) -> None:
    new = [
        NewTopic(prefix + t.name, t.partitions(partitions), replication, topic_configs=dict(t.config)) for t in missing
    ]
    if not new:
        return
    answer = await admin.create_topics(new, timeout_ms=20_000)
    for name, code, *message in answer.topic_errors:
        # Somebody else provisioned at the same time: just as good.
        if code and for_code(code) is not TopicAlreadyExistsError:
            raise StackError(f"Kafka refuses to create {name}: {for_code(code).__name__} {' '.join(map(str, message))}")


async def _states_of_all(admin: AIOKafkaAdminClient, topics: Sequence[Topic], prefix: str) -> list[TopicState]:
    # A topic made a moment ago may not be in this broker's metadata yet.
    for _ in range(_PATIENCE):
        states = await _states(admin, topics, prefix)
        if all(state.partitions for state in states):
            return states
        await asyncio.sleep(0.1)
    raise StackError("Kafka created the topics but does not show them")


async def _states(admin: AIOKafkaAdminClient, topics: Iterable[Topic], prefix: str) -> list[TopicState]:
    there = set(await admin.list_topics())
    known = [each for each in topics if prefix + each.name in there]
    counts = {each["topic"]: len(each["partitions"]) for each in await _describe(admin, known, prefix)}
    settings = await _settings(admin, known, prefix)
    return [_state(each, prefix + each.name, counts, settings) for each in topics]


def _state(wanted: Topic, name: str, counts: dict[str, int], settings: dict[str, dict[str, str]]) -> TopicState:
    has = settings.get(name, {})
    if not has:  # every topic has some: the broker that was asked does not know it
        return TopicState(name, 0)
    both = {key: (value, has.get(key, "")) for key, value in wanted.config.items()}
    return TopicState(name, counts.get(name, 0), {key: pair for key, pair in both.items() if pair[0] != pair[1]})


async def _describe(admin: AIOKafkaAdminClient, topics: list[Topic], prefix: str) -> list[dict[str, Any]]:
    if not topics:
        return []
    found: list[dict[str, Any]] = await admin.describe_topics([prefix + each.name for each in topics])
    return found


async def _settings(admin: AIOKafkaAdminClient, topics: list[Topic], prefix: str) -> dict[str, dict[str, str]]:
    if not topics:
        return {}
    asked = [ConfigResource(ConfigResourceType.TOPIC, prefix + each.name) for each in topics]
    found: dict[str, dict[str, str]] = {}
    for answer in await admin.describe_configs(asked):
        for code, _message, _kind, name, entries in answer.resources:
            if for_code(code) is UnknownTopicOrPartitionError:
                continue  # this one of several brokers has not heard of it yet
            if code:
                raise for_code(code)(name)
            found[name] = {entry[0]: entry[1] for entry in entries}
    return found


def _check_partitions(states: list[TopicState], topics: Sequence[Topic], partitions: int, prefix: str) -> None:
    wanted = {prefix + each.name: each.partitions(partitions) for each in topics}
    for state in states:
        if state.partitions != wanted[state.name]:
            had = wanted[state.name]
            raise StackError(f"{state.name} has {state.partitions} partitions, in this house it has {had}")
