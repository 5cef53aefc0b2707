"""One process's connections to a cluster, shared by everything that reads and writes there."""

import asyncio
import contextlib
from collections.abc import Iterable
from typing import Any

from aiokafka import TopicPartition
from aiokafka.client import AIOKafkaClient
from aiokafka.errors import (
    KafkaConnectionError,
    KafkaError,
    LeaderNotAvailableError,
    SaslAuthenticationFailed,
    TopicAuthorizationFailedError,
    for_code,
)

from libs.broker import Broker, LoginRefused, check_login
from libs.broker.protocol import Ready
from libs.journal.kafka_wire import Call, Place, list_offsets, topic_id

_BACKOFF_S = 0.05


class Cluster:
    """Opened for its first user, closed after its last.

    A connection serves its requests one after the other, and one that waits at the broker holds up those behind it:
    so each kind of use has a `lane`, a connection of its own. Addresses, leaders and connections are aiokafka's
    (0.14, pinned: a lane is what it calls a connection group, and any name will do).
    """

    def __init__(self, broker: Broker, client_id: str, request_timeout_ms: int) -> None:
        self.timeout_ms = request_timeout_ms
        self._broker = broker
        self._options: dict[str, Any] = {
            "client_id": client_id,
            "request_timeout_ms": request_timeout_ms,
            "retry_backoff_ms": 50,
        }
        self._client: AIOKafkaClient | None = None
        self._opening: asyncio.Task[None] | None = None
        self._users = 0
        self._closing: set[asyncio.Task[None]] = set()

    async def join(self) -> None:
        """Raises `KafkaError` where no broker answers; whoever joined leaves again."""
        self._users += 1
        try:
            if self._opening is None:
                self._opening = asyncio.create_task(self._open())
                # Whoever waits is told; where nobody does any more, nobody need be.
                self._opening.add_done_callback(lambda opening: opening.cancelled() or opening.exception())
            await asyncio.shield(self._opening)
        except BaseException:
            self.leave()
            raise

    def leave(self) -> None:
        self._users -= 1
        if self._users == 0:
            self._end()

    async def partitions(self, topic: str) -> int:
        """Of a topic; raises `KafkaError` for one that is not there."""
        client = self._opened()
        # From now on its own refusal comes with the metadata; among all topics it would only be missing.
        client.add_topic(topic)
        found = client.cluster.partitions_for_topic(topic)
        return len(found if found is not None else await client._wait_on_metadata(topic))

    def partitions_known(self, topic: str) -> int:
        """The same without asking; 0 where nothing is known."""
        return len(self._opened().cluster.partitions_for_topic(topic) or ())

    def leader(self, place: Place) -> int | None:
        """Node that leads a partition; None: nobody does, or it is not known who, and that is being asked.

        Raises `TopicAuthorizationFailedError` where the broker lets us see nothing of the topic.
        """
        cluster = self._opened().cluster
        if place[0] in cluster.unauthorized_topics:
            self.doubt()
            raise TopicAuthorizationFailedError(place[0])
        node = cluster.leader_for_partition(TopicPartition(*place))
        if node is None or node == -1:
            self.doubt()
            return None
        return int(node)

    def doubt(self) -> None:
        """Leaders may have changed: they are asked for anew."""
        if self._client is not None:
            self._client.force_metadata_update()

    async def call(self, node: int, lane: str, request: Call | Ready) -> Any:
        """Raises `KafkaError`; a connection that did not answer in time is closed and made again."""
        client = self._opened()
        try:
            return await client.send(node, request, group=lane)
        except KeyError:
            if (node, lane) in client._conns:
                raise
            # Cut just as its time ran out: aiokafka looks it up to close it.
            raise KafkaConnectionError(f"connection {lane} to node {node} was cut") from None

    async def reach(self, node: int, lane: str) -> bool:
        """Makes the connection, if it is not there; then `call` sends at once. False where it can't be made."""
        return bool(await self._opened().ready(node, group=lane))

    def cut(self, node: int, lane: str) -> None:
        """Ends what waits on a connection; the next request makes it anew."""
        connection = self._opened()._conns.pop((node, lane), None)
        if connection is not None:
            connection.close()

    async def anywhere(self, request: Call | Ready) -> Any:
        """Asks any node."""
        node = self._opened().get_random_node()
        if node is None:
            raise KafkaConnectionError("no node is known")
        return await self.call(node, "ask", request)

    def nodes(self) -> list[int]:
        return [each.nodeId for each in self._opened().cluster.brokers()]

    async def everywhere(self, request: Call | Ready) -> list[Any]:
        """Asks every node; of those that answer. Raises `KafkaError` where none does."""
        asked = (self.call(each, "ask", request) for each in self.nodes())
        answers = await asyncio.gather(*asked, return_exceptions=True)
        told = [each for each in answers if not isinstance(each, BaseException)]
        for each in answers:
            if isinstance(each, BaseException) and not (told and isinstance(each, KafkaError)):
                raise each
        return told

    async def identity(self, topic: str) -> bytes:
        """Raises `KafkaError`."""
        error, found = await self.anywhere(topic_id(topic))
        if error:
            raise for_code(error)()
        return bytes(found)

    async def offsets(self, places: Iterable[Place], at: int) -> dict[Place, int]:
        """`at`: -1 for ends, -2 for beginnings, else milliseconds: -1 where nothing is so young. Raises `KafkaError`
        when leaders don't say in time."""
        missing, found = set(places), dict[Place, int]()
        give_up = asyncio.get_running_loop().time() + self.timeout_ms / 1000
        while True:
            wrong = await self._offsets(missing, at, found)
            missing -= found.keys()
            if not missing:
                return found
            if not wrong.retriable or asyncio.get_running_loop().time() > give_up:
                raise wrong
            self.doubt()
            await asyncio.sleep(_BACKOFF_S)

    async def _offsets(self, places: Iterable[Place], at: int, found: dict[Place, int]) -> KafkaError:
        """Adds what the leaders say; what is wrong with the rest."""
        wrong: KafkaError = LeaderNotAvailableError()
        by_node: dict[int | None, list[Place]] = {}
        for place in places:
            by_node.setdefault(self.leader(place), []).append(place)
        by_node.pop(None, None)
        for node, theirs in by_node.items():
            assert node is not None
            try:
                answers = await self.call(node, "ask", list_offsets(theirs, at))
            except KafkaError as failed:
                wrong = failed
                continue
            for place, (error, offset) in answers.items():
                if error:
                    wrong = for_code(error)()
                else:
                    found[place] = offset
        return wrong

    def _opened(self) -> AIOKafkaClient:
        if self._client is None:
            raise KafkaConnectionError("the cluster was left")
        return self._client

    async def _open(self) -> None:
        client = AIOKafkaClient(**self._broker.options(), **self._options)
        try:
            await client.bootstrap()
        except BaseException as wrong:
            self._opening = None
            await client.close()
            if isinstance(wrong, KafkaConnectionError):
                await self._tell_refusal()
            raise
        self._client = client

    async def _tell_refusal(self) -> None:
        """To the client a login that is refused and a broker that is away are the same."""
        try:
            await check_login(self._broker)
        except LoginRefused as refused:
            raise SaslAuthenticationFailed(str(refused)) from None

    def _end(self) -> None:
        client, self._client = self._client, None
        opening, self._opening = self._opening, None
        if opening is not None and not opening.done():
            opening.cancel()
        if client is not None:
            task = asyncio.create_task(_close(client))
            self._closing.add(task)
            task.add_done_callback(self._closing.discard)


async def _close(client: AIOKafkaClient) -> None:
    with contextlib.suppress(KafkaError, TimeoutError):
        async with asyncio.timeout(5.0):
            await client.close()
