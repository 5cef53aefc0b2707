"""Small tournaments that are lost on purpose: of two, and of many to one."""

from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from libs.contracts import tournament_play_events as play
from libs.contracts import tournaments_events as t
from libs.contracts.messages import PublicEvent
from libs.contracts.tournaments_events import Held
from libs.projecting import migrate, open_pool, project
from services.audit.integrity.buy_ins import Ended, buy_in_flow, buy_ins_to_one, read_ended
from services.audit.integrity.checks import look
from services.audit.projections.live_checks import LiveChecks
from services.audit.settings import MIGRATIONS, SCHEMA
from services.audit.verifying.results import MOST_KEPT, Results, note_results
from tests.audit.scripted import T0, Script
from tests.testkit.memory_source import MemorySource
from tests.tournament.course import definition
from tests.tournament.hall import Hall

PORTUGAL = "pt-811-2015"
DAY = 86_400_000
NOW = 1_700_000_000_000
HEAD: dict[str, Any] = {"at": 1}


def headsup(number: int, loser: str = "ann", winner: str = "bob", buy_in: int = 50_000, **fields: Any) -> Ended:
    known: dict[str, Any] = {"at": NOW - DAY, "currency": "EUR", "nets": {loser: -buy_in, winner: buy_in}} | fields
    return Ended(tournament=f"t-{number}", buy_in=buy_in, **known)


def series(results: str, **fields: Any) -> list[Ended]:
    """`+`: ann loses, `-`: bob does."""
    sides = (("ann", "bob") if each == "+" else ("bob", "ann") for each in results)
    return [headsup(number, *side, **fields) for number, side in enumerate(sides)]


@pytest.mark.rule(PORTUGAL, "11.e")
def test_eight_buy_ins_that_went_one_way_are_a_case() -> None:
    """Found by an attacker: 4,000.00 in eight heads-up sit-and-goes, lost on purpose in twenty seconds."""
    (case,) = buy_in_flow(series("++++++++"), NOW)
    assert (case.kind, case.players, case.hands) == ("buy_in_flow", ("ann", "bob"), ())
    assert case.evidence == {
        "from": "ann", "to": "bob", "buy_ins": 8, "stakes": [("EUR", 50_000)], "net": {"EUR": 400_000},
        "lost": {"EUR": 400_000}, "won_back": {}, "tournaments": [f"t-{number}" for number in range(8)],
    }  # fmt: skip


@pytest.mark.rule(PORTUGAL, "11.e")
@pytest.mark.parametrize(
    "ended",
    [
        series("+" * 11 + "-"),
        [*series("+-" * 20, at=NOW - 9 * DAY), *series("+" * 10)],
        [*series("-" * 4, buy_in=100), *series("+" * 12)],
        [headsup(n, buy_in=b) for n, b in enumerate((1_000, 2_000, 5_000) * 5)],
        series("+" * 60 + "-" * 25),
    ],
    ids=["one came back", "a day of the month", "cheap ones back", "three stakes", "a third came back of very many"],
)
def test_little_that_comes_back_hides_nothing(ended: list[Ended]) -> None:
    if len(ended) == 85:
        assert buy_in_flow(ended, NOW) == [], "so much is luck, or skill"
        ended = series("+" * 90 + "-" * 30)
    (case,) = buy_in_flow(ended, NOW)
    assert case.players == ("ann", "bob")


@pytest.mark.parametrize(
    "ended",
    [
        series("+" * 7),
        series("+" * 9 + "--"),
        series("++++++++", at=NOW - 1_000),
        [*series("+++++++", at=NOW - 2 * DAY), *series("-++-+")],
    ],
    ids=["seven", "nine of eleven", "still at it", "seven, then luck"],
)
def test_fewer_are_luck(ended: list[Ended]) -> None:
    assert buy_in_flow(ended, NOW) == []


