"""A tournament remembers every command of a day; what that has room for, and for whom (journal 13)."""

from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from libs.contracts.messages import Principal
from libs.contracts.registry import encode_fact
from libs.contracts.topics import MAX_SNAPSHOT_BYTES
from libs.contracts.tournaments import MAX_PLAYERS
from libs.contracts.tournaments_commands import WakeTournament
from libs.contracts.tournaments_events import Held
from libs.decider import Given, Rejected
from libs.journal.machine import COMMIT_BYTES
from libs.journal.quotas import why_no_room
from libs.journal.ring import Answer
from libs.sealing.lots import LotSeed
from services.tournament.domain.decide import TournamentDecider
from services.tournament.domain.state import Entry, Tournament
from services.tournament.machine import RING_CAP, standing_in
from tests.tournament.course import START, TIMER, Course

NEWS = Principal("policy", "tournament.hears")
HANDS = 50_000
"""2,500 players on tables of nine to the last one: ten hours, on average eighty tables, sixty hands an hour."""


def test_the_news_of_a_whole_tournament_are_remembered_beside_its_registrations() -> None:
    state = Tournament(tournament="t")
    registered, news = MAX_PLAYERS * 3, HANDS * 3
    assert why_no_room(news, registered + news, standing_in(state, NEWS), RING_CAP) is None


def test_strangers_leave_that_room_whatever_they_send() -> None:
    entry = Entry(entry="e", player="ann", number=1, prize=0, fee=0, bounty=0)
    state = Tournament(tournament="t", entries={"e": entry})
    stranger, ann = Principal("player", "nobody"), Principal("player", "ann")
    assert standing_in(state, stranger) == "guest"
    assert standing_in(state, ann) == "party"
    full = next(n for n in range(0, RING_CAP, 100) if why_no_room(0, n, "guest", RING_CAP) is not None)
    assert RING_CAP - full > HANDS


def test_a_full_ring_fits_into_a_snapshot() -> None:
    ring = [(number.to_bytes(16), Answer("rejected", 10**6, "not_offered", "pt-810-2015#FP-20", "", 2**63 + number))
            for number in range(1000)]  # fmt: skip
    assert len(msgspec.msgpack.encode(ring)) / 1000 * RING_CAP < MAX_SNAPSHOT_BYTES


@pytest.mark.parametrize("seats", [2, 9])
def test_the_fullest_start_fits_into_one_commit_whatever_players_call_themselves(seats: int) -> None:
    """Seen: 2,300 players with long names at tables of two could neither start, nor be cancelled, nor go home."""
    most = next(n for n in range(MAX_PLAYERS, 0, -10) if not isinstance(_proposed(seats, n), Rejected))
    assert seats == 9 or isinstance(_proposed(seats, most + 10), Rejected)
    course = Course.registering(seats=seats, max_players=most)
    names = [f"{number:064}" for number in range(most)]
    paid: dict[str, Any] = {"prize": 2_000, "fee": 200, "bounty": 0}
    entries = {n: Entry(entry=n, player=n, number=number, **paid) for number, n in enumerate(names, start=1)}
    held = Held(prize=2_000 * most, fee=200 * most)
    decider, given = TournamentDecider(), Given(START, LotSeed(bytes(32)), TIMER)
    decided = decider.decide(replace(course.state, entries=entries, held=held), WakeTournament(due=START), given)
    assert not isinstance(decided, Rejected)
    assert sum(type(event).__name__ == "EntrySeated" for event in decided.events) == most
    assert sum(len(name) + len(data) + 8 for name, data in map(encode_fact, decided.events)) < COMMIT_BYTES


def _proposed(seats: int, players: int) -> Any:
    return Course(seats=seats, max_players=players).proposed
