"""Passwords at this home's broker and database: a file for each login, readable by its owner alone."""

import os
import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from libs.broker import Broker
from libs.broker.administration import administering
from libs.broker.broker import MECHANISM, PLATFORMS_MECHANISM
from libs.broker.rules import ADMIN as ADMIN
from libs.broker.rules import NODE as NODE
from libs.broker.rules import is_platform, services
from libs.contracts.topics import INSPECTOR

_OF_A_LOGIN = ("user", "password", "passfile")
"""Of an address, what is another's for each login."""


@dataclass(frozen=True, slots=True)
class Logins:
    """The files of one folder. One that is there says that its user is there, too."""

    folder: Path

    @property
    def ca(self) -> Path:
        return self.folder / "ca.pem"

    @property
    def node_certificate(self) -> Path:
        """Key, certificate and CA of the brokers."""
        return self.folder / "kafka.pem"

    def kafka(self, user: str) -> Path:
        return self.folder / f"{user}.kafka"

    def postgres(self, user: str) -> Path:
        """In the format of libpq's password file."""
        return self.folder / f"{user}.pgpass"

    def broker(self, bootstrap: str, user: str, *, tls: bool) -> Broker:
        return Broker(bootstrap, user, self.kafka(user), self.ca if tls else None)

    def database(self, address: str, user: str) -> str:
        """`address` is host, port and name, and perhaps how to connect (`?sslmode=verify-full`); the password stays in
        its file."""
        place, _, query = address.partition("?")
        how = [each for each in query.split("&") if each and each.partition("=")[0] not in _OF_A_LOGIN]
        return f"postgresql://{user}@{place}?{'&'.join((f'passfile={quote(str(self.postgres(user)))}', *how))}"

    def kafka_password(self, user: str) -> str:
        """Made now if there is none: for users that the broker gets before it starts."""
        file = self.kafka(user)
        if not file.exists():
            write_secret(file, fresh_password())
        return file.read_text().strip()

    async def make_users(self, admin: Broker, users: Iterable[str], mechanism: str = MECHANISM) -> None:
        """At the broker, those that have no file here. Raises `KafkaError`."""
        fresh = {user: fresh_password() for user in users if not self.kafka(user).exists()}
        if not fresh:
            return
        async with administering(admin) as at:
            await at.set_passwords(fresh, mechanism)
            self.keep_kafka(fresh)
            await at.passwords_hold(fresh, mechanism)

    async def make_house(self, admin: Broker) -> None:
        """The house's own users, at brokers that were started here: there nobody else sets passwords, and who has two
        came by the second one when somebody had the administrator's. Raises `KafkaError`."""
        await self.make_users(admin, house_users())
        async with administering(admin) as at:
            theirs = dict.fromkeys(filter(is_platform, await at.users()), PLATFORMS_MECHANISM)
            await at.lock_others(theirs | dict.fromkeys((*house_users(), ADMIN, NODE), MECHANISM))

    def keep_kafka(self, passwords: Mapping[str, str]) -> None:
        for user, password in passwords.items():
            write_secret(self.kafka(user), password)

    def keep_postgres(self, passwords: Mapping[str, str]) -> None:
        for user, password in passwords.items():
            write_secret(self.postgres(user), f"*:*:*:{user}:{password}")


def house_users() -> tuple[str, ...]:
    """Every login of the broker that the house itself needs, beside the administrator's."""
    return (*services(), INSPECTOR)


def fresh_password() -> str:
    return secrets.token_hex(16)


def write_secret(file: Path, text: str) -> None:
    """Whole or not at all, and never readable by others."""
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    beside = file.with_name(f".{file.name}.{os.getpid()}")
    with os.fdopen(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as out:
        out.write(text + "\n")
    beside.replace(file)
