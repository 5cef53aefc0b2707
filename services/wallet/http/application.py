"""The wallet's read API: accounts, statements, rake accounts, trial balance. Inside the house only."""

from collections.abc import Mapping
from typing import Annotated

from fastapi import APIRouter, FastAPI, Path
from fastapi_offline import FastAPIOffline

from libs.contracts.wallet_answers import AccountBalance, SessionStatement
from libs.edge.handlers import add_edge
from libs.edge.health import Check, health_routes
from libs.edge.problems import Problem
from libs.projecting import Completeness, OpenGap, Pool, completeness, open_gaps, parked_count
from services.wallet.projections import BOOKS, balances, hold, statements
from services.wallet.projections.balances import RakeAccount, TrialBalance
from services.wallet.projections.chart import Book
from services.wallet.projections.hold import TableHold

Player = Annotated[str, Path(min_length=1, max_length=64)]


def application(pool: Pool, checks: Mapping[str, Check], told: Mapping[str, Check] = {}) -> FastAPI:
    app = FastAPIOffline(title="Croupier wallet", version="1", summary="The books, read only.")
    add_edge(app)
    app.router.routes.extend(health_routes(checks, told))
    routes = _routes(pool)
    app.include_router(routes, prefix="/v1")
    return app


def _routes(pool: Pool) -> APIRouter:
    router = APIRouter()

    @router.get("/players/{player}/accounts")
    async def accounts(player: Player, book: Book = "real") -> list[AccountBalance]:
        """A player's money by currency, at the wallet and at tables."""
        async with pool.acquire() as connection:
            found = await balances.account(connection, player, book)
        if not found:
            raise Problem(404, "unknown-player", "The books know no account of this player.")
        return found

    @router.get("/players/{player}/statements")
    async def session_statements(player: Player) -> list[SessionStatement]:
        """Sessions for real money, newest first (pt-811-2015 67)."""
        async with pool.acquire() as connection:
            return await statements.statement(connection, player)

    @router.get("/trial-balance")
    async def trial_balance(book: Book = "real") -> TrialBalance:
        """Sums of all accounts, from balances and from transfers."""
        async with pool.acquire() as connection:
            return await balances.trial_balance(connection, book)

    @router.get("/totals")
    async def totals(book: Book = "real") -> dict[str, int]:
        """Sum over all accounts by currency: zero, always."""
        async with pool.acquire() as connection:
            return await balances.totals(connection, book)

    @router.get("/rake-accounts")
    async def rake_accounts(book: Book = "real") -> list[RakeAccount]:
        async with pool.acquire() as connection:
            return await balances.rake_accounts(connection, book)

    @router.get("/banked-hold")
    async def banked_hold(book: Book = "real") -> list[TableHold]:
        """Tables against the house: drop, handle, win in fact and in theory, bank."""
        async with pool.acquire() as connection:
            return await hold.banked_hold(connection, book)

    @router.get("/completeness")
    async def complete() -> list[Completeness]:
        """Position, count and digest per partition, to be compared with the log."""
        async with pool.acquire() as connection:
            return await completeness(connection, BOOKS)

    @router.get("/gaps")
    async def gaps() -> dict[str, list[OpenGap] | int]:
        async with pool.acquire() as connection:
            return {"open": await open_gaps(connection, BOOKS), "parked": await parked_count(connection, BOOKS)}

    return router
