"""The searches on hands: folded into days at tables as the auditor keeps them, encoded, decoded and put together."""

import threading
from collections.abc import Callable, Iterable
from contextlib import ExitStack, closing
from typing import Any

from services.audit.integrity import checks, in_common, many_to_one
from services.audit.integrity.acts import PlayedHand
from services.audit.integrity.cases import Case
from services.audit.integrity.in_common import Shared
from services.audit.integrity.kept_sums import DAY_MS
from services.audit.integrity.month import Month, Spooled
from services.audit.integrity.sums import Of, Sums, decode_sums, encode_sums

OF_ALL = ("chip_dumping", "chips_to_one")
"""Kinds that a search of an hour looks for among all, too."""
Find = Callable[[Month, many_to_one.Summed | None], list[Case]]


class ForEver:
    """A check that has no end but that of the month's files."""

    def __init__(self) -> None:
        self.begun, self.ended = threading.Event(), threading.Event()

    def __call__(self, month: Month) -> list[Case]:
        self.begun.set()
        try:
            while any(True for _ in month.went):
                pass
        finally:
            self.ended.set()
        return []


def folded(hands: Iterable[PlayedHand], of: Of = "hands") -> dict[str, dict[int, Sums]]:
    """By table and day; those of a table in their order."""
    tables: dict[str, dict[int, Sums]] = {}
    for hand in hands:
        tables.setdefault(hand.id[0], {}).setdefault(hand.at // DAY_MS, Sums(of)).add(hand)
    return tables


def month_of(hands: Iterable[PlayedHand], now: int | None = None, of: Of = "hands", files: int = 1) -> Month:
    """As of `now`; None: all of them."""
    month = Month(files * 16)
    for table, days in folded(hands, of).items():
        kept = ((day, decode_sums(encode_sums(days[day]))) for day in sorted(days))
        month.add(table, [(day, sums) for day, sums in kept if now is None or day >= checks.first_day(now)])
    return month


def _searched(find: Find, hands: Iterable[PlayedHand], now: int | None = None) -> list[Case]:
    """As a search of the whole window finds it; and what one of an hour finds of the later half of the days is the
    same, of who was there."""
    played = list(hands)
    days = sorted({hand.at // DAY_MS for hand in played if now is None or hand.at // DAY_MS >= checks.first_day(now)})
    with closing(month_of(played, now)) as month:
        found = find(month, None)
    if days:
        since = days[len(days) // 2]
        _judged_alike(find, played, now, since, found)
    return found


def _judged_alike(find: Find, played: list[PlayedHand], now: int | None, since: int, found: list[Case]) -> None:
    with (
        closing(month_of([hand for hand in played if hand.at // DAY_MS < since], now)) as before,
        closing(month_of(played, now)) as whole,
    ):
        before.judge_stacks_as(whole)
        with (
            closing(many_to_one.summed(before, since)) as sums,
            closing(Month(1, before, since, whole=False)) as month,
        ):
            month.take_over(before)
            for table, later in folded(hand for hand in played if hand.at // DAY_MS >= since).items():
                month.add(table, sorted(later.items()))
            in_part = find(month, sums)
            assert totals(month, sums) == totals(whole, None)
    met = [set(hand.players.values()) for hand in played if hand.at // DAY_MS >= since]
    judged = [case for case in found if case.kind in OF_ALL or any(set(case.players) <= both for both in met)]
    assert sorted(in_part, key=lambda case: case.identity) == sorted(judged, key=lambda case: case.identity)


def totals(month: Month, before: many_to_one.Summed | None) -> dict[str, dict[Any, int]]:
    """What everybody won and lost in the window."""
    with closing(Spooled(many_to_one._Pair)) as pairs:
        found = many_to_one._add_up(month, before, pairs)
    stakes = found._results.keys() | (before.totals._results.keys() if before else set())
    told: dict[str, dict[Any, int]] = {
        player: {"gains": found.gains(player), "losers": found.losers(player)}
        | {(stake, "result"): found.result(stake, player) for stake in stakes}
        | {(stake, "squares"): found.squares(stake, player) for stake in stakes}
        for player in month.players["hands"]
    }
    return {player: {what: count for what, count in each.items() if count} for player, each in told.items()}


def soft_play(hands: Iterable[PlayedHand], now: int) -> list[Case]:
    return _searched(lambda month, _: checks.soft_play(month), hands, now)


def chip_dumping(hands: Iterable[PlayedHand]) -> list[Case]:
    return _searched(lambda month, _: checks.chip_dumping(month), hands)


def chip_flow(hands: Iterable[PlayedHand], now: int) -> list[Case]:
    return _searched(lambda month, _: checks.chip_flow(month, now), hands, now)


def chips_to_one(hands: Iterable[PlayedHand], now: int) -> list[Case]:
    return _searched(many_to_one.chips_to_one, hands, now)


def decision_software(hands: Iterable[PlayedHand]) -> list[Case]:
    return _searched(lambda month, _: checks.decision_software(month), hands)


def shared_identity(
    hands: Iterable[PlayedHand], shared: Shared, *elsewhere: tuple[Iterable[PlayedHand], Shared]
) -> list[Case]:
    with ExitStack() as open_:
        months = [open_.enter_context(closing(month_of(each))) for each in (hands, *(there for there, _ in elsewhere))]
        of_hands, *others = [month.together["hands"] for month in months]
        return in_common.shared_identity(
            of_hands, shared, *((there, common) for there, (_, common) in zip(others, elsewhere, strict=True))
        )
