"""A tournament remembers every command of a day; what that has room for, and for whom (journal 13)."""

import msgspec

from libs.contracts.messages import Principal
from libs.contracts.topics import MAX_SNAPSHOT_BYTES
from libs.contracts.tournaments import MAX_PLAYERS
from libs.journal.quotas import why_no_room
from libs.journal.ring import Answer
from services.tournament.domain.state import Entry, Tournament
from services.tournament.machine import RING_CAP, standing_in

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
