"""The integrity checks: each takes the hands of some time and gives cases for people to look at (pt-811-2015 11)."""

import asyncio
import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from itertools import combinations

from libs.projecting import Connection, Pool
from services.audit.integrity.acts import BETS, PlayedHand, decision_times, played_since
from services.audit.integrity.cases import Case, HandId, open_cases

Shared = Mapping[tuple[str, str], frozenset[str]]
"""(kind, digest) of a device, address or means of payment to the players it was reported for."""


def shared_identity(hands: Iterable[PlayedHand], shared: Shared) -> list[Case]:
    """A case for each pair with a device, address or means of payment in common that was dealt into one hand (11.c)."""
    kinds: dict[tuple[str, str], set[str]] = {}
    for (kind, _), players in shared.items():
        for first, second in combinations(sorted(players), 2):
            kinds.setdefault((first, second), set()).add(kind)
    together: dict[tuple[str, str], list[HandId]] = {}
    for hand in hands:
        for first, second in combinations(sorted(hand.players.values()), 2):
            if (first, second) in kinds:
                together.setdefault((first, second), []).append(hand.id)
    return [
        Case(kind="shared_identity", players=pair, hands=tuple(ids), evidence={"shared": sorted(kinds[pair])})
        for pair, ids in sorted(together.items())
    ]


POTS = 200
WINDOW_MS = 30 * 86_400_000


def soft_play(hands: Iterable[PlayedHand], now: int, pots: int = POTS) -> list[Case]:
    """A case for each pair that never bets when they are the last two: `pots` pots in thirty days, no raise (11.c)."""
    quiet: dict[tuple[str, str], list[HandId]] = {}
    fought: set[tuple[str, str]] = set()
    for hand in hands:
        last = hand.last_two()
        if last is None or not now - WINDOW_MS <= hand.at <= now:
            continue
        seats, acts = last
        first, second = sorted(hand.players[seat] for seat in seats)
        quiet.setdefault((first, second), []).append(hand.id)
        if any(act.action in BETS for act in acts):
            fought.add((first, second))
    return [
        Case(kind="soft_play", players=pair, hands=tuple(found), evidence={"pots": len(found), "bets": 0})
        for pair, found in sorted(quiet.items())
        if len(found) >= pots and pair not in fought
    ]


TIMES = 3
LARGE_POT_BIG_BLINDS = 50
ALMOST_ALL_BP = 9_000


def chip_dumping(hands: Iterable[PlayedHand], times: int = TIMES) -> list[Case]:
    """Chips lost on purpose: a sitting puts almost its whole stack into a large pot between two, and then folds.

    A case where it did so at least `times` times to the same player (11.e).
    """
    found: dict[tuple[str, str, str], list[HandId]] = {}
    for hand in hands:
        dumped = _dumped(hand)
        if dumped is not None:
            loser, winner = dumped
            key = (hand.sittings[loser], hand.players[loser], hand.players[winner])
            found.setdefault(key, []).append(hand.id)
    return [
        Case(
            kind="chip_dumping",
            players=(loser, winner),
            hands=tuple(ids),
            evidence={"from": loser, "to": winner, "times": len(ids), "sitting": sitting},
        )
        for (sitting, loser, winner), ids in sorted(found.items())
        if len(ids) >= times
    ]


def _dumped(hand: PlayedHand) -> tuple[int, int] | None:
    """Seats of who folded and of who won, when the hand looks like it."""
    left = set(hand.players)
    for place, act in enumerate(hand.acts):
        if act.action != "fold":
            continue
        before, left = left, left - {act.seat}
        if len(before) == 2 and len(left) == 1:
            pot = sum(each.amount for each in hand.acts[:place])
            stake, stack = hand.put_in(act.seat), hand.stacks[act.seat]
            large = pot > LARGE_POT_BIG_BLINDS * hand.big_blind
            if large and stake * 10_000 > ALMOST_ALL_BP * stack and not act.by_house:
                return act.seat, left.pop()
            return None
    return None


