"""The integrity checks: each takes the hands of some time and gives cases for people to look at (pt-811-2015 11)."""

import asyncio
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from functools import reduce
from sys import intern
from typing import Any, NamedTuple

import msgspec

from libs.projecting import Pool
from libs.projecting.row_marks import Marks
from services.audit.integrity.acts import BETS, Acted, PlayedHand, Spooled, decision_times, read_played, read_rounds
from services.audit.integrity.buy_ins import Ended, buy_in_flow, buy_ins_to_one, read_ended
from services.audit.integrity.cases import Case, HandId, open_cases
from services.audit.integrity.folds import Fold, LargePots, cheap_folds, too_many
from services.audit.integrity.in_common import Common, Shared, of_most, read_shared, shared_identity, tell_of_many
from services.audit.integrity.many_to_one import chips_to_one
from services.audit.integrity.stakes import (
    BIG_BLIND,
    STACKS,
    Row,
    Short,
    Stacks,
    Stake,
    in_big_blinds,
    in_stacks,
    judged_apart,
    luck_squared,
)
from services.audit.verifying.findings import Finding

POTS = 200
POTS_PER_BET = 50
"""Two who play against each other bet in most of such pots."""
WINDOW_MS = 30 * 86_400_000


def soft_play(hands: Iterable[PlayedHand], now: int, pots: int = POTS) -> list[Case]:
    """A case for each pair that never bets when they are the last two: `pots` pots in thirty days, no raise (11.c).

    A least bet now and then clears nobody: so many in a row are one, too, and as many of which one in 50 has a bet.
    """
    between: dict[tuple[str, str], _Quiet] = {}
    for hand in hands:
        last = hand.last_two()
        if last is None or not now - WINDOW_MS <= hand.at <= now:
            continue
        seats, acts = last
        first, second = sorted(intern(hand.players[seat]) for seat in seats)
        quiet = between.setdefault((first, second), _Quiet([]))
        if any(act.action in BETS for act in acts):
            quiet.bets, quiet.row = quiet.bets + 1, 0
        else:
            quiet.hands.append((intern(hand.id[0]), hand.id[1]))
            quiet.row += 1
            quiet.longest = max(quiet.longest, quiet.row)
    return [
        Case(kind="soft_play", players=pair, hands=tuple(quiet.hands), evidence=quiet.evidence)
        for pair, quiet in sorted(between.items())
        if quiet.longest >= pots or (quiet.pots >= pots and quiet.bets * POTS_PER_BET < quiet.pots)
    ]


class _Quiet(msgspec.Struct):
    """Of pots of which two were the last: the hands without a bet, how many had one, and how many in a row had none."""

    hands: list[HandId]
    bets: int = 0
    row: int = 0
    longest: int = 0

    @property
    def pots(self) -> int:
        return len(self.hands) + self.bets

    @property
    def evidence(self) -> dict[str, int]:
        return {"pots": self.pots, "bets": self.bets, "in_a_row_without": self.longest}


TIMES = 3
LARGE_POT_BIG_BLINDS = 50
ALONE_BIG_BLINDS = 100
ALMOST_ALL_BP = 9_000


