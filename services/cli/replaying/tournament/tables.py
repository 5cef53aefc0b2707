"""Balancing, broken and final tables, positions of who has moved: with the recorded draws."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from services.cli.replaying.play import Outcome
from services.tournament.domain.play.seating import (
    Floor,
    Move,
    Place,
    Seated,
    balancing_move,
    break_up,
    final_table,
    free_seats,
    moved,
    needs_balance,
    positions,
    source_table,
    surplus_tables,
)

if TYPE_CHECKING:
    from services.cli.replaying.tournament.play import WorkedCase

T = TypeVar("T")


class RecordedLots:
    """Draws what the record says, and keeps among what."""

    def __init__(self, *drawn: Any) -> None:
        self._drawn = list(drawn)
        self.among: list[list[Any]] = []

    def one_of(self, items: Sequence[T]) -> T:
        self.among.append(list(items))
        found = self._drawn.pop(0)
        if found not in items:
            raise ValueError(f"{found} is drawn among {list(items)}")
        return found  # type: ignore[no-any-return]

    def order(self, items: Sequence[T]) -> tuple[T, ...]:
        return tuple(self._drawn.pop(0))


def floor_of_tables(case: "WorkedCase", outcome: Outcome) -> None:
    seats, players = case.setup["seats_per_table"], case.setup["players"]
    names = iter(f"p{number:02}" for number in range(1, players + 1))
    floor: Floor = {
        table: Seated({seat: next(names) for seat in range(1, players // case.setup["tables"] + 1)})
        for table in range(1, case.setup["tables"] + 1)
    }
    breaks, moves, out = [], 0, set()
    for step in case.steps:
        what = f"step {step['step']}"
        outcome.compare(f"{what} sizes_before", step["sizes_before"], _sizes(floor))
        out |= set(step["eliminated"])
        floor = {n: Seated({s: p for s, p in t.entries.items() if p not in out}) for n, t in floor.items()}
        outcome.compare(f"{what} sizes_after_elimination", step["sizes_after_elimination"], _sizes(floor))
        broken = next(iter(surplus_tables(floor, seats)), None)
        outcome.compare(f"{what} table_broken", step.get("table_broken"), broken)
        if broken is not None:
            breaks.append(step["step"])
            floor = _broken(outcome, step, floor, broken, seats)
        for move in step.get("moves", ()):
            floor = _balanced(outcome, what, move, floor, seats)
            moves += 1
        outcome.compare(f"{what} needs no balancing", False, needs_balance(floor))
        outcome.compare(f"{what} sizes_after", step["sizes_after"], _sizes(floor))
        sitting = sorted(player for table in floor.values() for player in table.entries.values())
        outcome.compare(f"{what} who sits", sorted({f"p{n:02}" for n in range(1, players + 1)} - out), sitting)
    left = sum(_sizes(floor))
    got = {"table_breaks": breaks, "balancing_moves": moves, "players_left": left}
    outcome.compare("", {name: case.expected[name] for name in got}, got)


def _balanced(outcome: Outcome, what: str, told: Mapping[str, Any], floor: Floor, seats: int) -> Floor:
    sizes = {number: table.size for number, table in floor.items()}
    outcome.compare(f"{what} tables differ by two", True, needs_balance(floor))
    source = told["source_table"]
    floor = {**floor, source: Seated(floor[source].entries, told["last_button_seat"])}
    lots = RecordedLots(*[source] * (len(told["largest_tables"]) > 1))
    outcome.compare(f"{what} source_table", source, source_table(floor, lots))
    smallest = [number for number, size in sizes.items() if size == min(sizes.values())]
    lots = RecordedLots(*[told["destination_table"]] * (len(smallest) > 1), told["drawn_seat"])
    next_hand = positions(floor[source].entries, told["last_button_seat"])
    move = balancing_move(floor, source, seats, lots)
    got = {
        "largest_tables": [number for number, size in sizes.items() if size == max(sizes.values())],
        "smallest_tables": smallest,
        "next_button": next_hand.button,
        "next_small_blind": next_hand.small_blind,
        "next_big_blind": next_hand.big_blind,
        "player": move.entry,
        "destination_table": move.to.table,
        "free_seats": lots.among[-1],
        "drawn_seat": move.to.seat,
    }
    outcome.compare(what, {name: told[name] for name in got}, got)
    outcome.events += 1
    return moved(floor, move)


def _broken(outcome: Outcome, step: Mapping[str, Any], floor: Floor, broken: int, seats: int) -> Floor:
    told, final, what = step["drawn_seats"], len(floor) == 2, f"step {step['step']}"
    outcome.compare(f"{what} final_table", step.get("final_table", False), final)
    if final:
        moves = final_table(floor, seats, RecordedLots([draw["to_seat"] for draw in told]))
        after: Floor = {moves[0].to.table: Seated({move.to.seat: move.entry for move in moves})}
    else:
        drawn, at = [], {number: table.size for number, table in floor.items() if number != broken}
        for draw in told:  # the table is drawn only where several are equally short
            least = [number for number in at if at[number] == min(at.values())]
            drawn += [draw["to_table"]] * (len(least) > 1) + [draw["to_seat"]]
            at[draw["to_table"]] += 1
        moves, after = break_up(floor, broken, seats, RecordedLots(*drawn)), floor
        for move in moves:
            after = moved(after, move)
    outcome.compare(f"{what} drawn_seats", told, [_drawn(move) for move in moves])
    outcome.events += len(moves)
    return after


def _drawn(move: Move) -> dict[str, Any]:
    return {"player": move.entry, "to_table": move.to.table, "to_seat": move.to.seat}


def _sizes(floor: Floor) -> list[int]:
    return [floor[number].size for number in sorted(floor)]


def moved_player(case: "WorkedCase", outcome: Outcome) -> None:
    """T-13: what falls on the seat of who has moved, and what on the gap."""
    seats, blinds = case.setup["seats_per_table"], [int(each) for each in case.setup["blinds"].split(",")[0].split("/")]
    at: Floor = {
        number: Seated({seat: f"{number}-{seat}" for seat in it["occupied"]}, it["last_button"])
        for number, it in ((1, case.setup["table_1"]), (2, case.setup["table_2"]))
    }
    outcome.compare("tables differ by two", True, needs_balance(at))
    for variant in case.variants:
        drawn = int(variant["variant"].split()[1])
        lots = RecordedLots(drawn)
        move = balancing_move(at, 2, seats, lots)
        outcome.compare("free seats", free_seats(at[1], seats), lots.among[0])
        outcome.compare("who moves to where", Place(1, drawn), move.to)
        after = moved(at, move)
        outcome.compare("sizes", case.expected["sizes"], _sizes(after))
        here, there = (positions(after[n].entries, after[n].button)._asdict() for n in (1, 2))
        told = variant["next_hand_table_1"]
        posts = {here["small_blind"]: blinds[0], here["big_blind"]: blinds[1]}.get(drawn, 0)
        outcome.compare("next hand of table 1", told, {**here, "mover_posts": posts})
        outcome.compare("next hand of table 2", case.expected["next_hand_table_2"], there)
        outcome.events += 1
