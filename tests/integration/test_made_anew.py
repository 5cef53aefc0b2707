"""The broker's administrator deletes topics and makes them anew: who decided from them begins no second history."""

import asyncio
from pathlib import Path

import asyncpg
import pytest
from aiokafka import AIOKafkaProducer
from uuid6 import uuid7

from libs.broker import Broker
from libs.contracts.commands import Command, message_of
from libs.contracts.messages import Principal
from libs.contracts.topics import Kind, topic
from libs.contracts.wallet_commands import DepositFunds, OpenAccount, account_id
from libs.stack import Stack
from services.cli.processes import ServiceFailed, ServiceProcess
from tests.conftest import TESTS, login_at
from tests.testkit.logins import operators_file
from tests.testkit.marks import GATEWAY, mark_file, seal_file, written_by
from tests.testkit.partitions import partition_of
from tests.testkit.tampering import make_anew

pytestmark = [pytest.mark.stack, pytest.mark.usefixtures("created")]
ANN = account_id("ann", "EUR")


async def _booked(database: str) -> None:
    """Until the books hold what was deposited."""
    connection = await asyncpg.connect(database)
    try:
        async with asyncio.timeout(30):
            while not await connection.fetchval("select count(*) from wallet.transfers"):
                await asyncio.sleep(0.05)
    finally:
        await connection.close()


@pytest.mark.parametrize(
    ("kinds", "says"),
    [
        (("journal", "snapshots"), f"of {ANN} version 2 was published, and the journal holds version 0 only"),
        (("journal", "snapshots", "events"), "the public events are not those that the books were made of"),
    ],
)
async def test_the_wallet_says_so_in_one_line_and_ends(
    stack: Stack,
    kafka: Broker,
    topics: str,
    house_database: str,
    tmp_path: Path,
    kinds: tuple[Kind, ...],
    says: str,
) -> None:
    environment = stack.broker("wallet").environment() | {
        "DATABASE_URL": login_at(stack, house_database, "wallet"),
        "CROUPIER_TOPIC_PREFIX": topics,
        "CROUPIER_OPERATORS_FILE": str(operators_file(tmp_path)),
        "CROUPIER_MARKS_FILE": str(mark_file(tmp_path, "wallet")),
        "CROUPIER_SEAL_FILE": str(seal_file(tmp_path, "wallet")),
    }
    wallet = ServiceProcess("wallet", environment, tmp_path / "wallet.out")
    async with AIOKafkaProducer(**kafka.options(), acks="all") as producer:

        async def command(body: Command) -> None:
            message = message_of(body, id=uuid7(), stream=ANN, by=Principal("operator", "acme"))
            name = topics + topic("wallet", "commands").name
            await producer.send_and_wait(
                **written_by(GATEWAY, name, partition_of(ANN), ANN.encode(), message.encoded())
            )

        try:
            await wallet.start()
            await wallet.ready()  # a new house starts
            await command(OpenAccount(player="ann", currency="EUR"))
            await command(DepositFunds(reference="d", amount=1_000))
            await _booked(house_database)
            await wallet.stop()
            await wallet.start()
            await wallet.ready()  # and so does one that is there
            await wallet.stop()

            await make_anew(stack, topics, [topic("wallet", kind).name for kind in kinds], TESTS)
            await wallet.start()
            with pytest.raises(ServiceFailed, match="ended"):
                await wallet.ready()
        finally:
            await wallet.stop()
    assert wallet.log.read_text().splitlines()[-1].startswith(f"wallet: the log was rewritten: {says}")
