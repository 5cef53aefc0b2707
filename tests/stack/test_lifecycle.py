"""A stack of its own, killed and brought back; addresses that nobody answers at."""

import asyncio
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import asyncpg
import psutil
import pytest
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition

from libs.broker import check_login
from libs.contracts.topics import topic
from libs.stack import Stack, database, provision, running, up
from libs.stack.home import jars_folder
from libs.stack.platforms import add_platform, remove_platform
from tests.testkit.partitions import PARTITIONS

JOURNAL = topic("table", "journal").name


@pytest.mark.stack
@pytest.mark.usefixtures("no_given_addresses")
def test_killed_and_brought_back_it_has_what_it_had(home: Path) -> None:
    before = up(home)
    assert database(home) == before.database_url
    asyncio.run(_write(before))
    asyncio.run(_platforms_come_and_go(before))

    for process in _processes(before):
        process.send_signal(signal.SIGKILL)
        process.wait(10)
    assert running(home) is None
    assert database(home) is None

    after = up(home)
    assert (after.admin, after.database_url) == (before.admin, before.database_url)
    assert set(after.kafka_pids).isdisjoint(before.kafka_pids)
    assert asyncio.run(_read(after)) == (b"commit", "entry")
    asyncio.run(check_login(after.broker("table")))

    after.down()
    assert running(home) is None
    assert (home / "kafka-1" / "data").is_dir()
    after.down(wipe=True)
    assert not (home / "kafka-1").exists()


@pytest.mark.parametrize("variable", ["KAFKA_BOOTSTRAP_SERVERS", "DATABASE_URL"])
def test_a_given_address_where_nobody_answers_is_one_line(variable: str, tmp_path: Path) -> None:
    nobody = _port_of_nobody()
    given = {
        "KAFKA_BOOTSTRAP_SERVERS": f"127.0.0.1:{nobody}",
        "DATABASE_URL": f"postgresql://croupier:a-password@127.0.0.1:{nobody}/croupier",
    }

    done = _croupier_up(tmp_path, {"KAFKA_BOOTSTRAP_SERVERS": "", "DATABASE_URL": "", variable: given[variable]})

    assert done.returncode == 1
    lines = done.stderr.strip().splitlines()
    assert len(lines) == 1
    assert lines[0].startswith("croupier: no ")
    assert f"127.0.0.1:{nobody}" in lines[0]
    assert "a-password" not in done.stdout + done.stderr
    assert not list(tmp_path.glob("*.pid")), "the other one was started all the same"


def test_containers_without_an_engine_are_one_line(tmp_path: Path) -> None:
    no_engine = {"CROUPIER_STACK": "containers", "DOCKER_HOST": f"tcp://127.0.0.1:{_port_of_nobody()}"}

    done = _croupier_up(tmp_path, {**no_engine, "KAFKA_BOOTSTRAP_SERVERS": "", "DATABASE_URL": ""})

    assert done.returncode == 1
    assert len(done.stderr.strip().splitlines()) == 1
    assert "no Docker engine answers" in done.stderr


def _croupier_up(home: Path, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "services.cli", "up"],
        env={**os.environ, "CROUPIER_HOME": str(home), "CROUPIER_JARS": str(jars_folder()), **environment},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def _port_of_nobody() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def _processes(stack: Stack) -> list[psutil.Process]:
    postmaster = (stack.home / "postgres" / "data" / "postmaster.pid").read_text().splitlines()[0]
    return [psutil.Process(pid) for pid in (*stack.kafka_pids, int(postmaster))]


async def _platforms_come_and_go(stack: Stack) -> None:
    """With these names Kafka forgets every user at its next start, were they deleted (`Administration.lock_out`)."""
    for number in range(12):
        await add_platform(stack, f"p{number}")
        await remove_platform(stack, f"p{number}")


async def _write(stack: Stack) -> None:
    await provision(stack.admin, PARTITIONS)
    producer = AIOKafkaProducer(**stack.admin.options(), acks="all")
    await producer.start()
    await producer.send_and_wait(JOURNAL, b"commit", partition=0)
    await producer.stop()
    connection = await asyncpg.connect(stack.database_url)
    await connection.execute("create table kept (what text)")
    await connection.execute("insert into kept values ('entry')")
    await connection.close()


async def _read(stack: Stack) -> tuple[bytes | None, str]:
    consumer = AIOKafkaConsumer(**stack.admin.options(), auto_offset_reset="earliest")
    await consumer.start()
    try:
        consumer.assign([TopicPartition(JOURNAL, 0)])
        record = await asyncio.wait_for(consumer.getone(), 60)
    finally:
        await consumer.stop()
    connection = await asyncpg.connect(stack.database_url)
    try:
        return record.value, await connection.fetchval("select what from kept")
    finally:
        await connection.close()
