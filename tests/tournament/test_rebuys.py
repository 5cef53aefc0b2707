"""Rebuys and add-ons (pt-810-2015 21, 23, 31, 44, FP-2, FP-3), by the matrix's and the worked cases' own figures."""

from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import pytest
import yaml

from libs.contracts import tournament_play_commands as heard
from libs.contracts import tournament_play_events as play
from libs.contracts import tournaments_commands as asked
from libs.contracts import tournaments_events as told
from libs.contracts.poker_events import HandVoided
from libs.contracts.tournament_commands import EndTournament
from libs.contracts.tournament_events import EntrantFinished
from libs.contracts.tournaments_commands import RequestAddOn, RequestRebuy
from services.tournament.domain.directing import NOTICE_MS
from services.tournament.domain.life_cycle import next_wake
from services.tournament.policies.orders import ORDERS
from tests.table.play import HOLDEM
from tests.table.tournament.play import TournamentTable
from tests.testkit.cases import Case
from tests.tournament.cashier import Purse, public
from tests.tournament.course import FLOOR, MINUTE, POLICY, START, SUPERVISOR, done, player, why
from tests.tournament.directed import Directed
from tests.tournament.hall import BLINDS, Hall

LEVELS = [{"small_blind": small, "big_blind": big, "lasts_ms": MINUTE} for small, big in BLINDS]
ADD_ON: dict[str, Any] = {"price": {"amount": 1_500, "prize": 1_500}, "chips": 15_000, "after_level": 3}
REBUY: dict[str, Any] = {
    "price": {"amount": 2_100, "prize": 2_000, "fee": 100}, "chips": 10_000, "until": {"level": 3}, "time_ms": 30_000,
}  # fmt: skip
BOTH: dict[str, Any] = {
    "levels": LEVELS, "breaks": [{"after_level": 3, "lasts_ms": 5 * MINUTE}], "rebuy": REBUY, "add_on": ADD_ON,
}  # fmt: skip


REGULATION = "pt-810-2015"
MIDNIGHT = START - 20 * 60 * MINUTE
"""The hour set for the start is 20:00."""
TEN_MINUTES = [{"small_blind": 50 * n, "big_blind": 100 * n, "lasts_ms": 10 * MINUTE} for n in range(1, 10)]
CLOSED = ("window_closed", f"{REGULATION}#23")


def evening(players: int = 20, **other: Any) -> Directed:
    """Rebuys until the end of level 6, then a break for add-ons, five minutes."""
    rebuy = {"price": {"amount": 2_000, "prize": 2_000}, "chips": 10_000, "until": {"level": 6}, "time_ms": 30_000}
    rules: dict[str, Any] = {
        "levels": TEN_MINUTES, "breaks": [{"after_level": 6, "lasts_ms": 5 * MINUTE}], "rebuy": rebuy,
        "add_on": {**ADD_ON, "after_level": 6},
    }  # fmt: skip
    return Directed(players, **{**rules, **other})


def at(case: Case, name: str) -> int:
    """A time of day of the case, milliseconds since the epoch."""
    return MIDNIGHT + case.moment(name)


def clock(time: str) -> int:
    return MIDNIGHT + Case({"": {"at": time}}, set()).moment("at")


def asks(tournament: Directed, name: str, now: int, bought: type[RequestRebuy | RequestAddOn] = RequestRebuy) -> Any:
    """The tournament's answer, due things done before."""
    tournament.now = max(tournament.now, now)
    payment = f"more-{len(tournament.course.events)}"
    return tournament.course.ask(player(name), bought(payment=payment), now)


def pays(tournament: Directed, now: int | None = None) -> list[Any]:
    [payment] = tournament.course.state.pending
    return done(tournament.course.paid(payment, now))


def buys(tournament: Directed, name: str, now: int, bought: type[RequestRebuy | RequestAddOn] = RequestRebuy) -> None:
    done(asks(tournament, name, now, bought))
    pays(tournament, now)


def out(tournament: Directed) -> list[tuple[str, int]]:
    return [(event.entry, event.first) for event in tournament.of(play.EntryEliminated)]


