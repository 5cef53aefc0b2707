"""The same stack as containers, through testcontainers (`CROUPIER_STACK=containers`). Needs a Docker engine.

Run once by hand on podman's Docker socket, with stand-ins for both images; in tests only as far as "no engine answers".
"""

import asyncio
import hashlib
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from libs.stack import health, kafka, postgres
from libs.stack.home import Home, Ports, StackError
from libs.stack.logins import ADMIN

KAFKA_IMAGE = "apache/kafka:4.3.1"
POSTGRES_IMAGE = "postgres:18"
_IN_IMAGE = "/var/lib/kafka/data"
_LOOPBACK = "127.0.0.1"
"""Published here only; `with_bind_ports` would publish on every address of the machine."""


def start(home: Home, ports: Ports, *, kafka_wanted: bool, postgres_wanted: bool) -> None:
    """Start both containers on the chosen ports, or leave them be where they run; StackError without an engine."""
    if ports.nodes != 1:
        raise StackError("CROUPIER_STACK=containers runs one Kafka node; several need the local stack")
    if ports.tls:
        raise StackError("CROUPIER_STACK=containers has no TLS; the local stack has")
    docker = engine()
    if kafka_wanted and not _runs(docker, _name(home, "kafka")):
        _start_kafka(home, ports)
    if postgres_wanted and not _runs(docker, _name(home, "postgres")):
        _start_postgres(home, ports)
    if kafka_wanted:
        admin = home.logins.broker(kafka.bootstrap(ports.kafka), ADMIN, tls=False)
        health.wait_for_kafka(admin, 1, alive=lambda: _runs(docker, _name(home, "kafka")))
        asyncio.run(home.logins.make_house(admin))
    if postgres_wanted:
        _wait_for_postgres(home.logins.database(f"{_LOOPBACK}:{ports.postgres}/postgres", postgres.ADMIN))
        asyncio.run(postgres.ensure_logins(home, ports))


def stop(home: Home, *, wipe: bool) -> None:
    """Remove both containers; their volumes stay unless `wipe`."""
    from docker.errors import NotFound

    docker = engine()
    for what in ("kafka", "postgres"):
        with suppress(NotFound):
            docker.containers.get(_name(home, what)).remove(force=True)
        if wipe:
            with suppress(NotFound):
                docker.volumes.get(_name(home, what)).remove(force=True)


def engine() -> Any:
    """The client of the Docker engine; StackError in one line if none answers."""
    try:
        import docker

        found = docker.from_env()
        found.ping()
    except Exception as error:  # the client raises many kinds, from several libraries, for "nobody is there"
        raise StackError(f"CROUPIER_STACK=containers, but no Docker engine answers ({type(error).__name__})") from error
    return found


def _container(image: str, name: str, volume_at: str) -> Any:
    from testcontainers.core.config import testcontainers_config
    from testcontainers.core.container import DockerContainer

    # These outlive the command that starts them; the reaper would take them away with it.
    testcontainers_config.ryuk_disabled = True
    return DockerContainer(image).with_name(name).with_volume_mapping(name, volume_at, "rw")


_RUN = """umask 077
printf '%s\\n' "$PROPERTIES" > /tmp/server.properties
printf '%s\\n' "$FORMAT" > /tmp/format
printf '%s\\n' "$LOGGING" > /tmp/log4j2.properties
[ -e "$DATA/meta.properties" ] || java @/tmp/format > /dev/null
rm /tmp/format
unset PROPERTIES FORMAT LOGGING
for each in $UNLOADABLE; do mkdir -p "/tmp/classes/${each%/*}" && : > "/tmp/classes/$each.class"; done
CLASSPATH=/tmp/classes exec /opt/kafka/bin/kafka-server-start.sh /tmp/server.properties"""
"""In place of the image's own start, which formats storage without users; and see `_without`."""


def _start_kafka(home: Home, ports: Ports) -> None:
    port, behind = ports.kafka[0], ports.behind[0]
    kafka.prepare(home, ports)
    properties = kafka.server_properties(ports, 1, Path(_IN_IMAGE) / "log", home.logins)
    properties["listeners"] = (
        f"{kafka.CLIENTS}://0.0.0.0:{port},{kafka.PLATFORMS}://0.0.0.0:{behind},CONTROLLER://127.0.0.1:{ports.controllers[0]}"
    )
    formatting = kafka.format_arguments("/tmp/server.properties", ports.cluster_id, "/opt/kafka/libs/*", home.logins)
    container = _container(KAFKA_IMAGE, _name(home, "kafka"), _IN_IMAGE)
    container.ports |= {port: (_LOOPBACK, port), behind: (_LOOPBACK, behind)}
    container.with_env("KAFKA_HEAP_OPTS", f"-Xmx{kafka.HEAP_MB}m -XX:+ExitOnOutOfMemoryError").with_env(
        "DATA", f"{_IN_IMAGE}/log"
    )
    container.with_env("PROPERTIES", kafka.as_text(properties)).with_env("FORMAT", formatting)
    container.with_env("LOGGING", kafka.LOGGING.read_text())
    container.with_env("KAFKA_LOG4J_OPTS", kafka.logged_by("/tmp/log4j2.properties"))
    container.with_env("UNLOADABLE", " ".join(kafka.UNLOADABLE))
    container.with_command(["sh", "-c", _RUN])
    _launch(container, _name(home, "kafka"))


def _start_postgres(home: Home, ports: Ports) -> None:
    # postgres:18 keeps its data one folder up from where the older images did.
    container = _container(POSTGRES_IMAGE, _name(home, "postgres"), "/var/lib/postgresql")
    container.ports[5432] = (_LOOPBACK, ports.postgres)
    new = not home.logins.postgres(postgres.ADMIN).exists()
    container.with_env("POSTGRES_PASSWORD", postgres.admin_password(home) if new else "kept in the volume")
    container.with_command(postgres.COMMAND)
    _launch(container, _name(home, "postgres"))


def _launch(container: Any, name: str) -> None:
    from docker.errors import DockerException, NotFound

    with suppress(NotFound):
        # One that was stopped from outside keeps the name.
        engine().containers.get(name).remove(force=True)
    try:
        container.start()
    except DockerException as error:
        raise StackError(f"the container {name} can't be started: {str(error).splitlines()[0]}") from error


def _runs(docker: Any, name: str) -> bool:
    from docker.errors import NotFound

    try:
        return bool(docker.containers.get(name).status == "running")
    except NotFound:
        return False


def _wait_for_postgres(url: str, seconds: float = 60.0) -> None:
    until = time.monotonic() + seconds
    while True:
        try:
            asyncio.run(health.postgres_version(url))
            return
        except StackError:
            if time.monotonic() > until:
                raise
            time.sleep(0.3)


def _name(home: Home, what: str) -> str:
    return f"croupier-{hashlib.sha256(str(home.path).encode()).hexdigest()[:8]}-{what}"
