"""What each thing that an SRE does to a house, or that happens to it, costs who plays there.

Bots play through the ingress at a person's pace and write every act down. Each action is done while they play; then the
house is waited for. What counts is read from the acts: how long each table waited for its next one, and how long
answers took.
"""

import asyncio
import json
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, count
from pathlib import Path
from typing import Any

from services.cli.demo.statistics import percentile
from tests.conftest import PROJECT
from tests.kube.cluster import GATEWAY, HOME, NAMESPACE, RELEASE, TOOL, environment, helm, kubectl, said, told

PAGE = PROJECT / "docs" / "kubernetes-drill.md"
ACTS = HOME / "acts.jsonl"
FOUND = HOME / "drill.jsonl"
REPORT = HOME / "report.json"
LOGS = HOME / "logs"
SETTLED_S = 10.0
"""Seconds of play after the house is ready again, before the next action."""
BUDGET = 0.01
"""Share of acts that may take longer than `PROMISED_S` (docs/alerts.md)."""
PROMISED_S = 0.1
ROUNDS = 10
CONTAINERD = Path(environment()["KUBECONFIG"]).with_name("containerd.sock") if TOOL.exists() else None
"""Of the tool's node: no cluster lets its users kill a process so that it can say nothing."""
_RULES = """
import asyncio
from libs.broker.administration import administering
from libs.broker.rules import prefix_rules
from libs.stack import broker
there = broker()
async def main():
    async with administering(there) as at:
        await at.give(prefix_rules("drill", "drill."))
        await at.take(["drill"])
asyncio.run(main())
"""


@dataclass(frozen=True, slots=True)
class Action:
    name: str
    do: Callable[[int], object]
    """Told which time it is, from 0."""
    rounds: int = ROUNDS
    settled_s: float = SETTLED_S


@dataclass(slots=True)
class Found:
    """Of one time: from `began` to `ended` (seconds since 1970); `ready_s`: until every pod was ready again."""

    name: str
    began: float
    ended: float
    ready_s: float


@dataclass(slots=True)
class Row:
    """Over all times of an action. Seconds; `waits`: until each table's next act that was asked for after it began."""

    name: str
    rounds: int
    waits: list[float] = field(default_factory=list)
    answers: list[float] = field(default_factory=list)
    ready: list[float] = field(default_factory=list)
    refused: int = 0
    silent: int = 0
    """Tables without an act before the next action began."""


def actions(other: str) -> list[Action]:
    """`other`: tag of an image of another version, already in the cluster; empty: no version is changed."""
    found = [Action("nothing", lambda _: None)]
    for service in ("table", "wallet", "tournament", "gateway", "audit"):
        found += [
            Action(f"{service}: a pod is deleted", partial(_to_a_pod, service, _delete)),
            Action(f"{service}: a pod is evicted", partial(_to_a_pod, service, _evict)),
        ]
        if CONTAINERD is not None:
            found.append(Action(f"{service}: a process is killed (SIGKILL)", partial(_to_a_pod, service, _kill), 4))
    found += [
        Action("a setting is changed (`helm upgrade`)", lambda n: _upgrade(f"settings.CROUPIER_COMPLAINTS=no. {n}"), 2),
        Action("keys of marks are rotated (three steps)", _rotate, 3, 100.0),
        Action("rules at the broker are changed", _rules),
    ]
    for server in ("kafka", "postgres"):
        found.append(Action(f"{server}'s pod is deleted", partial(_to_server, server, _delete_wholly), 3, 30.0))
        if CONTAINERD is not None:
            found.append(Action(f"{server} is killed (SIGKILL)", partial(_to_server, server, _kill), 3, 30.0))
    if other:
        found += [
            Action("another version is rolled out", lambda _: _upgrade(f"image.tag={other}"), 1),
            Action("and rolled back", lambda _: helm("rollback", RELEASE, "--wait", "--timeout", "10m"), 1),
        ]
    return found


