"""Each service killed in the middle of hand-for-hand, while cash tables go on: every prize once, nobody lost."""

import time
import traceback
from pathlib import Path

from libs.stack import Stack
from services.cli.demo.tournament import Pace, TournamentNight
from tests.chaos.results import Book, Gone, Round
from tests.chaos.rounds import Tell
from tests.chaos.scene import Plan, Scene, scene
from tests.e2e.evening import croupier
from tests.tournament.told import read_told

NAME = "each service killed in hand-for-hand"
SERVICES = ("table", "tournament", "wallet", "gateway", "audit")
TURNS = 3
"""Of all services, in one tournament: as many as hand-for-hand lasts for. Each whole turn is a round."""
NIGHTS = 3
"""Tournaments in one house."""
_LONGEST_S = 600.0


async def hand_for_hand(stack: Stack, folder: Path, book: Book, tell: Tell) -> Gone:
    gone = Gone(folder.name, {NAME: 0})
    began = time.monotonic()
    try:
        async with scene(stack, folder, Plan(tables=1, bots=2), folder.name) as at:
            for number in range(1, NIGHTS + 1):
                await _night(at, gone, book, number)
                tell(f"{NAME}: {gone.faults[NAME]}")
            status, report = await croupier(at.house, "verify")
            gone.checks["verify"] = "ok" if status == 0 else "found something"
            if status:
                gone.problems.append(str(report)[-2_000:])
    except Exception as wrong:
        gone.problems.append(f"{type(wrong).__name__}: {wrong or traceback.format_exc(limit=-3)}")
        (folder / "failed.txt").write_text(traceback.format_exc())
    gone.seconds = round(time.monotonic() - began, 1)
    book.keep(gone)
    return gone


async def _night(at: Scene, gone: Gone, book: Book, number: int) -> None:
    """One tournament that is hand-for-hand from its start to its final table."""
    pace = Pace(level_ms=40_000, stack=10_000, hand_for_hand_at=10)
    playing = TournamentNight(
        at.house, f"drill-{number}", players=12, seats=3, paid=2, kills=SERVICES * TURNS, pace=pace
    )
    began = time.monotonic()
    await playing.play(_LONGEST_S)
    at.now()
    first, every = await at.next_act()
    results = playing.page["results"] or []
    told = await read_told(at.stack.admin, at.house.topic_prefix, playing.tournament)
    problems = told.problems
    if len({result["player"] for result in results}) != playing.players:
        problems.append("somebody is ranked twice or never")
    if sum(result["prize"] for result in results) != playing.page["pool"]:
        problems.append("the prizes are not the pool")
    turns = len(playing.killed) // len(SERVICES)
    for name in SERVICES:  # of a turn that was not whole, too
        gone.notes[name] = gone.notes.get(name, 0) + playing.killed.count(name)
    gone.problems += problems
    seconds, ledger_sum = round(time.monotonic() - began, 2), await at.ledger_sum()
    for _ in range(turns):
        done = Round(NAME, gone.house, "the last prize", True, first, every, problems=problems, ledger_sum=ledger_sum)
        done.seconds = seconds / turns
        book.keep(done)
        gone.faults[NAME] += 1
