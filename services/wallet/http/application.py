"""The wallet's read API: accounts, statements, rake accounts, trial balance. Inside the house only."""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Annotated

from fastapi import APIRouter, Depends, FastAPI, Path, Query, Response

from libs.contracts.texts import ID
from libs.contracts.wallet_answers import (
    BEHIND,
    LATEST,
    AccountBalance,
    Sessions,
    SessionsBefore,
    SessionStatement,
)
from libs.edge.api import api
from libs.edge.problems import Problem
from libs.identity.access import Access
from libs.identity.callers import Callers
from libs.identity.guard import guarded, open_to, stand_guard, with_security
from libs.identity.reads import Reads, of_wallet
from libs.projecting import Completeness, Connection, OpenGap, Pool, completeness, open_gaps, parked_count
from libs.projecting.row_marks import Marks
from libs.projecting.writings import ForeignWriting, Writings
from services.wallet.projections import BOOKS, SCHEMA, balances, hold, statements
from services.wallet.projections.balances import RakeAccount, TrialBalance
from services.wallet.projections.chart import Book
from services.wallet.projections.hold import TableHold

Player = Annotated[str, Path(min_length=1, max_length=64, pattern=f"^{ID}$")]
AfterTable = Annotated[
    str, Query(max_length=64, description="tables whose id comes behind it; the last one shown: the next page")
]
OfTables = Annotated[int, Query(ge=1, le=1000, description="of tables, at most so many")]

_ACCOUNTS = open_to(Access(("cashier", "support", "security", "auditor"), ("reports", "house"), person=True))
_BOOKS = open_to(Access(("cashier", "auditor"), ("reports",), whole=True))
_FIGURES = open_to(Access(("floor", "cashier", "auditor"), ("reports",), whole=True))
_MONEY = ("balances", "transfers")
_UPKEEP = open_to(Access(("auditor", "administrator"), ("reports",), whole=True))


def application(
    pool: Pool,
    callers: Callers,
    marks: Marks,
    docs: bool = True,
    writings: Writings | None = None,
    lag: Callable[[], int | None] = lambda: 0,
) -> FastAPI:
    """`marks`: the wallet's, for the trail of who looks. `writings`: show nothing that somebody else wrote. `lag`:
    records that this process has not booked; None where nobody knows."""
    app = api("Croupier wallet", docs, summary="The books, read only.")
    routes = routes_of(pool, writings, lag)
    stand_guard(app, routes.routes, callers, record=Reads(pool, marks, of_wallet(SCHEMA)).record)
    app.include_router(routes)
    app.openapi = lambda: with_security(FastAPI.openapi(app))  # type: ignore[method-assign]
    return app


def routes_of(pool: Pool, writings: Writings | None = None, lag: Callable[[], int | None] = lambda: 0) -> APIRouter:
    """Every path, with who may ask it. 500 `record-not-true` where somebody else wrote to a table that is asked."""

    @asynccontextmanager
    async def asking(*tables: str) -> AsyncIterator[Connection]:
        async with pool.acquire() as connection:
            yield connection
            if writings is not None:
                await _check(writings, connection, tables)

    router = APIRouter(prefix="/v1", dependencies=[Depends(guarded)])

    @router.get("/players/{player}/accounts", openapi_extra=_ACCOUNTS)
    async def accounts(player: Player, response: Response, book: Book = "real") -> list[AccountBalance]:
        """A player's money by currency, at the wallet and at tables.

        The header `croupier-books-behind` says how many records of the log are not booked yet.
        """
        behind = lag()
        said = {BEHIND: "unknown" if behind is None else str(behind)}
        async with asking(*_MONEY, "sittings") as connection:
            found = await balances.account(connection, player, book)
        if not found:
            raise Problem(404, "unknown-player", "The books know no account of this player.", headers=said)
        response.headers.update(said)
        return found

    @router.get("/players/{player}/statements", openapi_extra=_ACCOUNTS)
    async def session_statements(
        player: Player, book: Book = "real", before: SessionsBefore = LATEST, limit: Sessions = 50
    ) -> list[SessionStatement]:
        """Sessions, newest first (pt-811-2015 67).

        410 `archived` where there are none but in an archive, with the latest month of them: not an empty page.
        """
        async with asking("sittings", "session_fees", "void_rounds") as connection:
            found = await statements.statement(connection, player, book, before, limit)
            month = None if found else await statements.archived(connection, player, book, before)
        if month is not None:
            detail = f"What this player did up to {month} is in the archive; staff can have it read."
            raise Problem(410, "archived", detail, month=month)
        return found

    @router.get("/trial-balance", openapi_extra=_BOOKS)
    async def trial_balance(book: Book = "real") -> TrialBalance:
        """Sums of all accounts, from balances and from transfers, as they are kept with each of them."""
        async with asking(*_MONEY) as connection:
            return await balances.trial_balance(connection, book)

    @router.get("/totals", openapi_extra=_BOOKS)
    async def totals(book: Book = "real") -> dict[str, int]:
        """Sum over all accounts by currency: zero, always."""
        async with asking(*_MONEY) as connection:
            return await balances.totals(connection, book)

    @router.get("/rake-accounts", openapi_extra=_FIGURES)
    async def rake_accounts(book: Book = "real", after: AfterTable = "", limit: OfTables = 1000) -> list[RakeAccount]:
        """What tables and tournaments took, by their id; what one of them has under several rulebooks is together."""
        async with asking("rake_accounts") as connection:
            return await balances.rake_accounts(connection, book, after, limit)

    @router.get("/banked-hold", openapi_extra=_FIGURES)
    async def banked_hold(book: Book = "real", after: AfterTable = "", limit: OfTables = 1000) -> list[TableHold]:
        """Tables against the house by their id: drop, handle, win in fact and in theory, bank."""
        async with asking(*_MONEY, "banked_tables", "banked_handle") as connection:
            return await hold.banked_hold(connection, book, after, limit)

    @router.get("/completeness", openapi_extra=_UPKEEP)
    async def complete() -> list[Completeness]:
        """Position, count and digest per partition, to be compared with the log."""
        async with asking("positions") as connection:
            return await completeness(connection, BOOKS)

    @router.get("/gaps", openapi_extra=_UPKEEP)
    async def gaps() -> dict[str, list[OpenGap] | int]:
        async with asking("streams", "parked") as connection:
            return {"open": await open_gaps(connection, BOOKS), "parked": await parked_count(connection, BOOKS)}

    return router


async def _check(writings: Writings, connection: Connection, tables: Sequence[str]) -> None:
    try:
        await writings.check(connection, tables)
    except ForeignWriting as wrong:
        said = "Somebody wrote to these books by hand, so they are not shown. The auditor has an incident of it."
        raise Problem(500, "record-not-true", said, writing=str(wrong)) from None