def chip_dumping(hands: Iterable[PlayedHand], times: int = TIMES) -> list[Case]:
    """Chips lost on purpose: a player puts almost the whole stack into a large pot between two, and then folds, at
    least `times` times to the same player, in one sitting or in several, or once in a pot of 100 big blinds (11.e).

    Or puts much of it in and folds for little more: so often to the same player (`BOUNDS`), once at a price that
    nobody refuses, or several players to one. To keep quiet until the clock folds is to fold.
    """
    dumps, cheap, pots = dict[_FromTo, list[_Dump]](), dict[_FromTo, list[Fold]](), LargePots()
    for hand in hands:
        pots.note(hand)
        for each in cheap_folds(hand):
            cheap.setdefault((each.loser, each.winner), []).append(each)
        dumped = _dumped(hand)
        if dumped is not None:
            fold, gained, pot = dumped
            seat, alone = fold.seat, pot >= ALONE_BIG_BLINDS * hand.big_blind and not fold.offline
            dump = _Dump(hand.id, hand.put_in(seat), hand.sittings[seat], alone, fold.by_house)
            dumps.setdefault((hand.players[seat], hand.players[gained]), []).append(dump)
    told: dict[_FromTo, list[_Dump]] = {}
    to_one: dict[str, list[Fold]] = {}
    for loser, winner in sorted(dumps.keys() | cheap.keys()):
        there, folds = dumps.get((loser, winner), []), cheap.get((loser, winner), [])
        to_one.setdefault(winner, []).extend(folds)
        almost_all = there if len(there) >= times or any(dump.alone for dump in there) else []
        pair = (loser, winner) if loser < winner else (winner, loser)
        many = too_many(folds, pots.pairs[pair]) or [fold for fold in folds if fold.alone]
        of_price = [_Dump(fold.hand, fold.stake, fold.sitting, by_house=fold.by_house) for fold in many]
        if both := {dump.hand: dump for dump in (*almost_all, *of_price)}:
            told[loser, winner] = list(both.values())
    cases = [_dumping(pair, told) for pair in sorted({_larger_first(pair, told) for pair in told})]
    for winner, folds in sorted(to_one.items()):
        many = too_many(folds, pots.players[winner], of_several=True)
        losers = sorted({fold.loser for fold in many})
        if len(losers) > 1:
            evidence = {"from": losers, "to": winner, "times": len(many), "staked": sum(fold.stake for fold in many)}
            evidence |= _by_house(many)
            ids = tuple(fold.hand for fold in many)
            cases.append(Case(kind="chip_dumping", players=(winner,), hands=ids, evidence=evidence))
    return cases


_FromTo = tuple[str, str]


class _Dump(NamedTuple):
    """A fold that may be told; no hand is held in memory."""

    hand: HandId
    staked: int
    sitting: str
    alone: bool = False
    by_house: bool = False


def _by_house(folds: Sequence[_Dump] | Sequence[Fold]) -> dict[str, int]:
    """How many of them the house folded, by the clock or for who left: perhaps nobody was there any more."""
    times = sum(fold.by_house for fold in folds)
    return {"by_house": times} if times else {}


def _larger_first(pair: _FromTo, told: dict[_FromTo, list[_Dump]]) -> _FromTo:
    """Of two who both fold to each other the one who lost more by it: they are one case, for these are its players."""
    staked = {each: sum(dump.staked for dump in told.get(each, ())) for each in (pair, pair[::-1])}
    return max(sorted(staked), key=lambda each: staked[each])


def _dumping(pair: _FromTo, told: dict[_FromTo, list[_Dump]]) -> Case:
    first, *further = [
        {
            "from": loser,
            "to": winner,
            "times": len(there),
            "staked": sum(dump.staked for dump in there),
            "sittings": list(dict.fromkeys(dump.sitting for dump in there)),
        }
        | _by_house(there)
        for loser, winner in (pair, pair[::-1])
        if (there := told.get((loser, winner)))
    ]
    ids = tuple(dump.hand for each in (pair, pair[::-1]) for dump in told.get(each, ()))
    evidence = first | ({"also": further} if further else {})
    return Case(kind="chip_dumping", players=pair, hands=ids, evidence=evidence)


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
            return (
                (act, left.pop(), pot)
                if large and not act.taken_out and stake * 10_000 > ALMOST_ALL_BP * stack
                else None
            )
    return None


DAY_MS = 86_400_000
REST_MS = 3_600_000
FLOW_BIG_BLINDS = 100
FLOW_HANDS = 2
FLOW_SHARE_BP = 8_000
SHARE_LUCK_SQUARED = 8
"""Of whole stacks four fifths one way are not enough: where they are short they go by the flip of a coin. Eight of
eight are beyond it, and eleven of twelve, which come by luck once in 250 times. Of one of many days it is more."""
FLOW_LUCK = 5
"""Times the root of the sum of squares of what went either way: between two who play fairly the net is beyond it less
often than once in 250,000 times, for amounts that are as likely to go one way as the other. Of 10,000 hands of Pluribus
with professionals the most is 2.7, in 1,435 spans of pairs. Of a pair at several stakes it is more: `luck_squared`."""