@pytest.mark.rule(REGULATION, "36.b/1", "36.b/2")
def test_a_hand_that_cannot_end_is_void_and_the_shares_are_by_the_stacks_before_it(case: Case) -> None:
    of, case = case.of("36.b/1"), case.of("36.b/2")
    stacks, names = of["stacks"], [f"p{number}" for number in range(1, of["players"] + 1)]
    tournament = _ten_with_more(of)
    course = tournament.course
    here = {entry: tournament.play.stacks[entry] for entry in tournament.play.tables[1].entries.values()}
    assert sum(here.values()) == of["chips"]
    after = dict.fromkeys(here, 0) | {f"entry-{name}": chips for name, chips in zip(names, stacks, strict=False)}
    tournament.deal(1)
    told_of = [heard.StackHeard(tournament.play.sittings[each], here[each], after[each]) for each in here]
    tournament._hear(heard.HearHand(table=1, hand=tournament.play.tables[1].allowed, stacks=told_of), None)
    assert len(out(tournament)) == of["out"]
    tournament.deal(1)
    assert course.state.held.total == of["collected"]
    done(course.ask(FLOOR, asked.ProposeCancellation(cause="technical", reason="the table is lost")))
    done(course.ask(SUPERVISOR, asked.ConfirmCancellation(sheet=1)))
    [sheet] = tournament.of(told.CancellationProposed)
    owed = [of["back"] + share for share in of["shares"]]
    assert (sheet.rule, sheet.to_the_house) == ("36.b", of["keeps"])
    assert course.credited() == dict(zip(names, owed, strict=False))
    assert (sum(owed), sum(of["shares"])) == (of["paid"], of["pot"])
    [broken] = tournament.of(play.TableBroken)
    [order] = ORDERS[play.TableBroken](public(broken, 1), broken)

    table = TournamentTable(HOLDEM, seats=9, big_blind=200, decision_ms=15_000)
    for seat, chips in enumerate(stacks, start=1):
        table.enter(seat, chips=chips)
    assert table.stacks[1] == case["stack"]
    table.deal()
    while table.hand.players[1].staked != case["in_pot"]:
        assert table.turn is not None
        raises = table.turn == 1
        assert table.act(table.turn, *(("raise", case["in_pot"]) if raises else ("call",))) is None
    assert sum(player.staked > 0 for player in table.hand.players.values()) > 1, "others have bets in it too"
    assert table.asks(EndTournament, **dict(order.body)) is None
    [void] = table.of(HandVoided)
    assert {refund.seat: refund.stack for refund in void.refunds} == dict(enumerate(stacks, start=1))
    assert [each.chips for each in table.of(EntrantFinished)] == stacks


def _ten_with_more(of: Case) -> Directed:
    """Rebuys and add-ons of the case are made, and their windows are over."""

    def price(amount: str, parts: str) -> dict[str, int]:
        prize, fee = of[parts]
        return {"amount": of[amount], "prize": prize, "fee": fee}

    rebuy = {**REBUY, "price": price("rebuy", "of_rebuy")}
    add_on = {**ADD_ON, "price": price("add_on", "of_add_on")}
    buy_in = price("buy_in", "of_it")
    tournament = Directed(of["players"], seats=10, **{**BOTH, "rebuy": rebuy, "add_on": add_on}, buy_in=buy_in)
    for number in range(1, of["rebuys"] + 1):
        buys(tournament, f"p{number}", START + number)
    tournament.course.wake(START + 3 * MINUTE)
    for number in range(1, of["add_ons"] + 1):
        buys(tournament, f"p{number}", START + 4 * MINUTE, RequestAddOn)
    tournament.now = START + 8 * MINUTE
    tournament.course.wake(tournament.now)
    return tournament


