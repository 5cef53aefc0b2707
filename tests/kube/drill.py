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
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import chain, count
from pathlib import Path
from secrets import token_hex
from typing import Any

from libs.sealing.kek_file import read_keks
from tests.conftest import PROJECT
from tests.kube.cluster import DOOR, GATEWAY, HOME, NAMESPACE, RELEASE, TOOL, environment, helm, kubectl, said, told

ACTS = HOME / "acts.jsonl"
FOUND = HOME / "drill.jsonl"
REPORT = HOME / "report.json"
LOGS = HOME / "logs"
SETTLED_S = 10.0
"""Seconds of play after the house is ready again, before the next action."""
PATIENCE_S = 600
"""A bot repeats an act under its key until the house is back, as a client does that is still there; a table remembers
keys for as long."""
ROUNDS = 10
CONTAINERD = Path(environment()["KUBECONFIG"]).with_name("containerd.sock") if TOOL.exists() else None
"""Of the tool's node: no cluster lets its users kill a process so that it can say nothing."""
KEYS = HOME / "compose" / "keys"
PLATFORM = "acme"
_KUBELET_S = 180.0
_METRICS = "import urllib.request as u; print(u.urlopen('http://127.0.0.1:9080/metrics').read().decode())"
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
    steps: tuple[str, ...] = ()
    """Names of what is done in turn, where one time is several steps: each is a row of its own."""

    def times(self, most: int | None, repeat: int | None) -> int:
        """How often `do` is done: `repeat` times all its steps, or else as often as it says, `most` at most."""
        if repeat is not None:
            return repeat * max(1, len(self.steps))
        return min(self.rounds, most or self.rounds)

    def named(self, number: int) -> str:
        return f"{self.name}: {self.steps[number % len(self.steps)]}" if self.steps else self.name


@dataclass(slots=True)
class Found:
    """Of one time: from `began` to `ended` (seconds since 1970); `ready_s`: until every pod was ready again."""

    name: str
    began: float
    ended: float
    ready_s: float


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
        Action(
            "keys of marks are rotated", _rotate, 3, 100.0, ("the new one is known", "it marks", "the old one goes")
        ),
        Action("the key-encryption key is rotated", _rotate_kek, 2, SETTLED_S, ("the new one opens", "it seals")),
        Action("the key of private deals is another (tables and gateways restarted)", _gateway_key, 2),
        Action("rules at the broker are changed", _rules),
    ]
    found.append(Action("door: its pod is deleted while a platform reads", partial(_to_door, _delete_wholly), 3))
    if CONTAINERD is not None:
        found.append(
            Action("door: its process is killed (SIGKILL) while a platform reads", partial(_to_door, _kill), 3)
        )
    for server in ("kafka", "postgres"):
        found.append(Action(f"{server}'s pod is deleted", partial(_to_server, server, _delete_wholly), 3, 30.0))
        if CONTAINERD is not None:
            found.append(Action(f"{server} is killed (SIGKILL)", partial(_to_server, server, _kill), 3, 30.0))
    if other:
        found.append(Action("another version", partial(_version, other), 2, SETTLED_S, ("rolled out", "rolled back")))
    return found


async def drill(
    chosen: Iterable[Action], tables: int, think_s: float, rounds: int | None, repeat: int | None, append: bool
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
        "--hands", "100000000", "--longest", "100000", "--acts", str(ACTS), "--patience", str(PATIENCE_S),
        stdout=subprocess.PIPE, cwd=PROJECT,
    )  # fmt: skip
    try:
        await _playing(bots, tables, since=time.time())
        with FOUND.open("a") as out:
            for action in chosen:
                for number in range(action.times(rounds, repeat)):
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
    counts = {each: dict(Counter(before.get(each, {})) + Counter(report[each])) for each in ("verdicts", "reasons")}
    return {name: before.get(name, 0) + report[name] for name in sums} | counts


async def _playing(bots: asyncio.subprocess.Process, tables: int, since: float) -> None:
    """`since`: acts of the drill before don't count."""
    async with asyncio.timeout(600):
        while len({act["table"] for act in acts() if act["at"] > since}) < tables:
            if bots.returncode is not None:
                raise RuntimeError(f"the bots ended with {bots.returncode}")
            await asyncio.sleep(1)


def _once(action: Action, number: int) -> Found:
    began = time.time()
    name = action.named(number)
    try:
        action.do(number)
    except (subprocess.CalledProcessError, RuntimeError) as wrong:
        print(wrong, flush=True)
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


def acts() -> list[dict[str, Any]]:
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
    for name in chain(*(_staying(of) for of in (house, servers))):
        try:
            kubectl("wait", "--for=condition=Ready", name, "--timeout=300s")
        except subprocess.CalledProcessError:
            if kubectl("get", name, "--ignore-not-found", "-o", "name"):  # else it was one that ended
                raise


def _staying(of: str) -> list[str]:
    """Pods that do not end: of one that is gone a moment later `kubectl wait` sees nothing for its whole patience."""
    pods = json.loads(kubectl("get", "pods", "-l", of, "-o", "json"))["items"]
    return [f"pod/{each['metadata']['name']}" for each in pods if "deletionTimestamp" not in each["metadata"]]


