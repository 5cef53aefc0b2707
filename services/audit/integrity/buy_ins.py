"""Buy-ins that go one way: small tournaments that are lost on purpose (pt-811-2015 11.e).

Chips of a tournament are no money, its prizes are. Two who play heads-up sit-and-goes pass a buy-in in each, and
nothing of the hands needs to tell it.
"""

from collections import Counter
from collections.abc import Collection, Iterator
from itertools import chain, combinations
from math import exp, log
from typing import Any, NamedTuple

import msgspec

from libs.money.play import PLAY_CURRENCY
from libs.projecting import Connection
from libs.projecting.row_marks import Marks
from services.audit.integrity.cases import Case
from services.audit.integrity.many_to_one import LOSERS, TIMES
from services.audit.integrity.stakes import BIG_BLIND, FEW, SLOPES, Row, Stake, judged_apart, luck_squared
from services.audit.projections.live_checks import STATES
from services.audit.verifying.results import Results

FIELD = 10
"""Players. What goes between two is looked at in no larger field, where there are thousands of pairs."""
BUY_INS = 5
SHARE_BP = 8_000
SHARE_LUCK_SQUARED = 8
"""Eight of eight, eleven of twelve, thirteen of fifteen: two who are equally good come so far once in 250 times, and
at some time of a month in which they play twenty once in 50 times or so. Of one of many days it is more."""
LUCK = 5
"""As for `chip_flow`: without regard to the share."""
WHO = ("strangers", "everybody")
ALL_WON = log(110_000)
"""Who is the first of every single field is a case below this chance: 17 heads-up, six of nine, four of twenty; two of
a hundred are none. One that is lost ends it, so that nobody comes to it by playing many."""
DAY_MS = 86_400_000
REST_MS = 3_600_000


class Moved(NamedTuple):
    """What one lost to another in a tournament: `part` in thousandths of a buy-in, `amount` in minor units."""

    loser: str
    winner: str
    stake: Stake
    part: int
    amount: int
    tournament: str


class Ended(msgspec.Struct, frozen=True):
    """A tournament for money that is over. `at` in milliseconds since the epoch; amounts in minor units of `currency`,
    without fees: `buy_in` what an entry costs (above zero), `nets` what each player won or, below zero, lost."""

    tournament: str
    at: int
    currency: str
    buy_in: int
    nets: dict[str, int]

    @property
    def stake(self) -> Stake:
        """Currency and buy-in."""
        return self.currency, self.buy_in

    def moved(self) -> Iterator[Moved]:
        """What each lost to each: a loss is shared among the winners by what they won. Thousandths of a buy-in. What
        the house adds to the prizes nobody has lost."""
        won = {player: net for player, net in self.nets.items() if net > 0}
        lost = {player: -net for player, net in self.nets.items() if net < 0}
        whole = max(sum(won.values()), sum(lost.values()))
        for loser, loss in lost.items():
            for winner, gain in won.items():
                amount = loss * gain // whole
                part = amount * BIG_BLIND // self.buy_in
                yield Moved(loser, winner, self.stake, part, amount, self.tournament)


_ENDED = f"select {STATES.columns} from check_states where ended_at >= $1 order by ended_at, stream"


async def read_ended(connection: Connection, since: int, marks: Marks | None = None) -> list[Ended]:
    """Tournaments for money of which results are kept that ended since (milliseconds), oldest first, in a transaction
    of the caller's."""
    found = []
    async for row in connection.cursor(_ENDED, max(1, since)):
        if STATES.why_not(marks, row) is None:
            each = msgspec.json.decode(row["state"], type=Results)
            if each.buy_in and each.currency != PLAY_CURRENCY:
                found.append(Ended(row["stream"], each.ended_at, each.currency, each.buy_in, each.nets))
    return found


