"""Who is disqualified, excluded, moved by the staff, or away: FP-16, 26, 48 of Reg. 810/2015, with real tables."""

from random import Random
from typing import Any

import msgspec
import pytest

from libs.contracts import tournament_events as at_table
from libs.contracts import tournament_play_commands as heard
from libs.contracts import tournament_play_events as play
from libs.contracts import tournaments_commands as asked
from libs.contracts import tournaments_events as told
from libs.contracts.commands import fitted
from libs.contracts.messages import Principal
from libs.contracts.poker_events import BlindPosted, PlayerFolded
from libs.contracts.table_commands import SitIn, SitOut
from libs.contracts.tournament_commands import BarEntrant
from libs.contracts.wallet_commands import WithdrawFunds
from libs.decider import Rejected
from services.audit.verifying.tournaments import TournamentMoney, check_end, check_tournament
from services.cli.replaying.tournament.house import OPERATOR
from services.tournament.domain.reminding import REMIND_MS
from services.tournament.policies.orders import ORDERS
from services.tournament.policies.tables import TO_TABLES
from tests.table.play import HOLDEM
from tests.table.tournament.play import TournamentTable
from tests.testkit.cases import Case
from tests.tournament.cashier import Purse, public
from tests.tournament.course import FLOOR, MINUTE, POLICY, START, SUPERVISOR, Course, done, player, why
from tests.tournament.directed import Directed
from tests.tournament.hall import Hall
from tests.tournament.test_whole_tournaments import assert_sound

REGULATION = "pt-810-2015"
FP16 = f"{REGULATION}#FP-16"
SECOND = Principal("staff", "supervisor-2")
NINE = [3_000, 2_000, 1_500, 1_000, 800, 600, 500, 300, 300]


def disqualify(name: str = "p1") -> asked.DisqualifyPlayer:
    return asked.DisqualifyPlayer(player=name, reason="two seats of one person")


def release(name: str = "p1") -> asked.ReleasePrize:
    return asked.ReleasePrize(player=name, reason="the appeal was right")


def final(name: str = "p1") -> asked.FinalizeDisqualification:
    return asked.FinalizeDisqualification(player=name, reason="nobody appealed")


def confirm(name: str = "p1") -> asked.ConfirmExclusion:
    return asked.ConfirmExclusion(player=name, reason="seen on the national list")


