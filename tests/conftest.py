"""Fixtures that every test may use: the real broker, the real database, the regulations beside the clone."""

import asyncio
import fcntl
import logging
import os
import time
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import TypeVar
from urllib.parse import urlsplit, urlunsplit
from uuid import uuid4

import asyncpg
import pytest
import pytest_asyncio
from hypothesis import settings

from libs.broker import Broker
from libs.broker.rules import prefix_rules
from libs.contracts.house import HouseCreated
from libs.stack import Stack, default_home, down, provision, remove, running, up
from libs.stack.home import Home
from libs.stack.house import say
from services.cli.migrate import let_in, migrated
from tests.testkit.marks import HOUSE
from tests.testkit.order import longest_first
from tests.testkit.partitions import PARTITIONS

pytest_plugins = ["tests.testkit.cases"]

TESTS = "tests"
"""Login that may do everything under a test's own prefix, and nothing else."""
PROJECT = Path(__file__).resolve().parents[1]
_HOUSE_S = 120.0
T = TypeVar("T")

# Deadlines measure the machine, not the code; two busy cores would make them lie.
# What passes once passes on every machine; HYPOTHESIS_PROFILE=explore looks for new examples instead.
settings.register_profile("croupier", deadline=None, derandomize=True)
settings.register_profile("explore", deadline=None, max_examples=400)
os.environ.setdefault("CROUPIER_BROKER_LOGINS", f'["{TESTS}"]')  # its rules touch whatever lies under a test's prefix
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "croupier"))


class _Session:
    """The stack of this test session, started on first need and stopped by the last session that uses it.

    With `-n` every worker uses the one stack; who started the workers holds it until they are gone, and stops it.
    """

    def __init__(self) -> None:
        self.home = default_home() / "test"
        self.stack: Stack | None = None
        self._in_use: int | None = None

    @property
    def held(self) -> bool:
        return self._in_use is not None

    def hold(self) -> None:
        """From here on no other session stops it."""
        if self._in_use is None:
            self.home.mkdir(parents=True, exist_ok=True)
            # Held shared while we run: two pytest sessions at once may use one stack.
            self._in_use = os.open(self.home / ".in-use", os.O_CREAT | os.O_RDWR)
            fcntl.flock(self._in_use, fcntl.LOCK_SH)

    def started(self) -> Stack:
        if self.stack is None:
            self.hold()
            self.stack = _apart(self._up)
        return self.stack

    def _up(self) -> Stack:
        kept = Home(self.home).ports()
        if kept is not None and kept.tls is None:
            down(self.home, wipe=True)  # of a checkout before there were logins
        stack = up(self.home)
        with Home(self.home).locked():
            asyncio.run(stack.logins.make_users(stack.admin, [TESTS]))
        return stack

    def finish(self, *, stop: bool) -> None:
        if self._in_use is None:
            return
        try:
            if stop and os.environ.get("CROUPIER_KEEP_STACK") != "1":
                fcntl.flock(self._in_use, fcntl.LOCK_EX | fcntl.LOCK_NB)
                _apart(lambda: down(self.home))
        except BlockingIOError:
            pass  # Somebody else's tests still run on it.
        finally:
            os.close(self._in_use)


_SESSION = _Session()


def _apart(work: Callable[[], T]) -> T:
    # The stack runs event loops of its own; pytest-asyncio's stays untouched in a thread of its own.
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(work).result()


def _needs_stack(item: pytest.Item) -> bool:
    return bool(
        {"stack", "kafka", "topics", "bare_database", "database"} & set(getattr(item, "fixturenames", ()))
    ) or bool(item.get_closest_marker("stack"))


def _is_worker(config: pytest.Config) -> bool:
    return hasattr(config, "workerinput")


def pytest_configure(config: pytest.Config) -> None:
    """Who starts workers holds their stack."""
    config.pluginmanager.register(_Collecting())
    if not _is_worker(config) and config.getoption("dist", "no") != "no":
        _SESSION.hold()


COLLECTED = pytest.StashKey[list[tuple[str, list[list[str]]]]]()
"""Tests with a rule mark and the words of these, in their order: of a run that collected all there are."""


