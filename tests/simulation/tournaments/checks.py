"""What holds at every event of a tournament and its tables, and what holds when all is over."""

from collections import Counter
from typing import TYPE_CHECKING, Any

from libs.contracts import tournament_events as seats
from libs.contracts import tournament_play_events as play
from libs.contracts import tournaments_events as lives
from libs.contracts.facts import Fact, TableEvent, TournamentEvent
from libs.contracts.poker_events import HandStarted
from libs.contracts.tournament_tables import table_number
from libs.contracts.tournament_ticket_events import TicketIssued, TicketsAwarded
from libs.contracts.wallet_commands import account_id
from libs.contracts.wallet_events import FundsDeposited
from libs.journal.commit import decode
from libs.journal.fold import Step
from services.audit.verifying.refused_returns import refused_return
from services.tournament.domain.state import Tournament
from tests.simulation.violations import ensure

if TYPE_CHECKING:
    from tests.simulation.tournaments.crowd import Crowd
    from tests.simulation.tournaments.rails import Rails


class Checks:
    """Is shown every event as it is decided. `state` is the tournament's after it."""

    def __init__(self) -> None:
        self.state: Any = Tournament("")
        self._before = self.state.play
        self.told: list[TournamentEvent] = []
        self.figures: Counter[str] = Counter()
        self.sits: dict[str, dict[str, int]] = {}
        """Player to the sittings and tables where they sit, as the tables say."""
        self._out: set[str] = set()
        """Sittings that the tournament has ended: a table that is down hears of it when it is back, while who was
        eliminated there, without a chip, may be in again elsewhere."""
        self._chips = 0
        self._seated: set[str] = set()
        self._since: dict[int, set[str]] = {}
        """By table: entries seated since its last release; a hand may begin before they sit there."""
        self._until: dict[int, list[tuple[int, int | None, int]]] = {}
        """By table, of each release: when it was, until when the hand may begin, and its level."""
        self._released: set[tuple[int, int]] = set()
        self.deposits = 0
        self.open: set[str] = set()
        self.excluded: set[str] = set()
        """Disqualified, and no second person has decided about it."""

    def see(self, stream: str, step: Step[Any, Any]) -> None:
        fact = step.event
        if isinstance(fact, TournamentEvent):
            self._before, self.state = self.state.play, step.state
            self.told.append(fact)
            self._tournament(fact)
        elif isinstance(fact, TableEvent):
            found = table_number(fact.table)
            assert found is not None
            self._table(found[1], fact)
        elif isinstance(fact, FundsDeposited):
            self.deposits += fact.amount

    def of(self, kind: type) -> list[Any]:
        return [event for event in self.told if isinstance(event, kind)]

    # As it happens

    def _tournament(self, fact: TournamentEvent) -> None:
        if isinstance(fact, play.EntrySeated):
            if fact.entry not in self._seated:
                self._seated.add(fact.entry)
                self._chips += fact.chips
            self._since.setdefault(fact.table, set()).add(fact.entry)
        elif isinstance(fact, play.ChipsGranted):
            self._chips += fact.chips
            self._since.setdefault(fact.table, set()).add(fact.entry)
        elif isinstance(fact, play.EntryEliminated):
            self._out.add(fact.sitting)
        elif isinstance(fact, play.ChipsOutOfPlay):
            self._chips -= fact.chips
        elif isinstance(fact, play.HandsReleased):
            self._release(fact)
        self._decide(fact)
        if isinstance(fact, play.EntrySeated | play.ChipsGranted | play.HandFinished | play.EntryEliminated):
            now = self.state.play
            ensure(sum(now.stacks.values()) == self._chips, "chips_conserved", f"{sum(now.stacks.values())}: {fact}")
            ensure(self.state.held.total >= 0, "accounts_have_a_floor", str(fact))

    def _decide(self, fact: TournamentEvent) -> None:
        """Nobody is paid on one person's word (FP-16)."""
        if isinstance(fact, lives.PlayerDisqualified):
            self.open.add(fact.player)
        elif isinstance(fact, lives.PrizeReleased | lives.DisqualificationFinal):
            self.open.discard(fact.player)
        if isinstance(fact, lives.PlayerExcluded):
            self.excluded.add(fact.player)
        elif isinstance(fact, lives.ExclusionConfirmed):
            self.excluded.discard(fact.player)
        won = isinstance(fact, lives.CreditsDue) and fact.why in ("prize", "bounty")
        if won or isinstance(fact, TicketsAwarded | play.TournamentCompleted):
            ensure(not self.open | self.excluded, "two_decide", f"{self.open | self.excluded}: {fact}")

    def _release(self, fact: play.HandsReleased) -> None:
        """A hand whose release lapsed with the level is released again, whatever has happened elsewhere."""
        now = self.state.play
        sizes = {table: len(at.entries) for table, at in now.tables.items()}
        places = list(now.places.values())
        ensure(len(set(places)) == len(places), "nobody_at_two_tables", "two in one seat")
        new = [due.table for due in fact.hands if (due.table, due.hand) not in self._released]
        if not now.time_up:
            uneven = [table for table in new if sizes[table] - min(sizes.values()) > 1]
            ensure(not uneven, "tables_within_one", f"{sizes}, released {new}")
        waited = {entry for table in new for entry in now.tables[table].entries.values()} & set(now.moving)
        ensure(not waited, "nobody_at_no_table", f"{waited} are on their way to {new}")
        ensure(not fact.round or self._before.all_between_hands, "hand_for_hand", f"round {fact.round}: {sizes}")
        self._released |= {(due.table, due.hand) for due in fact.hands}
        for table in new:  # under a release that lapsed it may begin still, without who was seated meanwhile
            self._since[table] = set()
        for due in fact.hands:
            self._until.setdefault(due.table, []).append((fact.at, fact.until, now.level))

    def _table(self, number: int, fact: TableEvent) -> None:
        match fact:
            case seats.EntrantSeated():
                sits = self.sits.setdefault(fact.player, {})
                ensure(sits.keys() <= self._out, "nobody_at_two_tables", f"{fact.player} at {sits}: {fact}")
                sits[fact.reservation] = number
            case (
                seats.EntrantMoved() | seats.EntrantEliminated() | seats.EntrantFinished() | seats.EntrantDisqualified()
            ):
                sits = self.sits.get(fact.player, {})
                ensure(sits.pop(fact.reservation, 0) == number, "nobody_at_two_tables", f"{fact}")
            case HandStarted():
                self.figures["hands"] += 1
                self._hand(number, {self._in_seat(each.reservation) for each in fact.seats})
                self._in_time(number, fact)
            case _:
                pass

    def _hand(self, number: int, dealt: set[str]) -> None:
        """Who is dealt in is who has to be: the tournament's entries with chips, but for what is on its way."""
        now = self.state.play
        if number not in now.tables:
            return ensure(self.state.phase != "running", "nobody_at_two_tables", f"a broken table deals: {number}")
        may = set(now.tables[number].entries.values())
        must = {entry for entry in may - set(now.moving) - self._since.get(number, set()) if now.stacks[entry]}
        must -= now.disqualified.keys()  # the table may have let them go, and not be heard of yet
        ensure(must <= dealt <= may, "nobody_at_no_table", f"{number}: {must} {dealt} {may}")
        return None

    def _in_seat(self, sitting: str) -> str:
        return str(self.state.play.sitting_of[sitting])

    def _in_time(self, number: int, fact: HandStarted) -> None:
        """None begins when the level of its release is over, or a break has begun; each has its blinds (46). A table
        that was down tells late of a hand that began before it was released anew."""
        before = [each for each in self._until.get(number, []) if each[0] <= fact.at]
        _, until, level = before[-1] if before else (0, None, 0)
        ensure(until is None or fact.at < until, "the_clock_is_kept", f"{number}/{fact.hand}: {fact.at} {until}")
        ensure(
            fact.configuration_version == level, "the_clock_is_kept", f"{number}/{fact.hand} is not of level {level}"
        )

    # When all is over

    def end(self, rails: "Rails") -> None:
        state = self.state
        ensure(state.phase in ("completed", "cancelled"), "it_ends", f"{state.phase} {_stand(state)} {rails.refused}")
        ensure(state.held.total == 0, "accounts_end_at_zero", str(state.held))
        still = {player: sits for player, sits in self.sits.items() if sits}
        ensure(not still, "it_ends", f"still sitting: {still}")
        ensure(not state.unused_tickets, "every_ticket_ends", str(state.unused_tickets))
        self._places()

    def _places(self) -> None:
        if self.state.phase != "completed":
            return
        [completed] = self.of(play.TournamentCompleted)
        results, entries = completed.results, len(self._seated)
        tied = {(result.first, result.last) for result in results}
        places = sorted(place for first, last in tied for place in range(first, last + 1))
        ensure(places == list(range(1, entries + 1)), "places_are_a_permutation", f"{entries}: {tied}")
        ensure(len(results) == entries == len({result.entry for result in results}), "places_are_a_permutation", "")
        [fixed] = self.of(play.PrizesFixed)
        won = sum(result.prize + result.ticket for result in results)
        ensure(won == fixed.pool, "prizes_are_the_pool", f"{won} of {fixed.pool}")
        paid = sum(credit.prize for due in self.of(lives.CreditsDue) if due.why == "prize" for credit in due.credits)
        paid += sum(awarded.value * len(awarded.tickets) for awarded in self.of(TicketsAwarded))
        ensure(paid == fixed.pool, "prizes_are_the_pool", f"{paid} of {fixed.pool} were paid")


