"""Rules for Prometheus: as the code declares them, each alert silent without its fault and firing with it."""

import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from prometheus_client.registry import REGISTRY

import libs.door.door
import libs.integrity
import services.audit.metrics
import services.gateway.wiring
import services.table.wiring
import services.tournament.wiring
import services.wallet.wiring
from libs.journal.observer import COUNTED, STANDING
from libs.telemetry.figures import FIGURES
from libs.telemetry.metrics import PrometheusObserver
from services.cli.watching import CLUSTER_RULES, RULES, watching_files
from services.cli.watching.alerts import ALERTS, CLUSTER, HERE, RECORDED, rules, rules_of_cluster, shortened
from services.cli.watching.dashboard import ROWS
from tests.watching.tools import found

PROJECT = Path(__file__).resolve().parents[2]
CASES: dict[str, dict[str, Any]] = yaml.safe_load((Path(__file__).parent / "cases.yaml").read_text())
PROMTOOL = found("promtool")
needs_promtool = pytest.mark.skipif(PROMTOOL is None, reason="no promtool here: `make prometheus` fetches Debian's")
WIRED = (libs.door.door, libs.integrity, services.audit.metrics, services.gateway.wiring, services.table.wiring,
         services.tournament.wiring, services.wallet.wiring)  # fmt: skip
"""Importing them registers what they show."""


def test_pages_rules_and_dashboard_are_those_of_the_code() -> None:
    stale = [name for name, text in watching_files().items() if (PROJECT / name).read_text(encoding="utf-8") != text]
    assert not stale, "run `croupier watching`"


def test_what_processes_show_is_what_is_declared() -> None:
    shown = {each.name: each.type for each in REGISTRY.collect() if each.name.startswith("croupier_")}
    observed = {"croupier_commands", "croupier_commit_seconds", *(f"croupier_{name}" for name in (*COUNTED, *STANDING))}
    if not observed & shown.keys():
        PrometheusObserver("table")
        shown = {each.name: each.type for each in REGISTRY.collect() if each.name.startswith("croupier_")}
    assert shown == {each.name: each.kind for each in FIGURES}


def test_expressions_read_what_is_there() -> None:
    names = {each.scraped for each in FIGURES} | {f"{each.name}_{of}" for each in FIGURES for of in ("bucket", "count")}
    texts = [each.expr for each in ALERTS] + list(RECORDED.values())
    texts += [expr for _, panels in ROWS for _, _, series in panels for expr in series.values()]
    for text in texts:
        assert set(re.findall(r"\bcroupier_\w+", text)) <= names, text
        assert set(re.findall(r"\bcroupier:[\w:]+", text)) <= RECORDED.keys(), text


def test_each_alert_has_a_page_to_read() -> None:
    headings = re.findall(r"^##+ (.+)$", (PROJECT / "docs" / "sre.md").read_text(encoding="utf-8"), re.MULTILINE)
    headings += re.findall(r"^- \*\*(.+?)\*\*", (PROJECT / "docs" / "sre.md").read_text(encoding="utf-8"), re.MULTILINE)
    page = (PROJECT / "docs" / "alerts.md").read_text(encoding="utf-8")
    for each in (*ALERTS, *CLUSTER):
        assert f"\n## {each.name}\n" in page
        assert any(heading.startswith(each.more) for heading in headings), (each.name, each.more)


def test_a_drill_shortens_every_duration() -> None:
    assert shortened("increase(a[15m]) > 0 or (a unless a offset 1h)", 60) == (
        "increase(a[15s]) > 0 or (a unless a offset 60s)"
    )
    assert {each["for"] for group in rules(60)["groups"] for each in group["rules"] if "for" in each} == {"5s", "10s"}


def test_each_alert_has_its_cases() -> None:
    assert list(CASES) == [each.name for each in (*ALERTS, *CLUSTER)]


def test_alerts_of_the_cluster_look_at_one_namespace_alone() -> None:
    for each in rules_of_cluster()["groups"][0]["rules"]:
        chosen = re.findall(r"\{([^}]*)\}", each["expr"])
        assert chosen, each["alert"]
        assert all(HERE in one for one in chosen), each["alert"]


@needs_promtool
def test_each_alert_fires_by_its_series_and_is_silent_without(tmp_path: Path) -> None:
    tests = []
    for name, case in CASES.items():
        for kind in ("silent", "fires"):
            series = [{"series": each, "values": values} for each, values in case[kind].items()]
            at = f"{case.get('at', 30)}m"
            # Any number of firing ones counts: what is asserted is that there is one, whatever its labels.
            tests.append({
                "interval": "1m", "name": f"{name} {kind}", "input_series": series,
                "promql_expr_test": [{
                    "expr": f'count(count by (alertname) (ALERTS{{alertname="{name}",alertstate="firing"}}))',
                    "eval_time": at, "exp_samples": [{"value": 1}] if kind == "fires" else [],
                }],
            })  # fmt: skip
    asked = tmp_path / "asked.yaml"
    files = [str(PROJECT / each) for each in (RULES, CLUSTER_RULES)]
    asked.write_text(yaml.safe_dump({"rule_files": files, "evaluation_interval": "1m", "tests": tests}))
    assert PROMTOOL is not None
    ran = subprocess.run([PROMTOOL, "test", "rules", str(asked)], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