def chip_flow(hands: Iterable[PlayedHand], now: int) -> list[Case]:
    """Chips that go one way: one player lost at least 100 big blinds to another, net, in two hands or more, and of
    what went between the two at least four fifths went that way, or more than luck explains (11.e): who lets chips come
    back for the look of it can lose no more than luck might have had them lose. It counts over the thirty days, and
    over each UTC day for itself, so that neither a few hands a day nor a quiet month around it hides anything.

    What a loser lost is shared among the hand's winners by what each won. It counts in big blinds; and in whole stacks
    where they are short, three at the least, of which eight go one way before it is a case. Two who are still at
    it (a hand together within the hour) are judged by what is a day old: on the way everybody is ahead once, and
    between two who play on it evens out. One lost stack is just poker, however large; see `chip_dumping` for the fold.
    Of any of what `judged_apart` names it is a case, so that no other table hides it.
    """
    between: dict[tuple[str, str], list[_Flow]] = {}
    stakes: dict[Stake, Stake] = {}
    stacks = Stacks()
    for hand in hands:
        if now - WINDOW_MS <= hand.at <= now:
            stake = stakes.setdefault(hand.stake, hand.stake)
            stacks.note(intern(hand.id[0]), stake, hand.brought())
            for (loser, winner), amount in hand.flows().items():
                first, second = sorted((intern(loser), intern(winner)))
                flow = _Flow(intern(hand.id[0]), hand.id[1], hand.at, stake, loser == first, amount)
                between.setdefault((first, second), []).append(flow)
    found, short = [], stacks.short()
    for pair, flows in sorted(between.items()):
        resting = max(flow.at for flow in flows) <= now - REST_MS
        judged = flows if resting else [flow for flow in flows if flow.at <= now - DAY_MS]
        days: dict[int, list[_Flow]] = {}
        for flow in judged:
            days.setdefault(flow.at // DAY_MS, []).append(flow)
        ways: list[_Way] = []
        for span in (judged, *days.values()):
            sums = 1 if span is judged else len(days)
            for way in _one_way(span, short, SHARE_LUCK_SQUARED + luck_squared(0, sums)):
                if not any(way.within(known) for known in ways):
                    ways.append(way)
        if ways:
            found.append(_flowed(pair, ways))
    return found


class _Flow(NamedTuple):
    """What went between two players in a hand, minor units; of all that is looked at only this is held in memory."""

    table: str
    number: int
    at: int
    stake: Stake
    from_first: bool
    """Whether the first of the pair, by name, lost it."""
    amount: int


class _Sums(msgspec.Struct):
    """What went between two at one stake, in thousandths of its big blind, or of a stack. By who lost it, the first
    last."""

    lost: list[int]
    hands: list[int]
    squares: int = 0


class _Way(NamedTuple):
    """What went one way at these stakes; `net` in thousandths of a big blind, or of a stack."""

    from_first: bool
    stakes: Row
    in_stacks: bool
    net: int
    flows: list[_Flow]
    """Both ways."""

    def within(self, other: "_Way") -> bool:
        return self.from_first == other.from_first and set(self.stakes) <= set(other.stakes)


def _one_way(flows: Sequence[_Flow], short: Short, share_luck: int) -> Iterator[_Way]:
    """Of all that is judged for itself what went one way, if it is enough: first in big blinds, then in stacks, of
    which the square is `share_luck` times the sum of squares, too."""
    for whole in (False, True) if any((flow.table, flow.stake) in short for flow in flows) else (False,):
        at: dict[Stake, _Sums] = {}
        for flow in flows:
            if (sums := at.get(flow.stake)) is None:
                sums = at[flow.stake] = _Sums([0, 0], [0, 0])
            stack = short.get((flow.table, flow.stake), 0)
            part = in_stacks(flow.amount, stack) if whole else in_big_blinds(flow.amount, flow.stake[1])
            sums.lost[flow.from_first] += part
            sums.hands[flow.from_first] += 1
            sums.squares += part**2
        rows = judged_apart(at)
        least = (STACKS if whole else FLOW_BIG_BLINDS) * BIG_BLIND
        luck = luck_squared(FLOW_LUCK, len(rows))
        for stakes in rows:
            squares = sum(at[stake].squares for stake in stakes)
            for from_first in (True, False):
                out, back = (sum(at[stake].lost[way] for stake in stakes) for way in (from_first, not from_first))
                share = out * 10_000 >= FLOW_SHARE_BP * (out + back)
                share &= not whole or (out - back) ** 2 >= share_luck * squares
                one_way = share or (out - back) ** 2 >= luck * squares
                hands = sum(at[stake].hands[from_first] for stake in stakes)
                if out - back >= least and one_way and hands >= FLOW_HANDS:
                    there = [flow for flow in flows if flow.stake in stakes]
                    yield _Way(from_first, stakes, whole, out - back, there)


def _flowed(pair: tuple[str, str], ways: Sequence[_Way]) -> Case:
    """All of them are told, so that none that is worth little stands before another one."""
    first, *further = [_told(pair, way) for way in ways]
    evidence = first | ({"also": further} if further else {})
    lost = {flow for way in ways for flow in way.flows if flow.from_first == way.from_first}
    ids = tuple((flow.table, flow.number) for flow in sorted(lost, key=lambda flow: (flow.at, flow.table, flow.number)))
    return Case(kind="chip_flow", players=(first["from"], first["to"]), hands=ids, evidence=evidence)


def _told(pair: tuple[str, str], way: _Way) -> dict[str, Any]:
    """Money by currency, in minor units."""
    loser, winner = pair if way.from_first else (pair[1], pair[0])
    lost, back = Counter[str](), Counter[str]()
    big_blinds = 0
    for flow in way.flows:
        out = flow.from_first == way.from_first
        (lost if out else back)[flow.stake[0]] += flow.amount
        big_blinds += in_big_blinds(flow.amount if out else -flow.amount, flow.stake[1])
    return {
        "from": loser,
        "to": winner,
        "big_blinds": big_blinds // BIG_BLIND,
        **({"stacks": way.net // BIG_BLIND} if way.in_stacks else {}),
        "stakes": list(way.stakes),
        "net": {currency: lost[currency] - back[currency] for currency in sorted(lost | back)},
        "lost": dict(sorted(lost.items())),
        "won_back": dict(sorted(back.items())),
    }


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


def search(hands: Spooled, shared: Shared, now: int, ended: Sequence[Ended], *elsewhere: Common) -> list[Case]:
    """All that the checks find as of `now` (milliseconds). Chips of tournaments tell nothing of money, and rounds
    against the house move none between players: of their hands it only counts who was in them, `elsewhere`."""
    return [
        *shared_identity(hands, shared, *elsewhere),
        *soft_play(hands, now),
        *chip_dumping(hands),
        *chip_flow(hands, now),
        *chips_to_one(hands, now, WINDOW_MS),
        *buy_in_flow(ended, now),
        *buy_ins_to_one(ended),
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
    with closing(Spooled()) as hands, closing(Spooled()) as of_tournaments, closing(Spooled()) as rounds:
        async with pool.acquire() as connection, connection.transaction(readonly=True):
            await read_played(connection, hands, of_tournaments, now - WINDOW_MS, marks)
            await read_rounds(connection, rounds, now - WINDOW_MS, marks)
            ended = await read_ended(connection, now - WINDOW_MS, marks)
            shared = await read_shared(connection, hands.players, marks)
            elsewhere = [
                (each, await read_shared(connection, each.players, marks)) for each in (of_tournaments, rounds)
            ]
        async with pool.acquire() as connection, connection.transaction():
            most = reduce(of_most, (in_common for _, in_common in elsewhere), shared)
            many = await tell_of_many(connection, most, now, marks)
        for finding in many:
            on_finding(finding)
        found = await asyncio.to_thread(search, hands, shared, now, ended, *elsewhere)
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
