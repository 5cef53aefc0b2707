"""Who may do what in a folder of a backup or an archive meanwhile: one process writes, and takes away nothing that is
being read.

Two files, because a drill is to hold up no backup of the house: `.lock` is the writer's, and a restore of the house
itself shares it; `.reading` is shared by every restore. The kernel lets go of both when a process ends, whatever ends
it.
"""

import fcntl
import os
from collections.abc import Collection, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import BinaryIO

from libs.stack_error import StackError
from services.cli.backups.files import own

LOCK, READING = ".lock", ".reading"


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Nobody else writes there meanwhile, and no house is restored from it, or StackError says who does."""
    with _writable(folder / LOCK) as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise StackError(_who(lock, folder)) from None
        yield


@contextmanager
def reading(folder: Path, *, is_drill: bool) -> Iterator[bool]:
    """Nothing is removed meanwhile of what a manifest that is read from now on names. But for a drill nothing is
    written either: StackError where somebody does.

    Gives False where nothing can be locked: whoever restores has to see to it that nobody writes. That is so of a
    read-only copy in which no backup has left the files, and of a file system without locks.
    """
    with ExitStack() as held:
        is_held = True
        for name in (READING,) if is_drill else (LOCK, READING):
            lock = _readable(folder / name)
            if lock is not None:
                held.callback(os.close, lock)
            is_held &= lock is not None and _shared(lock, folder, waits=name == READING)
        yield is_held


def sweep(folder: Path, named: Collection[str]) -> bool:
    """Removes files of records and rows of other names. False: a restore reads there, so all stays for the next run."""
    with _writable(folder / READING) as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        for left in (*folder.glob("*.records"), *folder.glob("*.rows")):
            if left.name not in named:
                left.unlink()
    return True


def _writable(path: Path) -> BinaryIO:
    return open(path, "a+b", opener=own)  # a link leads nowhere, and nothing is emptied


def _readable(path: Path) -> int | None:
    """A volume may be mounted to be read alone: there it is the file that a backup has left, or none."""
    for flags in (os.O_RDONLY, os.O_RDONLY | os.O_CREAT):
        try:
            return own(str(path), flags)
        except (FileNotFoundError, NotADirectoryError, PermissionError):
            continue
        except OSError as wrong:
            if not _is_read_only(path.parent):
                raise StackError(f"{path} can't be locked: {wrong}") from None
    return None


def _is_read_only(folder: Path) -> bool:
    return bool(os.statvfs(folder).f_flag & os.ST_RDONLY)


def _shared(lock: int, folder: Path, *, waits: bool) -> bool:
    """`waits`: who has it alone is about to let go."""
    try:
        fcntl.flock(lock, fcntl.LOCK_SH | (0 if waits else fcntl.LOCK_NB))
    except BlockingIOError:
        raise StackError(
            f"a backup writes to {folder}: suspend what runs it, and come again when it has ended"
        ) from None
    except OSError:  # a file system without locks
        return False
    return True


def _who(lock: BinaryIO, folder: Path) -> str:
    try:
        fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return f"another process writes to {folder}"
    return f"a house is restored from {folder}: nothing was written, run it again when that has ended"
