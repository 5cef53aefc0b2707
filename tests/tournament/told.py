"""A tournament that was played at a real house, read from the public topics: what holds over all of it.

Two streams arrive in either order, so nothing here rests on the order between the tournament's events and a table's:
only on each stream's own, on times, and on what the sittings say.
"""

from collections import defaultdict
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, TypeVar

from libs.broker import Broker
from libs.contracts import tournament_events as seats
from libs.contracts import tournament_play_events as play
from libs.contracts.cloudevents_kafka import from_record
from libs.contracts.facts import Fact
from libs.contracts.poker_events import HandEnded, HandStarted, HandVoided
from libs.contracts.registry import UnknownEvent, parse_event
from libs.contracts.topics import topic
from libs.contracts.tournament_tables import table_number
from libs.contracts.tournaments_events import (
    ClockAdjusted,
    Credit,
    CreditsDue,
    PaymentTaken,
    TournamentPaused,
    TournamentProposed,
)
from tests.e2e.evening import all_records
from tests.testkit.partitions import PARTITIONS

FactT = TypeVar("FactT", bound=Fact)


@dataclass(frozen=True, slots=True)
class Heard:
    fact: Any
    at: int
    """When the broker was given it, milliseconds since the epoch: after it was decided and appended."""


@dataclass(slots=True)
class Told:
    """Every public event of one tournament and of its tables, each stream in its order."""

    tournament: str
    own: list[Heard] = field(default_factory=list)
    tables: dict[int, list[Heard]] = field(default_factory=lambda: defaultdict(list))

    def of(self, kind: type[FactT]) -> list[FactT]:
        return [heard.fact for heard in self.own if isinstance(heard.fact, kind)]

    def at_tables(self, *kinds: type) -> list[tuple[int, Heard]]:
        return [(number, each) for number, told in self.tables.items() for each in told if isinstance(each.fact, kinds)]

    def credited_before(self, event: Fact) -> list[Credit]:
        before = self.own[: next(place for place, heard in enumerate(self.own) if heard.fact is event)]
        return [credit for heard in before if isinstance(heard.fact, CreditsDue) for credit in heard.fact.credits]

    def funds(self, brought: int) -> dict[str, int]:
        """By player, of whom each `brought` as much: what they have when all is paid, cents."""
        found: dict[str, int] = {}
        for heard in self.own:
            if isinstance(heard.fact, PaymentTaken):
                found[heard.fact.player] = found.get(heard.fact.player, brought) - heard.fact.amount
            elif isinstance(heard.fact, CreditsDue):
                for credit in heard.fact.credits:
                    found[credit.player] += credit.amount
        return found

    # What holds

    @property
    def problems(self) -> list[str]:
        """Nobody at two tables or at none, every hand once, one clock, hand-for-hand in step; a sentence each."""
        return [*self._sittings(), *self._hands(), *self._clock(), *self._rounds()]

    def _sittings(self) -> list[str]:
        begun: dict[str, tuple[int, seats.EntrantSeated]] = {}
        over: dict[str, tuple[int, Any]] = {}
        found = []
        for number, each in self.at_tables(seats.EntrantSeated):
            if each.fact.reservation in begun:
                found.append(f"sitting {each.fact.reservation} began twice")
            begun[each.fact.reservation] = number, each.fact
        for table, each in self.at_tables(seats.EntrantMoved, seats.EntrantEliminated, seats.EntrantFinished):
            if each.fact.reservation in over or begun.get(each.fact.reservation, (0,))[0] != table:
                found.append(f"sitting {each.fact.reservation} ended twice, or where it was not")
            over[each.fact.reservation] = table, each.fact
        found += [f"sitting {sitting} never ended" for sitting in begun.keys() - over.keys()]
        if found:
            return found
        for sitting, (_, end) in over.items():
            entry, times = sitting.rsplit(".", 1)
            after = begun.get(f"{entry}.{int(times) + 1}")
            if isinstance(end, seats.EntrantMoved):
                if after is None or after[1].at < end.at or after[1].chips != end.chips:
                    found.append(f"{end.player} left {end.table} with {end.chips} and then: {after}")
            elif after is not None:
                found.append(f"{end.player} was out and sat again: {after}")
        return found

    def _hands(self) -> list[str]:
        found = []
        for number, told in sorted(self.tables.items()):
            kinds = (HandStarted, HandEnded, HandVoided)
            hands = [each.fact for each in told if isinstance(each.fact, kinds)]
            if any(isinstance(each, HandVoided) for each in hands):
                found.append(f"a hand of table {number} was void")
            wanted = [(kind, 1 + place // 2) for place, kind in enumerate([HandStarted, HandEnded] * (len(hands) // 2))]
            if [(type(each), each.hand) for each in hands] != wanted:
                found.append(f"the hands of table {number} are not one after the other")
        return found

    def _clock(self) -> list[str]:
        """Levels begin when the published structure says, later by what a standstill of the house took from them
        (FP-15), and no hand begins after its level is over (45, 46)."""
        if any(isinstance(heard.fact, ClockAdjusted | TournamentPaused) for heard in self.own):
            return ["the clock was moved by a director: this is not judged here"]
        [rules] = [proposed.definition for proposed in self.of(TournamentProposed)]
        [start] = self.of(play.StartDrawn)
        breaks = {each.after_level: each.lasts_ms for each in rules.breaks}
        due = [start.clock_from]
        for number, level in enumerate(rules.levels, start=1):
            due.append(due[-1] + level.lasts_ms + breaks.get(number, 0))
        found, made_good = [], 0
        for heard in self.own:
            if isinstance(heard.fact, play.ClockMadeGood):
                made_good += heard.fact.ms
            elif isinstance(heard.fact, play.LevelBegan):
                off = heard.fact.began - due[heard.fact.level - 1] - made_good
                found += [f"level {heard.fact.level} began {off} ms off the clock"] if off else []
        began = self.level_began
        for table, each in self.at_tables(HandStarted):
            over = began.get(each.fact.configuration_version + 1)
            if over is not None and each.fact.at >= over:
                found.append(f"hand {each.fact.hand} of table {table} began {each.fact.at - over} ms after its level")
        return found

    @property
    def level_began(self) -> dict[int, int]:
        """By the tournament's clock, milliseconds since the epoch."""
        return {each.level: each.began for each in self.of(play.LevelBegan)}

    def _rounds(self) -> list[str]:
        """No table begins a round before all have finished the one before (49). A hand that a lapsed release did not
        begin is released again, with no round: it is the one of its first release."""
        hands: dict[tuple[int, int], int] = {}
        spell = 0
        for heard in self.own:
            if isinstance(heard.fact, play.HandForHandBegan):
                spell += 1
            if isinstance(heard.fact, play.HandsReleased) and heard.fact.round:
                for due in heard.fact.hands:
                    hands.setdefault((due.table, due.hand), 1_000_000 * spell + heard.fact.round)
        begun, over = defaultdict[int, list[int]](list), defaultdict[int, list[int]](list)
        for number, each in self.at_tables(HandStarted, HandEnded):
            if (round_ := hands.get((number, each.fact.hand))) is not None:
                (begun if isinstance(each.fact, HandStarted) else over)[round_].append(each.fact.at)
        return [
            f"round {after} began {max(over[before]) - min(begun[after])} ms before {before} was over"
            for before, after in pairwise(sorted(begun))
            if after == before + 1 and min(begun[after]) < max(over[before], default=0)
        ]


async def read_told(broker: Broker, prefix: str, tournament: str) -> Told:
    told, seen = Told(tournament), set[tuple[str, int]]()
    for service in ("tournament", "table"):
        at = topic(service, "events")
        for record in await all_records(broker, prefix + at.name, at.partitions(PARTITIONS)):
            stream = (record.key or b"").decode()
            found = table_number(stream) if service == "table" else None
            if stream != tournament and (found is None or found[0] != tournament):
                continue
            event = from_record(record.key, record.value, record.headers)
            if (event.stream, event.version) in seen:  # a service that was killed publishes what it may not have
                continue
            seen.add((event.stream, event.version))
            try:
                heard = Heard(parse_event(event), record.timestamp)
            except UnknownEvent:
                continue
            (told.own if found is None else told.tables[found[1]]).append(heard)
    return told
