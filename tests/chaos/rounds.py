"""Fires faults in turn in one house in play, and looks after each whether everything is still there."""

import asyncio
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from libs.journal.log import LogUnavailable
from libs.stack import Stack
from tests.chaos.faults import Fault
from tests.chaos.going_through import go_through
from tests.chaos.results import Book, Gone, Round
from tests.chaos.scene import PATIENCE_S, Plan, Scene, scene, witness
from tests.chaos.witness import Witness

Tell = Callable[[str], None]
CLOSING = "closing"
"""Not a fault: what was told while the tables closed is looked up once more."""


async def campaign(
    stack: Stack, folder: Path, faults: Mapping[Fault, int], book: Book, seed: str, tell: Tell = lambda line: None,
    late: Callable[[], bool] = lambda: False,
) -> Gone:  # fmt: skip
    """These faults so many times each, turn about, in one house.

    The first problem ends the house: it stands in the book, with the round in which it was met. Once it is `late` no
    further round begins.
    """
    gone = Gone(folder.name, {each.name: 0 for each in faults})
    began = time.monotonic()
    try:
        async with scene(stack, folder, plan(list(faults)), seed) as at:
            beside = await _rounds(at, faults, gone, book, tell, late)
            await _end(at, gone, book, beside)
    except Exception as wrong:
        gone.problems.append(f"{type(wrong).__name__}: {wrong or traceback.format_exc(limit=-3)}")
        (folder / "failed.txt").write_text(traceback.format_exc())
    gone.seconds = round(time.monotonic() - began, 1)
    book.keep(gone)
    return gone


def plan(faults: Sequence[Fault]) -> Plan:
    """A house in which all of them can be fired."""
    plans = [each.plan for each in faults]
    return Plan(
        relayed=any(each.relayed for each in plans),
        second=tuple(sorted({name for each in plans for name in each.second})),
        clocks=tuple(sorted({name for each in plans for name in each.clocks})),
        tables=max(each.tables for each in plans),
        bots=max(each.bots for each in plans),
    )


async def _rounds(
    at: Scene, faults: Mapping[Fault, int], gone: Gone, book: Book, tell: Tell, late: Callable[[], bool]
) -> Witness:
    beside = witness(at)
    at.now()
    await at.next_act()
    await at.next_deposit()
    for turn in range(max(faults.values())):
        for fault in (each for each, rounds in faults.items() if turn < rounds):
            if late():
                return beside
            await asyncio.sleep(0.2 + 0.5 * at.dice.random())
            done = Round(fault.name, gone.house, fault.counted_from)
            try:
                await _round(at, fault, done, beside)
            except Exception as wrong:
                done.problems.append(f"{type(wrong).__name__}: {wrong}")
                gone.met_in = fault.name
                raise
            finally:
                gone.faults[fault.name] += done.fired
                book.keep(done)
            tell(
                f"{fault.name} {turn + 1}/{faults[fault]}: {done.every_table:.2f} s to every table,"
                f" {done.seconds:.1f} s in all; {at.evening.statistics.total_hands} hands, {done.acknowledged} answers"
            )
    return beside


async def _round(at: Scene, fault: Fault, done: Round, beside: Witness) -> None:
    began = time.monotonic()
    at.now()
    await fault.fire(at)
    done.fired = True
    done.next_act, done.every_table = await at.next_act()
    done.next_deposit = await at.next_deposit()
    await _look(at, done, beside)
    done.seconds = round(time.monotonic() - began, 2)


async def _look(at: Scene, done: Round, beside: Witness) -> None:
    """AssertionError for whatever is not as it was acknowledged."""
    told_before = time.monotonic()
    await _read(beside)
    lost = beside.lost(at.history, told_before)
    done.lost = len(lost)
    watcher = at.evening.watcher
    assert watcher is not None
    # A house sees many rounds: each counts what came in its own time.
    now = {
        "doubled": beside.doubled + len(watcher.started_twice),
        "voided": beside.voided,
        "acknowledged": len(at.history.answered()),
        "void_records": sum(count for name, count in beside.judged.items() if name.startswith("void")),
        "hands": at.evening.statistics.total_hands,
    }
    for name, count in now.items():
        setattr(done, name, count - at.counted.get(name, 0))
    at.counted = now
    done.ledger_sum = await at.ledger_sum()
    at.alive()
    assert not lost, f"lost: {[(each.kind, each.stream, each.verdict, each.version) for each in lost[:3]]}"
    assert not done.doubled, f"{done.doubled} doubled"
    assert not done.voided, f"{done.voided} hands void"
    assert not done.ledger_sum, f"the books are out by {done.ledger_sum}"


async def _read(beside: Witness) -> None:
    give_up = time.monotonic() + PATIENCE_S
    while True:
        try:
            return await beside.read()
        except LogUnavailable:
            if time.monotonic() > give_up:
                raise
            await asyncio.sleep(0.2)


async def _end(at: Scene, gone: Gone, book: Book, beside: Witness) -> None:
    """The desk shuts, the tables close, and the house is gone through."""
    await at.close_desk()
    await at.evening.close()
    closing = Round(CLOSING, gone.house)
    try:
        await _look(at, closing, beside)
    finally:
        book.keep(closing)
    await go_through(at, gone, beside)
