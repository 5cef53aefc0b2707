"""Bringing the local stack up and down."""

import asyncio
import os
import shutil
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import urlsplit

from aiokafka.errors import KafkaError

from libs.broker import Broker, BrokerSettings
from libs.broker.broker import PLATFORMS_MECHANISM
from libs.stack import containers, door, health, kafka, postgres
from libs.stack.home import Door, Home, Ports, StackError, default_home, jars_folder
from libs.stack.logins import ADMIN, Logins
from libs.stack.process import Progress, complaint, silent

_TOLD_BY_NOBODY = "at a given address"
_NO_PORTS = Ports("", "", (), (), 0)


@dataclass(frozen=True, slots=True)
class Stack:
    """A broker and a database that answered when this was made."""

    home: Path
    admin: Broker
    """The broker under the administrator's login, or under the one that was given with its address."""
    database_url: str = field(repr=False)
    """Of the owner of the database, or the one that was given."""
    kafka_version: str
    postgres_version: str
    given: frozenset[str] = frozenset()
    """What was not started here: `kafka`, `postgres`."""
    nodes: int = 1
    kafka_pids: tuple[int, ...] = ()
    """Empty where an address was given or containers run it."""
    doors: tuple[Door, ...] = ()
    platforms: tuple[int, ...] = ()
    """Of each node, the port for operators' platforms."""

    @property
    def logins(self) -> Logins:
        return Home(self.home).logins

    def broker(self, user: str) -> Broker:
        """The broker under one login. One that was given knows its own logins: there it is always the given one."""
        if "kafka" in self.given:
            return self.admin
        return replace(self.admin, user=user, password_file=self.logins.kafka(user))

    def platform(self, login: str) -> Broker:
        """The broker under a platform's login, where platforms come in; of one that was given the given one."""
        if "kafka" in self.given:
            return self.admin
        address = kafka.bootstrap(self.platforms)
        return replace(self.broker(login), bootstrap=address, mechanism=PLATFORMS_MECHANISM)

    def database(self, user: str) -> str:
        """The address of the database for one login; of one that was given always the given one."""
        if "postgres" in self.given:
            return self.database_url
        parts = urlsplit(self.database_url)
        return self.logins.database(f"{parts.hostname}:{parts.port}{parts.path}", user)

    def down(self, wipe: bool = False) -> None:
        """Stop what this home started; `wipe` removes its data too. What was given stays untouched."""
        down(self.home, wipe=wipe)


def up(
    home: Path | None = None,
    *,
    nodes: int = 1,
    doors: Sequence[str] = (),
    tls: bool | None = None,
    progress: Progress | None = None,
) -> Stack:
    """Start whatever does not run yet and wait until it answers. Everybody needs a login, made here where it is new.

    `tls`: the broker's lines are encrypted (None: as at the last start of this home; at the first, `CROUPIER_TLS=1`).

    `doors`: for fault tests, names of clients that get a listener of their own (`Door`); one node only.

    `KAFKA_BOOTSTRAP_SERVERS` and `DATABASE_URL`, where given, are used instead of starting one. Blocks, and runs
    event loops of its own: from a coroutine call it with `asyncio.to_thread`. Raises StackError, one line, for
    whatever can't be had.
    """
    where = Home((home or default_home()).resolve())
    tell = progress or silent
    asyncio.run(_ask_given())
    if _mode() == "containers":
        containers.engine()
    with where.locked():
        _stays_as_it_runs(where, tls)
        _is_no_older(where)
        ports = where.choose_ports(nodes, _mode(), doors, _tls() if tls is None else tls)
        if ports.mode == "containers":
            containers.start(where, ports, kafka_wanted=not _given_kafka(), postgres_wanted=not _given_database())
        elif not (_given_kafka() and _given_database()):
            _start_local(where, ports, tell)
        if not _given_kafka():
            door.start(where, ports)
            door.wait(where, ports)
        return _healthy(where, ports)


def running(home: Path | None = None) -> Stack | None:
    """The stack of this home, if all of it answers; None otherwise. Starts nothing.

    Raises StackError, which says why, where an address is given and not all of it answers.
    """
    where = Home((home or default_home()).resolve())
    ports = where.ports()
    if ports is None and not (_given_kafka() and _given_database()):
        _no_half_is_given()
        return None
    try:
        return _healthy(where, ports or replace(_NO_PORTS, mode=_mode()), patience_s=3.0)
    except StackError:
        if _given_kafka() or _given_database():  # `up` would not mend it: whoever gave it has to hear what is wrong
            raise
        return None


