"""Bringing the local stack up and down."""

import asyncio
import os
import shutil
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from libs.stack import containers, health, kafka, postgres
from libs.stack.home import Door, Home, Ports, StackError, default_home, jars_folder
from libs.stack.jars import class_path, kafka_version
from libs.stack.process import Progress, complaint, silent

_TOLD_BY_NOBODY = "at a given address"


@dataclass(frozen=True, slots=True)
class Stack:
    """A broker and a database that answered when this was made."""

    home: Path
    bootstrap: str
    database_url: str
    kafka_version: str
    postgres_version: str
    nodes: int = 1
    kafka_pids: tuple[int, ...] = ()
    """Empty where an address was given or containers run it."""
    doors: tuple[Door, ...] = ()

    def down(self, wipe: bool = False) -> None:
        """Stop what this home started; `wipe` removes its data too. What was given stays untouched."""
        down(self.home, wipe=wipe)


def up(
    home: Path | None = None, *, nodes: int = 1, doors: Sequence[str] = (), progress: Progress | None = None
) -> Stack:
    """Start whatever does not run yet and wait until it answers.

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
        ports = where.choose_ports(nodes, _mode(), doors)
        if ports.mode == "containers":
            containers.start(where, ports, kafka_wanted=not _given_kafka(), postgres_wanted=not _given_database())
        elif not (_given_kafka() and _given_database()):
            _start_local(where, ports, tell)
        return _healthy(where, ports)


def running(home: Path | None = None) -> Stack | None:
    """The stack of this home, if all of it answers; None otherwise. Starts nothing."""
    where = Home((home or default_home()).resolve())
    ports = where.ports()
    if ports is None and not (_given_kafka() and _given_database()):
        return None
    try:
        return _healthy(where, ports or Ports("", _mode(), (), (), 0), patience_s=3.0)
    except StackError:
        return None


def broker(home: Path | None = None) -> str | None:
    """Bootstrap address of the broker that is given or runs in this home, if it answers; None otherwise."""
    ports = Home((home or default_home()).resolve()).ports()
    bootstrap = _given_kafka() or (kafka.bootstrap(ports) if ports else None)
    if bootstrap is None:
        return None
    try:
        asyncio.run(health.brokers(bootstrap))
    except StackError:
        return None
    return bootstrap


def down(home: Path | None = None, *, wipe: bool = False) -> bool:
    """Stop the stack of this home, leaving its data unless `wipe`; False if there was nothing to stop."""
    where = Home((home or default_home()).resolve())
    ports = where.ports()
    if ports is None:
        return False
    with where.locked():
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
    jars = class_path(jars_folder(), progress=tell)
    with _step(tell, "Apache Kafka"):
        nodes = range(1, ports.nodes + 1)
        with ThreadPoolExecutor(ports.nodes) as pool:
            list(pool.map(lambda node: kafka.start(where, ports, node, jars), nodes))
        try:
            health.wait_for_kafka(
                kafka.bootstrap(ports), ports.nodes, alive=lambda: all(kafka.alive(where, node) for node in nodes)
            )
        except StackError as error:
            log = kafka.log_file(where, 1)
            raise StackError(f"{error}: {complaint(log)} (log: {log})") from error


def _start_postgres(where: Home, ports: Ports, tell: Progress) -> None:
    with _step(tell, "PostgreSQL"):
        postgres.start(where, ports)
        asyncio.run(postgres.ensure_role(ports))


def _healthy(where: Home, ports: Ports, patience_s: float = 8.0) -> Stack:
    bootstrap = _given_kafka() or kafka.bootstrap(ports)
    database = _given_database() or postgres.url(ports)

    async def ask() -> str:
        await health.brokers(bootstrap, timeout_s=patience_s)
        return await health.postgres_version(database, timeout_s=patience_s)

    pids = (kafka.pid(where, node) for node in range(1, ports.nodes + 1)) if not _given_kafka() else ()
    return Stack(
        home=where.path,
        bootstrap=bootstrap,
        database_url=database,
        postgres_version=asyncio.run(ask()),
        # The protocol does not tell a broker's release; our own is the one that the lock names.
        kafka_version=_TOLD_BY_NOBODY if _given_kafka() else kafka_version(),
        nodes=max(1, ports.nodes),
        kafka_pids=tuple(pid for pid in pids if pid is not None),
        doors=ports.doors,
    )


def _wipe(where: Home, ports: Ports) -> None:
    for node in range(1, ports.nodes + 1):
        shutil.rmtree(where.kafka(node), ignore_errors=True)
    shutil.rmtree(where.postgres, ignore_errors=True)
    shutil.rmtree(where.logs, ignore_errors=True)
    where.file.unlink(missing_ok=True)


@contextmanager
def _step(tell: Progress, what: str) -> Iterator[None]:
    tell(what, 0, 1)
    yield
    tell(what, 1, 1)


async def _ask_given() -> None:
    # Before anything is started: a wrong address is to cost nothing.
    if bootstrap := _given_kafka():
        await health.brokers(bootstrap, timeout_s=8.0)
    if database := _given_database():
        await health.postgres_version(database, timeout_s=8.0)


def _mode() -> str:
    mode = os.environ.get("CROUPIER_STACK", "local")
    if mode not in ("local", "containers"):
        raise StackError(f"CROUPIER_STACK is {mode!r}: it can be local or containers")
    return mode


def _given_kafka() -> str | None:
    return os.environ.get("KAFKA_BOOTSTRAP_SERVERS") or None


def _given_database() -> str | None:
    return os.environ.get("DATABASE_URL") or None
