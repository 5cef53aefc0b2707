"""Whole tournaments through real table deciders, by bots, to the last prize: what has to hold in all of them holds."""

from itertools import pairwise
from random import Random
from typing import Any

import pytest

from libs.contracts import tournament_play_events as play
from libs.contracts import tournaments_commands as asked
from libs.contracts import tournaments_events as lives
from libs.contracts.poker_events import HandStarted
from libs.contracts.registry import decode_fact, encode_fact
from libs.contracts.table_events import TableClosed
from services.tournament.domain.play.memory import Play
from services.tournament.domain.state import Tournament
from services.tournament.journal_format import decode_state, encode_state
from tests.tournament.course import DECIDER, FLOOR, START, SUPERVISOR, done
from tests.tournament.hall import Hall

STACK = 10_000


def test_twenty_seven_players_at_three_tables_to_the_last_prize() -> None:
    hall = Hall(27, payouts=[{"entries": 2, "shares": [4_000, 2_500, 1_500, 1_000, 600, 400]}], seats=9).run()
    drawn = hall.of(play.StartDrawn)[0]
    assert (drawn.tables, drawn.clock_from) == (3, START)
    first = hall.of(play.HandsReleased)[0]
    assert [due.table for due in first.hands] == [1, 2, 3], "all begin at once"
    [completed] = hall.of(play.TournamentCompleted)
    assert [result.first for result in completed.results] == sorted(result.first for result in completed.results)
    assert hall.course.credited() == {result.player: result.prize for result in completed.results if result.prize}
    assert sum(hall.course.credited().values()) == 27 * 2_000
    assert any(move.reason == "final_table" for move in hall.of(play.EntryMoves))
    assert len(hall.of(play.TableBroken)) == 2
    assert_sound(hall, 27)


def test_who_is_away_is_dealt_in_and_blinded_off() -> None:
    hall = Hall(6, seed=4, seats=6)
    hall.absent = {"p3", "p5"}
    hall.run()
    assert_sound(hall, 6)


def test_hand_for_hand_makes_all_tables_wait_for_all() -> None:
    hall = Hall(
        24, seed=5, seats=6, payouts=[{"entries": 2, "shares": [2_000, 2_000, *[1_000] * 6]}], hand_for_hand_at=10
    )
    hall.run()
    assert hall.of(play.HandForHandBegan)
    assert hall.of(play.HandForHandEnded)
    rounds = [released for released in hall.of(play.HandsReleased) if released.round]
    assert [released.round for released in rounds] == list(range(1, len(rounds) + 1))
    events = hall.course.events
    for released in rounds:
        at = events.index(released)
        open_hands = running(hall, at)
        assert not open_hands, "a round begins when every table has finished"
    assert_sound(hall, 24)


def running(hall: Hall, until: int) -> set[int]:
    """Tables in a hand, before this event."""
    found: set[int] = set()
    for event in hall.course.events[:until]:
        if isinstance(event, play.HandDealt):
            found.add(event.table)
        elif isinstance(event, play.HandFinished):
            found.discard(event.table)
    return found


def test_bounties_paid_are_bounties_collected() -> None:
    hall = Hall(12, seed=6, seats=4, buy_in={"amount": 3_300, "prize": 2_000, "fee": 300, "bounty": 1_000}).run()
    paid = [each for due in hall.of(lives.CreditsDue) if due.why == "bounty" for each in due.credits]
    assert sum(each.bounty for each in paid) == 12_000
    assert_sound(hall, 12)


def test_when_the_time_is_up_everybody_deals_once_more_and_chips_decide() -> None:
    hall = Hall(15, seed=8, seats=5, lasts_ms=90_000).run()
    [up] = hall.of(play.TimeUp)
    assert up.ended == START + 90_000
    [completed] = hall.of(play.TournamentCompleted)
    assert len(completed.tables) == len(up.orbits) > 1, "no table is broken after it"
    after = hall.course.events[hall.course.events.index(up) :]
    assert not [event for event in after if isinstance(event, play.LevelBegan | play.EntryMoves)]
    chips = hall.play.stacks
    in_order = [chips[each.entry] for each in completed.results if each.entry in chips]
    assert in_order == sorted(in_order, reverse=True)
    assert sum(in_order) == 15 * STACK
    assert_sound(hall, 15)


def test_levels_change_with_the_next_hand_and_breaks_stop_the_deals() -> None:
    levels = [{"small_blind": n, "big_blind": 2 * n, "lasts_ms": 20_000} for n in (10, 20, 40, 80, 200, 500, 2_000)]
    breaks = [{"after_level": 2, "lasts_ms": 60_000}, {"after_level": 4, "lasts_ms": 30_000}]
    hall = Hall(20, seed=7, seats=7, levels=levels, breaks=breaks).run()
    began = {level.level: level.began for level in hall.of(play.LevelBegan)}
    assert (began[2], began[3], began[4]) == (START + 20_000, START + 100_000, START + 120_000)
    for name, facts in hall.facts.items():
        for fact in facts:
            if isinstance(fact, HandStarted):
                assert fact.at < START + 40_000 or fact.at >= START + 100_000, f"{name} deals in the break"
                due = max(level for level, at in began.items() if at <= fact.at)
                assert fact.configuration_version == due, "the blinds of the level of its deal"
    assert_sound(hall, 20)


LONGEST = (34, 35, 36)
"""As long as all others together."""


