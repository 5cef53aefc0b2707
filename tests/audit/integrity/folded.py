"""The searches on hands: folded into days at tables as the auditor keeps them, encoded, decoded and put together."""

from collections.abc import Iterable
from contextlib import ExitStack, closing

from services.audit.integrity import checks, in_common, many_to_one
from services.audit.integrity.acts import PlayedHand
from services.audit.integrity.cases import Case
from services.audit.integrity.in_common import Shared
from services.audit.integrity.kept_sums import DAY_MS
from services.audit.integrity.month import Month
from services.audit.integrity.sums import Of, Sums, decode_sums, encode_sums


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


def soft_play(hands: Iterable[PlayedHand], now: int) -> list[Case]:
    with closing(month_of(hands, now)) as month:
        return checks.soft_play(month)


def chip_dumping(hands: Iterable[PlayedHand]) -> list[Case]:
    with closing(month_of(hands)) as month:
        return checks.chip_dumping(month)


def chip_flow(hands: Iterable[PlayedHand], now: int) -> list[Case]:
    with closing(month_of(hands, now)) as month:
        return checks.chip_flow(month, now)


def chips_to_one(hands: Iterable[PlayedHand], now: int) -> list[Case]:
    with closing(month_of(hands, now)) as month:
        return many_to_one.chips_to_one(month)


def decision_software(hands: Iterable[PlayedHand]) -> list[Case]:
    with closing(month_of(hands)) as month:
        return checks.decision_software(month)


def shared_identity(
    hands: Iterable[PlayedHand], shared: Shared, *elsewhere: tuple[Iterable[PlayedHand], Shared]
) -> list[Case]:
    with ExitStack() as open_:
        months = [open_.enter_context(closing(month_of(each))) for each in (hands, *(there for there, _ in elsewhere))]
        of_hands, *others = [month.together["hands"] for month in months]
        return in_common.shared_identity(
            of_hands, shared, *((there, common) for there, (_, common) in zip(others, elsewhere, strict=True))
        )
