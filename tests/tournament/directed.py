"""A running tournament whose tables do as they are told: hands begin and end when a test says so, and who goes out."""

from collections.abc import Mapping
from typing import Any

from libs.contracts import tournament_play_commands as heard
from libs.contracts import tournament_play_events as play
from libs.contracts.facts import TournamentEvent
from libs.contracts.poker_events import PotAwarded
from libs.contracts.tournament_tables import table_name
from libs.money.chips import NO_CURRENCY
from services.tournament.domain.play.seating import positions
from services.tournament.machine import decode_command
from services.tournament.policies.tables import TO_TABLES
from tests.tournament.cashier import public
from tests.tournament.course import POLICY, START, Course, done
from tests.tournament.hall import FREEZE_OUT


class Directed:
    """Started with all its players; `entries` are called `entry-p1` and so on."""

    def __init__(self, players: int, **other: Any) -> None:
        self.course = Course.registering(**{**FREEZE_OUT, "min_players": players, **other})
        self.course.enter(*(f"p{number}" for number in range(1, players + 1)))
        self.now = START
        self.course.wake(START)
        assert self.course.state.phase == "running"

    @property
    def play(self) -> Any:
        return self.course.state.play

    @property
    def sizes(self) -> list[int]:
        return [len(self.play.tables[number].entries) for number in sorted(self.play.tables)]

    def of(self, kind: type) -> list[Any]:
        return [event for event in self.course.events if isinstance(event, kind)]

    def released(self, events: list[TournamentEvent]) -> list[int]:
        """Tables that may begin a hand by these events."""
        return [due.table for event in events if isinstance(event, play.HandsReleased) for due in event.hands]

    def deal(self, table: int, now: int | None = None, began: int | None = None) -> None:
        """The hand that is allowed there begins; `began`: and is heard of later."""
        at = self.play.tables[table]
        button = positions(at.entries, at.button).button
        deal = heard.HearDeal(table=table, hand=at.allowed, button=button, began=began or now or self.now)
        self._hear(deal, now)

    def finish(self, table: int, *out: str, now: int | None = None, void: bool = False) -> list[TournamentEvent]:
        """It ends: whoever is named loses everything to the biggest other stack."""
        at, stacks = self.play.tables[table], self.play.stacks
        here = {entry: stacks[entry] for entry in at.entries.values() if stacks[entry]}
        winner = max((entry for entry in here if entry not in out), key=lambda entry: here[entry])
        after = {entry: 0 if entry in out else chips for entry, chips in here.items()}
        after[winner] += sum(here[entry] for entry in out)
        told = [heard.StackHeard(self.play.sittings[entry], here[entry], after[entry]) for entry in here]
        return self._hear(heard.HearHand(table=table, hand=at.allowed, stacks=[] if void else told, void=void), now)

    def hand(self, table: int, *out: str) -> list[TournamentEvent]:
        self.deal(table)
        return self.finish(table, *out)

    def becomes(self, entry: str, chips: int, now: int | None = None) -> list[TournamentEvent]:
        """One hand at its table, after which it has so many; the biggest other stacks pay or win it."""
        self.arrive()
        table = self.play.places[entry].table
        stacks = self.play.stacks
        here = {each: stacks[each] for each in self.play.tables[table].entries.values() if stacks[each]}
        after, due = {**here, entry: chips}, here[entry] - chips
        for other in sorted(here.keys() - {entry}, key=lambda each: (-here[each], each)):
            part = max(due, 1_000 - here[other])  # nobody else is put out by it
            after[other], due = here[other] + part, due - part
        assert not due, "so many chips are not at this table"
        self.deal(table, now and now - 1)
        return self.ends(table, after, now)

    def ends(self, table: int, after: Mapping[str, int], now: int | None = None) -> list[TournamentEvent]:
        """The hand there, with these stacks; who is not named keeps the chips."""
        at, stacks, sittings = self.play.tables[table], self.play.stacks, self.play.sittings
        here = [entry for entry in at.entries.values() if stacks[entry]]
        told = [heard.StackHeard(sittings[each], stacks[each], after.get(each, stacks[each])) for each in here]
        assert sum(each.before for each in told) == sum(each.chips for each in told)
        return self._hear(heard.HearHand(table=table, hand=at.allowed, stacks=told), now)

    def wins(self, table: int, hand: int, *pots: tuple[list[str], list[str]]) -> None:
        """Who had chips in each pot of the hand that runs and who won it, the main pot first."""
        seats = {entry: seat for seat, entry in self.play.tables[table].entries.items()}
        for players, winners in pots:
            eligible, won = ([seats[entry] for entry in each] for each in (players, winners))
            fact = PotAwarded(
                table=table_name("t-1", table), hand=hand, pot="main", amount=100, eligible=eligible, winners=won,
                rake=0, basis="none", payments=[], currency=NO_CURRENCY, rulebook="common-holdem",
            )  # fmt: skip
            for message in TO_TABLES[PotAwarded](public(fact, 1), fact):
                self._hear(decode_command(message), None)

    def arrive(self) -> list[TournamentEvent]:
        """Everybody who is on the way has left the old table."""
        events: list[TournamentEvent] = []
        for entry in sorted(self.play.moving):
            move = heard.HearMove(sitting=self.play.sittings[entry], chips=self.play.stacks[entry])
            events += self._hear(move, None)
        return events

    def round(self, *out: str) -> None:
        """One hand at every table that may begin one, until so many are out; who moves arrives."""
        for table in sorted(self.play.tables):
            at = self.play.tables.get(table)
            if at is not None and at.allowed > at.ended:
                self.hand(table, *(entry for entry in at.entries.values() if entry in out))
        self.arrive()

    def down_to(self, left: int) -> "Directed":
        """The smallest stacks go out one after the other, a round each."""
        while self.play.left > left:
            table = max(self.play.tables, key=lambda number: len(self.play.tables[number].entries))
            entries = sorted(self.play.tables[table].entries.values(), key=lambda entry: self.play.stacks[entry])
            self.round(entries[0])
        return self

    def at(self, table: int) -> list[str]:
        """Entries there, the biggest stack last."""
        entries = self.play.tables[table].entries.values()
        return sorted(entries, key=lambda entry: (self.play.stacks[entry], entry))

    def _hear(self, command: Any, now: int | None) -> list[TournamentEvent]:
        self.now = max(self.now + 1, now or 0)
        return done(self.course.ask(POLICY, command, self.now))
