"""Every path of the audit service: what it found, what it signed, how far it has come, and the histories."""

import time
from collections.abc import Callable
from typing import Annotated, Any

import msgspec
from fastapi import APIRouter, Depends, FastAPI, Query, Request
from fastapi.openapi.utils import get_openapi
from pydantic import BaseModel, ConfigDict, Field

from libs.edge.api import api
from libs.edge.paging import NEWEST, Before, place_of
from libs.identity.access import Access
from libs.identity.callers import Callers
from libs.identity.guard import add_schemas, guarded, open_to, stand_guard, with_security
from libs.identity.purpose import LONGEST_TARGET, Read
from libs.identity.reads import KeptRead, Reads, of_audit, of_wallet
from libs.projecting import Completeness, OpenGap, Pool, completeness, open_gaps
from libs.projecting.row_marks import Marks
from libs.views.hand import Hand
from libs.views.round import RoundRecord
from services.audit.checkpoint_rows import listed
from services.audit.http.histories import HandLine, RoundLine, histories, schemas
from services.audit.incidents import IncidentRow, incidents
from services.audit.integrity.cases import cases
from services.audit.projections.waiting_checks import cash_on, cash_waiting
from services.audit.restrictions import FIRST, Restriction, behind, holding, restrictions
from services.audit.settings import PROJECTOR, SCHEMA
from services.audit.verifying.findings import Finding, Kind, Severity

