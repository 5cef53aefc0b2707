"""What players have in common, as it was reported of them (pt-811-2015 11.c), and who reports it.

What one reporter says of very many is no evidence, and takes nothing from what another one says: else a single person,
or the credential of another platform, hides any two by reporting the same of many strangers.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, NamedTuple

from libs.contracts.people import person_behind
from libs.contracts.wallet_commands import is_of_staff
from libs.projecting import Connection
from libs.projecting.row_marks import Marks
from services.audit.incidents import WORDS as INCIDENTS
from services.audit.incidents import record
from services.audit.integrity.cases import Case, HandId
from services.audit.integrity.month import Together
from services.audit.projections.signals import WORDS as SIGNALS
from services.audit.verifying.findings import Finding, Kind

MOST_SHARE = 50
"""What one reporter says of more players than this tells nothing of any two of them: a carrier's one address for many
customers, a hall of the operator's own. A household, a shared flat, a club's evening are far below."""
NAMED = 10
"""So many reporters an incident names at the most, those of the most players."""


@dataclass(slots=True)
class Reports:
    """Of one device, address or means of payment: of whom it was reported, and by whom."""

    players: int = 0
    by: Counter[str] = field(default_factory=Counter)
    """Reporters (principals; empty: not known, of before it was kept) to how many players."""
    whose: dict[str, set[str]] = field(default_factory=dict)
    """Reporters to players, of those alone that are evidence: no crowd is held in memory."""

    def add(self, player: str, reporters: Iterable[str]) -> None:
        """A player, once, with all who reported it."""
        self.players += 1
        for by in reporters:
            self.by[by] += 1
            if self.by[by] <= MOST_SHARE:
                self.whose.setdefault(by, set()).add(player)
            else:
                self.whose.pop(by, None)

    @property
    def evident(self) -> set[str]:
        """The players of whom it counts."""
        return set[str]().union(*self.whose.values())

    def reporters(self, players: Collection[str]) -> set[str]:
        """Whose word of any of `players` counts."""
        return {by for by, whose in self.whose.items() if not whose.isdisjoint(players)}

    def needed(self, pair: tuple[str, str]) -> set[str]:
        """Persons of the staff without whose word the two have not this in common."""
        said = [self.reporters((player,)) for player in pair]
        people = [{person_behind(by) for by in of_one} for of_one in said if all(map(is_of_staff, of_one))]
        return set[str]().union(*(each for each in people if len(each) == 1))


Shared = Mapping[tuple[str, str], Reports]
"""By kind and digest."""
Common = tuple[Iterable[Together], Shared]
"""Who was in hands, or rounds, with whom, and what these players have in common."""


def shared_identity(hands: Iterable[Together], shared: Shared, *elsewhere: Common) -> list[Case]:
    """A case for each pair with a device, address or means of payment in common that was dealt into one hand (11.c), or
    into one round against the house in which each sees cards that the others do not.

    All that one person's word alone makes pairs is one case, whatever the person reports and of whomever, or who types
    for an hour buries true ones under false. What others report of both is a case of its own: nobody takes it there.

    What many have in common in tournaments says nothing of hands for money: fifty entries to a freeroll cost nothing.
    So of each of `elsewhere`, tournaments and rounds, it is judged by itself.
    """
    together: dict[tuple[str, str], _Pair] = {}
    for played, in_common in ((hands, shared), *elsewhere):
        for pair, ids, common in _together(played, in_common):
            each = together.setdefault(pair, _Pair(pair, [], [], []))
            each.hands.extend(ids)
            each.shared.extend(kind for kind, _ in common)
            each.reports.extend(in_common[what] for what in common)
    found: list[Case] = []
    of_people: dict[tuple[str, ...], list[_Pair]] = {}
    for pair, each in sorted(together.items()):
        needed = set[str].intersection(*(reports.needed(pair) for reports in each.reports))
        if needed:
            of_people.setdefault(tuple(sorted(needed)), []).append(each)
        else:
            found.append(_case([each], {}))
    for people, pairs in of_people.items():
        told = [{"players": each.players, "shared": sorted(set(each.shared))} for each in pairs]
        found.append(_case(pairs, {"pairs": told}, "\x1f".join(people)))
    return found


def _together(
    hands: Iterable[Together], shared: Shared
) -> Iterator[tuple[tuple[str, str], list[tuple[int, HandId]], set[tuple[str, str]]]]:
    """Pairs, the hands in which they were, and what they have in common."""
    has: dict[str, set[tuple[str, str]]] = {}
    for what, reports in shared.items():
        if len(players := reports.evident) > 1:
            for player in players:
                has.setdefault(player, set()).add(what)
    together: dict[tuple[str, str], list[tuple[int, HandId]]] = {}
    for there in hands:
        for first, second in combinations(sorted(has.keys() & there.players.keys()), 2):
            if not has[first].isdisjoint(has[second]) and (ids := there.of_two(first, second)):
                together.setdefault((first, second), []).extend(ids)
    for (first, second), ids in together.items():
        yield (first, second), ids, has[first] & has[second]


class _Pair(NamedTuple):
    players: tuple[str, str]
    hands: list[tuple[int, HandId]]
    """On which day each began, and which."""
    shared: list[str]
    """Kinds of what they have in common."""
    reports: list[Reports]

    @property
    def by(self) -> set[str]:
        return set[str]().union(*(each.reporters(self.players) for each in self.reports))


def _case(found: list[_Pair], more: dict[str, Any], people: str = "") -> Case:
    """Of one pair, or with `people` of all pairs that are none without their word."""
    players = tuple(sorted({player for each in found for player in each.players}))
    evidence = {
        "shared": sorted({kind for each in found for kind in each.shared}),
        "reported_by": sorted(_named(by) for by in set[str]().union(*(each.by for each in found))),
        **more,
    }
    hands = tuple(hand for _, hand in sorted({hand for each in found for hand in each.hands}))
    return Case(kind="shared_identity", players=players, hands=hands, evidence=evidence, about=people)


_PLAYERS = 1_000
"""Whose signals one statement asks for."""
# Of a value that one player alone has nothing is read. The two halves are steps into an index, however many have it.
_SHARED = f"""select {SIGNALS.columns} from account_signals as s
               where player = any($1) and kind <> 'program' and (
                  exists (select from account_signals as o
                           where o.kind = s.kind and o.value = s.value and o.player < s.player)
                  or exists (select from account_signals as o
                              where o.kind = s.kind and o.value = s.value and o.player > s.player))"""


async def read_shared(connection: Connection, players: Collection[str], marks: Marks | None) -> Shared:
    """What several of `players` have in common.

    By what the auditor has heard alone: what somebody else has put beside it makes nobody a suspect, and clears nobody.
    """
    shared: dict[tuple[str, str], Reports] = {}
    names = list(players)
    for start in range(0, len(names), _PLAYERS):
        said: dict[tuple[str, str], dict[str, set[str]]] = {}
        async for row in connection.cursor(_SHARED, names[start : start + _PLAYERS]):
            whose = said.setdefault((row["kind"], row["value"]), {})
            known = row["by"] in whose.get(row["player"], ())
            if not known and SIGNALS.why_not(marks, row) is None:
                whose.setdefault(row["player"], set()).add(row["by"])
        for what, whose in said.items():
            for player, reporters in whose.items():
                shared.setdefault(what, Reports()).add(player, reporters)
    return {what: reports for what, reports in shared.items() if reports.players > 1}


def of_most(one: Shared, other: Shared) -> Shared:
    """Of what is in both that of the more players."""
    return {**one, **{what: it for what, it in other.items() if what not in one or it.players > one[what].players}}


def shared_by_many(shared: Shared) -> list[Finding]:
    """What more than `MOST_SHARE` players have in common: a carrier's address, or somebody who hides two among many."""
    return [
        Finding(Kind.SHARED_BY_MANY, f"signal-{kind}-{value}", _told(kind, reports))
        for (kind, value), reports in sorted(shared.items(), key=lambda each: each[0])
        if reports.players > MOST_SHARE
    ]