class _Collecting:
    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        """Before any is left out or put in another place."""
        narrowed = any(config.getoption(name, None) for name in ("lf", "ignore", "ignore_glob", "deselect", "stepwise"))
        given = [(config.rootpath / each).resolve() for each in config.args]
        if given == [PROJECT / each for each in config.getini("testpaths")] and not narrowed:
            marks = (
                (item.nodeid, [[str(arg) for arg in mark.args] for mark in item.iter_markers("rule")]) for item in items
            )
            config.stash[COLLECTED] = [(test, rules) for test, rules in marks if rules]


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """On several workers the long tests run first: those of a whole house, and those that ask for more time."""
    for module in {found for item in items if (found := item.getparent(pytest.Module)) is not None}:
        # Two packages of one name, each below a folder that is none: pytest runs the first one's tests for both.
        if Path(module.obj.__file__).resolve() != module.path.resolve():
            raise pytest.UsageError(f"{module.path} would not be run, but {module.obj.__file__} again: rename one")
    if not _is_worker(config):
        return
    files: dict[Path, list[pytest.Item]] = {}
    for item in items:
        files.setdefault(item.path, []).append(item)
    weighed = [(sum(map(_weight, each)), each) for each in files.values()]
    items[:] = longest_first(weighed, int(os.environ["PYTEST_XDIST_WORKER_COUNT"]))


def _weight(item: pytest.Item) -> float:
    """Seconds that it may take, where that tells it from most."""
    asked = item.get_closest_marker("timeout")
    if asked is not None and asked.args:
        return float(asked.args[0])
    return _HOUSE_S if item.path.parent == PROJECT / "tests" / "e2e" else 0.0


def pytest_collection_finish(session: pytest.Session) -> None:
    """Start the stack if any selected test needs it."""
    if not session.config.option.collectonly and any(map(_needs_stack, session.items)):
        _SESSION.started()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say which broker and database answered."""
    stack = _apart(lambda: running(_SESSION.home)) if _SESSION.held else None
    if stack is not None:
        terminalreporter.write_line(
            f"broker: Apache Kafka {stack.kafka_version} at {stack.admin.bootstrap}, "
            f"database: PostgreSQL {stack.postgres_version} at {urlsplit(stack.database_url).hostname}"
        )


def pytest_unconfigure(config: pytest.Config) -> None:
    """Stop the stack unless `CROUPIER_KEEP_STACK=1` or another session uses it."""
    _SESSION.finish(stop=not _is_worker(config))


@pytest.fixture(autouse=True)
def logs_as_found() -> Iterator[None]:
    """A test that leaves a logger of ours silent fails itself, not one that listens there later on the same worker."""
    before = _silent()
    yield
    assert _silent() == before


def _silent() -> set[str]:
    levels = {
        name: logger.level
        for name, logger in logging.Logger.manager.loggerDict.items()
        if isinstance(logger, logging.Logger) and name.startswith(("libs", "services"))
    }
    return {name for name, level in levels.items() if level > logging.WARNING} | (
        {"all"} if logging.Logger.manager.disable >= logging.WARNING else set()
    )


@pytest.fixture(scope="session")
def stack() -> Stack:
    """The session's own local stack, in `.croupier/test` (or whatever addresses are given)."""
    return _SESSION.started()


@pytest.fixture(scope="session")
def kafka(stack: Stack) -> Broker:
    """The real broker, under the login of the tests. A service under test comes with its own: `stack.broker`."""
    return stack.broker(TESTS)


@asynccontextmanager
async def topics_for(stack: Stack) -> AsyncIterator[str]:
    prefix = f"t{uuid4().hex[:10]}."
    await provision(stack.admin, PARTITIONS, prefix, rules=prefix_rules(TESTS, prefix))
    yield prefix
    await remove(stack.admin, prefix)


@pytest_asyncio.fixture
async def topics(stack: Stack) -> AsyncIterator[str]:
    """A prefix of this test's own: every topic and rule exists under it, and is deleted afterwards."""
    async with topics_for(stack) as prefix:
        yield prefix


