"""Cases of Reg. 810/2015 on entries, definitions, windows, pauses and cancellations, by the matrix's own figures."""

from random import Random
from typing import Any

import msgspec
import pytest

from libs.contracts import conduct_commands as conduct
from libs.contracts import tournament_play_events as play
from libs.contracts import tournaments_commands as asked
from libs.contracts import tournaments_events as told
from libs.contracts.commands import TournamentCommand, message_of
from libs.contracts.messages import CommandMessage, Principal, command_id_at
from libs.contracts.poker_events import BetPlaced, BlindPosted, HandStarted, PlayerChecked, PlayerFolded, PotAwarded
from libs.contracts.registry import ALL_TOURNAMENT_COMMANDS, wire_name
from libs.contracts.tournaments import Cause
from libs.contracts.tournaments_events import Held
from services.table.policies.reactions import TO_WALLET
from services.tournament.domain.directing import NOTICE_MS
from services.tournament.domain.life_cycle import next_wake
from services.tournament.machine import tournament_machine
from services.tournament.publishing import tournament_publisher
from tests.journal.bank import EVENTS, NAMES
from tests.journal.house import House
from tests.table.play import HOLDEM
from tests.table.tournament.play import TournamentTable
from tests.testkit.cases import Case
from tests.testkit.partitions import partition_of
from tests.testkit.simulated import SimulatedBroker
from tests.tournament.cashier import Cashier
from tests.tournament.course import FLOOR, MINUTE, START, SUPERVISOR, Course, definition, done, player, why
from tests.tournament.directed import Directed
from tests.tournament.hall import Hall
from tests.tournament.test_money import booked, in_transit, of_tournaments

REGULATION = "pt-810-2015"
MIDNIGHT = START - 20 * 60 * MINUTE
"""The hour set for the start is 20:00."""
TEN_MINUTES = [{"small_blind": 50 * n, "big_blind": 100 * n, "lasts_ms": 10 * MINUTE} for n in range(1, 10)]
FAULT = asked.ProposeCancellation(cause="technical", reason="the hall is dark")
UNREGISTER = asked.UnregisterPlayer()
CONFIRM = asked.ConfirmCancellation(sheet=1)


def at(case: Case, name: str) -> int:
    """A time of day of the case, milliseconds since the epoch."""
    return MIDNIGHT + case.moment(name)


def times(case: Case, name: str) -> list[int]:
    """Several."""
    each = [case.read(name, list[str])[place] for place in range(len(case[name]))]
    return [MIDNIGHT + Case({"": {"at": time}}, set()).moment("at") for time in each]


def price(amount: int, prize: int, fee: int) -> dict[str, int]:
    return {"amount": amount, "prize": prize, "fee": fee}


def enter(tournament: Directed, name: str, now: int, entry: str = "") -> str:
    """Late or again, asked and paid at once; the entry."""
    entry = entry or f"entry-{name}"
    tournament.now = max(tournament.now, now)
    done(tournament.course.register(name, now, entry))
    done(tournament.course.paid(entry, now))
    return entry


def cancelled(course: Course, fault: asked.ProposeCancellation = FAULT, now: int | None = None) -> Any:
    done(course.ask(FLOOR, fault, now))
    done(course.ask(SUPERVISOR, CONFIRM, now))
    [event] = [event for event in course.events if isinstance(event, told.TournamentCancelled)]
    return event


@pytest.mark.rule(REGULATION, "21/1")
def test_who_has_a_cent_too_little_is_refused(case: Case) -> None:
    cashier = Cashier()
    cashier.announce(buy_in=price(case["buy_in"], case["buy_in"] - 200, 200))
    cashier.deposit("ann", case["short"])
    before = _moved(cashier)
    cashier.register("ann")
    assert _moved(cashier) == before, "nothing moves"
    assert cashier.states["tournament", "t-1"].alive == []
    cashier.deposit("ann", case["enough"] - case["short"])
    cashier.register("ann", entry="entry-2")
    cashier.settle()
    assert [entry.entry for entry in cashier.states["tournament", "t-1"].alive] == ["entry-2"]
    assert cashier.available("ann") == case["left"]


