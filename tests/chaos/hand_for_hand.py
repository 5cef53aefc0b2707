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

NAME = "each service killed in hand-for-hand"
SERVICES = ("table", "tournament", "wallet", "gateway")
NIGHTS = 5
"""Tournaments in one house; each is a round, and a kill of every service."""
_LONGEST_S = 600.0


async def hand_for_hand(stack: Stack, folder: Path, book: Book, tell: Tell) -> Gone:
    gone = Gone(folder.name, {NAME: 0})
    began = time.monotonic()
    try:
        async with scene(stack, folder, Plan(tables=1, bots=2), folder.name) as at:
            for number in range(1, NIGHTS + 1):
                book.keep(await night(at, gone.house, number))
                gone.faults[NAME] += 1
                tell(f"{NAME}: {gone.faults[NAME]}")
            status, report = await croupier(at.house, "verify")
            gone.checks["verify"] = "ok" if status == 0 else "found something"
            if status:
                gone.problems.append(report[-2_000:])
    except Exception as wrong:
        gone.problems.append(f"{type(wrong).__name__}: {wrong or traceback.format_exc(limit=-3)}")
        (folder / "failed.txt").write_text(traceback.format_exc())
    gone.seconds = round(time.monotonic() - began, 1)
    book.keep(gone)
    return gone


async def night(at: Scene, house: str, number: int) -> Round:
    """One tournament that is hand-for-hand from its start to its final table."""
    pace = Pace(hand_for_hand_at=10)
    playing = TournamentNight(at.house, f"drill-{number}", players=12, seats=3, paid=2, kills=SERVICES, pace=pace)
    began = time.monotonic()
    await playing.play(_LONGEST_S)
    at.now()
    first, every = await at.next_act()
    ranked = {result["player"] for result in playing.page["results"] or []}
    problems = [*playing.problems, *(["somebody is ranked twice or never"] if len(ranked) != playing.players else [])]
    done = Round(NAME, house, "the last prize", fired=True, next_act=first, every_table=every, problems=problems)
    done.ledger_sum = await at.ledger_sum()
    done.seconds = round(time.monotonic() - began, 2)
    return done
