"""Disks of the machines that processes run on: some find again what an earlier one has kept there, or older things."""

import shutil
from collections import Counter
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from libs.journal.kept import MakeShelf, kept_in, nameless
from libs.journal.shelf import Shelf

_IN_MEMORY = Path("/dev/shm")
_DISKS = 2


class Disks:
    def __init__(self, dice: Random, fired: Counter[str]) -> None:
        """`fired` counts what was found again."""
        self._dice = dice
        self._fired = fired
        self._at = TemporaryDirectory(prefix="croupier-disks-", dir=_IN_MEMORY if _IN_MEMORY.is_dir() else None)

    def any(self) -> MakeShelf:
        """Of one machine, or of one that keeps nothing. A file that another process has is nobody else's meanwhile."""
        if self._dice.random() < 0.3:
            return nameless
        make = kept_in(self._folder(self._dice.randrange(_DISKS)))

        def counted(topic: str, partition: int, of: bytes) -> Shelf:
            shelf = make(topic, partition, of)
            self._fired["shelf found again"] += shelf.first > 0
            return shelf

        return counted

    def copies(self) -> list[MakeShelf]:
        """What lies on each now, to look at."""
        made = []
        for number in range(_DISKS):
            if (folder := self._folder(number)).exists():
                copy = folder.with_name(f"copy of {folder.name}")
                shutil.rmtree(copy, ignore_errors=True)
                made.append(kept_in(Path(shutil.copytree(folder, copy))))
        return made

    def _folder(self, number: int) -> Path:
        return Path(self._at.name) / f"{number}"