def _moved(cashier: Cashier) -> dict[str, int]:
    return {name: amount for name, amount in booked(cashier.settle()).items() if amount}


@pytest.mark.rule(REGULATION, "22/1")
def test_the_buy_in_is_taken_at_once(case: Case) -> None:
    prize, fee = case["parts"]
    cashier = Cashier()
    assert at(case, "start") == START
    cashier.announce(buy_in=price(case["buy_in"], prize, fee))
    cashier.deposit("ann", case["balance"])
    cashier.now = at(case, "at")
    cashier.register("ann")
    balances = booked(cashier.settle())
    assert cashier.available("ann") == case["after"]
    assert of_tournaments(balances) == {"tournament-prize/t-1": prize, "tournament-fee/t-1": fee}
    assert not in_transit(balances)
    assert cashier.now == at(case, "at"), "before the start"


@pytest.mark.rule(REGULATION, "22/2")
@pytest.mark.parametrize("seed", range(8))
def test_one_balance_buys_one_entry_of_two_asked_at_once(case: Case, seed: int) -> None:
    cashier = Cashier(seed)
    for name in ("t-1", "t-2"):
        cashier.announce(name, buy_in=price(case["buy_in"], case["buy_in"] - 200, 200))
    cashier.deposit("ann", case["balance"])
    for name in ("t-1", "t-2"):
        cashier.register("ann", name, f"entry-{name}")
    booked(cashier.settle())
    assert sorted(len(cashier.states["tournament", name].alive) for name in ("t-1", "t-2")) == [0, 1]
    assert cashier.available("ann") == case["after"]


@pytest.mark.parametrize(
    ("ref", "earlier"),
    [
        pytest.param("24/1", False, marks=pytest.mark.rule(REGULATION, "24/1")),
        pytest.param("24/2", True, marks=pytest.mark.rule(REGULATION, "24/2")),
    ],
)
def test_a_registration_is_cancelled_before_its_deadline(case: Case, ref: str, earlier: bool) -> None:
    assert at(case, "start") == START
    course = Course.registering(unregister_before_ms=case["minutes"] * MINUTE if earlier else 0)
    course.enter("ann", "bob", "cid")
    before, late = times(case, "asked")
    assert [type(event) for event in done(course.ask(player("ann"), UNREGISTER, before))] == [
        told.PlayerUnregistered,
        told.CreditsDue,
    ]
    assert why(course.ask(player("bob"), UNREGISTER, late)) == ("unregistering_closed", f"{REGULATION}#24")
    assert [entry.player for entry in course.state.alive] == ["bob", "cid"]


@pytest.mark.rule(REGULATION, "24/3")
def test_who_came_late_stays(case: Case) -> None:
    assert at(case, "start") == START
    tournament = Directed(9, levels=TEN_MINUTES, late_entry={"level": 6})
    enter(tournament, "late", at(case, "registered"))
    refused = tournament.course.ask(player("late"), UNREGISTER, at(case, "asked"))
    assert why(refused) == ("unregistering_closed", f"{REGULATION}#24")


@pytest.mark.rule(REGULATION, "25/1")
def test_who_cancels_in_time_has_everything_back_at_once(case: Case) -> None:
    prize, fee = case["parts"]
    cashier = Cashier()
    cashier.announce(buy_in=price(case["buy_in"], prize, fee))
    for name in ("ann", "bob"):
        cashier.deposit(name, case["buy_in"])
        cashier.register(name)
    assert of_tournaments(booked(cashier.settle())) == {
        "tournament-prize/t-1": 2 * prize,
        "tournament-fee/t-1": 2 * fee,
    }
    assert not cashier.ask("t-1", player("ann"), UNREGISTER)
    balances = booked(cashier.settle())
    assert cashier.available("ann") == case["buy_in"]
    assert of_tournaments(balances) == {"tournament-prize/t-1": prize, "tournament-fee/t-1": fee}
    assert not in_transit(balances)


