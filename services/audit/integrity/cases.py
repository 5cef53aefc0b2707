"""A case: something that people should look at, with its evidence. It never changes a hand (pt-811-2015 11.c)."""

import hashlib
import json
from collections.abc import Sequence
from typing import Any, Literal

import msgspec

from libs.projecting import Connection
from libs.projecting.row_marks import Marks
from services.audit.marked_rows import Evidence, mark_row, page_of

CaseKind = Literal[
    "shared_identity", "soft_play", "chip_dumping", "chip_flow", "chips_to_one", "buy_in_flow", "buy_ins_to_one",
    "decision_software",
]  # fmt: skip
HandId = tuple[str, int]
"""Table and number of a hand."""


class Case(msgspec.Struct, frozen=True, kw_only=True):
    """`evidence` says in figures why; `hands` are those concerned, oldest first."""

    kind: CaseKind
    players: tuple[str, ...]
    hands: tuple[HandId, ...]
    evidence: dict[str, Any]
    about: str = ""
    """What makes all of them one case, however many they become; empty: that it is just these players."""

    @property
    def identity(self) -> bytes:
        """One case for one kind and one set of players, or for what it is about, whatever is found again."""
        of = ("", self.about) if self.about else sorted(self.players)
        return hashlib.sha256("\x1f".join((self.kind, *of)).encode()).digest()


WORDS = Evidence(
    "cases", ("identity", "kind", "players", "hands", "evidence", "opened_at", "last_seen"), ("hands", "evidence")
)
_OPEN = """
    insert into cases (identity, kind, players, hands, evidence, opened_at, last_seen, mark)
    values ($1, $2, $3, $4::jsonb, $5::jsonb, $6, $6, $7)
    on conflict (identity) do nothing returning id
"""
# Who holds the row's lock keeps nobody from opening the next case: it is brought up to date another time.
_THERE = f"select {WORDS.columns} from cases where identity = $1 for update skip locked"
_AGAIN = """update cases set players = $2, hands = $3::jsonb, evidence = $4::jsonb, last_seen = $5, mark = $6
             where id = $1"""


async def open_cases(connection: Connection, found: Sequence[Case], now: int, marks: Marks | None) -> list[Case]:
    """Keeps the cases; those that are new, or of further players, come back. What is known gets its evidence brought
    up to date.

    `marks`: the auditor's. Nobody else knows where a case belongs, so none is written before it is found.
    """
    new = []
    for case in found:
        hands, evidence = json.dumps(case.hands), json.dumps(case.evidence)
        identity = mark_row(marks, b"case", (case.identity,)) or case.identity
        what = (identity, case.kind, sorted(case.players), hands, evidence)
        if await connection.fetchval(_OPEN, *what, now, WORDS.mark(marks, *what, now, now)) is not None:
            new.append(case)
        elif (there := await connection.fetchrow(_THERE, identity)) is not None and there["last_seen"] <= now:
            mark = WORDS.mark(marks, *what, there["opened_at"], now)
            await connection.execute(_AGAIN, there["id"], sorted(case.players), hands, evidence, now, mark)
            if not set(case.players) <= set(there["players"]):
                new.append(case)
    return new


async def cases(
    connection: Connection, after: int | None = None, limit: int = 100, marks: Marks | None = None
) -> tuple[list[dict[str, Any]], int | None]:
    """Rows by id, those of the next `limit` above `after` (None: of all) that the auditor has written; and behind which
    the next ones are, None: there are no more."""
    rows = await page_of(connection, f"select {WORDS.columns} from cases", after, limit)
    shown = ("id", "kind", "players", "opened_at", "last_seen")
    found = [
        {
            **{name: row[name] for name in shown},
            "hands": json.loads(row["hands"]),
            "evidence": json.loads(row["evidence"]),
        }
        for row in rows
        if WORDS.why_not(marks, row) is None
    ]
    return found, rows[-1]["id"] if len(rows) == limit else None
