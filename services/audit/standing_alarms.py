"""Alarms that one reader finds again at every look, for as long as what they say stands.

Of one that stands a look reads its row in the index, by its identity: whoever takes the row away has it told again. How
often it was met, and when last, is written once in some looks.
"""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from libs.projecting import Connection
from libs.projecting.row_marks import Marks
from services.audit.incidents import count_again, identity_of, record
from services.audit.verifying.findings import Finding

COUNTED_EVERY = 12
"""Looks: a minute of those that come every five seconds."""
_THERE = "select identity from incidents where identity = any($1::bytea[])"


class _Met(NamedTuple):
    identity: bytes
    times: int = 0
    """That its row does not say yet."""
    looks: int = 0


class StandingAlarms:
    """Of one reader; what it found at its last look."""

    def __init__(self) -> None:
        self._met: dict[Finding, _Met] = {}

    async def record(
        self, connection: Connection, findings: Sequence[Finding], now: int, marks: Marks | None
    ) -> list[Finding]:
        """As `incidents.record`, which writes what was not found at the look before. A transaction that is lost leaves
        nothing out: where the row is not there it is written again."""
        found = Counter(findings)
        known = {finding: self._met[finding] for finding in found if finding in self._met}
        rows = await connection.fetch(_THERE, [each.identity for each in known.values()]) if known else []
        there = {row["identity"] for row in rows}
        stand = {finding: met for finding, met in known.items() if met.identity in there}
        new = await record(connection, [each for each in findings if each not in stand], now, marks)
        met, due = dict[Finding, _Met](), dict[bytes, int]()
        for finding, times in found.items():
            before = stand.get(finding)
            if before is None:
                met[finding] = _Met(identity_of(finding, marks))
                continue
            met[finding] = _Met(before.identity, before.times + times, before.looks + 1)
            if met[finding].looks >= COUNTED_EVERY and finding.counts:
                due[before.identity] = met[finding].times
                met[finding] = _Met(before.identity)
        gone = {finding: each for finding, each in self._met.items() if finding not in found}
        due |= {each.identity: each.times for finding, each in gone.items() if each.times and finding.counts}
        await count_again(connection, due, now)
        self._met = met
        return new
