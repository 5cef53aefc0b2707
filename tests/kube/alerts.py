"""`make kube-alerts`: the alerts of the cluster, each fired in it by what it is about.

kube-state-metrics is built from its Go module; a Prometheus on this machine asks it, with the chart's rules, their
durations divided. The tool's kubelet measures no volumes, for it does not know the node's root device: a stand-in tells
of a file system under the kubelet's names. Nothing may fire before the first fault, nor go on after one was mended.
"""

import asyncio
import json
import os
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from typing import Any

from libs.stack.ports import free_port
from services.cli.watching.alerts import CLUSTER, rules_of_cluster
from tests.conftest import PROJECT
from tests.kube.cluster import DATA, HERE, HOME, NAMESPACE, RELEASE, TOOL, environment, kubectl, timed, told
from tests.kube.drill import CONTAINERD
from tests.watching.prometheus import Prometheus

PAGE = PROJECT / "docs" / "kubernetes-alerts.md"
BY = 120
"""All durations of the rules, divided."""
BOUNDS = {"> 3600": "> 150", "> 21600": "> 60"}
"""Seconds that expressions compare with, and what stands there in the drill: a backup is made each minute here."""
QUIET_S, SLOW_S = 60.0, 420.0
SMALL = DATA / "small"
"""A file system of its own, of 256 MB."""
_BACKUP = f"{RELEASE}-backup"


@dataclass(frozen=True, slots=True)
class Fault:
    words: str
    alerts: tuple[str, ...]
    fire: Callable[[], object]
    mend: Callable[[], object]


def alerts(write: bool) -> int:
    """1 where an alert did not fire, one more did, or one went on. Needs a node of this machine, as the tool's is."""
    if CONTAINERD is None:
        raise SystemExit(f"{TOOL} is not there: on another cluster the alerts are to be fired by hand")
    with timed("kube-state-metrics, built from its Go module if it is not there"):
        binary = _kube_state_metrics()
    with (
        _each_minute(),
        _small(),
        TemporaryDirectory(prefix="croupier-") as folder,
        _asked(binary, Path(folder)) as prometheus,
    ):
        rows, wrong = _drill(lambda: asyncio.run(prometheus.firing()))
    print("\n".join(rows))
    if write:
        PAGE.write_text(_page(rows, wrong))
    for each in wrong:
        print(f"! {each}")
    return 1 if wrong else 0


def _drill(firing: Callable[[], set[str]]) -> tuple[list[str], list[str]]:
    rows, wrong, seen = list[str](), list[str](), set[str]()
    began = time.monotonic()
    while time.monotonic() - began < QUIET_S:
        seen |= firing()
        time.sleep(1)
    rows.append(f"| nothing, for {QUIET_S:.0f} s | {', '.join(sorted(seen)) or 'nothing'} | – | |")
    wrong += [f"{name} fired before any fault" for name in sorted(seen)]
    for fault in FAULTS:
        began, took, beside = time.monotonic(), dict[str, float](), set[str]()
        fault.fire()
        while time.monotonic() - began < SLOW_S and set(fault.alerts) - took.keys():
            for name in firing():
                if name in fault.alerts:
                    took.setdefault(name, time.monotonic() - began)
                else:
                    beside.add(name)
            time.sleep(0.5)
        fault.mend()
        mended = time.monotonic()
        while (still := firing()) and time.monotonic() - mended < SLOW_S:
            beside |= still - set(fault.alerts)
            time.sleep(0.5)
        wrong += [f"{fault.words}: {name} did not fire" for name in fault.alerts if name not in took]
        wrong += [f"{fault.words}: {name} went on firing" for name in sorted(still)]
        fired = ", ".join(f"{name} after {seconds:.0f} s" for name, seconds in took.items()) or "nothing"
        silent = "no" if still else f"{time.monotonic() - mended:.0f} s"
        rows.append(f"| {fault.words} | {fired} | {', '.join(sorted(beside)) or '–'} | {silent} |")
        print(rows[-1], flush=True)
    return rows, wrong


def _page(rows: list[str], wrong: list[str]) -> str:
    bounds = ", ".join(f"`{was}` is `{now}`" for was, now in BOUNDS.items())
    some = len(CLUSTER)
    never = [each.name for each in CLUSTER if not any(f"{each.name} after" in row for row in rows)]
    return "\n".join((
        "# Alerts of the cluster, fired by real faults", "",
        "Written by `make kube-alerts WRITE=1`, in the house of `make kube`: Debian's Prometheus asks",
        "kube-state-metrics 2.18.0, built from its Go module; the chart's rules, **every duration divided by",
        f"{BY}** (at least 5 s), and {bounds}; a backup is made each minute. What the kubelet tells of volumes a",
        "**stand-in** told, of a file system that did fill up: this cluster's kubelet measures none.", "",
        "| fault | fired, seconds after it began | fired beside | silent again after mending |", "|---|---|---|---|",
        *rows, "",
        f"{some - len(never)} of {some} alerts fired{': not ' + ', '.join(never) if never else ''}.", "",
        *(("Not as it should be:", "", *(f"- {each}" for each in wrong), "") if wrong else ()),
    ))  # fmt: skip


def _kube_state_metrics() -> Path:
    binary = HOME / "kube-state-metrics"
    if not binary.exists():
        told("bash", str(HERE / "kube-state-metrics.sh"), str(HOME))
    return binary