@pytest.mark.rule(REGULATION, "26/5")
@pytest.mark.parametrize("seed", range(4))
def test_the_last_chip_of_who_never_came_goes_with_a_blind(case: Case, seed: int) -> None:
    hall = Hall(6, seed=seed, seats=6)
    hall.absent = {"p3"}
    hall.run()
    [out] = [event for event in hall.of(play.EntryEliminated) if event.player == "p3"]
    [facts] = [facts for facts in hall.facts.values() if any(isinstance(fact, HandStarted) for fact in facts)]
    blinds = [f for f in facts if isinstance(f, BlindPosted) and (f.hand, f.seat) == (out.hand, out.seat)]
    stacks = {each.entry: each.before for each in _hand(hall, out.hand).stacks}
    assert blinds
    assert sum(blind.amount for blind in blinds) == stacks["entry-p3"], "all that was left"
    [completed] = hall.of(play.TournamentCompleted)
    [result] = [result for result in completed.results if result.player == "p3"]
    prizes = hall.of(play.PrizesFixed)[0].prizes
    assert result.first == result.last == out.first
    assert result.prize == (prizes[out.first - 1] if out.first <= len(prizes) else 0)


def _hand(hall: Hall, hand: int) -> play.HandFinished:
    [found] = [event for event in hall.of(play.HandFinished) if event.hand == hand]
    assert isinstance(found, play.HandFinished)
    return found


@pytest.mark.rule(REGULATION, "34/2")
def test_percentages_that_do_not_fit_are_refused(case: Case) -> None:
    for whole in case["sums"]:
        short = Course(payouts=[{"entries": 2, "shares": [6_500, 100 * whole - 6_500]}])
        assert why(short.proposed) == ("bad_definition", f"{REGULATION}#34")
    for payouts in ([{"entries": 2, "shares": [3_500, 6_500]}], []):
        assert why(Course(payouts=payouts).proposed) == ("bad_definition", f"{REGULATION}#34")
    done(Course(payouts=[{"entries": 2, "shares": [6_500, 3_500]}]).proposed)


@pytest.mark.rule(REGULATION, "34/3")
def test_without_elimination_prizes_none_is_paid(case: Case) -> None:
    tournament = Directed(5, seats=5)
    tournament.down_to(3)
    assert tournament.of(told.CreditsDue) == []
    tournament.down_to(2)
    tournament.hand(1, tournament.at(1)[0])
    credits = tournament.of(told.CreditsDue)
    assert {due.why for due in credits} == {"prize"}
    assert all(each.bounty == 0 for due in credits for each in due.credits)


@pytest.mark.rule(REGULATION, "35/1")
def test_too_few_cancel_it_at_the_start_and_enough_start_it(case: Case) -> None:
    names = [f"p{number}" for number in range(1, case["least"] + 1)]
    few = Course.registering(min_players=case["least"]).enter(*names[: case["registered"]])
    assert next_wake(few.state) == START
    event, credits = done(few.wake(START))
    assert isinstance(event, told.TournamentCancelled)
    assert (event.cause, event.rule, event.by) == ("insufficient_participants", "36.a", "house")
    assert isinstance(credits, told.CreditsDue)
    assert few.credited() == dict.fromkeys(names[: case["registered"]], 2_200)
    assert few.state.held == Held()
    enough = Course.registering(min_players=case["least"]).enter(*names)
    enough.wake(START)
    assert enough.state.phase == "running"