async def drill(
    chosen: Iterable[Action], tables: int, think_s: float, rounds: int | None, append: bool
) -> dict[str, Any]:
    """Plays and breaks. The bots' report; what was found lies in `FOUND` and `ACTS`.

    `append`: beside what the drill before found, whose report is added up.
    """
    before = json.loads(REPORT.read_text()) if append else {}
    if not append:
        for file in (ACTS, FOUND, REPORT):
            file.unlink(missing_ok=True)
    kubectl("apply", "-f", str(Path(__file__).with_name("tools.yaml")))
    bots = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "services.cli", "bots", "--gateway", GATEWAY, "--tables", str(tables),
        "--credential", str(HOME / "compose" / "keys" / "operator_token.hex"), "--think", str(think_s),
        "--hands", "100000000", "--longest", "100000", "--acts", str(ACTS), stdout=subprocess.PIPE, cwd=PROJECT,
    )  # fmt: skip
    try:
        await _playing(bots, tables)
        with FOUND.open("a") as out:
            for action in chosen:
                for number in range(min(action.rounds, rounds or action.rounds)):
                    found = await asyncio.to_thread(_once, action, number)
                    print(json.dumps(_shown(found)), file=out, flush=True)
                    print(f"{found.name} {number + 1}: ready after {found.ready_s:.1f} s", flush=True)
                    if bots.returncode is not None:
                        raise RuntimeError(f"the bots ended with {bots.returncode}")
    finally:
        if bots.returncode is None:
            bots.terminate()
        out_text, _ = await bots.communicate()
    report = _added(before, json.loads(out_text))
    REPORT.write_text(json.dumps(report))
    return report


def _added(before: dict[str, Any], report: dict[str, Any]) -> dict[str, Any]:
    sums = ("hands", "void", "started_twice", "acts", "unanswered", "seconds")
    verdicts = Counter(before.get("verdicts", {})) + Counter(report["verdicts"])
    return {name: before.get(name, 0) + report[name] for name in sums} | {"verdicts": dict(verdicts)}


async def _playing(bots: asyncio.subprocess.Process, tables: int) -> None:
    async with asyncio.timeout(300):
        while len({act["table"] for act in _acts()}) < tables:
            if bots.returncode is not None:
                raise RuntimeError(f"the bots ended with {bots.returncode}")
            await asyncio.sleep(1)


def _once(action: Action, number: int) -> Found:
    began = time.time()
    name = action.name
    try:
        action.do(number)
    except subprocess.CalledProcessError:
        name += " (failed)"
    _ready()
    ready_s = time.time() - began
    time.sleep(action.settled_s)
    _keep_logs(began)
    return Found(name, began, time.time(), ready_s)


def _keep_logs(since: float) -> None:
    """What every pod said, and the process before a restarted one's: a file for each, in `LOGS`."""
    LOGS.mkdir(parents=True, exist_ok=True)
    passed = f"--since={int(time.time() - since) + 1}s"
    for pod in kubectl("get", "pods", "-o", "name").split():
        for which in ([passed], [passed, "--previous"]):
            with suppress(subprocess.CalledProcessError), (LOGS / f"{pod.removeprefix('pod/')}.log").open("a") as out:
                out.write(said("-n", NAMESPACE, "logs", pod, *which))


def _shown(found: Found) -> dict[str, Any]:
    return {"name": found.name, "began": found.began, "ended": found.ended, "ready_s": found.ready_s}


def rows() -> list[Row]:
    """Of what the last drill wrote down."""
    acts = sorted(_acts(), key=lambda act: float(act["at"]))
    found = [Found(**json.loads(line)) for line in FOUND.read_text().splitlines()]
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
            row.answers.append(act["seconds"])
            if act["verdict"] != "accepted":
                row.refused += 1
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
        f"verdicts {json.dumps(report['verdicts'])}.",
        "",
        "*Next act*: from the action until a table's next accepted act that was asked for after it, of every table",
        "and time; a table's usual wait is the first row. *Answers*: of acts answered until ten seconds after every",
        "pod was ready. *Late*: share of them above 100 ms, which the promise bounds at 1 %; *budget*: how much of a",
        "month's budget (at the same rate of play) all times of a row have spent. *Silent*: tables without an act.",
        "",
        "| action | times | pods ready after, median / worst | next act p50 / p99 / worst | answers p50 / p99 / worst |"
        " late | budget | refused | silent |",
        "|---|---|---|---|---|---|---|---|---|",
    )
    month = 30 * 86_400 * report["acts"] / report["seconds"] * BUDGET
    for row in rows():
        late = sum(seconds > PROMISED_S for seconds in row.answers)
        ready = f"{percentile(row.ready, 0.5):.0f} / {max(row.ready):.0f} s"
        yield (
            f"| {row.name} | {row.rounds} | {ready} | {_three(row.waits, 's')} | {_three(row.answers, 'ms')} |"
            f" {late / max(1, len(row.answers)):.1%} | {late / month:.3%} | {row.refused} | {row.silent} |"
        )


