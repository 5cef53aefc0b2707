"""Whether `make bench-tournament` plays a tournament to its end and measures everything it reports, and whether what it
judges by can fail; how fast the house is, is not asked here."""

from dataclasses import replace
from typing import Any

import pytest
from msgspec.structs import force_setattr

from libs.contracts import tournament_play_events as play
from libs.contracts.poker_events import HandEnded, HandStarted
from libs.contracts.tournament_events import EntrantFinished, EntrantSeated
from libs.contracts.tournaments_events import TournamentProposed
from libs.stack import Stack
from services.cli.demo.tournament import BUY_IN
from tests.bench.tournament.__main__ import BESIDE, SERVICES, measure, parser
from tests.bench.tournament.figures import Balance
from tests.tournament.course import definition
from tests.tournament.told import Heard, Told

PLAYERS = 9


@pytest.mark.stack
@pytest.mark.timeout(400)
async def test_it_measures(stack: Stack, topics: str, database: str) -> None:
    shown: list[tuple[str, int, int]] = []
    options = parser().parse_args([str(PLAYERS), "--seats", "6", "--level", "2"])
    report = await measure(
        replace(stack, database_url=database), PLAYERS, options, lambda *each: shown.append(each), topics
    )
    assert report["problems"] == []
    groups = {name: amount for name, amount in report["money"].items() if name.startswith(("tournament-", "in-tra"))}
    assert groups == {"tournament-prize": 0, "tournament-fee": 0, "in-transit": 0}
    assert report["money"]["player"] == PLAYERS * BUY_IN["prize"]
    assert report["acts"] > PLAYERS
    assert report["hands"] > 3
    assert report["moves"]["final_table"] > 1
    assert report["balance"]["spells"] > 0
    for name in ("eliminated_to_balanced_ms", "house_ms"):
        spread = report["balance"][name]
        assert 0 < spread["p50"] <= spread["p99"] <= spread["p100"]
    assert report["hand_to_hand_ms"]["p50"] > 0
    assert (report["clock"]["early_ms"], report["clock"]["late_ms"]) == (0, 0)
    assert 0 < report["events_per_s"] <= report["events_per_s_most"]
    assert all(report["cpu_s"][name] > 0 for name in (*SERVICES, "bots", "Kafka"))
    assert set(report["cpu_s"]) == {*SERVICES, *BESIDE}
    assert all(report["memory_mb"][name] > 0 for name in (*SERVICES, "bots"))
    assert shown[0][0] == "players come"
    assert shown[-1][0] == "players are out"


def test_tables_are_balanced_within_one_with_nobody_on_the_way() -> None:
    balance = Balance(seats=3)
    for table, players in ((1, "abc"), (2, "de")):
        balance.take(play.TableSetUp(table=table, rulebook="", configuration={}))
        for seat, name in enumerate(players, start=1):
            balance.take(play.EntrySeated(**_at(name, table, seat), chips=100))
    assert balance.holds
    balance.take(play.EntryEliminated(**_at("d", 2, 1), hand=1, first=5, last=5))
    assert not balance.holds, "two too few at a table"
    moves = play.EntryMoves(**_at("a", 1, 1), to_table=2, to_seat=1, reason="balance", generator="")
    balance.take(moves)
    assert not balance.holds, "on the way"
    balance.take(EntrantSeated(tournament="t", reservation="a.2", player="a", seat=1, chips=100))
    assert balance.holds


def _at(name: str, table: int, seat: int) -> dict[str, Any]:
    return {"entry": name, "player": name, "table": table, "seat": seat, "sitting": f"{name}.1"}


def test_what_a_tournament_is_judged_by_can_fail() -> None:
    """One player at two tables, a hand that never ended, a level off the clock, a round before its turn."""
    told = Told("t")

    def at_table(table: int, at: int, event: Any) -> None:
        told.tables[table].append(Heard(force(event, at), at))

    def force(event: Any, at: int) -> Any:
        force_setattr(event, "at", at)
        return event

    rules = definition(levels=[{"small_blind": 1, "big_blind": 2, "lasts_ms": 1_000}] * 2)
    release = play.HandsReleased(hands=[play.HandDue(1, 1), play.HandDue(2, 1)], round=1)
    again = play.HandsReleased(hands=[play.HandDue(1, 2)], round=2)
    for event in (
        TournamentProposed(name="", definition=rules, by=""), play.StartDrawn(generator="", tables=1, clock_from=0),
        play.LevelBegan(level=1, began=0, configuration={}, tables=[1]), play.HandForHandBegan(left=4, paid=2), release,
        again, play.LevelBegan(level=2, began=999, configuration={}, tables=[1]),
    ):  # fmt: skip
        told.own.append(Heard(event, 0))
    for table, sitting in ((1, "1.1"), (2, "1.2")):
        seated = EntrantSeated(tournament="t", reservation=sitting, player="a", seat=1, chips=100)
        at_table(table, 10, seated)
        at_table(table, 3_000, EntrantFinished(tournament="t", reservation=sitting, player="a", seat=1, chips=100))
    at_table(1, 20, _hand(1))
    at_table(1, 30, HandEnded(hand=1, results=[], rake=0, exemption=None, currency="XXX"))
    at_table(2, 20, _hand(1))
    at_table(1, 1_000, _hand(2))
    at_table(2, 1_100, HandEnded(hand=1, results=[], rake=0, exemption=None, currency="XXX"))
    found = " ".join(told.problems)
    for part in (
        "was out and sat again", "table 1 are not one after", "level 2 began -1 ms", "began 1 ms after its level",
        "round 1000002 began 100 ms before",
    ):  # fmt: skip
        assert part in found, (part, found)


def _hand(number: int) -> HandStarted:
    return HandStarted(
        hand=number, rulebook="", rulebook_hash="", configuration_version=1, currency="XXX", kind="tournament",
        button=1, small_blind=1, big_blind=2, seats=[], deck_root="", deck_leaves=1,
    )  # fmt: skip