router = APIRouter(prefix="/v1", dependencies=[Depends(guarded)])
_FINDINGS = open_to(Access(("auditor", "security", "supervisor"), ("reports",), whole=True))
_EVIDENCE = open_to(Access(("auditor", "security"), ("reports",), whole=True))
_CASES = open_to(Access(("security", "auditor"), person=True))
_CASH = open_to(Access(("supervisor", "cashier", "auditor", "security")))
_WAITING = open_to(Access(("supervisor", "cashier", "auditor"), person=True))
_UPKEEP = open_to(Access(("auditor", "administrator"), ("reports",), whole=True))
_RESTRICTED = open_to(Access(("auditor", "security"), person=True))
_HOUSE = open_to(Access(scopes=("house",)))
_READS = open_to(Access(("auditor",)))
After = Annotated[
    int | None,
    Query(
        ge=-(2**63),
        le=2**63 - 1,
        description="the last number of the page before; none: from the first one, which may be below 0",
    ),
]
Limit = Annotated[int, Query(ge=1, le=500)]
Day = Annotated[str, Query(pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$", description="UTC, as 2026-11-27")]
Text = Annotated[str, Field(max_length=200)]


class IncidentList(BaseModel):
    incidents: list[IncidentRow]
    next_after: int | None


class CheckpointLine(BaseModel):
    number: int
    taken_at: int
    root: str
    previous: str
    streams: int
    public_key: str
    signature: str


class CheckpointList(BaseModel):
    checkpoints: list[CheckpointLine]


class CaseRow(BaseModel):
    """`hands` are pairs of table and number; times in milliseconds."""

    id: int
    kind: str
    players: list[str]
    hands: list[tuple[str, int]]
    evidence: dict[str, Any]
    opened_at: int
    last_seen: int


class CaseList(BaseModel):
    cases: list[CaseRow]
    next_after: int | None


class CompletenessReport(BaseModel):
    partitions: list[Completeness]
    gaps: list[OpenGap]


@router.get("/incidents", openapi_extra=_FINDINGS)
async def list_incidents(
    request: Request,
    after: After = None,
    limit: Limit = 100,
    kind: Kind | None = None,
    severity: Severity | None = None,
) -> IncidentList:
    """What did not agree, oldest first: incidents whose id is above `after`, of all kinds or of one.

    A row that the auditor has not written is left out, and is an incident itself.
    """
    async with request.app.state.pool.acquire() as connection:
        only = {name: value for name, value in (("kind", kind), ("severity", severity)) if value is not None}
        found, next_after = await incidents(connection, after, limit, request.app.state.marks, only)
    return IncidentList(incidents=found, next_after=next_after)


@router.get("/checkpoints", openapi_extra=_EVIDENCE)
async def list_checkpoints(request: Request, after: After = None, limit: Limit = 100) -> CheckpointList:
    """Signed roots whose number is above `after`, newest last, without the heads they stand for. A row that the auditor
    has not signed is left out, and is an incident."""
    async with request.app.state.pool.acquire() as connection:
        found = await listed(connection, after, limit, request.app.state.checkpoint_key)
    lines = [CheckpointLine(**msgspec.structs.asdict(each), streams=streams) for each, streams in found]
    return CheckpointList(checkpoints=lines)


@router.get("/cases", openapi_extra=_CASES)
async def list_cases(request: Request, after: After = None, limit: Limit = 100) -> CaseList:
    """What the integrity checks want looked at, oldest first: cases whose id is above `after` (pt-811-2015 11)."""
    async with request.app.state.pool.acquire() as connection:
        found, next_after = await cases(connection, after, limit, request.app.state.marks)
    return CaseList(cases=[CaseRow(**row) for row in found], next_after=next_after)


class CashLine(BaseModel):
    """Minor units of real money. `deposited` and `withdrawn` alone; `approved`: what another one had asked for."""

    by: str
    currency: str
    deposited: int
    withdrawn: int
    approved: int


class CashDay(BaseModel):
    day: str
    people: list[CashLine]


class CashRequest(BaseModel):
    """`since`: milliseconds since the epoch."""

    player: str
    currency: str
    reference: str
    purpose: str
    amount: int
    by: str
    since: int


class CashRequests(BaseModel):
    waiting: list[CashRequest]


@router.get("/cash", openapi_extra=_CASH)
async def list_cash(request: Request, day: Day) -> CashDay:
    """What each of the staff moved into and out of players' accounts on a day (UTC)."""
    async with request.app.state.pool.acquire() as connection:
        found = await cash_on(connection, day, request.app.state.marks)
    people = [{name: getattr(each, name) for name in CashLine.model_fields} for each in found]
    return CashDay(day=day, people=[CashLine(**each) for each in people])


@router.get("/cash/waiting", openapi_extra=_WAITING)
async def list_waiting_cash(request: Request, limit: Limit = 100) -> CashRequests:
    """Deposits and withdrawals that wait for a second person, the oldest first."""
    async with request.app.state.pool.acquire() as connection:
        found = await cash_waiting(connection, limit, request.app.state.marks)
    waiting = [{name: getattr(each, name) for name in CashRequest.model_fields} for each in found]
    return CashRequests(waiting=[CashRequest(**each) for each in waiting])


class ReadList(BaseModel):
    reads: list[KeptRead]
    next_before: str | None


@router.get("/reads", openapi_extra=_READS)
async def list_reads(request: Request, before: Before = NEWEST, limit: Limit = 100) -> ReadList:
    """Who looked at cards or persons, and what for, newest first.

    A row that the service has not written whose trail it is in is left out, and an incident.
    `next_before` is the `before` of the next page; null on the last.
    """
    found, place = await request.app.state.reads.kept(place_of(before), limit)
    return ReadList(reads=found, next_before=place.cursor() if place else None)


class HeardRead(BaseModel):
    """What a gateway tells of a read, in the words of `Read`."""

    model_config = ConfigDict(extra="forbid")

    at: int = Field(ge=0, lt=2**62)
    principal: Text
    roles: list[Text] = Field(max_length=20)
    scopes: list[Text] = Field(max_length=20)
    purpose: Text
    what: Text
    target: Annotated[str, Field(max_length=LONGEST_TARGET)]
    address: Text


@router.post("/reads", status_code=204, openapi_extra=_HOUSE)
async def keep_read(request: Request, read: HeardRead) -> None:
    """Put on record that somebody looked at persons elsewhere: a gateway has no database."""
    await request.app.state.reads.record(Read(**read.model_dump()))


class RestrictionList(BaseModel):
    restrictions: list[Restriction]
    next_before: str | None


@router.get("/restrictions", openapi_extra=_RESTRICTED)
async def list_restrictions(request: Request, before: Before = NEWEST, limit: Limit = 100) -> RestrictionList:
    """Who blocked players, lifted blocks and ended sessions, and what for, newest first.

    `next_before` is the `before` of the next page; null on the last.
    """
    async with request.app.state.pool.acquire() as connection:
        found, place = await restrictions(connection, place_of(before), limit, request.app.state.marks)
    return RestrictionList(restrictions=found, next_before=place.cursor() if place else None)


class Holding(BaseModel):
    notices: list[dict[str, Any]]
    next_after: str | None


AfterWord = Annotated[
    str,
    Query(pattern=r"^-?[0-9]{1,19}~-?[0-9]{1,19}$", description="`next_after` of the page before, taken as it is"),
]


@router.get("/restrictions/holding", openapi_extra=_HOUSE)
async def list_holding(request: Request, after: AfterWord = FIRST, limit: Limit = 500) -> Holding:
    """What keeps players out now, as it was told and marked: for a gateway that starts. Bytes are base64.

    `next_after` is the `after` of the next page; null on the last.
    """
    now, marks = time.time_ns() // 1_000_000, request.app.state.marks
    async with request.app.state.pool.acquire() as connection:
        found, place = await holding(connection, now, behind(after), limit, marks)
    notices = [msgspec.to_builtins(notice) for notice in found]
    return Holding(notices=notices, next_after=place.cursor() if place else None)


@router.get("/completeness", openapi_extra=_UPKEEP)
async def get_completeness(request: Request) -> CompletenessReport:
    """How far the histories have come. `accepted` and `digest` can be compared with a fold of the log.

    A gap waits for a version it has not got.
    """
    async with request.app.state.pool.acquire() as connection:
        partitions = await completeness(connection, PROJECTOR)
        gaps = await open_gaps(connection, PROJECTOR)
    return CompletenessReport(partitions=partitions, gaps=gaps)


def all_routers() -> tuple[APIRouter, ...]:
    """Every path, with who may ask it."""
    return router, histories("hand", Hand, HandLine), histories("round", RoundRecord, RoundLine)


def audit_app(
    pool: Pool,
    callers: Callers,
    marks: Marks,
    ledger_schema: str = "wallet",
    docs: bool = True,
    on_finding: Callable[[Finding], None] = lambda finding: None,
    checkpoint_key: str = "",
) -> FastAPI:
    """`pool` sees the audit schema. `marks`: the auditor's; what has no true one is an incident, and not shown.
    `checkpoint_key`: under which checkpoints are signed (hex); without one all are shown."""
    app = api("Croupier audit", docs, summary="Evidence, read only.")
    app.state.pool, app.state.reads = pool, Reads(pool, marks, of_audit(SCHEMA), of_wallet(ledger_schema))
    app.state.marks, app.state.on_finding, app.state.checkpoint_key = marks, on_finding, checkpoint_key
    routers = all_routers()
    stand_guard(app, [route for each in routers for route in each.routes], callers, record=app.state.reads.record)
    for each in routers:
        app.include_router(each)
    app.openapi = lambda: _document(app)  # type: ignore[method-assign]
    return app


def _document(app: FastAPI) -> dict[str, Any]:
    if app.openapi_schema is None:
        document = get_openapi(title=app.title, version=app.version, summary=app.summary, routes=app.routes)
        add_schemas(document, schemas())
        app.openapi_schema = with_security(document)
    return app.openapi_schema
