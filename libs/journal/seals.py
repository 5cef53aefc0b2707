"""A snapshot is believed by who wrote it alone: beside its mark it bears a seal, under a key that nobody shares.

A mark's key is known to who reads the topic, and stands in the file with which a service writes its journal. A snapshot
is what the true process goes on from, and nothing in the log says what it must be; so its key lies in a file by itself.
The seal covers topic, partition, key and value: another stream's, or another manifest's, is none (journal 24).
"""

import logging
from typing import Protocol

import msgspec

from libs.journal.log import Headers, LogRecord, OutRecord
from libs.journal.marks import HEADER as MARK
from libs.journal.marks import Marking, Place

HEADER = "seal"
_log = logging.getLogger(__name__)


class Sealing(Protocol):
    """What a service knows its own snapshots and manifests by."""

    @property
    def rule(self) -> bytes:
        """By what it judges: another one may judge otherwise."""
        ...

    def sealed(self, record: OutRecord) -> OutRecord:
        """With the seal as its last header. Raises `MayNotWrite`."""
        ...

    def why_not(self, place: Place, record: LogRecord) -> str | None:
        """Why the record counts for nothing, in a few words; None: it is ours."""
        ...


class Unsealed:
    """Every snapshot that bears a true mark is believed. For copies that no service starts from."""

    rule = b""

    def sealed(self, record: OutRecord) -> OutRecord:
        return record

    def why_not(self, place: Place, record: LogRecord) -> str | None:
        return None


UNSEALED = Unsealed()


class Seals:
    """Under the keys of one service, in the versions of the house's marks."""

    def __init__(self, keys: Marking, unsealed_until: int = 0, rule: bytes = b"") -> None:
        """`unsealed_until`, ms since the epoch: what the broker took in before that needs no seal."""
        self.rule = rule
        self._keys = keys
        self._unsealed_until = unsealed_until
        self._believed = 0

    def sealed(self, record: OutRecord) -> OutRecord:
        assert record.partition is not None, "a snapshot lies in its stream's partition"
        made = self._keys.marked((record.topic, record.partition), record.key, record.value, ())
        return msgspec.structs.replace(record, headers=(*record.headers, (HEADER, made[-1][1])))

    def why_not(self, place: Place, record: LogRecord) -> str | None:
        seal = seal_in(record.headers)
        if seal is None:
            if record.timestamp >= self._unsealed_until:
                return "no seal"
            self._believed += 1
            if self._believed == 1:
                _log.warning("snapshots of before there were seals are believed", extra={"topic": place[0]})
            return None
        why = self._keys.why_foreign(place, msgspec.structs.replace(record, headers=((MARK, seal),)))
        return None if why is None else why.replace("mark", "seal")


def seal_in(headers: Headers) -> bytes | None:
    return next((value or b"" for name, value in headers if name == HEADER), None)
