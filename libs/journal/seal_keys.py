"""Keys of seals: a file for each service that decides, of the root of the marks' keys and in their versions.

Nobody else is handed one, neither the auditor nor an inspector; whoever holds the root can make them.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import msgspec

from libs.contracts.topics import TOPICS, topic
from libs.journal.log import LogRecord, OutRecord
from libs.journal.mark_keys import KeyFile, Plan, derived, handed, marks_with, write_whole
from libs.journal.marks import MarkKey, Place
from libs.journal.seals import Seals
from libs.sealing.key_files import BadKey, Watched

SEALED = tuple(each.writers[0] for each in TOPICS if each.kind == "snapshots")
"""Services that get a file."""
GRACE_MS = 86_400_000
"""So long after a house that plays already got its first seals what has none is believed: for its update."""


class _SealFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    held: KeyFile
    unsealed_until: Annotated[int, msgspec.Meta(ge=0)] = 0
    """Ms since the epoch."""


class SealsFile:
    """What a service was handed, and is handed later."""

    def __init__(self, file: Path) -> None:
        """Raises `BadKey`."""
        self._seals = Watched(file, _seals_in, "seals").held

    def sealed(self, record: OutRecord) -> OutRecord:
        return self._seals().sealed(record)

    def why_not(self, place: Place, record: LogRecord) -> str | None:
        return self._seals().why_not(place, record)

    @property
    def rule(self) -> bytes:
        return self._seals().rule


def seals_in(file: Path) -> SealsFile:
    """BadKey names the file and quotes nothing of it."""
    return SealsFile(file)


def seals_of(process: str, root: bytes, plan: Plan, unsealed_until: int = 0) -> Seals:
    """What a service would be handed."""
    return Seals(marks_with(process, _keys_of(process, root, plan), plan), unsealed_until, _rule_of(plan))


def hand_out_seals(folder: Path, root: bytes, plan: Plan, plays_since: int | None) -> dict[str, Path]:
    """Writes the file of every service, readable by its owner only, into a folder of its own; the files by service.

    `plays_since`, ms since the epoch: now, where the house has marked before it had seals; None: it is new.
    """
    files = {process: seal_file_of(folder, process) for process in SEALED}
    for process, file in files.items():
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        until = 0 if plays_since is None else plays_since + GRACE_MS
        if file.exists():
            until = _read(file).unsealed_until
        write_whole(file, _SealFile(handed(process, _keys_of(process, root, plan), plan), until))
    return files


def seals_behind_plan(folder: Path, plan: Plan) -> list[Path]:
    """As `behind_plan` of the marks."""
    return [file for each in SEALED if (file := seal_file_of(folder, each)).exists() and _plan_of(file) != plan]


def _plan_of(file: Path) -> Plan | None:
    try:
        return _read(file).held.plan
    except BadKey:
        return None


def seal_file_of(folder: Path, process: str) -> Path:
    return folder / process / f"{process}-seal.json"


def _keys_of(process: str, root: bytes, plan: Plan) -> Iterator[MarkKey]:
    name = topic(process, "snapshots").name
    for version in plan.accepted:
        yield MarkKey(name, process, version, derived(root, f"{name}/sealed", process, version))


def _seals_in(file: Path) -> Seals:
    held = _read(file)
    marks = marks_with(held.held.process, held.held.made(), held.held.plan)
    return Seals(marks, held.unsealed_until, _rule_of(held.held.plan))


def _rule_of(plan: Plan) -> bytes:
    return msgspec.json.encode((plan.accepted, plan.retired, plan.disowned))


def _read(file: Path) -> _SealFile:
    try:
        return msgspec.json.decode(file.read_bytes(), type=_SealFile)
    except OSError:
        raise BadKey(f"{file.name} can't be read: run `croupier marks hand-out`") from None
    except msgspec.DecodeError:
        raise BadKey(f"{file.name} holds no keys of seals") from None
