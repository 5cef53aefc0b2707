"""A house at its end is gone through by its own commands, and its money is counted."""

import asyncio
import time
from typing import Any

from tests.chaos.history import PAID_TO, Desk
from tests.chaos.results import Gone
from tests.chaos.scene import PATIENCE_S, DidNotGoOn, Scene
from tests.chaos.witness import Witness
from tests.e2e.evening import croupier


async def go_through(at: Scene, gone: Gone, beside: Witness) -> None:
    """After the tables closed. What is found stands in `gone`; raises DidNotGoOn where money does not come home."""
    await _count_the_desk(at, beside)
    await _money_comes_home(at)
    for command in (("rebuild", "--compare"), ("verify",), ("scan",)):
        status, report = await croupier(at.house, *command)
        said = "ok" if status == 0 else _findings(report, at.excused)
        gone.checks[command[0]] = said
        if said.startswith("failed"):
            gone.problems.append(f"croupier {' '.join(command)}: {said}")


def _findings(report: Any, excused: set[str]) -> str:
    found = sorted({finding.get("kind") or finding["what"] for finding in report.get("findings", ())})
    if excused and found and set(found) <= excused:
        return f"found what was put there: {', '.join(found)}"
    if excused and _equal_but_for_the_journals(report):
        return f"equal; {report['journal_findings']} findings in the journals"
    return f"failed: {', '.join(found) or str(report)[:300]}"


def _equal_but_for_the_journals(report: Any) -> bool:
    """Of `rebuild --compare`, which does not call a house good whose journals hold what is no commit."""
    if "tables" not in report or report["problem"] or not report["journal_findings"]:
        return False
    return not any(table["only_live"] or table["only_rebuilt"] for table in report["tables"])


async def _money_comes_home(at: Scene) -> None:
    """Policies may be behind, on a busy machine by more than `verify` allows; behind for good is what must not be."""
    give_up = time.monotonic() + PATIENCE_S
    away: dict[str, int] = {}
    async with at.house.reader("wallet") as wallet:
        while time.monotonic() < give_up:
            answer = await wallet.get("/v1/trial-balance")
            if answer.is_success:
                groups = answer.json()["groups"]
                away = {each["group"]: each["balance"] for each in groups if each["group"] in ("in-transit", "stack")}
                if not any(away.values()):
                    return
            await asyncio.sleep(0.5)
    raise DidNotGoOn(f"tables are closed and money has not come home: {away}")


async def _count_the_desk(at: Scene, beside: Witness) -> None:
    """The desk's accounts hold each deposit once: those that were told, and those that nobody was told of."""
    for player in PAID_TO:
        deposits = [each for each in at.history.sent if each.kind == "deposit" and each.stream == player]
        await _holds(at, player, Desk.AMOUNT * beside.effects(deposits))


async def _holds(at: Scene, player: str, due: int) -> None:
    give_up = time.monotonic() + PATIENCE_S
    available = None
    async with at.house.reader("wallet") as wallet:
        while time.monotonic() < give_up:
            answer = await wallet.get(f"/v1/players/{player}/accounts")
            available = answer.json()[0]["available"] if answer.is_success else None
            if available == due:
                return
            await asyncio.sleep(0.2)
    raise DidNotGoOn(f"the account of {player} holds {available}, the journal says {due}")