@pytest.mark.rule(REGULATION, "35/2")
def test_the_house_cancels_for_two_causes_and_no_third(case: Case) -> None:
    causes: tuple[Cause, Cause] = ("technical", "force_majeure")
    for cause in causes:
        tournament = Directed(9)
        now = START + 5 * MINUTE
        event = cancelled(tournament.course, asked.ProposeCancellation(cause=cause, reason="the hall is dark"), now)
        assert (event.cause, event.reason, event.at) == (cause, "the hall is dark", now)
        assert (event.by, event.confirmed_by) == ("floor-1", "supervisor-1")
        assert tournament.course.state.phase == "cancelled"
    third = Directed(9).course
    commercial = asked.ProposeCancellation(cause="commercial", reason="too few sold")
    assert why(third.ask(FLOOR, commercial)) == ("cause_not_allowed", f"{REGULATION}#35")
    assert third.state.phase == "running"


@pytest.mark.rule(REGULATION, "36/1")
def test_which_rule_of_cancellation_holds_is_on_record(case: Case) -> None:
    assert cancelled(Course.registering().enter("ann", "bob")).rule == "36.a"
    begun = Directed(9)
    begun.round()
    assert cancelled(begun.course).rule == "36.b"
    paid = Directed(9).down_to(3)
    assert paid.play.left == len(paid.play.paid)
    assert cancelled(paid.course).rule == "36.c"


@pytest.mark.rule(REGULATION, "36/2")
def test_rules_of_its_own_come_first(case: Case) -> None:
    own = Directed(9, on_cancellation="full_refund").down_to(6)
    event = cancelled(own.course)
    assert event.rule == "own"
    assert own.course.credited() == {f"p{number}": 2_200 for number in range(1, 10)}, "eliminated or not"
    assert own.course.state.held.total == 0


@pytest.mark.rule(REGULATION, "36.a/2")
def test_before_the_first_card_everything_goes_back(case: Case) -> None:
    assert at(case, "start") == START
    tournament = Directed(9)
    event = cancelled(tournament.course, now=at(case, "cancelled"))
    assert (event.rule, event.at) == ("36.a", at(case, "cancelled"))
    assert tournament.course.credited() == {f"p{number}": 2_200 for number in range(1, 10)}


@pytest.mark.rule(REGULATION, "41/1")
def test_who_comes_late_starts_with_as_much(case: Case) -> None:
    tournament = Directed(9, seats=5, levels=TEN_MINUTES, starting_stack=case["stack"], late_entry={"level": 6})
    now = START + (10 * case["level"] - 5) * MINUTE
    tournament.course.wake(now)
    assert tournament.play.level == case["level"]
    enter(tournament, "late", now)
    seated = tournament.of(play.EntrySeated)
    assert seated[-1].player == "late"
    assert [event.chips for event in seated] == [case["stack"]] * 10


@pytest.mark.rule(REGULATION, "41")
def test_chips_that_do_not_make_the_stack_are_refused() -> None:
    chips = [{"value": 25, "count": 80}, {"value": 1_000, "count": 8}]
    done(Course(composition=chips).proposed)
    for lacking in (chips[:1], [*chips, {"value": 50, "count": 1}]):
        assert why(Course(composition=lacking).proposed) == ("bad_definition", f"{REGULATION}#41")


@pytest.mark.rule(REGULATION, "41/3")
def test_nobody_is_given_more_for_coming_early(case: Case) -> None:
    with pytest.raises(msgspec.ValidationError):
        definition(early_bird={"chips": case["extra"]})
    with pytest.raises(msgspec.ValidationError):
        definition(buy_in={**price(2_200, 2_000, 200), "early_bird_chips": case["extra"]})


@pytest.mark.rule(REGULATION, "46/2")
def test_falling_blinds_are_refused_and_equal_ones_not(case: Case) -> None:
    table = [{"small_blind": small, "big_blind": big, "lasts_ms": MINUTE} for small, big in case["falling"]]
    assert why(Course(levels=table).proposed) == ("bad_definition", f"{REGULATION}#46")
    done(Course(levels=[table[0], table[0]]).proposed)