@pytest_asyncio.fixture
async def created(stack: Stack, topics: str) -> None:
    """Under that prefix a house of the tests' marks is created: for services that run there.

    As `create_house` does, which would look twice first whether its topics and rules, made a moment ago, are there.
    """
    await say(stack.admin, HOUSE, topics, HouseCreated(str(uuid4()), 1, PARTITIONS, time.time_ns() // 1_000_000))


@asynccontextmanager
async def database_for(stack: Stack, template: str = "template1") -> AsyncIterator[str]:
    name = await _create(stack, template)
    yield _at(stack, name)
    await _drop(stack, name)


@pytest_asyncio.fixture
async def bare_database(stack: Stack) -> AsyncIterator[str]:
    """URL of a fresh, empty database, dropped afterwards; nowhere one with schemas stands in its place."""
    async with database_for(stack) as url:
        yield url


@pytest.fixture
def database(bare_database: str) -> str:
    """The same; folders that need schemas have it bring them."""
    return bare_database


@pytest.fixture(scope="session")
def template(stack: Stack) -> Iterator[str]:
    """Name of a database with the schemas of all services, to be copied: a copy takes a third of a migration's time."""
    name = _apart(lambda: asyncio.run(_create(stack, "template1")))
    _apart(lambda: asyncio.run(migrated(_at(stack, name))))
    yield name
    _apart(lambda: asyncio.run(_drop(stack, name)))


@pytest_asyncio.fixture
async def house_database(stack: Stack, template: str) -> AsyncIterator[str]:
    """The owner's URL of a database with the schemas of all services, for whose logins see `login_at`."""
    async with database_for(stack, template) as url:
        owner = await asyncpg.connect(url)
        try:
            await let_in(owner)  # which no copy takes along; to migrate it once more would do nothing else
        finally:
            await owner.close()
        yield url


@pytest.fixture(scope="module")
def kept_database(stack: Stack, template: str) -> Iterator[str]:
    """The same once for the tests of a module that leave it as it is: what they try is refused or taken back."""
    name = _apart(lambda: asyncio.run(_create(stack, template)))
    _apart(lambda: asyncio.run(migrated(_at(stack, name))))
    yield _at(stack, name)
    _apart(lambda: asyncio.run(_drop(stack, name)))


def login_at(stack: Stack, database: str, login: str) -> str:
    """The same database for one login."""
    return replace(stack, database_url=database).database(login)


async def connected_at(url: str) -> "asyncpg.Connection[asyncpg.Record]":
    """A connection of a login that has few of them, which the tests of other processes use as well: waits for one."""
    async with asyncio.timeout(60):
        while True:
            with suppress(asyncpg.TooManyConnectionsError):
                return await asyncpg.connect(url)
            await asyncio.sleep(0.2)


def _at(stack: Stack, name: str) -> str:
    return urlunsplit(urlsplit(stack.database_url)._replace(path=f"/{name}"))


async def _create(stack: Stack, template: str) -> str:
    name = f"t_{uuid4().hex[:12]}"
    server = await asyncpg.connect(stack.database_url)
    try:
        await server.execute(f'create database "{name}" template "{template}"')
        # As `croupier migrate` leaves it: logins that other tests make have no use of this one.
        await server.execute(f'revoke connect on database "{name}" from public')
    finally:
        await server.close()
    return name


async def _drop(stack: Stack, name: str) -> None:
    server = await asyncpg.connect(stack.database_url)
    try:
        for _ in range(40):
            try:
                await server.execute(f'drop database "{name}" with (force)')
                return
            except asyncpg.InsufficientPrivilegeError:
                await asyncio.sleep(0.25)  # An autovacuum worker is at it, which only a superuser may send away.
        raise RuntimeError(f"database {name} could not be dropped")
    finally:
        await server.close()


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder with regulations and design: `CROUPIER_SHARED`, or `../shared` beside the clone."""
    folder = Path(os.environ.get("CROUPIER_SHARED") or PROJECT.parent / "shared")
    if not (folder / "regulations").is_dir():
        pytest.skip("the shared folder is not beside the clone (set CROUPIER_SHARED)")
    return folder