@pytest.mark.rule(REGULATION, "21/2")
def test_a_rebuy_beyond_the_balance_may_be_tried_again_until_the_time_is_over(case: Case) -> None:
    price = {"amount": case["rebuy"], "prize": case["rebuy"]}
    tournament = evening(rebuy={**REBUY, "price": price, "until": {"level": 6}, "time_ms": case["allowed"]})
    lost = START + 5 * MINUTE
    purse = Purse(tournament.course, "p1", case["balance"])
    tournament.becomes("entry-p1", case["chips"], lost)
    for after in (case["after"], case["after"] + 1_000):
        done(asks(tournament, "p1", lost + after))
        purse.settle()
        assert purse.available == case["balance"]
    refused = [event.reason for event in tournament.of(told.PaymentFailed)]
    assert refused == ["insufficient_funds"] * 2
    assert not tournament.of(play.EntryEliminated)
    assert next_wake(tournament.course.state) == lost + case.int("allowed")
    done(tournament.course.wake(lost + case.int("allowed")))
    assert out(tournament) == [("entry-p1", 20)]


@pytest.mark.rule(REGULATION, "21/3")
def test_money_held_for_a_cash_table_buys_no_add_on(case: Case) -> None:
    price = {"amount": case["add_on"], "prize": case["add_on"]}
    tournament = evening(add_on={**ADD_ON, "price": price, "after_level": 6})
    purse = Purse(tournament.course, "p1", case["balance"], case["held"])
    done(asks(tournament, "p1", clock("21:02"), RequestAddOn))
    purse.settle()
    assert [event.reason for event in tournament.of(told.PaymentFailed)] == ["insufficient_funds"]
    assert purse.available == case["available"]
    assert not tournament.of(told.AddOnMade)


@pytest.mark.rule(REGULATION, "23/1")
def test_a_rebuy_is_asked_strictly_before_the_end_of_its_window(case: Case) -> None:
    assert at(case, "start") == START
    levels = [{**level, "lasts_ms": case["minutes"] * MINUTE} for level in TEN_MINUTES]
    tournament = evening(levels=levels, add_on=None, rebuy={**REBUY, "until": {"level": case["level"]}})
    one, other = clock(case["asked"][0]), clock(case["asked"][1])
    for name in ("p1", "p2"):
        tournament.becomes(f"entry-{name}", 0, one - 20_000)
    done(asks(tournament, "p1", one))
    assert why(asks(tournament, "p2", other)) == CLOSED
    pays(tournament, other + 1_000)
    assert [event.player for event in tournament.of(told.RebuyMade)] == ["p1"], "asked in time, paid later"
    assert [entry for entry, _ in out(tournament)] == ["entry-p2"]


@pytest.mark.rule(REGULATION, "23/2")
def test_an_add_on_is_asked_in_its_break(case: Case) -> None:
    opens, closes = (clock(time) for time in case["window"])
    tournament = evening()
    before, first, second, after = (clock(time) for time in case["asked"])
    assert (first, after) == (opens, closes)
    assert why(asks(tournament, "p1", before, RequestAddOn)) == CLOSED
    for name, now in (("p2", first), ("p3", second)):
        buys(tournament, name, now, RequestAddOn)
    assert why(asks(tournament, "p4", after, RequestAddOn)) == CLOSED
    assert [event.player for event in tournament.of(told.AddOnMade)] == ["p2", "p3"]


@pytest.mark.rule(REGULATION, "23/3")
def test_a_pause_moves_the_close_of_the_window(case: Case) -> None:
    tournament = evening(breaks=[], add_on=None)
    one, other = (clock(time) for time in case["asked"])
    done(tournament.course.ask(FLOOR, asked.PauseTournament(reason="the lights went out"), at(case, "paused")))
    resume = asked.ResumeTournament(reason="they are back")
    done(tournament.course.ask(SUPERVISOR, resume, at(case, "resumed") - NOTICE_MS))
    done(tournament.course.wake(at(case, "resumed")))
    for name in ("p1", "p2"):
        tournament.becomes(f"entry-{name}", 0, one - 20_000)
    done(asks(tournament, "p1", one))
    assert why(asks(tournament, "p2", other)) == CLOSED


