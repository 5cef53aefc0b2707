"""Whether `make bench-house` runs and measures everything it reports; how fast the house is, is not asked here."""

from dataclasses import replace

import pytest

from libs.stack import Stack
from tests.bench.house.__main__ import HOPS, PROJECT, SERVICES, Stage, Times, measure
from tests.bench.house.house import Code


@pytest.mark.stack
@pytest.mark.timeout(300)
async def test_it_measures(stack: Stack, topics: str, database: str) -> None:
    said: list[str] = []
    report = await measure(
        replace(stack, database_url=database),
        Code(PROJECT),
        [Stage(2, "20")],
        Times(idle=1.0, warm=1.0, window=2.0),
        said.append,
        topics,
        processes=2,
    )
    assert [each["stage"] for each in report["stages"]] == ["2@20"]
    assert set(SERVICES) <= report["idle"].keys()
    for stage in report["stages"]:
        assert stage["acts"] > 0
        assert stage["seen_by_all"] == 1.0
        assert 0 < stage["answer_ms"]["p50"] <= stage["answer_ms"]["p99"]
        assert 0 < stage["everybodys_view_ms"]["p50"] <= stage["everybodys_view_ms"]["p99"]
        assert all(stage["cpu_ms_per_act"][name] > 0 for name in ("table", "gateway", "bots", "Kafka"))
        assert stage["players"] == {"seated": stage["connections"], "playing": stage["connections"], "resyncs": 0}
        assert stage["connections"] == 6 * stage["tables"]
        assert stage["late_ms"]["p99"] > 0
        assert stage["refused"].keys() <= {"busy", "not_your_turn", "too-many-requests"}, "a bot knows its turn"
        assert all(stage["bytes_per_act"][name] > 0 for name in HOPS.values())
    assert {"group wallet-policies", "audit: journal records not judged"} <= report["stages"][-1]["lags"].keys()
    assert len(report["chains"]) == 1
    assert all(each["acts"] > 0 and each["both_ms_per_act"] > 0 for each in report["chains"])


def test_a_stage_is_named_by_tables_and_pace() -> None:
    assert Stage.of("40@280") == Stage(40, "280")
    assert str(Stage.of("200@human")) == "200@human"
    with pytest.raises(ValueError, match="quickly"):
        Stage.of("3@quickly")
