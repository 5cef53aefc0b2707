"""A login gets a new password at the broker and the database: first there, then in its file, whole or not at all.

Whoever is interrupted in between rotates again: by the administrator's login. At the database a login without it
changes its own password, and needs the one that holds.
"""

import asyncio
import time
from collections.abc import Callable
from typing import TypeAlias
from urllib.parse import urlsplit

import asyncpg
from aiokafka.errors import KafkaError

from libs.broker import Broker
from libs.broker.administration import administering
from libs.broker.broker import MECHANISM, PLATFORMS_MECHANISM
from libs.contracts.topics import PLATFORM
from libs.stack import postgres
from libs.stack.home import StackError
from libs.stack.logins import Logins, fresh_password

_OF = "select pid from pg_stat_activity where usename = $1 and pid <> pg_backend_pid()"
_END = f"select pid, pg_terminate_backend(pid) from ({_OF}) as of"
_STARTING = "select pid, backend_start from pg_stat_activity where state = 'starting' and pid <> pg_backend_pid()"
"""Who proves a password just now, to the one that was kept as they began: the server does not say yet whose it is."""
_STILL = f"{_STARTING} and (pid, backend_start) in (select * from unnest($1::int[], $2::timestamptz[]))"
_CUT = f"select pg_terminate_backend(pid) from ({_STILL}) as still"
_KEEPS = "select rolpassword = $2 and rolcanlogin = $3 from pg_authid where rolname = $1"
_TIMEOUT_S = "select extract(epoch from current_setting('authentication_timeout')::interval)"
_ROUNDS = 5
_PATIENCE_S = 10.0
_PROOF_S = 1.0
"""For a login that is under way; who stalls it any longer is cut, whoever it is: the house's own come again."""
_LOCK_MS = 500
_AGAIN = "rotate it again"
Connection: TypeAlias = "asyncpg.Connection[asyncpg.Record]"


async def rotate_kafka(admin: Broker, logins: Logins, user: str) -> None:
    """New connections need the new password; what is open stays so. Raises StackError where the broker refuses.

    Who had an administrator's rights once may have given it a second one, for the other mechanism: that ends, too.
    """
    fresh = {user: fresh_password()}
    mechanism = PLATFORMS_MECHANISM if user.startswith(f"{PLATFORM}-") else MECHANISM
    try:
        async with administering(admin) as at:
            await at.lock_others({user: mechanism})
            await at.set_passwords(fresh, mechanism)
            logins.keep_kafka(fresh)
            await at.passwords_hold(fresh, mechanism)
    except KafkaError as error:
        kept = logins.kafka(user).exists() and logins.kafka_password(user) == fresh[user]
        what = "has a new password, which is in its file," if kept else "keeps its password"
        raise StackError(f"{user} {what}: {type(error).__name__} {error}") from error


async def shut_kafka(admin: Broker, user: str) -> None:
    """It may do nothing, and nobody knows its password. Raises StackError where the broker refuses, or knows nobody of
    this name."""
    try:
        async with administering(admin) as at:
            kept, rules = (await at.users([user])).get(user, {}), await at.rules(user)
            if not kept and not rules:
                raise StackError(f"the broker knows no login {user}")
            await at.take([user])
            for mechanism in kept:
                await at.lock_out([user], mechanism)
    except KafkaError as error:
        raise StackError(f"{user} is not shut: {type(error).__name__} {error}") from error


async def rotate_database(
    given: str, logins: Logins, user: str, on_wait: Callable[[float], None] = lambda wait_s: None
) -> int:
    """How many connections of it were ended: by the administrator where that password lies here, who shuts the login
    first, so that who is in under the old password, or comes again and again, changes nothing. Else by the login
    itself, which may change its own password, and waits as long as the server waits for a proof (a minute, where nobody
    has set `authentication_timeout`); and who is faster there is told.

    `given`: address of the database for any login. `on_wait` hears before it how long that wait is, seconds. Raises
    StackError, which says whether the login may come in.
    """
    by = postgres.ADMIN if user != postgres.ADMIN and logins.postgres(postgres.ADMIN).exists() else user
    try:
        connection = await asyncpg.connect(_address(given, logins, by), timeout=_PATIENCE_S)
    except (asyncpg.PostgresError, OSError) as error:
        raise StackError(f"{user} keeps its password at the database: {type(error).__name__} {error}") from error
    try:
        await connection.execute(f"set lock_timeout = {_LOCK_MS}")
        if by != user:
            return await _by_administrator(connection, logins, user)
        return await _by_itself(connection, _address(given, logins, user), logins, user, on_wait)
    except (asyncpg.PostgresError, asyncpg.InterfaceError, OSError) as error:
        raise StackError(f"{user} is not rotated at the database: {type(error).__name__} {error}; {_AGAIN}") from error
    finally:
        await connection.close()


