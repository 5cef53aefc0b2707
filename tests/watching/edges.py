"""Processes, groups and servers: those that end, come twice, or break within."""

import asyncio

import httpx

from libs.identity.purpose import PURPOSE
from tests.chaos.scene import PATIENCE_S
from tests.watching.drill import Drill

_SESSION_MS = "30000"


async def unowned(it: Drill) -> None:
    """A second table process is gone, and its group waits half a minute for it."""
    second = it.at.house.add("table", "table-2", CROUPIER_GROUP_SESSION_MS=_SESSION_MS)
    await second.start()
    await second.ready(PATIENCE_S)
    it.prometheus.aim()
    await asyncio.sleep(5)
    it.at.down.add("table-2")
    await second.kill()


async def without_second(it: Drill) -> None:
    process = it.at.house.processes.pop("table-2")
    if process.running:
        await process.kill()
    it.prometheus.aim()


async def two_owners(it: Drill) -> None:
    """A second process decides every partition, too, in a group of its own, which the broker's administrator let in."""
    second = it.at.house.add("table", "table-2", **it.at.stack.admin.environment())
    second.environment |= {"DRILL_WEAKENED": "beside"}
    second.through = ("tests.watching.weakened",)
    await second.start()
    it.prometheus.aim()


async def unacknowledged(it: Drill) -> None:
    """What the table service appends lands, and it is not told so; what it asks is answered."""
    it.at.relays["table"].acknowledges = False
    await asyncio.sleep(45)


async def acknowledged(it: Drill) -> None:
    it.at.relays["table"].heal()


async def broken_question(it: Drill) -> None:
    """Something that is there in the program, and not in the database."""
    await it.sql("alter table wallet.banked_handle rename to banked_elsewhere")
    async with it.at.house.reader("wallet") as wallet:
        answer = await wallet.get("/v1/banked-hold", headers={PURPOSE: "a drill"})
        assert answer.status_code == httpx.codes.INTERNAL_SERVER_ERROR, answer.text


async def whole_question(it: Drill) -> None:
    await it.sql("alter table wallet.banked_elsewhere rename to banked_handle")


async def reported(it: Drill) -> None:
    """Two at one table have one device, and one of them runs a program that is forbidden; the auditor looks at once."""
    first, second = (bot.name for bot in it.at.evening.bots[:2])
    for player, kind, value in (
        (first, "program", "holdem-bot"), (first, "device", "5f" * 16), (second, "device", "5f" * 16)
    ):  # fmt: skip
        body = {"reference": f"drill-{player}-{kind}", "kind": kind, "value": value, "currency": "EUR"}
        answer = await it.at.evening.operator.command(f"/players/{player}/signals", body)
        assert answer.accepted, answer
    await asyncio.sleep(10)  # counters go with their process: that of the program is seen before
    await it.at.house.processes["audit"].kill()
    await it.at.again("audit")
