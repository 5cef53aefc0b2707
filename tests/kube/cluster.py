"""A house on Kubernetes for trying out and for the drill: cluster, images, volumes, servers, chart, ingress."""

import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.conftest import PROJECT

HERE = Path(__file__).parent
TOOL = PROJECT.parent / "shared" / "tools" / "kube" / "kube"
"""Brings up a one-node Kubernetes. Where it is not, kubectl, helm and KUBECONFIG's cluster are taken as they are."""
HOME = PROJECT / ".croupier" / "kube"
DATA = Path("/var/lib/croupier-kube")
"""Of the node: its volumes."""
NAMESPACE = "croupier"
RELEASE = "casa"
GATEWAY = "http://10.98.0.1:30080"
"""The ingress, on the address of the tool's node."""
DOOR = f"{RELEASE}-door.{NAMESPACE}.svc"
"""Where platforms come to, from other namespaces: what its certificate says and what Kafka tells them."""
BASE = "localhost/debian-python:12"
IMAGES = ("localhost/croupier:latest", "localhost/croupier-kafka:latest", "localhost/croupier-postgres:latest")
INGRESS_IMAGE = "localhost/traefik:3.5"
_OWNERS = {"kafka": 1000, "postgres": 999, "checkpoints": 10001, "backup": 10001}
VALUES = ("--values", str(HERE / "values.yaml"))


def environment() -> dict[str, str]:
    """With the tool's kubectl and helm on the path, and its cluster in KUBECONFIG."""
    found = {**os.environ, "CROUPIER_HOME": str(HOME)}
    if TOOL.exists():
        line = subprocess.run([TOOL, "env"], capture_output=True, text=True, check=True).stdout
        named = dict(word.split("=", 1) for word in line.split() if "=" in word)
        found |= {"KUBECONFIG": named["KUBECONFIG"], "PATH": f"{named['PATH'].split(':')[0]}:{os.environ['PATH']}"}
    return found


def said(*of_kubectl: str) -> str:
    """The same where a refusal is no surprise. Raises `CalledProcessError`."""
    return subprocess.run(
        ("kubectl", *of_kubectl), capture_output=True, text=True, env=environment(), check=True
    ).stdout


def told(*command: str | Path, stdin: str | None = None) -> str:
    """What a command printed. Raises `CalledProcessError` after showing what it said."""
    done = subprocess.run(
        command, input=stdin, capture_output=True, text=True, env=environment(), cwd=PROJECT, check=False
    )
    if done.returncode:
        print(done.stdout, done.stderr, flush=True)
        done.check_returncode()
    return done.stdout


def kubectl(*command: str, stdin: str | None = None) -> str:
    return told("kubectl", "-n", NAMESPACE, *command, stdin=stdin)


def helm(*command: str) -> str:
    return told("helm", "-n", NAMESPACE, *command)


def up() -> None:
    began = time.monotonic()
    if TOOL.exists():
        with timed("a Kubernetes of one node"):
            told(TOOL, "up")
            told(TOOL, "base")
        with timed("images of the house and of stand-ins for Kafka and PostgreSQL"):
            for target in ("images", "stand-ins"):
                told("make", target, "ENGINE=podman", f"BASE={BASE}")
        with timed("the ingress controller, built from its Go module if it is not there"):
            _ingress_image()
        with timed("images into the node"):
            told(TOOL, "load", *IMAGES, INGRESS_IMAGE)
    with timed("volumes and Secrets"):
        _namespace()
        told(
            "kubectl", "apply", "-f", "-", stdin=(HERE / "volumes.yaml").read_text().replace("FOLDER", str(_folders()))
        )
        made = told(PROJECT / ".venv/bin/croupier", "compose", "--kubernetes", "--platforms-at", DOOR)
        kubectl("apply", "-f", "-", stdin=made)
    with timed("Kafka and PostgreSQL"):
        helm("upgrade", "--install", "servers", "deploy/servers", *_set(*SERVERS), "--wait", "--timeout", "5m")
    with timed("the ingress"):
        told("kubectl", "apply", "-f", "-", stdin="{apiVersion: v1, kind: Namespace, metadata: {name: ingress}}")
        told("kubectl", "apply", "-f", str(HERE / "ingress.yaml"))
    with timed("the house"):
        helm("upgrade", "--install", RELEASE, "deploy/chart", *VALUES, "--wait", "--timeout", "10m")
    with timed("the ingress is ready"):
        told("kubectl", "-n", "ingress", "rollout", "status", "deployment/traefik", "--timeout=120s")
    token = HOME / "compose" / "keys" / "operator_token.hex"
    print(f"up after {time.monotonic() - began:.0f} s; now: croupier bots --gateway {GATEWAY} --credential {token}")


SERVERS = (
    "kafka=localhost/croupier-kafka:latest", "postgres=localhost/croupier-postgres:latest", "pullPolicy=Never",
    "storage=8Gi", f"platformAddress={DOOR}:9100",
)  # fmt: skip


def down() -> None:
    """Cluster, data and keys are gone; images and what was built stay."""
    if TOOL.exists():
        told(TOOL, "down")
    for folder in (HOME, DATA):
        shutil.rmtree(folder, ignore_errors=True)


def _set(*values: str) -> Iterator[str]:
    for value in values:
        yield from ("--set", value)


def _namespace() -> None:
    label = "pod-security.kubernetes.io/enforce"
    stdin = f"{{apiVersion: v1, kind: Namespace, metadata: {{name: {NAMESPACE}, labels: {{{label}: restricted}}}}}}"
    told("kubectl", "apply", "-f", "-", stdin=stdin)


def _folders() -> Path:
    """Each for the user of its server. What another checkout's house left there is opened by no key of this one."""
    if (DATA / "kafka" / "log").exists() and not (HOME / "compose").exists():
        raise SystemExit(f"{DATA} holds another house's data: move it away, or `make kube-down` takes it")
    for name, owner in _OWNERS.items():
        (DATA / name).mkdir(parents=True, exist_ok=True)
        os.chown(DATA / name, owner, owner)
    return DATA


def _ingress_image() -> None:
    there = subprocess.run(["podman", "image", "exists", INGRESS_IMAGE], check=False)
    if there.returncode == 0:
        return
    folder = HOME / "traefik"
    folder.mkdir(parents=True, exist_ok=True)
    told("bash", str(HERE / "ingress.sh"), str(folder), INGRESS_IMAGE, BASE)
    shutil.rmtree(folder)


@contextmanager
def timed(what: str) -> Iterator[None]:
    began = time.monotonic()
    yield
    print(f"{time.monotonic() - began:6.1f} s  {what}", flush=True)
