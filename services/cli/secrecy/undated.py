"""Texts that tell no time: what was ever dealt may stand in them, and they are as many as the house has accounts.

So they are gone through once, with the first window, and what is dealt later is asked of an index of them: of all that
may be the beginning of a secret. Going through them again for each window took two of three seconds of a scan of ten
million events, and grew with the square of the house.
"""

import tempfile
from collections.abc import Iterator
from typing import IO

import msgspec

from services.audit.verifying.kept import Store
from services.cli.secrecy.cards import may_be_told_by_cards_alone
from services.cli.secrecy.needles import Needles, beginnings
from services.cli.secrecy.places import Text

_LENGTH = 4
_READ = 1 << 22
_CACHE_KB = 8_192
_AT_ONCE = 1 << 17


class _Texts:
    """In a file without a name: to be gone through as often as somebody likes."""

    def __init__(self) -> None:
        self._file: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - goes with the process

    def add(self, text: Text) -> None:
        raw = msgspec.msgpack.encode((text.place, text.content))
        self._file.write(len(raw).to_bytes(_LENGTH, "big") + raw)

    def hold(self, form: bytes) -> bool:
        """Whether these bytes stand anywhere in them, or across two."""
        self._file.seek(0)
        before = b""
        while read := self._file.read(_READ):
            if form in before + read:
                return True
            before = read[1 - len(form) :]
        return False

    def __iter__(self) -> Iterator[Text]:
        self._file.seek(0)
        while head := self._file.read(_LENGTH):
            yield Text(*msgspec.msgpack.decode(self._file.read(int.from_bytes(head, "big")), type=tuple[str, bytes]))


class Undated:
    """Add all of them, then ask."""

    def __init__(self) -> None:
        self._all, self._in_a_row = _Texts(), _Texts()
        self._at = Store(cache_kb=_CACHE_KB).at
        self._at.execute("create table beginnings (hash integer primary key)")
        self._new = set[int]()

    def add(self, text: Text, needles: Needles) -> None:
        """`needles`: any window's; they know in what parts of a text secrets may stand."""
        self._all.add(text)
        if may_be_told_by_cards_alone(text.content):
            self._in_a_row.add(text)
        self._new.update(beginnings(needles, text.content))
        if len(self._new) >= _AT_ONCE:
            self._write()

    def that_may_hold(self, needles: Needles) -> Iterator[Text]:
        """Those in which anything of the window's new hands may stand, and whatever else these are."""
        yield from self._all if self._may_hold(needles) else self._in_a_row

    def _may_hold(self, needles: Needles) -> bool:
        if any(self._all.hold(form) for form in needles.odd):
            return True
        self._write()
        ask = self._at.execute
        query = "select 1 from beginnings where hash = ?"
        return any(ask(query, (first,)).fetchone() is not None for first in sorted(needles.firsts))

    def _write(self) -> None:
        """In their order, so that what lies side by side is written at once."""
        if self._new:
            self._at.executemany("insert or ignore into beginnings values (?)", zip(sorted(self._new), strict=True))
            self._new.clear()