async def tell_of_many(connection: Connection, shared: Shared, now: int, marks: Marks | None) -> list[Finding]:
    """Keeps an incident of each value that is shared by many; those that are new come back.

    Of a value one is told, and another one when reports of somebody else are no evidence any more: not whenever another
    player comes to it.
    """
    if not (found := shared_by_many(shared)):
        return []
    rows = await connection.fetch(
        f"select {INCIDENTS.columns} from incidents where kind = $1 and stream = any($2)",
        Kind.SHARED_BY_MANY.value,
        [each.stream for each in found],
    )
    told = {(row["stream"], _left_out(row["detail"])) for row in rows if INCIDENTS.why_not(marks, row) is None}
    new = [each for each in found if (each.stream, _left_out(each.detail)) not in told]
    return await record(connection, new, now, marks)


_END = "; no evidence is what is reported by "


def _told(kind: str, reports: Reports) -> str:
    most = sorted(reports.by.items(), key=lambda each: (-each[1], each[0]))
    by = _some([f"{count:,} as {_named(name)} reports" for name, count in most])
    return (
        f"{reports.players:,} players of these thirty days have one {kind} in common: {by}"
        f"{_END}{_some([_named(name) for name in sorted(reports.by.keys() - reports.whose.keys())])}"
    )


def _left_out(detail: str) -> str:
    """Whose reports are no evidence, as an incident says it."""
    return detail.rpartition(_END)[2]


def _some(names: list[str]) -> str:
    further = [f"{len(names) - NAMED:,} more"] if len(names) > NAMED else []
    return ", ".join(names[:NAMED] + further) or "nobody"


def _named(by: str) -> str:
    return by or "somebody unknown"
