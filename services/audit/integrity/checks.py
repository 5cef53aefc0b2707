"""The integrity checks: each takes the hands of some time and gives cases for people to look at (pt-811-2015 11)."""

import asyncio
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from sys import intern
from typing import NamedTuple

from libs.projecting import Pool
from libs.projecting.row_marks import Marks
from services.audit.integrity.acts import BETS, Acted, PlayedHand, Spooled, decision_times, read_played
from services.audit.integrity.cases import Case, HandId, open_cases
from services.audit.integrity.in_common import Shared, read_shared, shared_identity, tell_of_many
from services.audit.integrity.many_to_one import chips_to_one
from services.audit.verifying.findings import Finding

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
ALONE_BIG_BLINDS = 100
ALMOST_ALL_BP = 9_000


def chip_dumping(hands: Iterable[PlayedHand], times: int = TIMES) -> list[Case]:
    """Chips lost on purpose: a player puts almost the whole stack into a large pot between two, and then folds.

    A case where it was so at least `times` times to the same player, in one sitting or in several, or once in a pot of
    at least 100 big blinds (11.e). To keep quiet until the clock folds is to fold.
    """
    found: dict[tuple[str, str], list[tuple[PlayedHand, int, bool]]] = {}
    for hand in hands:
        dumped = _dumped(hand)
        if dumped is not None:
            fold, winner, pot = dumped
            there = found.setdefault((hand.players[fold.seat], hand.players[winner]), [])
            there.append((hand, fold.seat, pot >= ALONE_BIG_BLINDS * hand.big_blind))
    return [
        Case(
            kind="chip_dumping",
            players=(loser, winner),
            hands=tuple(hand.id for hand, *_ in there),
            evidence={
                "from": loser,
                "to": winner,
                "times": len(there),
                "staked": sum(hand.put_in(seat) for hand, seat, _ in there),
                "sittings": list(dict.fromkeys(hand.sittings[seat] for hand, seat, _ in there)),
            },
        )
        for (loser, winner), there in sorted(found.items())
        if len(there) >= times or any(alone for *_, alone in there)
    ]


def _dumped(hand: PlayedHand) -> tuple[Acted, int, int] | None:
    """The fold, the winner's seat and what lay in the pot, when the hand looks like it."""
    left = set(hand.players)
    for place, act in enumerate(hand.acts):
        if act.action != "fold":
            continue
        before, left = left, left - {act.seat}
        if len(before) == 2 and len(left) == 1:
            pot = sum(each.amount for each in hand.acts[:place])
            stake, stack = hand.put_in(act.seat), hand.stacks[act.seat]
            large = pot > LARGE_POT_BIG_BLINDS * hand.big_blind
            return (act, left.pop(), pot) if large and stake * 10_000 > ALMOST_ALL_BP * stack else None
    return None


DAY_MS = 86_400_000
REST_MS = 3_600_000
FLOW_BIG_BLINDS = 100
FLOW_HANDS = 2
FLOW_SHARE_BP = 8_000
FLOW_LUCK = 5
"""Times the root of the sum of squares of what went either way: between two who play fairly the net is beyond it less
often than once in 250,000 times, for amounts that are as likely to go one way as the other. Of 10,000 hands of Pluribus
with professionals the most is 2.7, in 1,435 spans of pairs."""


