"""Places, prizes and bounties as the running tournament decides them, by the cases' own figures (pt-810-2015)."""

from typing import Any

import pytest

from libs.contracts import tournament_play_events as play
from libs.contracts import tournaments_events as told
from services.tournament.domain.play.seating import positions
from tests.testkit.cases import Case
from tests.tournament.course import MINUTE, START
from tests.tournament.directed import Directed
from tests.tournament.test_running import levels, paying

REGULATION = "pt-810-2015"
KNOCK_OUT: dict[str, Any] = {"levels": levels([[50, 100]], [600]), "seats": 6}
TIMED: dict[str, Any] = {"levels": levels([[50, 100]], [10]), "lasts_ms": 60 * MINUTE, "payouts": paying(5, 3, 2)}
OVER = START + 60 * MINUTE


def results(tournament: Directed) -> list[play.Result]:
    [completed] = tournament.of(play.TournamentCompleted)
    return list(completed.results)


def out(tournament: Directed) -> dict[str, tuple[int, int]]:
    return {event.entry: (event.first, event.last) for event in tournament.of(play.EntryEliminated)}


def credited(tournament: Directed, why: str) -> dict[str, int]:
    """By entry."""
    found: dict[str, int] = {}
    for due in tournament.of(told.CreditsDue):
        for each in due.credits if due.why == why else ():
            found[each.entry] = found.get(each.entry, 0) + each.amount
    return found


def around(tournament: Directed, table: int = 1) -> list[str]:
    """Entries in seat order."""
    return [entry for _, entry in sorted(tournament.play.tables[table].entries.items())]


@pytest.mark.rule(REGULATION, "33/1")
def test_the_last_who_are_left_are_paid(case: Case) -> None:
    tournament = Directed(case["entries"], seats=case["entries"], payouts=paying(5, 3, 2))
    named = dict(zip("ABCDE", around(tournament), strict=True))
    for name in case.text("order").split():
        tournament.hand(1, named[name])
    of_entry = {result.entry: result for result in results(tournament)}
    assert {name: of_entry[named[name]].first for name in case["places"]} == case["places"]
    paid = {entry for entry, result in of_entry.items() if result.prize}
    assert paid == {named[name] for name in case["places"]} == set(credited(tournament, "prize"))
    assert len(paid) == case["paid"]


