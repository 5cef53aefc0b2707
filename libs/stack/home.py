"""Where a stack keeps its things: one folder with data, logs, pid files and the ports chosen at first start."""

import fcntl
import json
import os
import secrets
from base64 import urlsafe_b64encode
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from libs.stack.logins import Logins
from libs.stack.ports import free_port
from libs.stack_error import StackError as StackError

_PROJECT = Path(__file__).resolve().parents[2]


def default_home() -> Path:
    """`CROUPIER_HOME`, else `.croupier` in the project (in the working directory when installed elsewhere)."""
    given = os.environ.get("CROUPIER_HOME")
    if given:
        return Path(given).resolve()
    root = _PROJECT if (_PROJECT / "pyproject.toml").exists() else Path.cwd()
    return root / ".croupier"


def jars_folder() -> Path:
    """`CROUPIER_JARS`, else `jars` in the default home: several stacks share one download."""
    given = os.environ.get("CROUPIER_JARS")
    return Path(given).resolve() if given else default_home() / "jars"


@dataclass(frozen=True, slots=True)
class Door:
    """A further way to the broker for one client: it `listens` there and tells clients to come to `advertised`.

    Whoever asked for it puts a relay between the two ports, and can then cut that one client off.
    """

    name: str
    listens: int
    advertised: int


@dataclass(frozen=True, slots=True)
class Ports:
    """What was chosen at first start and stays: addresses survive a restart."""

    cluster_id: str
    mode: str
    kafka: tuple[int, ...]
    controllers: tuple[int, ...]
    postgres: int
    doors: tuple[Door, ...] = ()
    tls: bool | None = None
    """None: of the time before there were logins."""
    platforms: tuple[int, ...] = ()
    """Of each node, where operators' platforms come in: at their door (`libs/door`)."""
    behind: tuple[int, ...] = ()
    """Of each node, where it listens for what the door passes on."""

    @property
    def nodes(self) -> int:
        return len(self.kafka)


@dataclass(frozen=True, slots=True)
class Home:
    """Paths inside one stack's folder."""

    path: Path

    @property
    def file(self) -> Path:
        return self.path / "stack.json"

    @property
    def logs(self) -> Path:
        return self.path / "logs"

    @property
    def postgres(self) -> Path:
        return self.path / "postgres"

    @property
    def logins(self) -> Logins:
        return Logins(self.path / "logins")

    def kafka(self, node: int) -> Path:
        return self.path / f"kafka-{node}"

    def pid_file(self, name: str) -> Path:
        return self.path / f"{name}.pid"

    def ports(self) -> Ports | None:
        """The ports of an earlier start; None before the first one."""
        if not self.file.exists():
            return None
        kept = json.loads(self.file.read_text())
        return Ports(
            kept["cluster_id"],
            kept["mode"],
            tuple(kept["kafka"]),
            tuple(kept["controllers"]),
            kept["postgres"],
            tuple(Door(**each) for each in kept.get("doors", ())),
            kept.get("tls"),
            tuple(kept.get("platforms", ())),
            tuple(kept.get("behind", ())),
        )

    def choose_ports(self, nodes: int, mode: str, doors: Sequence[str] = (), tls: bool | None = None) -> Ports:
        """The ports of this home, chosen now if this is its first start. `tls`: None leaves it as it is."""
        kept = self.ports()
        if kept is None:
            return self._keep(replace(_fresh_ports(nodes, mode, doors), tls=bool(tls)))
        if kept.tls is None:
            raise StackError(f"{self.path} is of the time before logins: `croupier down --wipe`, then start anew")
        if kept.nodes != nodes or kept.mode != mode:
            raise StackError(
                f"{self.path} holds a {kept.nodes}-node stack ({kept.mode}), asked for {nodes} ({mode}): "
                "set another CROUPIER_HOME, or `croupier down --wipe` first"
            )
        platforms = kept.platforms or tuple(free_port() for _ in range(nodes))
        behind = kept.behind or tuple(free_port() for _ in range(nodes))
        wanted = replace(kept, tls=kept.tls if tls is None else tls, platforms=platforms, behind=behind)
        return kept if wanted == kept else self._keep(wanted)

    def _keep(self, ports: Ports) -> Ports:
        self.file.write_text(json.dumps(asdict(ports), indent=2) + "\n")
        return ports

    @contextmanager
    def locked(self) -> Iterator[None]:
        """One `up` or `down` at a time in this home; the others wait."""
        self.path.mkdir(parents=True, exist_ok=True)
        file = self.path / ".lock"
        with file.open("w") as lock:
            file.chmod(0o600)  # whoever may open it may hold it
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield


def _fresh_ports(nodes: int, mode: str, doors: Sequence[str]) -> Ports:
    free = [free_port() for _ in range(4 * nodes + 1 + 2 * len(doors))]
    beside = free[4 * nodes + 1 :]
    # Kafka's cluster id: 16 random bytes in base64url.
    cluster_id = urlsafe_b64encode(secrets.token_bytes(16)).rstrip(b"=").decode().replace("-", "A")
    return Ports(
        cluster_id,
        mode,
        tuple(free[:nodes]),
        tuple(free[nodes : 2 * nodes]),
        free[3 * nodes],
        tuple(Door(name, *beside[2 * at : 2 * at + 2]) for at, name in enumerate(doors)),
        platforms=tuple(free[2 * nodes : 3 * nodes]),
        behind=tuple(free[3 * nodes + 1 : 4 * nodes + 1]),
    )
