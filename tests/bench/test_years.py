"""Whether the history of `make bench-years` is one that a house would leave, and what its report makes of figures."""

from pathlib import Path
from typing import Any

from libs.journal.names import names_of
from libs.journal.restore import restore
from services.cli.journals import books
from services.cli.verify import verify_log
from tests.audit.played import GATEWAY_KEY, KEYRING, T0
from tests.bench.history import HANDS_A_DAY, History, Timed
from tests.bench.years.__main__ import Found
from tests.bench.years.report import Figure, figures
from tests.testkit.partitions import PARTITIONS
from tests.testkit.simulated import SimulatedBroker, SimulatedLog


async def test_it_is_a_house_whose_past_verifies_and_that_starts_from_snapshots() -> None:
    now = T0
    broker = SimulatedBroker(PARTITIONS, lambda: now)

    async def send(service: str, records: "list[Timed]") -> None:
        nonlocal now
        for at, each in records:
            now = at
            broker.land(each.topic, each.partition or 0, [(each.key, each.value, each.headers)])

    history = History(send, T0, KEYRING, GATEWAY_KEY)  # type: ignore[arg-type]
    for events in (2_000, 4_000):
        assert await history.until(events) >= events
    log = SimulatedLog(broker)
    report = await verify_log(log, books(KEYRING, PARTITIONS), stood_still=now)
    assert report.findings == []
    assert (report.hands, report.published) == (history.hands, history.events)
    assert report.accounts == history.players > history.hands
    for book in books(KEYRING, PARTITIONS)[:2]:
        for partition in range(PARTITIONS):
            restored = await restore(log, book.machine, names_of(book.service, PARTITIONS), partition)
            assert restored.fold.position.next == history.carried(book.service)[partition], "nothing is folded again"
            assert restored.fold.heads == {}, "nobody is there, and nothing falls due"
    assert all(size == 0 for size in map(len, history._outgoing.waiting.values()))
    days = (now - T0) / 86_400_000
    assert abs(days - history.hands / HANDS_A_DAY) < 1


def test_ratios_stand_beside_their_goals() -> None:
    def stage(events: int, cpu_s: float, mb: float, written: float) -> dict[str, Any]:
        live = {"bytes_per_act": {"journal": written}}
        return {"events": events, "made_s": 1, "tools": {"scan": {"cpu_s": cpu_s, "peak_mb": mb}}, "live": live}

    found = {each.what: each for each in figures([stage(1_000, 2.0, 100.0, 1_000), stage(10_000, 21.0, 105.0, 1_200)])}
    assert found["scan, CPU"] == Figure("scan, CPU", "s", [2.0, 21.0], 10.0)
    assert [found[each].good(1) for each in ("scan, CPU", "scan, peak memory", "journal, an act")] == [
        False,
        True,
        False,
    ]
    assert found["history is made"].good(1), "no goal, none missed"
    assert Figure("answer", "ms", [0.5, 2.0], 1.5).good(1), "too small to be told from the clock"


def test_figures_that_are_kept_are_there_for_a_run_that_goes_on(tmp_path: Path) -> None:
    file = tmp_path / "100000.json"
    Found(file).put(made_s=1.5, tools={})
    going_on = Found(file)
    going_on.put(tools={"verify": {"cpu_s": 2.0}})
    assert Found(file).figures == {"made_s": 1.5, "tools": {"verify": {"cpu_s": 2.0}}}
    Found(None).put(made_s=1.0)
    assert [each.name for each in tmp_path.iterdir()] == ["100000.json"]