def _upgrade(value: str) -> None:
    helm("upgrade", RELEASE, "deploy/chart", "--reset-then-reuse-values", "--set", value, "--wait", "--timeout", "10m")


def _version(other: str, number: int) -> None:
    if number % 2 == 0:
        _upgrade(f"image.tag={other}")
    else:
        helm("rollback", RELEASE, "--wait", "--timeout", "10m")


def _hand_out() -> None:
    """Secrets of what lies in the house's folder now; pods see them within the kubelet's minute."""
    kubectl("apply", "-f", "-", stdin=told(PROJECT / ".venv/bin/croupier", "compose", "--kubernetes"))


def _rotate(_: int) -> None:
    """The root key is with the administrator and in no Secret, so it goes to the pod and back."""
    kubectl("cp", str(KEYS), "tools:/tmp/keys")
    kubectl("exec", "tools", "--", "croupier", "marks", "rotate", "--keys", "/tmp/keys")
    kubectl("cp", "tools:/tmp/keys", str(KEYS))
    kubectl("exec", "tools", "--", "rm", "-r", "/tmp/keys")
    _hand_out()


def _rotate_kek(_: int) -> None:
    """One step; over when every table process has the file."""
    file = KEYS / "kek" / "kek.hex"
    told(PROJECT / ".venv/bin/croupier", "kek", "rotate", "--file", file)
    newest = read_keks(file).newest
    _hand_out()
    give_up = time.monotonic() + _KUBELET_S
    while (seen := _kek_newest()) != {newest}:
        if time.monotonic() > give_up:
            raise RuntimeError(f"tables tell {sorted(seen)} as croupier_kek_newest and not {newest} alone")
        time.sleep(2)


def _kek_newest() -> set[int]:
    """What table processes tell."""
    of = f"app.kubernetes.io/instance={RELEASE},app.kubernetes.io/component=table"
    found = set()
    for pod in kubectl("get", "pods", "-l", of, "-o", "name").split():
        metrics = kubectl("exec", pod, "--", "python3", "-c", _METRICS)
        found |= {
            int(float(line.split()[-1])) for line in metrics.splitlines() if line.startswith("croupier_kek_newest")
        }
    return found


def _gateway_key(_: int) -> None:
    """Who plays sees no cards of the hand that runs, and those of the next one (docs/sre.md, Keys)."""
    (KEYS / "gateway_key.hex").write_text(f"{token_hex(32)}\n")
    _hand_out()
    for kind, service in (("statefulset", "table"), ("deployment", "gateway")):
        kubectl("rollout", "restart", f"{kind}/{RELEASE}-{service}")


def _rules(_: int) -> None:
    kubectl("exec", "tools", "--", "python3", "-c", _RULES)


def _to_door(do: Callable[[str], None], _: int) -> None:
    """Over when the platform has read, and missed nothing, what the broker took after the door was gone."""
    platform_comes()
    _platform_reads(after=0.0)
    do(_pod("door", 0))
    _platform_reads(after=time.time())


def platform_comes() -> None:
    """Unless it is there: a login for it, and its pod, in a namespace of its own."""
    if kubectl("get", "pod", "reader", "-n", PLATFORM, "--ignore-not-found", "-o", "name"):
        return
    kubectl("apply", "-f", str(Path(__file__).with_name("tools.yaml")))
    kubectl("wait", "--for=condition=Ready", "pod/tools", "--timeout=120s")
    login = f"platform-{PLATFORM}"
    kubectl("exec", "tools", "--", "croupier", "platform", "add", PLATFORM, "--at", f"{DOOR}:9100")
    files = {
        "password": kubectl("exec", "tools", "--", "cat", f"/tmp/home/logins/{login}.kafka"),
        "ca.pem": (HOME / "compose" / "door" / "ca.pem").read_text(),
        "reader.py": Path(__file__).with_name("reader.py").read_text(),
    }
    label = {"pod-security.kubernetes.io/enforce": "restricted"}
    space = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": PLATFORM, "labels": label}}
    at = {"name": "reader", "namespace": PLATFORM}
    secret = {"apiVersion": "v1", "kind": "Secret", "metadata": at, "stringData": files}
    told("kubectl", "apply", "-f", "-", stdin=json.dumps(space))
    told("kubectl", "apply", "-f", "-", stdin=json.dumps(secret))
    told("kubectl", "apply", "-f", str(Path(__file__).with_name("platform.yaml")))


def _platform_reads(after: float) -> None:
    """Raises where it has not read, within five minutes, what the broker took `after` then, or missed something."""
    give_up = time.monotonic() + 300
    while True:
        with suppress(subprocess.CalledProcessError):  # its pod starts
            lines = said("logs", "reader", "-n", PLATFORM, "--tail=500").splitlines()
            far = [line for line in lines if '"newest"' in line]  # its client's own words are between them
            seen = json.loads(far[-1]) if far else {}
            if seen.get("gaps"):
                raise RuntimeError(f"the platform misses events: {seen}")
            if seen.get("newest", 0.0) > after:
                return
        if time.monotonic() > give_up:
            raise RuntimeError("the platform reads nothing new")
        time.sleep(0.5)