@contextmanager
def _asked(binary: Path, folder: Path) -> Iterator[Prometheus]:
    port = free_port()
    states = subprocess.Popen(
        [binary, "--kubeconfig", environment()["KUBECONFIG"], "--resources", "cronjobs,jobs",
         "--namespaces", NAMESPACE, "--host", "127.0.0.1", "--port", str(port),
         "--telemetry-host", "127.0.0.1", "--telemetry-port", str(free_port())],
        stdout=(folder / "states").open("w"), stderr=subprocess.STDOUT,
    )  # fmt: skip
    kubelet = ThreadingHTTPServer(("127.0.0.1", 0), _Volumes)
    Thread(target=kubelet.serve_forever, daemon=True).start()
    targets = [f"127.0.0.1:{port}", f"127.0.0.1:{kubelet.server_port}"]
    jobs = [{"job_name": "cluster", "honor_labels": True, "static_configs": [{"targets": targets}]}]
    prometheus = Prometheus(folder, _rules(), jobs)
    try:
        yield prometheus
    finally:
        prometheus.stop()
        kubelet.shutdown()
        states.terminate()
        states.wait()


def _rules() -> dict[str, Any]:
    text = json.dumps(rules_of_cluster(BY))
    for was, now in BOUNDS.items():
        assert text.count(f'{was}"') == 1, f"{was} is no bound of one of the rules any more"
        text = text.replace(f'{was}"', f'{now}"')
    return dict(json.loads(text))


@contextmanager
def _each_minute() -> Iterator[None]:
    """A backup is made; begins after the first of them."""
    before = kubectl("get", "cronjob", _BACKUP, "-o", "jsonpath={.spec.schedule}")
    _patch(schedule="* * * * *")
    try:
        _await_backup()
        yield
    finally:
        _patch(schedule=before)


def _await_backup() -> None:
    began = time.time()
    while time.time() - began < SLOW_S:
        at = kubectl("get", "cronjob", _BACKUP, "-o", "jsonpath={.status.lastSuccessfulTime}")
        if at and time.time() - datetime.fromisoformat(at).timestamp() < 60:
            return
        time.sleep(1)
    raise RuntimeError("no backup came to its end")


def _patch(**spec: object) -> None:
    kubectl("patch", "cronjob", _BACKUP, "-p", json.dumps({"spec": spec}))


class _Volumes(BaseHTTPRequestHandler):
    """The stand-in for the kubelet."""

    def do_GET(self) -> None:
        found = os.statvfs(SMALL)
        of = f'_bytes{{namespace="{NAMESPACE}",persistentvolumeclaim="small"}}'
        sizes = {"available": found.f_bavail * found.f_frsize, "capacity": found.f_blocks * found.f_frsize}
        self.send_response(200)
        self.send_header("Content-Type", "text/plain; version=0.0.4")
        self.end_headers()
        self.wfile.write("".join(f"kubelet_volume_stats_{what}{of} {size}\n" for what, size in sizes.items()).encode())

    def log_message(self, *_: object) -> None:
        """Each second: nothing."""


@contextmanager
def _small() -> Iterator[None]:
    SMALL.mkdir(parents=True, exist_ok=True)
    told("mount", "-t", "tmpfs", "-o", "size=256m", "croupier-small", SMALL)
    try:
        yield
    finally:
        told("umount", SMALL)
        SMALL.rmdir()


def _fill() -> None:
    """Within two minutes."""
    for number in range(63):
        (SMALL / str(number)).write_bytes(bytes(4_000_000))
        time.sleep(2)


def _empty() -> None:
    for each in SMALL.iterdir():
        each.unlink()


def _unwritable() -> None:
    (DATA / "backup" / RELEASE).chmod(0o500)


def _writable() -> None:
    """As the alert's page has it: the job goes, and the alert with it."""
    (DATA / "backup" / RELEASE).chmod(0o700)
    kubectl("delete", "jobs", "--field-selector", "status.successful=0", "--ignore-not-found")


def _verify_hangs() -> None:
    kubectl("create", "job", "--from", f"cronjob/{RELEASE}-verify", _HANGING)
    of = ("-l", f"batch.kubernetes.io/job-name={_HANGING}", "-o")
    while not (named := kubectl("get", "pods", *of, "jsonpath={.items[*].status.containerStatuses[*].containerID}")):
        time.sleep(0.2)
    _to_task("pause", named)


def _verify_goes_on() -> None:
    of = ("-l", f"batch.kubernetes.io/job-name={_HANGING}", "-o")
    _to_task("resume", kubectl("get", "pods", *of, "jsonpath={.items[*].status.containerStatuses[*].containerID}"))
    kubectl("wait", "--for=condition=Complete", f"job/{_HANGING}", "--timeout=300s")
    kubectl("delete", "job", _HANGING)


_HANGING = f"{RELEASE}-verify-that-hangs"


def _to_task(what: str, named: str) -> None:
    assert CONTAINERD is not None
    told("ctr", "-a", CONTAINERD, "-n", "k8s.io", "task", what, named.removeprefix("containerd://"))


FAULTS = (
    Fault(
        "somebody suspended the backup", ("CroupierBackupOld",), lambda: _patch(suspend=True),
        lambda: _patch(suspend=False),
    ),
    Fault("the backup's volume can't be written", ("CroupierJobFailed",), _unwritable, _writable),
    Fault("a verify's process stands still (its container is frozen)", ("CroupierJobHangs",), _verify_hangs,
          _verify_goes_on),
    Fault("a volume of 256 MB was filled, which took two minutes, and then looked at",
          ("CroupierDiskFills", "CroupierDiskNearlyFull"), _fill, _empty),
)  # fmt: skip
