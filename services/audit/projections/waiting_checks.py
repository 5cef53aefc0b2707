"""What the states of `live_checks` say by the clock, for silence leaves no event: what is owed an answer or waits for a
second person, and what was promised or moved on a day.
"""

from collections import Counter
from collections.abc import Sequence
from typing import TypeVar

import msgspec

from libs.contracts.topics import partition_of
from libs.projecting import Connection
from libs.projecting.row_marks import Marks
from services.audit.projections.live_checks import STATES
from services.audit.verifying.cash import Cash, Request
from services.audit.verifying.fees import Fee, check_fee
from services.audit.verifying.findings import Finding, Kind
from services.audit.verifying.promises import Promise, day_of
from services.audit.verifying.sittings import GRACE_MS, Sitting, check_sitting
from services.audit.verifying.tournaments import Passage, TournamentMoney, check_passage

StateT = TypeVar("StateT")
_DAY_MS = 86_400_000
QUIET_MS = 600_000
"""So long a wallet that tells nothing may be behind with a fee, for which nobody waits."""
SINCE = "audit/020_fees.sql"
"""With this migration the check of fees began."""
PASSAGES_SINCE = "audit/034_passages.sql"
"""With this migration the check of passages between wallet and tournament began."""
FIRST = "audit/001_histories.sql"
AT_ONCE_MS = 60_000
"""With its first migration the auditor begins: where a later one follows so soon, it has read nothing before."""
_PASSAGES_SINCE = """select case when checked.applied_at < began.applied_at + $3 * interval '1 millisecond' then 0
         else (extract(epoch from checked.applied_at) * 1000)::bigint end
    from migrations began, migrations checked where began.name = $1 and checked.name = $2"""
LATEST_MS = 72 * 3_600_000
"""So long after an event a policy may still answer it: later the wallet decides no command that follows from it."""
UNDECIDED_MS = 3_600_000
"""So long a disqualification, and with it a tournament's prizes, may wait for a second person."""
_PAGE = 500
_WAITING = f"""select {STATES.columns}, waits from check_states
    where waits < $1 and (waits, stream) > ($2::bigint, $3) order by waits, stream limit $4"""
"""Open sittings with something that one side has not said, or that does not agree."""
_WAITS = "{}, {} by {}, waits for a second person longer than an hour: no prize of it is paid meanwhile"


async def check_open_sittings(
    connection: Connection, now: int, grace_ms: int = GRACE_MS, marks: Marks | None = None
) -> list[Finding]:
    """What both sides should have said by `now` (ms), up to which all partitions are read: silence leaves no event."""
    found: list[Finding] = []
    place = (-(1 << 62), "")
    while rows := await connection.fetch(_WAITING, now - grace_ms, *place, _PAGE):
        place = rows[-1]["waits"], rows[-1]["stream"]
        for row in rows:
            if STATES.why_not(marks, row) is None:
                found += check_sitting(row["stream"], msgspec.json.decode(row["state"], type=Sitting), now, grace_ms)
    return found


async def check_open_fees(
    connection: Connection, now: int, wallet: Sequence[int], marks: Marks | None = None
) -> list[Finding]:
    """Fees that nobody has charged by `now` (ms), up to which all partitions are read. `wallet`: time of the last event
    of each partition of the wallet's. One that fell due before this check was there may have been answered before."""
    began = "select (extract(epoch from applied_at) * 1000)::bigint from migrations where name = $1"
    since = await connection.fetchval(began, SINCE)
    of_fees = "check_name = 'fee' and not over and (state->>'due') is not null"
    found: list[Finding] = []
    for name, fee in await _true_states(connection, marks, Fee, of_fees):
        heard = wallet[partition_of(fee.account, len(wallet))] if wallet else 0
        if fee.due_at >= since:
            found += check_fee(name, fee, min(now, max(heard, now - QUIET_MS)))
    return found


async def check_open_passages(connection: Connection, now: int, marks: Marks | None = None) -> list[Finding]:
    """Payments, credits and won tickets that left one side and have not come to the other by `now` (ms), up to which
    all partitions are read; either of both services may be away for `QUIET_MS`. What left before this check was there
    may have come before, and what comes from then is waited for no longer than `LATEST_MS`; where this check was there
    from the auditor's beginning, nothing was before."""
    since = await connection.fetchval(_PASSAGES_SINCE, FIRST, PASSAGES_SINCE, AT_ONCE_MS)
    found: list[Finding] = []
    for name, each in await _true_states(connection, marks, Passage, "passes"):
        if each.left_at >= since or each.came_at >= since + LATEST_MS:
            found += check_passage(name, each, now, QUIET_MS)
    return found


async def check_promises(connection: Connection, now: int, most: int, marks: Marks | None = None) -> list[Finding]:
    """Days, yesterday and today as of `now` (ms), on which more than `most` minor units of the house's own money were
    promised to tournaments that were announced."""
    of_days = "check_name = 'promise' and day >= $1"
    promised = Counter[tuple[str, str]]()
    for _, each in await _true_states(connection, marks, Promise, of_days, day_of(now - _DAY_MS)):
        promised[each.day, each.currency] += each.amount
    said = "tournaments announced on {} may cost the house more than {} {} of its own money"
    return [
        Finding(Kind.PROMISED, "tournaments", said.format(day, most, currency))
        for (day, currency), amount in sorted(promised.items())
        if amount > most
    ]


async def cash_on(connection: Connection, day: str, marks: Marks | None = None) -> list[Cash]:
    """What each of the staff moved on this day (`2026-11-27`, UTC)."""
    found = await _true_states(connection, marks, Cash, "check_name = 'cash' and day = $1", day)
    return sorted((cash for _, cash in found), key=lambda each: (each.by, each.currency))


async def cash_waiting(connection: Connection, limit: int, marks: Marks | None = None) -> list[Request]:
    """What waits for a second person, the oldest first."""
    where = "check_name = 'request' and not over order by (state->>'since')::bigint, id limit $1"
    return [request for _, request in await _true_states(connection, marks, Request, where, limit)]


async def check_disqualifications(connection: Connection, now: int, marks: Marks | None = None) -> list[Finding]:
    """Tournaments whose prizes wait at `now` (ms) for a second person longer than they may."""
    return [
        Finding(Kind.PUT_OUT, stream, _WAITS.format(player, what, by))
        for stream, each in await _true_states(connection, marks, TournamentMoney, "undecided")
        for what, players in (("disqualified", each.disqualified), ("excluded", each.excluded))
        for player, (by, at) in players.items()
        if at < now - UNDECIDED_MS
    ]


async def _true_states(
    connection: Connection, marks: Marks | None, kind: type[StateT], where: str, *given: object
) -> list[tuple[str, StateT]]:
    """Of the rows that the auditor has written: their stream or name, and what a check of this kind remembers."""
    rows = await connection.fetch(f"select {STATES.columns} from check_states where {where}", *given)
    true = [row for row in rows if STATES.why_not(marks, row) is None]
    return [(row["stream"], msgspec.json.decode(row["state"], type=kind)) for row in true]


async def forget_what_is_over(connection: Connection) -> None:
    """Sittings and fees that were over long enough for whoever looks at the rows."""
    await connection.execute("delete from check_states where over and over_at < now() - interval '2 minutes'")
