"""Buy-ins that go one way: small tournaments that are lost on purpose (pt-811-2015 11.e).

Chips of a tournament are no money, its prizes are. Two who play heads-up sit-and-goes pass a buy-in in each, and
nothing of the hands needs to tell it.
"""

from collections import Counter
from collections.abc import Collection, Iterator
from itertools import chain

import msgspec
from msgspec.structs import replace

from libs.money.play import PLAY_CURRENCY
from libs.projecting import Connection
from libs.projecting.row_marks import Marks
from services.audit.integrity.cases import Case
from services.audit.integrity.many_to_one import Moved, to_one
from services.audit.integrity.stakes import BIG_BLIND, Row, Stake, judged_apart, luck_squared
from services.audit.projections.live_checks import STATES
from services.audit.verifying.results import Results

FIELD = 10
"""Players. In a larger field nobody chooses who wins what one loses."""
BUY_INS = 5
SHARE_BP = 8_000
SHARE_LUCK_SQUARED = 8
"""Eight of eight, eleven of twelve, thirteen of fifteen: two who are equally good come so far once in 250 times, and
at some time of a month in which they play twenty once in 50 times or so. Of one of many days it is more."""
LUCK = 5
"""As for `chip_flow`: without regard to the share."""
DAY_MS = 86_400_000
REST_MS = 3_600_000


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
                yield Moved(loser, winner, self.stake, part, amount, (self.tournament, 0))


# The index is by when they ended.
_ENDED = f"""select {STATES.columns} from check_states
              where check_name = 'results' and (state->>'ended_at')::bigint >= $1
              order by (state->>'ended_at')::bigint, stream"""


async def read_ended(connection: Connection, since: int, marks: Marks | None = None) -> list[Ended]:
    """Small tournaments for money that ended since (milliseconds), oldest first, in a transaction of the caller's."""
    found = []
    async for row in connection.cursor(_ENDED, max(1, since)):
        if STATES.why_not(marks, row) is None:
            each = msgspec.json.decode(row["state"], type=Results)
            if len(each.nets) <= FIELD and each.buy_in and each.currency != PLAY_CURRENCY:
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
        for moved in each.moved():
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
        "tournaments": [flow.of[0] for flow in flows if flow.loser == loser],
    }
    return Case(kind="buy_in_flow", players=(loser, winner), hands=(), evidence=evidence)


def buy_ins_to_one(ended: Collection[Ended]) -> list[Case]:
    """As `chips_to_one`, in buy-ins: each counts as a hundred big blinds, so that at least five went to one player."""

    def moved() -> Iterator[Moved]:
        for each in ended:
            for one in each.moved():
                yield one._replace(part=100 * one.part)

    return [_in_buy_ins(case) for case in to_one("buy_ins_to_one", moved)]


def _in_buy_ins(case: Case) -> Case:
    """Tournaments are no hands; a stake is a buy-in there."""
    (first, *further) = [_renamed(each) for each in (case.evidence, *case.evidence.get("also", ()))]
    more = {"tournaments": [tournament for tournament, _ in case.hands]}
    return replace(case, hands=(), evidence=first | ({"also": further} if further else {}) | more)


def _renamed(told: dict[str, object]) -> dict[str, object]:
    kept = {name: value for name, value in told.items() if name not in ("big_blinds", "also")}
    return kept | {"buy_ins": told["big_blinds"]}