DAY_MS = 86_400_000
FLOW_BIG_BLINDS = 100
FLOW_HANDS = 5
FLOW_SHARE_BP = 8_000


def chip_flow(hands: Iterable[PlayedHand]) -> list[Case]:
    """Chips that go one way: within a UTC day one player lost at least 100 big blinds to another, net, in 5 hands or
    more, and of what went between the two at least four fifths went that way (11.e).

    What a loser lost is shared among the hand's winners by what each won. Amounts are minor units.
    """
    flows: dict[tuple[int, str, str], list[tuple[HandId, int, int]]] = {}
    for hand in hands:
        for (loser, winner), amount in hand.flows().items():
            flows.setdefault((hand.at // DAY_MS, loser, winner), []).append((hand.id, amount, hand.big_blind))
    found = []
    for (day, loser, winner), there in sorted(flows.items()):
        out, back = (sum(amount for _, amount, _ in way) for way in (there, flows.get((day, winner, loser), [])))
        big_blind = max(each for *_, each in there)
        one_way = out * 10_000 >= FLOW_SHARE_BP * (out + back)
        if len(there) >= FLOW_HANDS and one_way and out - back >= FLOW_BIG_BLINDS * big_blind:
            evidence = {"from": loser, "to": winner, "net": out - back, "lost": out, "won_back": back}
            ids = tuple(hand for hand, *_ in there)
            found.append(Case(kind="chip_flow", players=(loser, winner), hands=ids, evidence=evidence))
    return found


RUN = 200
SPREAD_MS = 100
"""Longest less shortest of the run: a person who hurries always the same does not hurry this evenly."""
SHORTEST_MS = 300
"""Below it everybody is even: buttons pressed before the turn came."""


def decision_software(hands: Iterable[PlayedHand], run: int = RUN) -> list[Case]:
    """Decisions too even for a person: `run` of them in a row that took the same time, give or take (11.f)."""
    last: dict[str, deque[tuple[HandId, int]]] = {}
    found: dict[str, Case] = {}
    for player, hand, took in decision_times(hands):
        times = last.setdefault(player, deque(maxlen=run))
        times.append((hand, took))
        if player not in found and len(times) == run:
            shortest, longest = min(t for _, t in times), max(t for _, t in times)
            if shortest >= SHORTEST_MS and longest - shortest <= SPREAD_MS:
                evidence = {"decisions": run, "shortest_ms": shortest, "longest_ms": longest}
                evidence |= {"times_ms": [t for _, t in times]}  # type: ignore[dict-item]
                concerned = tuple(dict.fromkeys(hand for hand, _ in times))
                case = Case(kind="decision_software", players=(player,), hands=concerned, evidence=evidence)
                found[player] = case
    return [found[player] for player in sorted(found)]


async def look(connection: Connection, now: int) -> list[Case]:
    """New cases as of `now` (milliseconds). Hands are only read: what is finished stays as it is (11.c)."""
    hands = await played_since(connection, now - WINDOW_MS)
    found = [
        *shared_identity(hands, await _shared(connection)),
        *soft_play(hands, now),
        *chip_dumping(hands),
        *chip_flow(hands),
        *decision_software(hands),
    ]
    return await open_cases(connection, found, now)


async def run(pool: Pool, every_s: float, on_case: Callable[[Case], None]) -> None:
    """Looks for ever."""
    while True:
        async with pool.acquire() as connection, connection.transaction():
            new = await look(connection, int(time.time() * 1000))
        for case in new:
            on_case(case)
        await asyncio.sleep(every_s)


async def _shared(connection: Connection) -> Shared:
    rows = await connection.fetch(
        """select kind, value, array_agg(distinct player) as players from account_signals
           where kind <> 'program' group by kind, value having count(distinct player) > 1"""
    )
    return {(row["kind"], row["value"]): frozenset(row["players"]) for row in rows}
