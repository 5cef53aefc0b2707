"""The integrity checks: each takes the hands of some time and gives cases for people to look at (pt-811-2015 11)."""

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from functools import reduce
from typing import Any, NamedTuple

import msgspec

from libs.projecting import Pool
from libs.projecting.row_marks import Marks
from services.audit.incidents import record
from services.audit.integrity.behind import Behind
from services.audit.integrity.buy_ins import Ended, buy_in_flow, buy_ins_to_one, read_ended
from services.audit.integrity.cases import Case, HandId, open_cases
from services.audit.integrity.dumps import Dump
from services.audit.integrity.evenness import first_run
from services.audit.integrity.folds import Fold, too_many
from services.audit.integrity.in_common import Shared, of_most, read_shared, shared_identity, tell_of_many
from services.audit.integrity.many_to_one import Summed, chips_to_one, hands_of
from services.audit.integrity.month import Month, QuietThere, WentThere, in_order
from services.audit.integrity.stakes import (
    BIG_BLIND,
    STACKS,
    Row,
    Short,
    Stake,
    in_big_blinds,
    in_stacks,
    judged_apart,
    luck_squared,
    squared_in_big_blinds,
    squared_in_stacks,
)
from services.audit.integrity.sums import Of, count, numbers_of
from services.audit.verifying.findings import Finding

POTS = 200
POTS_PER_BET = 50
"""Two who play against each other bet in most of such pots."""
WINDOW_MS = 30 * 86_400_000


def first_day(now: int) -> int:
    """That of the window as of `now` (milliseconds): days are whole ones (UTC), since the epoch."""
    return (now - WINDOW_MS) // DAY_MS


def soft_play(month: Month, pots: int = POTS) -> list[Case]:
    """A case for each pair that never bets when they are the last two: `pots` pots in thirty days, no raise (11.c).

    A least bet now and then clears nobody: so many in a row are one, too, and as many of which one in 50 has a bet.
    """
    found = []
    for pair, there in month.quiet:
        quiet = _Quiet([])
        for each in in_order(there):
            quiet.add(each)
        if quiet.longest >= pots or (quiet.pots >= pots and quiet.bets * POTS_PER_BET < quiet.pots):
            found.append(Case(kind="soft_play", players=pair, hands=tuple(quiet.hands), evidence=quiet.evidence))
    return sorted(found, key=_players)


def _players(case: Case) -> tuple[str, ...]:
    return case.players


class _Quiet(msgspec.Struct):
    """Of pots of which two were the last: the hands without a bet, how many had one, and how many in a row had none."""

    hands: list[HandId]
    bets: int = 0
    row: int = 0
    longest: int = 0

    def add(self, there: QuietThere) -> None:
        """The pots of a day at a table."""
        quiet = there.quiet
        self.longest = max(self.longest, self.row + quiet.head, quiet.longest)
        self.row = quiet.row if quiet.bets else self.row + quiet.row
        self.bets += quiet.bets
        self.hands += ((there.table, number) for number in numbers_of(quiet.hands))

    @property
    def pots(self) -> int:
        return len(self.hands) + self.bets

    @property
    def evidence(self) -> dict[str, int]:
        return {"pots": self.pots, "bets": self.bets, "in_a_row_without": self.longest}


TIMES = 3


def chip_dumping(month: Month, times: int = TIMES) -> list[Case]:
    """Chips lost on purpose: a player puts almost the whole stack into a large pot between two, and then folds, at
    least `times` times to the same player, in one sitting or in several, or once in a pot of 100 big blinds (11.e).

    Or puts much of it in and folds for little more: so often to the same player (`BOUNDS`), once at a price that
    nobody refuses, or several players to one. To keep quiet until the clock folds is to fold.
    """
    dumps, cheap = dict[_FromTo, list[Dump]](), dict[_FromTo, list[Fold]]()
    for _, dump in sorted(month.dumps):
        dumps.setdefault((dump.loser, dump.winner), []).append(dump)
    for _, fold in sorted(month.folds):
        cheap.setdefault((fold.loser, fold.winner), []).append(fold)
    folded = {(min(pair), max(pair)) for pair in cheap}
    pots = {pair: sum(large) for pair, large in month.pots.those(folded.__contains__)} if folded else {}
    told: dict[_FromTo, list[Dump]] = {}
    to_one: dict[str, list[Fold]] = {}
    for loser, winner in sorted(dumps.keys() | cheap.keys()):
        there, folds = dumps.get((loser, winner), []), cheap.get((loser, winner), [])
        to_one.setdefault(winner, []).extend(folds)
        almost_all = there if len(there) >= times or any(dump.alone for dump in there) else []
        pair = (loser, winner) if loser < winner else (winner, loser)
        many = too_many(folds, pots.get(pair, 0)) or [fold for fold in folds if fold.alone]
        of_price = [
            Dump(fold.hand, fold.loser, fold.winner, fold.stake, fold.sitting, by_house=fold.by_house) for fold in many
        ]
        if both := {dump.hand: dump for dump in (*almost_all, *of_price)}:
            told[loser, winner] = list(both.values())
    cases = [_dumping(pair, told) for pair in sorted({_larger_first(pair, told) for pair in told})]
    for winner, folds in sorted(to_one.items()):
        many = too_many(folds, month.pots_of[winner], of_several=True)
        losers = sorted({fold.loser for fold in many})
        if len(losers) > 1:
            evidence = {"from": losers, "to": winner, "times": len(many), "staked": sum(fold.stake for fold in many)}
            evidence |= _by_house(many)
            ids = tuple(fold.hand for fold in many)
            cases.append(Case(kind="chip_dumping", players=(winner,), hands=ids, evidence=evidence))
    return cases