@pytest.mark.rule(REGULATION, "23/4")
def test_the_time_to_decide_ends_with_the_window(case: Case) -> None:
    tournament = evening(add_on=None, breaks=[], rebuy={**REBUY, "until": {"level": 6}, "time_ms": case["allowed"]})
    tournament.becomes("entry-p1", 0, at(case, "lost"))
    [offered] = tournament.of(play.RebuyOffered)
    assert offered.until == at(case, "until")
    assert why(asks(tournament, "p1", at(case, "asked"))) == CLOSED
    done(tournament.course.wake(at(case, "asked")))
    [event] = tournament.of(play.RebuyDeclined)
    assert event.reason == "time"
    assert out(tournament) == [("entry-p1", 20)]


@pytest.mark.rule(REGULATION, "31/1")
def test_a_rebuy_in_time_keeps_the_seat(case: Case) -> None:
    tournament = evening(rebuy={**REBUY, "until": {"level": 6}, "time_ms": case["allowed"]})
    seat = tournament.play.places["entry-p1"]
    tournament.becomes("entry-p1", 0, at(case, "lost"))
    assert at(case, "until") == clock("21:00"), "the end of level 6"
    buys(tournament, "p1", at(case, "lost") + case.int("after"))
    done(tournament.course.wake(at(case, "lost") + 2 * case.int("allowed")))
    assert tournament.play.places["entry-p1"] == seat
    assert tournament.play.stacks["entry-p1"] == REBUY["chips"]
    assert not tournament.of(play.EntryEliminated)


@pytest.mark.rule(REGULATION, "31/2")
def test_without_one_the_place_is_that_of_the_hand(case: Case) -> None:
    tournament = evening(case["left"], rebuy={**REBUY, "until": {"level": 6}, "time_ms": case["allowed"]})
    lost = START + MINUTE
    [dealt] = [event.hand for event in tournament.becomes("entry-p1", 0, lost) if isinstance(event, play.HandFinished)]
    tournament.round()
    assert not tournament.of(play.EntryEliminated), "play goes on without deciding it"
    done(tournament.course.wake(lost + case.int("allowed")))
    [event] = tournament.of(play.EntryEliminated)
    assert (event.first, event.hand) == (case["place"], dealt)


@pytest.mark.rule(REGULATION, "31/3")
def test_places_go_by_the_hands_in_which_chips_were_lost(case: Case) -> None:
    lost = {name: clock(time) for name, time in case["lost"].items()}
    for rebuys in (False, True):
        tournament = evening(case["left"], rebuy={**REBUY, "until": {"level": 6}, "time_ms": case["allowed"]})
        busts = {"A": tournament.at(1)[0], "B": tournament.at(2)[0]}
        for name, entry in busts.items():
            tournament.becomes(entry, 0, lost[name])
        if rebuys:
            buys(tournament, busts["A"].removeprefix("entry-"), at(case, "rebought"))
        done(tournament.course.wake(lost["B"] + case.int("allowed")))
        both = [(busts[name], case["places"][name]) for name in busts]
        assert out(tournament) == ([(busts["B"], case["place_of_b"])] if rebuys else both)


@pytest.mark.rule(REGULATION, "31/4")
def test_late_entries_push_the_first_place_down(case: Case) -> None:
    tournament = evening(case["entries"], rebuy=None, add_on=None, breaks=[], late_entry={"level": 6})
    first = tournament.at(1)[0]
    tournament.becomes(first, 0, START + MINUTE)
    assert out(tournament) == [(first, case["provisional"])]
    for number in range(case["late"]):
        done(tournament.course.register(f"late{number}", START + 2 * MINUTE))
        done(tournament.course.paid(f"entry-late{number}"))
    tournament.now = START + 60 * MINUTE
    tournament.course.wake(tournament.now)
    [fixed] = tournament.of(play.PrizesFixed)
    assert fixed.entries == case["entries"] + case["late"]
    while tournament.play.left > 1:
        tournament.down_to(tournament.play.left - 1)
    [completed] = tournament.of(play.TournamentCompleted)
    assert [result.first for result in completed.results if result.entry == first] == [case["place"]]


