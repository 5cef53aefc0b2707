"""Whether the broker takes a login: a wrong password looks like a broker that is away to everything but this."""

import asyncio

from aiokafka.conn import create_conn
from aiokafka.errors import (
    IllegalSaslStateError,
    KafkaConnectionError,
    KafkaError,
    SaslAuthenticationFailed,
    UnsupportedSaslMechanismError,
)
from aiokafka.protocol.metadata import MetadataRequest

from libs.broker.broker import Broker

_TIMEOUT_MS = 5_000


class LoginRefused(Exception):
    """The broker answers and does not let us in. One line, fit to be shown; holds no password."""


async def check_login(broker: Broker) -> None:
    """Raises `LoginRefused` where a broker says no; returns where one says yes, or where none answers."""
    wrong: LoginRefused | None = None
    for address in broker.bootstrap.split(","):
        try:
            await _come(broker, address.strip())
            return
        except LoginRefused as refused:
            wrong = refused
        except (KafkaError, OSError, TimeoutError):
            continue
    if wrong is not None:
        raise wrong


async def _come(broker: Broker, address: str) -> None:
    host, _, port = address.rpartition(":")
    who = f"{address} refuses the login {broker.user}"
    try:
        async with asyncio.timeout(_TIMEOUT_MS / 1000):
            connection = await create_conn(
                host, int(port), client_id="croupier-login", request_timeout_ms=_TIMEOUT_MS, **broker.security()
            )
    except SaslAuthenticationFailed:
        raise LoginRefused(f"{who}: wrong password, or no such user") from None
    except (UnsupportedSaslMechanismError, IllegalSaslStateError):
        raise LoginRefused(f"{who}: it does not take {broker.mechanism} there") from None
    except OSError as wrong:
        if broker.ca_file and isinstance(wrong, ConnectionResetError):
            raise LoginRefused(
                f"{address} can't be reached over TLS: it breaks off, as who does not speak it"
            ) from None
        if type(wrong).__module__ == "ssl":
            raise LoginRefused(f"{address} can't be reached over TLS: {getattr(wrong, 'reason', wrong)}") from None
        raise
    try:
        if broker.user is None:
            await connection.send(MetadataRequest([]))
    except KafkaConnectionError:
        raise LoginRefused(f"{address} lets nobody in without a login: set CROUPIER_KAFKA_USER") from None
    finally:
        connection.close()
