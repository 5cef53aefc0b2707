"""Whatever entrants, their tournament and the clock do: chips are neither made nor lost, and the auditor agrees."""

from random import Random

import pytest

from libs.contracts.messages import PublicEvent
from libs.contracts.registry import encode_fact
from libs.contracts.tournament_events import EntrantMoved
from services.audit.verifying.facts import FactChecks
from tests.table.play import HOLDEM, MACAU
from tests.table.tournament.play import TABLE, TournamentTable

STEPS = 120


@pytest.mark.parametrize("seed", range(30))
def test_chips_are_conserved_over_any_course(seed: int) -> None:
    luck = Random(seed)
    table = TournamentTable(luck.choice([MACAU, HOLDEM]), seats=6)
    brought = sum(_enters(table, seat, luck.choice([500, 3_000, 30_000])) for seat in range(1, luck.randint(3, 6)))
    for _ in range(STEPS):
        if table.state.status == "closed":
            break
        brought += _step(table, luck)
        if table.state.status != "closed":
            assert table.chips + sum(chips for s in table.state.seats.values() for _, chips in s.bought) == brought
    _audited(table)


def _step(table: TournamentTable, luck: Random) -> int:
    """One thing happens, or is refused; returns what chips came, below zero: went."""
    seat, what = luck.randint(1, 6), luck.random()
    seated = table.state.seats.get(seat)
    if what < 0.55 and table.turn is not None:
        _acts(table, luck)
    elif what < 0.65 and table.turn is not None:
        table.time_out()
    elif what < 0.70:
        table.sit_out(seat)
    elif what < 0.75:
        table.sit_in(seat)
    elif what < 0.80 and seated is not None:
        return -table.of(EntrantMoved)[-1].chips if table.move(seat) is None else 0
    elif what < 0.82 and seated is not None:
        table.eliminate(seat)
    elif what < 0.84 and seated is not None:
        return 4_000 if table.buy(seat, 4_000, f"pay-{len(table.told)}") is None else 0
    elif what < 0.88:
        return _enters(table, seat, 7_000)
    elif what < 0.90:
        table.void()
    elif what < 0.93:
        luck.choice([table.pause, table.resume])()
    elif what < 0.95:
        table.next_level(table.state.rules.version + 1, big_blind=luck.choice([200, 1_000, 5_000]))
    elif what < 0.97:
        table.later(luck.choice([1_000, 10_000_000]), outage=luck.random() < 0.5)
    elif what < 0.975:
        table.end()
    else:
        table.wake()
    return 0


def _enters(table: TournamentTable, seat: int, chips: int) -> int:
    return chips if table.seats_entrant(seat, chips, f"q{len(table.told)}") is None else 0


def _acts(table: TournamentTable, luck: Random) -> None:
    turn = table.hand.turn
    assert turn is not None
    to = luck.choice([turn.legal.min_to, turn.legal.max_to])
    acts = ["check" if turn.legal.check else "fold", "call", "bet", "raise"]
    act = luck.choice(acts)
    table.act(turn.seat, act, to if act in ("bet", "raise") else None)


def _audited(table: TournamentTable) -> None:
    checks = FactChecks()
    for version, event in enumerate(table.told, start=1):
        name, data = encode_fact(event)
        envelope = PublicEvent(stream=TABLE, version=version, type=name, time=event.at, causation="c", data=data)
        assert list(checks.take(envelope, event, table.decks[version - 1])) == []
    assert list(checks.end(table.now + 10**9)) == []