@pytest.mark.rule(REGULATION, "FP-16/1")
def test_disqualified_between_hands(case: Case) -> None:
    left, before = case["left"], case["before"]
    payouts = [{"entries": 2, "shares": NINE}]
    assert (len(NINE), before % left) == (case["paid"], 0)
    tournament = Directed(left, seats=9, payouts=payouts, guarantee=100_000, starting_stack=before // left)
    course = tournament.course
    tournament.becomes("entry-p1", case["stack"])
    assert sum(tournament.play.stacks.values()) == before
    table = _table_of(tournament)
    decided = done(course.ask(SUPERVISOR, disqualify()))
    [recorded] = [event for event in decided if isinstance(event, told.PlayerDisqualified)]
    assert (recorded.by, recorded.reason) == ("supervisor-1", "two seats of one person")
    assert not tournament.released(decided), "the next hand waits until he has gone"
    _obeys(tournament, table, recorded)
    [out] = tournament.of(play.EntryEliminated)
    assert (out.entry, out.first, out.last, out.disqualified) == ("entry-p1", case["place"], case["place"], True)
    assert sum(tournament.play.stacks.values()) == sum(table.stacks.values()) == case["chips"]
    assert tournament.of(play.HandsReleased)[-1].hands, "play goes on without him"
    [held] = tournament.of(told.PrizesWithheld)
    assert [(each.player, each.prize) for each in held.credits] == [("p1", case["prize"])]
    assert course.credited() == {}
    tournament.down_to(1)
    assert (course.state.phase, course.credited()) == ("running", {}), "nobody is paid on one person's word"
    assert why(course.ask(SUPERVISOR, release())) == ("same_person", FP16)
    assert why(course.ask(SECOND, release("p2"))) == ("nothing_held", FP16)
    done(course.ask(SECOND, release()))
    assert (course.state.phase, course.state.held.total) == ("completed", 0)
    assert course.credited()["p1"] == case["prize"]
    assert sum(course.credited().values()) == 100_000


def _table_of(tournament: Directed) -> TournamentTable:
    """The tournament's only table, as its own service has it."""
    table = TournamentTable(HOLDEM, seats=9, big_blind=100)
    for seat, entry in tournament.play.tables[1].entries.items():
        chips, sitting = tournament.play.stacks[entry], tournament.play.sittings[entry]
        assert table.seats_entrant(seat, chips, entry.removeprefix("entry-"), sitting) is None
    return table


def _obeys(tournament: Directed, table: TournamentTable, event: Any) -> None:
    """What the tournament asks of its table by the event, and what it hears of that."""
    before = len(table.told)
    for message in ORDERS[type(event)](public(event, 1), event):
        assert table.asks(fitted(BarEntrant, msgspec.to_builtins(message.body)).__class__, **dict(message.body)) is None
    for fact in table.told[before:]:
        for message in TO_TABLES.get(type(fact), lambda *_: [])(public(fact, 1), fact):
            command = fitted(getattr(heard, message.type), msgspec.to_builtins(message.body))
            tournament._hear(command, None)


@pytest.mark.parametrize("seed", range(8))
def test_chips_and_money_add_up_whoever_is_disqualified_whenever(seed: int) -> None:
    luck = Random(seed)
    buy_in = {"amount": 3_300, "prize": 2_000, "fee": 300, "bounty": 1_000}
    hall = Hall(
        15, seed=seed, seats=5, buy_in=buy_in, payouts=[{"entries": 2, "shares": [4_000, 3_000, 2_000, 1_000]}],
        prizes_paid=luck.choice(["as_determined", "at_end"]),
    )  # fmt: skip
    for _ in range(luck.randint(5, 700)):
        hall.step()
    barred = luck.sample([entry.player for entry in hall.state.alive], min(2, len(hall.state.alive) - 1))
    for name in barred:
        hall.course.ask(SUPERVISOR, disqualify(name), hall.now)
    before = hall.course.credited()
    for _ in range(luck.choice([0, 300, 20_000])):
        if not hall.step():
            break
    assert (hall.state.phase, hall.course.credited()) == ("running", before), "nobody is paid on one person's word"
    audit = TournamentMoney()
    assert _found(hall, audit) == []
    seen = len(hall.course.events)
    for name in barred:
        done(hall.course.ask(SECOND, luck.choice([release, final])(name), hall.now))
    hall.run()
    gone = hall.of(play.ChipsOutOfPlay)
    assert sum(hall.play.stacks.values()) + sum(event.chips for event in gone) == 15 * 10_000
    off = [fact for facts in hall.facts.values() for fact in facts if isinstance(fact, at_table.EntrantDisqualified)]
    assert sorted(event.chips for event in off if event.chips) == sorted(event.chips for event in gone if event.chips)
    [completed] = hall.of(play.TournamentCompleted)
    assert sorted(result.player for result in completed.results) == sorted(f"p{n}" for n in range(1, 16))
    credited = hall.course.credited()
    assert sum(credited.values()) + hall.state.held.total == 15 * 3_000
    assert (hall.state.held.total, hall.state.withheld) == (0, {})
    assert _found(hall, audit, seen) == [], "the auditor knows what is held"
    assert not any(audit.due.values())


def _found(hall: Hall, audit: TournamentMoney, since: int = 0) -> list[Any]:
    events = hall.course.events[since:]
    return [finding for event in events for finding in check_tournament(audit, public(event, 1), event)] + [
        *check_end("t-1", audit)
    ]


def test_in_a_hand_he_folds_at_his_turn_and_goes_after_it() -> None:
    table = TournamentTable(HOLDEM, seats=9, big_blind=100).enter(1, 2, 3).after_button(3).deal().plays("1 call")
    assert table.asks(BarEntrant, reservation=table.state.seats[3].reservation, why="disqualified") is None
    assert 3 in table.state.seats, "what he has bet is claimed by the hand"
    table.plays("2 call")
    assert table.turn == 3
    table.wake()
    [folded] = table.of(PlayerFolded)
    assert (folded.seat, folded.actor, folded.reason) == (3, "house", "barred"), "though a check was free"
    table.folds_round()
    [gone] = table.of(at_table.EntrantDisqualified)
    assert (gone.seat, gone.chips, sorted(table.state.seats)) == (3, 29_900, [1, 2])
    assert table.chips == 60_100


def test_cancelled_while_a_prize_is_held_it_stays_held() -> None:
    tournament = Directed(9, seats=9, payouts=[{"entries": 2, "shares": NINE}], guarantee=100_000)
    table = _table_of(tournament)
    _obeys(tournament, table, done(tournament.course.ask(SUPERVISOR, disqualify()))[0])
    tournament.hand(1)
    done(tournament.course.ask(FLOOR, asked.ProposeCancellation(cause="technical", reason="fire")))
    done(tournament.course.ask(SUPERVISOR, asked.ConfirmCancellation(sheet=1)))
    assert tournament.course.state.held.total == 3_000
    assert "p1" not in tournament.course.credited()


FINAL = final()


@pytest.mark.parametrize("whose", ["winner", "equal_parts"])
@pytest.mark.parametrize("cancelled", [False, True])
def test_a_final_disqualification_gives_what_was_held_to_others(whose: str, cancelled: bool) -> None:
    """Left to the specific rules by FP-16; nobody's money stays in a tournament that is over for ever."""
    buy_in = {"amount": 3_000, "prize": 2_000, "bounty": 1_000}
    payouts = [{"entries": 2, "shares": [5_000, 3_000, 2_000]}]
    tournament = Directed(3, seats=9, payouts=payouts, buy_in=buy_in, refused_prizes=whose)
    course, table = tournament.course, _table_of(tournament)
    [disqualified, *_] = done(course.ask(SUPERVISOR, disqualify()))
    _obeys(tournament, table, disqualified)
    if cancelled:
        done(course.ask(FLOOR, asked.ProposeCancellation(cause="technical", reason="fire")))
        done(course.ask(SUPERVISOR, asked.ConfirmCancellation(sheet=1)))
    else:
        at = tournament.play.tables[1]
        tournament.deal(1)
        tournament.wins(1, at.allowed, (["entry-p2", "entry-p3"], ["entry-p2"]))
        tournament.finish(1, "entry-p3")
    held, before = course.state.held, course.credited()
    assert (held.prize, held.bounty) == ((2_000, 1_000) if cancelled else (6_000, 3_000)), "what was won waits"
    assert why(course.ask(SUPERVISOR, FINAL)) == ("same_person", FP16)
    decided = done(course.ask(SECOND, FINAL))
    assert (decided[0].by, decided[0].reason) == ("supervisor-2", "nobody appealed")  # type: ignore[attr-defined]
    got = {name: amount - before.get(name, 0) for name, amount in course.credited().items()}
    if cancelled:
        assert [event.why for event in decided if isinstance(event, told.CreditsDue)] == ["prize", "bounty"]
        assert (sum(got.values()), "p1" in got) == (3_000, False)
    elif whose == "winner":
        assert got == {"p2": 3_000 + 2_000 + 2_200, "p3": 1_800}, "place 3 and the own head, which nobody won"
    else:
        assert got == {"p2": 3_000 + 2_000 + 1_100, "p3": 1_800 + 1_100}
    assert (course.state.held.total, course.state.withheld) == (0, {})
    assert why(course.ask(SECOND, FINAL)) == why(course.ask(SECOND, release())) == ("nothing_held", FP16)
    assert why(course.ask(SECOND, release())) == ("nothing_held", FP16)
    audit = TournamentMoney()
    found = [each for n, event in enumerate(course.events) for each in check_tournament(audit, public(event, n), event)]
    assert (found, list(check_end("t-1", audit))) == ([], [])


def test_a_bounty_that_is_released_is_no_prize() -> None:
    buy_in = {"amount": 3_000, "prize": 2_000, "bounty": 1_000}
    tournament = Directed(9, seats=9, payouts=[{"entries": 2, "shares": [10_000]}], buy_in=buy_in)
    _obeys(tournament, _table_of(tournament), done(tournament.course.ask(SUPERVISOR, disqualify()))[0])
    credited = done(tournament.course.ask(SECOND, release()))[1]
    assert isinstance(credited, told.CreditsDue)
    assert (credited.why, [each.bounty for each in credited.credits]) == ("bounty", [1_000])


@pytest.mark.parametrize("moment", [0, 1])
def test_nobody_who_does_not_play_is_disqualified(moment: int) -> None:
    course = Course.registering().enter("p1") if not moment else Directed(9).down_to(8).course
    out = "p1" if not moment else next(entry.player for entry in course.state.entries.values() if entry.status == "out")
    refused = course.ask(SUPERVISOR, disqualify(out))
    assert why(refused) == ("wrong_moment" if not moment else "not_registered", FP16)


def test_a_table_that_does_not_let_him_go_is_asked_again() -> None:
    tournament = Directed(9, seats=9, levels=[{"small_blind": 50, "big_blind": 100, "lasts_ms": 10 * MINUTE}])
    done(tournament.course.ask(SUPERVISOR, disqualify(), START + 1_000))
    tournament.course.wake(START + REMIND_MS + 2_000)
    [repeated] = tournament.of(play.OrdersRepeated)[-1:]
    assert repeated.disqualified == [tournament.play.sittings["entry-p1"]]


@pytest.mark.rule(REGULATION, "FP-16")
def test_an_exclusion_that_did_not_reach_the_table_is_asked_again() -> None:
    """Found by an attacker: the order lapsed while the table was away, and the player went on there."""
    tournament = Directed(9, seats=9, levels=[{"small_blind": 50, "big_blind": 100, "lasts_ms": 10 * MINUTE}])
    table = _table_of(tournament)
    done(tournament.course.ask(SECOND, asked.ExcludePlayer(player="p1", reason="listed"), START + 1_000))
    tournament.course.wake(START + REMIND_MS + 2_000)
    [repeated] = tournament.of(play.OrdersRepeated)[-1:]
    sitting = tournament.play.sittings["entry-p1"]
    bars = [each for each in ORDERS[play.OrdersRepeated](public(repeated, 1), repeated) if each.type == "BarEntrant"]
    assert [dict(each.body) for each in bars] == [{"reservation": sitting, "why": "excluded"}]
    for _ in range(2):  # heard already, it changes nothing
        for each in bars:
            assert table.asks(BarEntrant, **dict(each.body)) is None
    (told_,) = [event for event in table.told if isinstance(event, at_table.EntrantBarred)]
    assert (told_.reservation, told_.why) == (sitting, "excluded")


@pytest.mark.rule(REGULATION, "FP-16/3")
def test_excluded_after_the_start_he_is_away_and_a_prize_is_his(case: Case) -> None:
    rebuy = {
        "price": {"amount": 2_000, "prize": 2_000}, "chips": 10_000, "until": {"level": 6}, "time_ms": 30_000,
    }  # fmt: skip
    levels = [{"small_blind": 50 * 2**n, "big_blind": 100 * 2**n, "lasts_ms": 2 * MINUTE} for n in range(12)]
    shares = [3_000, 2_000, 2_000, 1_500, 1_500]
    hall = Hall(
        5, seed=3, seats=5, levels=levels, rebuy=rebuy, re_entry={"level": 6}, add_on={
            "price": {"amount": 1_000, "prize": 1_000}, "chips": 10_000, "after_level": 6,
        }, breaks=[{"after_level": 6, "lasts_ms": MINUTE}], payouts=[{"entries": 2, "shares": shares}],
    )  # fmt: skip
    purse = Purse(hall.course, "p1", 10_000)
    while not hall.of(play.HandDealt):
        assert hall.step()
    exclusion = asked.ExcludePlayer(player="p1", reason="self-exclusion")
    [excluded, *_] = done(hall.course.ask(SUPERVISOR, exclusion, hall.now))
    assert isinstance(excluded, told.PlayerExcluded)
    assert (excluded.by, excluded.reason) == ("supervisor-1", "self-exclusion")
    hall.absent = {"p1"}
    assert hall.step()
    [name] = hall.tables
    [seat] = [seat for seat in hall.tables[name].seats.values() if seat.player == "p1"]
    assert seat.barred == "excluded"
    assert hall._table(name, player("p1"), SitIn()) == "barred"
    for buys in (asked.RequestRebuy(payment="more"), asked.RequestAddOn(payment="more")):
        refused = hall.course.ask(player("p1"), buys, hall.now)
        assert isinstance(refused, Rejected)
    assert why(hall.course.ask(player("p1"), asked.RequestRebuy(payment="more"), hall.now)) == ("player_excluded", FP16)
    began = hall.now
    while hall.step():
        hall.check()
    posted = [f for f in hall.facts[name] if isinstance(f, BlindPosted) and f.seat == seat.seat and f.at > began]
    assert len(posted) > 1, "blinds are taken"
    assert not hall.of(play.RebuyOffered) or "p1" not in {event.player for event in hall.of(play.RebuyOffered)}
    assert (hall.course.state.phase, hall.course.credited()) == ("running", {}), "nobody is paid on one person's word"
    assert why(hall.course.ask(SUPERVISOR, confirm(), hall.now)) == ("same_person", FP16)
    done(hall.course.ask(SECOND, confirm(), hall.now))
    hall.run()
    assert why(hall.course.ask(SECOND, confirm(), hall.now)) == ("nothing_held", FP16)
    prize = next(result.prize for result in hall.of(play.TournamentCompleted)[0].results if result.player == "p1")
    assert prize == hall.course.credited()["p1"] > 0
    purse.settle()
    assert purse.available == 10_000 + prize
    purse._decide(OPERATOR, WithdrawFunds(reference="home", amount=10_000 + prize))
    assert purse.available == 0


@pytest.mark.rule(REGULATION, "FP-16")
def test_excluded_before_the_start_leaves_others_a_guarantee_that_waits_for_another_person() -> None:
    """Found by an attacker: one of security excluded all but two friends, and 10,000.00 of the house were theirs."""
    hall = Hall(4, seed=2, seats=5, min_players=2, guarantee=100_000)
    for name in ("p1", "p2"):
        done(hall.course.ask(SUPERVISOR, asked.ExcludePlayer(player=name, reason="list"), START - 1))
    refunds = hall.course.credited()
    assert refunds.keys() == {"p1", "p2"}, "they have theirs back at once"
    while hall.step():
        hall.check()
    for name in ("p1", "p2"):
        assert (hall.course.state.phase, hall.course.credited()) == ("running", refunds)
        assert why(hall.course.ask(SUPERVISOR, confirm(name), hall.now)) == ("same_person", FP16)
        done(hall.course.ask(SECOND, confirm(name), hall.now))
    hall.run()
    assert sum(hall.course.credited().values()) == 100_000 + sum(refunds.values())


@pytest.mark.rule(REGULATION, "FP-16/3")
def test_who_is_excluded_does_not_come_back() -> None:
    rebuy = {"price": {"amount": 2_000, "prize": 2_000}, "chips": 10_000, "until": {"level": 2}, "time_ms": 30_000}
    tournament = Directed(9, rebuy=rebuy, re_entry={"level": 2})
    done(tournament.course.ask(SUPERVISOR, asked.ExcludePlayer(player="p1", reason="self-exclusion")))
    tournament.hand(1, "entry-p1")
    assert not tournament.of(play.RebuyOffered)
    assert [event.entry for event in tournament.of(play.EntryEliminated)] == ["entry-p1"]
    again = tournament.course.ask(player("p1"), asked.RegisterPlayer(entry="again"))
    assert why(again) == ("player_excluded", FP16)


def test_who_is_excluded_is_so_at_every_table() -> None:
    hall = Hall(15, seed=2, seats=5)
    done(hall.course.ask(SUPERVISOR, asked.ExcludePlayer(player="p1", reason="self-exclusion"), START))
    hall.absent = {"p1"}
    done(hall.course.ask(SECOND, confirm(), START))
    hall.run()
    seated = [fact for facts in hall.facts.values() for fact in facts if isinstance(fact, at_table.EntrantSeated)]
    mine = [fact.away for fact in sorted(seated, key=lambda fact: fact.at) if fact.player == "p1"]
    assert mine == ["unseen", *["excluded"] * (len(mine) - 1)]
    assert_sound(hall, 15)
    again = asked.ExcludePlayer(player="p2", reason="self-exclusion")
    assert why(hall.course.ask(SUPERVISOR, again)) == ("tournament_over", f"{REGULATION}#FP-20")


def test_absence_goes_along_to_the_next_table_and_staff_are_told_when_all_are_away() -> None:
    hall = Hall(10, seed=2, seats=5)
    hall.absent = {f"p{n}" for n in range(1, 11)}
    while not hall.of(play.EverybodyAway):
        assert hall.step()
    assert [event.left for event in hall.of(play.EverybodyAway)] == [hall.play.left]
    assert set(hall.play.away.values()) == {"not_connected"}
    place = hall.play.places["entry-p1"]
    assert hall._table(f"t-1.t{place.table}", player("p1"), SitIn()) is None
    hall.absent -= {"p1"}
    hall.step()
    assert (hall.play.away.get("entry-p1"), hall.play.alarmed) == (None, False)
    hall.run()
    moved = [event for event in hall.of(play.EntrySeated) if event.sitting.endswith(".2")]
    assert {event.away for event in moved if event.player != "p1"} == {"not_connected"}
    assert_sound(hall, 10)


def test_an_absence_is_told_once_and_by_the_table() -> None:
    tournament = Directed(9)
    away = heard.HearAbsence(player="p1", away="away")
    assert [type(event) for event in done(tournament.course.ask(POLICY, away))] == [play.AbsenceHeard]
    assert done(tournament.course.ask(POLICY, away)) == []
    assert done(tournament.course.ask(POLICY, heard.HearAbsence(player="nobody", away="away"))) == []


@pytest.mark.parametrize("seed", range(4))
def test_the_staff_move_a_player_between_hands(seed: int) -> None:
    hall = Hall(14, seed=seed, seats=5)
    while not hall.of(play.HandDealt):
        assert hall.step()
    sizes = {number: len(table.entries) for number, table in hall.play.tables.items()}
    small = min(sizes, key=lambda number: (sizes[number], number))
    large = next(number for number in sizes if sizes[number] > sizes[small])
    entry = next(iter(hall.play.tables[large].entries.values()))
    name = hall.state.entries[entry].player

    def move(to: int) -> asked.MovePlayer:
        return asked.MovePlayer(player=name, table=to, reason="cannot see the screen")

    refused = ("no_such_move", f"{REGULATION}#47")
    assert why(hall.course.ask(FLOOR, move(large), hall.now)) == refused, "there already"
    assert why(hall.course.ask(FLOOR, move(9), hall.now)) == refused, "no such table"
    other = next((number for number in sizes if number != large and sizes[number] == sizes[large]), None)
    assert other is None or why(hall.course.ask(FLOOR, move(other), hall.now)) == refused, "a table as full"
    [ordered, *_] = done(hall.course.ask(FLOOR, move(small), hall.now))
    assert isinstance(ordered, told.MoveOrdered)
    assert (ordered.by, ordered.reason, ordered.to_table) == ("floor-1", "cannot see the screen", small)
    hall.run()
    moves = [event for event in hall.of(play.EntryMoves) if event.entry == entry]
    lapsed = [event for event in hall.of(play.MoveLapsed) if event.entry == entry]
    out = [event for event in hall.of(play.EntryEliminated) if event.entry == entry]
    assert (moves and moves[0].reason == "staff" and moves[0].to_table == small) or lapsed or out
    assert_sound(hall, 14)


def test_who_sits_out_by_wish_is_away_for_the_tournament() -> None:
    hall = Hall(6, seed=1, seats=6)
    while not hall.of(play.HandDealt):
        assert hall.step()
    [name] = hall.tables
    assert hall._table(name, player("p2"), SitOut()) is None
    hall._pass_on()
    assert hall.play.away == {"entry-p2": "away"}