_FromTo = tuple[str, str]


def _by_house(folds: Sequence[Dump] | Sequence[Fold]) -> dict[str, int]:
    """How many of them the house folded, by the clock or for who left: perhaps nobody was there any more."""
    times = sum(fold.by_house for fold in folds)
    return {"by_house": times} if times else {}


def _larger_first(pair: _FromTo, told: dict[_FromTo, list[Dump]]) -> _FromTo:
    """Of two who both fold to each other the one who lost more by it: they are one case, for these are its players."""
    staked = {each: sum(dump.staked for dump in told.get(each, ())) for each in (pair, pair[::-1])}
    return max(sorted(staked), key=lambda each: staked[each])


def _dumping(pair: _FromTo, told: dict[_FromTo, list[Dump]]) -> Case:
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


def chip_flow(month: Month, now: int) -> list[Case]:
    """Chips that go one way: one player lost at least 100 big blinds to another, net, in two hands or more, and of
    what went between the two at least four fifths went that way, or more than luck explains (11.e): who lets chips come
    back for the look of it can lose no more than luck might have had them lose. It counts over the thirty days, and
    over each UTC day for itself, so that neither a few hands a day nor a quiet month around it hides anything.

    What a loser lost is shared among the hand's winners by what each won. It counts in big blinds; and in whole stacks
    where they are short, three at the least, of which eight go one way before it is a case. Two who are still at
    it (a hand together within the hour) are judged by days that ended a day ago: on the way everybody is ahead once,
    and between two who play on it evens out. One lost stack is just poker, however large; see `chip_dumping` for the
    fold. Of any of what `judged_apart` names it is a case, so that no other table hides it.
    """
    found = []
    for pair, flows in month.went:
        if not _is_much(flows, month.short):
            continue
        resting = max(flow.went.last_at for flow in flows) <= now - REST_MS
        judged = flows if resting else [flow for flow in flows if (flow.day + 1) * DAY_MS <= now - DAY_MS]
        days: dict[int, list[WentThere]] = {}
        for flow in in_order(judged):
            days.setdefault(flow.day, []).append(flow)
        ways: list[_Way] = []
        for span in (judged, *days.values()):
            sums = 1 if span is judged else len(days)
            for way in _one_way(span, month.short, SHARE_LUCK_SQUARED + luck_squared(0, sums)):
                if not any(way.within(known) for known in ways):
                    ways.append(way)
        if ways:
            found.append(_flowed((pair[0], pair[1]), ways))
    return sorted(found, key=lambda case: sorted(case.players))


def _is_much(flows: Sequence[WentThere], short: Short) -> bool:
    """Whether any part of it may be a case: most pairs are passed over here, by what went either way in all."""
    least = FLOW_BIG_BLINDS * BIG_BLIND
    return any(
        sum(in_big_blinds(flow.went.lost[way], flow.big_blind) for flow in flows) >= least for way in (True, False)
    ) or any((flow.table, flow.stake) in short for flow in flows)


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
    flows: list[WentThere]
    """Both ways."""

    def within(self, other: "_Way") -> bool:
        return self.from_first == other.from_first and set(self.stakes) <= set(other.stakes)


def _one_way(flows: Sequence[WentThere], short: Short, share_luck: int) -> Iterator[_Way]:
    """Of all that is judged for itself what went one way, if it is enough: first in big blinds, then in stacks, of
    which the square is `share_luck` times the sum of squares, too."""
    for whole in (False, True) if any((flow.table, flow.stake) in short for flow in flows) else (False,):
        at: dict[Stake, _Sums] = {}
        for flow in flows:
            if (sums := at.get(flow.stake)) is None:
                sums = at[flow.stake] = _Sums([0, 0], [0, 0])
            stack, went, big_blind = short.get((flow.table, flow.stake), 0), flow.went, flow.big_blind
            for way in (False, True):
                lost = went.lost[way]
                sums.lost[way] += in_stacks(lost, stack) if whole else in_big_blinds(lost, big_blind)
                sums.hands[way] += count(went.hands[way])
            squares = went.squares
            sums.squares += squared_in_stacks(squares, stack) if whole else squared_in_big_blinds(squares, big_blind)
        least = (STACKS if whole else FLOW_BIG_BLINDS) * BIG_BLIND
        if max(sum(sums.lost[way] for sums in at.values()) for way in (False, True)) < least:
            continue  # no row of stakes is as much, either
        rows = judged_apart(at)
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
    lost = {hand for way in ways for flow in way.flows for hand in flow.hands(way.from_first)}
    return Case(kind="chip_flow", players=(first["from"], first["to"]), hands=hands_of(lost), evidence=evidence)