def _address(given: str, logins: Logins, user: str) -> str:
    parts = urlsplit(given)
    return logins.database(f"{parts.netloc.rpartition('@')[2]}{parts.path}?{parts.query}", user)


async def _by_administrator(server: Connection, logins: Logins, user: str) -> int:
    """Shut under a password that nobody knows, emptied, opened; believed once that is still what the server keeps.
    Interrupted in between, the login is shut, and whoever rotates again goes on.

    Shut and given the password in one: who begins to log in after that proves the new one, who began before is cut.
    """
    ended, fresh = set[int](), fresh_password()
    for _ in range(_ROUNDS):
        kept = postgres.verifier(fresh)
        await _said(server, f"alter role \"{user}\" nologin password '{kept}'", user, ended)
        await _no_proof_of_before(server)
        await _empty(server, user, ended)
        if not await server.fetchval(_KEEPS, user, kept, False):
            continue  # changed by who was in meanwhile, and others may have begun to log in by that
        await _said(server, f'alter role "{user}" login', user, ended)
        if not await server.fetch(_OF, user) and await server.fetchval(_KEEPS, user, kept, True):
            logins.keep_postgres({user: fresh})
            return len(ended)
    await _said(server, f'alter role "{user}" nologin', user, ended)
    raise StackError(f"somebody else changes {user} at the database all the time: it may not log in now; {_AGAIN}")


async def _no_proof_of_before(server: Connection) -> None:
    """No login that is under way now is left so. Before PostgreSQL 18 a server does not show them, and none is cut."""
    began = await server.fetch(_STARTING)
    pids, since = [row["pid"] for row in began], [row["backend_start"] for row in began]
    patient, until = time.monotonic() + _PROOF_S, time.monotonic() + _PATIENCE_S
    while left := await server.fetch(_STILL, pids, since):
        if time.monotonic() >= until:
            raise StackError(f"{len(left)} logins under way at the database do not end; {_AGAIN}")
        if time.monotonic() >= patient:
            await server.fetch(_CUT, pids, since)
        await asyncio.sleep(0.02)


async def _by_itself(own: Connection, address: str, logins: Logins, user: str, on_wait: Callable[[float], None]) -> int:
    """Who had begun to log in when it was changed may prove the old password for as long as the server waits: then all
    are put out once more, whoever they are. The house's own come again."""
    ended, fresh = set[int](), fresh_password()
    proof_s = float(await own.fetchval(_TIMEOUT_S))
    for _ in range(_ROUNDS):
        await _said(own, postgres.changed(user, fresh), user, ended)
        logins.keep_postgres({user: fresh})
        others = await _empty(own, user, ended)
        if await _opens(address) and not (others and await own.fetch(_OF, user)):
            on_wait(proof_s)
            await asyncio.sleep(proof_s)
            await _empty(own, user, ended)
            if await _opens(address):
                return len(ended)
    raise StackError(
        f"somebody else changed the password of {user} at the database meanwhile; with {postgres.ADMIN}'s file beside "
        "the others the login is shut before it is rotated"
    )


async def _opens(address: str) -> bool:
    try:
        connection = await asyncpg.connect(address, timeout=_PATIENCE_S)
    except asyncpg.InvalidAuthorizationSpecificationError:
        return False
    await connection.close()
    return True


async def _said(server: Connection, statement: str, user: str, ended: set[int]) -> None:
    """Who holds the login's row in a transaction, or changes it at the same time, is put out and it is said again."""
    until = time.monotonic() + _PATIENCE_S
    while True:
        try:
            await server.execute(statement)
            return
        except (asyncpg.LockNotAvailableError, asyncpg.InternalServerError):  # `tuple concurrently updated`
            if time.monotonic() >= until:
                raise
        ended |= {row["pid"] for row in await server.fetch(_END, user)}


async def _empty(server: Connection, user: str, ended: set[int]) -> bool:
    """Whether there were any; none is left."""
    until, before = time.monotonic() + _PATIENCE_S, len(ended)
    while rows := await server.fetch(_END, user):
        ended |= {row["pid"] for row in rows}
        if time.monotonic() >= until:
            raise StackError(f"{len(rows)} connections of {user} at the database do not end; {_AGAIN}")
        await asyncio.sleep(0.02)
    return len(ended) > before
