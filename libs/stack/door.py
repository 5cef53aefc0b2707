"""The platforms' door of the local stack: one process, a port for each node."""

import json
import socket
import sys
import time
from pathlib import Path

from libs.stack import process
from libs.stack.home import Home, Ports, StackError

_PATIENCE_S = 60.0


def start(home: Home, ports: Ports) -> None:
    """Nothing if it runs already."""
    if process.alive(_pid_file(home)):
        return
    routes = zip(ports.platforms, ports.behind, strict=True)
    environment = {
        "CROUPIER_DOOR_ROUTES": json.dumps({f"127.0.0.1:{door}": f"127.0.0.1:{behind}" for door, behind in routes}),
        "CROUPIER_INNER_PORT": "0",
        "CROUPIER_LOG_FILE": str(home.logs / "door.jsonl"),
    }
    if ports.tls:
        environment["CROUPIER_DOOR_CERTIFICATE_FILE"] = str(home.logins.node_certificate)
        environment["CROUPIER_KAFKA_CA_FILE"] = str(home.logins.ca)
    process.spawn([sys.executable, "-m", "libs.door"], pid_file=_pid_file(home), log=log_file(home), env=environment)


def wait(home: Home, ports: Ports) -> None:
    """Until platforms can come in; StackError where it ends instead or takes too long."""
    until = time.monotonic() + _PATIENCE_S
    while not all(map(_answers, ports.platforms)):
        if process.alive(_pid_file(home)) is None or time.monotonic() > until:
            log = log_file(home)
            raise StackError(f"the platforms' door did not come up: {process.complaint(log)} (log: {log})")
        time.sleep(0.05)


def stop(home: Home) -> None:
    process.stop(_pid_file(home))


def pid(home: Home) -> int | None:
    """None if it does not run."""
    found = process.alive(_pid_file(home))
    return found.pid if found else None


def log_file(home: Home) -> Path:
    return home.logs / "door.out"


def _answers(port: int) -> bool:
    with socket.socket() as line:
        line.settimeout(1.0)
        return line.connect_ex(("127.0.0.1", port)) == 0


def _pid_file(home: Home) -> Path:
    return home.pid_file("door")