@pytest.mark.parametrize(
    "seed", [pytest.param(seed, marks=[pytest.mark.long] if seed in LONGEST else []) for seed in range(40)]
)
def test_any_tournament(seed: int) -> None:
    luck = Random(seed)
    players = luck.choice([2, 3, 5, 9, 10, 18, 19, 27, 45])
    paid = luck.randint(1, min(players, 12))
    shares = [10_000 // paid] * paid
    shares[0] += 10_000 - sum(shares)
    other: dict[str, Any] = {
        "seats": luck.randint(2, 10),
        "payouts": [{"entries": 2, "shares": shares}],
        "hand_for_hand_at": luck.randint(0, 4),
        "prizes_paid": luck.choice(["as_determined", "at_end"]),
        "breaks": luck.choice([[], [{"after_level": 1, "lasts_ms": 45_000}]]),
    }
    if luck.random() < 0.25:
        other["lasts_ms"] = luck.choice([20_000, 100_000, 400_000])
    if luck.random() < 0.3:
        other["buy_in"] = {"amount": 3_301, "prize": 2_000, "fee": 300, "bounty": 1_001}
    hall = Hall(players, seed=seed, **other)
    hall.absent = {f"p{n}" for n in range(1, players + 1) if luck.random() < 0.1}
    hall.run()
    assert_sound(hall, players)


@pytest.mark.parametrize("prizes_paid", ["as_determined", "at_end"])
@pytest.mark.parametrize("moment", range(10))
def test_cancelled_at_any_moment_everything_is_given_back_to_the_cent(moment: int, prizes_paid: str) -> None:
    buy_in = {"amount": 3_300, "prize": 2_000, "fee": 300, "bounty": 1_000}
    shares = [4_000, 2_500, 1_500, 1_000, 600, 400]
    hall = Hall(
        18, seed=moment, seats=6, buy_in=buy_in, prizes_paid=prizes_paid, guarantee=40_000,
        payouts=[{"entries": 2, "shares": shares}],
    )  # fmt: skip
    wanted = moment * 17 // 9
    while (hall.state.phase == "registering" or len(hall.of(play.EntryEliminated)) < wanted) and hall.step():
        pass
    if hall.state.phase == "completed":
        return
    [sheet] = done(hall.course.ask(FLOOR, asked.ProposeCancellation(cause="technical", reason="fire")))
    assert isinstance(sheet, lives.CancellationProposed)
    out = hall.of(play.EntryEliminated)
    in_the_money = bool(hall.of(play.PrizesFixed)) and 18 - len(out) <= 6
    assert sheet.rule == ("36.a" if not hall.of(play.HandDealt) else "36.c" if in_the_money else "36.b")
    done(hall.course.ask(SUPERVISOR, asked.ConfirmCancellation(sheet=1)))
    assert (hall.state.phase, hall.state.held.total) == ("cancelled", 0)
    fees = sum(event.amount for event in hall.of(lives.FeesEarned))
    assert fees == 300 * len(out), "the fees of who is out"
    added = hall.of(play.PrizesFixed)[0].amount - sum(event.amount for event in hall.of(play.GuaranteeReturned))
    assert sum(hall.course.credited().values()) == 18 * 3_300 - fees + added
    assert added == 0, "the house adds nothing"
    still_in = {f"p{n}" for n in range(1, 19)} - {event.player for event in out}
    assert all(hall.course.credited()[player] >= 3_300 for player in still_in)
    while hall.step():
        pass
    assert all(isinstance(facts[-1], TableClosed) for facts in hall.facts.values())


def assert_sound(hall: Hall, players: int) -> None:
    """Chips, seats, places, money, and the same again from the events alone."""
    assert hall.refusals == [], "the tables refuse nothing that the tournament asks"
    assert hall.state.held.total == 0
    _refolded(hall, players * STACK)
    [completed] = hall.of(play.TournamentCompleted)
    results = completed.results
    places = sorted(place for result in results for place in range(result.first, result.last + 1))
    tied = {(result.first, result.last) for result in results}
    assert sorted(place for first, last in tied for place in range(first, last + 1)) == list(range(1, players + 1))
    assert len(places) == sum((last - first + 1) ** 2 for first, last in tied)
    assert sum(result.prize for result in results) == hall.of(play.PrizesFixed)[0].pool
    assert sum(hall.course.credited().values()) == sum(
        event.prize + event.bounty for event in hall.of(lives.PlayerRegistered)
    )
    assert all(isinstance(facts[-1], TableClosed) for facts in hall.facts.values()), "every table is closed"


def _refolded(hall: Hall, chips: int) -> None:
    """Every state of its life, from its bytes: chips conserved, tables within one where a hand is released."""
    state: Tournament = DECIDER.initial("t-1")
    begun, released = False, set[tuple[int, int]]()
    for number, event in enumerate(hall.course.events):
        assert decode_fact(*encode_fact(event)) == event
        state = DECIDER.evolve(state, decode_fact(*encode_fact(event)))
        if number % 50 == 0:
            assert decode_state(encode_state(state)) == state
        now: Play = state.play
        if isinstance(event, play.HandsReleased):
            begun = True
            sizes = {table: len(at.entries) for table, at in now.tables.items()}
            # A hand whose release lapsed with the level is released again, whatever has happened elsewhere.
            new = [due.table for due in event.hands if (due.table, due.hand) not in released]
            assert all(sizes[table] - min(sizes.values()) <= 1 for table in new)
            released |= {(due.table, due.hand) for due in event.hands}
            seats = [(place.table, place.seat) for place in now.places.values()]
            assert len(set(seats)) == len(seats)
        if begun:
            assert sum(now.stacks.values()) == chips
    assert state == hall.state
    hands = [event for event in hall.course.events if isinstance(event, play.HandFinished)]
    for name in {event.table for event in hands}:
        numbers = [event.hand for event in hands if event.table == name]
        assert all(later == earlier + 1 for earlier, later in pairwise(numbers)), "each hand is heard of once"
