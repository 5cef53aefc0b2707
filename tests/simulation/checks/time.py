"""Time is the log's: the house acts for somebody only when theirs is over, and then nobody acts any more."""

from collections import defaultdict, deque
from collections.abc import Callable

from libs.contracts import baccarat_events as b
from libs.contracts import no_draw_poker_events as n
from libs.contracts import poker_events as p
from libs.contracts import table_events as t
from libs.contracts.banked_rounds import BankedStakeMoved
from libs.contracts.facts import Fact
from tests.simulation.truth import Entry, Told, Truth

_WAKES = 8
"""Wakes with an effect that one table may need within a second."""


def nobody_acted_for_too_early(truth: Truth) -> Callable[[Entry], None]:
    """A decision exactly at the deadline still counts (pt-811-2015 43); a seat is kept as long as was promised (8)."""
    awaited: dict[str, p.DecisionAwaited] = {}
    kept: dict[str, int] = {}

    def early(told: Told) -> bool:
        fact, time = told.fact, told.event.time
        if acted_for(fact):
            waited = awaited.get(fact.table)
            return waited is None or waited.seat != fact.seat or time <= waited.bank_until
        if isinstance(fact, t.SeatReleased) and fact.reason == "lapsed":
            return time <= kept.get(fact.reservation, time)
        return False

    def watch(entry: Entry) -> None:
        for told in entry.told:
            truth.violations.ensure(not early(told), "nobody_acted_for_too_early", told.event.id)
            if isinstance(told.fact, p.DecisionAwaited):
                awaited[told.fact.table] = told.fact
            elif isinstance(told.fact, t.SeatReserved):
                kept[told.fact.reservation] = told.fact.until

    return watch


def nobody_acts_too_late(truth: Truth) -> Callable[[Entry], None]:
    """A player's decision counts up to the deadline and not after it (pt-811-2015 43)."""
    awaited: dict[str, p.DecisionAwaited] = {}

    def late(told: Told) -> bool:
        fact = told.fact
        if not isinstance(fact, p.PlayerFolded | p.PlayerChecked | p.BetPlaced):
            return False
        if getattr(fact, "actor", "player") != "player" or getattr(fact, "reason", None) is not None:
            return False
        return told.event.time > awaited[fact.table].bank_until

    def watch(entry: Entry) -> None:
        for told in entry.told:
            truth.violations.ensure(not late(told), "nobody_acts_too_late", told.event.id)
            if isinstance(told.fact, p.DecisionAwaited):
                awaited[told.fact.table] = told.fact

    return watch


def nobody_bets_too_late(truth: Truth) -> Callable[[Entry], None]:
    """Against the house the deadline itself is too late (pt-803-2015 14, 31, pt-812-2015 27), and nothing is early."""
    until: dict[str, int | None] = {}

    def watch(entry: Entry) -> None:
        for told in entry.told:
            fact, time = told.fact, told.event.time
            due = until.get(entry.commit.stream)
            if due is not None:
                truth.violations.ensure(time < due or not _by_player(fact), "nobody_acts_too_late", told.event.id)
                truth.violations.ensure(time >= due or not by_clock(fact), "nobody_acted_for_too_early", told.event.id)
            if isinstance(fact, _SETS_DEADLINE):
                until[entry.commit.stream] = fact.until

    return watch


def no_table_wakes_in_a_loop(truth: Truth) -> Callable[[Entry], None]:
    """Who wakes a table has looked at its clock: nothing comes due again and again within a second."""
    woken: dict[str, deque[int]] = defaultdict(lambda: deque(maxlen=_WAKES))

    def watch(entry: Entry) -> None:
        commit = entry.commit
        if commit.principal != "timer:table" or not commit.events:
            return
        times = woken[commit.stream]
        busy = len(times) == _WAKES and commit.command_time - times[0] < 1_000
        truth.violations.ensure(not busy, "no_table_wakes_in_a_loop", f"{commit.stream}/{commit.version}")
        times.append(commit.command_time)

    return watch


def acted_for(fact: Fact) -> bool:
    return isinstance(fact, p.PlayerFolded | p.PlayerChecked) and fact.reason == "timeout"


def _by_player(fact: Fact) -> bool:
    by_choice = isinstance(fact, n.HandSurrendered) and fact.cause == "player"
    return by_choice or isinstance(fact, BankedStakeMoved)


def by_clock(fact: Fact) -> bool:
    for_them = isinstance(fact, n.HandSurrendered) and fact.cause in ("timeout", "disconnected")
    return for_them or isinstance(fact, n.AntesClosed | n.HandsWarned | b.BettingClosed)


_SETS_DEADLINE = (n.AntesOpened, n.AntesExtended, n.HandsAwaited, n.HandsWarned, b.CoupOpened)
