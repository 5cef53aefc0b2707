"""docs/capacity.md: what a house of so many tables needs, worked out from figures that were measured.

Measure again, change `MEASURED`, and let `python -m tests.bench.capacity` write the page's blocks anew.
"""

from collections.abc import Callable, Iterator
from functools import partial
from math import ceil
from pathlib import Path
from typing import NamedTuple

PAGE = Path(__file__).resolve().parents[2] / "docs" / "capacity.md"
HOUSES = (1_000, 10_000, 170_000)
"""Tables; the last is a million players at once."""
SEATS = 6
MONTH_S = 30 * 86_400
DAY_S = 86_400
BUSY = 0.6
"""Of a core that a process may use: the rest is for rushes, and for what another process leaves behind."""
COPIES = 3
CORES = 16
"""Of a node."""
_40 = "`make bench-house ARGS='--stage 1@4 --stage 40@280 --seconds 20 --warm 8 --idle 8'`, 27 November 2026, load 1.4"
_60 = "`make bench-house ARGS='--search 60 150 --seconds 30 --minutes 1'`, 27 November 2026, load 8"
_YEARS = "`make bench-years N=100000 ARGS='--only services --json'`, `stored`, 27 November 2026"


class Measured(NamedTuple):
    value: float
    unit: str
    where: str


MEASURED = {
    "acts of a table": Measured(0.41, "a second", f"the load that the house is designed for; bots gave 0.33: {_60}"),
    "table": Measured(1.14, "ms of CPU an act", _40),
    "gateway": Measured(1.18, "ms of CPU an act", _40),
    "wallet": Measured(0.18, "ms of CPU an act", _40),
    "audit": Measured(0.51, "ms of CPU an act", _40),
    "Kafka": Measured(1.69, "ms of CPU an act", "the same with load under 3, 22 November 2026; one broker, no copies"),
    "PostgreSQL": Measured(1.59, "ms of CPU an act", f"{_60}; at 20 acts a second, where a batch holds few"),
    "commands": Measured(496, "B an act", _60),
    "journal": Measured(1_351, "B an act", _60),
    "events": Measured(2_020, "B an act", _60),
    "replies": Measured(351, "B an act", _60),
    "private": Measured(58, "B an act", _60),
    "events of an act": Measured(4.4, "", "`python -m tests.bench.policy_share 16000`"),
    "read models": Measured(503, "B an event", _YEARS),
    "archive": Measured(97, "B an event", _YEARS),
}  # fmt: skip
SERVICES = ("table", "gateway", "wallet", "audit")


def acts(tables: int) -> float:
    """A second, where everybody plays."""
    return tables * MEASURED["acts of a table"].value


def cores(name: str, tables: int) -> float:
    """Each of them busy for `BUSY` of the time. A copy costs a broker at most what the first taking costs."""
    copies = COPIES if name == "Kafka" else 1
    return acts(tables) * MEASURED[name].value * copies / 1_000 / BUSY


def processes(service: str, tables: int) -> int:
    return max(1, ceil(cores(service, tables)))


def partitions(tables: int) -> int:
    """A power of two with half as much again as the busiest service has processes, and not less than the chart's 32:
    the count is for ever."""
    most = max(processes(each, tables) for each in SERVICES)
    return max(32, 1 << (ceil(1.5 * most) - 1).bit_length())


def nodes(tables: int) -> int:
    """Processes stand beside Kafka and PostgreSQL, each on cores of its own."""
    whole = sum(processes(each, tables) for each in (*SERVICES, "Kafka", "PostgreSQL")) + 1  # a tournament service
    return ceil(whole / CORES)


def kept(what: str, tables: int) -> float:
    """Bytes that a month at full house leaves for ever of `journal`, `events`, `read models` or `archive`; one copy."""
    events = MEASURED["events of an act"].value if MEASURED[what].unit == "B an event" else 1
    return acts(tables) * MONTH_S * events * MEASURED[what].value


def topics_bytes(tables: int) -> float:
    """What a month adds to the broker's disks, copies counted."""
    return COPIES * (kept("journal", tables) + kept("events", tables))


