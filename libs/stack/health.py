"""Whether a broker and a database really answer, and which they are."""

import asyncio
import contextlib
import logging
import time
from collections.abc import Callable, Iterator
from urllib.parse import parse_qsl, urlencode

import asyncpg
from aiokafka.client import AIOKafkaClient
from aiokafka.errors import KafkaError

from libs.broker import Broker, LoginRefused, check_login
from libs.sealing.key_files import BadKey
from libs.stack.home import StackError


async def brokers(broker: Broker, *, timeout_s: float = 3.0) -> int:
    """How many brokers the cluster's metadata names; StackError in one line if none answers or it refuses us."""
    try:
        client = AIOKafkaClient(**broker.options(), request_timeout_ms=int(timeout_s * 1000))
    except BadKey as error:
        raise StackError(f"no login for {broker.bootstrap}: {error}") from error
    try:
        with _quiet("aiokafka"):
            async with asyncio.timeout(timeout_s):
                await client.bootstrap()
                return len(client.cluster.brokers())
    except (KafkaError, OSError, TimeoutError, ValueError) as error:
        await _tell_refusal(broker)
        raise StackError(f"no Kafka answers at {broker.bootstrap}") from error
    finally:
        await client.close()


async def _tell_refusal(broker: Broker) -> None:
    with contextlib.suppress(ValueError):
        try:
            await check_login(broker)
        except LoginRefused as refused:
            raise StackError(f"Kafka: {refused}") from refused


async def postgres_version(url: str, *, timeout_s: float = 3.0) -> str:
    """The version that the server reports; StackError in one line if nothing answers. Never names a password."""
    try:
        connection = await asyncpg.connect(url, timeout=timeout_s)
    except asyncpg.PostgresError as error:  # it answers, and these are its own words, in which no password stands
        said = str(error).partition("\n")[0]
        raise StackError(f"PostgreSQL at {without_password(url)} refuses: {said}") from error
    except (OSError, TimeoutError, ValueError, asyncpg.InterfaceError) as error:
        raise StackError(f"no PostgreSQL answers at {without_password(url)} ({type(error).__name__})") from error
    try:
        await connection.fetchval("select 1")
        return str(await connection.fetchval("show server_version")).split()[0]
    finally:
        await connection.close()


def without_password(url: str) -> str:
    """A database address that may be shown."""
    scheme, is_address, rest = url.partition("://")
    if not is_address:  # a password may stand anywhere in it
        return "what is no address"
    rest, _, query = rest.partition("?")
    who, at, where = rest.rpartition("@")
    shown = [(name, value) for name, value in parse_qsl(query) if name.lower() != "password"]
    return f"{scheme}://{who.split(':')[0]}{at}{where}{'?' if shown else ''}{urlencode(shown)}"


def wait_for_kafka(broker: Broker, nodes: int, *, alive: Callable[[], bool], seconds: float = 60.0) -> None:
    """Wait until the metadata names `nodes` brokers; StackError if that takes too long or a process ends."""
    until, said = time.monotonic() + seconds, "too few brokers"
    while True:
        try:
            if asyncio.run(brokers(broker, timeout_s=1.0)) >= nodes:
                return
        except StackError as error:
            said = str(error)
        if not alive():
            raise StackError("Kafka ended while starting")
        if time.monotonic() > until:
            raise StackError(f"Kafka did not come up at {broker.bootstrap} within {seconds:.0f} s: {said}")
        time.sleep(0.1)


@contextlib.contextmanager
def _quiet(name: str) -> Iterator[None]:
    # A refused connection is our answer here, not something to log once per attempt.
    logger = logging.getLogger(name)
    before = logger.level
    logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        logger.setLevel(before)
