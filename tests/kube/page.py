"""What a drill found, as a page: how long each table waited for its next act, and how long answers took."""

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from services.cli.demo.statistics import percentile
from tests.conftest import PROJECT
from tests.kube import drill
from tests.kube.drill import PATIENCE_S, Found

PAGE = PROJECT / "docs" / "kubernetes-drill.md"
BUDGET = 0.01
"""Share of acts that may take longer than `PROMISED_S` (docs/alerts.md)."""
PROMISED_S = 0.1


@dataclass(slots=True)
class Row:
    """Over all times of an action. Seconds; `waits`: until each table's next act that was asked for after it began."""

    name: str
    rounds: int
    waits: list[float] = field(default_factory=list)
    answers: list[float] = field(default_factory=list)
    ready: list[float] = field(default_factory=list)
    reasons: Counter[str] = field(default_factory=Counter)
    """Why acts were refused."""
    unanswered: int = 0
    silent: int = 0
    """Tables without an act before the next action began."""


def rows() -> list[Row]:
    """Of what the last drill wrote down."""
    acts = sorted(drill.acts(), key=lambda act: float(act["at"]))
    found = [Found(**json.loads(line)) for line in drill.FOUND.read_text().splitlines()]
    tables = {act["table"] for act in acts}
    table_of_rows: dict[str, Row] = {}
    for each in found:
        row = table_of_rows.setdefault(each.name, Row(each.name, 0))
        row.rounds += 1
        row.ready.append(each.ready_s)
        first: dict[str, float] = {}
        for act in acts:
            if not each.began <= act["at"] <= each.ended:
                continue
            if act["verdict"] == "unanswered":
                row.unanswered += 1
                continue
            row.answers.append(act["seconds"])
            if act["verdict"] != "accepted":
                row.reasons[act.get("reason", act["verdict"])] += 1
            elif act["at"] - act["seconds"] >= each.began:
                first.setdefault(act["table"], act["at"] - each.began)
        row.waits += first.values()
        row.silent += len(tables - first.keys())
    return list(table_of_rows.values())


def page(report: dict[str, Any], commit: str, tables: int, think_s: float) -> str:
    """docs/kubernetes-drill.md."""
    return "\n".join(_page(report, commit, tables, think_s)) + "\n"


def _page(report: dict[str, Any], commit: str, tables: int, think_s: float) -> Iterator[str]:
    yield from (
        "# What breaking a house on Kubernetes costs who plays",
        "",
        f"Written by `make kube-drill WRITE=1` at {commit}: one node of two cores that carries the house (two pods of",
        "each service, one of the auditor), Kafka and PostgreSQL (stand-in images), the ingress and the bots.",
        f"{tables} tables of five play through the ingress, each bot thinking {think_s} s on average; every act is",
        "written down. What a lost node or a split network does is not in it.",
        "",
        f"Over the whole of it, {report['seconds'] / 60:.0f} minutes: **{report['hands']:,} hands,"
        f" {report['void']} void, {report['started_twice']} started twice; {report['acts']:,} acts,"
        f" {report['unanswered']} without an answer**;",
        f"verdicts {json.dumps(report['verdicts'])}, reasons of refusals {json.dumps(report['reasons'])}.",
        f"A bot repeats an act under its key for {PATIENCE_S} s, so *without an answer* is after the house was back.",
        "",
        "*Next act*: from the action until a table's next accepted act that was asked for after it, of every table",
        "and time; a table's usual wait is the first row. *Answers*: of acts answered until ten seconds after every",
        "pod was ready. *Late*: share of them above 100 ms, which the promise bounds at 1 %; *budget*: how much of a",
        "month's budget (at the same rate of play) all times of a row have spent. *Silent*: tables without an act.",
        "",
        "| action | times | pods ready after, median / worst | next act p50 / p99 / worst | answers p50 / p99 / worst |"
        " late | budget | refused | unanswered | silent |",
        "|---|---|---|---|---|---|---|---|---|---|",
    )
    month = 30 * 86_400 * report["acts"] / report["seconds"] * BUDGET
    for row in rows():
        late = sum(seconds > PROMISED_S for seconds in row.answers)
        ready = f"{percentile(row.ready, 0.5):.0f} / {max(row.ready):.0f} s"
        yield (
            f"| {row.name} | {row.rounds} | {ready} | {_three(row.waits, 's')} | {_three(row.answers, 'ms')} |"
            f" {late / max(1, len(row.answers)):.1%} | {late / month:.3%} | {_reasons(row)} | {row.unanswered} |"
            f" {row.silent} |"
        )


def _reasons(row: Row) -> str:
    told = ", ".join(f"{reason} {count}" for reason, count in row.reasons.most_common())
    return f"{row.reasons.total()} ({told})" if told else "0"


def _three(values: list[float], unit: str) -> str:
    scale, digits = (1000, 0) if unit == "ms" else (1, 1)
    shown = (percentile(values, 0.5), percentile(values, 0.99), max(values, default=0.0))
    return " / ".join(f"{value * scale:.{digits}f}" for value in shown) + f" {unit}"
