"""A login gets a new password at the broker and the database: first there, then in its file, whole or not at all.

Whoever is interrupted in between rotates again: at the broker by the administrator's login, at the database as its
superuser says.
"""

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

_OTHERS = """select pg_terminate_backend(pid) from pg_stat_activity
    where usename = current_user and pid <> pg_backend_pid()"""


async def rotate_kafka(admin: Broker, logins: Logins, user: str) -> None:
    """New connections need the new password; what is open stays so. Raises StackError where the broker refuses."""
    fresh = {user: fresh_password()}
    mechanism = PLATFORMS_MECHANISM if user.startswith(f"{PLATFORM}-") else MECHANISM
    try:
        async with administering(admin) as at:
            await at.set_passwords(fresh, mechanism)
    except KafkaError as error:
        raise StackError(f"{user} keeps its password: {type(error).__name__} {error}") from error
    logins.keep_kafka(fresh)


async def rotate_database(given: str, logins: Logins, user: str) -> int:
    """By the login itself, which may change its own password; how many other connections of it were ended.

    `given`: address of the database for any login. Raises StackError where the password in the file is not the one
    that the database knows.
    """
    parts = urlsplit(given)
    own = logins.database(f"{parts.hostname}:{parts.port or 5432}{parts.path}", user)
    fresh = fresh_password()
    try:
        connection = await asyncpg.connect(own, timeout=10)
        try:
            await connection.execute(postgres.changed(user, fresh))
            logins.keep_postgres({user: fresh})
            return len(await connection.fetch(_OTHERS))
        finally:
            await connection.close()
    except (asyncpg.PostgresError, OSError) as error:
        raise StackError(f"{user} keeps its password at the database: {type(error).__name__} {error}") from error
