"""Keys of marks: made of one root key, and handed out in a file for each process, with no more than it needs.

A process gets its own key for each topic that it writes, and the keys of those who write what it reads.
"""

import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated

import msgspec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDFExpand

from libs.contracts.topics import HOUSE, INSPECTOR, TOPICS
from libs.journal.log import Headers, LogRecord
from libs.journal.marks import ASKED, MOST_VERSIONS, MarkKey, Marks, Place
from libs.sealing.key_files import BadKey, Watched
from libs.sealing.secret import SecretBytes

ARCHIVIST = "archivist"
"""Who takes months out of the database (`croupier archive`); it has no login at the broker, and nobody's key there."""
PROCESSES = ("gateway", "audit", INSPECTOR, ARCHIVIST, HOUSE, "table", "wallet", "tournament")
"""Those who get a file, in this order: where those are there that get a seal, too, the house has had all of them."""
PLAN = "plan.json"
BACKUP = "croupier.backup.v1"
"""No topic: what the manifest of a backup is marked as. The inspector, who takes it, marks and knows it alone."""
ARCHIVE = "croupier.archive.v1"
"""Nor this: what the manifest of an archive is marked as, by the archivist; the inspector can judge it."""
ARCHIVED = "croupier.archived.v1"
"""Nor this: what is put down in the database of a piece that left it is marked as, by the archivist. The auditor judges
it, and who judges a mark could make it: so it is another key than the manifest's."""
HISTORIES = "croupier.histories.v1"
"""No topic either: what the auditor's rows of hands and rounds are marked as; the inspector can make them anew."""
POSITIONS = "croupier.positions.v1"
"""Nor this: what groups of a service write beside their offsets is marked as (`libs/journal/positions.py`); the
inspector carries it into another house."""
MEMBERS = "croupier.members.v1"
"""Nor this: what members of a service's groups say of themselves is marked as (`libs/journal/members.py`); the auditor
knows them."""
POSITIONED = ("table", "wallet", "tournament", "audit")

_Version = Annotated[int, msgspec.Meta(ge=1, le=MOST_VERSIONS)]
_Offsets = Mapping[str, Sequence[Annotated[int, msgspec.Meta(ge=0)]]]


