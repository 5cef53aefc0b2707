"""A tournament of two tables played to its end: every fact its tables told, as everybody may read it."""

from functools import cache

from libs.contracts.facts import Fact
from libs.contracts.messages import PublicEvent
from libs.contracts.registry import encode_fact
from tests.table.tournament.play import TournamentTable, against

PLAYERS = 5
CHIPS = 30_000


def played() -> TournamentTable:
    """Five entrants; one is eliminated, one goes to another table, one is away; a hand is void; then it ends."""
    table = TournamentTable(decision_ms=5_000).enter(*range(1, PLAYERS), chips=CHIPS).enter(PLAYERS, chips=1_000)
    table.sit_out(3)
    table.deal(fresh=against(PLAYERS, (2, 3, 4, 5, 1))).calls_down()
    assert table.eliminate(PLAYERS) is None, table.refused
    for _ in range(3):
        table.deal().calls_down()
    assert table.pause() is None
    assert table.move(4) is None
    assert table.seats_entrant(4, CHIPS, "p9") is None
    assert table.resume() is None
    assert table.next_level(2, big_blind=2_000) is None
    assert table.deal().void() is None
    table.deal()
    assert table.end() is None
    table.calls_down()
    assert table.state.status == "closed"
    return table


@cache
def night() -> list[tuple[PublicEvent, Fact]]:
    """Each fact with its envelope."""
    told = []
    for version, event in enumerate(played().told, start=1):
        name, data = encode_fact(event)
        envelope = PublicEvent(
            stream=event.table, version=version, type=name, time=event.at, causation=f"c{version}", data=data
        )
        told.append((envelope, event))
    return told


@cache
def decks() -> dict[int, object]:
    """Version to the deck that its hand began with, for the auditor."""
    return {version: deck for version, deck in enumerate(played().decks, start=1) if deck is not None}