def buy_in_flow(ended: Collection[Ended], now: int) -> list[Case]:
    """A case for each pair of whom one lost at least five buy-ins to the other, net: four fifths or more of what went
    between them, and more than luck explains once in 250 times; or more than it explains at all, as for `chip_flow`.

    Over all that is in `ended`, and over each UTC day for itself, at stakes as `judged_apart` has them. Two who are
    still at it, a tournament together within the hour, are judged by what is a day old.
    """
    between: dict[tuple[str, str], list[tuple[int, Moved]]] = {}
    for each in ended:
        for moved in each.moved() if len(each.nets) <= FIELD else ():
            first, second = sorted((moved.loser, moved.winner))
            between.setdefault((first, second), []).append((each.at, moved))
    found = []
    for pair, flows in sorted(between.items()):
        resting = max(at for at, _ in flows) <= now - REST_MS
        judged = flows if resting else [(at, moved) for at, moved in flows if at <= now - DAY_MS]
        days: dict[int, list[Moved]] = {}
        for at, moved in judged:
            days.setdefault(at // DAY_MS, []).append(moved)
        of_day = luck_squared(0, len(days))
        spans = chain([([moved for _, moved in judged], 0)], ((there, of_day) for there in days.values()))
        told = next((told for span, more in spans for told in _one_way(pair, span, more)), None)
        if told is not None:
            found.append(told)
    return found


def _one_way(pair: tuple[str, str], flows: Collection[Moved], more: int) -> Iterator[Case]:
    """`more`: by how much the square of luck's bound is higher."""
    out: dict[Stake, Counter[str]] = {}
    squares = Counter[Stake]()
    for flow in flows:
        out.setdefault(flow.stake, Counter())[flow.loser] += flow.part
        squares[flow.stake] += flow.part**2
    rows = judged_apart(out)
    more += luck_squared(0, len(rows))
    for stakes in rows:
        square = sum(squares[stake] for stake in stakes)
        for loser, winner in (pair, pair[::-1]):
            lost, back = (sum(out[stake][each] for stake in stakes) for each in (loser, winner))
            net = lost - back
            share = lost * 10_000 >= SHARE_BP * (lost + back) and net**2 >= (SHARE_LUCK_SQUARED + more) * square
            if net >= BUY_INS * BIG_BLIND and (share or net**2 >= (LUCK**2 + more) * square):
                yield _case(loser, winner, stakes, net, [flow for flow in flows if flow.stake in stakes])


def _case(loser: str, winner: str, stakes: Row, net: int, flows: Collection[Moved]) -> Case:
    lost, back = Counter[str](), Counter[str]()
    for flow in flows:
        (lost if flow.loser == loser else back)[flow.stake[0]] += flow.amount
    evidence = {
        "from": loser,
        "to": winner,
        "buy_ins": net // BIG_BLIND,
        "stakes": list(stakes),
        "net": {currency: lost[currency] - back[currency] for currency in sorted(lost | back)},
        "lost": dict(sorted(lost.items())),
        "won_back": dict(sorted(back.items())),
        "tournaments": [flow.tournament for flow in flows if flow.loser == loser],
    }
    return Case(kind="buy_in_flow", players=(loser, winner), hands=(), evidence=evidence)


def buy_ins_to_one(ended: Collection[Ended]) -> list[Case]:
    """A case for a player who won more in tournaments than luck explains: at least five buy-ins net, of five or more,
    and twice as much as was lost in others of them. Sooner, if there are no others and each was won alone.

    Of all that the player was in, and of those in which at least half of the others were strangers, met in few small
    fields, at stakes as `judged_apart` has them. Luck: everybody of a field is as likely to have any of its results. A
    tournament counts as one event, for who wins it wins of all at once.
    """
    met, of = Counter[tuple[str, str]](), dict[str, list[Ended]]()
    for each in ended:
        if len(each.nets) <= FIELD:  # of larger ones there are thousands of pairs, and nobody comes to know another
            met.update(combinations(sorted(each.nets), 2))
        for player in each.nets:
            of.setdefault(player, []).append(each)
    found = []
    for player, played in sorted(of.items()):
        strange = [each for each in played if _among_strangers(each, player, met)]
        rows = [(who, row) for row in judged_apart({each.stake for each in played}) for who in WHO]
        # Where all are strangers both are one look.
        looks = len(rows) if len(strange) < len(played) else len(rows) // len(WHO)
        bounds = luck_squared(LUCK, len(rows)) / 2, ALL_WON + log(looks)
        told: list[tuple[Row, dict[str, Any], list[Ended]]] = []
        for who, stakes in rows:
            there = [each for each in (strange if who == "strangers" else played) if each.stake in stakes]
            within = any(set(stakes) <= set(known) for known, *_ in told)
            if not within and (evidence := _won(player, who, stakes, there, *bounds)) is not None:
                told.append((stakes, evidence, there))
        if told:
            (_, first, _), *further = told
            also = {"also": [evidence for _, evidence, _ in further]} if further else {}
            won_in = dict.fromkeys(e.tournament for _, _, there in told for e in there if e.nets[player] > 0)
            evidence = first | also | {"tournaments": list(won_in)}
            found.append(Case(kind="buy_ins_to_one", players=(player,), hands=(), evidence=evidence))
    return found


def _among_strangers(each: Ended, player: str, met: Counter[tuple[str, str]]) -> bool:
    others = [other for other in each.nets if other != player]
    strange = sum(met[(player, other) if player < other else (other, player)] <= FEW for other in others)
    return 2 * strange >= len(others)


def _won(
    player: str, who: str, stakes: Row, there: Collection[Ended], bound: float, all_won: float
) -> dict[str, Any] | None:
    """The evidence, if it is enough."""
    parts = [each.nets[player] / each.buy_in for each in there]
    net, gain = sum(parts), sum(part for part in parts if part > 0)
    losers = {loser for each in there if each.nets[player] > 0 for loser, part in each.nets.items() if part < 0}
    if net < BUY_INS or gain < TIMES * (gain - net) or len(losers) < LOSERS:
        return None
    if _unlikely(there, net) < bound and not (
        all(_first(each, player) for each in there) and sum(log(len(each.nets)) for each in there) > all_won
    ):
        return None
    money = Counter[str]()
    for each in there:
        money[each.currency] += each.nets[player]
    return {
        "to": player,
        "buy_ins": int(net),
        "stakes": list(stakes),
        "net": dict(money),
        "who": who,
        "lost_to_it": len(losers),
    }


def _first(each: Ended, player: str) -> bool:
    """Alone: nobody won as much."""
    most = max(each.nets.values())
    return each.nets[player] == most and list(each.nets.values()).count(most) == 1


def _unlikely(there: Collection[Ended], net: float) -> float:
    """How unlikely it is to win as many buy-ins, as minus the logarithm of a bound of the chance (Chernoff's)."""
    most = 0.0
    for slope in SLOPES:
        moments = (
            log(sum(exp(slope * part / each.buy_in) for part in each.nets.values()) / len(each.nets)) for each in there
        )
        most = max(most, slope * net - sum(moments))
    return most
