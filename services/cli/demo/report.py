"""What the demo shows at the end: the trial balance, rake by table, statements, and whether it all agrees."""

import asyncio
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from rich.console import Console
from rich.table import Table

from services.cli.demo.books import Books
from services.cli.demo.display import grid, money, share
from services.cli.demo.run import Demo
from services.cli.demo.statistics import Statistics, percentile
from services.cli.demo.tournament import BUY_IN, TournamentNight

STATEMENTS = 5
_SETTLE_S = 30.0


async def settled(books: Books) -> dict[str, Any]:
    """The trial balance once every fact is in the books and nothing is in transit any more, or after half a minute."""
    loop = asyncio.get_running_loop()
    give_up = loop.time() + _SETTLE_S
    while True:
        balance: dict[str, Any] = await books.get("trial-balance")
        open_money = [group for group in balance["groups"] if group["group"] in OPEN_GROUPS and group["balance"]]
        if (await books.lag() == 0 and not open_money) or loop.time() > give_up:
            return balance
        await asyncio.sleep(0.3)


OPEN_GROUPS = (
    "stack", "pot", "round", "bank", "in-transit", "tournament-prize", "tournament-fee", "tournament-bounty",
)  # fmt: skip
"""Money on its way: none of it may be left when all tables are closed."""


async def report(demo: Demo, console: Console) -> list[str]:
    """Prints everything; the sentences returned say what does not agree."""
    books = Books(demo.house.reader("wallet"), demo.house.processes["wallet"])
    try:
        balance = await settled(books)
        console.print(_trial_balance(balance))
        hold = await books.get("banked-hold")
        against_the_house = {row["table"] for row in hold}
        console.print(_rake([row for row in await books.get("rake-accounts") if row["table"] not in against_the_house]))
        console.print(_hold(hold))
        chosen = [bot.name for bot in demo.bots[: STATEMENTS * 7 : 7]]
        chosen += [bot.name for bot in demo.house_bots[::3]]
        console.print(_statements([(player, await books.get(f"players/{player}/statements")) for player in chosen]))
    finally:
        await books.close()
    _figures(demo.statistics, console)
    _tournament(demo.night, console)
    return _problems(demo, balance) + demo.night.problems


async def check(command: Sequence[str], console: Console) -> bool:
    """Runs `croupier …` and shows what it says; True when it found nothing."""
    console.rule(f"croupier {' '.join(command)}", align="left")
    process = await asyncio.create_subprocess_exec(sys.executable, "-m", "services.cli", *command)
    return await process.wait() == 0


def _problems(demo: Demo, balance: dict[str, Any]) -> list[str]:
    statistics, kill = demo.statistics, demo.statistics.kill
    assert demo.watcher is not None
    found = []
    if not balance["balanced"]:
        found.append("the ledger does not balance")
    found += [
        f"{group['balance']} {group['currency']} left in {group['group']} accounts"
        for group in balance["groups"]
        if group["group"] in OPEN_GROUPS and group["balance"]
    ]
    if kill is None:
        found.append("the table service was never killed")
    elif kill.voided or statistics.voided:
        found.append(f"{statistics.voided} hands were void")
    elif kill.finished != set(kill.hands):
        found.append("a hand that ran at the kill did not finish")
    if demo.watcher.started_twice:
        found.append(f"hands started twice: {demo.watcher.started_twice}")
    return found


def _trial_balance(balance: dict[str, Any]) -> Table:
    groups = balance["groups"]
    rows = ((each["group"], str(each["accounts"]), money(each["balance"]), each["currency"]) for each in groups)
    made = grid("Trial balance", "accounts of kind", "number, balance, currency", rows)
    made.add_section()
    for currency, difference in sorted(balance["difference"].items()):
        made.add_row("sum", "", money(difference), currency, style="bold")
    made.caption = (
        f"{balance['transfers']} transfers; {balance['unbalanced_accounts']} accounts differ from their transfers"
    )
    return made


def _rake(rows: list[dict[str, Any]]) -> Table:
    cells = (
        (row["table"], row["rulebook"],
         *(str(row[name]) for name in ("hands", "hands_raked", "hands_exempt", "hands_void")),
         *(money(row[name]) for name in ("rake", "commission", "fees", "tips")), row["currency"])
        for row in rows
    )  # fmt: skip
    figures = "hands, raked, exempt, void, rake, commission, fees, tips, currency"
    return grid("Rake by table", "table, rulebook", figures, cells)


def _hold(rows: list[dict[str, Any]]) -> Table:
    """What the house won at its tables, beside what theory says of the same handle."""
    cells = (
        (row["table"], str(row["rounds"]), str(row["rounds_void"]),
         *(money(row[name]) for name in ("drop", "handle", "win")), share(row["hold_bp"]),
         money(row["theoretical"]), share(row["theoretical_bp"]), money(row["commission"]), row["currency"])
        for row in rows
    )  # fmt: skip
    figures = "rounds, void, drop, handle, win, hold, in theory, of handle, commission, currency"
    return grid("Hold by table", "table", figures, cells)


def _statements(players: list[tuple[str, list[dict[str, Any]]]]) -> Table:
    cells = (
        (player, _clock(session["start"]), _clock(session["end"]), str(total["hands"]),
         *(money(total[name]) for name in ("staked", "won", "rake", "commission", "result")), total["currency"])
        for player, sessions in players for session in sessions for total in session["totals"]
    )  # fmt: skip
    figures = "hands, staked, won, rake, commission, profit or loss, currency"
    return grid("Session statements", "player, from, to", figures, cells)


def _figures(statistics: Statistics, console: Console) -> None:
    p50, p99 = (percentile(statistics.seconds, share) * 1000 for share in (0.5, 0.99))
    console.print(
        f"{statistics.total_hands} hands, {statistics.rounds.total()} rounds and {statistics.acts} acts in "
        f"{statistics.elapsed_s:.0f} s; "
        f"an act came back in {p50:.1f} ms (p50), {p99:.1f} ms (p99); "
        f"{statistics.left} times somebody left, {statistics.returned} times somebody came back."
    )
    if statistics.rejections:
        said = ", ".join(f"{reason} {count}" for reason, count in statistics.rejections.most_common())
        console.print(f"Refused on the way: {said}.")
    kill = statistics.kill
    if kill is not None:
        back = "never" if kill.back_after_s is None else f"{kill.back_after_s:.2f} s"
        console.print(
            f"SIGKILL of the table service with {len(kill.hands)} hands and rounds in progress: "
            f"next accepted act after {back}; "
            f"{len(kill.finished)} of these hands went on to their end, {len(kill.voided)} were void."
        )


def _tournament(night: TournamentNight, console: Console) -> None:
    page = night.page
    results, pool = page.get("results") or [], page.get("pool") or 0
    rebuys = pool // BUY_IN["prize"] - night.players
    won = ", ".join(f"{result['player']} {money(result['prize'])}" for result in results[:3])
    console.print(
        f"Tournament: {page.get('entries')} players, {rebuys} rebuys, a pool of "
        f"{money(pool)} EUR over {night.paid} places: {won}; "
        f"SIGKILL of {', '.join(night.killed) or 'nothing'} in hand-for-hand."
    )


def _clock(at: int | None) -> str:
    return "–" if at is None else datetime.fromtimestamp(at // 1000, UTC).strftime("%H:%M:%S")
