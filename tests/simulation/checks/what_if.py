"""Asked beside what happens, since `decide` is pure: what if this came now? People seldom meet these moments."""

from collections.abc import Callable
from typing import Any

from libs.contracts import baccarat_commands as b
from libs.contracts import baccarat_events, no_draw_poker_events, poker_events
from libs.contracts import bank_events as e
from libs.contracts import no_draw_poker_commands as n
from libs.contracts import poker_commands as p
from libs.contracts.bank_commands import ApproveBankChange, RequestBankChange, VoidRound
from libs.contracts.banked_rounds import BankedRoundOpened, BankedStakeMoved
from libs.contracts.commands import Command
from libs.contracts.configurations import flat
from libs.contracts.facts import Fact, taken
from libs.contracts.messages import CommandMessage, Principal
from libs.contracts.table_commands import WakeTable
from libs.contracts.table_events import PlayerSeated
from libs.decider import Decided, Given, Rejected
from libs.journal.timers import Timers
from services.audit.verifying.chips import Chips
from services.audit.verifying.facts import FactChecks
from services.table.domain.table.waking import moved_at, next_wake
from tests.simulation.checks.banks import LIMIT, worst_case
from tests.simulation.checks.time import acted_for, by_clock
from tests.simulation.truth import Entry, Truth

_STAFF = Principal("staff", "ana")
_TIMER = Principal("timer", "table")
_PUT_IN = (BankedStakeMoved, poker_events.BetPlaced, poker_events.BlindPosted)
_MOVES = (BankedStakeMoved, no_draw_poker_events.HandsAwaited)
_AHEAD_MS = 3_000
Outcome = Decided[Any, Any] | Rejected


def any_round_can_be_void(truth: Truth, facts: FactChecks) -> Callable[[Entry], None]:
    """Whenever money has gone into a round, each seat gets back what the auditor counted (pt-803-2015 33, 811 72)."""

    def watch(entry: Entry) -> None:
        table = entry.commit.stream
        chips = facts.chips.get(table)
        if chips is None or not any(isinstance(told.fact, _PUT_IN) for told in entry.told):
            return
        due = _lying(chips)
        if due:
            outcome = _void_by_two(truth, entry, _void(chips))
            truth.violations.ensure(_refunds(outcome) == due, "any_round_can_be_void", f"{table}: {outcome}, due {due}")

    return watch


def deadlines_are_to_the_millisecond(truth: Truth) -> Callable[[Entry], None]:
    """Just before a deadline the house acts for nobody; just after it nobody acts any more (pt-811-2015 43, 812 27)."""

    def watch(entry: Entry) -> None:
        setting = [told.fact for told in entry.told if type(told.fact) in _LATE]
        if not setting:
            return
        fact: Any = setting[-1]
        due, late = _LATE[type(fact)](truth.states[entry.commit.stream], fact)
        if due is None:
            return
        woken = _ask(truth, entry, WakeTable(due=due), _TIMER, due - 1)
        early = isinstance(woken, Rejected) or any(map(_for_players, woken.events))
        truth.violations.ensure(not early, "nobody_acted_for_too_early", f"what if: {woken} before {fact}")
        if late is not None:
            by, command = late
            told = _ask(truth, entry, command, Principal("player", by), due)
            truth.violations.ensure(isinstance(told, Rejected), "nobody_acts_too_late", f"what if: {command} at {due}")

    return watch


def a_fast_clock_takes_no_time(truth: Truth) -> Callable[[Entry], None]:
    """A process with a clock ahead of the log's finds a round as it was before this commit: only that was left."""

    def watch(entry: Entry) -> None:
        table, commit = entry.commit.stream, entry.commit
        if not any(isinstance(told.fact, _MOVES) for told in entry.told) or moved_at(entry.before) is None:
            return
        sent: list[CommandMessage] = []
        timers = Timers(sent.append, lambda: commit.command_time + _AHEAD_MS, WakeTable)
        for version, state in ((commit.base, entry.before), (commit.version, truth.states[table])):
            sent.clear()
            timers.plan(table, version, next_wake(state), moved_at(state))
            timers.ring()
        again = any(wake.body["outage"] for wake in sent)
        truth.violations.ensure(not again, "a_fast_clock_takes_no_time", f"{table}/{commit.version}")

    return watch


def the_bank_pays_whatever_comes(truth: Truth) -> Callable[[Entry], None]:
    """Nobody alone takes money out, two not what the worst case needs, and a cent below it no betting opens (15)."""

    def refused(entry: Entry, command: Command, by: str, check: str) -> None:
        outcome = _ask(truth, entry, command, Principal("staff", by), entry.commit.command_time)
        truth.violations.ensure(isinstance(outcome, Rejected), check, f"what if: {command}")

    def watch(entry: Entry) -> None:
        for told in entry.told:
            if isinstance(told.fact, e.BankChangeRequested):
                refused(entry, taken(ApproveBankChange, told.fact), told.fact.by, "two_of_the_staff")
            elif isinstance(told.fact, PlayerSeated):
                state = truth.states[entry.commit.stream]
                needed = worst_case(flat(state.configuration))
                if needed is None or state.round is not None or state.bank < needed:
                    return
                drop = state.bank - needed + 1
                order = RequestBankChange(change="what-if", direction="drop", amount=drop, reason="what if")
                refused(entry, order, "ana", LIMIT)
                truth.violations.ensure(not _opens(truth, state, drop), LIMIT, f"what if {drop} were gone")

    return watch


