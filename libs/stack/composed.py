"""What the servers of docker-compose.yml read at their first start: logins, the broker's configuration, SQL."""

from collections.abc import Callable
from pathlib import Path

from libs.stack import kafka, postgres
from libs.stack.home import Ports
from libs.stack.logins import Logins, fresh_password, house_users, write_secret

CLUSTER_ID = "Y3JvdXBpZXItY29tcG9zZQ"
_DATA = Path("/var/lib/kafka/data/log")
"""Beside the volume's own `lost+found`, which is no topic."""
_MOUNTED = "/run/secrets/server.properties"


def prepare(folder: Path) -> Logins:
    """Writes what is not there yet into `folder`, which only its owner enters.

    What the servers' own users read (not ours) is readable inside it; compose mounts files one by one.
    """
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    logins = Logins(folder / "logins")
    for user in house_users():
        logins.kafka_password(user)
    _once(folder / "server.properties", lambda: kafka.as_text(_properties(logins)))
    _once(folder / "log4j2.properties", kafka.LOGGING.read_text)
    _once(folder / "format.arguments", lambda: _formatting(logins))
    _once(folder / "postgres.password", fresh_password)
    _once(folder / "logins.sql", lambda: postgres.script(logins))
    return logins


def _properties(logins: Logins) -> dict[str, str]:
    ports = Ports(CLUSTER_ID, "compose", (9092,), (9093,), 5432, tls=False, platforms=(9094,), behind=(9094,))
    found = kafka.server_properties(ports, 1, _DATA, logins)
    found["listeners"] = f"{kafka.CLIENTS}://0.0.0.0:9092,{kafka.PLATFORMS}://0.0.0.0:9094,CONTROLLER://127.0.0.1:9093"
    found["advertised.listeners"] = f"{kafka.CLIENTS}://kafka:9092,{kafka.PLATFORMS}://127.0.0.1:9094"
    return found


def _formatting(logins: Logins) -> str:
    return kafka.format_arguments(_MOUNTED, CLUSTER_ID, "/opt/kafka/libs/*", logins)


def _once(file: Path, text: Callable[[], str]) -> None:
    if not file.exists():
        write_secret(file, text())
        file.chmod(0o444)
