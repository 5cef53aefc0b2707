"""Races of money: everything that might count twice, asked at the same moment at two gateways."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager

from libs.client import Answer, Operator, Player, ProblemReply
from libs.client.http import new_key
from services.cli.demo.tables import DemoTable, demo_tables
from tests.attack.rows import Row
from tests.attack.scene import SECOND_GATEWAY, Scene
from tests.e2e.evening import croupier

BROUGHT = 100_000
_PARALLEL = 20
_PORTO: DemoTable = demo_tables()[2]
Asked = Awaitable[Answer]


async def races(scene: Scene) -> Row:
    """Nobody sits with a racer, so no hand moves a cent: what is brought is what is there in the end."""
    row = Row("races of money at two gateways", found_by="the wallet, by reference, key and balance")
    async with Operator(scene.house.processes[SECOND_GATEWAY].url, scene.house.operator_token) as other:
        desks = (scene.operator, other)
        rounds = max(1, round(4 * scene.share))
        for number in range(rounds):
            await _one_reference(row, desks, f"racer-{number}")
            await _many_accounts(row, desks, number)
            await _one_key(row, desks, number)
            await _more_than_there_is(row, desks, number)
        for number in range(rounds):
            await _sitting(scene, row, number)
            await _one_key_at_two_tables(scene, row, number)
    return row


async def _all(row: Row, what: str, asked: Sequence[Asked]) -> int:
    """How many were accepted of all at once."""
    accepted = 0
    for told in await asyncio.gather(*asked, return_exceptions=True):
        if isinstance(told, ProblemReply):
            row.heard(f"{told.status} {told.slug}")
            row.expect(told.status < 500, f"{what}: {told.status} {told.slug}")
        elif isinstance(told, BaseException):
            row.heard(type(told).__name__)
            row.wrong(f"{what}: {type(told).__name__}")
        else:
            row.heard(told.reason or told.verdict)
            accepted += told.accepted
    return accepted


async def _available(desk: Operator, player: str) -> int:
    """By the books, which may not know of an account yet."""
    try:
        accounts = await desk.account(player)
    except ProblemReply as problem:
        if problem.status == 404:
            return 0
        raise
    return sum(account["available"] for account in accounts if account["currency"] == "EUR")


async def _has(row: Row, desk: Operator, player: str, amount: int, what: str) -> None:
    """The books come to it."""
    for _ in range(100):
        there = await _available(desk, player)
        if there == amount:
            return
        await asyncio.sleep(0.1)
    row.wrong(f"{what}: {there} cents in place of {amount}")


async def _one_reference(row: Row, desks: Sequence[Operator], player: str) -> None:
    assert (await desks[0].open_account(player)).accepted
    reference = f"{player}-once"
    await _all(row, "one reference", [desks[each % 2].deposit(player, reference, BROUGHT) for each in range(_PARALLEL)])
    await _has(row, desks[0], player, BROUGHT, "one reference, many at once")
    changed = [desks[each % 2].deposit(player, reference, BROUGHT + 1 + each) for each in range(4)]
    row.expect(not await _all(row, "another amount", changed), "a reference counted again with another amount")
    await _has(row, desks[0], player, BROUGHT, "a reference with another amount")


async def _many_accounts(row: Row, desks: Sequence[Operator], number: int) -> None:
    players = [f"racer-{number}-{each}" for each in range(6)]
    for player in players:
        assert (await desks[0].open_account(player)).accepted
    asked = [desks[each % 2].deposit(player, f"shared-{number}", 700) for each, player in enumerate(players)]
    accepted = await _all(row, "one reference, many accounts", asked)
    row.expect(accepted == 1, f"one reference counted at {accepted} accounts")
    await asyncio.sleep(1.0)
    total = sum([await _available(desks[0], player) for player in players])
    row.expect(total == 700, f"one reference moved {total} cents in place of 700")


async def _one_key(row: Row, desks: Sequence[Operator], number: int) -> None:
    """One idempotency key, at both gateways at once; then for another account."""
    one, two, key = f"racer-{number}-key-1", f"racer-{number}-key-2", new_key()
    for player in (one, two):
        assert (await desks[0].open_account(player)).accepted
    await _all(row, "one key", [desks[each % 2].deposit(one, f"{one}-a", 900, key=key) for each in range(_PARALLEL)])
    await _has(row, desks[0], one, 900, "one key, many at once")
    await _all(row, "one key, another wish", [desk.deposit(two, f"{two}-b", 900, key=key) for desk in desks])
    await _has(row, desks[0], one, 900, "one key for another account")


async def _more_than_there_is(row: Row, desks: Sequence[Operator], number: int) -> None:
    """Each withdrawal takes all: one is paid."""
    player = f"racer-{number}-all"
    assert (await desks[0].open_account(player)).accepted
    assert (await desks[0].deposit(player, f"{player}-in", BROUGHT)).accepted
    asked = [desks[each % 2].withdraw(player, f"{player}-{each}", BROUGHT) for each in range(_PARALLEL)]
    paid = await _all(row, "withdrawals of all", asked)
    row.expect(paid == 1, f"{paid} withdrawals of all were paid")
    await _has(row, desks[0], player, 0, "withdrawals of all")


async def _open(scene: Scene, table: str) -> None:
    configuration = {**_PORTO.configuration, "rake_mode": "pot", "rake_bp": 500}
    opened = await scene.operator.open_table(table, f"Race {table}", _PORTO.rulebook, configuration)
    assert opened.accepted, opened


@asynccontextmanager
async def _racer(scene: Scene, player: str, table: str) -> AsyncIterator[list[Player]]:
    """One player over two connections, one at each gateway, with money and a table of their own."""
    await _open(scene, table)
    token = await scene.player(player, BROUGHT)
    async with AsyncExitStack() as stack:
        both = []
        for gateway in ("gateway", SECOND_GATEWAY):
            it = await stack.enter_async_context(Player(scene.house.processes[gateway].url, token))
            await it.subscribe(table)
            both.append(it)
        yield both


async def _sitting(scene: Scene, row: Row, number: int) -> None:
    """Seats, withdrawals, top-ups and leaving at once, again and again."""
    name, table = f"sitter-{number}", f"race-{number}"
    desk = scene.operator
    async with _racer(scene, name, table) as (one, two):
        await _has(row, desk, name, BROUGHT, "a deposit")
        for again in range(3):
            reference = f"{name}-{again}"
            seats = [each.take_seat(table, 10_000) for each in (one, two)]
            paid = await _all(row, "a withdrawal of all and a seat", [*seats, desk.withdraw(name, reference, BROUGHT)])
            assert paid
            await _gone(one, table, name)
            if (await desk.withdraw(name, reference, BROUGHT)).accepted:
                await _has(row, desk, name, 0, "a withdrawal of all and a seat")
                assert (await desk.deposit(name, f"{reference}-back", BROUGHT)).accepted
            await _has(row, desk, name, BROUGHT, "a withdrawal of all and a seat")
            if not (await one.take_seat(table, 10_000)).accepted:
                row.wrong("no seat after a race")
                return
            await _sits(one, table, name)
            ends = [each.top_up(table, 5_000) for each in (one, two)] + [each.leave(table) for each in (one, two)]
            await _all(row, "a top-up and leaving, each twice", ends)
            await _gone(one, table, name)
            await _has(row, desk, name, BROUGHT, "a top-up and leaving, each twice")


async def _one_key_at_two_tables(scene: Scene, row: Row, number: int) -> None:
    """Seen: both sittings had one id, and the end of one freed what the other one was played with."""
    name, tables, key = f"double-{number}", (f"double-{number}-a", f"double-{number}-b"), new_key()
    await _open(scene, tables[1])
    async with _racer(scene, name, tables[0]) as players:
        await _has(row, scene.operator, name, BROUGHT, "a deposit")
        await players[1].subscribe(tables[1])
        pairs = list(zip(players, tables, strict=True))
        seats = [player.take_seat(table, 10_000, key=key) for player, table in pairs]
        seated = await _all(row, "one key at two tables", seats)
        await _has(row, scene.operator, name, BROUGHT - 10_000 * seated, "one key at two tables")
        for player, table in pairs:
            await _sits(player, table, name)
        await _gone(players[1], tables[1], name)
        await _has(row, scene.operator, name, BROUGHT - 10_000, "one of two sittings under one key ended")
        await _gone(players[0], tables[0], name)
        await _has(row, scene.operator, name, BROUGHT, "both sittings under one key ended")


async def _sits(player: Player, table: str, name: str) -> None:
    await player.until(lambda: (seat := player.tables[table].seat_of(name)) is not None and seat.stack > 0, 30)


async def _gone(player: Player, table: str, name: str) -> None:
    """Up from the table, whoever they are; asked again until it is so."""
    async with asyncio.timeout(60):
        while True:
            await player.leave(table)
            try:
                await player.until(lambda: player.tables[table].seat_of(name) is None, 5)
            except TimeoutError:
                continue
            return


async def to_the_cent(scene: Scene) -> Row:
    """After everything: tables close, all money is where the journals say, and the books made anew are the same."""
    row = Row(
        "the books after all that: `croupier verify`, `croupier rebuild --compare`", found_by="the auditor's checks"
    )
    for table in await scene.operator.tables():
        await scene.operator.close_table(table["table"], "end of the attack")
    async with asyncio.timeout(90):
        while any(each["status"] != "closed" for each in await scene.operator.tables()):
            await asyncio.sleep(0.2)
    await asyncio.sleep(1.0)
    commands = (("verify",), ("rebuild", "--compare"))
    reports = await asyncio.gather(*(croupier(scene.house, *command) for command in commands))
    for command, (status, report) in zip(commands, reports, strict=True):
        row.heard(f"{' '.join(command)}: {status}")
        row.expect(status == 0, f"{' '.join(command)}: {_told(report)}")
    return row


def _told(report: dict[str, object]) -> str:
    return str({name: value for name, value in report.items() if name in ("findings", "differences", "tables")})[:400]