def broker(home: Path | None = None) -> Broker | None:
    """The broker that is given or runs in this home, under its administrator's login, if it answers; None otherwise.

    Raises StackError where one is given and does not answer.
    """
    where = Home((home or default_home()).resolve())
    ports = where.ports()
    found = _given_kafka() or (_own_broker(where, ports) if ports else None)
    if found is None:
        return None
    try:
        asyncio.run(health.brokers(found))
    except StackError:
        if _given_kafka():
            raise
        return None
    return found


def database(home: Path | None = None) -> str | None:
    """The address of the database that is given, or of the one that runs in this home for its owner, if it answers.

    Needs no broker. None where none runs; StackError where one is given and does not answer.
    """
    where = Home((home or default_home()).resolve())
    ports = where.ports()
    found = _given_database() or (postgres.url(where, ports) if ports else None)
    if found is None:
        return None
    try:
        asyncio.run(health.postgres_version(found))
    except StackError:
        if _given_database():
            raise
        return None
    return found


def down(home: Path | None = None, *, wipe: bool = False) -> bool:
    """Stop the stack of this home, leaving its data unless `wipe`; False if there was nothing to stop."""
    where = Home((home or default_home()).resolve())
    ports = where.ports()
    if ports is None:
        return False
    with where.locked():
        door.stop(where)
        if ports.mode == "containers":
            containers.stop(where, wipe=wipe)
        else:
            # All at once: the last node of a quorum that is gone waits in vain for the others.
            with ThreadPoolExecutor(ports.nodes + 1) as pool:
                stopping = [pool.submit(kafka.stop, where, node) for node in range(1, ports.nodes + 1)]
                for each in [*stopping, pool.submit(postgres.stop, where)]:
                    each.result()
        if wipe:
            _wipe(where, ports)
    return True


def ended(stack: Stack) -> dict[str, Path]:
    """Servers of this stack that were started here and do not run, each with its log."""
    where = Home(stack.home)
    if (where.ports() or _NO_PORTS).mode != "local":
        return {}
    found = {}
    if "kafka" not in stack.given:
        nodes = [node for node in range(1, stack.nodes + 1) if not kafka.alive(where, node)]
        found = {"Kafka" if stack.nodes == 1 else f"Kafka {node}": kafka.log_file(where, node) for node in nodes}
        if door.pid(where) is None:
            found["the platforms' door"] = door.log_file(where)
    if "postgres" not in stack.given and not postgres.alive(where):
        found["PostgreSQL"] = postgres.log_file(where)
    return found


def _start_local(where: Home, ports: Ports, tell: Progress) -> None:
    # Two slow starts that have nothing to do with each other.
    with ThreadPoolExecutor(2) as pool:
        started = []
        if not _given_kafka():
            started.append(pool.submit(_start_kafka, where, ports, tell))
        if not _given_database():
            started.append(pool.submit(_start_postgres, where, ports, tell))
        for each in started:
            each.result()


def _start_kafka(where: Home, ports: Ports, tell: Progress) -> None:
    from libs.stack.jars import class_path  # an image of services has nothing that fetches jars

    jars = class_path(jars_folder(), progress=tell)
    admin = _own_broker(where, ports)
    with _step(tell, "Apache Kafka"):
        nodes = range(1, ports.nodes + 1)
        kafka.prepare(where, ports)
        door.start(where, ports)  # it needs no broker yet, and some time
        with ThreadPoolExecutor(ports.nodes) as pool:
            list(pool.map(lambda node: kafka.start(where, ports, node, jars), nodes))
        try:
            health.wait_for_kafka(admin, ports.nodes, alive=lambda: all(kafka.alive(where, node) for node in nodes))
            asyncio.run(where.logins.make_house(admin))
        except (StackError, KafkaError) as error:
            log = kafka.log_file(where, 1)
            raise StackError(f"{error}: {complaint(log)} (log: {log})") from error