class Disowned(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A record of a public topic that has a true mark and was decided by nobody."""

    topic: str
    partition: int
    offset: int
    digest: Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}$")]
    reason: str
    at: int
    """When the owner said so, ms."""


class Plan(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which keys are in force; nothing in it is secret."""

    accepted: tuple[_Version, ...] = (1,)
    writes: _Version = 1
    unmarked: _Offsets = {}
    """Where each topic ended when the house began to mark: below that nothing needs a mark."""
    retired: Mapping[_Version, _Offsets] = {}
    """Where each topic ended when a version was retired: above that its keys count no more."""
    said_at: Mapping[int, int] = {}
    """When (ms) that was said of each version, and of the unmarked under 0: a topic that is made anew begins at offset
    0, below every bound, but what the broker takes in then is younger."""
    disowned: tuple[Disowned, ...] = ()


class _Key(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    topic: str
    writer: str
    version: _Version
    key: Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}$")]


class KeyFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    process: str
    plan: Plan
    keys: tuple[_Key, ...]

    def made(self) -> list[MarkKey]:
        return [MarkKey(k.topic, k.writer, k.version, SecretBytes(bytes.fromhex(k.key))) for k in self.keys]


def handed(process: str, keys: Iterable[MarkKey], plan: Plan) -> KeyFile:
    """As it stands in the file of a process."""
    return KeyFile(process, plan, tuple(_Key(k.topic, k.writer, k.version, k.key.reveal().hex()) for k in keys))


class MarksFile:
    """What a process was handed, and is handed later."""

    def __init__(self, file: Path, now: Callable[[], float] = time.monotonic) -> None:
        """Raises `BadKey`."""
        self._marks = Watched(file, _marks_in, "marks", now).held

    def marked(self, place: Place, key: bytes | None, value: bytes | None, headers: Headers) -> Headers:
        return self._marks().marked(place, key, value, headers)

    def why_foreign(self, place: Place, record: LogRecord) -> str | None:
        return self._marks().why_foreign(place, record)

    def why_not_asked(self, place: Place, record: LogRecord) -> str | None:
        return self._marks().why_not_asked(place, record)


def marks_in(file: Path) -> MarksFile:
    """BadKey names the file and quotes nothing of it."""
    return MarksFile(file)


def marks_of_another(file: Path, process: str) -> Marks:
    """Made in the name of `process` by who knows its keys: a tool that does the work of a service. Raises `BadKey`."""
    return _marks_in(file, process)


def _marks_in(file: Path, process: str | None = None) -> Marks:
    try:
        held = msgspec.json.decode(file.read_bytes(), type=KeyFile)
    except OSError:
        raise BadKey(f"{file.name} can't be read") from None
    except msgspec.DecodeError:
        raise BadKey(f"{file.name} holds no keys of marks") from None
    return marks_with(process or held.process, held.made(), held.plan)


def marks_of(process: str, root: bytes, plan: Plan) -> Marks:
    """What a process would be handed."""
    return marks_with(process, keys_of(process, root, plan), plan)


def plan_in(folder: Path) -> Plan:
    file = folder / PLAN
    return msgspec.json.decode(file.read_bytes(), type=Plan) if file.exists() else Plan()


def hand_out(folder: Path, root: bytes, plan: Plan) -> dict[str, Path]:
    """Writes the plan, and the file of every process, readable by its owner only; the files by process.

    The plan first: whoever was ended in between knows by it where keys end, and asks for no other bounds.
    Each lies in a folder of its own, which a container mounts: of a file that is mounted by itself it would go on
    seeing the old one, for a new file takes its place.
    """
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    files = {process: file_of(folder, process) for process in PROCESSES}
    write_whole(folder / PLAN, plan)
    for process, file in files.items():
        file.parent.mkdir(exist_ok=True, mode=0o700)
        (folder / file.name).unlink(missing_ok=True)  # where it lay before it had a folder
        write_whole(file, handed(process, keys_of(process, root, plan), plan))
    return files


def behind_plan(folder: Path, plan: Plan) -> list[Path]:
    """Files of processes that are there and go by another plan, or can't be read: not all were written."""
    return [file for each in PROCESSES if (file := file_of(folder, each)).exists() and _plan_of(file) != plan]


def _plan_of(file: Path) -> Plan | None:
    try:
        return msgspec.json.decode(file.read_bytes(), type=KeyFile).plan
    except msgspec.DecodeError:
        return None


def file_of(folder: Path, process: str) -> Path:
    return folder / process / f"{process}.json"


def keys_of(process: str, root: bytes, plan: Plan) -> Iterator[MarkKey]:
    shared = [(topic.name, writer, (writer, *topic.readers, INSPECTOR)) for topic in TOPICS for writer in topic.writers]
    asked = [topic for topic in TOPICS if topic.kind == "commands"]
    # Who looks up what players have asked for may know that mark: it does not write there (ADR 13).
    shared += [
        (f"{each.name}/{ASKED}", "gateway", ("gateway", INSPECTOR, *set(each.readers) - set(each.writers)))
        for each in asked
    ]
    shared.append((BACKUP, INSPECTOR, (INSPECTOR,)))
    shared.append((ARCHIVE, ARCHIVIST, (ARCHIVIST, INSPECTOR)))
    shared.append((ARCHIVED, ARCHIVIST, (ARCHIVIST, "audit")))
    shared.append((HISTORIES, "audit", ("audit", INSPECTOR)))
    shared += [(POSITIONS, each, (each, INSPECTOR)) for each in POSITIONED]
    shared += [(MEMBERS, each, (each, "audit")) for each in POSITIONED]
    for name, writer, processes in shared:
        if process in processes:
            for version in plan.accepted:
                yield MarkKey(name, writer, version, derived(root, name, writer, version))


def marks_with(process: str, keys: Iterable[MarkKey], plan: Plan) -> Marks:
    disowned: dict[Place, dict[int, str]] = {}
    for each in plan.disowned:
        disowned.setdefault((each.topic, each.partition), {})[each.offset] = each.digest
    return Marks(process, keys, plan.writes, plan.unmarked, plan.retired, plan.said_at, disowned)


def derived(root: bytes, topic: str, writer: str, version: int) -> SecretBytes:
    """Who holds one of these learns nothing of the root, nor of any other (HKDF, RFC 5869)."""
    return SecretBytes(HKDFExpand(SHA256(), 32, f"croupier mark/{topic}/{writer}/{version}".encode()).derive(root))


def write_whole(file: Path, what: msgspec.Struct) -> None:
    """Whole or not at all, for a process may start at any moment, and on the disk before the next one is written: a
    bound in one file and in no plan would be asked for again, and be another one."""
    fresh = file.with_suffix(f".{os.getpid()}")
    fresh.touch(mode=0o600)
    with fresh.open("wb") as out:
        out.write(msgspec.json.format(msgspec.json.encode(what)) + b"\n")
        out.flush()
        os.fsync(out.fileno())
    fresh.rename(file)
    folder = os.open(file.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