def _opens(truth: Truth, state: Any, drop: int) -> bool:
    """Whether betting opens, if not at once then soon, after `drop` has gone from the bank."""
    gone = e.BankDropped(
        change="what-if", amount=drop, bank=state.bank - drop, requested_by="ana", by="rui",
        currency=state.configuration.currency, kind=state.configuration.kind,
    )  # fmt: skip
    decider, due = truth.machines["table"].decider, state.ended_at + 60_000
    woken = decider.decide(decider.evolve(state, gone), WakeTable(due=due), Given(due, None, _TIMER))
    return not isinstance(woken, Rejected) and any(isinstance(event, BankedRoundOpened) for event in woken.events)


def _void_by_two(truth: Truth, entry: Entry, command: Command) -> Outcome:
    """The second one decides, unless nobody has to be asked beside the first; neither has asked for it before."""
    now = entry.commit.command_time
    outcome = _ask(truth, entry, command, Principal("staff", "olga"), now)
    if isinstance(outcome, Rejected) or _refunds(outcome):
        return outcome
    return _ask(truth, entry, command, Principal("staff", "nuno"), now, outcome.states[-1])


def _ask(truth: Truth, entry: Entry, command: Command, by: Principal, now: int, after: Any = None) -> Outcome:
    """`after`: on the table as it would be then, in place of as it is."""
    state, machine = after or truth.states[entry.commit.stream], truth.machines["table"]
    try:
        outcome: Outcome = machine.decider.decide(state, command, Given(now, None, by))
    except Exception as broken:  # in the house it would be a rejection on the record: see `commits.no_decider_breaks`
        return Rejected(f"{type(broken).__name__}: {broken}")
    return outcome


def _void(chips: Chips) -> Command:
    if chips.round:
        return VoidRound(round=chips.round, cause="what if")
    return p.VoidHand(hand=chips.last_hand, cause="what if")


def _lying(chips: Chips) -> dict[int, int]:
    by_seat = chips.lying if chips.round else chips.staked if chips.hand else {}
    return {seat: amount for seat, amount in by_seat.items() if amount}


def _refunds(outcome: Outcome) -> dict[int, int]:
    events = () if isinstance(outcome, Rejected) else outcome.events
    refunds = [each for event in events for each in getattr(event, "refunds", ())]
    return {each.seat: each.amount for each in refunds if each.amount}


def _for_players(fact: Fact) -> bool:
    return by_clock(fact) or acted_for(fact)


Late = tuple[int | None, tuple[str, Command] | None]
"""The first millisecond that is too late, and a command that comes then, with who sends it."""


def _turn(state: Any, fact: poker_events.DecisionAwaited) -> Late:
    if state.hand is None or state.hand.turn is None or state.hand.turn.seat != fact.seat:
        return None, None
    return fact.bank_until + 1, (fact.player, p.Act(hand=fact.hand, seat=fact.seat, act="fold"))


def _antes(state: Any, fact: Any) -> Late:
    return _bets(state, fact, n.PlaceAnte(amount=state.rules.least_stake, round=fact.round))


def _coup(state: Any, fact: baccarat_events.CoupOpened) -> Late:
    return _bets(state, fact, b.PlaceStake(chance="ponto", amount=fact.min_bet, round=fact.round))


def _bets(state: Any, fact: Any, bet: Command) -> Late:
    open_still = state.round is not None and state.round.phase == "betting"
    return (fact.until, (next(iter(state.seats.values())).player, bet)) if open_still and state.seats else (None, None)


def _warned(state: Any, fact: no_draw_poker_events.HandsWarned) -> Late:
    if state.round is None or not state.round.undecided:
        return None, None
    return fact.until, (state.round.undecided[0].player, n.DecideHand(round=fact.round, decision="fold"))


def _awaited(state: Any, fact: no_draw_poker_events.HandsAwaited) -> Late:
    return (fact.until if state.round is not None and state.round.phase == "deciding" else None), None


_LATE: dict[type[Fact], Callable[[Any, Any], Late]] = {
    poker_events.DecisionAwaited: _turn,
    no_draw_poker_events.AntesOpened: _antes,
    no_draw_poker_events.AntesExtended: _antes,
    no_draw_poker_events.HandsAwaited: _awaited,
    no_draw_poker_events.HandsWarned: _warned,
    baccarat_events.CoupOpened: _coup,
}
