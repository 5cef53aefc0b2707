"""A stack of its own whose broker speaks TLS, and one of three brokers: everybody needs a login there, too."""

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import psutil
import pytest
from cryptography import x509

from libs.broker import LoginRefused, check_login
from libs.broker.administration import administering
from libs.broker.rules import house_rules
from libs.client import Operator
from libs.contracts.topics import topic
from libs.journal.kafka_log import KafkaLog
from libs.stack import Stack, StackError, certificates, default_home, down, provision, up
from libs.stack.health import brokers
from libs.stack.logins import Logins
from services.cli.house import build_house
from tests.broker.test_access import may_read, may_write
from tests.testkit.marks import UNMARKED
from tests.testkit.partitions import PARTITIONS

pytestmark = [pytest.mark.stack, pytest.mark.usefixtures("no_given_addresses")]
JOURNAL = topic("wallet", "journal").name


@pytest.fixture(scope="module")
def tls() -> Iterator[Stack]:
    default_home().mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=default_home(), prefix="tls-") as folder:
        home = Path(folder)
        home.chmod(0o755)  # the database's user has to pass
        yield up(home, tls=True)
        down(home, wipe=True)


async def test_a_house_takes_a_deposit_over_tls(tls: Stack) -> None:
    await provision(tls.admin, PARTITIONS)
    house = build_house(tls, tls.home)
    try:
        await house.start()
        async with Operator(house.gateway_url, house.operator_token) as operator:
            await operator.open_account("ana", "EUR")
            assert (await operator.deposit("ana", "d-1", 5_000, "EUR")).accepted
    finally:
        await house.stop()
    assert {each.environment["CROUPIER_KAFKA_CA_FILE"] for name, each in house.processes.items() if name in _SPEAK} == {
        str(tls.logins.ca)
    }


_SPEAK = ("wallet", "table", "audit", "gateway")


async def test_who_does_not_speak_tls_or_trusts_somebody_else_is_told_so(
    tls: Stack, stack: Stack, tmp_path: Path
) -> None:
    others = Logins(tmp_path / "others")
    certificates.ensure(others)
    with pytest.raises(LoginRefused, match=r"can't be reached over TLS: CERTIFICATE_VERIFY_FAILED"):
        await check_login(replace(tls.admin, ca_file=others.ca))
    with pytest.raises(LoginRefused, match=r"can't be reached over TLS"):
        await check_login(replace(stack.admin, ca_file=tls.logins.ca))  # a broker that does not speak it
    with pytest.raises(LoginRefused, match=r"wrong password, or no such user"):
        await check_login(replace(tls.admin, password_file=_file(tmp_path, "another password")))
    with pytest.raises(StackError, match=r"no Kafka answers"):
        await brokers(replace(tls.admin, ca_file=None))


def test_tls_is_not_switched_while_the_broker_runs(tls: Stack) -> None:
    with pytest.raises(StackError, match=r"runs with TLS: `croupier down`, then start it without"):
        up(tls.home, tls=False)
    assert up(tls.home).admin == tls.admin


def test_its_certificate_names_loopback_alone_and_nobody_keeps_the_authoritys_key(tls: Stack) -> None:
    chain = x509.load_pem_x509_certificates(tls.logins.node_certificate.read_bytes())
    names = chain[0].extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert [str(each.value) for each in names] == ["127.0.0.1", "localhost"]
    assert tls.logins.node_certificate.read_text().count("PRIVATE KEY-----") == 2  # of the broker: begin and end
    assert "PRIVATE" not in tls.logins.ca.read_text()


def test_no_password_is_in_a_log_or_in_a_process_list(tls: Stack) -> None:
    passwords = [each.read_text().strip().rpartition(":")[2] for each in tls.logins.folder.iterdir() if not _pem(each)]
    assert len(passwords) > 10
    logs = [each.read_text(errors="replace") for each in (tls.home / "logs").iterdir() if each.is_file()]
    logs.append((tls.home / "postgres" / "postgres.log").read_text())
    running = [" ".join(psutil.Process(pid).cmdline()) for pid in tls.kafka_pids]
    for password in passwords:
        assert not any(password in text for text in (*logs, *running))
    assert (tls.home / "kafka-1" / "server.properties").stat().st_mode & 0o777 == 0o600
    assert not list(tls.home.glob("kafka-1/format*"))


@pytest.mark.slow
def test_three_brokers_keep_the_same_users_and_rules_over_all_being_killed(home: Path) -> None:
    home.chmod(0o755)
    stack = up(home, nodes=3)
    asyncio.run(provision(stack.admin, PARTITIONS, replication=3))
    asyncio.run(_holds(stack))
    for pid in stack.kafka_pids:
        psutil.Process(pid).kill()
    psutil.wait_procs([psutil.Process(pid) for pid in stack.kafka_pids if psutil.pid_exists(pid)], 10)
    asyncio.run(_holds(up(home, nodes=3)))


def test_a_home_of_the_time_before_logins_is_refused_in_one_line(home: Path) -> None:
    (home / "stack.json").write_text(
        '{"cluster_id": "x", "mode": "local", "kafka": [1], "controllers": [2], "postgres": 3, "doors": []}'
    )
    said = subprocess.run(
        [sys.executable, "-m", "services.cli", "up"],
        env={"CROUPIER_HOME": str(home), "PATH": ""}, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert said.returncode == 1
    assert said.stderr.strip().endswith("is of the time before logins: `croupier down --wipe`, then start anew")


async def _holds(stack: Stack) -> None:
    async with administering(stack.admin) as at:
        for node in (1, 2, 3):
            assert set(house_rules()) <= await at.rules(node=node)
    wallet, gateway = KafkaLog(stack.broker("wallet"), UNMARKED), KafkaLog(stack.broker("gateway"), UNMARKED)
    assert await may_write(wallet, JOURNAL)
    assert not await may_write(gateway, JOURNAL)
    assert not await may_read(gateway, JOURNAL)


def _file(folder: Path, text: str) -> Path:
    (folder / "password").write_text(text + "\n")
    return folder / "password"


def _pem(file: Path) -> bool:
    return file.suffix == ".pem"