@pytest.mark.rule(REGULATION, "58/1")
def test_each_foreign_word_is_explained(case: Case) -> None:
    words = case.read("words", list[str])
    text = {"pt": f"Cada jogador pode usar {', '.join(words)}."}
    glossary = dict.fromkeys(words, "explicado")
    for word in words:
        lacking = {each: why for each, why in glossary.items() if each != word}
        assert why(Course(rules=text, glossary=lacking).proposed) == ("bad_definition", f"{REGULATION}#58")
    done(Course(rules=text, glossary=glossary).proposed)


@pytest.mark.rule(REGULATION, "FP-1/1")
def test_the_parts_add_up_to_the_buy_in(case: Case) -> None:
    prize, fee = case["parts"]
    assert why(Course(buy_in=price(case["buy_in"], prize, fee)).proposed) == ("bad_definition", f"{REGULATION}#FP-1")
    done(Course(buy_in=price(case["buy_in"], prize, case["buy_in"] - prize)).proposed)


@pytest.mark.rule(REGULATION, "FP-1/2")
def test_a_pot_goes_to_its_winners_whole(case: Case) -> None:
    table = TournamentTable(HOLDEM, structure="no_limit", seats=6).enter(1, 2, chips=case["pot"] // 2).deal()
    assert table.turn is not None
    assert table.act(table.turn, "raise", case["pot"] // 2) is None, table.refused
    table.calls_down()
    awarded = table.of(PotAwarded, everything=True)
    assert sum(event.amount for event in awarded) == case["pot"]
    assert sum(payment.net for event in awarded for payment in event.payments) == case["pot"]
    assert [event.rake for event in awarded] == [0] * len(awarded)
    assert not set(map(type, table.told)) & set(TO_WALLET), "no money moves"
    table.end()
    assert table.chips == 0, "no chip is left"


@pytest.mark.rule(REGULATION, "FP-4/1")
def test_who_is_out_enters_again(case: Case) -> None:
    prize, fee = case["parts"]
    tournament = Directed(
        9, seats=9, levels=TEN_MINUTES, starting_stack=case["stack"], re_entry={"level": case["until"]},
        buy_in=price(case["buy_in"], prize, fee),
    )  # fmt: skip
    now = START + (10 * case["out_in"] - 5) * MINUTE
    tournament.course.wake(now)
    assert tournament.play.level == case["out_in"]
    tournament.now = now
    out = tournament.at(1)[0]
    name = out.removeprefix("entry-")
    tournament.hand(1, out)
    held, entries = tournament.course.state.held, len(tournament.course.state.entries)
    enter(tournament, name, now + MINUTE, "second")
    due = tournament.of(told.PaymentDue)[-1]
    assert (due.entry, due.bought, due.amount) == ("second", "re_entry", case["debited"])
    now_held = tournament.course.state.held
    assert (now_held.prize - held.prize, now_held.fee - held.fee) == (case["pool"], fee)
    assert len(tournament.course.state.entries) == entries + case["more"]
    seated = tournament.of(play.EntrySeated)[-1]
    assert (seated.entry, seated.chips) == ("second", case["stack"])
    assert tournament.play.tables[seated.table].entries[seated.seat] == "second"
    assert why(tournament.course.register(name, now + MINUTE, "third")) == (
        "already_registered",
        f"{REGULATION}#FP-13",
    )


@pytest.mark.rule(REGULATION, "FP-10/1")
def test_a_late_entry_counts_strictly_before_the_close(case: Case) -> None:
    tournament = Directed(9, seats=9, levels=TEN_MINUTES, late_entry={"level": case["until_level"]})
    before, late = times(case, "asked")
    assert late == at(case, "closes")
    enter(tournament, "late", before)
    assert not tournament.of(play.PrizesFixed)
    assert why(tournament.course.register("later", late)) == ("registration_closed", f"{REGULATION}#23")
    tournament.course.wake(late)
    [fixed] = tournament.of(play.PrizesFixed)
    assert fixed.entries == 10
    waiting = Directed(9, seats=9, levels=TEN_MINUTES, late_entry={"level": case["until_level"]})
    assert isinstance(waiting.course.register("slow", before), list)
    assert why(waiting.course.register("later", late)) == ("registration_closed", f"{REGULATION}#23")
    assert not waiting.of(play.PrizesFixed), "who asked in time is waited for, and nobody else"


@pytest.mark.rule(REGULATION, "FP-10/2")
def test_a_late_entry_opens_a_fourth_table(case: Case) -> None:
    players = case["full"] * case["seats"]
    tournament = Directed(players, seats=case["seats"], levels=TEN_MINUTES, late_entry={"level": 6})
    assert tournament.sizes == [case["seats"]] * case["full"]
    for number in range(case["late"]):
        enter(tournament, f"late{number}", START + MINUTE)
    assert len(tournament.sizes) == case["tables"]
    for _ in range(10):
        tournament.round()
    assert tournament.sizes == [case["each"]] * case["tables"]


@pytest.mark.rule(REGULATION, "FP-10/3")
def test_a_late_entry_draws_one_of_the_free_seats(case: Case) -> None:
    drawn: set[int] = set()
    free: set[int] = set()
    for seed in range(16):
        tournament = Directed(sum(case["sizes"]), seats=case["seats"], levels=TEN_MINUTES, late_entry={"level": 6})
        assert tournament.sizes == case["sizes"]
        table = case["table"]
        tournament.hand(table)
        free = set(range(1, case["seats"] + 1)) - set(tournament.play.tables[table].entries)
        assert len(free) == case["free"]
        tournament.course.seeds = Random(seed)
        entry = enter(tournament, "late", START + MINUTE)
        seated = tournament.of(play.EntrySeated)[-1]
        assert (seated.entry, seated.table) == (entry, table)
        drawn.add(seated.seat)
        tournament.hand(table)
        assert entry in {each.entry for each in tournament.of(play.HandFinished)[-1].stacks}
    assert drawn == free


@pytest.mark.rule(REGULATION, "FP-12/1")
def test_what_is_published_does_not_change(case: Case) -> None:
    course = Course.registering()
    changes: list[dict[str, Any]] = [
        {"buy_in": price(2_300, 2_000, 300)},
        {"payouts": [{"entries": 2, "shares": [7_000, 3_000]}]},
    ]
    for change in changes:
        other = asked.ProposeTournament(name="Sunday", definition=definition(**change))
        assert why(course.ask(FLOOR, other)) == ("tournament_exists", f"{REGULATION}#FP-12")
        assert course.state.rules == definition()
        done(Course(**change).proposed)


@pytest.mark.rule(REGULATION, "FP-13/1")
def test_one_person_has_one_entry_and_keeps_the_chips(case: Case) -> None:
    course = Course.registering().enter("ann")
    assert why(course.register("ann", entry="entry-2")) == ("already_registered", f"{REGULATION}#FP-13")
    table = TournamentTable().enter(1, 2)
    before = dict(table.stacks)
    for favour in ("move_chips", "take_chips_off"):
        assert table.send(player("p1"), conduct.AskFavour(favour=favour)) is not None
    assert table.leave(1) is not None, "nor does anybody go with them"
    assert table.stacks == before


@pytest.mark.rule(REGULATION, "FP-14/2")
def test_a_pause_moves_the_levels(case: Case) -> None:
    tournament = Directed(9, seats=9, levels=TEN_MINUTES)
    course = tournament.course
    done(course.ask(FLOOR, asked.PauseTournament(reason="the lights went out"), at(case, "paused")))
    resume = asked.ResumeTournament(reason="they are back")
    done(course.ask(SUPERVISOR, resume, at(case, "resumed") - NOTICE_MS))
    done(course.wake(at(case, "resumed")))
    while tournament.play.level <= case["other"]:
        due = next_wake(course.state)
        assert due is not None
        course.wake(due)
    began = {event.level: event.began for event in tournament.of(play.LevelBegan)}
    assert began[case["level"] + 1] == at(case, "ends")
    assert began[case["other"] + 1] == at(case, "other_ends")
    [paused], [resumed] = tournament.of(told.TournamentPaused), tournament.of(told.TournamentResumed)
    assert (paused.at, paused.by, paused.reason) == (at(case, "paused"), "floor-1", "the lights went out")
    assert (resumed.at, resumed.by, resumed.reason) == (at(case, "resumed"), "supervisor-1", "they are back")


@pytest.mark.rule(REGULATION, "FP-14/3")
def test_a_hand_is_played_on_in_a_pause_and_the_next_waits(case: Case) -> None:
    hall = Hall(20, seed=3, seats=7, levels=TEN_MINUTES)
    while {table.hand is None for table in hall.tables.values()} != {False, True}:
        assert hall.step()
    assert {at.allowed - at.ended for at in hall.play.tables.values()} == {1}, "where no hand runs, the next one may"
    before = {name: len(facts) for name, facts in hall.facts.items()}
    done(hall.course.ask(FLOOR, asked.PauseTournament(reason="the lights went out"), hall.now))
    while hall.step():
        pass
    told_since = [fact for name, facts in hall.facts.items() for fact in facts[before[name] :]]
    assert [fact for fact in told_since if isinstance(fact, (BetPlaced, PlayerChecked, PlayerFolded))], (
        "acts are accepted as usual"
    )
    assert not [fact for fact in told_since if isinstance(fact, HandStarted)]
    hall.now += MINUTE
    done(hall.course.ask(FLOOR, asked.ResumeTournament(reason="they are back"), hall.now))
    hall.run()


@pytest.mark.rule(REGULATION, "FP-16/2")
def test_who_is_excluded_before_the_start_is_refunded(case: Case) -> None:
    buy_in = price(case["buy_in"], case["buy_in"] - 200, 200)
    course = Course.registering(buy_in=buy_in).enter("ann", "bob")
    exclusion = asked.ExcludePlayer(player="ann", reason="self-exclusion")
    _, gone, _ = done(course.ask(SUPERVISOR, exclusion, START - case["hours"] * 60 * MINUTE))
    assert isinstance(gone, told.PlayerUnregistered)
    assert (gone.player, gone.reason) == ("ann", "excluded")
    assert course.credited() == {"ann": case["credited"]}
    assert [entry.player for entry in course.state.alive] == ["bob"]


@pytest.mark.rule(REGULATION, "FP-18/3")
def test_so_many_places_want_as_many_players(case: Case) -> None:
    shares = [2_000, *[8_000 // (case["paid"] - 1)] * (case["paid"] - 1)]
    assert sum(shares) == 10_000
    payouts = [{"entries": 2, "shares": shares}]
    refused = Course(min_players=case["minimum"], payouts=payouts).proposed
    assert why(refused) == ("bad_definition", f"{REGULATION}#FP-18")
    done(Course(min_players=case["paid"], payouts=payouts).proposed)


@pytest.mark.rule(REGULATION, "FP-20/1")
def test_a_sit_and_go_starts_with_its_last_seat(case: Case) -> None:
    seats, names = case["seats"], [f"p{number}" for number in range(1, case["registered"] + 1)]
    course = Course.registering(starts_at=None, min_players=seats, max_players=seats).enter(*names)
    done(course.ask(player("p1"), UNREGISTER))
    course.enter("ann")
    assert course.state.phase == "registering"
    course.enter("bob")
    assert len(course.state.alive) == seats
    assert course.state.phase == "running"
    assert why(course.ask(player("p2"), UNREGISTER)) == ("unregistering_closed", f"{REGULATION}#24")


@pytest.mark.rule(REGULATION, "FP-20/2")
@pytest.mark.parametrize("ended", ["completed", "cancelled"])
def test_what_is_over_never_changes(case: Case, ended: str) -> None:
    """Who was in it asks, who was not, and the staff; no answer leaves an event."""
    hall = Hall(3, seed=5, seats=3)
    while hall.state.phase not in (ended, "completed") and hall.step():
        if ended == "cancelled" and hall.state.phase == "running" and hall.play.dealt:
            sheet = asked.ProposeCancellation(cause="technical", reason="fire")
            done(hall.course.ask(FLOOR, sheet, hall.now))
            done(hall.course.ask(SUPERVISOR, asked.ConfirmCancellation(sheet=1), hall.now))
    course = hall.course
    assert course.state.phase == ended
    refused = ("tournament_over", f"{REGULATION}#FP-20")
    told, state = len(course.events), course.state
    for name in ("p1", "ann"):
        for wish in (
            asked.RegisterPlayer(entry=f"again-{name}"), asked.UnregisterPlayer(), asked.DeclineRebuy(),
            asked.RequestRebuy(payment=f"rebuy-{name}"), asked.RequestAddOn(payment=f"add-on-{name}"),
        ):  # fmt: skip
            assert why(course.ask(player(name), wish, hall.now + MINUTE)) == refused
    for act in (
        asked.MovePlayer(player="p1", table=1, reason="no"), asked.PauseTournament(reason="no"),
        asked.ResumeTournament(reason="no"), asked.AdjustClock(reason="no", ms=1_000), asked.GiveNotice(text="no"),
        asked.ProposeCancellation(cause="technical", reason="no"), asked.ConfirmCancellation(sheet=1),
        asked.DeclineCancellation(reason="no"), asked.ExcludePlayer(player="p1", reason="no"),
        asked.DisqualifyPlayer(player="p1", reason="no"),
    ):  # fmt: skip
        assert why(course.ask(SUPERVISOR, act, hall.now + MINUTE)) == refused
    course.wake(hall.now + 60 * MINUTE)
    assert (len(course.events), course.state) == (told, state)


@pytest.mark.rule(REGULATION, "FP-20/3")
def test_nothing_leads_back_to_registering(case: Case) -> None:
    course = Directed(9).course
    again = asked.ProposeTournament(name="Sunday", definition=definition())
    assert why(course.ask(FLOOR, again)) == ("tournament_exists", f"{REGULATION}#FP-12")
    assert why(course.ask(SUPERVISOR, asked.ApproveTournament())) == ("not_proposed", None)
    named = " ".join(command.__name__ for command in ALL_TOURNAMENT_COMMANDS).casefold()
    assert not any(word in named for word in ("reopen", "goback", "undo", "revert", "openregistration"))
    course.wake(START + MINUTE)
    assert course.state.phase == "running"


@pytest.mark.rule(REGULATION, "22/3")
async def test_the_same_registration_again_has_the_same_answer_and_one_debit(case: Case) -> None:
    """Through the journal's runner, as the service runs it: the command's record comes twice."""
    rules = definition(buy_in=price(case["buy_in"], case["buy_in"] - 200, 200))
    house = House(SimulatedBroker(NAMES.partitions, lambda: START - 60 * MINUTE))
    house.machine = tournament_machine()  # type: ignore[assignment]

    def command(number: int, by: Principal, asks: TournamentCommand) -> CommandMessage:
        return message_of(asks, id=command_id_at(START - 60 * MINUTE, str(number)), stream="t-1", by=by)

    register = command(3, player("ann"), asked.RegisterPlayer(entry="entry-ann"))
    partition = partition_of("t-1", NAMES.partitions)
    async with house.runner(partition=partition, publish=tournament_publisher(EVENTS)):
        await house.ask(
            command(1, FLOOR, asked.ProposeTournament(name="Sunday", definition=rules)),
            command(2, SUPERVISOR, asked.ApproveTournament()), register, register,
        )  # fmt: skip
    first, again = [reply for reply in house.replies() if reply.command_id == register.id]
    assert first.verdict == "accepted"
    assert again == first
    happened = [event for commit in house.commits(partition) for event in commit.events]
    due = [data for kind, data in happened if kind == wire_name(told.PaymentDue)]
    assert [msgspec.json.decode(data)["amount"] for data in due] == [case["buy_in"]]