def _start_postgres(where: Home, ports: Ports, tell: Progress) -> None:
    with _step(tell, "PostgreSQL"):
        postgres.start(where, ports)
        asyncio.run(postgres.ensure_logins(where, ports))


def _healthy(where: Home, ports: Ports, patience_s: float = 8.0) -> Stack:
    admin = _given_kafka() or _own_broker(where, ports)
    database = _given_database() or postgres.url(where, ports)

    async def ask() -> str:
        await health.brokers(admin, timeout_s=patience_s)
        return await health.postgres_version(database, timeout_s=patience_s)

    version = _TOLD_BY_NOBODY
    if not _given_kafka():
        from libs.stack.jars import kafka_version

        version = kafka_version()
    pids = (kafka.pid(where, node) for node in range(1, ports.nodes + 1)) if not _given_kafka() else ()
    return Stack(
        home=where.path,
        admin=admin,
        database_url=database,
        postgres_version=asyncio.run(ask()),
        # The protocol does not tell a broker's release; our own is the one that the lock names.
        kafka_version=version,
        given=frozenset([*(["kafka"] if _given_kafka() else []), *(["postgres"] if _given_database() else [])]),
        nodes=max(1, ports.nodes),
        kafka_pids=tuple(pid for pid in pids if pid is not None),
        doors=ports.doors,
        platforms=ports.platforms,
    )


def _wipe(where: Home, ports: Ports) -> None:
    for node in range(1, ports.nodes + 1):
        shutil.rmtree(where.kafka(node), ignore_errors=True)
    shutil.rmtree(where.postgres, ignore_errors=True)
    shutil.rmtree(where.logs, ignore_errors=True)
    shutil.rmtree(where.logins.folder, ignore_errors=True)
    where.file.unlink(missing_ok=True)


@contextmanager
def _step(tell: Progress, what: str) -> Iterator[None]:
    tell(what, 0, 1)
    yield
    tell(what, 1, 1)


async def _ask_given() -> None:
    # Before anything is started: a wrong address is to cost nothing.
    if given := _given_kafka():
        await health.brokers(given, timeout_s=8.0)
    if database := _given_database():
        await health.postgres_version(database, timeout_s=8.0)


def _mode() -> str:
    mode = os.environ.get("CROUPIER_STACK", "local")
    if mode not in ("local", "containers"):
        raise StackError(f"CROUPIER_STACK is {mode!r}: it can be local or containers")
    return mode


def _tls() -> bool | None:
    given = os.environ.get("CROUPIER_TLS")
    if given not in (None, "0", "1"):
        raise StackError(f"CROUPIER_TLS is {given!r}: it can be 1 or 0")
    return None if given is None else given == "1"


def _stays_as_it_runs(where: Home, tls: bool | None) -> None:
    ports, wanted = where.ports(), _tls() if tls is None else tls
    if ports is None or ports.mode != "local" or wanted in (None, ports.tls):
        return
    if any(kafka.alive(where, node) for node in range(1, ports.nodes + 1)):
        runs, asked = ("with", "without") if ports.tls else ("without", "with")
        raise StackError(f"the broker of {where.path} runs {runs} TLS: `croupier down`, then start it {asked}")


def _is_no_older(where: Home) -> None:
    ports = where.ports()
    if ports is not None and not ports.behind and any(kafka.alive(where, n) for n in range(1, ports.nodes + 1)):
        raise StackError(f"the broker of {where.path} is of the time before the platforms' door: `croupier down` first")


def _own_broker(where: Home, ports: Ports) -> Broker:
    return where.logins.broker(kafka.bootstrap(ports.kafka), ADMIN, tls=bool(ports.tls))


def _given_kafka() -> Broker | None:
    """With the login that stands beside the address (`CROUPIER_KAFKA_USER`, …)."""
    if not os.environ.get("KAFKA_BOOTSTRAP_SERVERS"):
        return None
    return BrokerSettings().broker


def _no_half_is_given() -> None:
    """Raises StackError where one of both addresses is given: whoever gave it has no local stack in mind."""
    given = {"KAFKA_BOOTSTRAP_SERVERS": _given_kafka(), "DATABASE_URL": _given_database()}
    for name, value in given.items():
        if value is None and any(given.values()):
            raise StackError(f"{name} is not set, and no stack was started here")


def _given_database() -> str | None:
    return os.environ.get("DATABASE_URL") or None
