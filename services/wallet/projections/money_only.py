"""Keeps tournament chips out of the books: events of tournament tables do not reach projections of money."""

from collections.abc import Sequence

from libs.projecting import Connection, Projection, Told
from services.wallet.projections.tables import Tables


class MoneyOnly:
    """The projection behind it, without the facts of tournament tables (mo-97-2010 4.2)."""

    def __init__(self, projection: Projection, tables: Tables) -> None:
        self._projection = projection
        self._tables = tables

    @property
    def name(self) -> str:
        return self._projection.name

    async def apply(self, connection: Connection, facts: Sequence[Told]) -> None:
        of_money = [fact for fact in facts if self._tables.has_money(fact[1])]
        if of_money:
            await self._projection.apply(connection, of_money)
