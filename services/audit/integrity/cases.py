"""A case: something that people should look at, with its evidence. It never changes a hand (pt-811-2015 11.c)."""

import hashlib
import json
from collections.abc import Sequence
from typing import Any, Literal

import msgspec

from libs.projecting import Connection

CaseKind = Literal["shared_identity", "soft_play", "chip_dumping", "chip_flow", "decision_software"]
HandId = tuple[str, int]
"""Table and number of a hand."""


class Case(msgspec.Struct, frozen=True, kw_only=True):
    """`evidence` says in figures why; `hands` are those concerned, oldest first."""

    kind: CaseKind
    players: tuple[str, ...]
    hands: tuple[HandId, ...]
    evidence: dict[str, Any]

    @property
    def identity(self) -> bytes:
        """One case for one kind and one set of players, whatever is found again."""
        return hashlib.sha256("\x1f".join((self.kind, *sorted(self.players))).encode()).digest()


_OPEN = """
    insert into cases (identity, kind, players, hands, evidence, opened_at, last_seen)
    values ($1, $2, $3, $4::jsonb, $5::jsonb, $6, $6)
    on conflict (identity) do update set hands = excluded.hands, evidence = excluded.evidence, last_seen = $6
    returning xmax = 0 as is_new
"""


async def open_cases(connection: Connection, found: Sequence[Case], now: int) -> list[Case]:
    """Keeps the cases; those that are new come back. What is known gets its evidence brought up to date."""
    new = []
    for case in found:
        hands, evidence = json.dumps(case.hands), json.dumps(case.evidence)
        row = await connection.fetchrow(_OPEN, case.identity, case.kind, sorted(case.players), hands, evidence, now)
        if row is not None and row["is_new"]:
            new.append(case)
    return new


async def cases(connection: Connection, after: int = 0, limit: int = 100) -> list[dict[str, Any]]:
    """Rows by id, those above `after`."""
    rows = await connection.fetch(
        """select id, kind, players, hands, evidence, opened_at, last_seen from cases
           where id > $1 order by id limit $2""",
        *(after, limit),
    )
    return [{**dict(row), "hands": json.loads(row["hands"]), "evidence": json.loads(row["evidence"])} for row in rows]
