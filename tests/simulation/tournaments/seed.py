"""One tournament from its announcement to its verdict."""

from hashlib import sha256
from random import Random

from libs.contracts import tournament_play_events as play
from libs.contracts.tournament_ticket_events import TicketsAwarded
from libs.contracts.tournaments_events import ExclusionConfirmed, PlayerDisqualified
from tests.simulation.running import Outcome
from tests.simulation.tournaments.checks import check_house
from tests.simulation.tournaments.crowd import Crowd
from tests.simulation.tournaments.forms import MOST, START, TARGET, form_of
from tests.simulation.violations import Broken
from tests.testkit.entropy import seeded_entropy


def run_seed(seed: int, most: int = MOST) -> Outcome:
    """`most`: players at the start."""
    outcome = Outcome(seed, "", "", "", 0, 0)
    form = form_of(seed, most)
    crowd = Crowd(form, Random(f"crowd {seed}"))
    try:
        with seeded_entropy(seed):
            crowd.arrive()
            crowd.play()
            check_house(crowd)
    except Broken as broken:
        outcome.check, outcome.what = broken.check, str(broken)
    except Exception as wrong:
        outcome.check, outcome.what = "no_process_dies", f"{type(wrong).__name__}: {wrong}"
    _measure(crowd, outcome)
    return outcome


def _measure(crowd: Crowd, outcome: Outcome) -> None:
    rails, checks = crowd.rails, crowd.checks
    journals = [process.journal for process in rails.processes.values()]
    outcome.commits = sum(map(len, journals))
    outcome.virtual_s = max(0, checks.told[-1].at - START) / 1000 if checks.told else 0.0
    outcome.hands = checks.figures["hands"]
    outcome.fired = dict(rails.fired)
    names = [*crowd.form.names, f"ended: {checks.state.phase}"]
    if crowd.form.target is not None:
        names.append(f"the one that tickets are for: {crowd.all[TARGET].state.phase}")
    outcome.figures = {f"tournaments: {name}": 1 for name in names} | {
        "players": crowd.form.players,
        "eliminations": len(checks.of(play.EntryEliminated)),
        "tables": checks.state.play.opened,
        "moves": len(checks.of(play.EntryMoves)),
        "rebuys and add-ons": len(checks.of(play.ChipsGranted)),
        "disqualified": len(checks.of(PlayerDisqualified)),
        "excluded": len(checks.of(ExclusionConfirmed)),
        "tickets": sum(len(awarded.tickets) for awarded in checks.of(TicketsAwarded)),
    }
    held = sha256()
    for journal in journals:
        for record in journal:
            held.update(record.value or b"")
    outcome.fingerprint = held.hexdigest()[:16]