@pytest.mark.rule(REGULATION, "31/5")
def test_an_open_add_on_window_saves_as_well(case: Case) -> None:
    add_on = {**ADD_ON, "chips": case["chips"], "after_level": 6}
    tournament = evening(add_on=add_on, rebuy={**REBUY, "until": {"level": 6}, "time_ms": case["allowed"]})
    assert [clock(time) for time in case["window"]] == [clock("21:00"), clock("21:05")], "the break after level 6"
    tournament.deal(tournament.play.places["entry-p1"].table, clock("20:59:50"))
    tournament.finish(tournament.play.places["entry-p1"].table, "entry-p1", now=at(case, "lost"))
    assert at(case, "closed") < at(case, "lost")
    assert why(asks(tournament, "p1", at(case, "lost"))) == CLOSED
    [offered] = tournament.of(play.RebuyOffered)
    assert offered.until == at(case, "lost") + case.int("allowed")
    buys(tournament, "p1", at(case, "taken"), RequestAddOn)
    assert tournament.play.stacks["entry-p1"] == case["chips"]
    assert not tournament.of(play.EntryEliminated)


@pytest.mark.rule(REGULATION, "44/1")
def test_who_may_rebuy_is_out_after_declining_and_others_at_once(case: Case) -> None:
    without = evening(rebuy=None, add_on=None)
    without.becomes("entry-p1", 0)
    assert out(without) == [("entry-p1", 20)]
    closed = evening(add_on=None, breaks=[], rebuy={**REBUY, "until": {"level": 1}})
    closed.becomes("entry-p1", 0, START + 10 * MINUTE)
    assert (out(closed), closed.of(play.RebuyOffered)) == ([("entry-p1", 20)], []), "nothing is offered any more"
    declined, slept = evening(), evening()
    for tournament in (declined, slept):
        tournament.becomes("entry-p1", 0)
        assert not tournament.of(play.EntryEliminated)
    done(declined.course.ask(player("p1"), asked.DeclineRebuy()))
    assert out(declined) == [("entry-p1", 20)]
    again = declined.course.ask(player("p1"), asked.DeclineRebuy())
    assert why(again) == ("nothing_to_decline", f"{REGULATION}#31")
    due = next_wake(slept.course.state)
    assert due == slept.now + 30_000
    done(slept.course.wake(slept.now + 30_000))
    assert out(slept) == [("entry-p1", 20)]


@pytest.mark.rule(REGULATION, "FP-2/1")
def test_the_starting_stack_rebuys_and_one_chip_more_does_not(case: Case) -> None:
    tournament = evening(9, starting_stack=case["starting"], rebuy={**REBUY, "chips": case["more"]})
    tournament.becomes("entry-p1", case["above"])
    assert why(asks(tournament, "p1", START + MINUTE)) == ("stack_above_limit", f"{REGULATION}#FP-2")
    tournament.becomes("entry-p2", case["starting"])
    done(asks(tournament, "p2", START + MINUTE))
    assert not tournament.released(tournament.course.events[-1:]), "the next hand waits for the wallet"
    events = pays(tournament)
    kinds = [type(event) for event in events]
    assert kinds == [told.RebuyMade, play.ChipsGranted, play.HandsReleased]
    assert tournament.play.stacks["entry-p2"] == case["starting"] + case["more"]


@pytest.mark.rule(REGULATION, "FP-2/2")
@pytest.mark.parametrize("ends", ["too_much", "enough"])
def test_a_rebuy_asked_during_a_hand_is_decided_after_it(case: Case, ends: str) -> None:
    tournament = evening(9, starting_stack=case["starting"], rebuy={**REBUY, "chips": case["rebuy"]})
    tournament.becomes("entry-p1", case["before"])
    tournament.deal(1)
    [noted] = done(asks(tournament, "p1", START + MINUTE))
    assert isinstance(noted, told.PurchaseNoted)
    assert why(asks(tournament, "p1", START + MINUTE))[0] == "already_asked"
    stack = case[ends]
    tournament.becomes("entry-p1", stack)
    if ends == "too_much":
        assert [event.reason for event in tournament.of(told.PaymentFailed)] == ["stack_above_limit"]
        assert not [event for event in tournament.of(told.PaymentDue) if event.bought == "rebuy"]
        assert case["enough"] + case["rebuy"] == case["after"]
    else:
        pays(tournament)
        assert tournament.play.stacks["entry-p1"] == case["after"]
        assert case["too_much"] > case["starting"]


