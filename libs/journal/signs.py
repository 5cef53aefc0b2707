"""Signs of life: until when the house that was lived, and so for how long it stood still before it was back.

The owner of a partition writes its present beside the group's offset, about once a second (journal 12). It is no
record of the log and no part of the rule: whoever owns the partition next only knows from it when the last one lived.
"""

from collections.abc import Callable, Mapping

from libs.decider import Standstill
from libs.journal.fold import Head

SETTLE_MS = 5_000
"""An owner that is back gives no sign of its own before it has had time to wake what it found: one that dies sooner
was not back, and the next one counts from the same sign."""
SILENCE_MS = 10_000
"""A log that answered nothing for so long was away, or this process was. Reading asks every few seconds."""


class Signs:
    """Of one partition. `now` is the process's clock, milliseconds since the epoch; `elapsed` seconds that none sets.

    What the house stood through stays known for as long as this owner lives.
    """

    def __init__(self, now: Callable[[], int], elapsed: Callable[[], float]) -> None:
        self._now = now
        self._elapsed = elapsed
        self._sign: int | None = None
        self._back: int = 0
        self._heard = 0.0
        self._stood: Standstill | None = None
        self._found: dict[str, int] = {}
        """Streams as they were when the house was back: the time of each one's last commit."""

    def begin(self, sign: int | None, heads: Mapping[str, Head]) -> None:
        """Back: `sign` is the last one's. None: there is none that counts, so for each stream the house may have stood
        still since its last commit: no time runs out by that, and nothing is void by it."""
        self._sign, self._heard = sign, self._elapsed()
        self._is_back(0 if sign is None else sign, heads, is_known=sign is not None)

    def found(self, stream: str, head: Head) -> None:
        """One that lay on disk: it is as it was when the house was back, if it was loaded for the first time since."""
        self._found.setdefault(stream, head.time)

    def heard(self, heads: Mapping[str, Head]) -> None:
        """The log has answered. Clocks may be set, so how long it did not is measured by none."""
        silent_ms = self._silent_ms
        self._heard = self._elapsed()
        if silent_ms > SILENCE_MS:
            self._is_back(self._now() - silent_ms, heads)

    @property
    def _silent_ms(self) -> int:
        return int(1000 * (self._elapsed() - self._heard))

    def _is_back(self, since: int, heads: Mapping[str, Head], is_known: bool = True) -> None:
        self._back = self._now()
        self._stood = Standstill(since, self._back, is_known)
        self._found = {stream: head.time for stream, head in heads.items()}

    @property
    def sign(self) -> int | None:
        """What to write beside the offset."""
        now = self._now()
        if now - self._back >= SETTLE_MS and self._silent_ms <= SILENCE_MS:
            self._sign = now
        return self._sign

    def stood(self, stream: str) -> Standstill | None:
        """What the stream stood through. Its own last commit is a sign of life, too: nobody else could have made it."""
        stood, last = self._stood, self._found.get(stream)
        if stood is None or last is None:
            return None
        since = max(stood.since, last)
        return Standstill(since, stood.until, stood.is_known) if since < stood.until else None
