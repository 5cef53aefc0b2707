"""What the public topics say of a tournament's speed. Milliseconds between records as the broker was given them: after
each decision was appended, before anybody was shown it."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from libs.contracts import tournament_events as seats
from libs.contracts import tournament_play_events as play
from libs.contracts.poker_events import HandEnded, HandStarted
from libs.contracts.table_events import ConfigurationActivated
from tests.bench.house.meters import percentile
from tests.tournament.told import Told


@dataclass(slots=True)
class Balance:
    """Tables as the tournament has them, and who is on the way between two."""

    seats: int
    """Of a table."""
    at: dict[int, int] = field(default_factory=dict)
    on_the_way: set[str] = field(default_factory=set)

    def take(self, fact: Any) -> None:
        match fact:
            case play.TableSetUp():
                self.at[fact.table] = 0
            case play.EntrySeated() if fact.sitting.endswith(".1"):
                self.at[fact.table] += 1
            case play.EntryMoves():
                self.at[fact.table] -= 1
                self.at[fact.to_table] += 1
                self.on_the_way.add(fact.player)
            case play.EntryEliminated():
                self.at[fact.table] -= 1
            case play.TableBroken():
                self.at.pop(fact.table, None)
            case seats.EntrantSeated():
                self.on_the_way.discard(fact.player)

    @property
    def holds(self) -> bool:
        """Within one, no table too many, nobody between two tables."""
        sizes = self.at.values()
        fewest = -(-sum(sizes) // self.seats)
        return not self.on_the_way and len(sizes) <= max(1, fewest) and max(sizes) - min(sizes) <= 1


def figures(told: Told) -> dict[str, Any]:
    began, ended = _span(told)
    tables = [heard for told_there in told.tables.values() for heard in told_there]
    all_at = [heard.at for heard in (*told.own, *tables) if began <= heard.at <= ended]
    seconds = (ended - began) / 1000
    hands = [each for _, each in told.at_tables(HandEnded)]
    return {
        "seconds": round(seconds, 1),
        "tables": len(told.tables),
        "hands": len(hands),
        "moves": Counter(each.reason for each in told.of(play.EntryMoves)),
        "events": len(all_at),
        "events_per_s": round(len(all_at) / seconds, 1),
        "events_per_s_most": max(Counter(at // 1000 for at in all_at).values()),
        "balance": _balancing(told),
        "clock": _levels(told),
        "hand_to_hand_ms": spread(_between(told)),
        "first_hands_ms": spread(_first_hands(told, began)),
        "repeated": len(told.of(play.OrdersRepeated)),
    }


def _span(told: Told) -> tuple[int, int]:
    began = next(heard.at for heard in told.own if isinstance(heard.fact, play.StartDrawn))
    ended = next(heard.at for heard in told.own if isinstance(heard.fact, play.TournamentCompleted))
    return began, ended


def _balancing(told: Told) -> dict[str, Any]:
    """`eliminated_to_balanced`: from the end of the hand of the last elimination to tables within one and everybody
    seated; poker is in it, since the largest table first finishes its hand. `house`: from the end of the giving table's
    hand, or of the eliminating one where that is later, to the seat at the other table: what we add ourselves."""
    [start] = told.of(play.StartDrawn)
    [definition] = [heard.fact.definition for heard in told.own if hasattr(heard.fact, "definition")]
    hand_over = {(number, each.fact.hand): each.at for number, each in told.at_tables(HandEnded)}
    seated = {each.fact.reservation: each.at for _, each in told.at_tables(seats.EntrantSeated)}
    overs: dict[int, list[int]] = {}
    for (number, _), at in sorted(hand_over.items(), key=lambda item: item[1]):
        overs.setdefault(number, []).append(at)
    balance = Balance(definition.seats)
    both = [*told.own, *(each for _, each in told.at_tables(seats.EntrantSeated))]
    spells, house, spell, since, running = list[float](), list[float](), 0, 0, False
    last = 0
    for heard in sorted(both, key=lambda heard: heard.at):
        fact = heard.fact
        balance.take(fact)
        running = running or isinstance(fact, play.HandsReleased)
        if not running or not balance.at:
            continue
        if isinstance(fact, play.EntryEliminated):
            last = hand_over[fact.table, fact.hand]
        if isinstance(fact, play.EntryMoves):
            next_sitting = f"{fact.sitting.rpartition('.')[0]}.{int(fact.sitting.rpartition('.')[2]) + 1}"
            given = max((at for at in overs.get(fact.table, []) if at <= heard.at), default=0)
            house.append(seated[next_sitting] - max(given, last))
        if not balance.holds:
            spell += 1
            since = last
        elif spell:
            spells.append(heard.at - since)
            spell = 0
    return {"spells": len(spells), "eliminated_to_balanced_ms": spread(spells), "moves": len(house),
            "house_ms": spread(house), "tables_at_start": start.tables}  # fmt: skip


def _levels(told: Told) -> dict[str, Any]:
    """`told`: a table has a level's blinds, after the level has begun by the tournament's clock. `dealt`: its first
    hand with them begins. `early`, `late`: hands begun outside of their level, by how much at most."""
    began, told_at, dealt = told.level_began, list[float](), list[float]()
    early = late = 0
    skew: list[float] = []
    by_level: dict[int, list[float]] = {}
    for _, each in told.at_tables(ConfigurationActivated):
        version = each.fact.configuration.version
        if version > 1:
            told_at.append(each.at - began[version])
    for table in told.tables.values():
        first: dict[int, int] = {}
        for each in table:
            if isinstance(each.fact, HandStarted):
                version = each.fact.configuration_version
                first.setdefault(version, each.fact.at)
                early = max(early, began[version] - each.fact.at)
                if version + 1 in began:
                    late = max(late, each.fact.at - began[version + 1] + 1)
        for version, at in first.items():
            if version > 1:
                dealt.append(at - began[version])
                by_level.setdefault(version, []).append(at - began[version])
    skew = [max(each) - min(each) for each in by_level.values() if len(each) > 1]
    return {"levels": len(began), "told_ms": spread(told_at), "dealt_ms": spread(dealt), "skew_ms": spread(skew),
            "early_ms": early, "late_ms": max(0, late)}  # fmt: skip


def _between(told: Told) -> list[float]:
    """From the end of a hand to the beginning of the next one at the same table."""
    found: list[float] = []
    for table in told.tables.values():
        over = None
        for each in table:
            if isinstance(each.fact, HandEnded):
                over = each.at
            elif isinstance(each.fact, HandStarted) and over is not None:
                found.append(each.at - over)
    return found


def _first_hands(told: Told, began: int) -> list[float]:
    firsts = {number: each.at for number, each in reversed(told.at_tables(HandStarted)) if each.fact.hand == 1}
    return [at - began for at in firsts.values()]


def spread(values: Iterable[float]) -> Mapping[str, float]:
    found = list(values)
    return {f"p{100 * share:g}": round(percentile(found, share)) for share in (0.5, 0.99, 1.0)}