@pytest.mark.rule(REGULATION, "33/2")
def test_at_the_fixed_time_the_most_chips_are_paid(case: Case) -> None:
    stacks = case["stacks"]
    tournament = Directed(4, seats=4, starting_stack=sum(stacks.values()) // 4, **TIMED)
    named = dict(zip(reversed(stacks), around(tournament), strict=True))
    tournament.deal(1)
    tournament.ends(1, {named[name]: chips for name, chips in stacks.items()})
    orbit(tournament, OVER)
    places = {result.entry: result.first for result in results(tournament) if result.prize}
    assert places == {named[name]: place for name, place in case["places"].items()}
    assert len(places) == case["paid"]


def orbit(tournament: Directed, over: int, *outs: str) -> list[int]:
    """Time is up: the seats that had the button since, to the end; in the first hand these go out."""
    tournament.course.wake(over)
    buttons: list[int] = []
    while tournament.course.state.phase == "running":
        tournament.deal(1, max(over, tournament.now) + 1)
        buttons.append(tournament.play.tables[1].button)
        tournament.finish(1, *outs)
        outs = ()
    return buttons


def four() -> tuple[Directed, dict[str, str], dict[int, str]]:
    """One hand is over, and the next button is B's; entries by their letters, and letters by their seats."""
    tournament = Directed(4, seats=4, **TIMED)
    tournament.hand(1)
    at = sorted(tournament.play.tables[1].entries.items())
    entries = {letter: entry for letter, (_, entry) in zip("ABCD", at, strict=True)}
    return tournament, entries, {seat: letter for letter, (seat, _) in zip("ABCD", at, strict=True)}


def button(tournament: Directed) -> int:
    return int(tournament.play.tables[1].button)


@pytest.mark.rule(REGULATION, "52/1")
def test_time_is_up_during_a_hand_and_everybody_has_the_deal_once_more(case: Case) -> None:
    tournament, entries, letters = four()
    assert list(entries) == case.text("seats").split()
    tournament.deal(1)
    assert letters[button(tournament)] == case["running"]
    tournament.course.wake(OVER)
    tournament.now = OVER
    assert tournament.released(tournament.finish(1)) == [1]
    buttons = [letters[seat] for seat in orbit(tournament, OVER + 1)]
    assert buttons == case.text("buttons").split()
    assert len(buttons) == case["hands"]


@pytest.mark.rule(REGULATION, "52/1")
def test_a_hand_that_began_in_time_and_is_heard_of_late_is_no_deal_of_the_orbit(case: Case) -> None:
    tournament, entries, letters = four()
    assert list(entries) == case.text("seats").split()
    tournament.course.wake(OVER)
    tournament.now = OVER
    tournament.deal(1, began=OVER - 1)
    assert letters[button(tournament)] == case["running"]
    tournament.finish(1)
    buttons = [letters[seat] for seat in orbit(tournament, OVER + 1)]
    assert buttons == case.text("buttons").split()
    assert len(buttons) == case["hands"]


@pytest.mark.rule(REGULATION, "52/2")
def test_the_turn_of_who_goes_out_in_the_orbit_is_skipped(case: Case) -> None:
    tournament, entries, letters = four()
    tournament.deal(1)
    tournament.course.wake(OVER)
    tournament.now = OVER
    tournament.finish(1)
    buttons = [letters[seat] for seat in orbit(tournament, OVER + 1, entries[case["out"]])]
    assert buttons == case.text("buttons").split()
    assert len(buttons) == case["hands"]


@pytest.mark.rule(REGULATION, "52/3")
def test_time_is_up_between_two_hands_and_everybody_has_the_deal_once_more(case: Case) -> None:
    tournament, entries, letters = four()
    assert list(entries) == case.text("seats").split()
    tournament.hand(1)
    assert letters[button(tournament)] == case["last"]
    [*_, released] = tournament.of(play.HandsReleased)
    assert released.until == OVER, "what was released before does not begin any more"
    buttons = [letters[seat] for seat in orbit(tournament, OVER)]
    assert buttons == case.text("buttons").split()
    assert len(buttons) == case["hands"]


@pytest.mark.rule(REGULATION, "52")
def test_nobody_changes_table_in_the_orbit() -> None:
    tournament = Directed(7, **{**TIMED, "seats": 4})
    for table in (1, 2):
        tournament.deal(table)
    tournament.course.wake(OVER)
    tournament.now = OVER
    tournament.finish(2, tournament.at(2)[0])
    tournament.finish(1)
    assert (tournament.sizes, tournament.of(play.EntryMoves)) == ([4, 2], [])
    assert tournament.course.state.phase == "running"


def pool_for(case: Case, *others: int) -> dict[str, Any]:
    """Five are left, and places 4 and 5 win what the case says of 100,000 cents; `others`: basis points above."""
    fourth, fifth = (case["prizes"][place] // 10 for place in (4, 5))
    shares = [*others, fourth, fifth]
    assert sum(shares) == 10_000
    return {"guarantee": 100_000, "payouts": [{"entries": 2, "shares": shares}]}


@pytest.mark.rule(REGULATION, "50/1")
def test_of_two_in_one_hand_the_bigger_stack_wins_more(case: Case) -> None:
    tournament = Directed(case["left"], seats=5, **pool_for(case, 4_000, 3_000, 2_000))
    one, other, third, *_ = around(tournament)
    bigger, smaller = case["stacks"]
    tournament.deal(1)
    tournament.ends(1, {one: smaller, other: bigger, third: 30_000 - bigger - smaller})
    tournament.hand(1, one, other)
    better, worse = case["places"]
    assert out(tournament) == {other: (better, better), one: (worse, worse)}
    assert credited(tournament, "prize") == {other: case["prizes"][better], one: case["prizes"][worse]}


@pytest.mark.rule(REGULATION, "50/2")
def test_in_hand_for_hand_two_tables_are_one_hand(case: Case) -> None:
    shares = [3_000, 2_000, 1_500, 1_300, 1_200, case["prize"] // 3]
    rules = {"guarantee": 30_000, "payouts": [{"entries": 2, "shares": shares}]}
    assert (sum(shares), len(shares)) == (10_000, case["paid"])
    tournament = Directed(case["left"], seats=6, **rules)
    bigger, smaller = case["stacks"]
    one, other = around(tournament, 1)[0], around(tournament, 2)[0]
    tournament.becomes(one, smaller)
    tournament.becomes(other, bigger)
    assert tournament.play.hand_for_hand
    for table in (1, 2):
        tournament.deal(table)
    tournament.finish(2, other)
    assert not out(tournament), "the other table plays"
    tournament.finish(1, one)
    better, worse = case["places"]
    assert out(tournament) == {other: (better, better), one: (worse, worse)}
    assert credited(tournament, "prize") == {other: case["prize"]}


@pytest.mark.rule(REGULATION, "51/1")
def test_equal_stacks_have_both_places_and_half_of_both_prizes(case: Case) -> None:
    tournament = Directed(5, seats=5, starting_stack=case["stack"], **pool_for(case, 4_000, 3_000, 2_000))
    one, other, *_ = around(tournament)
    tournament.hand(1, one, other)
    first, last = (int(place.rstrip("th")) for place in case["places"].split("-"))
    assert out(tournament) == dict.fromkeys((one, other), (first, last))
    assert credited(tournament, "prize") == dict.fromkeys((one, other), case["each"])


@pytest.mark.rule(REGULATION, "51/2")
def test_an_unpaid_place_is_nothing_and_the_odd_cent_goes_by_registration(case: Case) -> None:
    shares, pool = [3_000, 1_500, 1_200, 1_000, 900, 800, 600, 500, 500], 20 * case["prizes"][9]
    assert (sum(shares), len(shares)) == (10_000, case["unpaid"] - 1)
    tournament = Directed(
        case["left"], seats=10, starting_stack=case["stack"], guarantee=pool,
        payouts=[{"entries": 2, "shares": shares}],
    )  # fmt: skip
    tournament.hand(1, "entry-p7", "entry-p10")
    first, last = (int(place.rstrip("th")) for place in case["places"].split("-"))
    assert out(tournament) == dict.fromkeys(("entry-p7", "entry-p10"), (first, last))
    earlier, later = case["each"]
    assert credited(tournament, "prize") == {"entry-p7": earlier, "entry-p10": later}


@pytest.mark.rule(REGULATION, "FP-11/1", "FP-11/3")
def test_no_cent_of_a_pool_is_lost(case: Case) -> None:
    whole, tied = case.of("FP-11/1"), case.of("FP-11/3")
    payouts = [{"entries": 2, "shares": [100 * share for share in whole["shares"]]}]
    tournament = Directed(1 + tied["who"], seats=9, guarantee=whole["pool"], payouts=payouts)
    [fixed] = tournament.of(play.PrizesFixed)
    assert fixed.prizes == whole["prizes"]
    assert [float(exact) for exact in whole["exact"]] == [share * whole["pool"] / 100 for share in whole["shares"]]
    assert fixed.prizes[1] == tied["amount"]
    tournament.hand(1, "entry-p2", "entry-p3")
    won = credited(tournament, "prize")
    assert [won["entry-p2"], won["entry-p3"]] == tied["shares"]
    assert sum(won.values()) == whole["pool"]


def knock_out(case: Case, players: int = 5, **other: Any) -> Directed:
    buy_in = {"amount": 2_200 + case["bounty"], "prize": 2_000, "fee": 200, "bounty": case["bounty"]}
    return Directed(players, **{**KNOCK_OUT, "buy_in": buy_in, **other})


@pytest.mark.rule(REGULATION, "FP-6/1")
def test_the_winner_of_the_last_pot_has_the_bounty(case: Case) -> None:
    tournament = knock_out(case)
    of = dict(zip((case["main"], case["side"], case["out"]), around(tournament), strict=False))
    main, side, gone = (of[case[name]] for name in ("main", "side", "out"))
    tournament.deal(1)
    tournament.wins(1, 1, ([main, side, gone], [main]), ([side, gone], [side]), ([main, side], [main]))
    tournament.finish(1, gone)
    assert credited(tournament, "bounty") == {side: case["bounty"]}


@pytest.mark.rule(REGULATION, "FP-6/2")
def test_who_split_the_last_pot_split_the_bounty(case: Case) -> None:
    tournament = knock_out(case)
    of = dict(zip((*case["winners"].split(), case["out"]), around(tournament), strict=False))
    winners, gone = [of[name] for name in case["winners"].split()], of[case["out"]]
    tournament.deal(1)
    tournament.wins(1, 1, ([*winners, gone], winners))
    tournament.finish(1, gone)
    assert credited(tournament, "bounty") == dict.fromkeys(winners, case["each"])


@pytest.mark.rule(REGULATION, "FP-6/3")
def test_the_odd_cent_of_a_bounty_goes_to_the_earlier_registration(case: Case) -> None:
    tournament = knock_out(case, 10, seats=10)
    of = {name: "entry-p9" if name == case["first"] else "entry-p10" for name in case["winners"].split()}
    of[case["out"]] = "entry-p1"
    winners = [of[name] for name in case["winners"].split()]
    tournament.deal(1)
    tournament.wins(1, 1, ([*winners, "entry-p1"], winners))
    tournament.finish(1, "entry-p1")
    won = credited(tournament, "bounty")
    assert {name: won.get(entry) for name, entry in of.items()} == {**case["shares"], case["out"]: None}


@pytest.mark.rule(REGULATION, "FP-6/4")
def test_at_the_fixed_time_everybody_in_has_the_own_bounty(case: Case) -> None:
    tournament = knock_out(case, case["still_in"] + 1, **{**TIMED, "seats": 4})
    first, second, *_ = around(tournament)
    tournament.deal(1)
    tournament.wins(1, 1, ([first, second], [second]))
    tournament.finish(1, first)
    orbit(tournament, OVER)
    own = {result.entry: case["bounty"] for result in results(tournament) if result.entry != first}
    assert len(own) == case["still_in"]
    assert credited(tournament, "bounty") == {**own, second: 2 * case["bounty"]}, "besides those they won"
    assert tournament.course.state.held.total == 0


@pytest.mark.rule(REGULATION, "47/2")
def test_two_less_at_one_table_move_one_player(case: Case) -> None:
    tournament = Directed(sum(case["sizes"]), seats=9)
    assert tournament.sizes == case["sizes"]
    tournament.round(tournament.at(case["to"])[0])
    assert (tournament.sizes, tournament.of(play.EntryMoves)) == (case["after_one"], [])
    last = len(tournament.course.events)
    tournament.round(tournament.at(case["to"])[0])
    assert case["after_two"] == [case["after_one"][0] - 1, *case["after_one"][1:]]
    [move] = [event for event in tournament.course.events[last:] if isinstance(event, play.EntryMoves)]
    assert (move.to_table, move.reason) == (case["to"], "balance")
    assert sorted(tournament.sizes) == sorted(case["moved"])


@pytest.mark.rule(REGULATION, "FP-7")
@pytest.mark.rule(REGULATION, "47/3")
def test_once_two_tables_hold_everybody_the_third_is_broken(case: Case) -> None:
    tournament = Directed(sum(case["sizes"]), seats=case["seats"])
    assert tournament.sizes == case["sizes"]
    tournament.round(tournament.at(1)[0])
    assert tournament.play.left == case["players"]
    [broken] = tournament.of(play.TableBroken)
    assert broken.table == 3, "the highest-numbered"
    assert tournament.sizes == case["after"]


@pytest.mark.rule(REGULATION, "FP-7/1")
def test_the_next_big_blind_of_a_drawn_table_moves(case: Case) -> None:
    sources: set[int] = set()
    for seed in range(12):
        tournament = Directed(27, seats=9, breaks=[{"after_level": 1, "lasts_ms": MINUTE}])
        for _ in range(case["button"] - 2):
            tournament.round()
        tournament.round(tournament.at(1)[0])
        for table in (1, 2, 3):
            tournament.deal(table)
        tournament.course.wake(START + 2 * MINUTE)
        assert tournament.play.on_break, "so that both full tables are between hands when the third one is"
        tournament.now = START + 2 * MINUTE
        tournament.finish(2)
        tournament.finish(3)
        tournament.course.seeds.seed(seed)
        floor = tournament.play.floor
        [move] = [e for e in tournament.finish(1, tournament.at(1)[0]) if isinstance(e, play.EntryMoves)]
        sources.add(move.table)
        assert [floor[1].size - 1, floor[2].size, floor[3].size] == case["sizes"]
        assert floor[move.table].button == case["button"]
        assert list(positions(floor[move.table].entries, case["button"])) == case["next"]
        assert (move.seat, move.to_table) == (case["seat"], 1)
    assert case["table"] in sources
    assert sources == {2, 3}, "drawn among the largest"
