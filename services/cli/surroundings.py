"""Where a command finds the house: addresses and key files, from the environment or the local stack."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import asyncpg
from aiokafka.errors import KafkaError

from libs.journal.log import LogRewritten, LogUnavailable
from libs.sealing.key_files import BadKey, hex_key
from libs.stack import StackError, default_home, running

CHECKPOINTS = "checkpoints.jsonl"
"""Name of the file in a home to which its auditor appends signed checkpoints."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Addresses of broker and database; key files by name, as in `services.cli.local_keys`."""

    bootstrap: str
    database_url: str = field(repr=False)
    keys: dict[str, Path] = field(default_factory=dict)
    checkpoint_file: Path | None = None
    topic_prefix: str = ""

    def key(self, name: str) -> Path:
        """The file of a key; StackError where nobody said which it is."""
        if name not in self.keys:
            raise StackError(f"no {name}: set CROUPIER_{name.upper()}_FILE or CROUPIER_HOME")
        return self.keys[name]

    def secret(self, name: str) -> bytes:
        """The 32 bytes of a key; StackError, which quotes none of them, where the file does not hold them."""
        try:
            return hex_key(self.key(name))
        except BadKey as wrong:
            raise StackError(str(wrong)) from None


@contextmanager
def in_one_line() -> Iterator[None]:
    """What can't be reached becomes a StackError: one line, no traceback."""
    try:
        yield
    except (LogUnavailable, KafkaError, asyncpg.PostgresError, OSError) as wrong:
        raise StackError(f"broker or database went away: {type(wrong).__name__}: {wrong}") from wrong
    except LogRewritten as wrong:
        raise StackError(f"the log changed while it was read: {wrong}") from wrong


_KEYS = ("kek", "gateway_key", "session_key", "operator_token", "checkpoint_key")


def surroundings(home: Path | None = None) -> Surroundings:
    """What `CROUPIER_*` variables say, else what lies in `home`. StackError, one line, where no stack answers."""
    stack = running(home)
    if stack is None:
        raise StackError("no broker and database answer here: `croupier up` starts them")
    folder = home or default_home()
    checkpoints = os.environ.get("CROUPIER_CHECKPOINT_FILE") or str(folder / CHECKPOINTS)
    found = {name: _key_file(name, folder) for name in _KEYS}
    return Surroundings(
        bootstrap=stack.bootstrap,
        database_url=stack.database_url,
        keys={name: file for name, file in found.items() if file is not None},
        checkpoint_file=Path(checkpoints),
        topic_prefix=os.environ.get("CROUPIER_TOPIC_PREFIX", ""),
    )


def _key_file(name: str, folder: Path) -> Path | None:
    given = os.environ.get(f"CROUPIER_{name.upper()}_FILE")
    if given:
        return Path(given)
    kept = folder / "keys" / f"{name}.hex"
    return kept if kept.exists() else None