@pytest.mark.rule(REGULATION, "FP-3/1")
def test_an_add_on_is_bought_once_and_lies_there_in_the_next_hand(case: Case) -> None:
    price = {"amount": case["add_on"], "prize": case["add_on"]}
    tournament = evening(9, add_on={"price": price, "chips": case["chips"], "after_level": 6})
    purse = Purse(tournament.course, "p1", case["balance"])
    tournament.becomes("entry-p1", case["stack"], clock("20:59"))
    done(asks(tournament, "p1", clock("21:02"), RequestAddOn))
    purse.settle()
    assert purse.available == case["left"]
    refused = asks(tournament, "p1", clock("21:03"), RequestAddOn)
    assert why(refused) == ("limit_reached", f"{REGULATION}#FP-3")
    assert tournament.play.stacks["entry-p1"] == case["after"]
    events = done(tournament.course.wake(clock("21:05")))
    assert tournament.released(events) == [1]
    [chips] = tournament.of(play.ChipsGranted)
    assert tournament.course.events.index(chips) < tournament.course.events.index(events[-1])


def worked(shared: Path, name: str) -> Any:
    cases = yaml.safe_load((shared / "regulations/tournament-worked-cases.yaml").read_text("utf-8"))["cases"]
    return next(case for case in cases if case["id"] == name)


_REASONS = {
    "stack above limit": "stack_above_limit", "window closed": "window_closed", "one per player": "limit_reached",
}  # fmt: skip


@pytest.mark.rule(REGULATION, "FP-19/2")
def test_t_07_requests_pool_chips_and_accounts_through_the_real_tournament(shared: Path, case: Case) -> None:
    t_07 = worked(shared, "T-07")
    setup, totals, expected = t_07["setup"], t_07["totals"], t_07["expected"]
    prices = {name: {"amount": sum(setup[name][p] for p in ("prize", "fee")), "prize": setup[name]["prize"],
                     "fee": setup[name]["fee"]} for name in ("buy_in", "rebuy", "add_on")}  # fmt: skip
    tournament = evening(
        totals["on_time_entries"], seats=10, buy_in=prices["buy_in"], late_entry={"level": 6},
        rebuy={**REBUY, "price": prices["rebuy"], "chips": setup["rebuy"]["chips"], "until": {"level": 6}},
        add_on={"price": prices["add_on"], "chips": setup["add_on"]["chips"], "after_level": 6},
        payouts=[{"entries": 2, "shares": [100 * share for share in setup["percentages"]]}],
    )  # fmt: skip
    course, names = tournament.course, iter(f"p{number}" for number in range(1, 31))
    steps, queue = t_07["steps"], []
    for step in steps:  # a hand before it makes the stack; in the add-on's break none runs
        again = "same player" in step.get("note", "")
        step["who"] = steps[7]["who"] if again else next(names) if "stack" in step else f"late{step['at'][:5]}"
        if "stack" in step and not again:
            before = clock("20:58") if step["request"] == "add-on" else clock(step["at"]) - 20_000
            queue.append((before, step["stack"], f"entry-{step['who']}"))
    others = list(names)
    for step in steps:
        now, who, kind = clock(step["at"]), step["who"], step["request"]
        for moment, stack, entry in sorted(each for each in queue if each[0] < now):
            tournament.becomes(entry, stack, moment)
        queue = [each for each in queue if each[0] >= now]
        assert "stack" not in step or tournament.play.stacks.get(f"entry-{who}", 0) == step["stack"]
        purse = Purse(course, who, step["balance"])
        if kind == "late registration":
            answer = course.register(who, now)
        else:
            answer = asks(tournament, who, now, RequestRebuy if kind == "rebuy" else RequestAddOn)
        purse.settle()
        assert (purse.available < step["balance"]) == step["accepted"]
        if not step["accepted"] and step["reason"] != "balance":
            late = kind == "late registration"
            assert why(answer)[0] == ("registration_closed" if late else _REASONS[step["reason"]])
        if who == steps[0]["who"] and step["accepted"]:  # the totals hold more than the list
            for number in range(totals["late_entries"] - 1):
                done(course.register(f"more{number}", now))
                done(course.paid(f"entry-more{number}", now))
            for other in others[: totals["rebuys"] - 2]:
                buys(tournament, other, now)
            while max(tournament.sizes) - min(tournament.sizes) > 1:
                tournament.round()
        if kind == "add-on" and step["accepted"]:
            for other in others[: totals["add_ons"] - 1]:
                buys(tournament, other, now, RequestAddOn)
    done(course.wake(clock("21:05")))
    taken = [event for event in course.events if isinstance(event, told.PaymentTaken)]
    [fixed] = tournament.of(play.PrizesFixed)
    assert fixed.at == clock("21:05")
    assert (fixed.pool, dict(enumerate(fixed.prizes, 1))) == (expected["prize_pool"], expected["prizes"])
    assert course.state.held.fee == expected["fees"]
    assert sum(event.amount for event in taken) == expected["debited_from_players"]
    assert sum(tournament.play.stacks.values()) == expected["chips_in_play"]
    bought = Counter((event.bought, event.prize, event.fee) for event in taken)
    assert bought == {
        ("entry", *case["entry"]): case["entries"],
        ("rebuy", case["rebuy"], 0): case["rebuys"],
        ("add_on", case["add_on"], 0): case["add_ons"],
    }
    tournament.down_to(2)
    tournament.hand(next(iter(tournament.play.tables)), tournament.at(next(iter(tournament.play.tables)))[0])
    assert course.state.phase == "completed"
    assert sum(event.amount for event in taken) == case["debits"]
    assert sum(course.credited().values()) == case["prizes"]
    assert sum(event.amount for event in tournament.of(told.FeesEarned)) == case["fees"]
    assert course.state.held.total == case["left"]


