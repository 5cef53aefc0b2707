"""What the demo shows at the end: the trial balance, rake by table, statements, and whether it all agrees."""

import asyncio
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from rich.console import Console
from rich.table import Table

from services.cli.demo.books import Books
from services.cli.demo.run import Demo
from services.cli.demo.statistics import Statistics, percentile

STATEMENTS = 5
_SETTLE_S = 30.0


async def settled(books: Books) -> dict[str, Any]:
    """The trial balance once every fact is in the books and nothing is in transit any more, or after half a minute."""
    loop = asyncio.get_running_loop()
    give_up = loop.time() + _SETTLE_S
    while True:
        balance = await books.trial_balance()
        open_money = [group for group in balance["groups"] if group["group"] in OPEN_GROUPS and group["balance"]]
        if (await books.lag() == 0 and not open_money) or loop.time() > give_up:
            return balance
        await asyncio.sleep(0.3)


OPEN_GROUPS = ("stack", "pot", "round", "bank", "in-transit")
"""Money on its way: none of it may be left when all tables are closed."""


async def report(demo: Demo, console: Console) -> list[str]:
    """Prints everything; the sentences returned say what does not agree."""
    books = Books(demo.house.wallet_url)
    try:
        balance = await settled(books)
        console.print(_trial_balance(balance))
        hold = await books.banked_hold()
        against_the_house = {row["table"] for row in hold}
        console.print(_rake([row for row in await books.rake_accounts() if row["table"] not in against_the_house]))
        console.print(_hold(hold))
        chosen = [bot.name for bot in demo.bots[: STATEMENTS * 7 : 7]]
        chosen += [bot.name for bot in demo.house_bots[::3]]
        console.print(_statements([(player, await books.statements(player)) for player in chosen]))
    finally:
        await books.close()
    _figures(demo.statistics, console)
    return _problems(demo, balance)


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
    grid = Table(title="Trial balance", title_justify="left")
    grid.add_column("accounts of kind")
    grid.add_column("number", justify="right")
    grid.add_column("balance", justify="right")
    grid.add_column("currency")
    for group in balance["groups"]:
        grid.add_row(group["group"], str(group["accounts"]), money(group["balance"]), group["currency"])
    grid.add_section()
    for currency, difference in sorted(balance["difference"].items()):
        grid.add_row("sum", "", money(difference), currency, style="bold")
    grid.caption = (
        f"{balance['transfers']} transfers; {balance['unbalanced_accounts']} accounts differ from their transfers"
    )
    return grid


def _rake(rows: list[dict[str, Any]]) -> Table:
    grid = Table(title="Rake by table", title_justify="left")
    for heading in ("table", "rulebook"):
        grid.add_column(heading)
    for heading in ("hands", "raked", "exempt", "void", "rake", "commission"):
        grid.add_column(heading, justify="right")
    grid.add_column("currency")
    for row in rows:
        counts = (str(row[name]) for name in ("hands", "hands_raked", "hands_exempt", "hands_void"))
        grid.add_row(
            row["table"], row["rulebook"], *counts, money(row["rake"]), money(row["commission"]), row["currency"]
        )
    return grid


def _hold(rows: list[dict[str, Any]]) -> Table:
    """What the house won at its tables, beside what theory says of the same handle."""
    grid = Table(title="Hold by table", title_justify="left")
    grid.add_column("table")
    for heading in ("rounds", "void", "drop", "handle", "win", "hold", "in theory", "of handle", "commission"):
        grid.add_column(heading, justify="right")
    grid.add_column("currency")
    for row in rows:
        amounts = (money(row[name]) for name in ("drop", "handle", "win"))
        theory = (money(row["theoretical"]), share(row["theoretical_bp"]), money(row["commission"]))
        counts = (str(row["rounds"]), str(row["rounds_void"]))
        grid.add_row(row["table"], *counts, *amounts, share(row["hold_bp"]), *theory, row["currency"])
    return grid


def _statements(players: list[tuple[str, list[dict[str, Any]]]]) -> Table:
    grid = Table(title="Session statements", title_justify="left")
    grid.add_column("player")
    grid.add_column("from")
    grid.add_column("to")
    for heading in ("hands", "staked", "won", "rake", "commission", "profit or loss"):
        grid.add_column(heading, justify="right")
    grid.add_column("currency")
    for player, sessions in players:
        for session in sessions:
            for total in session["totals"]:
                amounts = (money(total[name]) for name in ("staked", "won", "rake", "commission", "result"))
                grid.add_row(
                    player,
                    _clock(session["start"]),
                    _clock(session["end"]),
                    str(total["hands"]),
                    *amounts,
                    total["currency"],
                )
    return grid


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


def share(basis_points: int | None) -> str:
    """Basis points as people write them: `-1470` is `-14.70 %`."""
    return "–" if basis_points is None else f"{money(basis_points)} %"


def money(amount: int | None) -> str:
    """Minor units as people write them; no float comes near."""
    if amount is None:
        return "–"
    sign = "-" if amount < 0 else ""
    return f"{sign}{abs(amount) // 100:,}.{abs(amount) % 100:02d}"


def _clock(at: int | None) -> str:
    return "–" if at is None else datetime.fromtimestamp(at // 1000, UTC).strftime("%H:%M:%S")