def lobby(dice: Random, regulars: int, each: int, edge: float = 0.0) -> list[Ended]:
    """Heads-up, each against whoever is there, over four weeks; who comes first in the alphabet is better by `edge`."""
    ended = []
    for number in range(regulars * each // 2):
        better, other = sorted(dice.sample(range(regulars), 2))
        loser, winner = (better, other) if dice.random() < 0.5 - edge else (other, better)
        ended.append(headsup(number, f"p{loser}", f"p{winner}", at=NOW - dice.randrange(1, 28) * DAY))
    return sorted(ended, key=lambda one: one.at)


@pytest.mark.parametrize(("edge", "pairs"), [(0.0, 1), (0.05, 3)])
def test_in_a_lobby_few_are_looked_at(edge: float, pairs: int) -> None:
    """Ten months of 20 players with 100 tournaments each: of 1,900 pairs with five tournaments each, more or less, so
    many are a case at the month's end, and nobody who wins of many."""
    months = [lobby(Random(seed), 20, 100, edge) for seed in range(10)]
    assert sum(len(buy_in_flow(ended, NOW)) for ended in months) == pairs
    assert [case for ended in months for case in buy_ins_to_one(ended)] == []


def fields(size: int, wins: int, others: int = 0) -> list[Ended]:
    """So many that bob wins, each of strangers, and others that one of the strangers wins; the winner takes all."""
    ended = []
    for number in range(wins + others):
        nets = {f"v{number}-{place}": -50_000 for place in range(size - 1)} | {"bob": -50_000}
        winner = "bob" if number < wins else f"v{number}-0"
        ended.append(headsup(number, nets=nets | {winner: (size - 1) * 50_000}))
    return ended


@pytest.mark.rule(PORTUGAL, "11.e")
@pytest.mark.parametrize(("size", "wins"), [(2, 17), (3, 11), (6, 7), (9, 6), (10, 6), (20, 4), (50, 3)])
def test_tournaments_that_many_lose_to_one_are_a_case(size: int, wins: int) -> None:
    """One less is what luck may do; beside regulars whom bob loses to as often as he wins, some more are a case.

    Found by an attacker: six of six with nine players, 48 buy-ins, were none.
    """
    ended = fields(size, wins)
    assert buy_in_flow(ended, NOW) == []
    (case,) = buy_ins_to_one(ended)
    assert (case.kind, case.players, case.hands) == ("buy_ins_to_one", ("bob",), ())
    assert case.evidence == {
        "to": "bob", "buy_ins": wins * (size - 1), "stakes": [("EUR", 50_000)],
        "net": {"EUR": wins * (size - 1) * 50_000}, "who": "strangers", "lost_to_it": wins * (size - 1),
        "tournaments": [f"t-{number}" for number in range(wins)],
    }  # fmt: skip
    assert buy_ins_to_one(ended[1:]) == []
    regulars = [headsup(n, *[("zoe", "bob"), ("bob", "zoe")][n % 2]) for n in range(100, 300)]
    ended = fields(size, wins + 3)
    assert [each.evidence["who"] for each in buy_ins_to_one([*ended, *regulars])] == ["strangers"]


@pytest.mark.parametrize(("size", "wins", "others"), [(2, 17, 1), (6, 7, 1), (9, 6, 1), (20, 4, 1), (100, 2, 0)])
def test_one_that_was_lost_or_two_large_ones_are_no_case(size: int, wins: int, others: int) -> None:
    assert buy_ins_to_one(fields(size, wins, others)) == []


def test_who_shared_the_first_prize_has_not_won_alone() -> None:
    ended = fields(9, 6)
    shared = ended[0].nets | {"bob": 175_000, "v0-0": 175_000}
    assert buy_ins_to_one([replace(ended[0], nets=shared), *ended[1:]]) == []


def test_who_met_the_one_more_often_is_no_stranger_and_counts_among_everybody() -> None:
    """Each of forty loses four and wins one."""
    played = [headsup(n, *[(f"mule-{n % 40}", "bob"), ("bob", f"mule-{n % 40}")][n >= 160]) for n in range(200)]
    (case,) = buy_ins_to_one(played)
    assert (case.evidence["who"], case.evidence["buy_ins"], case.evidence["lost_to_it"]) == ("everybody", 120, 40)


@pytest.mark.parametrize(("size", "wins", "others"), [(2, 240, 160), (6, 100, 400), (10, 5, 7), (10, 60, 340)])
def test_who_is_better_or_lucky_is_no_case(size: int, wins: int, others: int) -> None:
    """Three of five heads-up; a fifth of fields of six; fifteen of a hundred of ten."""
    assert buy_ins_to_one(fields(size, wins, others)) == []


def test_what_a_loser_lost_is_shared_among_the_winners() -> None:
    """Two prizes of a field of five; and of a freeroll nobody loses anything."""
    nets = {"ann": 1_250, "bob": 250, "cem": -500, "dan": -500, "eva": -500}
    moved = list(headsup(1, buy_in=500, nets=nets).moved())
    assert {(each.loser, each.winner): (each.part, each.amount) for each in moved} == {
        (loser, winner): part
        for loser in ("cem", "dan", "eva")
        for winner, part in (("ann", (832, 416)), ("bob", (166, 83)))
    }
    added = {"ann": 900, "bob": -100}
    assert [each.amount for each in headsup(1, buy_in=100, nets=added).moved()] == [100]
    assert list(headsup(1, buy_in=100, nets={"ann": 900}).moved()) == []


def folded(events: list[Any]) -> Results:
    results = Results()
    for version, fact in enumerate(events, 1):
        event = PublicEvent(stream="t-1", version=version, type="x", time=1_000 + version, causation="c", data=b"")
        note_results(results, event, fact)
    return results


def test_results_are_those_of_a_real_tournament() -> None:
    """Without fees what one loses another one wins."""
    events = Hall(4, seed=5, seats=5).run().course.events
    results = folded(events)
    (over,) = (each for each in events if isinstance(each, play.TournamentCompleted))
    assert (results.currency, results.buy_in, results.ended_at) == ("EUR", 2_000, 1_000 + len(events))
    assert sum(results.nets.values()) == 0
    assert results.nets == {each.player: each.prize - 2_000 for each in over.results}


def entered(*players: str) -> list[Any]:
    held = {"held": Held(), "tournament": "t-1", "at": 1, "bought": "entry", "amount": 2_200}
    held |= {"prize": 2_000, "fee": 200, "bounty": 0, "chips": 1}
    names = ({"player": player, "payment": f"e-{player}", "entry": f"e-{player}"} for player in players)
    return [t.PlayerRegistered(**held, **each, number=n) for n, each in enumerate(names, 1)]  # type: ignore[arg-type]


def credited(why: Any, **amounts: int) -> Any:
    credits = [t.Credit(f"e-{player}.{why}", f"e-{player}", player, prize=prize) for player, prize in amounts.items()]
    return t.CreditsDue(tournament="t-1", at=1, held=Held(), why=why, credits=credits)


PROPOSED = t.TournamentProposed(tournament="t-1", at=1, name="x", definition=definition(), by="floor-1")
OVER = play.TournamentCompleted(tournament="t-1", at=1, results=[], tables=[])


def test_who_has_everything_back_is_not_in_it_and_of_a_crowd_nothing_is_kept() -> None:
    crowd = [f"p{number}" for number in range(MOST_KEPT + 1)]
    more = [PROPOSED, *entered(*crowd[:MOST_KEPT])]
    back = credited("refund", **dict.fromkeys(crowd[2:MOST_KEPT], 2_000))
    results = folded([*more, back, credited("prize", p0=4_000), OVER])
    assert (results.nets, results.many) == ({"p1": -2_000, "p0": 2_000}, False)
    results = folded([*more, *entered(crowd[-1]), back, OVER])
    assert (results.nets, results.many, results.ended_at) == ({}, True, 0)
    assert folded([*entered("ann", "bob"), OVER]).ended_at == 0, "it had begun before"


@pytest.mark.stack
@pytest.mark.rule(PORTUGAL, "11.e")
async def test_the_job_finds_tournaments_that_were_lost_on_purpose(database: str) -> None:
    """Through the projection and the job itself; those of larger fields and those that were cancelled are none."""
    script = Script()
    for number in range(10):
        others = [f"x{other}" for other in range(MOST_KEPT - 1)] if number == 8 else []
        told = [PROPOSED, *entered("ann", "bob", *others), credited("prize", bob=4_000), OVER]
        for fact in told[: -1 if number == 9 else None]:
            script.say(f"t-{number}", fact)
    await migrate(database, SCHEMA, MIGRATIONS)
    pool = await open_pool(database, SCHEMA)
    placed = [("tournament.events", 0, each) for each in script.events]
    await project(pool, "audit", [LiveChecks()], MemorySource(placed))
    async with pool.acquire() as connection, connection.transaction():
        ended = await read_ended(connection, T0)
        assert [each.tournament for each in ended] == [f"t-{number}" for number in range(8)]
        assert await read_ended(connection, T0 + DAY) == []
        await connection.execute("set local enable_seqscan = off")  # of so few rows
        plan = "\n".join(row[0] for row in await connection.fetch(
            "explain select state from check_states where ended_at >= 5 order by ended_at, stream"))  # fmt: skip
    (case,) = await look(pool, T0 + DAY)
    await pool.close()
    assert (case.kind, case.players, case.evidence["buy_ins"]) == ("buy_in_flow", ("ann", "bob"), 8)
    assert case.evidence["net"] == {"EUR": 16_000}
    assert "check_states_results" in plan
