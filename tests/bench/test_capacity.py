"""The capacity page says what its figures say, and the arithmetic is what the page tells of it."""

import pytest

from tests.bench import capacity
from tests.bench.capacity import MEASURED, PAGE, acts, cores, kept, partitions, processes, topics_bytes, written


def test_the_page_is_current() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert written(text) == text, "run `python -m tests.bench.capacity`"
    assert all(each.value > 0 for each in MEASURED.values())


def test_a_new_figure_changes_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    before = PAGE.read_text(encoding="utf-8")
    monkeypatch.setitem(MEASURED, "journal", MEASURED["journal"]._replace(value=2_702))
    after = written(before)
    assert "| 2,702 B an act |" not in before
    assert "| 2,702 B an act |" in after
    with pytest.raises(ValueError, match="no block disk"):
        written(before.replace("<!-- end of disk -->", ""))


def test_the_arithmetic_by_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    figures = {
        "acts of a table": 0.5, "table": 1.2, "gateway": 2.4, "wallet": 0.1, "audit": 0.1, "Kafka": 2.0,
        "journal": 1_000, "events": 2_000, "read models": 300, "events of an act": 4,
    }  # fmt: skip
    for name, value in figures.items():
        monkeypatch.setitem(MEASURED, name, MEASURED[name]._replace(value=value))
    assert acts(1_000) == 500
    assert processes("table", 1_000) == 1, "500 acts × 1.2 ms are 0.6 s, all that a core may be used"
    assert processes("table", 1_001) == 2
    assert processes("gateway", 10_000) == 20
    assert cores("Kafka", 1_000) == pytest.approx(5.0), "three copies"
    assert partitions(1_000) == 32, "never fewer than the chart's"
    assert partitions(20_000) == 64, "40 gateways, half as much again are 60"
    month = 500 * 30 * 86_400
    assert kept("journal", 1_000) == month * 1_000
    assert kept("read models", 1_000) == month * 4 * 300
    assert topics_bytes(1_000) == month * 3 * 3_000
    assert capacity._size(10_700_000_000_000) == "10.7 TB"