@pytest.mark.parametrize("seed", range(8))
def test_whoever_buys_when_every_chip_and_cent_is_accounted_for(seed: int) -> None:
    luck = Random(seed)
    bounty = {"buy_in": {"amount": 3_200, "prize": 2_000, "fee": 200, "bounty": 1_000}} if seed % 2 else {}
    hall = Hall(luck.choice([2, 5, 9, 14]), seed=seed, **{**BOTH, **bounty, "seats": luck.randint(2, 9)})
    number = 0
    while hall.step():
        hall.check()
        if hall.state.phase != "running":
            continue
        waiting = list(hall.state.pending)
        if waiting and luck.random() < 0.5:
            answer: Any = asked.ConfirmPayment(payment=waiting[0])
            if luck.random() < 0.2:
                answer = asked.FailPayment(payment=waiting[0], reason="insufficient_funds")
            done(hall.course.ask(POLICY, answer, hall.now))
        broke = [hall.state.entries[bust.entry].player for bust in hall.play.broke]
        who = luck.choice(broke or [entry.player for entry in hall.state.alive])
        if luck.random() < (0.7 if broke else 0.05):
            number += 1
            wish: Any = luck.choice([RequestRebuy, RequestRebuy, RequestAddOn])(payment=f"more-{number}")
            hall.course.ask(player(who), wish if luck.random() < 0.9 else asked.DeclineRebuy(), hall.now)
    assert hall.state.phase == "completed", (hall.play, hall.state.pending, hall.state.wishes)
    bought = [*hall.of(told.RebuyMade), *hall.of(told.AddOnMade)]
    [completed] = hall.of(play.TournamentCompleted)
    [fixed] = hall.of(play.PrizesFixed)
    entries = len(completed.results)
    assert sum(hall.play.stacks.values()) == entries * 10_000 + sum(each.chips for each in bought)
    assert fixed.pool == entries * 2_000 + sum(each.prize for each in bought)
    assert sum(each.prize for each in completed.results) == fixed.pool
    tied = {(each.first, each.last) for each in completed.results}
    assert sorted(place for one, last in tied for place in range(one, last + 1)) == list(range(1, entries + 1))
    assert hall.state.held.total == 0
    assert hall.refusals == []
    assert why(hall.course.ask(player("p1"), RequestRebuy(payment="late"), hall.now))[0] == "tournament_over"
