"""One demo from its start to its report, step by step."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from random import Random
from typing import TypeVar

from rich.console import Console
from rich.live import Live

from libs.client import Operator, Staff
from libs.client.http import Answer
from services.cli.demo.books import Books
from services.cli.demo.bots import Bot, Guest, HouseBot
from services.cli.demo.display import line, picture
from services.cli.demo.statistics import Kill, Statistics, Watcher
from services.cli.demo.tables import BANK_TOP_UP, DemoTable, banked_tables, demo_tables
from services.cli.demo.tournament import Pace, TournamentNight
from services.cli.house import House

NAMES = ("ana", "bruno", "carla", "duarte", "eva")
"""Five bots a table, one seat stays free."""
HOUSE_NAMES = NAMES[:3]
"""Against the house."""
BANKROLL_BUY_INS = 100
KILL_AT = 0.4
"""Share of the goal after which the table service is killed."""
_RESTLESS_EVERY = 3
_PATIENCE_S = 60.0
GuestT = TypeVar("GuestT", bound=Guest)


class DemoFailed(RuntimeError):
    """The demo could not go on; one sentence."""


@dataclass(slots=True)
class Demo:
    house: House
    console: Console
    hands: int
    longest_s: float
    entrants: int = 45
    """Of the tournament."""
    think_s: float = 0.0
    """Before each act at the cash tables."""
    statistics: Statistics = field(default_factory=Statistics)
    tables: list[DemoTable] = field(default_factory=list)
    banked_tables: list[DemoTable] = field(default_factory=list)
    bots: list[Bot] = field(default_factory=list)
    house_bots: list[HouseBot] = field(default_factory=list)
    watcher: Watcher | None = None
    night: TournamentNight = field(init=False)

    def __post_init__(self) -> None:
        pace = Pace(level_ms=12_000, stack=3_000, rebuys_ms=12_000, hand_for_hand_at=5)
        # Hand-for-hand is for several tables: where few play, tables are small.
        paid, seats = max(1, round(self.entrants * 8 / 45)), 9 if self.entrants >= 30 else 3
        self.night = TournamentNight(
            self.house, players=self.entrants, seats=seats, paid=paid, kills=("tournament",), pace=pace
        )

    async def play(self) -> None:
        """Opens, plays until enough hands are dealt and the tournament is over, kills the table service on the way, and
        the tournament service in hand-for-hand; closes."""
        self.tables, self.banked_tables = demo_tables(), banked_tables()
        async with Operator(self.house.gateway_url, self.house.operator_token) as operator:
            await self._open(operator)
            async with self._house_full():
                await self._play_until_done()
                await self._close(operator)

    @property
    def _all_tables(self) -> list[DemoTable]:
        return [*self.tables, *self.banked_tables]

    @property
    def _all_bots(self) -> list[Guest]:
        return [*self.bots, *self.house_bots]

    # Before

    async def _open(self, operator: Operator) -> None:
        async with Staff(self.house.gateway_url, await self.house.log_in("supervisor")) as supervisor:
            for table in self._all_tables:
                # A table against the house plays with the house's money, which no machine moves.
                desk = supervisor if table.bank else operator
                answer = await desk.open_table(
                    table.table, table.name, table.rulebook, table.configuration, bank=table.bank
                )
                if not answer.accepted:
                    raise DemoFailed(f"{table.name} was not opened: {answer.reason} {answer.detail}")
            async with Staff(self.house.gateway_url, await self.house.log_in("cashier")) as cashier:
                for table in self.banked_tables:
                    await self._fill_bank(supervisor, cashier, table)
        dice = Random()
        for name in NAMES:
            for table in self.tables:
                bot = await self._welcome(Bot, operator, table, name, dice)
                bot.think_s = self.think_s
                bot.restless = dice.randint(15, 60) if len(self.bots) % _RESTLESS_EVERY == 0 else None
                self.bots.append(bot)
        for table in self.banked_tables:
            self.house_bots += [await self._welcome(HouseBot, operator, table, name, dice) for name in HOUSE_NAMES]
        await asyncio.gather(*(self._fund(operator, bot) for bot in self._all_bots))
        spectator = await operator.open_session("spectator")
        names = [table.table for table in self._all_tables]
        self.watcher = Watcher(self.house.gateway_url, spectator.token, names, self.statistics)

    async def _welcome(
        self, kind: type[GuestT], operator: Operator, table: DemoTable, name: str, dice: Random
    ) -> GuestT:
        name, own = f"{name}-{table.table}", Random(dice.random())
        session = await operator.open_session(name)
        return kind(name, self.house.gateway_url, session.token, table.table, table.buy_in, self.statistics, own)

    async def _fill_bank(self, supervisor: Staff, cashier: Staff, table: DemoTable) -> None:
        """The opening, and more than that: one of the staff asks, another one approves."""
        change = f"{table.table}-1"
        steps: tuple[Callable[[], Awaitable[Answer]], ...] = (
            lambda: cashier.approve_bank_change(table.table, "opening", "top_up", table.bank),
            lambda: supervisor.request_bank_change(table.table, change, "top_up", BANK_TOP_UP, "a busy evening"),
            lambda: cashier.approve_bank_change(table.table, change, "top_up", BANK_TOP_UP),
        )
        for step in steps:
            answer = await step()
            if not answer.accepted:
                raise DemoFailed(f"the bank of {table.name} was not filled: {answer.reason}")

    async def _fund(self, operator: Operator, bot: Guest) -> None:
        currency = next(table.currency for table in self._all_tables if table.table == bot.table)
        await operator.open_account(bot.name, currency)
        answer = await operator.deposit(bot.name, f"{bot.name}-1", BANKROLL_BUY_INS * bot.buy_in, currency)
        if not answer.accepted:
            raise DemoFailed(f"no deposit for {bot.name}: {answer.reason}")

    # While it runs

    @asynccontextmanager
    async def _house_full(self) -> AsyncIterator[None]:
        """Bots at the tables, a spectator, somebody who reads the books."""
        assert self.watcher is not None
        stop = asyncio.Event()
        books = Books(self.house.reader("wallet"), self.house.processes["wallet"])
        aside = [asyncio.create_task(self.watcher.watch()), asyncio.create_task(books.follow(self.statistics))]
        await self.watcher.watching.wait()
        self.statistics.started = time.monotonic()
        playing = [asyncio.create_task(bot.play(stop)) for bot in self._all_bots]
        try:
            yield
            stop.set()
            await asyncio.wait(playing, timeout=_PATIENCE_S)
        finally:
            for task in (*playing, *aside):
                task.cancel()
            results = await asyncio.gather(*playing, *aside, return_exceptions=True)
            await books.close()
        for result in results:
            if isinstance(result, Exception):
                raise result

    async def _play_until_done(self) -> None:
        killer = asyncio.create_task(self._kill_and_restart())
        tournament = asyncio.create_task(self.night.play(self.longest_s))
        with Live(console=self.console, refresh_per_second=4, transient=False) as live:
            said = time.monotonic()
            while not (self._done() and tournament.done()):
                if self.console.is_terminal:
                    live.update(picture(self.statistics, self._all_tables, self.hands))
                elif time.monotonic() - said >= 5:
                    said = time.monotonic()
                    live.console.print(line(self.statistics, self.hands))
                await asyncio.sleep(0.25)
            live.update(picture(self.statistics, self._all_tables, self.hands))
        await killer
        await tournament

    def _done(self) -> bool:
        if self.statistics.elapsed_s > self.longest_s:
            raise DemoFailed(f"{self.statistics.total_hands} of {self.hands} hands after {self.longest_s:.0f} s")
        kill = self.statistics.kill
        survived = kill is not None and len(kill.finished) + len(kill.voided) == len(kill.hands)
        everywhere = all(self.statistics.rounds[table.table] for table in self.banked_tables)
        return self.statistics.total_hands >= self.hands and survived and everywhere

    async def _kill_and_restart(self) -> None:
        """SIGKILL while hands run, then the same process again, as Kubernetes would."""
        while self.statistics.total_hands < KILL_AT * self.hands or not self.statistics.running:
            await asyncio.sleep(0.02)
        self.statistics.kill = Kill(time.monotonic(), dict(self.statistics.running))
        await self.house.processes["table"].kill()
        await self.house.processes["table"].start()

    # After

    async def _close(self, operator: Operator) -> None:
        """Every hand is played to its end, every stack goes home, no funds stay reserved."""
        for table in self._all_tables:
            await operator.close_table(table.table, "end of the demo")
        with suppress(TimeoutError):
            async with asyncio.timeout(_PATIENCE_S):
                while await self._still_open(operator):
                    await asyncio.sleep(0.2)
                return
        raise DemoFailed("tables did not close in time")

    async def _still_open(self, operator: Operator) -> bool:
        ours = {table.table for table in self._all_tables}
        return any(row["table"] in ours and row["status"] != "closed" for row in await operator.tables())