def _three(values: list[float], unit: str) -> str:
    scale, digits = (1000, 0) if unit == "ms" else (1, 1)
    shown = (percentile(values, 0.5), percentile(values, 0.99), max(values, default=0.0))
    return " / ".join(f"{value * scale:.{digits}f}" for value in shown) + f" {unit}"


def _acts() -> list[dict[str, Any]]:
    return [json.loads(line) for line in ACTS.read_text().splitlines()] if ACTS.exists() else []


def _pod(service: str, number: int) -> str:
    """One after the other."""
    of = f"app.kubernetes.io/instance={RELEASE},app.kubernetes.io/component={service}"
    names = sorted(kubectl("get", "pods", "-l", of, "-o", "name").split())
    return names[number % len(names)].removeprefix("pod/")


def _to_a_pod(service: str, do: Callable[[str], None], number: int) -> None:
    do(_pod(service, number))


def _to_server(server: str, do: Callable[[str], None], _: int) -> None:
    do(f"{server}-0")


def _delete(pod: str) -> None:
    kubectl("delete", "pod", pod, "--wait=false")


def _delete_wholly(pod: str) -> None:
    """Returns once it is gone: a server that still ends passes for ready."""
    kubectl("delete", "pod", pod)


def _kill(pod: str) -> None:
    """At once: even `--force` lets a process end in its own way."""
    named = kubectl("get", "pod", pod, "-o", "jsonpath={.status.containerStatuses[0].containerID}")
    assert CONTAINERD is not None
    told("ctr", "-a", CONTAINERD, "-n", "k8s.io", "task", "kill", "-s", "SIGKILL", named.removeprefix("containerd://"))
    time.sleep(2)  # until it is seen to be gone: else it passes for ready


def _evict(pod: str) -> None:
    """As a drained node does: refused while the budget of disruptions is used up, and asked again."""
    asked = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": pod, "namespace": NAMESPACE}}
    address = f"/api/v1/namespaces/{NAMESPACE}/pods/{pod}/eviction"
    for attempt in count():
        try:
            kubectl("create", "--raw", address, "-f", "-", stdin=json.dumps(asked))
        except subprocess.CalledProcessError:
            if attempt == 20:
                raise
            time.sleep(1)
        else:
            return


def _ready() -> None:
    """Every pod that a controller wants is there and ready."""
    for kind in ("statefulset", "deployment"):
        for name in kubectl("get", kind, "-o", "name").split():
            kubectl("rollout", "status", name, "--timeout=300s")
    house = f"app.kubernetes.io/instance={RELEASE},app.kubernetes.io/component notin (hook,bots,restore-drill)"
    servers = "app.kubernetes.io/name in (kafka,postgres)"
    names = [kubectl("get", "pods", "-l", of, "-o", "name").split() for of in (house, servers)]
    for name in chain(*names):
        try:
            kubectl("wait", "--for=condition=Ready", name, "--timeout=300s")
        except subprocess.CalledProcessError:
            if kubectl("get", name, "--ignore-not-found", "-o", "name"):  # else it was one that ended
                raise


def _upgrade(value: str) -> None:
    helm("upgrade", RELEASE, "deploy/chart", "--reset-then-reuse-values", "--set", value, "--wait", "--timeout", "10m")


def _rotate(_: int) -> None:
    """The root key is with the administrator and in no Secret, so it goes to the pod and back."""
    keys = HOME / "compose" / "keys"
    kubectl("cp", str(keys), "tools:/tmp/keys")
    kubectl("exec", "tools", "--", "croupier", "marks", "rotate", "--keys", "/tmp/keys")
    kubectl("cp", "tools:/tmp/keys", str(keys))
    kubectl("exec", "tools", "--", "rm", "-r", "/tmp/keys")
    kubectl("apply", "-f", "-", stdin=told(PROJECT / ".venv/bin/croupier", "compose", "--kubernetes"))


def _rules(_: int) -> None:
    kubectl("exec", "tools", "--", "python3", "-c", _RULES)