def chip_flow(hands: Iterable[PlayedHand], now: int) -> list[Case]:
    """Chips that go one way: one player lost at least 100 big blinds to another, net, in two hands or more, and of
    what went between the two at least four fifths went that way, or more than luck explains (11.e): who lets chips come
    back for the look of it can lose no more than luck might have had them lose. It counts over the thirty days, and
    over each UTC day for itself, so that neither a few hands a day nor a quiet month around it hides anything.

    What a loser lost is shared among the hand's winners by what each won. Amounts are minor units. Two who are still at
    it (a hand together within the hour) are judged by what is a day old: on the way everybody is ahead once, and
    between two who play on it evens out. One lost stack is just poker, however large; see `chip_dumping` for the fold.
    """
    between: dict[tuple[str, str], list[_Flow]] = {}
    for hand in hands:
        if now - WINDOW_MS <= hand.at <= now:
            for (loser, winner), amount in hand.flows().items():
                first, second = sorted((intern(loser), intern(winner)))
                flow = _Flow(intern(hand.id[0]), hand.id[1], hand.at, hand.big_blind, loser == first, amount)
                between.setdefault((first, second), []).append(flow)
    found = []
    for pair, flows in sorted(between.items()):
        resting = max(flow.at for flow in flows) <= now - REST_MS
        judged = flows if resting else [flow for flow in flows if flow.at <= now - DAY_MS]
        days: dict[int, list[_Flow]] = {}
        for flow in judged:
            days.setdefault(flow.at // DAY_MS, []).append(flow)
        cases = [_one_way(pair, span) for span in (judged, *days.values())]
        found += [case for case in cases if case is not None][:1]
    return found


class _Flow(NamedTuple):
    """What went between two players in a hand, minor units; of all that is looked at only this is held in memory."""

    table: str
    number: int
    at: int
    big_blind: int
    from_first: bool
    """Whether the first of the pair, by name, lost it."""
    amount: int


def _one_way(pair: tuple[str, str], flows: Sequence[_Flow]) -> Case | None:
    """The case, if of what went between two players enough went one way."""
    lost: dict[bool, int] = {}
    for flow in flows:
        lost[flow.from_first] = lost.get(flow.from_first, 0) + flow.amount
    for from_first, out in lost.items():
        loser, winner = pair if from_first else (pair[1], pair[0])
        back, there = lost.get(not from_first, 0), [flow for flow in flows if flow.from_first == from_first]
        squares = sum(flow.amount**2 for flow in flows)
        one_way = out * 10_000 >= FLOW_SHARE_BP * (out + back) or (out - back) ** 2 >= FLOW_LUCK**2 * squares
        enough = out - back >= FLOW_BIG_BLINDS * max(flow.big_blind for flow in there)
        if len(there) >= FLOW_HANDS and one_way and enough:
            evidence = {"from": loser, "to": winner, "net": out - back, "lost": out, "won_back": back}
            ids = tuple((flow.table, flow.number) for flow in there)
            return Case(kind="chip_flow", players=(loser, winner), hands=ids, evidence=evidence)
    return None


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


def search(hands: Spooled, shared: Shared, now: int) -> list[Case]:
    """All that the checks find in `hands` as of `now` (milliseconds)."""
    return [
        *shared_identity(hands, shared),
        *soft_play(hands, now),
        *chip_dumping(hands),
        *chip_flow(hands, now),
        *chips_to_one(hands, now, WINDOW_MS),
        *decision_software(hands),
    ]


async def look(
    pool: Pool,
    now: int,
    marks: Marks | None = None,
    on_finding: Callable[[Finding], None] = lambda finding: None,
) -> list[Case]:
    """New cases as of `now` (milliseconds). Hands are only read: what is finished stays as it is (11.c).

    A month's hands take minutes to search. Meanwhile no transaction is open, for the server ends one that stands still,
    and the event loop goes on: a thread searches. Whoever cancels this takes the file of hands from it, which ends it.
    """
    with closing(Spooled()) as hands:
        async with pool.acquire() as connection, connection.transaction(readonly=True):
            await read_played(connection, hands, now - WINDOW_MS, marks)
            shared = await read_shared(connection, hands.players, marks)
        async with pool.acquire() as connection, connection.transaction():
            many = await tell_of_many(connection, shared, now, marks)
        for finding in many:
            on_finding(finding)
        found = await asyncio.to_thread(search, hands, shared, now)
    async with pool.acquire() as connection, connection.transaction():
        return await open_cases(connection, found, now, marks)


async def run(
    pool: Pool,
    every_s: float,
    on_case: Callable[[Case], None],
    marks: Marks | None = None,
    on_fault: Callable[[Exception], None] = lambda wrong: None,
    on_finding: Callable[[Finding], None] = lambda finding: None,
) -> None:
    """Looks for ever. A fault, whatever it is, goes to `on_fault` and ends one search, not the watch: the next one
    comes when it is due, for a search that begins anew at once reads a month of hands at once, too.
    """
    while True:
        try:
            for case in await look(pool, int(time.time() * 1000), marks, on_finding):
                on_case(case)
        except Exception as wrong:
            on_fault(wrong)
        await asyncio.sleep(every_s)
