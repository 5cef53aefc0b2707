"""Fires a fault many times in one house in play, and looks after each time whether everything is still there."""

import asyncio
import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import httpx

from libs.journal.log import LogUnavailable
from libs.stack import Stack
from tests.chaos.faults import Fault
from tests.chaos.history import Teller
from tests.chaos.scene import PATIENCE_S, DidNotGoOn, Plan, Scene, scene, witness
from tests.chaos.table import SPREAD, spread
from tests.chaos.witness import Witness
from tests.e2e.evening import croupier

Tell = Callable[[str], None]


@dataclass(slots=True)
class Result:
    """Seconds are from the fault, or from its mending where `counted_from` says so."""

    fault: str
    counted_from: str
    why: str
    nodes: int
    asked_for: int
    fired: int = 0
    next_act: list[float] = field(default_factory=list)
    """To the next act accepted anywhere."""
    every_table: list[float] = field(default_factory=list)
    """To an act accepted at the last of the tables."""
    next_deposit: list[float] = field(default_factory=list)
    acknowledged: int = 0
    lost: int = 0
    doubled: int = 0
    voided: int = 0
    ledger_sum: int = 0
    void_records: int = 0
    hands: int = 0
    seconds: float = 0.0
    checks: dict[str, str] = field(default_factory=dict)
    """What `rebuild --compare`, `verify` and `scan` said at the end."""
    notes: dict[str, int] = field(default_factory=dict)
    """What a drill counted."""
    problems: list[str] = field(default_factory=list)

    @property
    def held(self) -> bool:
        broken = self.lost or self.doubled or self.voided or self.ledger_sum or self.problems
        return not broken and self.fired >= self.asked_for

    def line(self) -> dict[str, Any]:
        """As it goes into the file of results."""
        seconds = {name: spread(getattr(self, name)) for name in SPREAD}
        return {**asdict(self), "held": self.held, "spread": seconds, "at": int(time.time() * 1000)}


async def campaign(
    stack: Stack, folder: Path, faults: Sequence[Fault], rounds: int, seed: str, tell: Tell = lambda line: None
) -> list[Result]:
    """All these faults `rounds` times in one house; a problem ends the campaign and stands in the results."""
    results = [Result(each.name, each.counted_from, each.why, each.nodes, rounds) for each in faults]
    began = time.monotonic()
    try:
        async with scene(stack, folder, _plan(faults), seed) as at:
            await _rounds(at, faults, results, rounds, tell)
    except Exception as wrong:
        results[-1].problems.append(f"{type(wrong).__name__}: {wrong or traceback.format_exc(limit=-3)}")
        (folder / "failed.txt").write_text(traceback.format_exc())
    for result in results:
        result.seconds = round(time.monotonic() - began, 1)
    return results


def _plan(faults: Sequence[Fault]) -> Plan:
    plans = [each.plan for each in faults]
    return Plan(
        relayed=any(plan.relayed for plan in plans),
        second=tuple({name for plan in plans for name in plan.second}),
        clocks=tuple({name for plan in plans for name in plan.clocks}),
        tables=max(plan.tables for plan in plans),
        bots=max(plan.bots for plan in plans),
    )


async def _rounds(at: Scene, faults: Sequence[Fault], results: Sequence[Result], rounds: int, tell: Tell) -> None:
    beside = witness(at)
    at.now()
    await at.next_act()
    await at.next_deposit()
    for number in range(1, rounds + 1):
        for fault, result in zip(faults, results, strict=True):
            await asyncio.sleep(0.3 + 0.7 * at.dice.random())
            try:
                await _round(at, fault, result, beside)
            except Exception as wrong:
                result.problems.append(f"round {number}: {type(wrong).__name__}: {wrong}")
                raise
            tell(
                f"{fault.name} {number}/{rounds}: {result.every_table[-1]:.2f} s to every table,"
                f" {at.evening.statistics.total_hands} hands, {len(at.history.sent)} commands"
            )
    await _end(at, results, beside)


async def _round(at: Scene, fault: Fault, result: Result, beside: Witness) -> None:
    at.now()
    await fault.fire(at)
    result.fired += 1
    first, last = await at.next_act()
    result.next_act.append(first)
    result.every_table.append(last)
    result.next_deposit.append(await at.next_deposit())
    await _look(at, result, beside)


async def _look(at: Scene, result: Result, beside: Witness) -> None:
    told_before = time.monotonic()
    await _read(beside)
    lost = beside.lost(at.history, told_before)
    result.lost += len(lost)
    result.problems += [f"lost: {each.kind} {each.stream} {each.verdict} at {each.version}" for each in lost[:3]]
    watcher = at.evening.watcher
    assert watcher is not None
    # Several faults may share the house: each counts what came in its own rounds.
    now = {
        "doubled": beside.doubled + len(watcher.started_twice),
        "voided": beside.voided,
        "acknowledged": len(at.history.answered()),
        "void_records": sum(count for name, count in beside.judged.items() if name.startswith("void")),
        "hands": at.evening.statistics.total_hands,
    }
    for name, count in now.items():
        setattr(result, name, getattr(result, name) + count - at.counted.get(name, 0))
    at.counted = now
    result.ledger_sum = max(result.ledger_sum, await at.ledger_sum())
    at.alive()


async def _read(beside: Witness) -> None:
    give_up = time.monotonic() + PATIENCE_S
    while True:
        try:
            return await beside.read()
        except LogUnavailable:
            if time.monotonic() > give_up:
                raise
            await asyncio.sleep(0.2)


async def _end(at: Scene, results: Sequence[Result], beside: Witness) -> None:
    """The desk shuts, the tables close, and the house is gone through by its own commands."""
    await at.close_desk()
    await at.evening.close()
    await _look(at, results[-1], beside)
    await _count_the_desk(at, beside)
    await _money_comes_home(at)
    for command in (("rebuild", "--compare"), ("verify",), ("scan",)):
        status, report = await croupier(at.house, *command)
        said = "ok" if status == 0 else _findings(report, at.excused)
        for result in results:
            result.checks[command[0]] = said
        if said.startswith("failed"):
            results[-1].problems.append(f"croupier {' '.join(command)}: {said}")


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
    async with httpx.AsyncClient(base_url=at.house.wallet_url, timeout=30) as wallet:
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
    """The teller's account holds each deposit once: those that were told, and those that nobody was told of."""
    deposits = [each for each in at.history.sent if each.kind == "deposit"]
    due = Teller.AMOUNT * beside.effects(deposits)
    give_up = time.monotonic() + PATIENCE_S
    available = None
    async with httpx.AsyncClient(base_url=at.house.wallet_url, timeout=10) as wallet:
        while time.monotonic() < give_up:
            answer = await wallet.get(f"/v1/players/{Teller.PLAYER}/accounts")
            available = answer.json()[0]["available"] if answer.is_success else None
            if available == due:
                return
            await asyncio.sleep(0.2)
    raise DidNotGoOn(f"the teller's account holds {available}, the journal says {due}")