def check_house(crowd: "Crowd") -> None:
    """When all is over: every tournament, the money of everybody, and the journals."""
    for checks in crowd.all.values():
        checks.end(crowd.rails)
    told = [checks.of for checks in crowd.all.values()]
    awarded = {won.ticket for of in told for event in of(TicketsAwarded) for won in event.tickets}
    issued = [event.ticket for of in told for event in of(TicketIssued)]
    ensure(len(issued) == len(awarded) and set(issued) == awarded, "every_ticket_ends", f"{awarded} {issued}")
    _money(crowd)
    for process in crowd.rails.processes.values():
        refused = [each.detail for record in process.journal for each in refused_return(decode(record.value))]
        ensure(not refused, "what_goes_back_was_paid", f"{refused}")
        ensure(process.rebuilt() == process.fold.states, "rebuilt_is_the_same", process.name)


def tournament_of(fact: Fact) -> str | None:
    """Whose event it is, or whose table's."""
    if isinstance(fact, TournamentEvent):
        return fact.tournament
    found = table_number(fact.table) if isinstance(fact, TableEvent) else None
    return found[0] if found is not None else None


def _money(crowd: "Crowd") -> None:
    """What players have now is what they brought, less what the house earned, with what it gave."""
    funds = {name: _funds(crowd, name) for name in crowd.people}
    told = [checks.of for checks in crowd.all.values()]
    fees = sum(event.amount for of in told for event in of(lives.FeesEarned))
    given = sum(event.amount for of in told for event in of(play.PrizesFixed))
    given -= sum(event.amount for of in told for event in of(play.GuaranteeReturned))
    deposits = sum(checks.deposits for checks in crowd.all.values())
    ensure(
        sum(funds.values()) == deposits - fees + given, "money_conserved",
        f"{sum(funds.values())} of {deposits}, {fees} earned, {given} given",
    )  # fmt: skip


def _funds(crowd: "Crowd", name: str) -> int:
    account = crowd.rails.state("wallet", account_id(name, "EUR"))
    ensure(account.reserved == 0, "nothing_stays_reserved", name)
    return int(account.available)


def _stand(state: Any) -> str:
    return f"{state.play.clock} {state.play.tables} moving {state.play.moving} pending {state.pending}"