def passing_bytes(tables: int) -> float:
    """What topics with an end hold at a time, before copies: commands of seven days, replies and deals of one."""
    day = acts(tables) * DAY_S
    return day * (7 * MEASURED["commands"].value + MEASURED["replies"].value + MEASURED["private"].value)


def written(text: str) -> str:
    """The page with each of its blocks worked out anew."""
    for name, block in BLOCKS.items():
        begin, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->"
        before, _, rest = text.partition(begin)
        _, found, after = rest.partition(end)
        if not found:
            raise ValueError(f"the page has no block {name}")
        text = f"{before}{begin}{chr(10).join(block())}\n{end}{after}"
    return text


def _needs() -> Iterator[str]:
    def row(what: str, of: Callable[[int], float], how: str) -> str:
        return _row(what, [f"{ceil(of(each)):,}" for each in HOUSES], how)

    yield from _head("")
    yield row("players at once", lambda tables: SEATS * tables, f"{SEATS} a table")
    yield row("acts a second", acts, f"{MEASURED['acts of a table'].value} a table")
    for name in SERVICES:
        how = f"acts × {MEASURED[name].value} ms / {BUSY:.0%} of a core each"
        yield row(f"processes of {name}", partial(processes, name), how)
    for name, copies in (("Kafka", f" × {COPIES} copies"), ("PostgreSQL", "")):
        yield row(f"cores of {name}", partial(cores, name), f"acts × {MEASURED[name].value} ms{copies} / {BUSY:.0%}")
    yield row(f"nodes of {CORES} cores", nodes, "all of these and a tournament service; more where a node may be lost")
    yield row("partitions", partitions, "half as much again as the most processes, a power of two, 32 at least")


def _disk() -> Iterator[str]:
    def row(what: str, of: Callable[[int], float], how: str) -> str:
        return _row(what, [_size(of(each)) for each in HOUSES], how)

    yield from _head("a month of 30 days")
    for name in ("journal", "events"):
        yield row(name, partial(kept, name), f"{MEASURED[name].value:,.0f} B an act")
    for name in ("read models", "archive"):
        how = f"{MEASURED[name].value:,.0f} B an event × {MEASURED['events of an act'].value} events an act"
        yield row(name, partial(kept, name), how)
    yield row("Kafka grows by", topics_bytes, f"journal and events, {COPIES} copies")
    yield row("and holds beside it", lambda tables: COPIES * passing_bytes(tables),
              f"commands of 7 days, replies and deals of one, {COPIES} copies")  # fmt: skip


def _million() -> Iterator[str]:
    tables = HOUSES[-1]
    month = acts(tables) * MONTH_S
    size = {name: _size(kept(name, tables)) for name in ("journal", "events", "read models", "archive")}
    yield f"{tables:,} tables, full day and night, play {month / 1e9:,.0f} thousand million acts a month."
    yield f"They leave {size['journal']} of journal and {size['events']} of public events, each {COPIES} times,"
    yield f"and {size['read models']} in PostgreSQL, which are {size['archive']} in an archive."
    hour = topics_bytes(tables) / MONTH_S * 3_600 / (SEATS * tables)
    yield f"One player at one table for one hour is {_size(hour)} in Kafka for ever, all copies counted."


def _measured() -> Iterator[str]:
    yield "| figure | value | where from |"
    yield "|---|---|---|"
    for name, each in MEASURED.items():
        yield f"| {name} | {f'{each.value:,g} {each.unit}'.strip()} | {each.where} |"


BLOCKS = {"needs": _needs, "disk": _disk, "million": _million, "measured": _measured}


def _head(what: str) -> Iterator[str]:
    yield f"| {what} | {' | '.join(f'{tables:,} tables' for tables in HOUSES)} | how |"
    yield f"|---|{'---|' * len(HOUSES)}---|"


def _row(what: str, values: list[str], how: str) -> str:
    return f"| {what} | {' | '.join(values)} | {how} |"


def _size(size: float) -> str:
    """Three digits, in decimal units."""
    for unit in ("B", "kB", "MB", "GB", "TB", "PB"):
        if size < 1_000 or unit == "PB":
            return f"{size:.3g} {unit}"
        size /= 1_000
    raise AssertionError("unreachable")


if __name__ == "__main__":
    PAGE.write_text(written(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
