"""Where a command finds the house, from the environment or the local stack, and how it tells of its work."""

import asyncio
import os
import secrets
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, NoReturn

import asyncpg
import msgspec
import typer
from aiokafka.errors import KafkaError
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from libs.contracts.house import HouseCreated
from libs.contracts.roles import Scope
from libs.contracts.topics import HOUSE, INSPECTOR
from libs.identity.operators import add_operator
from libs.journal.foreign import Tell as TellForeign
from libs.journal.foreign import noticed
from libs.journal.house import NoSuchHouse, look
from libs.journal.kafka_log import KafkaLog
from libs.journal.log import LogRewritten, LogUnavailable
from libs.journal.mark_keys import (
    PLAN,
    Plan,
    behind_plan,
    file_of,
    hand_out,
    marks_in,
    marks_of,
    marks_of_another,
    plan_in,
)
from libs.journal.marks import Marking, Marks, MayNotWrite
from libs.journal.ours import NotOurs
from libs.journal.seal_keys import SEALED, hand_out_seals, seals_behind_plan
from libs.sealing.kek_file import KeyringFile
from libs.sealing.key_files import BadKey, hex_key
from libs.stack import Progress as Step
from libs.stack import Stack, StackError, default_home, running

NAMES = (
    *("kek", "gateway_key", "session_key", "checkpoint_key", "provider_key", "operator_token", "wallet_token"),
    "mark_root",
)
"""Of a house's keys."""
_CREDENTIALS: dict[str, tuple[str, tuple[Scope, ...]]] = {
    "operator_token": ("platform", ("sessions", "money", "tables", "signals", "reports")),
    "wallet_token": ("gateway", ("house",)),
}
"""Keys that are tokens: whose, and what for."""
OPERATORS = "operators.json"
MARKS, SEALS = "marks", "seals"
"""Folders among the keys: a file for each process."""
CHECKPOINTS = "checkpoints.jsonl"
"""Name of the file in a home to which its auditor appends signed checkpoints."""

Home = Annotated[Path | None, typer.Option("--home", help="Home of the stack; default: CROUPIER_HOME or .croupier.")]
Json = Annotated[bool, typer.Option("--json", help="Print the report as JSON.")]
Tell = Callable[[str], None]
"""What is being done, and how far it is."""


def silent(what: str) -> None:
    """Nobody is watching."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Broker and database; key files by name, as in `NAMES`."""

    stack: Stack
    keys: dict[str, Path] = field(default_factory=dict)
    checkpoint_file: Path | None = None
    topic_prefix: str = ""
    marks_file: Path = Path(MARKS, INSPECTOR, f"{INSPECTOR}.json")

    def key(self, name: str) -> Path:
        """The file of a key; StackError where nobody said which it is."""
        if name not in self.keys:
            raise StackError(f"no {name}: set CROUPIER_{name.upper()}_FILE or CROUPIER_HOME")
        return self.keys[name]

    def secret(self, name: str) -> bytes:
        """The 32 bytes of a key; StackError, which quotes none of them, where the file does not hold them."""
        with key_in_one_line():
            return hex_key(self.key(name))

    def log(self, command: str, on_foreign: TellForeign = noticed) -> KafkaLog:
        """Under the login that reads everything and writes nothing."""
        name = f"croupier-{command}-{os.getpid()}"
        return KafkaLog(self.stack.broker(INSPECTOR), self.marks(), client_id=name, on_foreign=on_foreign)

    def house(self) -> HouseCreated:
        """Which house it is. Not inside of an event loop."""
        with in_one_line():
            return asyncio.run(look(self.log("house"), self.topic_prefix, closed_too=True))

    def marks_of(self, process: str) -> Marks:
        """To do a service's work in its name. Raises StackError."""
        try:
            return marks_of_another(self.marks_file, process)
        except BadKey as wrong:
            raise StackError(f"{wrong}: set CROUPIER_MARKS_FILE, or see `croupier marks`") from None

    def marks(self) -> Marking:
        """Those of an inspector, who knows everybody's."""
        return marks_from(self.marks_file)

    def keyring(self) -> KeyringFile:
        """Opens the decks. Raises StackError."""
        with key_in_one_line():
            return KeyringFile(self.key("kek"))


@contextmanager
def key_in_one_line() -> Iterator[None]:
    """A bad key file becomes a StackError."""
    try:
        yield
    except BadKey as wrong:
        raise StackError(str(wrong)) from None


@contextmanager
def in_one_line() -> Iterator[None]:
    """What can't be reached becomes a StackError: one line, no traceback."""
    try:
        yield
    except (LogUnavailable, KafkaError, asyncpg.PostgresError, OSError) as wrong:
        raise StackError(f"broker or database went away: {type(wrong).__name__}: {wrong}") from wrong
    except MayNotWrite as wrong:
        raise StackError(f"no key to mark {wrong} with: run `croupier marks hand-out`") from None
    except (NotOurs, NoSuchHouse) as wrong:
        raise StackError(str(wrong)) from None
    except LogRewritten as wrong:
        raise StackError(f"the log changed while it was read: {wrong}") from wrong


@contextmanager
def told(what: str) -> Iterator[Tell]:
    """Shows on the terminal how far a command is; what it can't reach becomes one line."""
    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar, in_one_line():
        task = bar.add_task(what)
        yield lambda description: bar.update(task, description=description)


def end(report: Any, good: bool, as_json: bool, show: Callable[[Any, Console], None]) -> NoReturn:
    """Prints the report, for people or as JSON, and leaves with status 0 only if it is `good`."""
    if as_json:
        print(msgspec.json.format(msgspec.json.encode(report)).decode())
    else:
        show(report, Console())
    raise typer.Exit(0 if good else 1)