def _told(pair: tuple[str, str], way: _Way) -> dict[str, Any]:
    """Money by currency, in minor units."""
    loser, winner = pair if way.from_first else (pair[1], pair[0])
    lost, back = Counter[str](), Counter[str]()
    big_blinds = 0
    for flow in way.flows:
        out, came = flow.went.lost[way.from_first], flow.went.lost[not way.from_first]
        lost.update({flow.currency: out} if out else {})
        back.update({flow.currency: came} if came else {})
        big_blinds += in_big_blinds(out, flow.big_blind) - in_big_blinds(came, flow.big_blind)
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


def decision_software(month: Month) -> list[Case]:
    """Decisions too even for a person: `RUN` of them in a row that took the same time, give or take (11.f)."""
    found = []
    for (player,), there in month.decided:
        if run := first_run((each.table, each.even) for each in in_order(there)):
            times = [took for *_, took in run]
            evidence = {"decisions": len(run), "shortest_ms": min(times), "longest_ms": max(times), "times_ms": times}
            concerned = tuple(dict.fromkeys((table, number) for table, number, _ in run))
            found.append(Case(kind="decision_software", players=(player,), hands=concerned, evidence=evidence))
    return sorted(found, key=_players)


def search(
    month: Month,
    shared: Mapping[Of, Shared],
    now: int,
    ended: Sequence[Ended],
    before: Callable[[], Summed] | None = None,
) -> list[Case]:
    """All that the checks find as of `now` (milliseconds). Chips of tournaments tell nothing of money, and rounds
    against the house move none between players: of their hands it only counts who was in them.

    `before`: the sums of the month before this one, where it is not whole."""
    hands, *elsewhere = ((month.together[of], in_common) for of, in_common in shared.items())
    return [
        *shared_identity(*hands, *elsewhere),
        *soft_play(month),
        *chip_dumping(month),
        *chip_flow(month, now),
        *chips_to_one(month, None if month.whole or before is None else before()),
        *buy_in_flow(ended, now),
        *buy_ins_to_one(ended),
        *decision_software(month),
    ]


async def look(
    pool: Pool,
    now: int,
    marks: Marks | None = None,
    on_finding: Callable[[Finding], None] = lambda finding: None,
    behind: Behind | None = None,
) -> list[Case]:
    """New cases as of `now` (milliseconds). Hands are only read, each once: what is finished stays as it is (11.c).
    With what a search of the day left `behind` it judges of pairs those that have met since yesterday.

    To search a large house's month takes minutes. Meanwhile no transaction is open, for the server ends one that stands
    still, and the event loop goes on: a thread searches. Whoever cancels this takes its files from it, which ends it.
    """
    if behind is None:
        with closing(Behind()) as behind:
            return await look(pool, now, marks, on_finding, behind)
    try:
        found = await _searched(pool, now, marks, on_finding, behind)
        async with pool.acquire() as connection, connection.transaction():
            return await open_cases(connection, found, now, marks)
    except BaseException:
        behind.close()  # what was found and not kept, nobody would find again before tomorrow
        raise


async def _searched(
    pool: Pool, now: int, marks: Marks | None, on_finding: Callable[[Finding], None], behind: Behind
) -> list[Case]:
    async def tell(amiss: list[Finding]) -> None:
        async with pool.acquire() as connection, connection.transaction():
            new = await record(connection, amiss, now, marks)
        for finding in new:
            on_finding(finding)

    with closing(await behind.read(pool, first_day(now), now // DAY_MS, tell, marks)) as month:
        async with pool.acquire() as connection, connection.transaction(readonly=True):
            ended = await read_ended(connection, now - WINDOW_MS, marks)
            shared = {of: await read_shared(connection, players, marks) for of, players in month.players.items()}
        async with pool.acquire() as connection, connection.transaction():
            many = await tell_of_many(connection, reduce(of_most, shared.values()), now, marks)
        for finding in many:
            on_finding(finding)
        return await asyncio.to_thread(search, month, shared, now, ended, behind.summed)


async def run(
    pool: Pool,
    every_s: float,
    on_case: Callable[[Case], None],
    marks: Marks | None = None,
    on_fault: Callable[[Exception], None] = lambda wrong: None,
    on_finding: Callable[[Finding], None] = lambda finding: None,
) -> None:
    """Looks for ever. A fault, whatever it is, goes to `on_fault` and ends one search, not the watch: the next one
    comes when it is due, for a search that begins anew at once goes through a month at once, too.
    """
    with closing(Behind()) as behind:
        while True:
            try:
                for case in await look(pool, int(time.time() * 1000), marks, on_finding, behind):
                    on_case(case)
            except Exception as wrong:
                on_fault(wrong)
            await asyncio.sleep(every_s)