def surroundings(home: Path | None = None) -> Surroundings:
    """What `CROUPIER_*` variables say, else what lies in `home`. StackError, one line, where no stack answers."""
    stack = running(home)
    if stack is None:
        raise StackError("no broker and database answer here: `croupier up` starts them")
    folder = home or default_home()
    checkpoints = os.environ.get("CROUPIER_CHECKPOINT_FILE") or str(folder / CHECKPOINTS)
    found = {name: _key_file(name, folder) for name in NAMES}
    return Surroundings(
        stack=stack,
        keys={name: file for name, file in found.items() if file is not None},
        checkpoint_file=Path(checkpoints),
        topic_prefix=topic_prefix(),
        marks_file=marks_file(folder),
    )


def topic_prefix() -> str:
    """Of the house's topics, as the environment says."""
    return os.environ.get("CROUPIER_TOPIC_PREFIX", "")


def marks_file(folder: Path, process: str = INSPECTOR) -> Path:
    """That of the environment, else the process's in a home."""
    return Path(os.environ.get("CROUPIER_MARKS_FILE") or file_of(folder / "keys" / MARKS, process))


def marks_from(file: Path) -> Marking:
    """Raises StackError, one line, where the file does not hold them."""
    try:
        return marks_in(file)
    except BadKey as wrong:
        raise StackError(f"{wrong}: set CROUPIER_MARKS_FILE, or see `croupier marks`") from None


def _key_file(name: str, folder: Path) -> Path | None:
    given = os.environ.get(f"CROUPIER_{name.upper()}_FILE")
    if given:
        return Path(given)
    kept = key_file(folder / "keys", name)
    return kept if kept.exists() else None


def key_file(keys: Path, name: str) -> Path:
    """Where a key lies in a house's folder of keys.

    That of key-encryption keys has a folder of its own, which a container mounts: of a file that is mounted by itself
    it would go on seeing the old one, for a new file takes its place.
    """
    usual = keys / f"{name}.hex"
    if name != "kek":
        return usual
    return _in_own_folder(usual)


def operators_file(keys: Path) -> Path:
    """Where credentials of platforms lie in a house's folder of keys: in a folder of their own, for the same reason."""
    return _in_own_folder(keys / OPERATORS)


def _in_own_folder(usual: Path) -> Path:
    """Or where it lay before, until `local_keys` has moved it."""
    own = usual.parent / usual.stem / usual.name
    return usual if usual.exists() and not own.exists() else own


def local_keys(folder: Path) -> dict[str, Path]:
    """File of every key by name; missing ones are made of 32 fresh bytes (hex), tokens with their digests on file, and
    marks' keys handed out.

    Only their owner can read them. Real houses mount their own.
    """
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    for before in (key_file(folder, "kek"), operators_file(folder)):
        (own := folder / before.stem).mkdir(exist_ok=True, mode=0o700)
        if before.parent == folder:
            before.rename(own / before.name)
    files = {name: key_file(folder, name) for name in NAMES}
    for file in files.values():
        _keep(file)
    hand_out_all(folder, plan_in(folder / MARKS))
    return files


def hand_out_all(folder: Path, plan: Plan) -> dict[str, Path]:
    """Marks and seals of every process, by what they are called; `folder` is that of the house's keys."""
    plays = time.time_ns() // 1_000_000 if _has_played(folder / MARKS) else None
    marks = hand_out(folder / MARKS, mark_root(folder), plan)
    seals = hand_out_seals(folder / SEALS, mark_root(folder), plan, plays)
    return marks | {f"{process}, seal": file for process, file in seals.items()}


def behind(folder: Path, plan: Plan) -> list[Path]:
    """Files of marks and seals that go by another plan: whoever handed the last ones out was ended in between."""
    return [*behind_plan(folder / MARKS, plan), *seals_behind_plan(folder / SEALS, plan)]


def _has_played(folder: Path) -> bool:
    """Whether services have had marks: there is a plan before there is any file, and may be no more than that."""
    files = (file_of(folder, each) for each in SEALED)
    return (folder / PLAN).exists() and all(file.exists() or (folder / file.name).exists() for file in files)


def creating(folder: Path) -> Marking:
    """Marks of who creates a house: as handed out, or made of the root key among `folder`'s keys."""
    if given := os.environ.get("CROUPIER_MARKS_FILE"):
        return marks_in(Path(given))
    return marks_of(HOUSE, mark_root(folder), plan_in(folder / MARKS))


def mark_root(folder: Path) -> bytes:
    """The key that all keys of marks are made of; no process has it."""
    file = folder / "mark_root.hex"
    _keep(file)
    return hex_key(file)


def _keep(file: Path) -> None:
    if not file.exists():
        file.touch(mode=0o600)
        file.write_text(_fresh(file.parent, file.stem) + "\n")


def _fresh(folder: Path, name: str) -> str:
    if name not in _CREDENTIALS:
        return secrets.token_hex(32)
    whose, scopes = _CREDENTIALS[name]
    return add_operator(operators_file(folder), whose, scopes, time.time_ns() // 1_000_000)


@contextmanager
def shown(console: Console) -> Iterator[Step]:
    """A callback (`libs.stack.up` takes one); one bar per thing it tells of, gone when done."""
    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(24), MofNCompleteColumn())
    with Progress(*columns, TimeElapsedColumn(), TimeRemainingColumn(), console=console, transient=True) as bars:
        tasks: dict[str, TaskID] = {}

        def tell(what: str, done: int, total: int) -> None:
            task = tasks.get(what)
            if task is None:
                task = tasks[what] = bars.add_task(what, total=total)
            bars.update(task, completed=done, total=total)

        yield tell
